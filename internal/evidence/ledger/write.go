package ledger

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Files of a ledger.
const (
	Folder      = "ledger" // in the state directory
	HeadFile    = "head"   // see also MissedFile
	KeyFile     = "key"
	CurrentFile = "current.jsonl"
)

// SegmentFile returns the file name of the full segment with this number.
func SegmentFile(number int) string { return fmt.Sprintf("%08d.jsonl", number) }

// Options holds the location and settings of a ledger. Zero values select the defaults.
type Options struct {
	Dir   state.Dir // the state directory
	Now   func() time.Time
	Clock Clock // nil means that of this machine

	Segment int64         // bytes after which a segment is full; 0 means 16 MiB
	Age     time.Duration // age after which a segment is full; 0 means 7 days
	Every   uint64        // records between two checkpoints; 0 means 128

	Event bool // the ledger is used for an event: the event's record carries other pending changes

	disk disk // nil means that of Dir
}

// A Clock returns the id of the machine's boot and the nanoseconds since.
type Clock func() (boot string, mono int64)

const (
	defaultSegment = 16 << 20
	defaultAge     = 7 * 24 * time.Hour
	defaultEvery   = 128
)

// A Ledger is safe for concurrent use, and several processes may write to the same one. It keeps no
// file open.
type Ledger struct {
	opts     Options
	key      func() (Key, error)
	keyed    atomic.Bool // the key was read
	lastHead atomic.Pointer[cachedHead]

	mu      sync.Mutex // guards changes
	changes []func(state.Generations) state.Generations
}

// Open returns the ledger in the state directory opts.Dir. It accesses no files.
func Open(opts Options) *Ledger {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Clock == nil {
		opts.Clock = readMachineClock
	}
	if opts.Segment <= 0 {
		opts.Segment = defaultSegment
	}
	if opts.Age <= 0 {
		opts.Age = defaultAge
	}
	if opts.Every == 0 {
		opts.Every = defaultEvery
	}
	if opts.disk == nil {
		opts.disk = stateFolder{opts.Dir}
	}
	l := &Ledger{opts: opts}
	l.key = sync.OnceValues(func() (Key, error) {
		data, err := opts.disk.Key()
		if err != nil {
			return Key{}, err
		}
		l.keyed.Store(true)
		return ParseKey(data)
	})
	return l
}

// Key returns the ledger's secret, and creates it if there is none.
func (l *Ledger) Key() (Key, error) { return l.key() }

// A Receipt acknowledges a record.
type Receipt struct {
	Seq  uint64
	Hash Hash
	Due  bool // a checkpoint is due
}

// ErrNotDurable means that a record was written but may be lost in a crash.
var ErrNotDurable = errors.New("the record is written, but may not survive a crash")

// Append adds a record of the given kind with members, such as `"a":1,"b":2`. It returns once the
// record survives the death of every process or, if sync is set, a power failure.
//
// If the error is ErrNotDurable, the record was written but may be lost. After any other error it is
// not in the ledger.
func (l *Ledger) Append(kind string, members []byte, sync bool) (Receipt, error) {
	return l.appendWithRepair(kind, members, appendOptions{sync: sync})
}

// appendOptions holds the options for adding a record.
type appendOptions struct {
	sync   bool
	stores func(state.Generations) state.Generations // returns the generations after the record; nil means unchanged
}

// appendWithRepair is appendRecord. If that fails, it repairs the modes of the ledger's files and, if
// there was anything to repair, tries again.
func (l *Ledger) appendWithRepair(kind string, members []byte, how appendOptions) (Receipt, error) {
	receipt, err := l.appendRecord(kind, members, how)
	if err == nil || errors.Is(err, ErrNotDurable) || errors.Is(err, state.ErrBusy) {
		return receipt, err
	}
	// The modes of the ledger's files may have been changed.
	if what := l.repairModes(); what != "" {
		b := rawjson.Object{'{'}
		b.Text("what", what)
		_, _ = l.appendRecord(KindMended, b[1:], appendOptions{})
		return l.appendRecord(kind, members, how)
	}
	return receipt, err
}

// repairModes repairs the modes of the ledger's files, and returns a description of the repairs, or ""
// if there was nothing to repair.
func (l *Ledger) repairModes() string {
	what := strings.Join(l.opts.disk.RepairModes(), ", ")
	if what != "" {
		l.key = Open(l.opts).key // the key could not be read before
	}
	return what
}

