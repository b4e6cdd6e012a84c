package ledger

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// MissedFile counts the calls that could not be recorded, until a record tells them.
//
// It has its size from the beginning and is written in place, without a lock: neither a
// lock that another holds nor a full disk keeps a call from being counted. Its parts:
//
//	0    how many calls were counted, ever; a number that all processes add to in one step
//	64   how many of them records tell, what to add to the number above to get what
//	     records call the total, and by which record; sealed with the key, written under
//	     the ledger's lock
//	128  notes of the calls that were counted last, each sealed with the key: which one,
//	     when and why
//
// The chain is what counts: the first record of a segment, and each that tells of missed
// calls, has their total so far. A writer says here which record it is about to write,
// and what was the case before: so the next one sees whether it got there, and a count
// that knows nothing of a record in the chain is an older copy that was put back.
//
// Where this file cannot be written either, such as with a ledger that is a link to
// nowhere, a call leaves a name in SpareFolder, which takes neither a descriptor nor the
// key.
const MissedFile = "missed"

// SpareFolder is where calls are counted that cannot be counted in the ledger.
const SpareFolder = "missed" // in the state directory

const (
	missedHeader = 8 // all but the number
	missedBase   = 64
	missedNotes  = 128
	missedNote   = 64
	missedSlots  = 510
	missedSize   = missedNotes + missedSlots*missedNote
)

// A miss is why a call was not recorded.
type miss uint8

const (
	noMiss miss = iota
	missBusy
	missFull
	missReadOnly
	missDenied
	missOther
	numMisses
)

// missWords are the members of a record that count the calls of each kind, and what
// people read.
var missWords = [numMisses]struct{ member, why string }{
	{}, {"busy", "another process held the ledger's lock"}, {"full", "the disk was full"}, {"read_only", "the file system was read-only"},
	{"denied", "the files could not be opened"}, {"other", "writing failed"},
}

// missOf returns why a record could not be written.
func missOf(err error) miss {
	switch {
	case errors.Is(err, state.ErrBusy):
		return missBusy
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return missFull
	case errors.Is(err, syscall.EROFS):
		return missReadOnly
	case errors.Is(err, fs.ErrPermission):
		return missDenied
	}
	return missOther
}

// Miss counts a call that could not be recorded, and notes when and why. The next record
// that can be written tells it.
func (l *Ledger) Miss(why error) error {
	err := l.miss(why)
	if err == nil {
		return nil
	}
	note := Note{Time: l.opts.Now(), why: missOf(why)}
	if other := l.opts.disk.Leave(note.spare()); other != nil {
		return fmt.Errorf("ledger: counting a call that was not recorded: %w; %w", err, other)
	}
	return nil
}

// miss counts a call in the ledger.
func (l *Ledger) miss(why error) error {
	f, err := l.openMissed()
	if err != nil && l.mend() != "" {
		f, err = l.openMissed()
	}
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := f.Add(0, 1)
	if err != nil {
		return err
	}
	key, err := l.Key()
	if err != nil {
		return nil // it is counted; a note that nobody sealed would say nothing
	}
	note := Note{n: n - 1, Time: l.opts.Now(), why: missOf(why)}
	seals := key.Derive(LabelMissed)
	_, _ = f.WriteAt(note.seal(&seals), note.at()) // it is counted all the same
	return nil
}

// openMissed opens the count, and begins one when there is none.
func (l *Ledger) openMissed() (shared, error) {
	f, err := l.opts.disk.OpenShared(MissedFile, missedSize)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err := l.opts.disk.CreateOnce(MissedFile, make([]byte, missedSize)); err != nil {
		return nil, err
	}
	return l.opts.disk.OpenShared(MissedFile, missedSize)
}

// A Note describes when a call was missed, and why.
type Note struct {
	n    uint64
	Time time.Time
	why  miss
	name string // in SpareFolder; "" = it is in the count
}

func (n *Note) at() int64 { return missedNotes + int64(n.n%missedSlots)*missedNote }

const noteLen = 8 + 8 + 1 // before its seal

