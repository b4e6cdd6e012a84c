package checkrein

import (
	"encoding/json"
	"errors"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Condition restricts a hook to some of its events. It tests fields of the event, and
// all of its tests must hold. The empty Condition always holds.
//
//	checkrein.Condition{}.
//		Test("tool", "is", "shell").
//		Test("command", "prefix", "rm ").
//		Not(checkrein.Condition{}.Test("cwd", "under", "/tmp"))
//
// A Condition is JSON text, as configuration files write it:
//
//	{"tool": {"is": "shell"}, "command": {"prefix": "rm "}, "not": {"cwd": {"under": "/tmp"}}}
//
// Mistakes, such as an unknown field or operator, are faults of the hook; Check of an
// engine or a kit reports them.
type Condition []byte

// Test returns c with a further test: that the field's value meets the operator.
//
// Fields of every event are event, host, session_id, cwd and agent. Events about a tool
// have tool_name, tool, tool_input.NAME, tool_response, tool_error, command, paths, effects
// and radius. Others have their text, as in [Contract].Text, and [Contract].Fields. A
// field that is a list holds if one of its elements does.
//
// The operators are is (a string, number or bool); in (a list of them); prefix, suffix,
// contains and regex (a string); glob (a string or a list); under and outside (a
// directory); gt, ge, lt and le (a number); exists (a bool).
func (c Condition) Test(field, operator string, value any) Condition {
	text, err := json.Marshal(value)
	if err != nil { // an operator that does not exist, so that Check reports it
		operator, text = err.Error(), []byte("null")
	}
	test := append(rawjson.AppendString([]byte{'{'}, operator), ':')
	return c.with(field, append(append(test, text...), '}'))
}

// Any returns c with a further test: that one of the conditions holds.
func (c Condition) Any(conditions ...Condition) Condition {
	list := []byte{'['}
	for i, one := range conditions {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, one.text()...)
	}
	return c.with("any", append(list, ']'))
}

// Not returns c with a further test: that the condition does not hold.
func (c Condition) Not(condition Condition) Condition { return c.with("not", condition.text()) }

// with returns c with one more member. If c has the key, both become members of a list.
func (c Condition) with(key string, value []byte) Condition {
	member := append(rawjson.AppendString([]byte{'{'}, key), ':')
	member = append(append(member, value...), '}')
	if len(c) == 0 {
		return member
	}
	if _, has := rawjson.Get(c, key); has || rawjson.Kind(c) != '{' {
		out := append([]byte(`{"all":[`), c...)
		return append(append(append(out, ','), member...), "]}"...)
	}
	out := append(append([]byte{'{'}, members(c)...), ',')
	return append(out, member[1:]...)
}

// text returns the JSON of c.
func (c Condition) text() []byte {
	if len(c) == 0 {
		return []byte("{}")
	}
	return c
}

// String returns the JSON of c, "" if it is empty.
func (c Condition) String() string { return string(c) }

// MarshalJSON returns the text of c, null if it is empty.
func (c Condition) MarshalJSON() ([]byte, error) { return json.RawMessage(c).MarshalJSON() }

// UnmarshalJSON sets c to a copy of data.
func (c *Condition) UnmarshalJSON(data []byte) error {
	if c == nil {
		return errors.New("checkrein: UnmarshalJSON on a nil Condition")
	}
	*c = append((*c)[:0], data...)
	return nil
}
