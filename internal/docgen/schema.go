package docgen

import (
	"encoding/json"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/dialect/native"
	"github.com/checkrein/checkrein/internal/grammar"
)

func eventNames() []string { return names(every) }

// inputSchema describes the payload that a hook reads.
func inputSchema() object {
	properties := object{}
	for _, name := range checkrein.CommonFields() {
		schema := ref(name)
		if name == "hook_event_name" {
			schema = append(schema, member{"enum", eventNames()})
		}
		properties = append(properties, member{name, schema})
	}
	var all []any
	for _, c := range rows() {
		fields := ownFields(&c)
		if aboutTool(&c) {
			fields = append(checkrein.ToolFields(), fields...)
		}
		if len(fields) == 0 {
			continue
		}
		then := object{}
		for _, name := range fields {
			then = append(then, member{name, ref(name)})
		}
		all = append(all, object{
			{"if", object{{"properties", object{{"hook_event_name", object{{"const", c.Name}}}}}}},
			{"then", object{{"properties", then}}},
		})
	}
	return object{
		{"title", "Hook input"},
		{"description", "The payload that a hook reads on stdin. Members that are empty are left out, and there may be more. " +
			"`checkrein eval` takes the same, and other systems' names as well. A host's own event (native:NAME) has no row and no schema."},
		{"type", "object"},
		{"properties", properties},
		{"required", alwaysSent()},
		{"allOf", all},
		{"$defs", fieldDefs()},
	}
}

// alwaysSent lists the members that even an empty event's payload has.
func alwaysSent() []string {
	var payload map[string]json.RawMessage
	body, err := native.Dialect.Encode(checkrein.Event{})
	if err == nil {
		err = json.Unmarshal(body, &payload)
	}
	if err != nil {
		panic(err) // the payload is an object
	}
	return slices.DeleteFunc(checkrein.CommonFields(), func(name string) bool { return payload[name] == nil })
}

// fieldDefs are the payload's vocabulary.
func fieldDefs() object {
	var out object
	for _, f := range checkrein.Fields() {
		schema := object{{"description", f.Doc}}
		if f.Type != checkrein.AnyValue {
			schema = append(object{{"type", f.Type.String()}}, schema...)
		}
		out = append(out, member{f.Name, schema})
	}
	return out
}

// verdictSchema describes what `eval --json` prints. The printer has no table;
// a test holds the two together.
func verdictSchema() object {
	text := func(doc string) object { return object{{"type", "string"}, {"description", doc}} }
	texts := func(doc string) object { return append(list(object{{"type", "string"}}), member{"description", doc}) }
	flag := func(doc string) object { return object{{"const", true}, {"description", doc}} }
	count := func(doc string) object { return object{{"type", "integer"}, {"minimum", 1}, {"description", doc}} }
	decision := object{{"enum", decided()}, {"description", "absent when no hook decided: the host goes on as it would"}}
	shape := func(required []string, properties object) object {
		out := object{{"type", "object"}, {"properties", properties}}
		if required != nil {
			out = append(out, member{"required", required})
		}
		return append(out, member{"additionalProperties", false})
	}
	return append(object{
		{"title", "Verdict"},
		{"description", "What checkrein eval --json prints. What is absent was not asked for."},
	}, append(shape(nil, object{
		{"decision", decision},
		{"reason", text("why")},
		{"card", shape([]string{"sentence"}, object{
			{"sentence", text("the reason as a sentence")},
			{"command", text("the command or payload that it is about")},
		})},
		{"updated_input", object{{"type", "object"}, {"description", "the tool's arguments after all rewrites, complete"}}},
		{"updated_output", object{{"description", "the tool's output, or the text, after all rewrites"}}},
		{"updated_messages", object{{"type", "array"}, {"description", "the conversation after all rewrites"}}},
		{"context", texts("what to tell the model")},
		{"notices", texts("what to tell the person")},
		{"halt", flag("the turn ends")},
		{"redo", shape([]string{"reason", "attempt", "limit"}, object{
			{"reason", text("what the agent goes on with")},
			{"attempt", count("which time this is in the turn")},
			{"limit", count("how many times there are")},
		})},
		{"summary", text("the summary to use")},
		{"metadata", object{{"type", "object"}, {"additionalProperties", object{{"type", "string"}}}, {"description", "texts for the question to the person"}}},
		{"dropped", append(list(ref("dropped")), member{"description", "what hooks asked for and nobody will do"})},
		{"ignored", texts("what in the answers had no meaning, by hook")},
		{"canceled", flag("the caller gave up before all hooks had answered")},
		{"steps", append(list(ref("step")), member{"description", "one for each hook"})},
	}), member{"$defs", object{
		{"effect", object{{"enum", checkrein.AllEffects.Words()}}},
		{"dropped", shape([]string{"effect", "why"}, object{
			{"hook", text("who asked")},
			{"effect", ref("effect")},
			{"why", text("why not")},
		})},
		{"step", shape([]string{"hook", "event", "scope"}, object{
			{"hook", text("the hook's name")},
			{"event", object{{"enum", append(eventNames(), checkrein.Other.String())}}},
			{"type", object{{"enum", grammar.Types[:]}, {"description", "absent when the hook's declaration is wrong"}}},
			{"scope", object{{"enum", scopes()}}},
			{"origin", text("where it is declared, as file:line")},
			{"also", texts("where else the same is declared")},
			{"match", text("its matcher")},
			{"stage", count("hooks of one stage run at the same time")},
			{"skipped", text("why it did not run")},
			{"unmet", flag("its condition did not hold; listed with --explain only")},
			{"detached", flag("it runs beside and cannot decide")},
			{"ms", object{{"type", "number"}, {"minimum", 0}, {"description", "how long it took, in milliseconds"}}},
			{"fault", text("why it could not answer")},
			{"decision", object{{"enum", decided()}}},
			{"reason", text("why")},
			{"effects", list(ref("effect"))},
			{"rejudged", flag("it judged once more, after a rewrite")},
			{"stale", flag("the subject was rewritten after it had answered")},
			{"dropped", list(ref("dropped"))},
			{"ignored", texts("what in its answer had no meaning")},
			{"raw", text("what it printed; with --explain only")},
			{"log", text("what it logged; with --explain only")},
		})},
	}})...)
}

func decided() []string {
	return []string{checkrein.Allow.String(), checkrein.Ask.String(), checkrein.Deny.String()}
}

func scopes() []string {
	var out []string
	for s := checkrein.ScopeManaged; s <= checkrein.ScopeProject; s++ {
		out = append(out, s.String())
	}
	return out
}
