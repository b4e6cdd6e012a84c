package docgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

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
	switch {
	case o.Key == "if":
		return ref("condition")
	case o.Key == "sandbox":
		return mapping(sandboxKeys)
	case o.Key == "priority":
		return object{{"type", "integer"}, {"minimum", 0}, {"maximum", checkrein.MaxPriority}}
	case o.Key == "timeout":
		return object{{"type", []string{"number", "string"}}, {"minimum", 0}, {"maximum", maxTimeout}, {"pattern", "^[0-9.]+([0-9.]|ns|us|µs|ms|s|m|h)*$"}}
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
