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

// Facts that no table has are found by trial: the functions below parse a small file or
// compile a small condition, and look at the result.

// parseEntry parses a file whose only hook is entry, in JSON. It returns the hook and the number of
// errors.
func parseEntry(event, entry string) (checkrein.Hook, int) {
	src := `{"version": 1, "hooks": {"` + event + `": [` + entry + `]}}`
	file, err := native.Dialect.Parse(hookfile.Source{File: "checkrein.yaml", Data: []byte(src)})
	var hook checkrein.Hook
	if len(file.Hooks) > 0 {
		hook = file.Hooks[0]
	}
	return hook, countErrors(err)
}

// countErrors returns the number of errors that err joins.
func countErrors(err error) int {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return len(joined.Unwrap())
	}
	if err != nil {
		return 1
	}
	return 0
}

// accepts reports whether entry is valid on event.
func accepts(event, entry string) bool {
	_, n := parseEntry(event, entry)
	return n == 0
}

// sampleMember returns the option as a JSON member with a valid value.
func sampleMember(o *grammar.Option) string {
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

// probeEvent is the event on which entries are tried, because a hook may return every key there.
const probeEvent = "pre_tool_use"

// impliedBy returns the keys that imply the hook type typ in an entry without the key type.
func impliedBy(typ string) []string {
	var out []string
	for _, o := range grammar.Options() {
		if h, _ := parseEntry(probeEvent, "{"+sampleMember(&o)+"}"); o.Key != "type" && h.Run == typ {
			out = append(out, o.Key)
		}
	}
	return out
}

// requiredKeys returns the keys that a hook of type typ must have: each one reduces the number of
// errors.
func requiredKeys(typ string) []string {
	var out []string
	_, without := parseEntry(probeEvent, `{"type": "`+typ+`"}`)
	for _, o := range grammar.Options() {
		if o.Key == "type" || !hasOption(&o, typ) {
			continue
		}
		if _, with := parseEntry(probeEvent, `{"type": "`+typ+`", `+sampleMember(&o)+`}`); with < without {
			out = append(out, o.Key)
		}
	}
	return out
}

// hasOption reports whether hooks of type typ have the option o.
func hasOption(o *grammar.Option, typ string) bool {
	return o.Types == nil || slices.Contains(o.Types, typ)
}

// compiles reports whether a condition on a field is valid for the event row.
func compiles(row *checkrein.Contract, field, operator, value string) bool {
	_, err := match.CompileCond([]byte(`{"`+field+`": {"`+operator+`": `+value+`}}`), row)
	return err == nil
}

// operands lists the values that operators are tried with.
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
	typ  string // string, number, boolean, or "" for any
	doc  string
	row  *checkrein.Contract // an event that has it
	on   map[string]bool     // the events that have it
}

// condFields returns the fields of all events, ordered by sets, so that fields of more events come
// first.
var condFields = sync.OnceValue(findCondFields)

func findCondFields() []*condField {
	var out []*condField
	for i := range eventRows() {
		row := &eventRows()[i]
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
		for i, s := range eventSets {
			if slices.Equal(eventNames(f.isOn), eventNames(s.is)) {
				return i
			}
		}
		return len(eventSets)
	}
	slices.SortStableFunc(out, func(a, b *condField) int { return rank(a) - rank(b) })
	return out
}

// isOn reports whether the event c has the field.
func (f *condField) isOn(c *checkrein.Contract) bool { return f.on[c.Name] }

// condType returns the type of a field, found by trying operators on it.
func condType(row *checkrein.Contract, name string) string {
	name = strings.ReplaceAll(name, "NAME", "x")
	text, number := compiles(row, name, "contains", `"x"`), compiles(row, name, "gt", "1")
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

// condDocs describes the fields that are not members of the payload.
var condDocs = map[string]string{
	"event":           "the event; for a host's own event, its name",
	"host":            "the host that fired it; native if there is none",
	"agent":           "the agent that is at work",
	"tool_input.NAME": "an argument of the tool, by any host's name for it; a dot goes deeper",
	"command":         "the command lines in the arguments of any tool; a list of words is quoted",
	"paths":           "the files and directories that the tool's arguments name, those that what it runs affects, and those that its commands name: in redirections, in arguments that the program takes as files or that exist, and in strings of code. If no effect is on a path, also where the command runs. Files in a directory that is named are not among them: grep -r x . names only the directory. A test holds for a path as it is written, in full, from the session's directory and the project's, from ~, and where links lead; a rule that allows needs it as it is written and where links lead, and counts no path that a command only names",
	"effects":         "what the commands, code and statements among the arguments of any tool do, and its deletions: of each effect the label (safe, unknown, destructive, exfiltration), the verb (delete) and the category (fs-delete)",
	"radius":          "how far the worst of these effects reaches: low, medium, high or unknown",
	"response":        "what the model answered",
}

// condDoc returns the description of a field, or "" if it has none.
func condDoc(name string) string {
	if doc, ok := condDocs[name]; ok {
		return doc
	}
	if f, ok := fields.Find(name); ok {
		return f.Doc
	}
	return ""
}

// validOperands returns the indexes of the operands that operator accepts on a field of type typ, or
// nil if there is no such field.
func validOperands(operator, typ string) []int {
	var out []int
	for _, f := range condFields() {
		if f.typ != typ {
			continue
		}
		for i, o := range operands {
			if compiles(f.row, strings.ReplaceAll(f.name, "NAME", "x"), operator, o.value) {
				out = append(out, i)
			}
		}
		return out
	}
	return nil
}

// operatorNames returns the names of all operators.
func operatorNames() []string {
	var out []string
	match.EachOperator(func(name, _ string) { out = append(out, name) })
	return out
}
