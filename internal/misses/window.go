package misses

import (
	"context"
	"encoding/hex"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/index"
	"github.com/checkrein/checkrein/internal/ledger"
	"github.com/checkrein/checkrein/internal/marker"
	"github.com/checkrein/checkrein/internal/rawjson"
	"github.com/checkrein/checkrein/internal/transcript"
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

// An entry is what the ledger has of one call.
type entry struct {
	host, session, agent, id, tool string
	at                             time.Time // of its first event
	mac                            string    // keyed digest of the arguments as the host sent them
	digest                         [32]byte  // of the arguments as they are in the record

	pre, post, foreign int
	canceled           bool
	denied             uint64 // the record that denied it, 0 for none
	reason             string // the beginning of it
	replaced           uint64 // the record that replaced its result, 0 for none
	markers            []string
	before, after      []string // texts of the result that were replaced, and by what

	taken  bool      // a call of a transcript was joined with it
	called time.Time // when that was, by the transcript
}

// A window is the part of the ledger around the call at hand. It moves on as calls get
// later, and begins again for a call that is before it.
type window struct {
	ctx    context.Context
	ledger Ledger
	host   string
	low    time.Time // what is before is not in it
	high   time.Time // all until then is in it

	next func() (*entry, bool)
	halt func()
	over bool
	err  error

	byID   map[string]*entry   // host, session and ID
	anyID  map[string]*entry   // ID alone, for sessions that go on under another name
	bySum  map[string][]*entry // calls without an ID that the transcript has too
	queued []*entry            // all, oldest first
}

func (w *window) stop() {
	if w.halt != nil {
		w.halt()
		w.halt = nil
	}
}

// begin has the window begin at a time.
func (w *window) begin(host string, from time.Time) {
	w.stop()
	*w = window{
		ctx: w.ctx, ledger: w.ledger, host: host, low: from, high: from,
		byID: map[string]*entry{}, anyID: map[string]*entry{}, bySum: map[string][]*entry{},
	}
	filter := index.Filter{Kind: ledger.KindEvent, Host: []string{host}, Event: callEvents, Since: from, Oldest: true}
	w.next, w.halt = iter.Pull(func(yield func(*entry) bool) {
		err := w.ledger.Each(w.ctx, filter, func(raw []byte) bool {
			e := entryOf(raw)
			return e == nil || yield(e)
		})
		if err != nil && w.err == nil {
			w.err = err
		}
	})
}

// upTo brings everything into the window that may be about a call.
func (w *window) upTo(c *transcript.Call) error {
	from, to := c.At.Add(-slack), c.Done.Add(slack)
	if c.Done.IsZero() {
		to = c.At.Add(openFor)
	}
	if w.host != c.Host || w.next == nil || from.Before(w.low) {
		w.begin(c.Host, from)
	}
	for !w.over && !w.high.After(to) {
		e, ok := w.next()
		if !ok {
			w.over = true
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

// find is what the ledger has of a call, nil for nothing: by its ID, else by what it
// says and when. An entry by what it says is of one call only.
func (w *window) find(c *transcript.Call) (e *entry, again bool) {
	if c.ID != "" {
		if e = w.byID[c.Session+"\x00"+c.ID]; e == nil {
			e = w.elsewhere(c)
		}
		if e != nil {
			again = e.taken
			if !again {
				e.taken, e.called = true, c.At
			}
			return e, again
		}
	}
	var best *entry
	for _, key := range sums(c.Session, c.Sum, c.Digest) {
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
	return best, false
}

// elsewhere is the same call in another session: a session that goes on under another
// name has a copy of what came before, with the times of then.
func (w *window) elsewhere(c *transcript.Call) *entry {
	e := w.anyID[c.ID]
	if e == nil || !transcript.SameIDs(c.Host) || c.Orphan {
		return nil
	}
	if !(e.mac != "" && e.mac == c.Sum || e.digest != [32]byte{} && e.digest == c.Digest) {
		return nil
	}
	if e.taken && e.called.Equal(c.At) || !e.taken && !e.at.Before(c.At) && e.at.Before(c.Done.Add(time.Millisecond)) {
		return e
	}
	return nil
}

// sums are the names of a call by what it says.
func (e *entry) sums() []string { return sums(e.session, e.mac, e.digest) }

func sums(session, mac string, digest [32]byte) []string {
	var out []string
	if mac != "" {
		out = append(out, session+"\x00m"+mac)
	}
	if digest != [32]byte{} {
		out = append(out, session+"\x00d"+string(digest[:16]))
	}
	return out
}

// merge adds what another event says of the same call.
func (e *entry) merge(o *entry) {
	e.pre, e.post, e.foreign = e.pre+o.pre, e.post+o.post, e.foreign+o.foreign
	e.canceled = e.canceled || o.canceled
	if o.denied > 0 && e.denied == 0 {
		e.denied, e.reason = o.denied, o.reason
	}
	if o.replaced > 0 {
		e.replaced = o.replaced
	}
	e.markers = append(e.markers, o.markers...)
	e.before, e.after = append(e.before, o.before...), append(e.after, o.after...)
}

// entryOf reads what the join needs of a record; nil for one that is not about a call.
func entryOf(raw []byte) *entry {
	tool, ok := rawjson.Get(raw, "tool")
	if !ok {
		return nil
	}
	e := &entry{
		host: rawjson.GetText(raw, "host"), session: rawjson.GetText(raw, "session"), agent: rawjson.GetText(raw, "agent"),
		id: rawjson.GetText(tool, "call_id"), tool: rawjson.GetText(tool, "name"),
	}
	e.at, _ = time.Parse(time.RFC3339Nano, rawjson.GetText(raw, "time"))
	seq := number(raw, "seq")
	if yes(raw, "foreign") {
		e.foreign = 1
		return e
	}
	if input, ok := rawjson.Lookup(raw, "subject", "input"); ok {
		if sum, err := hex.DecodeString(rawjson.GetText(input, "digest")); err == nil {
			e.mac = string(sum)
		}
		if val, ok := rawjson.Get(input, "json"); ok {
			e.digest = transcript.Digest(val)
		}
	}
	effects := texts(raw, "effects")
	switch event := rawjson.GetText(raw, "event"); event {
	case "pre_tool_use":
		e.pre = 1
		e.canceled = yes(raw, "canceled")
		if slices.Contains(effects, "deny") && !yes(raw, "shadow") {
			e.denied, e.reason = seq, cut(rawjson.GetText(raw, "reason"), maxPiece)
		}
	case "tool_response_transform": // the same event of the host as post_tool_use, which has the reply
		if slices.Contains(effects, "rewrite_output") && !yes(raw, "shadow") {
			e.replaced = seq
		}
		e.replies(raw)
	default:
		e.post = 1
		e.replies(raw)
	}
	return e
}

const (
	maxPiece   = 200 // bytes of a text
	maxPieces  = 4
	maxMarkers = 8
	minPiece   = 6 // a shorter text may be anywhere
)

// replies notes what was put in place of a result, in few words.
func (e *entry) replies(raw []byte) {
	reply, ok := rawjson.Lookup(raw, "reply", "stdout")
	if !ok {
		return
	}
	for _, m := range marker.Find(string(reply)) {
		if m.ID != "" && len(e.markers) < maxMarkers {
			e.markers = append(e.markers, m.ID)
		}
	}
	was, _ := rawjson.Lookup(raw, "subject", "output", "json")
	now, _ := rawjson.Get(reply, "json")
	old, fresh := lines(was), lines(now)
	for _, s := range old {
		if len(e.before) < maxPieces && !slices.Contains(fresh, s) {
			e.before = append(e.before, s)
		}
	}
	for _, s := range fresh {
		if len(e.after) < maxPieces && !slices.Contains(old, s) {
			e.after = append(e.after, s)
		}
	}
}

const maxLines = 256

// lines are the beginnings of the lines of all texts of a value that are long enough to
// be told from others.
func lines(val []byte) []string {
	var out []string
	rawjson.Strings(val, func(s string) bool {
		for line := range strings.Lines(s) {
			if line = strings.TrimSpace(line); len(line) >= minPiece {
				out = append(out, cut(line, maxPiece))
			}
		}
		return len(out) < maxLines
	})
	return out
}

func number(raw []byte, key string) (n uint64) {
	val, _ := rawjson.Get(raw, key)
	for _, c := range val {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + uint64(c-'0')
	}
	return n
}

func yes(raw []byte, key string) bool {
	val, _ := rawjson.Get(raw, key)
	return string(val) == "true"
}

func texts(raw []byte, key string) []string {
	var out []string
	val, _ := rawjson.Get(raw, key)
	rawjson.Strings(val, func(s string) bool {
		out = append(out, s)
		return true
	})
	return out
}

// cut is the beginning of a text, a copy.
func cut(s string, most int) string {
	if len(s) > most {
		s = s[:most]
	}
	return strings.Clone(strings.ToValidUTF8(s, ""))
}
