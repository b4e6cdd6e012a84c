package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

const (
	// maxLine is the length of the longest line that is read. Longer ones are reported and skipped.
	maxLine = 64 << 20
	// keepLine is the capacity of the largest line buffer that is reused.
	keepLine = 1 << 20
	// maxOpen limits how many calls may wait for their results at the same time.
	maxOpen = 1024
	// maxSeen is how many IDs of reported calls each of the two sets in Reader.seen holds.
	maxSeen = 1 << 16
	// MaxParts limits how many parts of a line are read. A part takes more space in memory than the
	// shortest one takes in the line.
	MaxParts = 4096
	maxName  = 512 // length of an ID, a session or a tool name
	maxKeys  = 64  // keys of an object that are checked for duplicates; hosts write fewer
)

// A Reader reads one transcript.
type Reader struct {
	Form    *Form
	Options Options
	Emit    func(*Call) error
	Report  Report

	Session, Agent string // set if the file names them once for all calls
	Headless       bool   // likewise; see Call.Headless

	Open      map[string]*Call // calls without a result, by slot
	order     []string         // slots of Open, oldest first
	withoutID int              // how many calls without an ID were read
	Recent    map[string]*Call // recently reported calls by ID, for late results
	// recentIDs are the keys of Recent, oldest first.
	recentIDs []string
	seen      [2]map[string]bool // IDs of reported calls and whether they ran; the newer set comes first

	At           int      // the number of the current line, from 1
	parts        []Fields // of the current line
	duplicateKey string   // a key that occurs twice in an object of the current line

	written time.Time // the file's last change; zero = unknown
	Clock   time.Time // the last time that was read
	latest  time.Time // the latest time of a call or a result

	ownLines     int  // 1 after a line with the host's keys was read
	mayHaveCalls bool // set if a line may be about a call
	Err          error
}

// readAll reads all lines of r, reports the calls, and returns the report. The error is a
// *ForeignError if no line has the keys of the host.
func (d *Reader) readAll(r io.Reader) (Report, error) {
	d.readLines(r)
	if d.Err == nil {
		d.finishOpenCalls()
	}
	if d.Err == nil && d.ownLines == 0 && (d.Report.Lines > 0 || d.Report.SkippedAll > 0) {
		why := "none of its lines has the expected keys"
		if len(d.Report.Skipped) > 0 && d.Report.Lines == 0 {
			why = d.Report.Skipped[0].Why
		}
		d.Err = &ForeignError{Host: d.Form.Host, Why: why, Harmless: !d.mayHaveCalls && d.Report.SkippedAll == 0}
	}
	return d.Report, d.Err
}

// readLines reads lines from r until its end or an error.
func (d *Reader) readLines(r io.Reader) {
	br := bufio.NewReaderSize(r, 256<<10)
	var buf []byte
	for n := 1; d.Err == nil; n++ {
		line, long, size, err := readLine(br, &buf)
		if err != nil && !errors.Is(err, io.EOF) {
			d.Err = err
			return
		}
		d.Report.Bytes += size
		if size == 0 {
			return
		}
		if err != nil && !long { // the last line, without a line end
			d.readUnendedLine(line, n)
			return
		}
		if long {
			d.Report.Skip(n, fmt.Sprintf("it is longer than %d MB", maxLine>>20))
		} else if line = bytes.TrimSpace(line); len(line) > 0 {
			d.readFullLine(line, n)
		}
		if cap(buf) > keepLine {
			buf = nil
		}
	}
}

// readLine returns the next line of br, and its size including the line end. If the line is longer
// than maxLine, it sets long and the line is incomplete. The line is valid until the next call.
func readLine(br *bufio.Reader, buf *[]byte) (line []byte, long bool, size int64, err error) {
	piece, err := br.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return piece, false, int64(len(piece)), err
	}
	*buf = append((*buf)[:0], piece...)
	size = int64(len(piece))
	for errors.Is(err, bufio.ErrBufferFull) {
		piece, err = br.ReadSlice('\n')
		size += int64(len(piece))
		if size > maxLine+1 {
			long, *buf = true, nil
			continue
		}
		*buf = append(*buf, piece...)
	}
	return *buf, long, size, err
}

