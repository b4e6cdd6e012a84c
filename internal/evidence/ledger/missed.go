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

// MissedFile counts the calls that could not be recorded, until a record reports them.
//
// The file has its full size from the start and is written in place, without a lock, so that neither a
// lock held by another process nor a full disk prevents a call from being counted. Its parts:
//
//	0    how many calls were counted in total; processes increment it atomically
//	64   how many of them records report, what to add to the number above to get the
//	     total of the records, and the record that reported last; sealed with the key,
//	     written under the ledger's lock
//	128  notes of the latest counted calls, each sealed with the key: which one, when
//	     and why
//
// The chain is authoritative: the first record of a segment, and each record about missed calls,
// contains their total so far. Before a writer writes such a record, it stores here which record that
// will be and the previous state. The next writer can therefore see whether the record was written. A
// count that does not refer to a record in the chain is an older copy that was put back.
//
// If this file cannot be written either, for example because the ledger is a dangling symlink, a call
// is noted by the name of a file in SpareFolder, which needs neither a file descriptor nor the key.
const MissedFile = "missed"

// SpareFolder is the directory for calls that cannot be counted in the ledger.
const SpareFolder = "missed" // in the state directory

const (
	missedHeader = 8 // everything after the number
	missedBase   = 64
	missedNotes  = 128
	missedNote   = 64
	missedSlots  = 510
	missedSize   = missedNotes + missedSlots*missedNote
)

// A missReason is why a call was not recorded.
type missReason uint8

const (
	noMiss missReason = iota
	missBusy
	missFull
	missReadOnly
	missDenied
	missOther
	numMisses
)

// missWords holds, for each reason, the member of a record that counts its calls, and its wording for
// messages.
var missWords = [numMisses]struct{ member, why string }{
	{}, {"busy", "another process held the ledger's lock"}, {"full", "the disk was full"}, {"read_only", "the file system was read-only"},
	{"denied", "the files could not be opened"}, {"other", "writing failed"},
}