// seal writes a note: its number, from 1 so that no note is all zero, time and reason.
func (n *Note) seal(key *[32]byte) []byte {
	b := make([]byte, 0, missedNote)
	b = binary.LittleEndian.AppendUint64(b, n.n+1)
	b = binary.LittleEndian.AppendUint64(b, uint64(n.Time.UnixNano()))
	b = append(b, byte(n.why))
	return append(b, sumOf(key, "note", b)...)
}

// parseNote reads a note; false = it is none that we sealed for this slot.
func parseNote(b []byte, slot int, key *[32]byte) (Note, bool) {
	if b[noteLen-1] == 0 || b[noteLen-1] >= byte(numMisses) {
		return Note{}, false
	}
	n := Note{n: binary.LittleEndian.Uint64(b) - 1, Time: time.Unix(0, int64(binary.LittleEndian.Uint64(b[8:]))).UTC(), why: miss(b[noteLen-1])}
	return n, n.n%missedSlots == uint64(slot) && hmac.Equal(b[noteLen:noteLen+sha256.Size], sumOf(key, "note", b[:noteLen])) && isZero(b[noteLen+sha256.Size:])
}

// A Generation is which record told of missed calls last: the beginning of the hash that
// it follows. Before the first it is zero.
type Generation [8]byte

// A base describes what of the count records tell: with that of its generation, if it is in
// the chain, and before it.
type base struct{ now, was basis }

// A basis is what records tell, and what to add to the count to get what they call the
// total.
type basis struct {
	settled, offset uint64
	gen             Generation
}

// still is the base when nothing is about to be told.
func still(b basis) base { return base{b, b} }

const (
	baseLen = 2 * (8 + 8 + 8)
	baseSum = 16
)

func (s base) seal(key *[32]byte) []byte {
	var b []byte
	for _, p := range []basis{s.now, s.was} {
		b = binary.LittleEndian.AppendUint64(b, p.settled)
		b = binary.LittleEndian.AppendUint64(b, p.offset)
		b = append(b, p.gen[:]...)
	}
	return append(b, sumOf(key, "base", b)[:baseSum]...)
}

// header is what stands before the notes, but for the number.
func header(s base, key *[32]byte) []byte {
	b := make([]byte, missedNotes-missedHeader)
	copy(b[missedBase-missedHeader:], s.seal(key))
	return b
}

// parseBase reads a base. Fresh says that none was ever written, forged that it is not
// one that we sealed.
func parseBase(b []byte, key *[32]byte) (s base, fresh, forged bool) {
	if isZero(b) {
		return base{}, true, false
	}
	if !hmac.Equal(b[baseLen:baseLen+baseSum], sumOf(key, "base", b[:baseLen])[:baseSum]) || !isZero(b[baseLen+baseSum:]) {
		return base{}, false, true
	}
	for i, p := range []*basis{&s.now, &s.was} {
		b := b[i*baseLen/2:]
		p.settled, p.offset, p.gen = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), Generation(b[16:24])
	}
	return s, false, false
}

