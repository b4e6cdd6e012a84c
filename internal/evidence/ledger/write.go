package ledger

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
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

// SegmentFile names a full segment.
func SegmentFile(number int) string { return fmt.Sprintf("%08d.jsonl", number) }

// Options say where a ledger lies and how it is kept. Zero values mean what the
// fields say.
type Options struct {
	Dir   state.Dir // the state directory
	Now   func() time.Time
	Clock Clock // nil = this machine's

	Segment int64         // bytes after which a segment is full; 0 = 16 MiB
	Age     time.Duration // after which it is full, whatever its size; 0 = 7 days
	Every   uint64        // records from one checkpoint to the next; 0 = 128

	Event bool // a record of an event is about to come: it has what else is to be recorded

	disk disk // nil = Dir's
}

// A Clock describes which start of the machine this is, and the nanoseconds since.
type Clock func() (boot string, mono int64)

const (
	defaultSegment = 16 << 20
	defaultAge     = 7 * 24 * time.Hour
	defaultEvery   = 128
)

// A Ledger is written to by any number of goroutines and processes at the same
// time. It holds no file open.
type Ledger struct {
	opts  Options
	key   func() (Key, error)
	keyed atomic.Bool // it was read
	seen  atomic.Pointer[seenHead]

	mu      sync.Mutex // guards changes
	changes []func(state.Generations) state.Generations
}

// Open returns the ledger in a state directory. It touches nothing.
func Open(opts Options) *Ledger {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Clock == nil {
		opts.Clock = machineClock
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
		opts.disk = folder{opts.Dir}
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

// Key returns the ledger's secret, and makes it when there is none.
func (l *Ledger) Key() (Key, error) { return l.key() }

// A Receipt acknowledges a record.
type Receipt struct {
	Seq  uint64
	Hash Hash
	Due  bool // it is time for a checkpoint
}

// ErrNotDurable reports that a record is in the ledger and may not stay there.
var ErrNotDurable = errors.New("the record is written, but may not survive a crash")

// Append adds a record of a kind with the given members, `"a":1,"b":2`, and
// returns when it would survive the death of every process; with sync, when it
// would survive the loss of power.
//
// An error means that the record is not in the ledger, or, with ErrNotDurable,
// not safely.
func (l *Ledger) Append(kind string, members []byte, sync bool) (Receipt, error) {
	return l.appendMended(kind, members, appending{sync: sync})
}

// appending are the options of adding a record.
type appending struct {
	sync   bool
	stores func(state.Generations) state.Generations // what the record changes; nil = nothing
}

func (l *Ledger) appendMended(kind string, members []byte, how appending) (Receipt, error) {
	receipt, err := l.append(kind, members, how)
	if err == nil || errors.Is(err, ErrNotDurable) || errors.Is(err, state.ErrBusy) {
		return receipt, err
	}
	// Somebody may have changed the modes of files that are ours.
	if what := l.mend(); what != "" {
		b := rawjson.Object{'{'}
		b.Text("what", what)
		_, _ = l.append(KindMended, b[1:], appending{})
		return l.append(kind, members, how)
	}
	return receipt, err
}

// mend puts the modes of the ledger's files right, and says what it did.
func (l *Ledger) mend() string {
	what := strings.Join(l.opts.disk.Mend(), ", ")
	if what != "" {
		l.key = Open(l.opts).key // which could not be read
	}
	return what
}

func (l *Ledger) append(kind string, members []byte, how appending) (Receipt, error) {
	key, err := l.Key()
	if err != nil {
		return Receipt{}, fmt.Errorf("ledger: %w", err)
	}
	lock, err := l.opts.disk.OpenLocked(HeadFile)
	if err != nil {
		return Receipt{}, fmt.Errorf("ledger: %w", err)
	}
	w := writer{Ledger: l, key: key, seals: key.Seals(), lock: lock}
	receipt, err := w.append(kind, members, how.stores)
	lock.Close() // others go on while this one waits for the disk
	if err == nil && how.sync {
		if err = w.segment.Sync(); err != nil {
			err = fmt.Errorf("%w: %w", ErrNotDurable, err)
		}
	}
	if w.segment != nil {
		w.segment.Close()
	}
	if w.missed != nil {
		w.missed.Close()
	}
	if err != nil {
		return Receipt{}, fmt.Errorf("ledger: %w", err)
	}
	return receipt, nil
}

// A writer adds one record. It holds the lock.
type writer struct {
	*Ledger
	key     Key
	seals   *Seals
	lock    file
	segment file // the current one; nil until it is open
	old     bool // a build that knew no seals began it
	head    Head // where the chain ends
	pending []byte

	missed shared // the count of missed calls; nil = it is not open
	told   told   // what of it the chain tells
	base   []byte // what to note in it once the pending records are written; nil = nothing
	odd    []int  // which of its notes to clear then
}

func (w *writer) append(kind string, members []byte, stores func(state.Generations) state.Generations) (Receipt, error) {
	if err := w.open(); err != nil {
		return Receipt{}, err
	}
	if err := w.settle(); err != nil {
		return Receipt{}, err
	}
	rotated := false
	if w.old || w.full(len(members)) { // so that a segment is sealed as a whole, or not at all
		if err := w.rotate(); err != nil {
			return Receipt{}, err
		}
		rotated = true
	}
	if w.head.Stores == "" {
		w.addUnsealed()
	}
	before := w.head.Stores
	if w.head.Stores = w.applyChanges(before); stores != nil {
		w.head.Stores = stores(w.head.Stores)
	}
	if kind == "" {
		return Receipt{}, errors.Join(w.flush(), w.writeHead())
	}
	if w.head.Stores != before || kind == KindSealed {
		members = appendStores(members, w.head.Stores)
	}
	w.add(kind, members)
	if n := len(w.pending); n > MaxLine {
		return Receipt{}, fmt.Errorf("a record of %d bytes is too long", n)
	}
	if err := w.flush(); err != nil {
		return Receipt{}, err
	}
	w.settled()
	w.clearChanges()
	return Receipt{Seq: w.head.Seq, Hash: w.head.Hash, Due: rotated || w.head.Seq%w.opts.Every == 0}, nil
}

// clearChanges drops what a record has by now.
func (w *writer) clearChanges() {
	w.mu.Lock()
	w.changes = nil
	w.mu.Unlock()
}

// addUnsealed records the unsealed files of an older build, the last to write here: from
// now on no others count.
func (w *writer) addUnsealed() {
	w.head.Stores = w.opts.Dir.UnsealedGenerations()
	w.addStores()
}

// addStores records the generations of sealed files though none was written.
func (w *writer) addStores() {
	w.add(KindSealed, appendStores([]byte(`"store":""`), w.head.Stores))
}

// open finds where the chain ends. That is where the head says, unless the last
// writer died or someone else was here.
func (w *writer) open() error {
	var buf [maxHead]byte
	n, _ := w.lock.ReadAt(buf[:], 0) // what is not there is seen by who parses it
	head, headErr := w.parseHead(buf[:n], w.key)
	segment, err := w.opts.disk.Append(CurrentFile)
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
				first, ok := firstOf(segment)
				w.old = ok && !first.Sealed
			}
			w.head = head
			return nil
		}
	}
	return w.recover(head, headErr, size)
}

