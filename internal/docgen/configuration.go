package docgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/grammar"
	"github.com/checkrein/checkrein/internal/match"
	"github.com/checkrein/checkrein/internal/yamldoc"
)

// A key is one of a file or of a matcher group; their readers have no table
// with words for people.
type key struct {
	name, value, doc string
	schema           object
}

var topLevel = []key{
	{"version", "1", "which grammar the file follows; it must be there", object{{"const", 1}}},
	{"hooks", "a mapping", "the hooks, by event", nil}, // its schema needs the events
	{"include", "a text or a list", "further files, of any dialect, relative to this one; each is trusted no more than this one",
		object{{"anyOf", []any{fileName, list(fileName)}}}},
	{"packs", "a list", "ready-made sets of guards, by name, [] for none; this build has no packs, so a name is a mistake",
		list(object{{"anyOf", []any{
			object{{"type", "string"}},
			object{{"type", "object"}, {"properties", object{{"name", object{{"type", "string"}}}}}, {"required", []string{"name"}}},
		}}})},
	{"settings", "a mapping", "settings.snapshot, true or false, switches on snapshots of the work tree",
		object{{"type", "object"}, {"properties", object{{"snapshot", object{{"type", "boolean"}}}}}, {"additionalProperties", false}}},
	{"project_may_allow", "true or false", "a repository's hook may allow on a foreign host; counts in user and managed files",
		object{{"type", "boolean"}}},
	{"self_approve", "true or false", "approvals may come from inside an agent; counts in user and managed files",
		object{{"type", "boolean"}}},
	{"on_full", "warn or block", "what happens when the ledger cannot be written; counts in user and managed files",
		object{{"enum", []string{checkrein.FaultWarn.String(), checkrein.FaultBlock.String()}}}},
}

var fileName = object{{"type", "string"}, {"minLength", 1}}

var groupKeys = []key{
	{"matcher", "a text", "which tools; on events about a tool", object{{"type", "string"}}},
	{"preempt_yolo", "true or false", "its hooks run also where the host would approve without asking", object{{"type", "boolean"}}},
	{"hooks", "a list", "the entries", nil}, // its schema needs the event
}

func topLevelTable() string { return keysTable(topLevel) }
func groupTable() string    { return keysTable(groupKeys) }

// preemptEvents are those whose groups may have preempt_yolo.
func preemptEvents() string {
	return codes(names(func(c *checkrein.Contract) bool { return classOf(c).preempt }))
}

func keysTable(keys []key) string {
	t := newTable("key", "value", "meaning")
	for _, k := range keys {
		t.row(code(k.name), k.value, prose(k.doc))
	}
	return t.String()
}

// typeDocs say what the hook types run.
var typeDocs = map[string]string{
	"command": "a program: the event as JSON on stdin, the answer by exit code and stdout",
	"builtin": "a function that comes with checkrein, in process",
	"rule":    "a decision for what its condition finds, without a process",
	"http":    "a request that posts the event; needs checkreind",
	"model":   "a model that judges the event; needs checkreind",
}

func typeTable() string {
	t := newTable("type", "what runs", "needs", "told by, where `type` is left out", "in docker-agent files")
	for _, typ := range grammar.Types {
		t.row(code(typ), prose(typeDocs[typ]), codes(needs(typ)), codes(impliedBy(typ)), mark(inAgentFiles(typ)))
	}
	return t.String()
}

// inAgentFiles reports whether docker-agent's grammar has any key of a type.
func inAgentFiles(typ string) bool {
	return slices.ContainsFunc(grammar.Options(), func(o grammar.Option) bool {
		return !o.Native && slices.Contains(o.Types, typ)
	})
}

func optionTable() string {
	t := newTable("key", "value", "meaning", "types", "in docker-agent files")
	for _, o := range grammar.Options() {
		types := "all"
		if o.Types != nil {
			types = codes(o.Types)
		}
		t.row(code(o.Key), optionValue(&o), prose(o.Doc), types, mark(!o.Native))
	}
	return t.String()
}

func optionValue(o *grammar.Option) string {
	if o.Words != nil {
		return codes(o.Words)
	}
	kinds := make([]string, len(o.Kind))
	for i, k := range o.Kind {
		kinds[i] = k.String()
	}
	return strings.Join(kinds, " or ")
}

func conditionTable() string {
	t := newTable("field", "type", "meaning", "on")
	for _, f := range condFields() {
		typ := f.typ
		if typ == "" {
			typ = "any"
		}
		t.row(code(f.name), typ, prose(f.doc), whereCell(f.has))
	}
	return t.String()
}