// readFullLine reads line n. Line ends may be missing or carriage returns, so several objects in one
// line count as several lines.
func (d *Reader) readFullLine(line []byte, n int) {
	wanted := d.Form.mayHaveCall(line)
	why := lineError(line, wanted || d.ownLines == 0)
	if why == "" {
		d.readObject(line, n, wanted)
		return
	}
	rest := d.readObjects(line, n)
	switch {
	case len(rest) == 0 || d.Err != nil:
		return
	case len(rest) < len(line):
		wanted, why = d.Form.mayHaveCall(rest), lineError(rest, true)
	}
	if wanted || bytes.IndexByte(rest, 0) >= 0 {
		d.mayHaveCalls = true
		d.Report.Skip(n, why)
	} else {
		d.Report.skipHarmless(n, why)
	}
}

// readUnendedLine reads line n, the last one, which has no line end. It reports the file as truncated
// if the line is not complete.
func (d *Reader) readUnendedLine(line []byte, n int) {
	rest := d.readObjects(line, n)
	if len(rest) > 0 && d.Err == nil {
		d.Report.Truncated, d.Report.TruncatedCall = true, d.Form.mayHaveCall(rest)
		d.mayHaveCalls = d.mayHaveCalls || d.Report.TruncatedCall
	}
}

// readObjects reads the objects at the beginning of text, and returns the rest. n is the number of the
// line.
func (d *Reader) readObjects(text []byte, n int) []byte {
	for {
		text = bytes.TrimLeft(text, " \t\r\n")
		r := rawjson.NewReader(text)
		one := r.Value()
		switch {
		case len(one) == 0 || d.Err != nil:
			return text
		case rawjson.Kind(one) == '[' && allObjects(one): // all lines are written as one list
			rawjson.Elements(one, func(_ int, v []byte) bool {
				d.readObject(v, n, d.Form.mayHaveCall(v))
				return d.Err == nil
			})
		case rawjson.CheckObject(one) != nil:
			return text
		default:
			d.readObject(one, n, d.Form.mayHaveCall(one))
		}
		text = text[len(one):]
	}
}

// allObjects reports whether list is a JSON array that is not empty and has only objects.
func allObjects(list []byte) bool {
	if rawjson.Check(list) != nil {
		return false
	}
	n, all := 0, true
	rawjson.Elements(list, func(_ int, v []byte) bool {
		n, all = n+1, rawjson.Kind(v) == '{'
		return all
	})
	return all && n > 0
}

// readObject reads an object of line n. Unless wanted is set, it only checks for the host's keys.
func (d *Reader) readObject(obj []byte, n int, wanted bool) {
	d.Report.Lines++
	if d.ownLines == 0 && d.Form.hasOwnKeys(obj) {
		d.ownLines++
	}
	if d.mayHaveCalls = d.mayHaveCalls || wanted; wanted {
		d.At = n
		d.Form.Line(d, obj)
		d.ReportDuplicateKey()
	}
}

// ReportDuplicateKey reports the current line if one of its objects has the same key twice. The last
// one counts, but the writer of the line may have meant the other one.
func (d *Reader) ReportDuplicateKey() {
	if d.duplicateKey != "" {
		d.Report.Skip(d.At, fmt.Sprintf("it has the key %q twice: the last one counts", d.duplicateKey))
		d.duplicateKey = ""
	}
}

// ReportRespelledKey reports the current line if key equals one of keys except for its case.
func (d *Reader) ReportRespelledKey(key []byte, keys []string) {
	for _, k := range keys {
		if len(k) == len(key) && strings.EqualFold(string(key), k) {
			d.Report.Skip(d.At, fmt.Sprintf("it has the key %q in another case: %q", k, key))
		}
	}
}

// lineError returns why a line cannot be read, or "" if it can. If closely is set, it checks the whole
// line; otherwise only its first and last byte, and that it has no NUL bytes, which damaged files
// have.
func lineError(line []byte, closely bool) string {
	if line[0] == '{' && line[len(line)-1] == '}' && !closely && bytes.IndexByte(line, 0) < 0 {
		return ""
	}
	err := rawjson.CheckObject(line)
	switch {
	case err == nil:
		return ""
	case bytes.IndexByte(line, 0) >= 0:
		return "it contains NUL bytes"
	}
	return err.Error()
}

// hasOwnKeys reports whether a line has all keys of one of the sets in OwnKeys.
func (f *Form) hasOwnKeys(line []byte) bool {
	for _, keys := range f.OwnKeys {
		if !slices.ContainsFunc(keys, func(k string) bool { _, ok := rawjson.Get(line, k); return !ok }) {
			return true
		}
	}
	return false
}