// appendRecord adds a record together with those that other goroutines add at this time, and waits until
// it is on disk as how says.
func (l *Ledger) appendRecord(kind string, members []byte, how appendOptions) (Receipt, error) {
	key, err := l.Key()
	if err != nil {
		return Receipt{}, fmt.Errorf("ledger: %w", err)
	}
	r := &request{Ledger: l, key: key, kind: kind, members: members, appendOptions: how, state: make(chan bool, 1)}
	q := queueOf(l.opts.Dir.Path(Folder))
	if q.add(r) || !<-r.state {
		q.write()
		<-r.state
	}
	if r.err != nil {
		return Receipt{}, fmt.Errorf("ledger: %w", r.err)
	}
	return r.receipt, nil
}

// A request is a record to be added.
type request struct {
	*Ledger
	key     Key
	kind    string
	members []byte
	appendOptions

	state   chan bool // receives false when the request must write the queue, and true when it is done
	receipt Receipt
	err     error
}

// A queue holds the requests of this process for one ledger. The goroutine of the first one writes all
// that wait, with one lock and one write, so that they neither wait for the file lock, which they
// would have to poll, nor open the files once each.
type queue struct {
	mu      sync.Mutex // guards waiting
	waiting []*request
	files   sync.Mutex // held while the files are written
}

// queues holds the queue of each ledger that this process writes to, by directory.
var queues sync.Map

// queueOf returns the queue of the ledger in dir.
func queueOf(dir string) *queue {
	q, ok := queues.Load(dir)
	if !ok {
		q, _ = queues.LoadOrStore(dir, new(queue))
	}
	return q.(*queue)
}

// add adds r, and reports whether its goroutine must call write.
func (q *queue) add(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, r)
	return len(q.waiting) == 1
}

// write writes the waiting requests. The first of those that remain or come meanwhile writes next.
func (q *queue) write() {
	runtime.Gosched() // others that are about to add a record do so first
	q.mu.Lock()
	batch := slices.Clone(q.waiting)
	q.mu.Unlock()
	w := writer{Ledger: batch[0].Ledger, key: batch[0].key, seals: batch[0].key.Seals()}
	w.finish(batch[:q.append(&w, batch)])
}

// append has w add the first records of batch, lets the next request write, and returns how many were
// added. If w panics, that ends the first request only.
func (q *queue) append(w *writer, batch []*request) (n int) {
	n = 1
	q.files.Lock()
	defer func() {
		q.files.Unlock()
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.waiting = slices.Delete(q.waiting, 0, n); len(q.waiting) > 0 {
			q.waiting[0].state <- false
		}
	}()
	n = w.appendBatch(batch)
	return n
}

// finish syncs the segment if one of batch needs that, which delays only those, and ends all of them.
func (w *writer) finish(batch []*request) {
	synced := slices.Clone(batch)
	synced = slices.DeleteFunc(synced, func(r *request) bool { return !r.sync || r.err != nil })
	if w.missed != nil {
		w.missed.Close()
	}
	end := func() {
		if len(synced) > 0 {
			if err := w.segment.Sync(); err != nil {
				for _, r := range synced {
					r.err = fmt.Errorf("%w: %w", ErrNotDurable, err)
				}
			}
		}
		if w.segment != nil {
			w.segment.Close()
		}
		for _, r := range synced {
			r.state <- true
		}
	}
	if len(synced) > 0 && len(synced) < len(batch) {
		go end()
	} else {
		end()
	}
	for _, r := range batch {
		if !slices.Contains(synced, r) {
			r.state <- true
		}
	}
}

// appendBatch takes the lock, adds the first records of batch, and frees the lock. It sets their
// receipts or errors, and returns how many there are.
func (w *writer) appendBatch(batch []*request) (n int) {
	var err error
	if w.lock, err = w.opts.disk.OpenLocked(HeadFile); err == nil {
		n, err = w.appendRecords(batch)
		w.lock.Close()
	}
	n = max(n, 1)
	for _, r := range batch[:n] {
		r.err = cmp.Or(r.err, err)
	}
	return n
}

// A writer adds records while it holds the ledger's lock.
type writer struct {
	*Ledger
	key     Key
	seals   *Seals
	lock    diskFile
	segment diskFile // the current segment; nil until it is open
	old     bool     // a build without seals began the segment
	head    Head     // where the chain ends
	pending []byte

	missed   sharedFile     // the count of missed calls; nil means not open
	reported reportedMissed // what the chain reports about missed calls
	base     []byte         // what to store in the count once the pending records are written; nil means nothing
	damaged  []int          // slots of notes to clear then
}