func operatorTable() string {
	t := newTable("operator", "holds when the field", "takes", "on fields of type")
	match.Operators(func(name, doc string) {
		var types, values []string
		for _, typ := range []string{"string", "number", "boolean"} {
			if takes(name, typ) != nil {
				types = append(types, typ)
			}
		}
		for _, i := range takes(name, "") {
			if v := operands[i].typ; !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		t.row(code(name), prose(doc), strings.Join(values, " or "), strings.Join(types, ", "))
	})
	return t.String()
}

// templateTable lists the options in which fields of the event are filled in.
func templateTable() string {
	t := newTable("key", "of type", "meaning")
	for _, o := range grammar.Options() {
		if strings.Contains(o.Doc, "{{") || strings.Contains(o.Doc, "template") || strings.Contains(o.Doc, "${") {
			t.row(code(o.Key), codes(o.Types), prose(o.Doc))
		}
	}
	return t.String()
}

// configSchema describes checkrein.yaml.
func configSchema() object {
	properties := object{}
	for _, k := range topLevel {
		schema := k.schema
		if k.name == "hooks" {
			schema = hooksSchema()
		}
		properties = append(properties, member{k.name, append(object{{"description", k.doc}}, schema...)})
	}
	return object{
		{"title", "checkrein.yaml"},
		{"description", "checkrein's own configuration file."},
		{"type", "object"},
		{"properties", properties},
		{"required", []string{"version"}},
		{"additionalProperties", false},
		{"$defs", configDefs()},
	}
}

// hooksSchema has exactly the contract's events, and hosts' own.
func hooksSchema() object {
	properties := object{}
	for _, c := range rows() {
		properties = append(properties, member{c.Name, append(object{{"description", sentence(c.When)}}, ref(classOf(&c).name)...)})
	}
	other := checkrein.ContractOf(checkrein.Other)
	native := append(object{{"description", sentence(other.When)}}, ref(classOf(other).name)...)
	return object{
		{"type", []string{"object", "null"}},
		{"properties", properties},
		{"patternProperties", object{{"^native:.", native}}},
		{"additionalProperties", false},
	}
}

// A class is what entries may say on events that permit the same.
type class struct {
	name             string
	matcher, preempt bool
	limits           object // of a hook's keys
}

func classOf(row *checkrein.Contract) class {
	event := row.Name
	if row.Kind == checkrein.Other {
		event = "native:X"
	}
	entry := `"command": "x"`
	c := class{
		matcher: accepts(event, `{`+entry+`, "matcher": "shell"}`),
		preempt: accepts(event, `{"preempt_yolo": true, "hooks": [{`+entry+`}]}`),
	}
	var words []string
	if c.matcher {
		words = append(words, "tool")
	} else {
		c.limits = append(c.limits, member{"matcher", false})
	}
	decisions := []string{checkrein.NoOpinion.String()}
	for d := checkrein.Allow; d <= checkrein.Deny; d++ {
		if v := (checkrein.Verdict{Decision: d}); row.Can(v.Effects()) {
			decisions = append(decisions, d.String())
			words = append(words, d.String())
		}
	}
	if len(decisions) == 1 {
		words = append(words, "observe")
	}
	if d := option("decision"); len(decisions) < len(d.Words) {
		c.limits = append(c.limits, member{"decision", object{{"enum", decisions}}})
	}
	if row.Can(checkrein.CanRewriteInput) {
		words = append(words, "patch")
	} else {
		c.limits = append(c.limits, member{"patch", false})
	}
	if c.preempt {
		words = append(words, "preempt")
	}
	var policies []string
	for _, w := range option("on_error").Words {
		if accepts(event, `{`+entry+`, "on_error": "`+w+`"}`) {
			policies = append(policies, w)
		}
	}
	if len(policies) < len(option("on_error").Words) {
		c.limits = append(c.limits, member{"on_error", object{{"enum", policies}}})
	}
	c.name = strings.Join(words, "_")
	return c
}

func option(key string) *grammar.Option {
	for i := range grammar.Options() {
		if o := &grammar.Options()[i]; o.Key == key {
			return o
		}
	}
	panic(fmt.Sprintf("docgen: the grammar has no option %q", key))
}

func configDefs() object {
	var defs object
	var seen []string
	for _, row := range append(slices.Clone(rows()), *checkrein.ContractOf(checkrein.Other)) {
		c := classOf(&row)
		if slices.Contains(seen, c.name) {
			continue
		}
		seen = append(seen, c.name)
		defs = append(defs, c.defs()...)
	}
	defs = append(defs, member{"hook", hookSchema()}, member{"condition", conditionSchema()})
	for _, t := range []struct{ name, typ string }{{"text", "string"}, {"number", "number"}, {"boolean", "boolean"}, {"any", ""}} {
		defs = append(defs, member{"test_of_" + t.name, testSchema(t.typ)})
	}
	return defs
}

// defs are the entries of a class: one or a list, each a hook or a group.
func (c class) defs() object {
	hook, entry := c.name+"_hook", c.name+"_entry"
	group := object{}
	for _, k := range groupKeys {
		switch {
		case k.name == "matcher" && !c.matcher, k.name == "preempt_yolo" && !c.preempt:
		case k.name == "hooks":
			one := object{{"anyOf", []any{ref(hook), append(list(ref(hook)), member{"minItems", 1})}}}
			group = append(group, member{k.name, append(object{{"description", k.doc}}, one...)})
		default:
			group = append(group, member{k.name, append(object{{"description", k.doc}}, k.schema...)})
		}
	}
	hookDef := ref("hook")
	if len(c.limits) > 0 {
		hookDef = append(hookDef, member{"properties", c.limits})
	}
	return object{
		{c.name, object{{"anyOf", []any{
			object{{"type", "null"}},
			list(ref(entry)),
			append(object{{"type", "object"}}, ref(entry)...),
		}}}},
		{entry, object{
			{"if", object{{"required", []string{"hooks"}}}},
			{"then", object{{"type", "object"}, {"properties", group}, {"additionalProperties", false}}},
			{"else", ref(hook)},
		}},
		{hook, hookDef},
	}
}

// hookSchema is an entry that is a hook.
func hookSchema() object {
	properties := object{}
	for _, o := range grammar.Options() {
		properties = append(properties, member{o.Key, append(object{{"description", o.Doc}}, optionSchema(&o)...)})
	}
	known := []any{object{{"required", []string{"type"}}}}
	var all []any
	for _, typ := range grammar.Types {
		is := []any{object{{"properties", object{{"type", object{{"const", typ}}}}}, {"required", []string{"type"}}}}
		for _, k := range impliedBy(typ) {
			known = append(known, object{{"required", []string{k}}})
			is = append(is, object{{"not", object{{"required", []string{"type"}}}}, {"required", []string{k}}})
		}
		all = append(all, object{{"if", object{{"anyOf", is}}}, {"then", typeSchema(typ)}})
	}
	return object{
		{"type", "object"}, {"properties", properties}, {"additionalProperties", false},
		{"anyOf", known}, {"allOf", all},
	}
}

// typeSchema is what a type adds: what it needs and what it does not know.
func typeSchema(typ string) object {
	var out, not object
	if typ == "builtin" {
		not = append(not, member{"command", object{{"enum", builtinNames()}}})
	}
	for _, o := range grammar.Options() {
		if !knows(&o, typ) {
			not = append(not, member{o.Key, false})
		}
	}
	out = append(out, member{"properties", not})
	if n := needs(typ); n != nil {
		out = append(out, member{"required", n})
	}
	return out
}

// optionSchema is what an option's value may be.
func optionSchema(o *grammar.Option) object {
	scalar := object{{"type", []string{"string", "number", "boolean"}}}
	switch {
	case o.Key == "if":
		return ref("condition")
	case o.Key == "priority":
		return object{{"type", "integer"}, {"minimum", 0}, {"maximum", checkrein.MaxPriority}}
	case o.Key == "timeout":
		return object{{"type", "number"}, {"minimum", 0}, {"maximum", maxTimeout}}
	case o.Words != nil:
		return object{{"enum", o.Words}}
	}
	var kinds []string
	var more object
	for _, k := range o.Kind {
		kinds = append(kinds, map[yamldoc.Kind]string{
			yamldoc.Text: "string", yamldoc.Number: "number", yamldoc.Bool: "boolean", yamldoc.List: "array", yamldoc.Map: "object",
		}[k])
		switch {
		case k == yamldoc.List:
			more = append(more, member{"items", scalar})
		case k == yamldoc.Map && o.With != "patch":
			more = append(more, member{"additionalProperties", scalar})
		}
	}
	if len(kinds) == 1 {
		return append(object{{"type", kinds[0]}}, more...)
	}
	return append(object{{"type", kinds}}, more...)
}

// maxTimeout is a day, in seconds.
const maxTimeout = 24 * 60 * 60

// conditionSchema knows every field of every event; which event has which the
// reader checks.
func conditionSchema() object {
	many := append(list(ref("condition")), member{"minItems", 1})
	properties := object{{"all", many}, {"any", many}, {"not", ref("condition")}}
	patterns := object{}
	for _, f := range condFields() {
		test := ref("test_of_" + map[string]string{"string": "text", "number": "number", "boolean": "boolean", "": "any"}[f.typ])
		if base, ok := strings.CutSuffix(f.name, ".NAME"); ok {
			patterns = append(patterns, member{`^` + base + `\..`, test})
			continue
		}
		properties = append(properties, member{f.name, test})
	}
	return object{
		{"type", "object"}, {"minProperties", 1}, {"properties", properties},
		{"patternProperties", patterns}, {"additionalProperties", false},
	}
}

// testSchema is what may be asked of a field of a type.
func testSchema(typ string) object {
	properties := object{}
	for _, name := range operatorNames() {
		if got := takes(name, typ); got != nil {
			properties = append(properties, member{name, operandSchema(got)})
		}
	}
	return object{{"type", "object"}, {"minProperties", 1}, {"properties", properties}, {"additionalProperties", false}}
}

func operandSchema(accepted []int) object {
	var types, items []string
	for _, i := range accepted {
		o := operands[i]
		if !slices.Contains(types, o.typ) {
			types = append(types, o.typ)
		}
		if o.items != "" {
			items = append(items, o.items)
		}
	}
	out := object{{"type", unlist(types)}}
	if items != nil {
		out = append(out, member{"items", object{{"type", unlist(items)}}}, member{"minItems", 1})
	}
	return out
}

// unlist is the word itself where there is one.
func unlist(words []string) any {
	if len(words) == 1 {
		return words[0]
	}
	return words
}
