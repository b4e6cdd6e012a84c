package health

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/doctor"
	"github.com/checkrein/checkrein/internal/evidence/misses"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

const (
	// doctorMissesFor is how long ago calls may be that doctor compares.
	doctorMissesFor = 24 * time.Hour
	// doctorMissesMost is how much of the transcripts it reads for that.
	doctorMissesMost = 64 << 20
)

// moreMisses shows what doctor says in short.
var moreMisses = message.Run("checkrein misses --since 1d", "")

// examineMisses compares the calls of the last day with the ledger.
func examineMisses(ctx context.Context, env *console.Env, r *doctor.Report, hosts []install.Report) {
	left := 0
	m, err := missesOf(ctx, env, missesOptions{since: env.Now().Add(-doctorMissesFor), choose: func(list []transcript.File, since time.Time) []transcript.File {
		list, left = newestFiles(list, since, doctorMissesMost)
		return list
	}})
	if err != nil {
		r.Find("calls-not-compared", doctor.Finding{Message: message.New("the calls of the last day could not be compared with the transcripts of agents: "+err.Error(), moreMisses)})
		return
	}
	if m != nil {
		tellMisses(r, m, hosts, left)
	}
}

// tellMisses puts into doctor's report what a comparison found that left files out.
func tellMisses(r *doctor.Report, m *misses.Report, hosts []install.Report, left int) {
	for _, g := range byCause(m.Misses) {
		if g.list[0].Cause == misses.Silent && slices.ContainsFunc(hosts, func(h install.Report) bool { return h.Host == g.host && h.Silent != nil }) {
			continue // host-silent says it
		}
		r.Find("calls-unseen", doctor.Finding{Message: message.New(fmt.Sprintf("%s of the last day unseen: %s", term.Count(g.calls, "call"), g.why), g.remedies...)})
	}
	if n := m.Denied.Calls; n > 0 {
		r.Find("calls-denied-ran", doctor.Finding{Message: message.New(fmt.Sprintf("%s of the last day ran although checkrein denied %s", term.Count(n, "call"), map[bool]string{true: "it", false: "them"}[n == 1]), moreMisses)})
	}
	if n := m.Unasked.Calls; n > 0 {
		r.Find("calls-denied-ran", doctor.Finding{Message: message.New(term.Count(n, "call")+" of the last day ran without a question although checkrein wanted you to be asked", moreMisses)})
	}
	if n := m.Unread; n > 0 && !slices.ContainsFunc(hosts, func(h install.Report) bool { return h.Unread != nil }) {
		i := slices.IndexFunc(m.Skipped, func(s misses.Skip) bool { return s.Calls })
		what := term.Count(n, "transcript") + " of the last day cannot be read in full, so calls may be unseen"
		if i >= 0 {
			what += fmt.Sprintf(": %s: %s", m.Skipped[i].Path, m.Skipped[i].Why)
		}
		r.Find("transcripts-unread", doctor.Finding{Message: message.New(what, moreMisses)})
	}
	if left > 0 {
		r.Find("calls-not-compared", doctor.Finding{Message: message.New(fmt.Sprintf("%s of the last day not compared with the ledger, because doctor reads no more than %d MB", term.Count(left, "transcript"), doctorMissesMost>>20), moreMisses)})
	}
}

// newestFiles returns the files that were changed since a time, the newest first, as far as they
// are not larger together than most, and how many it left out.
func newestFiles(list []transcript.File, since time.Time, most int64) (out []transcript.File, left int) {
	slices.SortStableFunc(list, func(a, b transcript.File) int { return b.Time.Compare(a.Time) })
	for _, f := range list {
		switch {
		case f.Skip != "" || f.Time.Before(since):
		case f.Size > most:
			left++
		default:
			most -= f.Size
			out = append(out, f)
		}
	}
	return out, left
}
