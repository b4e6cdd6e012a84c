package page

import (
	"net/http"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/desk/frame"
)

// Budgets of lists. A list that is not complete within its time names the place where to go on.
var (
	feedBudget   = budget{rows: 60, records: 4000, time: 150 * time.Millisecond}
	searchBudget = budget{rows: 100, time: 900 * time.Millisecond}
)

// A calls is a list with the chips of its filters.
type calls struct {
	list
	Path  string // of the page
	Chips []chip
	Query string // of the address
	Text  string // that is searched for
	Clear string // the address without filters
	Next  string // the address of what follows; "" means nothing
	All   string // the address that turns events that are not calls on or off
	IsAll bool
}

// A chip is a filter that can be turned on or off.
type chip struct {
	Group, Value string
	On           bool
	Address      string
}

// newCalls returns the list of q for the page at path.
func newCalls(q *query, found list, path string) calls {
	f := calls{list: found, Path: path, Query: q.Encode(), Text: q.Get(byText), Clear: path, All: q.with(path, allEvents, "1"), IsAll: q.Has(allEvents)}
	if found.More != "" {
		next := query{Values: cloneValues(q.Values)}
		next.Set(fromPlace, found.More)
		f.Next = "/rows?" + next.Encode()
	}
	for _, value := range frame.Answers {
		f.Chips = append(f.Chips, q.chip(path, byAnswer, value))
	}
	for _, name := range filters[1:] {
		values := slices.Clone(q.Values[name])
		for i := range found.Rows {
			value := map[string]string{byHost: found.Rows[i].Host, byProject: found.Rows[i].Project}[name]
			if value != "" && !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
		slices.Sort(values)
		if name == byProject && len(values) == 1 && !q.Has(byProject) {
			values = nil // it is where everything happened
		}
		for _, value := range values {
			if name != byText {
				f.Chips = append(f.Chips, q.chip(path, name, value))
			}
		}
	}
	return f
}

// chip returns the chip of a value of a parameter.
func (q *query) chip(path, name, value string) chip {
	return chip{name, value, slices.Contains(q.Values[name], value), q.with(path, name, value)}
}

// cloneValues returns a copy of v.
func cloneValues(v map[string][]string) map[string][]string {
	out := map[string][]string{}
	for name, values := range v {
		out[name] = slices.Clone(values)
	}
	return out
}

// A now is the data of the first page.
type now struct {
	Feed    calls
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
	q := parseQuery(r.URL.Query(), p.opts.Now())
	found, err := p.find(r.Context(), &q, feedBudget, true)
	if err != nil {
		return screen{}, err
	}
	data := now{Feed: newCalls(&q, found, "/"), At: p.opts.Now()}
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
// for each reason, without those that wait for an answer.
func (p *Page) newBlocks(r *http.Request, list []*waiting) (out []block, err error) {
	q := parseQuery(map[string][]string{bySince: {"24h"}, byAnswer: {"denied", "asked"}}, p.opts.Now())
	found, err := p.find(r.Context(), &q, budget{rows: 200, records: 4000, time: 60 * time.Millisecond}, false)
	for i := range found.Rows {
		is := found.Rows[i]
		waits := slices.ContainsFunc(list, func(w *waiting) bool { return w.Handle == is.Handle })
		if waits || is.Shadow || !is.Time.After(seenUntil(r)) {
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

// showRows shows the rows of a list that follow those that a page shows.
func (p *Page) showRows(r *http.Request) (screen, error) {
	q := parseQuery(r.URL.Query(), p.opts.Now())
	found, err := p.find(r.Context(), &q, searchBudget, false)
	return screen{Name: "rows", Part: true, Data: newCalls(&q, found, "/rows")}, err
}

// A search is the data of the search page.
type search struct {
	Feed  calls
	Ages  []chip
	Asked bool    // the person searched for something
	Took  float64 // in milliseconds
}

// showSearch shows the records that a query selects.
func (p *Page) showSearch(r *http.Request) (screen, error) {
	began := time.Now()
	q := parseQuery(r.URL.Query(), p.opts.Now())
	if _, ok := parseID(q.Get(byText)); ok && !q.Has(byHost) {
		if rec, err := p.explain(r.Context(), q.Get(byText)); err == nil {
			return p.recordScreen(r.Context(), rec), nil
		}
	}
	found, err := p.find(r.Context(), &q, searchBudget, false)
	if err != nil {
		return screen{}, err
	}
	data := search{Feed: newCalls(&q, found, "/search"), Asked: q.isFiltered(), Took: float64(time.Since(began).Microseconds()) / 1000}
	for _, age := range []string{"1h", "24h", "7d", "30d"} {
		c := q
		c.Values = cloneValues(q.Values)
		if is := c.Get(bySince); is != age {
			c.Del(bySince)
		}
		data.Ages = append(data.Ages, c.chip("/search", bySince, age))
	}
	data.Feed.Chips = slices.DeleteFunc(data.Feed.Chips, func(c chip) bool { return c.Group == bySince })
	return screen{Name: "search", Title: "Search", Data: data}, nil
}
