package page

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/checkrein/checkrein/internal/desk/feed"
	"github.com/checkrein/checkrein/internal/desk/frame"
	"github.com/checkrein/checkrein/internal/desk/server"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/localhttp"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// liveBudget limits how much of what happened since the last batch is shown.
var liveBudget = budget{rows: 60, records: 4000, time: 250 * time.Millisecond}

// A news is what a page that is open learns at once.
type news struct {
	Rows    string   `json:"rows,omitempty"`    // as HTML, newest first
	Waiting []string `json:"waiting,omitempty"` // the handles of what waits for an answer
	Changed bool     `json:"changed,omitempty"` // Waiting is set
	Dropped int      `json:"dropped,omitempty"` // records without a row, because there were too many
}

// showLive streams what happens after the record that the parameter after names: the rows that the
// query selects, if the page shows a list, and what waits for an answer.
func (p *Page) showLive(w http.ResponseWriter, r *http.Request) {
	after, _ := strconv.ParseUint(r.URL.Query().Get("after"), 10, 64)
	to, err := localhttp.OpenStream(w, r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	defer to.Close()
	if last, err := strconv.ParseUint(to.After, 10, 64); err == nil {
		after = last
	}
	sub, err := p.opts.Feed.Subscribe(feed.Options{After: after})
	if err != nil {
		return // the browser tries again
	}
	defer sub.Close()
	if p.sendWaiting(to, r) != nil {
		return
	}
	_ = server.SendRows(to, sub, func(b *feed.Batch) ([]byte, error) { // until the browser leaves
		n, err := p.newsOf(r, after, b)
		after = b.Last
		if err != nil {
			return nil, err
		}
		return json.Marshal(n)
	})
}

// sendWaiting sends what waits for an answer when a page is opened.
func (p *Page) sendWaiting(to *localhttp.Stream, r *http.Request) error {
	n := news{}
	err := p.addWaiting(r, &n)
	var data []byte
	if err == nil {
		data, err = json.Marshal(n)
	}
	if err == nil {
		err = to.Send("", "rows", data)
	}
	return err
}

// addWaiting adds to n what waits for an answer.
func (p *Page) addWaiting(r *http.Request, n *news) error {
	v, err := p.readWaiting(r.Context())
	n.Changed = err == nil
	for _, w := range v.unseen(r) {
		n.Waiting = append(n.Waiting, w.Handle)
	}
	return err
}

// newsOf returns what the batch b means for the page of r, which shows the records up to after.
func (p *Page) newsOf(r *http.Request, after uint64, b *feed.Batch) (n news, err error) {
	n.Dropped = b.Dropped
	if b.Dropped > 0 || slices.ContainsFunc(b.Rows, func(row feed.Row) bool { return row.Handle != "" || row.Kind == ledger.KindPerson }) {
		if err := p.addWaiting(r, &n); err != nil {
			return n, err
		}
	}
	if !r.URL.Query().Has("list") {
		return n, nil
	}
	q := frame.ParseQuery(r.URL.Query(), p.opts.Now())
	q.After = after
	found, err := p.find(r.Context(), &q, liveBudget, false)
	if err != nil || len(found.Rows) == 0 {
		return n, err
	}
	var rows bytes.Buffer
	err = p.frame.Execute(&rows, "rows", "rows", &frame.Calls{List: found})
	n.Rows = visible.EscapeText(rows.String())
	return n, err
}