// mayHaveCall reports whether a line may be about a call, or may have another value that is needed.
func (f *Form) mayHaveCall(line []byte) bool {
	return slices.ContainsFunc(f.Needles, func(n Needle) bool { return n.isIn(line) }) || escapesLetters(line)
}

// escapesLetters reports whether a line has escapes such as \u0041 for characters that need none. Such
// escapes can hide any word.
func escapesLetters(line []byte) bool {
	for {
		i := bytes.Index(line, []byte(`\u00`))
		if i < 0 || i+4 >= len(line) {
			return false
		}
		if c := line[i+4]; c >= '2' && c <= '7' {
			return true
		}
		line = line[i+4:]
	}
}

// A Needle holds words that have a letter in common. The letter is rare in lines, so that searching
// for it is fast.
type Needle struct {
	Rare  byte
	Words []string
}

// isIn reports whether line contains one of the words, ignoring case.
func (n *Needle) isIn(line []byte) bool {
	for i := 0; ; i++ {
		at := bytes.IndexByte(line[i:], n.Rare)
		if at < 0 {
			return false
		}
		i += at
		for _, w := range n.Words {
			from := i - strings.IndexByte(w, n.Rare)
			if from >= 0 && from+len(w) <= len(line) && equalFoldASCII(line[from:from+len(w)], w) {
				return true
			}
		}
	}
}

// equalFoldASCII reports whether a equals b, ignoring the case of a. b must have the same length and
// be in lower case.
func equalFoldASCII(a []byte, b string) bool {
	for i, c := range a {
		if c != b[i] && (c < 'A' || c > 'Z' || c|0x20 != b[i]) {
			return false
		}
	}
	return true
}

// hasRun reports whether the call ran, with or without an error.
func (c *Call) hasRun() bool { return c.Outcome == Ran || c.Outcome == Failed }

// repeatKey returns a key that tells a repeated call from another call with the same ID.
func (c *Call) repeatKey() string { return c.ID + "\x00" + string(c.Digest[:8]) }

// NewCall returns c with the fields that depend on the reader and on input, as the host's hooks would
// get them. input is JSON, or nil if it is unknown.
func (d *Reader) NewCall(c Call, input []byte) *Call {
	c.Host, c.Headless = d.Form.Host, d.Headless
	c.ID, c.Session, c.Agent, c.Tool = TruncateName(c.ID), TruncateName(c.Session), TruncateName(c.Agent), TruncateName(c.Tool)
	if c.Root == "" {
		c.Root = c.Session
	}
	if input != nil {
		c.Digest = digestValid(input)
		c.Command, c.Path = Subject(c.Tool, input)
		if d.Options.Digest != nil {
			c.OptionDigest = d.Options.Digest(rawjson.Compact(nil, input))
			c.Arguments = Arguments(input)
		}
	}
	d.setTime(&c)
	return &c
}

// OpenCall adds a call that waits for its result, and returns it. If the host repeats calls, it
// returns the open call with the same ID, or nil if the call was already reported.
func (d *Reader) OpenCall(call Call, input []byte) *Call {
	c := d.NewCall(call, input)
	c.slot = c.ID
	if c.ID == "" {
		d.withoutID++
		c.slot = slotWithoutID + strconv.Itoa(d.withoutID)
	}
	if old := d.Open[c.slot]; old != nil && d.Form.RepeatsCalls {
		return old
	} else if old != nil {
		d.FinishCall(old) // the host reuses the ID
	}
	if d.Form.RepeatsCalls && c.ID != "" && d.wasReported(c.repeatKey()) {
		return nil
	}
	if d.Open == nil {
		d.Open = map[string]*Call{}
	}
	for len(d.order) >= maxOpen {
		d.finishSlot(d.order[0])
	}
	d.Open[c.slot] = c
	d.order = append(d.order, c.slot)
	return c
}

// slotWithoutID is the prefix of the slot of a call that has no ID.
const slotWithoutID = "\x00"

// firstAgent is the earliest usable time of a call, because there were no agents before it. The latest
// usable time is the file's last change plus maxAhead, because clocks differ and the file may still be
// written.
var firstAgent = time.Date(2022, 1, 1, 0, 0, 0, 0, time.UTC)

const (
	maxAhead = 24 * time.Hour
	// maxDisorder is how much earlier a call may be than one before it in the file.
	maxDisorder = 10 * time.Minute
	// maxDuration is how long after a call its result may come.
	maxDuration = 24 * time.Hour
)