// appendRecords adds the first records of batch, after what is due before them: recovery of the chain, a
// record about missed calls, a new segment. It returns how many it tried to add.
func (w *writer) appendRecords(batch []*request) (n int, err error) {
	if err := w.openChain(); err != nil {
		return 1, err
	}
	if err := w.recordMissed(); err != nil {
		return 1, err
	}
	rotated := false
	for _, r := range batch {
		w.Ledger = r.Ledger
		isDue := w.old || w.isFull(len(r.members)) // a segment is sealed as a whole, or not at all
		if n > 0 && (isDue || r.kind == "" || r.key != w.key) {
			break // with the next batch
		}
		if n++; isDue {
			if err := w.rotate(); err != nil {
				return n, err
			}
			rotated = true
		}
		if r.kind == "" {
			w.changeStores(r)
			return n, errors.Join(w.flush(), w.writeHead())
		}
		w.addRequest(r)
		r.receipt.Due = rotated || w.head.Seq%w.opts.Every == 0
	}
	if !slices.ContainsFunc(batch[:n], func(r *request) bool { return r.err == nil }) {
		return n, nil
	}
	if err := w.flush(); err != nil {
		return n, err
	}
	w.finishMissed()
	for _, r := range batch[:n] {
		if r.err == nil {
			r.clearChanges()
		}
	}
	return n, nil
}

// changeStores applies what changes with r to the generations, and reports whether they are different
// now.
func (w *writer) changeStores(r *request) bool {
	if w.head.Stores == "" {
		w.addUnsealed()
	}
	before := w.head.Stores
	if w.head.Stores = r.applyChanges(before); r.stores != nil {
		w.head.Stores = r.stores(w.head.Stores)
	}
	return w.head.Stores != before
}

// addRequest appends the record of r to the pending ones, unless it is too long.
func (w *writer) addRequest(r *request) {
	members, head, n := r.members, w.head, len(w.pending)
	if w.changeStores(r) || r.kind == KindSealed {
		members = appendStores(members, w.head.Stores)
	}
	w.add(r.kind, members)
	if size := len(w.pending) - n; size > MaxLine {
		w.head, w.pending = head, w.pending[:n]
		r.err = fmt.Errorf("a record of %d bytes is too long", size)
		return
	}
	r.receipt = Receipt{Seq: w.head.Seq, Hash: w.head.Hash}
}

// clearChanges drops the changes that are recorded now.
func (l *Ledger) clearChanges() {
	l.mu.Lock()
	l.changes = nil
	l.mu.Unlock()
}

// addUnsealed records the unsealed files that an older build wrote here last. From now on, no other
// unsealed files are valid.
func (w *writer) addUnsealed() {
	w.head.Stores = w.opts.Dir.UnsealedGenerations()
	w.addStores()
}

// addStores adds a record of the generations of the sealed files, although none of them was written.
func (w *writer) addStores() {
	w.add(KindSealed, appendStores([]byte(`"store":""`), w.head.Stores))
}

// openChain opens the current segment and finds where the chain ends. That is where the head says,
// unless the last writer died or another program changed the files.
func (w *writer) openChain() error {
	var buf [maxHead]byte
	n, _ := w.lock.ReadAt(buf[:], 0) // parsing detects a short read
	head, headErr := w.parseHeadCached(buf[:n], w.key)
	segment, err := w.opts.disk.OpenAppend(CurrentFile)
	if err != nil {
		return err
	}
	w.segment = segment
	size, err := segment.Size()
	if err != nil {
		return err
	}
	if headErr == nil && head.Size == size {
		if is, sealed := w.endsWith(head.Hash, size); is {
			if !sealed {
				first, ok := firstRecord(segment)
				w.old = ok && !first.Sealed
			}
			w.head = head
			return nil
		}
	}
	return w.recoverChain(head, headErr, size)
}

// endsWith reports whether the last line of the current segment, which has this size, has the hash h,
// and whether that line is sealed. The size alone is no proof, since a later segment may happen to
// have it.
func (w *writer) endsWith(h Hash, size int64) (is, sealed bool) {
	const longest = sealLen + len(lenKey) + len("1048576") + tailLen + len("\n")
	var buf [longest]byte
	end := buf[:min(size, int64(longest))]
	if n, _ := w.segment.ReadAt(end, size-int64(len(end))); n != len(end) || n <= tailLen {
		return false, false
	}
	rest, tail := end[:len(end)-tailLen-1], end[len(end)-tailLen-1:]
	if string(tail[len(hashKey):len(hashKey)+2*len(h)]) != h.String() {
		return false, false
	}
	at := bytes.LastIndex(rest, []byte(lenKey)) - sealLen
	return true, at >= 0 && string(rest[at:at+len(sealKey)]) == sealKey
}

