package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/term"
)

// PrintRecord adds one record in full. A damaged one is shown as far as it can be read.
func PrintRecord(p *report.Report, raw []byte, zone *time.Location) {
	_, broken := ledger.ParseLine(raw)
	r, err := record.Decode(raw)
	if err != nil {
		p.Section("A line that is not a record")
		p.Item("error", err.Error())
		p.Code("line", records.Clip(string(raw)))
		return
	}
	printStamp(p, r, broken, zone)
	if r.Kind == ledger.KindEvent {
		printEvent(p, r, "")
		printDecision(p, r)
		printDetails(p, r)
		return
	}
	if r.Kind == ledger.KindPerson {
		p.Section("What the user did")
		p.Point(1, PersonText(raw))
	}
	printMembers(p, raw)
}

// printDetails adds what each hook did, the facts that they went by, and the reply.
func printDetails(p *report.Report, r *record.Record) {
	printPlan(p, r)
	printFacts(p, r.Facts)
	printReply(p, r)
}

// FullTime is a time in full, for people.
const FullTime = "2006-01-02 15:04:05.000 MST"

// printStamp writes what every record says, and whether to believe it.
func printStamp(p *report.Report, r *record.Record, broken error, zone *time.Location) {
	p.Section(fmt.Sprintf("Record %d", r.Seq))
	p.Item("kind", r.Kind)
	p.Item("time", r.Time.In(zone).Format(FullTime))
	if r.Boot != "" {
		p.Item("clock", fmt.Sprintf("%s after boot %s", time.Duration(r.Mono).Round(time.Millisecond), r.Boot))
	}
	p.Item("hash", r.Hash)
	p.Item("after", r.Prev)
	if broken != nil {
		p.Styled("DAMAGED", term.Bad, "this line was changed or damaged. For details, run checkrein audit verify")
	}
}

// printMembers writes what a record about the ledger itself says.
func printMembers(p *report.Report, raw []byte) {
	p.Section("What it says")
	rawjson.Each(raw, func(name string, val []byte) bool {
		switch name {
		case "v", "seq", "kind", "time", "boot", "mono", "prev", "seal", "len", "hash":
			return true
		}
		text, ok := rawjson.Text(val)
		if !ok {
			text = string(val)
		}
		p.Item(name, records.Clip(text))
		return true
	})
}

