package checkrein

import (
	"encoding/json"
	"errors"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Condition restricts a hook to some of its events. It tests fields of the event, and all of its
// tests must hold; Any joins alternatives. The empty Condition always holds.
//
//	checkrein.Condition{}.
//		Test("tool", "is", "shell").
//		Test("command", "prefix", "rm ").
//		Not(checkrein.Condition{}.Test("cwd", "under", "/tmp"))
//
// A Condition is JSON text, as in configuration files:
//
//	{"tool": {"is": "shell"}, "command": {"prefix": "rm "}, "not": {"cwd": {"under": "/tmp"}}}
//
// A mistake, such as an unknown field or operator, is a fault of the hook. The Check method of an
// engine or a kit reports it.
type Condition []byte

// Test returns c with a further test: that the value of field meets the operator with value.
//
// Fields of every event are event, host, session_id, cwd and agent. Events about a tool have
// tool_name, tool, tool_input.NAME, tool_response, tool_error, command, paths, effects and radius.
// The field tool is checkrein's name for the tool, such as shell, whatever the agent calls it;
// tool_name is the agent's own name, such as Bash. Tools of any name can run commands, so the test
// for a shell command is Test("command", "exists", true).
// Others have their text, as in [Contract].Text, and [Contract].Fields. A test of a field that is a
// list holds if it holds for one of the elements.
//
// The operators are is (a string, number or bool); in (a list of them); prefix, suffix, contains and
// regex (a string); glob (a string or a list); under and outside (a directory); gt, ge, lt and le (a
// number); exists (a bool).
func (c Condition) Test(field, operator string, value any) Condition {
	text, err := json.Marshal(value)
	if err != nil { // "" is no operator: its operand is what Check reports
		operator, text = "", rawjson.Quote("the value of "+operator+" cannot be encoded: "+err.Error())
	}
	test := append(rawjson.AppendString([]byte{'{'}, operator), ':')
	return c.withMember(field, append(append(test, text...), '}'))
}

// Any returns c with a further test: that one of the conditions holds.
func (c Condition) Any(conditions ...Condition) Condition {
	list := []byte{'['}
	for i, one := range conditions {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, one.jsonText()...)
	}
	return c.withMember("any", append(list, ']'))
}

// Not returns c with a further test: that the condition does not hold.
func (c Condition) Not(condition Condition) Condition {
	return c.withMember("not", condition.jsonText())
}

// withMember returns c with one more member. If c already has the key, both become members of a list.
func (c Condition) withMember(key string, value []byte) Condition {
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

// jsonText returns the JSON of c, which is {} if c is empty.
func (c Condition) jsonText() []byte {
	if len(c) == 0 {
		return []byte("{}")
	}
	return c
}

// String returns the JSON of c, or "" if c is empty.
func (c Condition) String() string { return string(c) }

// MarshalJSON returns the JSON of c, or null if c is empty.
func (c Condition) MarshalJSON() ([]byte, error) { return json.RawMessage(c).MarshalJSON() }

// UnmarshalJSON sets c to a copy of data.
func (c *Condition) UnmarshalJSON(data []byte) error {
	if c == nil {
		return errors.New("checkrein: UnmarshalJSON on a nil Condition")
	}
	*c = append((*c)[:0], data...)
	return nil
}