// isUsableTime reports whether at is plausible as the time of a call in this file.
func (d *Reader) isUsableTime(at time.Time) bool {
	if at.IsZero() {
		return false
	}
	return d.written.IsZero() || !at.After(d.written.Add(maxAhead)) && (!at.Before(firstAgent) || d.written.Before(firstAgent))
}

// setTime marks c as undated if its time cannot be relied on, and replaces an unusable time with that
// of an earlier line or of the file.
func (d *Reader) setTime(c *Call) {
	if !d.isUsableTime(c.Done) || c.Done.Before(c.At) && d.isUsableTime(c.At) {
		c.Done = time.Time{}
	}
	switch {
	case d.isUsableTime(c.At) && d.Form.InOrder && c.At.Before(d.latest.Add(-maxDisorder)):
		// It follows a later call in the file, so its time cannot be relied on.
	case d.isUsableTime(c.At):
		d.advanceClock(c.At)
		return
	case d.Clock.IsZero():
		c.At = d.written
	case !d.isUsableTime(c.At):
		c.At = d.Clock
	}
	c.Undated = true
}

// SetDone sets the time of the result of c, or clears it if at is not usable.
func (d *Reader) SetDone(c *Call, at time.Time) {
	if !d.isUsableTime(at) {
		c.Done = time.Time{}
		return
	}
	if d.Form.InOrder && at.Sub(c.At) > maxDuration {
		c.Undated = true
	}
	c.Done = at
	d.advanceClock(at)
}

// advanceClock records at as the last time that was read.
func (d *Reader) advanceClock(at time.Time) {
	if d.Clock = at; at.After(d.latest) {
		d.latest = at
	}
}

// FinishCall passes a call to Emit and removes it from the open calls. It ignores nil, and a call that
// was reported before unless it ran.
func (d *Reader) FinishCall(c *Call) {
	if c == nil || d.Err != nil || c.reported && !c.hasRun() {
		return
	}
	if c.ID != "" {
		d.markReported(c)
	}
	if _, ok := d.Open[c.slot]; ok {
		delete(d.Open, c.slot)
		if i := slices.Index(d.order, c.slot); i >= 0 {
			d.order = slices.Delete(d.order, i, i+1)
		}
	}
	d.Report.Calls++
	d.Err = d.Emit(c)
}

// finishSlot finishes the open call in slot, which must be the first in d.order.
func (d *Reader) finishSlot(slot string) {
	if c := d.Open[slot]; c != nil {
		d.FinishCall(c)
		return
	}
	d.order = d.order[1:]
}

// finishOpenCalls finishes the calls that have no result.
func (d *Reader) finishOpenCalls() {
	for len(d.order) > 0 && d.Err == nil {
		d.finishSlot(d.order[0])
	}
}

// CallOfResult returns the call to which the result with this ID belongs: an open call, a reported one
// that did not run by its first result, or a new orphan. It returns nil if the call was reported and
// ran. A result with an unknown ID may belong to a call without an ID.
func (d *Reader) CallOfResult(id string, at time.Time) *Call {
	id = TruncateName(id)
	c := d.Open[id]
	if c == nil && (id == "" || !d.wasReported(id)) {
		c = d.firstWithoutID()
	}
	switch {
	case c != nil:
	case id == "":
		return nil
	case d.wasReported(id):
		if c = d.ReopenUnlessRun(id, at); c == nil {
			return nil
		}
	default:
		return d.NewOrphan(id, at)
	}
	d.SetDone(c, at)
	return c
}

// firstWithoutID returns the oldest open call without an ID, or nil if there is none.
func (d *Reader) firstWithoutID() *Call {
	if d.withoutID > 0 {
		for _, slot := range d.order {
			if strings.HasPrefix(slot, slotWithoutID) {
				return d.Open[slot]
			}
		}
	}
	return nil
}

// ReopenUnlessRun returns the call id, which was reported, so that it can get another result. It
// returns nil if the call ran.
func (d *Reader) ReopenUnlessRun(id string, at time.Time) *Call {
	if d.wasReportedAsRun(id) {
		return nil
	}
	c := d.NewOrphan(id, at)
	if old := d.Recent[id]; old != nil {
		*c = *old
	}
	c.reported = true
	return c
}

// NewOrphan returns a call for a result whose call was not read.
func (d *Reader) NewOrphan(id string, at time.Time) *Call {
	c := &Call{Host: d.Form.Host, ID: TruncateName(id), Session: d.Session, Root: d.Session, Agent: d.Agent, At: at, Headless: d.Headless, Orphan: true, slot: id}
	d.setTime(c)
	c.Done = c.At
	return c
}

