package docgen

import (
	"slices"
	"strings"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/fields"
	"github.com/checkrein/checkrein/internal/hook/dialect/native"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// What no table says is found by asking: a small file is given to the reader,
// a small condition to the compiler, and what they make of it is the answer.

// parse reads a file whose only entry is given as JSON. It returns the hook
// and how many mistakes were found.
func parse(event, entry string) (checkrein.Hook, int) {
	src := `{"version": 1, "hooks": {"` + event + `": [` + entry + `]}}`
	file, err := native.Dialect.Parse(hookfile.Source{File: "checkrein.yaml", Data: []byte(src)})
	var hook checkrein.Hook
	if len(file.Hooks) > 0 {
		hook = file.Hooks[0]
	}
	return hook, mistakes(err)
}

func mistakes(err error) int {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return len(joined.Unwrap())
	}
	if err != nil {
		return 1
	}
	return 0
}

// accepts reports whether an entry is right on an event.
func accepts(event, entry string) bool {
	_, n := parse(event, entry)
	return n == 0
}

// sample writes an option with a value that it may have.
func sample(o *grammar.Option) string {
	value := map[yamldoc.Kind]string{
		yamldoc.Text: `"x"`, yamldoc.Number: "1", yamldoc.Bool: "true", yamldoc.List: `["x"]`, yamldoc.Map: `{"x": "x"}`,
	}[o.Kind[0]]
	switch {
	case o.Words != nil:
		value = `"` + o.Words[0] + `"`
	case o.Key == "if":
		value = `{"event": {"is": "x"}}`
	}
	return `"` + o.Key + `": ` + value
}

// probed is the event on which entries are tried: a hook there may say
// everything.
const probed = "pre_tool_use"

// impliedBy lists the keys that tell a type where none is given.
func impliedBy(typ string) []string {
	var out []string
	for _, o := range grammar.Options() {
		if h, _ := parse(probed, "{"+sample(&o)+"}"); o.Key != "type" && h.Run == typ {
			out = append(out, o.Key)
		}
	}
	return out
}

// needs lists the keys that a type cannot do without: those whose presence
// makes one mistake less.
func needs(typ string) []string {
	var out []string
	_, without := parse(probed, `{"type": "`+typ+`"}`)
	for _, o := range grammar.Options() {
		if o.Key == "type" || !knows(&o, typ) {
			continue
		}
		if _, with := parse(probed, `{"type": "`+typ+`", `+sample(&o)+`}`); with < without {
			out = append(out, o.Key)
		}
	}
	return out
}

// knows reports whether a hook type has an option.
func knows(o *grammar.Option, typ string) bool {
	return o.Types == nil || slices.Contains(o.Types, typ)
}

// holds reports whether a condition can be asked on a row.
func holds(row *checkrein.Contract, field, operator, value string) bool {
	_, err := match.CompileCond([]byte(`{"`+field+`": {"`+operator+`": `+value+`}}`), row)
	return err == nil
}

// operands are the values that operators are tried with.
var operands = []struct{ typ, items, value string }{
	{"string", "", `"x"`},
	{"number", "", `1`},
	{"boolean", "", `true`},
	{"array", "string", `["x"]`},
	{"array", "number", `[1]`},
	{"array", "boolean", `[true]`},
}

// A condField is a field that conditions may use.
type condField struct {
	name string
	typ  string // string, number, boolean or "" for any
	doc  string
	row  *checkrein.Contract // one that has it
	on   map[string]bool     // the events that have it
}

// condFields returns the fields of all events, those of the most events first.
var condFields = sync.OnceValue(findCondFields)

func findCondFields() []*condField {
	var out []*condField
	for i := range rows() {
		row := &rows()[i]
		list := match.FieldNames(row)
		if row.Text != "" {
			list = append(list, row.Text)
		}
		for _, name := range list {
			at := slices.IndexFunc(out, func(f *condField) bool { return f.name == name })
			if at < 0 {
				out = append(out, &condField{name: name, typ: condType(row, name), doc: condDoc(name), row: row, on: map[string]bool{}})
				at = len(out) - 1
			}
			out[at].on[row.Name] = true
		}
	}
	rank := func(f *condField) int {
		for i, s := range sets {
			if slices.Equal(names(f.has), names(s.is)) {
				return i
			}
		}
		return len(sets)
	}
	slices.SortStableFunc(out, func(a, b *condField) int { return rank(a) - rank(b) })
	return out
}

func (f *condField) has(c *checkrein.Contract) bool { return f.on[c.Name] }

// condType finds a field's type by what can be asked of it.
func condType(row *checkrein.Contract, name string) string {
	name = strings.ReplaceAll(name, "NAME", "x")
	text, number := holds(row, name, "contains", `"x"`), holds(row, name, "gt", "1")
	switch {
	case text && number:
		return ""
	case text:
		return "string"
	case number:
		return "number"
	}
	return "boolean"
}

// condDocs describe the fields that are no members of the payload.
var condDocs = map[string]string{
	"event":           "the event; for a host's own event, its name",
	"host":            "the host that fired it; native if there is none",
	"agent":           "the agent that is at work",
	"tool_input.NAME": "an argument of the tool, by any host's name for it; a dot goes deeper",
	"command":         "the command lines in the arguments of any tool; a list of words is quoted",
	"paths":           "the files that the tool's arguments name, and those that what it runs touches; of a command that names none, where it runs. A test holds for a path as it is written, in full, from the session's directory, from ~, and where links lead; a rule that allows needs it as it is written and where links lead",
	"effects":         "what the commands, code and statements among the arguments of any tool do, and its deletions: of each effect the label (safe, unknown, destructive, exfiltration), the verb (delete) and the category (fs-delete)",
	"radius":          "how far the worst of these effects reaches: low, medium, high or unknown",
	"response":        "what the model answered",
}

func condDoc(name string) string {
	if doc, ok := condDocs[name]; ok {
		return doc
	}
	if f, ok := fields.Find(name); ok {
		return f.Doc
	}
	return ""
}

// takes lists what an operator may compare a field of a type with.
func takes(operator, typ string) []int {
	var out []int
	for _, f := range condFields() {
		if f.typ != typ {
			continue
		}
		for i, o := range operands {
			if holds(f.row, strings.ReplaceAll(f.name, "NAME", "x"), operator, o.value) {
				out = append(out, i)
			}
		}
		return out
	}
	return nil
}

// operatorNames lists the operators.
func operatorNames() []string {
	var out []string
	match.EachOperator(func(name, _ string) { out = append(out, name) })
	return out
}
