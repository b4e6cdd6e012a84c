package misses

import (
	"context"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/host/transcript"
)

const (
	// maxWindow is how many calls of the ledger are in memory at once.
	maxWindow = 1 << 15
	// slack is how far the times of the two sides may differ: a host may write a call
	// down only after it asked its hooks, and a result before.
	slack = 5 * time.Second
	// openFor is how long an event may come after a call without a result.
	openFor = 10 * time.Minute
)

// callEvents are the events that are about a call.
var callEvents = []string{"pre_tool_use", "tool_response_transform", "post_tool_use", "post_tool_use_failure"}

// A window is the part of the ledger around the call at hand. It moves on as calls get
// later, and begins again for a call that is before it.
type window struct {
	ctx    context.Context
	ledger Ledger
	host   string
	low    time.Time // what is before is not in it
	high   time.Time // all until then is in it

	coming *entries
	over   bool
	err    error

	byID   map[string]*entry   // host, session and ID
	anyID  map[string]*entry   // ID alone, for sessions that go on under another name
	bySum  map[string][]*entry // calls without an ID that the transcript has too
	queued []*entry            // all, oldest first

	exact map[string]bool // tools of hosts whose calls are the same on both sides, to the letter
}

func newWindow(ctx context.Context, l Ledger) window {
	return window{ctx: ctx, ledger: l, exact: map[string]bool{}}
}

func (w *window) stop() {
	if w.coming != nil {
		w.coming.stop()
		w.coming = nil
	}
}

// begin has the window begin at a time.
func (w *window) begin(host string, from time.Time) {
	w.stop()
	*w = window{
		ctx: w.ctx, ledger: w.ledger, host: host, low: from, high: from, exact: w.exact,
		byID: map[string]*entry{}, anyID: map[string]*entry{}, bySum: map[string][]*entry{},
	}
	w.coming = read(w.ctx, w.ledger, index.Filter{Kind: ledger.KindEvent, Host: []string{host}, Event: callEvents, Since: from, Oldest: true})
}

// upTo brings everything into the window that may be about a call.
func (w *window) upTo(c *transcript.Call) error {
	from, to := c.At.Add(-slack), c.Done.Add(slack)
	if c.Done.IsZero() {
		to = c.At.Add(openFor)
	}
	if w.host != c.Host || w.coming == nil || from.Before(w.low) {
		w.begin(c.Host, from)
	}
	for !w.over && !w.high.After(to) {
		e := w.coming.next()
		if e == nil {
			w.over, w.err = true, w.coming.err
			break
		}
		w.high = e.at
		w.add(e)
	}
	return w.err
}

// add takes an event in: into what there is of its call, if there is something.
func (w *window) add(e *entry) {
	if old := w.known(e); old != nil {
		old.merge(e)
		return
	}
	if e.id != "" {
		w.byID[e.session+"\x00"+e.id] = e
		w.anyID[e.id] = e
	}
	if e.id == "" || !transcript.SameIDs(e.host) {
		for _, key := range e.sums() {
			w.bySum[key] = append(w.bySum[key], e)
		}
	}
	w.queued = append(w.queued, e)
	if len(w.queued) > maxWindow {
		w.forget(w.queued[0])
		w.queued = w.queued[1:]
		w.low = w.queued[0].at.Add(slack)
	}
}

// known is what there is of an event's call. Without an ID a result belongs to the
// newest call with the same arguments that has none.
func (w *window) known(e *entry) *entry {
	if e.id != "" {
		return w.byID[e.session+"\x00"+e.id]
	}
	if e.pre > 0 {
		return nil
	}
	for _, key := range e.sums() {
		for _, old := range slices.Backward(w.bySum[key]) {
			if old.id == "" && old.post <= old.pre {
				return old
			}
		}
	}
	return nil
}

func (w *window) forget(e *entry) {
	if e.id != "" {
		delete(w.byID, e.session+"\x00"+e.id)
		if w.anyID[e.id] == e {
			delete(w.anyID, e.id)
		}
	}
	for _, key := range e.sums() {
		list := slices.DeleteFunc(w.bySum[key], func(o *entry) bool { return o == e })
		if w.bySum[key] = list; len(list) == 0 {
			delete(w.bySum, key)
		}
	}
}

// A match is how an entry goes with a call.
type match uint8

const (
	first match = iota
	again       // the call was joined with it before
	other       // it has the ID of the call, and says something else
)

// find is what the ledger has of a call, nil for nothing: by its ID, else by what it
// says and when. An entry by what it says is of one call only.
func (w *window) find(c *transcript.Call) (*entry, match) {
	if c.ID != "" {
		e := w.byID[c.Session+"\x00"+c.ID]
		if e == nil {
			e = w.elsewhere(c)
		}
		switch {
		case e == nil:
		case w.differs(e, c):
			return e, other
		case e.taken:
			return e, again
		default:
			e.taken, e.called = true, c.At
			return e, first
		}
	}
	var best *entry
	for _, key := range sums(c.Session, c.OptionDigest, c.Digest) {
		for _, e := range w.bySum[key] {
			if e.taken || e.at.Before(c.At.Add(-slack)) || !c.Done.IsZero() && e.at.After(c.Done.Add(slack)) {
				continue
			}
			if best == nil || e.at.Sub(c.At).Abs() < best.at.Sub(c.At).Abs() {
				best = e
			}
		}
		if best != nil {
			best.taken = true
			break
		}
	}
	return best, first
}

// differs reports whether an entry that has the ID of a call is about something else. Of
// arguments that are not in the record as they were there is only a digest of their
// letters: that counts for tools of which both sides had the same letters before.
func (w *window) differs(e *entry, c *transcript.Call) bool {
	if e.pre == 0 || c.Orphan || c.Digest == [32]byte{} {
		return false
	}
	key := c.Host + "\x00" + c.Tool
	switch {
	case transcript.AreDifferentTools(e.tool, c.Tool):
		return true
	case e.mac != "" && e.mac == c.OptionDigest:
		if len(w.exact) < maxWindow {
			w.exact[key] = true
		}
		return false
	case e.digest == c.Digest:
		return false
	case len(e.questions) > 0:
		return !slices.ContainsFunc(e.questions, func(q question) bool { return transcript.SameArguments(q.arguments, c.Arguments, q.whole) })
	}
	return e.mac != "" && c.OptionDigest != "" && c.Path == "" && w.exact[key]
}

// elsewhere is the same call in another session: a session that goes on under another
// name has a copy of what came before, with the times of then.
func (w *window) elsewhere(c *transcript.Call) *entry {
	e := w.anyID[c.ID]
	if e == nil || !transcript.SameIDs(c.Host) || c.Orphan {
		return nil
	}
	if !(e.mac != "" && e.mac == c.OptionDigest || e.digest != [32]byte{} && e.digest == c.Digest) {
		return nil
	}
	if e.taken && e.called.Equal(c.At) || !e.taken && !e.at.Before(c.At) && e.at.Before(c.Done.Add(time.Millisecond)) {
		return e
	}
	return nil
}