// endsWith reports whether the last line of the current segment has this hash, and
// whether it has a seal. A segment after the head's may have the same size.
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

// full reports whether the current segment has no room for n more bytes, or is
// old enough.
func (w *writer) full(n int) bool {
	age := w.opts.Now().Sub(w.head.Began)
	return w.head.Size+int64(len(w.pending)+n) > w.opts.Segment || age > w.opts.Age
}

// add puts a record at the end of what will be written.
func (w *writer) add(kind string, members []byte) {
	boot, mono := w.opts.Clock()
	if !plain([]byte(boot)) {
		boot = "" // it could not be read back
	}
	stamp := Stamp{Seq: w.head.Seq + 1, Kind: kind, Time: w.opts.Now(), Boot: boot, Mono: mono, Prev: w.head.Hash}
	w.pending = slices.Grow(w.pending, len(members)+lineAround)
	w.pending, w.head.Hash = AppendLine(w.pending, &stamp, members, w.seals)
	w.head.Seq, w.head.Boot = stamp.Seq, boot
}

// lineAround is more than a line has around its members.
const lineAround = 512

// flush writes what was added, then the head. What was written only in part is
// taken back, or closed by the next writer.
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
	_, err := w.lock.WriteAt(w.head.Append(nil, w.key), 0)
	return err
}

// rotate closes the current segment and begins the next.
func (w *writer) rotate() error {
	if !w.told.known { // the count could not be read
		if found, err := w.survey(CurrentFile, &w.head); err == nil {
			w.told = found.told
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.segment.Sync(); err != nil {
		return err
	}
	if err := w.setAside(w.head.Segment); err != nil {
		return err
	}
	return w.begin(w.head.Segment+1, nil)
}

// setAside makes the current segment a full one. It is closed first: not every
// system renames open files.
func (w *writer) setAside(number int) error {
	w.segment.Close()
	w.segment = nil
	return w.opts.disk.Rename(CurrentFile, SegmentFile(number))
}

// begin makes a segment with its first record, and one that says what was lost
// before it, if anything was. It appears whole or not at all.
func (w *writer) begin(number int, gap []byte) error {
	w.head.Segment, w.head.Began, w.old = number, w.opts.Now(), false
	members := append([]byte(`"ledger":`), rawjson.Quote(w.key.ID())...)
	members = strconv.AppendInt(append(members, `,"segment":`...), int64(number), 10)
	members = strconv.AppendUint(append(members, `,"missed":`...), w.told.total, 10)
	if w.told.dated || w.head.Seq == 0 {
		members = append(hex.AppendEncode(append(members, `,"gap":"`...), w.told.gen[:]), '"')
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
	_ = w.opts.disk.Sync() // not every file system can
	w.head.Size, w.pending = int64(len(w.pending)), w.pending[:0]
	segment, err := w.opts.disk.Append(CurrentFile)
	if err != nil {
		return err
	}
	w.segment = segment
	return w.writeHead()
}

// MachineClock reads the clock that nobody can set, and which start of the machine it
// counts from; "" = there is none.
func MachineClock() (boot string, nanos int64) { return machineClock() }
