package audit

import (
	"fmt"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// verification returns what verify found: the verdict in one line, what is wrong, and what
// these files cannot tell.
func verification(env *console.Env, r *seal.Report) *report.Report {
	p, zone := report.New(env), base.Zone(env)
	mark := term.Good
	if len(r.Findings)+r.MoreFindings > 0 {
		mark = term.Bad
	}
	p.Text(0, 2, term.Mark(mark), term.P(" "), term.T(term.Strong, verdictText(r, zone)))
	say := func(style term.Style, text string) { p.Finding(style, "", message.New(text)) }
	for _, f := range r.Findings {
		say(term.Bad, findingText(f))
	}
	if r.MoreFindings > 0 {
		say(term.Bad, term.Count(r.MoreFindings, "more finding"))
	}
	for _, n := range r.Notices {
		say(term.Warn, findingText(n))
	}
	if r.MoreNotices > 0 {
		say(term.Warn, term.Count(r.MoreNotices, "more note"))
	}
	if r.Torn > 0 {
		say(term.Warn, fmt.Sprintf("torn: %s left by a writer that died while writing; the next writer marked each one", term.Count(r.Torn, "remnant")))
	}
	for _, vouched := range []struct {
		by string
		*seal.Mark
	}{{"signed", r.Checkpoint}, {"witnessed", r.Witness}} {
		if m := vouched.Mark; m != nil {
			say(term.Good, fmt.Sprintf("%s: up to record %d, on %s (%s)", vouched.by, m.Seq, m.Time.In(zone).Format(time.DateTime), m.By))
		}
	}
	if len(r.CannotKnow) > 0 {
		p.Section("What these files cannot show")
	}
	for _, text := range r.CannotKnow {
		p.Text(2, 4, term.Mark(term.Plain), term.T(term.Faint, " "+p.Home(text)))
	}
	return p
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
		return "NOT intact: " + term.Count(n, "finding")
	}
	if r.First == nil || r.Last == nil {
		return "intact: nothing is recorded"
	}
	text := fmt.Sprintf("intact: %s in %s, %s to %s", term.Count(int(r.Records), "record"), term.Count(len(r.Segments), "segment"),
		r.First.Time.In(zone).Format(time.DateTime), r.Last.Time.In(zone).Format(time.DateTime))
	if r.Missed > 0 {
		text += "; " + term.Count(int(r.Missed), "call") + " not recorded (see the notes)"
	}
	return text
}