func sumOf(key *[32]byte, what string, b []byte) []byte {
	mac := hmac.New(sha256.New, key[:])
	mac.Write([]byte(what))
	mac.Write(b)
	return mac.Sum(nil)
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// Missed is what the count says.
type Missed struct {
	Fresh  bool  // no writer has sealed it yet
	Forged bool  // its seal does not fit
	Odd    []int // the slots of notes that are there and not as they were written

	count uint64 // of calls, ever
	noted uint64 // by the newest note
	base  base
	basis // that of the base which counts
	notes []Note
	spare []Note // of calls that were counted elsewhere
}

// ReadMissed reads the count of the ledger in a directory.
func ReadMissed(dir string, key Key) (*Missed, error) {
	path := filepath.Join(dir, MissedFile)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() != missedSize { // a pipe would hold us up
		return nil, fmt.Errorf("must be a file of %d bytes", missedSize)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, missedSize)
	if err := readCount(f, data); err != nil {
		return nil, err
	}
	m := parseMissed(data, key.Derive(LabelMissed))
	t := toldIn(dir)
	if m.base.now != m.base.was {
		m.Older(t.gen, t.dated)
	}
	m.addSpare(spareOf(state.At(filepath.Dir(dir))), &t)
	return m, nil
}

// LastMissed lists which record told of missed calls last, by the newest segment; false = it
// does not say.
func LastMissed(dir string) (Generation, bool) {
	t := toldIn(dir)
	return t.gen, t.dated
}

// toldIn is what the newest segment of a ledger tells.
func toldIn(dir string) (t told) {
	segments, err := Segments(dir)
	if err != nil || len(segments) == 0 {
		return t
	}
	r := NewReader(dir, Position{Segment: segments[len(segments)-1].Number})
	defer r.Close()
	for {
		e, err := r.Next()
		if err != nil {
			return t
		}
		if !e.Damaged {
			t.after(&e.Line)
		}
	}
}

// readCount reads the notes before the number that counts them: who misses a call adds
// to the number first.
func readCount(f io.ReaderAt, data []byte) error {
	if _, err := f.ReadAt(data[missedNotes:], missedNotes); err != nil {
		return err
	}
	_, err := f.ReadAt(data[:missedNotes], 0)
	return err
}

func parseMissed(data []byte, key [32]byte) *Missed {
	m := &Missed{count: binary.NativeEndian.Uint64(data)}
	m.base, m.Fresh, m.Forged = parseBase(data[missedBase:missedNotes], &key)
	m.basis = m.base.now
	m.Forged = m.Forged || !isZero(data[missedHeader:missedBase])
	for slot := range missedSlots {
		b := data[missedNotes+slot*missedNote:][:missedNote]
		if isZero(b) {
			continue
		}
		if n, ok := parseNote(b, slot, &key); ok {
			m.notes, m.noted = append(m.notes, n), max(m.noted, n.n+1)
		} else {
			m.Odd = append(m.Odd, slot)
		}
	}
	return m
}

// Total is how many calls were missed ever, as records count them.
func (m *Missed) Total() uint64 { return max(m.count, m.noted) + m.offset }

// Older compares the count with the last record that told of missed calls, if that is
// known, and reports whether the count knows nothing of it: then it is an older copy.
func (m *Missed) Older(last Generation, known bool) bool {
	if !known || m.Fresh || m.Forged || last == m.base.now.gen {
		return false
	}
	if last != m.base.was.gen {
		return true
	}
	m.basis = m.base.was // the writer did not get there
	return false
}

// Lowered reports whether the count is less than a total that a record tells, or than
// what its own notes and seal say.
func (m *Missed) Lowered(told uint64) bool {
	return m.noted > m.count || !m.Fresh && !m.Forged && m.Total() < max(told, m.settled)
}

// A Loss is calls that were not recorded.
type Loss struct {
	Count    uint64
	From, To time.Time // of those that have a note; zero = none has
	Unnoted  uint64    // calls whose note is missing: whoever missed them died, there were too many, or it was removed
	why      [numMisses]uint64
}

// Since is what was missed after so many that records tell.
func (m *Missed) Since(told uint64) Loss {
	told = max(told, m.settled)
	l := Loss{Count: max(m.Total(), told) - told}
	first := max(m.count, m.noted) - min(l.Count, max(m.count, m.noted))
	l.Count += uint64(len(m.spare))
	for i, n := range slices.Concat(m.notes, m.spare) {
		if i < len(m.notes) && n.n < first {
			continue
		}
		if l.From.IsZero() || n.Time.Before(l.From) {
			l.From = n.Time
		}
		if n.Time.After(l.To) {
			l.To = n.Time
		}
		l.why[n.why]++
	}
	l.Unnoted = l.Count
	for _, n := range l.why {
		l.Unnoted -= min(n, l.Unnoted)
	}
	return l
}

// String describes it for people: 3 calls were not recorded: …
func (l *Loss) String() string {
	text := strconv.FormatUint(l.Count, 10) + " calls were not recorded"
	if l.Count == 1 {
		text = "1 call was not recorded"
	}
	if !l.From.IsZero() {
		text += " between " + l.From.Local().Format(time.DateTime) + " and " + l.To.Local().Format(time.DateTime)
	}
	var why []string
	for i, n := range l.why {
		if n > 0 {
			why = append(why, fmt.Sprintf("%s (%d)", missWords[i].why, n))
		}
	}
	if l.Unnoted > 0 {
		why = append(why, fmt.Sprintf("%d without a note of when and why: the note was removed, there were too many, or the process died", l.Unnoted))
	}
	if len(why) > 0 {
		text += ": " + strings.Join(why, ", ")
	}
	return text
}

// members are those of the record that tells it. Doubt says what is wrong with the count
// itself, "" = nothing.
func (l *Loss) members(total uint64, doubt string, spare []Note) []byte {
	why := l.String()
	switch {
	case l.Count == 0:
		why = doubt
	case doubt != "":
		why += "; " + doubt
	}
	b := rawjson.Object{'{'}
	b.Text("why", why)
	b.Key("missed")
	b = strconv.AppendUint(b, l.Count, 10)
	b.Key("total")
	b = strconv.AppendUint(b, total, 10)
	b.Text("doubt", doubt)
	if !l.From.IsZero() {
		b.Text("from", l.From.UTC().Format(TimeLayout))
		b.Text("to", l.To.UTC().Format(TimeLayout))
	}
	for i, n := range l.why {
		if n > 0 {
			b.Int(missWords[i].member, int(n))
		}
	}
	if l.Unnoted > 0 {
		b.Int("unnoted", int(l.Unnoted))
	}
	var names []string
	for _, n := range spare {
		names = append(names, n.name)
	}
	b.Text("spare", strings.Join(names, " "))
	return b[1:]
}

// MissedTotal is how many calls were missed up to a record that tells it; false = it does
// not.
func (l *Line) MissedTotal() (uint64, bool) {
	name := ""
	switch l.Kind {
	case KindSegment:
		name = "missed"
	case KindGap:
		name = "total"
	default:
		return 0, false
	}
	return parseDecimal([]byte(l.Text(name)))
}

// MissedRecord lists which record told of missed calls last, up to a record that says so;
// false = it does not.
func (l *Line) MissedRecord() (gen Generation, ok bool) {
	switch _, missed := l.MissedTotal(); {
	case !missed:
		return gen, false
	case l.Kind == KindGap:
		return Generation(l.Prev[:]), true
	}
	text := l.Text("gap")
	return gen, len(text) == 2*len(gen) && parseHex(gen[:], []byte(text))
}

// What a writer finds wrong with the count.
const (
	doubtOlder   = "the count of unrecorded calls was replaced by an older copy, so how many there were is unknown"
	doubtGone    = "the count of unrecorded calls was missing, so how many there were is unknown"
	doubtForged  = "the count of unrecorded calls was changed or damaged"
	doubtLowered = "the count of unrecorded calls was lowered"
	doubtNotes   = "notes about unrecorded calls were changed or damaged"
)

// settle records the calls that were missed since the last record, in a record before the
// one that is to be written. What is wrong with the count itself is told there too, and
// keeps nothing from being recorded.
func (w *writer) settle() error {
	spare := w.opts.disk.Left()
	f, err := w.openMissed()
	if err != nil { // such as one of another length: begin anew
		if w.opts.disk.Create(MissedFile, make([]byte, missedSize)) != nil {
			return nil
		}
		if f, err = w.openMissed(); err != nil {
			return nil
		}
	}
	w.missed = f
	var b [missedNotes]byte
	if n, _ := f.ReadAt(b[:], 0); n < len(b) {
		return nil
	}
	seals := w.key.Derive(LabelMissed)
	at, fresh, forged := parseBase(b[missedBase:], &seals)
	if !fresh && !forged && len(spare) == 0 && at.now == at.was && binary.NativeEndian.Uint64(b[:])+at.now.offset == at.now.settled && (!w.told.known || w.told.is(at.now)) {
		w.told.total, w.told.gen, w.told.known, w.told.counts, w.told.dated = at.now.settled, at.now.gen, true, true, true
		return nil
	}
	return w.reckon(f, &seals, spare)
}

// reckon compares the count with what the chain tells.
func (w *writer) reckon(f shared, seals *[32]byte, spare []Note) error {
	if !w.told.known {
		found, err := w.survey(CurrentFile, &w.head)
		if err != nil {
			return nil
		}
		w.told = found.told
	}
	m := w.readMissed(f, *seals)
	if m == nil {
		return nil
	}
	doubt := ""
	switch {
	case m.Fresh && w.told.counts:
		doubt = doubtGone
	case m.Forged:
		doubt = doubtForged
	case m.Older(w.told.gen, w.told.dated):
		doubt = doubtOlder
	case m.Lowered(w.told.total):
		doubt = doubtLowered
	case len(m.Odd) > 0:
		doubt = doubtNotes
	}
	if m.noted > m.count { // its notes say how many there were
		if n, err := f.Add(0, m.noted-m.count); err == nil {
			m.count = n
		}
	}
	total := max(w.told.total, m.settled)
	if m.Fresh { // what it has come after what the chain tells
		m.offset = total
	}
	m.offset += max(m.Total(), total) - m.Total() // whatever is wrong with it, it goes on from there
	m.settled = total
	was := basis{settled: total, offset: m.offset, gen: w.told.gen}
	m.addSpare(spare, &w.told)
	loss := m.Since(total)
	now := basis{settled: total + loss.Count, offset: m.offset + uint64(len(m.spare)), gen: w.told.gen}
	w.odd = m.Odd
	if loss.Count > 0 || doubt != "" {
		now.gen = Generation(w.head.Hash[:])
		if _, err := f.WriteAt(header(base{now: now, was: was}, seals), missedHeader); err != nil {
			return nil // the next one tells it
		}
		w.add(KindGap, loss.members(now.settled, doubt, m.spare))
	}
	w.told.total, w.told.gen, w.told.known, w.told.counts, w.told.dated = now.settled, now.gen, true, true, true
	w.base = header(still(now), seals)
	if len(spare) == 0 {
		return nil
	}
	// Names go before anything else is written: the segment that tells them is the one
	// in which the next writer looks, should this one die.
	if err := w.flush(); err != nil {
		return err
	}
	w.opts.disk.Unleave(spare)
	return nil
}

// readMissed reads the whole count, and once more where a call is just being noted.
func (w *writer) readMissed(f shared, seals [32]byte) *Missed {
	data := make([]byte, missedSize)
	for try := 0; ; try++ {
		if readCount(f, data) != nil {
			return nil
		}
		m := parseMissed(data, seals)
		if loss := m.Since(w.told.total); try == 5 || loss.Unnoted == 0 || loss.Count > missedSlots {
			return m
		}
		time.Sleep(200 * time.Microsecond)
	}
}

// settled notes in the count what records tell now.
func (w *writer) settled() {
	if w.base != nil {
		_, _ = w.missed.WriteAt(w.base, missedHeader) // else the next writer finds out by reading
		w.base = nil
	}
	for _, slot := range w.odd {
		_, _ = w.missed.WriteAt(make([]byte, missedNote), int64(missedNotes+slot*missedNote))
	}
}

// begun makes the count of a new ledger, or seals the one that calls have begun which
// came before it. What fails here the next writer tells.
func (w *writer) begun() {
	f, err := w.openMissed()
	if err != nil {
		return
	}
	defer f.Close()
	var b [missedNotes]byte
	if n, _ := f.ReadAt(b[:], 0); n == len(b) && isZero(b[missedBase:]) {
		seals := w.key.Derive(LabelMissed)
		_, _ = f.WriteAt(header(base{}, &seals), missedHeader)
	}
}

// told is what the chain says of missed calls.
type told struct {
	total  uint64
	gen    Generation
	known  bool // the chain was read
	counts bool // some record tells a total
	dated  bool // and some record which one told of them last

	spare map[string]bool // names of calls that were counted elsewhere and are told
}

// is reports whether the chain says what a count says of it.
func (t *told) is(b basis) bool { return t.total == b.settled && (!t.dated || t.gen == b.gen) }

// after is what is told after a record.
func (t *told) after(line *Line) {
	total, ok := line.MissedTotal()
	if !ok {
		return
	}
	t.total, t.counts = total, true
	if gen, ok := line.MissedRecord(); ok {
		t.gen, t.dated = gen, true
	}
	if names := strings.Fields(line.Text("spare")); len(names) > 0 {
		all := maps.Clone(t.spare) // a torn record may undo this one
		if all == nil {
			all = map[string]bool{}
		}
		for _, name := range names {
			all[name] = true
		}
		t.spare = all
	}
}
