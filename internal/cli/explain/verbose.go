package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/record"
)

// engine tells how the engine got there: stages, merge and clamp, the facts that it
// went by, and the reply to the letter.
func (s *story) engine(out *report.Report, r *record.Record) {
	PrintEvent(out, r, s.now.policy)
	s.stages(out, r)
	PrintFacts(out, r.Facts)
	s.merge(out)
	s.clamp(out)
	s.printReply(out, r)
}

// FullTime is a time in full, for people.
const FullTime = "2006-01-02 15:04:05.000 MST"

// PrintEvent writes what happened.
func PrintEvent(p *report.Report, r *record.Record, now string) {
	p.Section("The event")
	p.Item("event", eventText(r))
	p.Item("agent", r.Host)
	p.Item("foreign", foreignText(r))
	p.Item("session", strings.TrimSuffix(r.Session+", of "+r.Agent, ", of "))
	p.Code("directory", r.Dir)
	if r.Root != r.Dir {
		p.Code("root", r.Root)
	}
	p.Item("tool", toolText(r.Tool))
	if sub := r.Subject; sub != nil {
		p.Code("input", records.PartText(sub.Input))
		p.Code("output", records.PartText(sub.Output))
		p.Item("text", records.PartText(sub.Text))
		p.Code("messages", records.PartText(sub.Messages))
	}
	p.Item("policy", policyText(r, now))
	p.Item("packs off", strings.Join(r.Off, ", "))
	p.Item("handle", r.Handle)
	if r.Shadow {
		p.Item("shadow", "yes: the decision was recorded, but not enforced")
	}
	p.Item("held back", strings.Join(r.Held, ", "))
	p.Item("program", r.Program)
}

// policyText is the digest of what was in force, and whether that is so now; "" = that is
// not known.
func policyText(r *record.Record, now string) string {
	switch {
	case now == "" || r.Policy == "":
		return r.Policy
	case now == r.Policy:
		return r.Policy + ", still in force"
	}
	return r.Policy + "; now in force: " + now
}

// foreignText says from whom an event came that is not of its session's host.
func foreignText(r *record.Record) string {
	if !r.Foreign {
		return ""
	}
	text := "yes: the event did not come from the session's agent, so it changed nothing that checkrein remembers about the session"
	if len(r.Caller) > 0 {
		text += "; it came from " + strings.Join(r.Caller, ", below ")
	}
	return text
}

func eventText(r *record.Record) string {
	text := r.Event
	if r.Native != "" && r.Native != r.Event {
		text += ", which the agent calls " + r.Native
	}
	if kind, ok := checkrein.KindOf(r.Event); ok {
		text += ": " + checkrein.ContractOf(kind).When
	}
	return text
}

func toolText(t *record.Tool) string {
	if t == nil {
		return ""
	}
	text := t.Name
	if t.Canonical != "" && t.Canonical != t.Name {
		text += " (" + t.Canonical + ")"
	}
	if t.CallID != "" {
		text += ", call " + t.CallID
	}
	if t.Failed {
		text += ", which failed"
	}
	return text
}

// kinds are what people call the types of hooks.
func typeText(kind string) string {
	switch kind {
	case "":
		return "an unreadable hook"
	case "http":
		return "an http hook"
	}
	return "a " + kind
}

// KindText is what kind of hook it is and where it comes from. One that no file names is on
// by default.
func KindText(h *HookStory) string {
	switch {
	case h.Type == "builtin" && h.Origin == h.Scope:
		return "built in"
	case h.Type == "builtin":
		return "built in, named in " + h.Origin
	case h.Origin == h.Scope:
		return typeText(h.Type) + " " + scopeText(h.Scope)
	}
	return typeText(h.Type) + " " + scopeText(h.Scope) + ", " + h.Origin
}

func scopeText(scope string) string {
	switch scope {
	case checkrein.ScopeManaged.String():
		return "from your administrator"
	case checkrein.ScopeUser.String():
		return "from your own files"
	case checkrein.ScopeProject.String():
		return "from the project"
	case checkrein.ScopeFlag.String():
		return "from the command line"
	}
	return scope
}

func (s *story) stages(out *report.Report, r *record.Record) {
	for _, stage := range s.Stages {
		if stage.Stage > 0 {
			out.Section(fmt.Sprintf("Stage %d", stage.Stage))
		} else {
			out.Section("In the background")
		}
		for i := range stage.Hooks {
			printHook(out, &stage.Hooks[i])
		}
	}
	if len(s.Stages) == 0 {
		out.Section("The hooks")
		out.Point(1, "no hook ran")
	}
	PrintUnmet(out, s.Unmet)
	if r.More > 0 {
		out.Point(1, base.Amount(r.More, "more hook")+" planned, but not listed in the record")
	}
	if r.Canceled {
		out.Point(1, "the agent gave up before all hooks had answered")
	}
}

// PrintUnmet names the hooks that had nothing to say about this very event.
func PrintUnmet(p *report.Report, hooks []string) {
	if len(hooks) > 0 {
		p.Point(1, "condition did not match: "+records.Quoted(hooks))
	}
}

func printHook(p *report.Report, h *HookStory) {
	line := fmt.Sprintf("%q, %s", h.Hook, KindText(h))
	if h.MS > 0 {
		line += fmt.Sprintf(", took %s", Milliseconds(h.MS))
	}
	p.Point(1, line)
	for _, text := range h.Said {
		p.Point(2, text)
	}
}

// Milliseconds is a time for people: exact where it is short.
func Milliseconds(ms float64) string {
	return time.Duration(ms * float64(time.Millisecond)).Round(time.Microsecond).String()
}

func (s *story) merge(out *report.Report) {
	out.Section("All hooks together: " + decisionName(s.Merge.Decision))
	out.Point(1, s.Merge.Why)
}

// decisionName is a decision in a title.
func decisionName(decision string) string {
	if !records.Decides(decision) {
		return "no decision"
	}
	return decision
}

func (s *story) clamp(out *report.Report) {
	out.Section("What is left of that for this event and agent: " + decisionName(s.Clamp.Decision))
	if len(s.Clamp.Changes) == 0 {
		out.Point(1, "all of it: nothing was left out")
	}
	for _, c := range s.Clamp.Changes {
		out.Point(1, c)
	}
}

// printReply prints the reply that the agent got.
func (s *story) printReply(out *report.Report, r *record.Record) {
	out.Section("What the agent was told")
	if reply := s.Told.Reply; reply == nil {
		out.Point(1, "the record has no reply")
	} else {
		out.Item("exit", fmt.Sprint(reply.Exit))
		out.Code("stdout", records.PartText(reply.Stdout))
		out.Code("stderr", records.PartText(reply.Stderr))
	}
	if redo := s.Told.Redo; redo != nil {
		out.Item("go on", fmt.Sprintf("attempt %d of %d", redo.Attempt, redo.Limit))
	}
	for _, n := range s.Told.Notices {
		out.Item("notice", n)
	}
	out.Item("took", Milliseconds(r.MS))
}