// missReasonOf returns the reason for which err prevented a record.
func missReasonOf(err error) missReason {
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

// CountMissed counts a call that could not be recorded because of why, with the time. The next record
// that can be written reports it.
func (l *Ledger) CountMissed(why error) error {
	err := l.countInLedger(why)
	if err == nil {
		return nil
	}
	note := MissNote{Time: l.opts.Now(), why: missReasonOf(why)}
	if other := l.opts.disk.AddMissNote(note.spareEntry()); other != nil {
		return fmt.Errorf("ledger: counting a call that was not recorded: %w; %w", err, other)
	}
	return nil
}

// countInLedger counts a call that could not be recorded because of why in MissedFile.
func (l *Ledger) countInLedger(why error) error {
	f, err := l.openMissed()
	if err != nil && l.repairModes() != "" {
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
		return nil // it is counted; an unsealed note would be worthless
	}
	note := MissNote{n: n - 1, Time: l.opts.Now(), why: missReasonOf(why)}
	seals := key.Derive(LabelMissed)
	_, _ = f.WriteAt(note.encodeSealed(&seals), note.offset()) // it is counted even without a note
	return nil
}

// openMissed opens MissedFile, and creates it if it does not exist.
func (l *Ledger) openMissed() (sharedFile, error) {
	f, err := l.opts.disk.OpenShared(MissedFile, missedSize)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err := l.opts.disk.CreateOnce(MissedFile, make([]byte, missedSize)); err != nil {
		return nil, err
	}
	return l.opts.disk.OpenShared(MissedFile, missedSize)
}

// A MissNote describes when and why a call was missed.
type MissNote struct {
	n    uint64
	Time time.Time
	why  missReason
	name string // in SpareFolder; "" means that it is in the count
}

// offset returns where n is stored in MissedFile.
func (n *MissNote) offset() int64 { return missedNotes + int64(n.n%missedSlots)*missedNote }

const noteLen = 8 + 8 + 1 // before its seal

// encodeSealed returns n with its seal: its number, which starts at 1 so that no note is all zero, its
// time and its reason.
func (n *MissNote) encodeSealed(key *[32]byte) []byte {
	b := make([]byte, 0, missedNote)
	b = binary.LittleEndian.AppendUint64(b, n.n+1)
	b = binary.LittleEndian.AppendUint64(b, uint64(n.Time.UnixNano()))
	b = append(b, byte(n.why))
	return append(b, missedMAC(key, "note", b)...)
}

// parseMissNote parses the note b. It reports false unless b has a valid seal for this slot.
func parseMissNote(b []byte, slot int, key *[32]byte) (MissNote, bool) {
	if b[noteLen-1] == 0 || b[noteLen-1] >= byte(numMisses) {
		return MissNote{}, false
	}
	n := MissNote{n: binary.LittleEndian.Uint64(b) - 1, Time: time.Unix(0, int64(binary.LittleEndian.Uint64(b[8:]))).UTC(), why: missReason(b[noteLen-1])}
	return n, n.n%missedSlots == uint64(slot) && hmac.Equal(b[noteLen:noteLen+sha256.Size], missedMAC(key, "note", b[:noteLen])) && isZero(b[noteLen+sha256.Size:])
}

// A Generation identifies the record that last reported missed calls, by the beginning of the hash
// that precedes it. It is zero before the first.
type Generation [8]byte

// A sealedBase describes how many of the counted calls records report. If the record that now.gen
// identifies is in the chain, now applies, otherwise was.
type sealedBase struct{ now, was basis }

// A basis describes how many missed calls records report (settled), and what to add to the count to
// get their total (offset).
type basis struct {
	settled, offset uint64
	gen             Generation
}

// settledBase returns the base for b when no record is about to be written.
func settledBase(b basis) sealedBase { return sealedBase{b, b} }

const (
	baseLen = 2 * (8 + 8 + 8)
	baseSum = 16
)

func (s sealedBase) encodeSealed(key *[32]byte) []byte {
	var b []byte
	for _, p := range []basis{s.now, s.was} {
		b = binary.LittleEndian.AppendUint64(b, p.settled)
		b = binary.LittleEndian.AppendUint64(b, p.offset)
		b = append(b, p.gen[:]...)
	}
	return append(b, missedMAC(key, "base", b)[:baseSum]...)
}

// encodeHeader returns what precedes the notes in MissedFile, except for the number at its start.
func encodeHeader(s sealedBase, key *[32]byte) []byte {
	b := make([]byte, missedNotes-missedHeader)
	copy(b[missedBase-missedHeader:], s.encodeSealed(key))
	return b
}

// parseBase parses a sealedBase. fresh is set if none was ever written, forged if its seal is invalid.
func parseBase(b []byte, key *[32]byte) (s sealedBase, fresh, forged bool) {
	if isZero(b) {
		return sealedBase{}, true, false
	}
	if !hmac.Equal(b[baseLen:baseLen+baseSum], missedMAC(key, "base", b[:baseLen])[:baseSum]) || !isZero(b[baseLen+baseSum:]) {
		return sealedBase{}, false, true
	}
	for i, p := range []*basis{&s.now, &s.was} {
		b := b[i*baseLen/2:]
		p.settled, p.offset, p.gen = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), Generation(b[16:24])
	}
	return s, false, false
}

// missedMAC returns the HMAC-SHA256 of what, the type of the data, and b.
func missedMAC(key *[32]byte, what string, b []byte) []byte {
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

// Missed is the contents of MissedFile.
type Missed struct {
	Fresh   bool  // no writer has sealed it yet
	Forged  bool  // its seal is not valid
	Damaged []int // slots of notes that are damaged or forged

	count uint64 // total number of calls
	noted uint64 // number of calls according to the latest note
	base  sealedBase
	basis // that of the base which counts
	notes []MissNote
	spare []MissNote // calls that were counted outside the ledger
}

// ReadMissed reads MissedFile of the ledger in dir.
func ReadMissed(dir string, key Key) (*Missed, error) {
	path := filepath.Join(dir, MissedFile)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() != missedSize { // a pipe would block
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
	t := readReported(dir)
	if m.base.now != m.base.was {
		m.IsOlderThan(t.gen, t.hasGen)
	}
	m.addSpare(readSpare(state.NewDir(filepath.Dir(dir))), &t)
	return m, nil
}

// LastMissedRecord returns the record that last reported missed calls, according to the newest segment
// in dir. It reports false if that segment does not name it.
func LastMissedRecord(dir string) (Generation, bool) {
	t := readReported(dir)
	return t.gen, t.hasGen
}

// readReported returns what the newest segment of the ledger in dir reports about missed calls.
func readReported(dir string) (t reportedMissed) {
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
			t.addRecord(&e.Line)
		}
	}
}

