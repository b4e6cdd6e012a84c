// Package feed follows the ledger once for everyone who watches it.
//
// One reader of the ledger's files serves all subscriptions of a process. A subscriber who is slow
// loses rows, which are counted, and never delays the reader, other subscribers or writers of the
// ledger.
package feed

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
)

const (
	// Interval is the least time between two batches of a subscription.
	Interval = 100 * time.Millisecond

	maxPending = 500     // rows of a subscription that wait for it
	maxRecent  = 500     // rows that a new subscription may get at once
	maxDecoded = 100     // records without a decision that are decoded in an interval
	startBytes = 1 << 20 // how much of the ledger is read for the first recent rows
)

// A Feed follows the ledger in a directory while there are subscriptions. It is safe for concurrent use.
type Feed struct {
	dir string

	mu     sync.Mutex
	subs   []*Subscription
	recent []item // the newest rows, oldest first
	reader *ledger.Reader
	stop   context.CancelFunc // ends the reading; nil = it does not run
}

// An item is a row with the record that filters judge.
type item struct {
	row Row
	rec *record.Record
}

// New returns a feed of the ledger in dir, which need not exist yet.
func New(dir string) *Feed { return &Feed{dir: dir} }

// A Batch is what a subscription gets at once.
type Batch struct {
	Rows    []Row  `json:"rows"`
	Dropped int    `json:"dropped"` // rows that were left out since the last batch, because there were too many
	Last    uint64 `json:"last"`    // the number of the newest record that the batch accounts for
}

// A Subscription receives the rows that its filter accepts.
type Subscription struct {
	feed   *Feed
	filter index.Filter
	judge  func(*record.Record) bool // Accepts of filter
	calls  bool

	mu      sync.Mutex
	pending []Row
	dropped int
	last    uint64
	more    chan struct{} // has an element if something is pending
	sent    time.Time     // when Next returned
}

// Options select the rows of a subscription.
type Options struct {
	Filter index.Filter // Limit and Oldest do not count
	Calls  bool         // only rows for which IsCall is true
	// After is the number of the record after which the rows begin, for a subscription that continues;
	// 0 = it begins with recent rows.
	After uint64
}