// printEvent adds what happened. Now is the digest of the policy that is in force; "" = unknown.
func printEvent(p *report.Report, r *record.Record, now string) {
	p.Section("The event")
	p.Item("event", whenWords(r))
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

func printDecision(p *report.Report, r *record.Record) {
	p.Section("The decision")
	p.Styled("decision", DecisionStyle(r.Decision), r.Decision)
	p.Item("reason", r.Reason)
	for i := range r.Plan {
		for _, reason := range []string{r.Plan[i].Reason, r.Plan[i].Fault} {
			if strings.Contains(r.Reason, reason) {
				p.NoteReason(reason)
			}
		}
	}
	p.Item("effects", strings.Join(r.Effects, ", "))
	p.Item("handle", r.Handle)
	p.Item("unasked", r.Unasked)
	p.Item("fault", r.Fault)
	if r.Redo != nil {
		p.Item("go on", fmt.Sprintf("attempt %d of %d", r.Redo.Attempt, r.Redo.Limit))
	}
	for _, c := range lostEffects(r) {
		p.Item("lost", c)
	}
	for _, n := range r.Notices {
		p.Item("notice", n)
	}
	if r.Canceled {
		p.Item("canceled", "the agent gave up before all hooks had answered")
	}
}

func printPlan(p *report.Report, r *record.Record) {
	p.Section("The hooks")
	if len(r.Plan)+len(r.Unmet) == 0 {
		p.Point(1, "no hook applies to this event")
	}
	for i := range r.Plan {
		printHook(p, &r.Plan[i])
	}
	if len(r.Unmet) > 0 {
		p.Point(1, "condition did not match: "+records.Quoted(r.Unmet))
	}
	if r.More > 0 {
		p.Point(1, base.Amount(r.More, "more hook")+", not listed in the record")
	}
}

func (s *story) printRecord(out *report.Report, r *record.Record) {
	printEvent(out, r, s.now.policy)
	printDetails(out, r)
}

// printHook adds one hook: what it is, and what became of it.
func printHook(p *report.Report, step *record.Step) {
	place := "in the background"
	if step.Stage > 0 {
		place = fmt.Sprintf("stage %d", step.Stage)
	}
	parts := []string{fmt.Sprintf("%s: %q", place, step.Hook)}
	for _, part := range []string{step.Type, step.Scope, StepFile(step)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if step.MS > 0 {
		parts = append(parts, "took "+milliseconds(step.MS))
	}
	p.Point(1, strings.Join(parts, ", "))
	_, text := stepText(step, p.Unless)
	if step.Outcome == "fault" {
		text += faultText(step)
	}
	p.Point(2, text)
	if step.Spent != nil {
		p.Point(2, "asked the model "+step.Spent.String())
	}
	if step.Rejudged {
		p.Point(2, "ran twice, because the event was rewritten after its first answer: only its second decision counts")
	}
	if step.Stale {
		p.Point(2, "its answer is about the event as it was before another hook rewrote it")
	}
	for _, digest := range []struct{ of, is string }{{"its definition", step.Digest}, {"what was approved", step.Approval}, {"the files that it runs", step.Runs}} {
		if digest.is != "" {
			p.Point(2, "digest of "+digest.of+": "+digest.is)
		}
	}
}

func printReply(p *report.Report, r *record.Record) {
	p.Section("The reply")
	if r.Reply == nil {
		p.Point(1, "the record has no reply")
	} else {
		p.Item("exit", fmt.Sprint(r.Reply.Exit))
		p.Code("stdout", records.PartText(r.Reply.Stdout))
		p.Code("stderr", records.PartText(r.Reply.Stderr))
	}
	p.Item("took", milliseconds(r.MS))
	if r.LinesAll > 0 {
		p.Item("lines", fmt.Sprintf("%s written, with fingerprints", base.Amount(r.LinesAll, "line")))
	}
}

func milliseconds(ms float64) string {
	return time.Duration(ms * float64(time.Millisecond)).Round(time.Microsecond).String()
}

// printFacts writes what decided beside the event itself.
func printFacts(p *report.Report, f *record.Facts) {
	if f == nil {
		return
	}
	p.Section("What the decision was based on")
	for i := range f.Effects {
		p.Point(1, effectText(&f.Effects[i]))
	}
	if c := f.Call; c != nil {
		p.Point(1, fmt.Sprintf("the call, as the conditions saw it: %s, impact %s%s", c.Label, c.Radius, places(" on ", c.Paths, c.PathsAll)))
	}
	for i := range f.Git {
		p.Point(1, repoText(&f.Git[i]))
	}
	for _, r := range f.Files {
		line := fmt.Sprintf("%s was read: %s", r.Path, base.Amount(r.Bytes, "byte"))
		if r.Digest != "" {
			line += ", keyed digest " + r.Digest
		}
		p.Point(1, line)
	}
	for _, id := range f.Grants {
		p.Point(1, "grant "+id)
	}
	if f.More > 0 {
		p.Point(1, fmt.Sprintf("and %d more, not listed in the record", f.More))
	}
}

func effectText(e *record.Effect) string {
	text := fmt.Sprintf("%q, rule %s: %s", e.Hook, e.Rule, effectKind(e))
	if e.Radius != "" {
		text += ", impact " + e.Radius
	}
	if e.On != "" {
		text += ", on " + e.On
	}
	text += places("; files: ", e.Paths, e.PathsAll) + places("; sent to: ", e.Hosts, e.HostsAll)
	if e.Maybe {
		text += ", as far as checkrein can tell from the command"
	}
	return text
}

// effectKind is what kind of effect it is: its label, and what it does in brackets.
func effectKind(e *record.Effect) string {
	label := e.Label
	if label == "unknown" {
		label = "effect unknown"
	}
	if does := strings.Join(strings.Fields(e.Kind+" "+e.Category), ", "); does != "" {
		return strings.TrimSpace(label + " (" + does + ")")
	}
	return label
}

// places lists paths or hosts behind a word, and how many more there were.
func places(word string, list []string, all int) string {
	if len(list) == 0 {
		return ""
	}
	text := word + strings.Join(list, ", ")
	if all > len(list) {
		text += fmt.Sprintf(" and %d more", all-len(list))
	}
	return text
}

func repoText(r *record.Repo) string {
	switch {
	case r.None:
		return "git in " + r.Dir + ": no readable repository"
	case r.Head == "":
		return "git in " + r.Dir + ": no branch was checked out"
	}
	text := "git in " + r.Dir + ": on branch " + strings.TrimPrefix(r.Head, "refs/heads/")
	for _, d := range r.Defaults {
		if d.Ref != "" {
			text += ", the default branch of " + d.Remote + " is " + strings.TrimPrefix(d.Ref, "refs/heads/")
		}
	}
	return text
}
