package docgen

import (
	"encoding/json"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect/native"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/handler/fallback"
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
		{"description", "The payload that a hook reads on stdin. Empty members are left out, and there may be others. " +
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
	decision := object{{"enum", decided()}, {"description", "absent if no hook decided: the host continues as it would without hooks"}}
	shape := func(required []string, properties object) object {
		out := object{{"type", "object"}, {"properties", properties}}
		if required != nil {
			out = append(out, member{"required", required})
		}
		return append(out, member{"additionalProperties", false})
	}
	return append(object{
		{"title", "Verdict"},
		{"description", "What checkrein eval --json prints. A member is absent if no hook asked for it."},
	}, append(shape(nil, object{
		{"event", object{{"enum", append(eventNames(), checkrein.Other.String())}, {"description", "the event, if a host's payload is several events: one JSON line for each"}}},
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
			{"reason", text("what the agent continues with")},
			{"attempt", count("the number of this attempt in the turn")},
			{"limit", count("how many attempts there are")},
		})},
		{"summary", text("the summary to use")},
		{"metadata", object{{"type", "object"}, {"additionalProperties", object{{"type", "string"}}}, {"description", "text for the question to the user"}}},
		{"dropped", append(list(ref("dropped")), member{"description", "what hooks asked for that has no effect"})},
		{"ignored", texts("parts of the answers that had no meaning, by hook")},
		{"canceled", flag("the caller gave up before all hooks had answered")},
		{"steps", append(list(ref("step")), member{"description", "one for each hook"})},
		{"why", append(list(ref("why")), member{"description", "for each hook of the event, why it was asked or not; only with --explain"})},
	}), member{"$defs", object{
		{"effect", object{{"enum", checkrein.AllEffects.Words()}}},
		{"dropped", shape([]string{"effect", "why"}, object{
			{"hook", text("who asked")},
			{"effect", ref("effect")},
			{"why", text("why not")},
		})},
		{"why", shape([]string{"hook", "holds"}, object{
			{"hook", text("the hook's name")},
			{"origin", text("where it is declared, as file:line")},
			{"holds", object{{"type", "boolean"}, {"description", "all of its parts hold, so the hook is asked"}}},
			{"off", text("why it does not run on any event")},
			{"fault", text("what is wrong with its conditions")},
			{"parts", list(ref("part"))},
		})},
		{"part", shape([]string{"name", "holds"}, object{
			{"name", text("event, matcher, arguments, payload or a field; all, any or not, which have parts")},
			{"op", text("how it was compared, for instance regex")},
			{"want", texts("what it was compared with; one of them would do")},
			{"seen", texts("the values that were compared, without secrets; long ones are cut")},
			{"hit", count("which of them it held for")},
			{"holds", object{{"type", "boolean"}}},
			{"fix", text("the change that would make it hold, if that is clear")},
			{"parts", list(ref("part"))},
		})},
		{"step", shape([]string{"hook", "event", "scope"}, object{
			{"hook", text("the hook's name")},
			{"event", object{{"enum", append(eventNames(), checkrein.Other.String())}}},
			{"type", object{{"enum", append(grammar.Types[:], fallback.Name)}, {"description", "judge is that of the setting; absent when the hook's declaration is wrong"}}},
			{"scope", object{{"enum", scopes()}}},
			{"origin", text("where it is declared, as file:line")},
			{"also", texts("where else the same is declared")},
			{"match", text("its matcher")},
			{"stage", count("hooks of one stage run at the same time")},
			{"skipped", text("why it did not run")},
			{"unmet", flag("its condition was not met; listed only with --explain")},
			{"detached", flag("it runs in the background and cannot decide")},
			{"ms", object{{"type", "number"}, {"minimum", 0}, {"description", "how long it took, in milliseconds"}}},
			{"fault", text("why it could not answer")},
			{"decision", object{{"enum", decided()}}},
			{"reason", text("why")},
			{"effects", list(ref("effect"))},
			{"rejudged", flag("it judged again, after a rewrite")},
			{"stale", flag("the call was rewritten after it had answered")},
			{"lifted", append(shape([]string{"grant", "decision"}, object{
				{"grant", text("the grant that did")},
				{"decision", object{{"enum", decided()}}},
				{"reason", text("why it was decided so")},
			}), member{"description", "its decision, which a user's grant lifted"})},
			{"passed", append(shape([]string{"by"}, object{{"by", text("the hook that did")}, {"reason", text("what was asked")}}), member{"description", "a question, because something is not known, that a judge passed over"})},
			{"dropped", list(ref("dropped"))},
			{"ignored", texts("parts of its answer that had no meaning")},
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
