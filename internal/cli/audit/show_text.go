package audit

import (
	"fmt"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/explain"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/term"
)

// printRecord prints one record in full, for people. A damaged one is shown as far as it can
// be read.
func printRecord(p *report.Report, raw []byte, zone *time.Location) {
	_, broken := ledger.ParseLine(raw)
	r, err := record.Decode(raw)
	if err != nil {
		p.Section("A line that is not a record")
		p.Item("error", err.Error())
		p.Code("line", records.Clip(string(raw)))
		return
	}
	printStamp(p, r, broken, zone)
	if r.Kind != ledger.KindEvent {
		if r.Kind == ledger.KindPerson {
			p.Section("What the user did")
			p.Point(1, explain.PersonText(raw))
		}
		printMembers(p, raw)
		return
	}
	explain.PrintEvent(p, r, "")
	printDecision(p, r)
	printPlan(p, r)
	explain.PrintFacts(p, r.Facts)
	printReply(p, r)
}

// printStamp writes what every record says, and whether to believe it.
func printStamp(p *report.Report, r *record.Record, broken error, zone *time.Location) {
	p.Section(fmt.Sprintf("Record %d", r.Seq))
	p.Item("kind", r.Kind)
	p.Item("time", r.Time.In(zone).Format(explain.FullTime))
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

func printDecision(p *report.Report, r *record.Record) {
	p.Section("The decision")
	p.Styled("decision", explain.DecisionStyle(r.Decision), r.Decision)
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
	for _, c := range explain.ClampOf(r, r.Decision).Changes {
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
		printStep(p, r, &r.Plan[i])
	}
	explain.PrintUnmet(p, r.Unmet)
	if r.More > 0 {
		p.Point(1, base.Amount(r.More, "more hook")+", not listed in the record")
	}
}

func printStep(p *report.Report, r *record.Record, step *record.Step) {
	place := "in the background"
	if step.Stage > 0 {
		place = fmt.Sprintf("stage %d", step.Stage)
	}
	line := fmt.Sprintf("%s: %q, %s", place, step.Hook, explain.KindText(&explain.HookStory{Type: step.Type, Scope: step.Scope, Origin: step.Origin}))
	if step.MS > 0 {
		line += ", took " + explain.Milliseconds(step.MS)
	}
	p.Point(1, line)
	for _, text := range explain.StepSentences(r, step, p.Unless) {
		p.Point(2, text)
	}
	if step.Digest != "" {
		p.Point(2, "digest of its definition: "+step.Digest)
	}
	if step.Approval != "" {
		p.Point(2, "digest of what was approved: "+step.Approval)
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
	p.Item("took", explain.Milliseconds(r.MS))
	if r.LinesAll > 0 {
		p.Item("lines", fmt.Sprintf("%s written, with fingerprints", base.Amount(r.LinesAll, "line")))
	}
}
