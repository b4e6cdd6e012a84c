package desk

import (
	"fmt"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/term"
)

// printRecord prints one record in full, for people. A damaged one is shown as far as it can
// be read.
func printRecord(p *paper, raw []byte, zone *time.Location) {
	_, broken := ledger.ParseLine(raw)
	r, err := record.Decode(raw)
	if err != nil {
		p.section("A line that is not a record")
		p.item("error", err.Error())
		p.code("line", records.Clip(string(raw)))
		return
	}
	printStamp(p, r, broken, zone)
	if r.Kind != ledger.KindEvent {
		if r.Kind == ledger.KindPerson {
			p.section("What the user did")
			p.point(1, personWords(raw))
		}
		printMembers(p, raw)
		return
	}
	printEvent(p, r, "")
	printDecision(p, r)
	printPlan(p, r)
	printFacts(p, r.Facts)
	printReply(p, r)
}

// printStamp writes what every record says, and whether to believe it.
func printStamp(p *paper, r *record.Record, broken error, zone *time.Location) {
	p.section(fmt.Sprintf("Record %d", r.Seq))
	p.item("kind", r.Kind)
	p.item("time", r.Time.In(zone).Format(fullTime))
	if r.Boot != "" {
		p.item("clock", fmt.Sprintf("%s after boot %s", time.Duration(r.Mono).Round(time.Millisecond), r.Boot))
	}
	p.item("hash", r.Hash)
	p.item("after", r.Prev)
	if broken != nil {
		p.styled("DAMAGED", term.Bad, "this line was changed or damaged. For details, run checkrein audit verify")
	}
}

// printMembers writes what a record about the ledger itself says.
func printMembers(p *paper, raw []byte) {
	p.section("What it says")
	rawjson.Each(raw, func(name string, val []byte) bool {
		switch name {
		case "v", "seq", "kind", "time", "boot", "mono", "prev", "seal", "len", "hash":
			return true
		}
		text, ok := rawjson.Text(val)
		if !ok {
			text = string(val)
		}
		p.item(name, records.Clip(text))
		return true
	})
}

func printDecision(p *paper, r *record.Record) {
	p.section("The decision")
	p.styled("decision", decisionStyle(r.Decision), r.Decision)
	p.item("reason", r.Reason)
	for i := range r.Plan {
		for _, reason := range []string{r.Plan[i].Reason, r.Plan[i].Fault} {
			if strings.Contains(r.Reason, reason) {
				p.noteReason(reason)
			}
		}
	}
	p.item("effects", strings.Join(r.Effects, ", "))
	p.item("handle", r.Handle)
	p.item("unasked", r.Unasked)
	p.item("fault", r.Fault)
	if r.Redo != nil {
		p.item("go on", fmt.Sprintf("attempt %d of %d", r.Redo.Attempt, r.Redo.Limit))
	}
	for _, c := range clampOf(r, r.Decision).Changes {
		p.item("lost", c)
	}
	for _, n := range r.Notices {
		p.item("notice", n)
	}
	if r.Canceled {
		p.item("canceled", "the agent gave up before all hooks had answered")
	}
}

func printPlan(p *paper, r *record.Record) {
	p.section("The hooks")
	if len(r.Plan)+len(r.Unmet) == 0 {
		p.point(1, "no hook applies to this event")
	}
	for i := range r.Plan {
		printStep(p, r, &r.Plan[i])
	}
	printUnmet(p, r.Unmet)
	if r.More > 0 {
		p.point(1, base.Amount(r.More, "more hook")+", not listed in the record")
	}
}

func printStep(p *paper, r *record.Record, step *record.Step) {
	place := "in the background"
	if step.Stage > 0 {
		place = fmt.Sprintf("stage %d", step.Stage)
	}
	line := fmt.Sprintf("%s: %q, %s", place, step.Hook, kindText(&hookStory{Type: step.Type, Scope: step.Scope, Origin: step.Origin}))
	if step.MS > 0 {
		line += ", took " + millis(step.MS)
	}
	p.point(1, line)
	for _, text := range sentences(r, step) {
		p.point(2, p.withoutShown(text))
	}
	if step.Digest != "" {
		p.point(2, "digest of its definition: "+step.Digest)
	}
	if step.Approval != "" {
		p.point(2, "digest of what was approved: "+step.Approval)
	}
}

func printReply(p *paper, r *record.Record) {
	p.section("The reply")
	if r.Reply == nil {
		p.point(1, "the record has no reply")
	} else {
		p.item("exit", fmt.Sprint(r.Reply.Exit))
		p.code("stdout", records.PartText(r.Reply.Stdout))
		p.code("stderr", records.PartText(r.Reply.Stderr))
	}
	p.item("took", millis(r.MS))
	if r.LinesAll > 0 {
		p.item("lines", fmt.Sprintf("%s written, with fingerprints", base.Amount(r.LinesAll, "line")))
	}
}
