package desk

import (
	"fmt"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/record"
	"github.com/checkrein/checkrein/internal/trust"
)

// text is the story for people.
func (s *story) text(r *record.Record, zone *time.Location) string {
	var out sheet
	fmt.Fprintf(&out, "%s\n\nrecord %d of %s\n", s.Answer, r.Seq, r.Time.In(zone).Format(fullTime))
	out.event(r, s.policy)
	s.stages(&out, r)
	out.facts(r.Facts)
	s.merge(&out)
	s.clamp(&out)
	s.told(&out, r)
	if len(s.Person) > 0 {
		out.section("What people did")
		for _, text := range s.Person {
			out.point(1, text)
		}
	}
	s.change(&out)
	return out.String()
}

// fullTime is a time in full, for people.
const fullTime = "2006-01-02 15:04:05.000 MST"

// event writes what happened.
func (s *sheet) event(r *record.Record, now string) {
	s.section("The event")
	s.item("event", eventText(r))
	s.item("host", r.Host)
	s.item("foreign", foreignText(r))
	s.item("session", strings.TrimSuffix(r.Session+", agent "+r.Agent, ", agent "))
	s.item("directory", r.Dir)
	if r.Root != r.Dir {
		s.item("root", r.Root)
	}
	s.item("tool", toolText(r.Tool))
	if sub := r.Subject; sub != nil {
		s.item("input", partText(sub.Input))
		s.item("output", partText(sub.Output))
		s.item("text", partText(sub.Text))
		s.item("messages", partText(sub.Messages))
	}
	s.item("policy", policyText(r, now))
	s.item("packs off", strings.Join(r.Off, ", "))
	s.item("handle", r.Handle)
	if r.Shadow {
		s.item("shadow", "yes: the decision is what would have counted; it was not enforced")
	}
	s.item("held back", strings.Join(r.Held, ", "))
	s.item("program", r.Program)
}

// policyText is the digest of what was in force, and whether that is so now; "" = that is
// not known.
func policyText(r *record.Record, now string) string {
	switch {
	case now == "" || r.Policy == "":
		return r.Policy
	case now == r.Policy:
		return r.Policy + ", which is in force there now too"
	}
	return r.Policy + "; in force there now: " + now
}

// foreignText says from whom an event came that is not of its session's host.
func foreignText(r *record.Record) string {
	if !r.Foreign {
		return ""
	}
	text := "yes: it did not come from the host of the session, so that nothing that is remembered of the session changed"
	if len(r.Caller) > 0 {
		text += "; it came from " + trust.VisibleLine(strings.Join(r.Caller, ", below "))
	}
	return text
}

func eventText(r *record.Record) string {
	text := r.Event
	if r.Native != "" && r.Native != r.Event {
		text += ", which the host calls " + r.Native
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
		return "a hook that cannot be read"
	case "http":
		return "an http hook"
	}
	return "a " + kind
}

func scopeText(scope string) string {
	switch scope {
	case checkrein.ScopeManaged.String():
		return "of your administrator"
	case checkrein.ScopeUser.String():
		return "of yours"
	case checkrein.ScopeProject.String():
		return "of the project"
	case checkrein.ScopeFlag.String():
		return "of the command line"
	}
	return scope
}

func (s *story) stages(out *sheet, r *record.Record) {
	for _, stage := range s.Stages {
		if stage.Stage > 0 {
			out.section(fmt.Sprintf("Stage %d", stage.Stage))
		} else {
			out.section("Beside the stages")
		}
		for i := range stage.Hooks {
			out.hook(&stage.Hooks[i])
		}
	}
	if len(s.Stages) == 0 {
		out.section("The hooks")
		out.point(1, "none was asked")
	}
	out.unmet(s.Unmet)
	if r.More > 0 {
		out.point(1, amount(r.More, "more hook")+" were planned, which the record does not list")
	}
	if r.Canceled {
		out.point(1, "the host gave up before all hooks had answered")
	}
}

// unmet names the hooks that had nothing to say about this very event.
func (s *sheet) unmet(hooks []string) {
	if len(hooks) > 0 {
		s.point(1, "their condition did not hold: "+quoted(hooks))
	}
}

func (s *sheet) hook(h *hookStory) {
	line := fmt.Sprintf("%q, %s %s", h.Hook, typeText(h.Type), scopeText(h.Scope))
	if h.Origin != h.Scope {
		line += ", " + h.Origin
	}
	if h.MS > 0 {
		line += fmt.Sprintf(", took %s", millis(h.MS))
	}
	s.point(1, trust.VisibleLine(line))
	for _, text := range h.Said {
		s.point(2, text)
	}
}

// millis is a time for people: exact where it is short.
func millis(ms float64) string {
	return time.Duration(ms * float64(time.Millisecond)).Round(time.Microsecond).String()
}

func (s *story) merge(out *sheet) {
	out.section("The merge: " + s.Merge.Decision)
	out.point(1, s.Merge.Why)
	for _, each := range s.Merge.Reasons {
		if each.Reason != "" {
			out.point(1, fmt.Sprintf("%s of %q: %s", each.Decision, each.Hook, each.Reason))
		}
	}
}

func (s *story) clamp(out *sheet) {
	out.section("The clamp: " + s.Clamp.Decision)
	if len(s.Clamp.Changes) == 0 {
		out.point(1, "nothing was dropped")
	}
	for _, c := range s.Clamp.Changes {
		out.point(1, c)
	}
}

func (s *story) told(out *sheet, r *record.Record) {
	out.section("What the host was told")
	if reply := s.Told.Reply; reply == nil {
		out.point(1, "the record has no reply")
	} else {
		out.item("exit", fmt.Sprint(reply.Exit))
		out.item("stdout", partText(reply.Stdout))
		out.item("stderr", partText(reply.Stderr))
	}
	if redo := s.Told.Redo; redo != nil {
		out.item("go on", fmt.Sprintf("attempt %d of %d", redo.Attempt, redo.Limit))
	}
	for _, n := range s.Told.Notices {
		out.item("notice", n)
	}
	out.item("after", millis(r.MS))
}

func (s *story) change(out *sheet) {
	out.section("How to change it")
	if len(s.Change) == 0 {
		out.point(1, "the record does not say who decided")
	}
	for _, c := range s.Change {
		if c.Hook == "" {
			out.point(1, c.Why)
		} else {
			out.point(1, fmt.Sprintf("%q %s", c.Hook, c.Why))
		}
		for _, do := range c.Do {
			out.point(2, do)
		}
		for _, note := range c.Note {
			out.point(3, note)
		}
	}
}
