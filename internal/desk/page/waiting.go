package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/desk/approvals"
)

// A waiting is a blocked call that waits for an answer, with the path of the page that shows only it.
type waiting struct {
	*approvals.Approval
	Link string `json:"link"`
	Open bool   `json:"-"` // its form is shown
}

// Secret returns the part of the link that permits to read the approval. It answers nothing.
func (w *waiting) Secret() string { return w.Link[min(len(approvals.PagePath)+1, len(w.Link)):] }

// An approvalsView is what approvals --json prints.
type approvalsView struct {
	Approvals []*waiting `json:"approvals"` // newest first
	Keys      []struct {
		Name        string    `json:"name"`
		Kind        string    `json:"kind"`
		Fingerprint string    `json:"fingerprint"`
		Made        time.Time `json:"made"`
		Used        time.Time `json:"used"`
	} `json:"keys"`
}

// readWaiting returns what waits for an answer.
func (p *Page) readWaiting(ctx context.Context) (v approvalsView, err error) {
	out, err := p.run(ctx, "approvals", "--json")
	if err == nil {
		err = json.Unmarshal(out, &v)
	}
	if err != nil {
		err = fmt.Errorf("checkrein approvals: %w", err)
	}
	return v, err
}

// unseen returns what waits for an answer and was blocked after the person last looked.
func (v *approvalsView) unseen(r *http.Request) (out []*waiting) {
	for _, w := range v.Approvals {
		if w.Blocked.After(seenUntil(r)) {
			out = append(out, w)
		}
	}
	return out
}

// showWaiting shows everything that waits for an answer, and which keys may answer. With the parameter
// handle, it shows one call with its form.
func (p *Page) showWaiting(r *http.Request) (screen, error) {
	v, err := p.readWaiting(r.Context())
	for _, w := range v.Approvals {
		w.Open = w.Handle == r.URL.Query().Get("handle")
	}
	return screen{Name: "approvals", Title: "Approvals", Data: &v}, err
}

// showCards shows the cards of the calls that wait for an answer, for a page that is open.
func (p *Page) showCards(r *http.Request) (screen, error) {
	v, err := p.readWaiting(r.Context())
	list, q := v.Approvals, r.URL.Query()
	if q.Has("new") {
		list = v.unseen(r)
		list = list[:min(len(list), maxBlocks)]
	}
	if q.Has("only") {
		list = slices.DeleteFunc(list, func(w *waiting) bool { return w.Handle != q.Get("only") })
	}
	return screen{Name: "cards", Part: true, Data: list}, err
}
