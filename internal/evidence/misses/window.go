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
	// slack is how far the times of transcripts and ledger may differ. A host may write a call only
	// after it asked its hooks, and a result before.
	slack = 5 * time.Second
	// openTime is how long after a call without a result an event about it may come.
	openTime = 10 * time.Minute
)

// callEvents lists the events about a call.
var callEvents = []string{"pre_tool_use", "tool_response_transform", "post_tool_use", "post_tool_use_failure"}

// A window is the part of the ledger around the current call. It moves forward with later calls, and
// starts again for an earlier one.
type window struct {
	ctx    context.Context
	ledger Ledger
	host   string
	low    time.Time // nothing before is in it
	high   time.Time // everything up to then is in it

	coming *entryReader
	over   bool
	err    error

	byID     map[string]*entry   // by host, session and id
	anyID    map[string]*entry   // by id alone, for sessions that continue under another name
	byDigest map[string][]*entry // calls without an id that the transcript has too
	queued   []*entry            // all, oldest first

	exact map[string]bool // tools of hosts whose calls are identical on both sides
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

// restart empties the window and makes it begin at from, with records of host.
func (w *window) restart(host string, from time.Time) {
	w.stop()
	*w = window{
		ctx: w.ctx, ledger: w.ledger, host: host, low: from, high: from, exact: w.exact,
		byID: map[string]*entry{}, anyID: map[string]*entry{}, byDigest: map[string][]*entry{},
	}
	w.coming = readEntries(w.ctx, w.ledger, index.Filter{Kind: ledger.KindEvent, Host: []string{host}, Event: callEvents, Since: from, Oldest: true})
}

// readUpTo reads all entries into the window that may be about c.
func (w *window) readUpTo(c *transcript.Call) error {
	from, to := c.At.Add(-slack), c.Done.Add(slack)
	if c.Done.IsZero() {
		to = c.At.Add(openTime)
	}
	if w.host != c.Host || w.coming == nil || from.Before(w.low) {
		w.restart(c.Host, from)
	}
	for !w.over && !w.high.After(to) {
		e := w.coming.next()
		if e == nil {
			w.over, w.err = true, w.coming.err
			break
		}
		w.high = e.at
		w.addEvent(e)
	}
	return w.err
}

// addEvent adds e to the entry of its call, or as a new entry if there is none. If the window is full,
// it drops the oldest entry.
func (w *window) addEvent(e *entry) {
	if old := w.findExisting(e); old != nil {
		old.mergeEvent(e)
		return
	}
	if e.id != "" {
		w.byID[e.session+"\x00"+e.id] = e
		w.anyID[e.id] = e
	}
	if e.id == "" || !transcript.SameIDs(e.host) {
		for _, key := range e.digestKeys() {
			w.byDigest[key] = append(w.byDigest[key], e)
		}
	}
	w.queued = append(w.queued, e)
	if len(w.queued) > maxWindow {
		w.remove(w.queued[0])
		w.queued = w.queued[1:]
		w.low = w.queued[0].at.Add(slack)
	}
}

// findExisting returns the entry of the call that e is about, or nil if there is none. A result
// without an id belongs to the latest call with the same arguments that has no result yet.
func (w *window) findExisting(e *entry) *entry {
	if e.id != "" {
		return w.byID[e.session+"\x00"+e.id]
	}
	if e.pre > 0 {
		return nil
	}
	for _, key := range e.digestKeys() {
		for _, old := range slices.Backward(w.byDigest[key]) {
			if old.id == "" && old.post <= old.pre {
				return old
			}
		}
	}
	return nil
}

func (w *window) remove(e *entry) {
	if e.id != "" {
		delete(w.byID, e.session+"\x00"+e.id)
		if w.anyID[e.id] == e {
			delete(w.anyID, e.id)
		}
	}
	for _, key := range e.digestKeys() {
		list := slices.DeleteFunc(w.byDigest[key], func(o *entry) bool { return o == e })
		if w.byDigest[key] = list; len(list) == 0 {
			delete(w.byDigest, key)
		}
	}
}

// A match describes how an entry relates to a call.
type match uint8

const (
	first match = iota
	again       // the entry was joined with the call before
	other       // it has the id of the call, but other contents
)

// findEntry returns the ledger's entry for c, or nil if there is none. It finds it by id, or else by
// contents and time. An entry that it finds by contents belongs to one call only.
func (w *window) findEntry(c *transcript.Call) (*entry, match) {
	if c.ID != "" {
		e := w.byID[c.Session+"\x00"+c.ID]
		if e == nil {
			e = w.findInOtherSession(c)
		}
		switch {
		case e == nil:
		case w.isAboutOther(e, c):
			return e, other
		case e.taken:
			return e, again
		default:
			e.taken, e.called = true, c.At
			return e, first
		}
	}
	var best *entry
	for _, key := range digestKeys(c.Session, c.OptionDigest, c.Digest) {
		for _, e := range w.byDigest[key] {
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

// isAboutOther reports whether e, which has the id of c, is about another call. If the record does not
// have the arguments unchanged, only a digest of them can be compared. It counts for tools whose
// arguments were identical on both sides before.
func (w *window) isAboutOther(e *entry, c *transcript.Call) bool {
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

// findInOtherSession returns the entry of c in another session, or nil if there is none. A session
// that continues under another name has copies of earlier calls, with their times.
func (w *window) findInOtherSession(c *transcript.Call) *entry {
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
