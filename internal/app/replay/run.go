// Package replay decides calls of the past again, under a policy of today, and reports what changed. It
// executes nothing: hooks that run programs give the answers that the records have of them.
//
// [Run] reads the sources one after another. Workers decide the calls of batches and count results, so
// that memory does not grow with the number of calls.
package replay

import (
	"bytes"
	"cmp"
	"context"
	"hash/maphash"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Options configure [Run].
type Options struct {
	// Open opens the kit of a project for a policy: a file or directory that stands in for the user's
	// own files, or "" for those.
	Open func(root, agent, policy string) (*app.Kit, error)

	Policy    string // the new policy
	Against   string // the old policy
	Recorded  bool   // compare with what was recorded instead of with Against
	Unrelated bool   // calls without a record are compared with the policy Against; otherwise, they are skipped

	Full     bool                               // decide everything again, even by hooks that are as they were
	Examples int                                // how many examples each rule has
	Fits     func(*ledger.Line) bool            // selects records; nil = all
	FitsCall func(host, id string) bool         // selects calls that were not recorded, by host and session; nil = all
	Progress func(done, total int64)            // is called with numbers of bytes; may be nil
	Verify   func(dir string) ([]string, error) // returns how the ledger in dir was tampered with
}

// Run decides the calls of the sources again. If a source was tampered with, the report has only that.
func Run(ctx context.Context, list []Source, o Options) (*Report, error) {
	for _, s := range list {
		if s.Ledger == "" {
			continue
		}
		damage, err := o.Verify(s.Ledger)
		if err != nil {
			return nil, err
		}
		if len(damage) > 0 {
			return &Report{Damage: damage}, nil
		}
	}
	r := &run{Options: o, kits: map[kitKey]*pair{}, work: make(chan []item, 4)}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var wait sync.WaitGroup
	tallies := make([]*tally, runtime.GOMAXPROCS(0))
	for i := range tallies {
		tallies[i] = newTally(o.Examples)
		w := worker{run: r, tally: tallies[i], seed: maphash.MakeSeed(), other: maphash.MakeSeed()}
		wait.Go(func() {
			if err := w.decideAll(ctx); err != nil {
				stop(err)
			}
		})
	}
	feed := newFeed(ctx, r, list)
	err := feed.readAll(list)
	close(r.work)
	wait.Wait()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	if len(feed.damage) > 0 {
		return &Report{Damage: feed.damage}, nil
	}
	for _, t := range tallies[1:] {
		tallies[0].merge(t)
	}
	out := tallies[0].report()
	out.Skipped = feed.skipped
	return out, nil
}

// A run is a replay at work.
type run struct {
	Options
	work chan []item

	mu   sync.Mutex
	kits map[kitKey]*pair
}

// A kitKey names the project and the agent of a kit.
type kitKey struct{ root, agent string }

// A pair holds the kits of a project for both policies.
type pair struct {
	once     sync.Once
	new, old *app.Kit // old is nil if no call needs it
	digest   string   // of the policy of new
	err      error
}

// kitKeyOf returns the key of the kit for an event.
func kitKeyOf(ev *checkrein.Event) kitKey {
	key := kitKey{cmp.Or(ev.Session.Root, ev.Session.Dir), ev.Session.Agent}
	if ev.Kind == checkrein.SubagentStop { // it is about the agent that stops, and the hooks of its parent run
		key.agent = ""
	}
	return key
}

// maxKits limits how many projects are open at the same time.
const maxKits = 256

// open returns the kits for an event. A project is opened once, whichever worker needs it first.
func (r *run) open(ev *checkrein.Event) *pair {
	key := kitKeyOf(ev)
	r.mu.Lock()
	p := r.kits[key]
	if p == nil {
		if len(r.kits) == maxKits {
			clear(r.kits)
		}
		p = new(pair)
		r.kits[key] = p
	}
	r.mu.Unlock()
	p.once.Do(func() {
		p.new, p.err = r.Open(key.root, key.agent, r.Policy)
		if p.err == nil {
			p.digest = p.new.Policy()
		}
		if p.err == nil && (!r.Recorded || r.Unrelated) {
			p.old, p.err = r.Open(key.root, key.agent, r.Against)
		}
	})
	return p
}

// A worker decides calls.
type worker struct {
	*run
	tally       *tally
	seed, other maphash.Seed
	recent, old map[cacheKey]*decided
	buf         []byte
}

// A cacheKey is a hash of a call.
type cacheKey [2]uint64

// maxCached is how many decisions a worker remembers; twice as many for a short time.
const maxCached = 1 << 14

// decided is what was decided about a call.
type decided struct {
	is, was Answer // was is set only if policies are compared
	gaps    []app.Gap
	judged  bool // what was read matters
	read    *reading
	sought  []string // earlier calls of the session with one of these texts matter
}

// decideAll decides the calls of all batches.
func (w *worker) decideAll(ctx context.Context) error {
	for batch := range w.work {
		for i := range batch {
			if ctx.Err() != nil {
				break // read the rest, so that the reader can end
			}
			w.decide(ctx, &batch[i])
		}
	}
	return nil
}

// decide decides a call again and counts the result.
func (w *worker) decide(ctx context.Context, it *item) {
	w.tally.calls++
	p := it.past
	if it.line != nil {
		p = decodePast(it.line)
	}
	if p.why != (Reason{}) {
		w.tally.addLost(p.why, it.id(p), it.order)
		return
	}
	recorded := w.Recorded && it.line != nil
	if recorded && !p.shadow && w.isSamePolicy(it, p) {
		w.tally.unchanged++
		return
	}
	d, err := w.lookUp(ctx, it, p, !recorded)
	switch {
	case err != nil:
		w.tally.addLost(Reason{string(app.GapState), "the files of the project: " + firstLine(err)}, it.id(p), it.order)
		return
	case len(d.gaps) > 0:
		w.tally.addLost(Reason{string(d.gaps[0].Kind), d.gaps[0].What}, it.id(p), it.order)
		return
	case it.line != nil && d.judged && d.read.differs(p.facts, it.key) != "":
		w.tally.addLost(Reason{Kind: Files}, it.id(p), it.order)
		return
	}
	was := d.was
	if recorded {
		was = p.recordedAnswer()
	}
	change := Compare(&was, &d.is)
	if change == nil {
		w.tally.unchanged++
		return
	}
	if recorded && p.program != build.Version {
		w.tally.builds++
	}
	w.tally.addChange(change, ruleOf(change, &was, &d.is), 1, it.example(p, was, d.is))
}

// isSamePolicy reports whether this build decided the call under all of the policy under which it would be
// decided again, and so would decide the same.
func (w *worker) isSamePolicy(it *item, p *past) bool {
	if p.program != it.build {
		return false
	}
	kits := w.open(&p.event)
	return kits.err == nil && kits.digest == p.policy
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// lookUp returns what is decided about a call, from the cache if an equal call was decided before. With
// both, it is decided under the old policy too.
func (w *worker) lookUp(ctx context.Context, it *item, p *past, both bool) (*decided, error) {
	key := w.hash(it, p, both)
	d := w.recent[key]
	if d == nil {
		if d = w.old[key]; d != nil {
			w.remember(key, d)
		}
	}
	if d != nil && !it.mentions(d.sought) {
		return d, nil
	}
	kits := w.open(&p.event)
	if kits.err != nil {
		return nil, kits.err
	}
	d, special := decideOnce(ctx, kits.new, it, p)
	if both {
		was, also := decideOnce(ctx, kits.old, it, p)
		d.was, d.judged, special = was.is, d.judged || was.judged, special || also
		d.gaps, d.sought = append(d.gaps, was.gaps...), append(d.sought, was.sought...)
	}
	if !special && !it.mentions(d.sought) {
		w.remember(key, d)
	}
	return d, nil
}

// decideOnce decides a call with one kit, and reports whether that cannot be remembered for equal calls.
func decideOnce(ctx context.Context, k *app.Kit, it *item, p *past) (d *decided, special bool) {
	c := &app.PastCall{Event: p.event, Whole: it.line == nil, Earlier: it.earlierCalls}
	if it.line != nil {
		c.Answer, c.Redo, c.Off, c.Rewritten, c.Plan = p.word(), p.redo, p.off, p.rewritten, p.plan
		c.SameBuild = it.build != "" && p.program == it.build && p.rewritten == nil && len(weighty(p.effects)) == 0
	}
	out := k.Replay(ctx, c)
	return &decided{is: answerOf(&out), gaps: c.Gaps(), judged: c.IsJudged(), read: newReading(&out.Event, it.key), sought: c.Sought()}, c.IsSpecial()
}

// remember adds a decision to the cache.
func (w *worker) remember(key cacheKey, d *decided) {
	if len(w.recent) >= maxCached || w.recent == nil {
		w.old, w.recent = w.recent, make(map[cacheKey]*decided, maxCached/4)
	}
	w.recent[key] = d
}

// hash returns the key of a call in the cache: a hash of all on which the decision depends.
func (w *worker) hash(it *item, p *past, both bool) cacheKey {
	ev := &p.event
	b := append(w.buf[:0], byte(ev.Kind), flag(both), flag(it.line == nil), flag(p.program == it.build))
	add := func(s string) { b = append(strconv.AppendInt(b, int64(len(s)), 10), s...) }
	for _, s := range [...]string{ev.Host, ev.Native, ev.Session.Dir, ev.Session.Root, ev.Session.Agent, ev.Text, string(ev.Messages), p.answer, p.decision} {
		add(s)
	}
	if t := ev.Tool; t != nil {
		b = append(b, flag(t.Failed))
		for _, s := range [...]string{t.Name, t.Canonical, string(t.Input), string(t.Output)} {
			add(s)
		}
	}
	for _, name := range p.off {
		add(name)
	}
	rawjson.Elements(p.rawPlan, func(_ int, step []byte) bool { // saves and walls follow from what the packs did
		rawjson.EachRaw(step, func(key, val []byte) bool {
			switch string(key) {
			case "hook", "digest", "decision", "outcome":
				b = append(b, val...)
			}
			return true
		})
		return true
	})
	w.buf = b
	return cacheKey{maphash.Bytes(w.seed, b), maphash.Bytes(w.other, b)}
}

func flag(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// An item is a call on its way to a worker.
type item struct {
	line  []byte // the record; nil = the call was not recorded
	past  *past  // the call, if it was not recorded
	order uint64
	place string    // where it is, if that is not a ledger of this machine
	seq   uint64    // the number of the record
	key   *[32]byte // the key of the record's digests; nil = unknown
	build string    // this build, if what it decided may stand

	earlier [][]byte // earlier records of the session, oldest first
}

// maxEarlierCalls is how many earlier calls hooks get; see [app.Kit].
const maxEarlierCalls = 2000

// earlierCalls returns the records of earlier calls in the session, newest first.
func (it *item) earlierCalls() [][]byte {
	out := make([][]byte, 0, min(len(it.earlier), maxEarlierCalls))
	for i := len(it.earlier) - 1; i >= 0 && len(out) < maxEarlierCalls; i-- {
		out = append(out, it.earlier[i])
	}
	return out
}

// mentions reports whether an earlier call of the session has one of texts in its record.
func (it *item) mentions(texts []string) bool {
	for _, text := range texts {
		for _, line := range it.earlier {
			if bytes.Contains(line, []byte(text)) {
				return true
			}
		}
	}
	return false
}

// id returns the name of the call: the handle of its block, the number of its record, or its place.
func (it *item) id(p *past) string {
	switch {
	case it.place != "":
		return it.place
	case p.handle != "":
		return p.handle
	}
	return strconv.FormatUint(it.seq, 10)
}

// maxShown is how many bytes of a call an example has.
const maxShown = 200

// example returns the call as an example.
func (it *item) example(p *past, was, is Answer) Example {
	ev := &p.event
	e := Example{ID: it.id(p), Time: p.at, Host: ev.Host, Session: ev.Session.ID, Event: ev.Kind.String(), Was: was, Is: is, InFile: it.place != "", order: it.order}
	if t := ev.Tool; t != nil {
		e.Tool = t.Name
		e.Call = t.Command()
		if paths := t.Paths(); e.Call == "" && len(paths) > 0 {
			e.Call = strings.Join(paths, " ")
		}
	} else {
		e.Call = ev.Text
	}
	if it.line == nil { // records are redacted
		e.Call = secret.Redactor{}.MaskText(e.Call)
	}
	e.Call = strings.Join(strings.Fields(e.Call), " ")
	if len(e.Call) > maxShown {
		e.Call = strings.ToValidUTF8(e.Call[:maxShown], "") + "…"
	}
	return e
}

// Decide decides the record line again with k, for a person who looks at one call. It returns what was
// decided, what k decides, and why that is not known, if it is not.
func Decide(ctx context.Context, k *app.Kit, line []byte, key *[32]byte) (was, is Answer, why string) {
	p := decodePast(line)
	if p.why != (Reason{}) {
		return was, is, p.why.String()
	}
	it := &item{line: line, key: key}
	d, _ := decideOnce(ctx, k, it, p)
	switch {
	case len(d.gaps) > 0:
		return was, is, Reason{string(d.gaps[0].Kind), d.gaps[0].What}.String()
	case d.read.differs(p.facts, key) != "":
		return was, is, Reason{Kind: Files}.String()
	}
	return p.recordedAnswer(), d.is, ""
}

// PlaceOf returns the project and the agent of the record line, for which a kit decides it again.
func PlaceOf(line []byte) (root, agent string) {
	ev := &decodePast(line).event
	key := kitKeyOf(ev)
	return key.root, key.agent
}