// Subscribe returns a subscription. The caller must close it.
func (f *Feed) Subscribe(opts Options) (*Subscription, error) {
	s := &Subscription{feed: f, filter: opts.Filter, judge: opts.Filter.Accepter(), calls: opts.Calls, more: make(chan struct{}, 1), last: opts.After}
	f.mu.Lock()
	if f.stop == nil {
		if err := f.start(); err != nil {
			f.mu.Unlock()
			return nil, err
		}
	}
	f.subs = append(f.subs, s)
	back, end := f.backlog(s), f.reader.Position()
	f.mu.Unlock()
	if back == nil {
		return s, nil
	}
	if err := s.readBack(back, end); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// start begins to read: it reads the end of the ledger for recent rows, and follows it from there.
func (f *Feed) start() error {
	from, err := positionBeforeEnd(f.dir, startBytes)
	if err != nil {
		return err
	}
	f.recent, f.reader = nil, ledger.NewReader(f.dir, from)
	f.read(maxRecent, f.keepRecent)
	ctx, stop := context.WithCancel(context.Background())
	f.stop = stop
	go f.follow(ctx)
	return nil
}

// positionBeforeEnd returns the position of a line that begins about back bytes before the end of the
// ledger in dir, or its beginning.
func positionBeforeEnd(dir string, back int64) (at ledger.Position, err error) {
	segments, err := ledger.Segments(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return at, err
	}
	for _, s := range slices.Backward(segments) {
		at = ledger.Position{Segment: s.Number}
		if s.Size >= back {
			at.Offset = lineStart(dir, s.Number, s.Size-back)
			break
		}
		back -= s.Size
	}
	return at, nil
}

// lineStart returns the offset of the first line of a segment that begins at offset or later, or 0.
func lineStart(dir string, segment int, offset int64) int64 {
	file, err := ledger.OpenSegment(dir, segment)
	if err != nil {
		return 0
	}
	defer file.Close()
	if offset == 0 {
		return 0
	}
	buf := make([]byte, ledger.MaxLine+1)
	n, _ := file.ReadAt(buf, offset-1)
	i := bytes.IndexByte(buf[:n], '\n')
	if i < 0 {
		return 0
	}
	return offset + int64(i)
}

// follow passes new rows on until ctx ends.
func (f *Feed) follow(ctx context.Context) {
	tick := time.NewTicker(Interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		f.mu.Lock()
		if ctx.Err() == nil {
			f.read(maxDecoded, f.pass)
		}
		f.mu.Unlock()
	}
}

// A chunk is what was read of the ledger at once.
type chunk struct {
	items   []item
	skipped int // records that were not decoded
	last    uint64
}

// read reads to the end of the ledger and calls fn with what it found. Of each chunk it decodes at most
// most records without a decision.
func (f *Feed) read(most int, fn func(*chunk)) {
	for more := true; more; {
		c := &chunk{}
		more = f.readChunk(c, most)
		if c.last > 0 {
			fn(c)
		}
	}
}

// maxChunk is how many records are read at once.
const maxChunk = 4096

// readChunk reads records into c, and reports whether there may be more. It decodes those with a
// decision, and at most most others.
func (f *Feed) readChunk(c *chunk, most int) bool {
	idle := 0
	for range maxChunk {
		e, err := f.reader.Next()
		if err != nil {
			if errors.Is(err, ledger.ErrShorter) { // this is another ledger
				if end, err := positionBeforeEnd(f.dir, 0); err == nil {
					f.reader = ledger.NewReader(f.dir, end)
				}
			}
			return false
		}
		if e.Damaged {
			continue
		}
		c.last = e.Line.Seq
		if e.Line.Kind != ledger.KindEvent && e.Line.Kind != ledger.KindPerson {
			continue
		}
		if isPassed(e.Line.Raw) {
			if idle++; idle > most {
				c.skipped++
				continue
			}
		}
		c.add(e.Line.Raw)
	}
	return true
}

// add decodes line and adds its row.
func (c *chunk) add(line []byte) {
	rec, err := record.Decode(line)
	if err != nil {
		return
	}
	if row, ok := NewRow(rec, line); ok {
		plain := row
		row.encode = sync.OnceValue(plain.JSON)
		c.items = append(c.items, item{row, rec})
	}
}

// isPassed reports whether line, of the ledger, has no decision and no answer.
func isPassed(line []byte) bool {
	return bytes.Contains(line, []byte(`"decision":"none"`)) && !bytes.Contains(line, []byte(`"answer":"`))
}

// keepRecent keeps the newest rows of c.
func (f *Feed) keepRecent(c *chunk) {
	f.recent = append(f.recent, c.items...)
	if over := len(f.recent) - maxRecent; over > 0 {
		f.recent = slices.Clone(f.recent[over:])
	}
}

// pass passes c to the subscriptions.
func (f *Feed) pass(c *chunk) {
	for _, s := range f.subs {
		s.add(c)
	}
	f.keepRecent(c)
}

// accepts reports whether s gets it.
func (s *Subscription) accepts(it *item) bool {
	return (!s.calls || it.row.IsCall()) && s.judge(it.rec)
}

// add adds what s accepts of c.
func (s *Subscription) add(c *chunk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = slices.Grow(s.pending, len(c.items))
	for i := range c.items {
		if it := &c.items[i]; s.accepts(it) {
			s.pending = append(s.pending, it.row)
		}
	}
	s.dropped += c.skipped
	s.last = max(s.last, c.last)
	s.settle()
}

// settle drops the oldest rows if too many are pending, and wakes Next if something is.
func (s *Subscription) settle() {
	if over := len(s.pending) - maxPending; over > 0 {
		s.dropped += over
		s.pending = slices.Delete(s.pending, 0, over)
	}
	if len(s.pending) > 0 || s.dropped > 0 {
		select {
		case s.more <- struct{}{}:
		default:
		}
	}
}

// Next returns the next batch. It waits until there is one, and until [Interval] has passed since the
// last one. The error is that of ctx.
func (s *Subscription) Next(ctx context.Context) (Batch, error) {
	select {
	case <-ctx.Done():
		return Batch{}, ctx.Err()
	case <-s.more:
	}
	if wait := time.Until(s.sent.Add(Interval)); wait > 0 {
		select {
		case <-ctx.Done():
			return Batch{}, ctx.Err()
		case <-time.After(wait):
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b := Batch{Rows: s.pending, Dropped: s.dropped, Last: s.last}
	s.pending, s.dropped, s.sent = nil, 0, time.Now()
	return b, nil
}

// Close ends the subscription. The reading ends with the last one.
func (s *Subscription) Close() {
	f := s.feed
	f.mu.Lock()
	f.subs = slices.DeleteFunc(f.subs, func(o *Subscription) bool { return o == s })
	f.stopIfUnused()
	f.mu.Unlock()
}

// stopIfUnused ends the reading if there are no subscriptions.
func (f *Feed) stopIfUnused() {
	if len(f.subs) == 0 && f.stop != nil {
		f.stop()
		f.reader.Close()
		f.stop, f.reader, f.recent = nil, nil, nil
	}
}
