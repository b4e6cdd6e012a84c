package page

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/desk/frame"
)

// Budgets of lists. A list that is not complete within its time names the place where to go on.
var (
	feedBudget   = budget{rows: 60, records: 4000, time: 150 * time.Millisecond}
	searchBudget = budget{rows: 100, time: 900 * time.Millisecond}
)

// A now is the data of the first page.
type now struct {
	Feed    frame.Calls
	Waiting []*waiting // calls that wait for an answer, and were blocked since the person last looked
	More    int        // how many others wait
	Blocks  []block    // other calls that were stopped since then
	At      time.Time
}

// A block is a call that was stopped, and how many others were for the same reason.
type block struct {
	frame.Row
	More int
}

// maxBlocks is how many reasons for stopped calls the first page lists.
const maxBlocks = 4

// showNow shows what needs the person, and then the newest calls.
func (p *Page) showNow(r *http.Request) (screen, error) {
	q := frame.ParseQuery(r.URL.Query(), p.opts.Now())
	found, err := p.find(r.Context(), &q, feedBudget, true)
	if err != nil {
		return screen{}, err
	}
	data := now{Feed: frame.NewCalls(&q, found, "/"), At: p.opts.Now()}
	v, err := p.readWaiting(r.Context())
	if err != nil {
		return screen{}, err
	}
	if data.Blocks, err = p.newBlocks(r, v.Approvals); err != nil {
		return screen{}, err
	}
	data.Waiting = v.unseen(r)
	data.Waiting = data.Waiting[:min(len(data.Waiting), maxBlocks)]
	data.More = len(v.Approvals) - len(data.Waiting)
	return screen{Name: "now", Title: "Now", Data: data}, nil
}

// newBlocks returns the calls that were stopped in the last day and since the person last looked, one
// for each reason, without those that wait for an answer and those that nothing would stop any more.
func (p *Page) newBlocks(r *http.Request, list []*waiting) (out []block, err error) {
	q := frame.ParseQuery(map[string][]string{frame.BySince: {"24h"}, frame.ByAnswer: {"denied", "asked"}}, p.opts.Now())
	found, err := p.find(r.Context(), &q, budget{rows: 200, records: 4000, time: 60 * time.Millisecond}, false)
	if err != nil {
		return nil, err
	}
	settled, err := p.opts.Desk.ListSettled()
	for i := range found.Rows {
		is := found.Rows[i]
		waits := slices.ContainsFunc(list, func(w *waiting) bool { return w.Handle == is.Handle })
		gone := slices.Contains(settled, is.Handle) || areFilesGone(is.Origins)
		if waits || gone || is.Shadow || !is.Time.After(seenUntil(r)) {
			continue
		}
		same := slices.IndexFunc(out, func(o block) bool { return o.Why == is.Why && slices.Equal(o.Rules, is.Rules) })
		switch {
		case same >= 0:
			out[same].More++
		case len(out) < maxBlocks:
			out = append(out, block{Row: is})
		}
	}
	return out, err
}

// areFilesGone reports whether all origins, FILE:LINE of the hooks that decided, are in files that no
// longer exist.
func areFilesGone(origins []string) bool {
	return len(origins) > 0 && !slices.ContainsFunc(origins, func(o string) bool {
		return !grant.IsFileGone(o[:max(strings.LastIndexByte(o, ':'), 0)])
	})
}

// showRows shows the rows of a list that follow those that a page shows.
func (p *Page) showRows(r *http.Request) (screen, error) {
	q := frame.ParseQuery(r.URL.Query(), p.opts.Now())
	found, err := p.find(r.Context(), &q, searchBudget, false)
	return screen{Name: "rows", Part: true, Data: frame.NewCalls(&q, found, "/rows")}, err
}

// showSearch shows the records that a query selects.
func (p *Page) showSearch(r *http.Request) (screen, error) {
	began := time.Now()
	q := frame.ParseQuery(r.URL.Query(), p.opts.Now())
	if _, ok := parseID(q.Get(frame.ByText)); ok && !q.Has(frame.ByHost) {
		if rec, err := p.explain(r.Context(), q.Get(frame.ByText)); err == nil {
			return p.recordScreen(r.Context(), rec), nil
		}
	}
	found, err := p.find(r.Context(), &q, searchBudget, false)
	return screen{Name: "search", Title: "Search", Data: frame.NewSearch(&q, found, began)}, err
}
