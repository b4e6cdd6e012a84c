package desk

import (
	"fmt"
	"time"

	"github.com/checkrein/checkrein/internal/ledger/seal"
)

// reportText is a report for people: what is wrong, the verdict in one line,
// and what nobody can tell.
func reportText(r *seal.Report, zone *time.Location) string {
	var out sheet
	for _, f := range r.Findings {
		out.point(0, findingText(f))
	}
	if r.MoreFindings > 0 {
		out.point(0, "and "+amount(r.MoreFindings, "more finding"))
	}
	for _, n := range r.Notices {
		out.point(0, "note: "+findingText(n))
	}
	if r.MoreNotices > 0 {
		out.point(0, "note: and "+amount(r.MoreNotices, "more note"))
	}
	if r.Torn > 0 {
		out.point(0, fmt.Sprintf("note: torn: %s of a writer that died half-way, each marked by the next one", amount(r.Torn, "remnant")))
	}
	out.point(0, verdictText(r, zone))
	for _, vouched := range []struct {
		by string
		*seal.Mark
	}{{"signed", r.Checkpoint}, {"witnessed", r.Witness}} {
		if m := vouched.Mark; m != nil {
			out.point(0, fmt.Sprintf("%s: up to record %d, on %s (%s)", vouched.by, m.Seq, m.Time.In(zone).Format(time.DateTime), m.By))
		}
	}
	if len(r.CannotKnow) > 0 {
		out.section("What these files cannot tell")
	}
	for _, text := range r.CannotKnow {
		out.point(1, "- "+text)
	}
	return out.String()
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
		return "NOT intact: " + amount(n, "finding")
	}
	if r.First == nil || r.Last == nil {
		return "intact: nothing is recorded"
	}
	text := fmt.Sprintf("intact: %s in %s, %s to %s", amount(r.Records, "record"), amount(len(r.Segments), "segment"),
		r.First.Time.In(zone).Format(time.DateTime), r.Last.Time.In(zone).Format(time.DateTime))
	if r.Missed > 0 {
		text += "; " + amount(r.Missed, "call") + " not recorded, as the notes say"
	}
	return text
}