// wasReported reports whether the call with this ID or key was reported.
func (d *Reader) wasReported(id string) bool {
	_, newer := d.seen[0][id]
	_, older := d.seen[1][id]
	return newer || older
}

// wasReportedAsRun reports whether the call with this ID or key was reported as one that ran.
func (d *Reader) wasReportedAsRun(id string) bool { return d.seen[0][id] || d.seen[1][id] }

// markReported adds c to the reported and to the recent calls, and forgets the oldest ones if there
// are too many.
func (d *Reader) markReported(c *Call) {
	if d.seen[0] == nil || len(d.seen[0]) >= maxSeen {
		d.seen[1], d.seen[0] = d.seen[0], map[string]bool{}
	}
	d.seen[0][c.ID] = c.hasRun() || d.wasReportedAsRun(c.ID)
	if d.Form.RepeatsCalls {
		d.seen[0][c.repeatKey()] = c.hasRun() || d.wasReportedAsRun(c.repeatKey())
	}
	if d.Recent == nil {
		d.Recent = map[string]*Call{}
	}
	if len(d.recentIDs) >= 64 {
		delete(d.Recent, d.recentIDs[0])
		d.recentIDs = d.recentIDs[1:]
	}
	d.Recent[c.ID] = c
	d.recentIDs = append(d.recentIDs, c.ID)
}

// EmitTexts calls Options.Text with every string in val, the result of c.
func (d *Reader) EmitTexts(c *Call, val []byte) {
	if d.Options.Text == nil || c == nil || len(val) == 0 {
		return
	}
	rawjson.EachStringValue(val, func(s string) bool {
		if d.Err == nil && s != "" {
			d.Err = d.Options.Text(c, s)
		}
		return d.Err == nil
	})
}

// TruncateName truncates an ID, a session or a name to the maximum length.
func TruncateName(s string) string { return truncate(s, maxName) }

// GetText returns the string at path in obj, or "" if there is none.
func GetText(obj []byte, path ...string) string {
	v, _ := rawjson.Lookup(obj, path...)
	return Text(v)
}

// Text decodes a JSON string. It returns "" for any other value.
func Text(val []byte) string {
	s, _ := rawjson.Text(val)
	return s
}

// Fields holds the values of members of an object, in the order of the requested keys; nil = missing.
type Fields [12][]byte

// PickFields returns the members of obj with these keys. The last of several duplicates counts.
func (d *Reader) PickFields(obj []byte, keys ...string) Fields {
	r := rawjson.NewReader(obj)
	return d.ReadFields(&r, keys)
}

// ReadFields is PickFields for the next value of r, which it consumes. Lines are long, and reading
// part of a value a second time means parsing all of it again, so a form should read a line with a
// single reader.
func (d *Reader) ReadFields(r *rawjson.Reader, keys []string) (vals Fields) {
	d.EachMember(r, func(key []byte) {
		val := r.Value()
		for i, k := range keys {
			if string(key) == k {
				vals[i] = val
			}
		}
	})
	return vals
}

// EachMember calls fn with the key of each member of the next value of r, and consumes the value; fn
// must consume the member's value. A value that is not an object has no members. EachMember records
// the first duplicate key of the line.
func (d *Reader) EachMember(r *rawjson.Reader, fn func(key []byte)) {
	if r.Kind() != '{' {
		r.Value()
		return
	}
	var room [24][]byte
	keys := room[:0]
	r.Enter()
	for key, ok := r.Key(); ok; key, ok = r.Key() {
		if d.duplicateKey == "" && slices.ContainsFunc(keys, func(k []byte) bool { return string(k) == string(key) }) {
			d.duplicateKey = truncate(string(key), maxName)
		}
		if len(keys) < maxKeys {
			keys = append(keys, key)
		}
		fn(key)
	}
}

// ReadElements returns the members with these keys of each element of the next value of r, an array,
// which it consumes. The result is valid until the next call.
func (d *Reader) ReadElements(r *rawjson.Reader, keys []string) []Fields {
	d.parts = d.parts[:0]
	more := 0
	var one func()
	one = func() {
		switch {
		case len(d.parts) >= MaxParts:
			more++
			r.Value()
		case r.Kind() == '[': // no host nests lists, but their elements count as well
			EachElement(r, one)
		default:
			d.parts = append(d.parts, d.ReadFields(r, keys))
		}
	}
	EachElement(r, one)
	d.ReportSkippedParts(more)
	return d.parts
}

