package analysis

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/automaton"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// exampleDir is the directory of the sessions of examples.
const exampleDir = "/work"

// maxExamples limits the commands that are tried as examples of effects.
const maxExamples = 12

// example returns an event that confirm accepts, of those outside of rules for which the goals hold.
// Fields that depend on each other may not have the values of a model together, so several models are
// tried, first of calls with one command.
func (s *space) example(p *Policy, confirm func(checkrein.Event) bool, rules []*rule, goals ...goal) *checkrein.Event {
	defer func() { s.solver.single, s.solver.backwards = false, false }()
	for _, s.solver.single = range []bool{true, false} {
		for _, s.solver.backwards = range []bool{false, true} {
			m, _, got := s.solver.solveOutside(rules, goals...)
			if got != automaton.Found {
				continue
			}
			for _, ev := range s.events(m, p.Commands) {
				for _, ev := range p.possible(ev) {
					if confirm(ev) {
						return &ev
					}
				}
			}
		}
	}
	return nil
}

// events returns events that may have the values of m.
func (s *space) events(m *model, commands func() []Command) []checkrein.Event {
	out := []checkrein.Event{s.event(m, "")}
	if tool := out[0].Tool; tool != nil && tool.Name == "shell" { // perhaps only because no test requires a name
		other := out[0]
		other.Tool = &checkrein.Tool{Name: "example", Input: tool.Input, Output: tool.Output, Failed: tool.Failed}
		out = append(out, other)
	}
	if s.compiler.row.Subject == checkrein.SubjectTool && commands != nil && m.testsActs() {
		for _, c := range commands() {
			if len(out) <= maxExamples && m.fits(&c) {
				out = append(out, s.event(m, c.Text))
			}
		}
	}
	return out
}

// possible returns the events like ev that can occur: of agents that exist, and of tools whose names have
// the meaning that they have in ev.
func (p *Policy) possible(ev checkrein.Event) []checkrein.Event {
	list := []checkrein.Event{ev}
	if t := ev.Tool; t != nil && tools.CanonicalTool(t.Name) != t.Canonical {
		named, meant := *t, *t
		named.Canonical, meant.Name = tools.CanonicalTool(t.Name), t.Canonical
		other := ev
		list[0].Tool, other.Tool = &named, &meant
		list = append(list, other)
	}
	if len(p.Hosts) == 0 || ev.Host == "" || slices.Contains(p.Hosts, ev.Host) {
		return list
	}
	var out []checkrein.Event
	for _, host := range append([]string{""}, p.Hosts...) {
		for _, e := range list {
			e.Host = host
			out = append(out, e)
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
	ev := checkrein.Event{Kind: s.kind}
	if s.compiler.fields["cwd"] == nil { // otherwise a test may depend on whether there is one
		ev.Session.Dir = exampleDir
	}
	row := s.compiler.row
	if row.Subject == checkrein.SubjectTool {
		ev.Tool = &checkrein.Tool{Input: json.RawMessage("{}")}
	}
	arguments := map[string]any{}
	var order []*field
	for f := range m.values {
		order = append(order, f)
	}
	slices.SortFunc(order, func(a, b *field) int { return strings.Compare(b.name, a.name) }) // arguments before what is derived from them
	for _, f := range order {
		if elements := m.values[f]; len(elements) > 0 {
			setField(&ev, f, m.texts(f, elements), arguments)
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
		ev.Tool.Name = cmp.Or(ev.Tool.Canonical, defaultTool(arguments))
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
	case matcherField:
		ev.Tool.Name = cmp.Or(ev.Tool.Name, first)
	case "tool_error":
		ev.Tool.Failed = first == "true"
	case "tool_response":
		ev.Tool.Output = rawjson.Quote(first)
	case "command":
		addArguments(arguments, values, "command", "cmd", "script")
	case "paths":
		addArguments(arguments, values, "path", "destination", "target_file")
	case argumentsField, payloadField:
		arguments["text"] = strings.Join(values, "\n")
	case "effects", "radius":
	case row.Text, "prompt", "response", "message":
		ev.Text = first
	default:
		setMember(ev, f, values, arguments)
	}
}

// addArguments adds values under those of names that are free, as far as there are enough of them.
func addArguments(arguments map[string]any, values []string, names ...string) {
	for _, name := range names {
		if len(values) > 0 && arguments[name] == nil {
			arguments[name], values = values[0], values[1:]
		}
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
	if f.numeric || f.boolean {
		value = json.RawMessage(values[0])
	}
	if body, err := json.Marshal(value); err == nil {
		ev.Details = append(ev.Details, checkrein.Detail{Name: f.name, Value: body})
	}
}