// readCount reads MissedFile into data. It reads the notes before the number that counts them, since a
// missed call increments the number first.
func readCount(f io.ReaderAt, data []byte) error {
	if _, err := f.ReadAt(data[missedNotes:], missedNotes); err != nil {
		return err
	}
	_, err := f.ReadAt(data[:missedNotes], 0)
	return err
}

// parseMissed parses data, the contents of MissedFile, and checks its seals with key.
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
		if n, ok := parseMissNote(b, slot, &key); ok {
			m.notes, m.noted = append(m.notes, n), max(m.noted, n.n+1)
		} else {
			m.Damaged = append(m.Damaged, slot)
		}
	}
	return m
}

// Total returns how many calls were missed in total, by the counting of the records.
func (m *Missed) Total() uint64 { return max(m.count, m.noted) + m.offset }

// IsOlderThan reports whether the count is an older copy, because it does not refer to last, the
// record that last reported missed calls. If a writer died before it wrote the record that the count
// announces, it makes m use the previous state. known is false if last is unknown.
func (m *Missed) IsOlderThan(last Generation, known bool) bool {
	if !known || m.Fresh || m.Forged || last == m.base.now.gen {
		return false
	}
	if last != m.base.was.gen {
		return true
	}
	m.basis = m.base.was // the writer died before it wrote the record
	return false
}

// IsLowered reports whether the count is less than reported, the total of a record, or than its own
// notes and seal imply.
func (m *Missed) IsLowered(reported uint64) bool {
	return m.noted > m.count || !m.Fresh && !m.Forged && m.Total() < max(reported, m.settled)
}

// A Loss describes calls that were not recorded.
type Loss struct {
	Count    uint64
	From, To time.Time // the earliest and latest call with a note; zero if there is none
	Unnoted  uint64    // calls without a note: their process died, there were too many, or the note was removed
	why      [numMisses]uint64
}

