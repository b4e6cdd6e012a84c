package desk

import (
	"fmt"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/ledger"
	"github.com/checkrein/checkrein/internal/rawjson"
	"github.com/checkrein/checkrein/internal/record"
	"github.com/checkrein/checkrein/internal/trust"
)

// showText is one record in full, for people. A damaged one is shown as far as
// it can be read.
func showText(raw []byte, zone *time.Location) string {
	var out sheet
	_, broken := ledger.ParseLine(raw)
	r, err := record.Decode(raw)
	if err != nil {
		out.section("A line that is no record")
		out.item("error", err.Error())
		out.item("line", clip(string(raw)))
		return out.String()
	}
	out.stamp(r, broken, zone)
	if r.Kind != ledger.KindEvent {
		if r.Kind == ledger.KindPerson {
			out.section("What a person did")
			out.point(1, personWords(raw))
		}
		out.members(raw)
		return out.String()
	}
	out.event(r, "")
	out.decision(r)
	out.plan(r)
	out.facts(r.Facts)
	out.reply(r)
	return out.String()
}

// stamp writes what every record says, and whether to believe it.
func (s *sheet) stamp(r *record.Record, broken error, zone *time.Location) {
	s.section(fmt.Sprintf("Record %d", r.Seq))
	s.item("kind", r.Kind)
	s.item("time", r.Time.In(zone).Format(fullTime))
	if r.Boot != "" {
		s.item("clock", fmt.Sprintf("%s after start %s of the machine", time.Duration(r.Mono).Round(time.Millisecond), r.Boot))
	}
	s.item("hash", r.Hash)
	s.item("after", r.Prev)
	if broken != nil {
		s.item("DAMAGED", "this line is not as it was written: checkrein audit verify says more")
	}
}

// members writes what a record about the ledger itself says.
func (s *sheet) members(raw []byte) {
	s.section("What it says")
	rawjson.Each(raw, func(name string, val []byte) bool {
		switch name {
		case "v", "seq", "kind", "time", "boot", "mono", "prev", "seal", "len", "hash":
			return true
		}
		text, ok := rawjson.Text(val)
		if !ok {
			text = string(val)
		}
		s.item(trust.VisibleLine(name), clip(text))
		return true
	})
}

func (s *sheet) decision(r *record.Record) {
	s.section("The decision")
	s.item("decision", r.Decision)
	s.item("reason", r.Reason)
	s.item("effects", strings.Join(r.Effects, ", "))
	s.item("handle", r.Handle)
	s.item("unasked", r.Unasked)
	s.item("fault", r.Fault)
	if r.Redo != nil {
		s.item("go on", fmt.Sprintf("attempt %d of %d", r.Redo.Attempt, r.Redo.Limit))
	}
	for _, c := range clampOf(r, r.Decision).Changes {
		s.item("lost", c)
	}
	for _, n := range r.Notices {
		s.item("notice", n)
	}
	if r.Canceled {
		s.item("canceled", "the host gave up before all hooks had answered")
	}
}

func (s *sheet) plan(r *record.Record) {
	s.section("The plan")
	if len(r.Plan)+len(r.Unmet) == 0 {
		s.point(1, "no hook is for this event")
	}
	for i := range r.Plan {
		s.step(r, &r.Plan[i])
	}
	s.unmet(r.Unmet)
	if r.More > 0 {
		s.point(1, amount(r.More, "more hook")+", which the record does not list")
	}
}

func (s *sheet) step(r *record.Record, step *record.Step) {
	place := "beside"
	if step.Stage > 0 {
		place = fmt.Sprintf("stage %d", step.Stage)
	}
	line := fmt.Sprintf("%s  %s %q  %s  %s", place, step.Type, step.Hook, step.Scope, step.Origin)
	if step.MS > 0 {
		line += "  " + millis(step.MS)
	}
	s.point(1, trust.VisibleLine(line))
	for _, text := range sentences(r, step) {
		s.point(2, text)
	}
	if step.Digest != "" {
		s.point(2, "its definition: "+step.Digest)
	}
	if step.Approval != "" {
		s.point(2, "what was approved of it: "+step.Approval)
	}
}

func (s *sheet) reply(r *record.Record) {
	s.section("The reply")
	if r.Reply == nil {
		s.point(1, "the record has none")
	} else {
		s.item("exit", fmt.Sprint(r.Reply.Exit))
		s.item("stdout", partText(r.Reply.Stdout))
		s.item("stderr", partText(r.Reply.Stderr))
	}
	s.item("took", millis(r.MS))
	if r.LinesAll > 0 {
		s.item("lines", fmt.Sprintf("%s written, with fingerprints", amount(r.LinesAll, "line")))
	}
}
