package desk

import (
	"fmt"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/text/screen"
)

// report prints a report for people: the verdict in one line, what is wrong, and what
// these files cannot tell.
func (p *paper) report(r *seal.Report, zone *time.Location) {
	mark := screen.Good
	if len(r.Findings)+r.MoreFindings > 0 {
		mark = screen.Bad
	}
	p.begun = true
	p.Text(0, 2, screen.Mark(mark), screen.P(" "), screen.T(screen.Strong, verdictText(r, zone)))
	say := func(style screen.Style, text string) {
		p.Text(2, 4, append([]screen.Span{screen.Mark(style), screen.P(" ")}, spoken(p.Home(text))...)...)
	}
	for _, f := range r.Findings {
		say(screen.Bad, findingText(f))
	}
	if r.MoreFindings > 0 {
		say(screen.Bad, screen.Count(r.MoreFindings, "more finding"))
	}
	for _, n := range r.Notices {
		say(screen.Warn, findingText(n))
	}
	if r.MoreNotices > 0 {
		say(screen.Warn, screen.Count(r.MoreNotices, "more note"))
	}
	if r.Torn > 0 {
		say(screen.Warn, fmt.Sprintf("torn: %s left by a writer that died while writing; the next writer marked each one", screen.Count(r.Torn, "remnant")))
	}
	for _, vouched := range []struct {
		by string
		*seal.Mark
	}{{"signed", r.Checkpoint}, {"witnessed", r.Witness}} {
		if m := vouched.Mark; m != nil {
			say(screen.Good, fmt.Sprintf("%s: up to record %d, on %s (%s)", vouched.by, m.Seq, m.Time.In(zone).Format(time.DateTime), m.By))
		}
	}
	if len(r.CannotKnow) > 0 {
		p.section("What these files cannot show")
	}
	for _, text := range r.CannotKnow {
		p.Text(2, 4, screen.Mark(screen.Plain), screen.T(screen.Faint, " "+p.Home(text)))
	}
}

// findingText says what is wrong, and where.
func findingText(f seal.Finding) string {
	where := ""
	if f.Segment > 0 {
		where = fmt.Sprintf("segment %d, offset %d: ", f.Segment, f.Offset)
	}
	if f.Segment > 0 && f.Seq > 0 {
		where = fmt.Sprintf("segment %d, record %d: ", f.Segment, f.Seq)
	}
	return f.Kind + ": " + where + f.Text
}

func verdictText(r *seal.Report, zone *time.Location) string {
	n := len(r.Findings) + r.MoreFindings
	if n > 0 {
		return "NOT intact: " + screen.Count(n, "finding")
	}
	if r.First == nil || r.Last == nil {
		return "intact: nothing is recorded"
	}
	text := fmt.Sprintf("intact: %s in %s, %s to %s", screen.Count(int(r.Records), "record"), screen.Count(len(r.Segments), "segment"),
		r.First.Time.In(zone).Format(time.DateTime), r.Last.Time.In(zone).Format(time.DateTime))
	if r.Missed > 0 {
		text += "; " + screen.Count(int(r.Missed), "call") + " not recorded (see the notes)"
	}
	return text
}