// LossSince returns the calls that were missed after the first reported calls, which records report.
func (m *Missed) LossSince(reported uint64) Loss {
	reported = max(reported, m.settled)
	l := Loss{Count: max(m.Total(), reported) - reported}
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

// String describes l in a sentence such as "3 calls were not recorded: the disk was full (3)".
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

// encodeMembers returns the members of the record that reports l. total is the number of all missed
// calls, doubt describes what is wrong with the count itself, or is "", and spare are the calls that
// were counted outside the ledger.
func (l *Loss) encodeMembers(total uint64, doubt string, spare []MissNote) []byte {
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

// MissedTotal returns how many calls were missed before the record l. It reports false if l does not
// contain that.
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

// MissedRecord returns the last record, up to and including l, that reported missed calls. It reports
// false if l does not name it.
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

// What may be wrong with the count.
const (
	doubtOlder   = "the count of unrecorded calls was replaced by an older copy, so how many there were is unknown"
	doubtGone    = "the count of unrecorded calls was missing, so how many there were is unknown"
	doubtForged  = "the count of unrecorded calls was changed or damaged"
	doubtLowered = "the count of unrecorded calls was lowered"
	doubtNotes   = "notes about unrecorded calls were changed or damaged"
)

// recordMissed adds a record about the calls that were missed since the last such record. The record
// also reports what is wrong with the count itself. An error is one of writing records; a count that
// cannot be read or written is left to the next writer.
func (w *writer) recordMissed() error {
	spare := w.opts.disk.MissNotes()
	f, err := w.openMissed()
	if err != nil { // for example, it has another length: start a new one
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
	if !fresh && !forged && len(spare) == 0 && at.now == at.was && binary.NativeEndian.Uint64(b[:])+at.now.offset == at.now.settled && (!w.reported.known || w.reported.matches(at.now)) {
		w.reported.total, w.reported.gen, w.reported.known, w.reported.hasTotal, w.reported.hasGen = at.now.settled, at.now.gen, true, true, true
		return nil
	}
	return w.reconcileMissed(f, &seals, spare)
}

// reconcileMissed compares the count in f and the notes in spare with the chain, and adds a record
// about the difference.
func (w *writer) reconcileMissed(f sharedFile, seals *[32]byte, spare []MissNote) error {
	if !w.reported.known {
		found, err := w.surveySegment(CurrentFile, &w.head)
		if err != nil {
			return nil
		}
		w.reported = found.reported
	}
	m := w.readMissed(f, *seals)
	if m == nil {
		return nil
	}
	doubt := ""
	switch {
	case m.Fresh && w.reported.hasTotal:
		doubt = doubtGone
	case m.Forged:
		doubt = doubtForged
	case m.IsOlderThan(w.reported.gen, w.reported.hasGen):
		doubt = doubtOlder
	case m.IsLowered(w.reported.total):
		doubt = doubtLowered
	case len(m.Damaged) > 0:
		doubt = doubtNotes
	}
	if m.noted > m.count { // the notes show how many there were
		if n, err := f.Add(0, m.noted-m.count); err == nil {
			m.count = n
		}
	}
	total := max(w.reported.total, m.settled)
	if m.Fresh { // its calls are later than those that the chain reports
		m.offset = total
	}
	m.offset += max(m.Total(), total) - m.Total() // even a damaged count continues from there
	m.settled = total
	was := basis{settled: total, offset: m.offset, gen: w.reported.gen}
	m.addSpare(spare, &w.reported)
	loss := m.LossSince(total)
	now := basis{settled: total + loss.Count, offset: m.offset + uint64(len(m.spare)), gen: w.reported.gen}
	w.damaged = m.Damaged
	if loss.Count > 0 || doubt != "" {
		now.gen = Generation(w.head.Hash[:])
		if _, err := f.WriteAt(encodeHeader(sealedBase{now: now, was: was}, seals), missedHeader); err != nil {
			return nil // the next writer reports it
		}
		w.add(KindGap, loss.encodeMembers(now.settled, doubt, m.spare))
	}
	w.reported.total, w.reported.gen, w.reported.known, w.reported.hasTotal, w.reported.hasGen = now.settled, now.gen, true, true, true
	w.base = encodeHeader(settledBase(now), seals)
	if len(spare) == 0 {
		return nil
	}
	// The notes are removed before anything else is written. If this writer dies, the next one finds their
	// names in the segment that reports them.
	if err := w.flush(); err != nil {
		return err
	}
	w.opts.disk.RemoveMissNotes(spare)
	return nil
}

// readMissed reads the whole count from f. It retries a few times while a call is being noted, and
// returns nil if f cannot be read.
func (w *writer) readMissed(f sharedFile, seals [32]byte) *Missed {
	data := make([]byte, missedSize)
	for try := 0; ; try++ {
		if readCount(f, data) != nil {
			return nil
		}
		m := parseMissed(data, seals)
		if loss := m.LossSince(w.reported.total); try == 5 || loss.Unnoted == 0 || loss.Count > missedSlots {
			return m
		}
		time.Sleep(200 * time.Microsecond)
	}
}

// finishMissed stores in MissedFile what records now report, and clears damaged notes.
func (w *writer) finishMissed() {
	if w.base != nil {
		_, _ = w.missed.WriteAt(w.base, missedHeader) // otherwise the next writer reads the segment
		w.base = nil
	}
	for _, slot := range w.damaged {
		_, _ = w.missed.WriteAt(make([]byte, missedNote), int64(missedNotes+slot*missedNote))
	}
}

// initMissed creates MissedFile for a new ledger, or seals the one that earlier calls created. The
// next writer reports failures.
func (w *writer) initMissed() {
	f, err := w.openMissed()
	if err != nil {
		return
	}
	defer f.Close()
	var b [missedNotes]byte
	if n, _ := f.ReadAt(b[:], 0); n == len(b) && isZero(b[missedBase:]) {
		seals := w.key.Derive(LabelMissed)
		_, _ = f.WriteAt(encodeHeader(sealedBase{}, &seals), missedHeader)
	}
}

// A reportedMissed is what the chain reports about missed calls.
type reportedMissed struct {
	total    uint64
	gen      Generation
	known    bool // the chain was read
	hasTotal bool // some record has a total
	hasGen   bool // some record names the record that last reported them

	spare map[string]bool // names of calls that were counted outside the ledger and are reported
}

// matches reports whether the chain agrees with b, which the count contains.
func (t *reportedMissed) matches(b basis) bool {
	return t.total == b.settled && (!t.hasGen || t.gen == b.gen)
}

// addRecord updates t with what the record line reports.
func (t *reportedMissed) addRecord(line *Line) {
	total, ok := line.MissedTotal()
	if !ok {
		return
	}
	t.total, t.hasTotal = total, true
	if gen, ok := line.MissedRecord(); ok {
		t.gen, t.hasGen = gen, true
	}
	if names := strings.Fields(line.Text("spare")); len(names) > 0 {
		all := maps.Clone(t.spare) // a torn record may revert this one
		if all == nil {
			all = map[string]bool{}
		}
		for _, name := range names {
			all[name] = true
		}
		t.spare = all
	}
}
