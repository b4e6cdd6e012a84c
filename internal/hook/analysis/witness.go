package analysis

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// exampleDir is the directory of the sessions of examples.
const exampleDir = "/work"

// maxExamples limits the commands that are tried as examples of effects.
const maxExamples = 12

// events returns events that may have the values of m. The engine must confirm that they do, because
// fields that depend on each other may not have these values together.
func (s *space) events(m *model, commands func() []Command) []checkrein.Event {
	out := []checkrein.Event{s.event(m, "")}
	if s.compiler.row.Subject == checkrein.SubjectTool && commands != nil && m.testsActs() {
		for _, c := range commands() {
			if len(out) <= maxExamples && m.fits(&c) {
				out = append(out, s.event(m, c.Text))
			}
		}
	}
	return out
}

// testsActs reports whether m depends on what a command does.
func (m *model) testsActs() bool {
	for f := range m.values {
		if f.name == "effects" || f.name == "radius" || f.name == "paths" {
			return true
		}
	}
	return false
}

// fits reports whether the tests of the command, its effects and its impact have on c the truth values
// that they have in m.
func (m *model) fits(c *Command) bool {
	for a, holds := range m.holds {
		var values []string
		switch a.field.name {
		case "command":
			values = []string{c.Text}
		case "effects":
			values = c.Acts.Effects
		case "radius":
			values = []string{c.Acts.Radius}
		default:
			continue
		}
		got := slices.ContainsFunc(values, func(v string) bool {
			e := element{parts: [numViews]string{asText: v}}
			return v != "" && (a.exists || a.test(&e))
		})
		if got != holds {
			return false
		}
	}
	return true
}

// event returns the event with the values of m. If command is not "", it is the call of that command.
func (s *space) event(m *model, command string) checkrein.Event {
	ev := checkrein.Event{Kind: s.kind, Session: checkrein.Session{ID: "example", Dir: exampleDir}}
	row := s.compiler.row
	if row.Subject == checkrein.SubjectTool {
		ev.Tool = &checkrein.Tool{Input: json.RawMessage("{}")}
	}
	arguments := map[string]any{}
	var order []*field
	for f := range m.values {
		order = append(order, f)
	}
	slices.SortFunc(order, func(a, b *field) int { return strings.Compare(a.name, b.name) })
	for _, f := range order {
		if elements := m.values[f]; len(elements) > 0 {
			setField(&ev, f, m.texts(f, elements), arguments)
		} else if f.name == "cwd" {
			ev.Session.Dir = ""
		} else if f.name == "session_id" {
			ev.Session.ID = ""
		}
	}
	if ev.Tool == nil {
		return ev
	}
	if command != "" {
		arguments["command"] = command
	}
	ev.Tool.Input, _ = json.Marshal(arguments) // strings and lists always encode
	if ev.Tool.Name == "" {
		ev.Tool.Name = defaultTool(arguments)
	}
	if ev.Tool.Canonical == "" {
		ev.Tool.Canonical = tools.CanonicalTool(ev.Tool.Name)
	}
	return ev
}

// defaultTool returns the name of a tool that has such arguments.
func defaultTool(arguments map[string]any) string {
	for _, row := range []struct{ argument, tool string }{{"command", "shell"}, {"path", "read"}} {
		if arguments[row.argument] != nil {
			return row.tool
		}
	}
	return "shell"
}

// texts returns the elements of f as texts.
func (m *model) texts(f *field, elements []element) []string {
	out := make([]string, len(elements))
	for i := range elements {
		e := &elements[i]
		out[i] = e.parts[asText]
		switch {
		case e.set[asText] || e.set[asNumber]:
		case e.set[asAbs]:
			out[i] = e.parts[asAbs]
		case e.set[asHome]:
			out[i] = "~/" + e.parts[asHome]
		case e.set[asRel]:
			out[i] = e.parts[asRel]
		}
	}
	if f.name == "paths" { // tests of directories have no automaton, so their operands are tried
		for a, holds := range m.holds {
			if a.field == f && holds && a.op == "under" {
				return []string{strings.TrimSuffix(a.want[0], "/") + "/x"}
			} else if a.field == f && holds && a.op == "outside" {
				return []string{"/elsewhere/x"}
			}
		}
	}
	return out
}

// setField sets the value of the field f in ev, or in the arguments of its tool.
func setField(ev *checkrein.Event, f *field, values []string, arguments map[string]any) {
	first := values[0]
	row := checkrein.ContractOf(ev.Kind)
	switch f.name {
	case "event":
		if ev.Kind == checkrein.Other {
			ev.Native = first
		}
	case "host":
		ev.Host = first
	case "session_id":
		ev.Session.ID = first
	case "cwd":
		ev.Session.Dir = first
	case "agent":
		ev.Session.Agent = first
	case "tool_name":
		ev.Tool.Name = first
	case "tool":
		ev.Tool.Canonical = first
		if ev.Tool.Name == "" {
			ev.Tool.Name = first
		}
	case matcherField:
		if ev.Tool != nil && ev.Tool.Name == "" {
			ev.Tool.Name = first
		}
	case "tool_error":
		ev.Tool.Failed = first == "true"
	case "tool_response":
		ev.Tool.Output = rawjson.Quote(first)
	case "command":
		for i, name := range []string{"command", "cmd", "script"} {
			if i < len(values) {
				arguments[name] = values[i]
			}
		}
	case "paths":
		for i, name := range []string{"path", "destination", "target_file"} {
			if i < len(values) {
				arguments[name] = values[i]
			}
		}
	case argumentsField, payloadField:
		arguments["text"] = strings.Join(values, "\n")
	case "effects", "radius":
	case row.Text, "prompt", "response", "message":
		ev.Text = first
	default:
		setMember(ev, f, values, arguments)
	}
}

// setMember sets an argument of the tool or a member of the payload.
func setMember(ev *checkrein.Event, f *field, values []string, arguments map[string]any) {
	var value any = values[0]
	if len(values) > 1 {
		value = values
	}
	if dotted, ok := strings.CutPrefix(f.name, "tool_input."); ok {
		keys := strings.Split(dotted, ".")
		for _, key := range keys[:len(keys)-1] {
			inner, ok := arguments[key].(map[string]any)
			if !ok {
				inner = map[string]any{}
				arguments[key] = inner
			}
			arguments = inner
		}
		arguments[keys[len(keys)-1]] = value
		return
	}
	if f.numeric || f.domain == trueFalse {
		value = json.RawMessage(values[0])
	}
	if body, err := json.Marshal(value); err == nil {
		ev.Details = append(ev.Details, checkrein.Detail{Name: f.name, Value: body})
	}
}