// ReportSkippedParts reports that parts of the current line were skipped, unless skipped is 0.
func (d *Reader) ReportSkippedParts(skipped int) {
	if skipped > 0 {
		d.Report.Skip(d.At, fmt.Sprintf("it has more than %d parts; parts not read: %d", MaxParts, skipped))
	}
}

// EachElement calls fn for each element of the next value of r, an array; fn must consume the element.
// Any other value has no elements and is consumed.
func EachElement(r *rawjson.Reader, fn func()) {
	if r.Kind() != '[' {
		r.Value()
		return
	}
	r.Enter()
	for r.NextElement() {
		fn()
	}
}

// maxHead is how many bytes at the beginning or end of a text are used to determine an outcome.
const maxHead = 512

// TextHead returns the beginning of the first text of a result. It does not decode the rest, which may
// be long.
func TextHead(val []byte) string {
	if rawjson.Kind(val) == '[' {
		rawjson.Elements(val, func(_ int, v []byte) bool {
			val = v
			return false
		})
	}
	if rawjson.Kind(val) == '{' {
		val = partText(val)
	}
	if rawjson.Kind(val) != '"' {
		return ""
	}
	end := len(val) - 1
	if end > maxHead {
		end = truncationPoint(val, maxHead)
	}
	return strings.TrimSpace(rawjson.Unescape(string(val[1:end])))
}

// MaxRefusal is the length up to which a text can be a refusal; a longer one is output.
const MaxRefusal = 1000

// TextTail returns the end of the last text of a result.
func TextTail(val []byte) (s string) {
	rawjson.EachStringValue(val, func(one string) bool {
		s = one
		return true
	})
	s = strings.TrimSpace(s)
	return s[max(0, len(s)-maxHead):]
}

// CountTexts returns how many parts of a result are text. A result that is not a list counts as one.
func CountTexts(val []byte) (n int) {
	if rawjson.Kind(val) != '[' {
		return 1
	}
	rawjson.Elements(val, func(_ int, v []byte) bool {
		if rawjson.Kind(v) == '{' {
			v, _ = rawjson.Get(v, "text")
		}
		if rawjson.Kind(v) == '"' {
			n++
		}
		return true
	})
	return n
}

// partText returns the text of a part of a result: its member "text", or else its first string.
func partText(obj []byte) (text []byte) {
	rawjson.EachRaw(obj, func(k, v []byte) bool {
		if rawjson.Kind(v) == '"' && (text == nil || string(k) == "text") {
			text = v
		}
		return true
	})
	return text
}

// truncationPoint returns an offset near most at which the JSON string val can be cut without
// splitting an escape or a rune.
func truncationPoint(val []byte, most int) int {
	end := 1
	for end < most {
		switch {
		case val[end] != '\\':
			end++
		case val[end+1] == 'u':
			end += 6
		default:
			end += 2
		}
	}
	for end = min(end, len(val)-1); end > 1 && !utf8.RuneStart(val[end]); {
		end--
	}
	return end
}

// ParseTime parses a time in RFC 3339 format or in milliseconds since 1970. It returns zero for other
// values.
func ParseTime(val []byte) time.Time {
	if s, ok := rawjson.Text(val); ok {
		t, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			return time.Time{}
		}
		return t.UTC()
	}
	var ms int64
	for _, c := range val {
		if c < '0' || c > '9' || ms > 1<<52 {
			break
		}
		ms = ms*10 + int64(c-'0')
	}
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// HasAnyPrefix reports whether s begins with one of the prefixes in with.
func HasAnyPrefix(s string, with []string) bool {
	for _, w := range with {
		if strings.HasPrefix(s, w) {
			return true
		}
	}
	return false
}

// DenialPrefix is the beginning of checkrein's denials; see block_text.go in package app.
const DenialPrefix = "checkrein blocked "

// FindExitStatus returns the exit status that follows the first of words that said contains. It
// reports false if there is none.
func FindExitStatus(said string, words ...string) (string, bool) {
	for _, w := range words {
		if _, rest, ok := strings.Cut(said, w); ok {
			end := strings.IndexFunc(rest, func(r rune) bool { return r != '-' && (r < '0' || r > '9') })
			if end < 0 {
				end = len(rest)
			}
			return rest[:end], end > 0
		}
	}
	return "", false
}