// isFull reports whether the current segment has no room for n more bytes, or has reached its maximum
// age.
func (w *writer) isFull(n int) bool {
	age := w.opts.Now().Sub(w.head.Began)
	return w.head.Size+int64(len(w.pending)+n) > w.opts.Segment || age > w.opts.Age
}

// add appends a record to the pending ones.
func (w *writer) add(kind string, members []byte) {
	boot, mono := w.opts.Clock()
	if !isPlainASCII([]byte(boot)) {
		boot = "" // such a line could not be parsed
	}
	stamp := Stamp{Seq: w.head.Seq + 1, Kind: kind, Time: w.opts.Now(), Boot: boot, Mono: mono, Prev: w.head.Hash}
	w.pending = slices.Grow(w.pending, len(members)+lineOverhead)
	w.pending, w.head.Hash = AppendLine(w.pending, &stamp, members, w.seals)
	w.head.Seq, w.head.Boot = stamp.Seq, boot
}

// lineOverhead is an upper bound for the length of a line without its members.
const lineOverhead = 512

// flush writes the pending records and then the head. A record that is only partly written is
// truncated; if that fails, the next writer closes it.
func (w *writer) flush() error {
	if len(w.pending) == 0 {
		return nil
	}
	if _, err := w.segment.Write(w.pending); err != nil {
		_ = w.segment.Truncate(w.head.Size)
		return err
	}
	w.head.Size += int64(len(w.pending))
	w.pending = w.pending[:0]
	if err := w.writeHead(); err != nil {
		return fmt.Errorf("%w: %w", ErrNotDurable, err)
	}
	return nil
}

func (w *writer) writeHead() error {
	w.head.Ledger = w.key.ID()
	_, err := w.lock.WriteAt(w.head.AppendSealed(nil, w.key), 0)
	return err
}

// rotate ends the current segment and begins the next one.
func (w *writer) rotate() error {
	if !w.reported.known { // the count of missed calls could not be read
		if found, err := w.surveySegment(CurrentFile, &w.head); err == nil {
			w.reported = found.reported
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.segment.Sync(); err != nil {
		return err
	}
	if err := w.finishSegment(w.head.Segment); err != nil {
		return err
	}
	return w.beginSegment(w.head.Segment+1, nil)
}

// finishSegment renames the current segment to a full one with this number. It closes the file first,
// since not every system can rename open files.
func (w *writer) finishSegment(number int) error {
	w.segment.Close()
	w.segment = nil
	return w.opts.disk.Rename(CurrentFile, SegmentFile(number))
}

// beginSegment creates the segment with this number, which appears atomically with its first record.
// Unless gap is nil, a gap record with these members follows.
func (w *writer) beginSegment(number int, gap []byte) error {
	w.head.Segment, w.head.Began, w.old = number, w.opts.Now(), false
	members := append([]byte(`"ledger":`), rawjson.Quote(w.key.ID())...)
	members = strconv.AppendInt(append(members, `,"segment":`...), int64(number), 10)
	members = strconv.AppendUint(append(members, `,"missed":`...), w.reported.total, 10)
	if w.reported.hasGen || w.head.Seq == 0 {
		members = append(hex.AppendEncode(append(members, `,"gap":"`...), w.reported.gen[:]), '"')
	}
	w.add(KindSegment, appendStores(members, w.head.Stores))
	if gap != nil {
		w.add(KindGap, gap)
	}
	if w.segment != nil {
		w.segment.Close()
		w.segment = nil
	}
	if err := w.opts.disk.Create(CurrentFile, w.pending); err != nil {
		return err
	}
	_ = w.opts.disk.Sync() // not supported by every file system
	w.head.Size, w.pending = int64(len(w.pending)), w.pending[:0]
	segment, err := w.opts.disk.OpenAppend(CurrentFile)
	if err != nil {
		return err
	}
	w.segment = segment
	return w.writeHead()
}

// MachineClock returns the id of the machine's boot and the nanoseconds since then, by a clock that
// cannot be set. boot is "" if it is unknown.
func MachineClock() (boot string, nanos int64) { return readMachineClock() }
