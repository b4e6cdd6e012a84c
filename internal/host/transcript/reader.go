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
	// maxLine is the longest line that is read; a longer one is named and left out.
	maxLine = 64 << 20
	// keepLine is how much room for lines is kept from one to the next.
	keepLine = 1 << 20
	// maxOpen is how many calls may wait for their results at once.
	maxOpen = 1024
	// maxSeen is how many names of calls are remembered as reported, twice over.
	maxSeen = 1 << 16
	// MaxParts is how many parts of a line are looked at: each takes more room than the
	// shortest one does in the line.
	MaxParts = 4096
	maxName  = 512 // of an ID, a session or a tool
	maxKeys  = 64  // of an object that are told from each other: hosts write fewer
)

// A Reader reads one transcript.
type Reader struct {
	Form    *Form
	Options Options
	Emit    func(*Call) error
	Report  Report

	Session, Agent string // of the file, where it says so once
	Headless       bool   // the same

	Open     map[string]*Call // calls without a result, by slot
	order    []string         // of them, oldest first
	nameless int              // calls without an ID, of all
	Last     map[string]*Call // calls that were reported lately, for what comes late
	lasts    []string
	seen     [2]map[string]bool // IDs that were reported, and whether they ran: the newer ones, the older ones

	At    int      // the line at hand, from 1
	parts []Fields // of it
	twice string   // a key that an object of it has twice

	written time.Time // when the file was changed last; zero = unknown
	Clock   time.Time // the last time that was read
	latest  time.Time // the latest that a call or a result has

	known  int  // 1 once a line was the host's
	wanted bool // a line may be about a call
	Err    error
}

// read reads lines from r to its end.
func (d *Reader) read(r io.Reader) (Report, error) {
	d.readLines(r)
	if d.Err == nil {
		d.flush()
	}
	if d.Err == nil && d.known == 0 && (d.Report.Lines > 0 || d.Report.SkippedAll > 0) {
		why := "no line of it has the form"
		if len(d.Report.Skipped) > 0 && d.Report.Lines == 0 {
			why = d.Report.Skipped[0].Why
		}
		d.Err = &ForeignError{Host: d.Form.Host, Why: why, Harmless: !d.wanted && d.Report.SkippedAll == 0}
	}
	return d.Report, d.Err
}

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
		if err != nil && !long { // the last one, and nothing ends it
			d.lastLine(line, n)
			return
		}
		if long {
			d.Report.Skip(n, fmt.Sprintf("it is longer than %d MB", maxLine>>20))
		} else if line = bytes.TrimSpace(line); len(line) > 0 {
			d.line(line, n)
		}
		if cap(buf) > keepLine {
			buf = nil
		}
	}
}

// readLine returns the next line, without what ends it, and how long it was with
// that. What is over maxLine is read and dropped. A line is good until the next one.
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

// line reads one line. What ends lines may be lost, or be a carriage return: objects
// that follow each other in one line are lines of their own.
func (d *Reader) line(line []byte, n int) {
	wanted := d.Form.wants(line)
	why := flaw(line, wanted || d.known == 0)
	if why == "" {
		d.object(line, n, wanted)
		return
	}
	rest := d.objects(line, n)
	switch {
	case len(rest) == 0 || d.Err != nil:
		return
	case len(rest) < len(line):
		wanted, why = d.Form.wants(rest), flaw(rest, true)
	}
	if wanted || bytes.IndexByte(rest, 0) >= 0 {
		d.wanted = true
		d.Report.Skip(n, why)
	} else {
		d.Report.skipHarmless(n, why)
	}
}

// lastLine is line for one that nothing ends.
func (d *Reader) lastLine(line []byte, n int) {
	rest := d.objects(line, n)
	if len(rest) > 0 && d.Err == nil {
		d.Report.Truncated, d.Report.TruncatedCall = true, d.Form.wants(rest)
		d.wanted = d.wanted || d.Report.TruncatedCall
	}
}

// objects reads the objects that a text begins with, and returns what is left of it.
func (d *Reader) objects(text []byte, n int) []byte {
	for {
		text = bytes.TrimLeft(text, " \t\r\n")
		r := rawjson.NewReader(text)
		one := r.Value()
		switch {
		case len(one) == 0 || d.Err != nil:
			return text
		case rawjson.Kind(one) == '[' && allObjects(one): // the lines as one list
			rawjson.Elements(one, func(_ int, v []byte) bool {
				d.object(v, n, d.Form.wants(v))
				return d.Err == nil
			})
		case rawjson.CheckObject(one) != nil:
			return text
		default:
			d.object(one, n, d.Form.wants(one))
		}
		text = text[len(one):]
	}
}

// allObjects reports whether a list has objects in it, and nothing else.
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

// object reads the object of a line.
func (d *Reader) object(obj []byte, n int, wanted bool) {
	d.Report.Lines++
	if d.known == 0 && d.Form.owns(obj) {
		d.known++
	}
	if d.wanted = d.wanted || wanted; wanted {
		d.At = n
		d.Form.Line(d, obj)
		d.Doubled()
	}
}

// Doubled names a line in which an object has a key twice: the last one counts, and
// whoever wrote the line may have meant the other one to be read.
func (d *Reader) Doubled() {
	if d.twice != "" {
		d.Report.Skip(d.At, fmt.Sprintf("it has the key %q twice: the last one counts", d.twice))
		d.twice = ""
	}
}

// Respelled names a line that has one of some keys in other letters.
func (d *Reader) Respelled(key []byte, keys []string) {
	for _, k := range keys {
		if len(k) == len(key) && strings.EqualFold(string(key), k) {
			d.Report.Skip(d.At, fmt.Sprintf("it has the key %q in other letters: %q", k, key))
		}
	}
}

// flaw returns why a line cannot be read. Of one that is about no call only its ends are
// looked at, and whether a disk lost it.
func flaw(line []byte, closely bool) string {
	if line[0] == '{' && line[len(line)-1] == '}' && !closely && bytes.IndexByte(line, 0) < 0 {
		return ""
	}
	err := rawjson.CheckObject(line)
	switch {
	case err == nil:
		return ""
	case bytes.IndexByte(line, 0) >= 0:
		return "it has NUL bytes in it"
	}
	return err.Error()
}

// owns reports whether a line looks like one of the host's.
func (f *Form) owns(line []byte) bool {
	for _, keys := range f.OwnKeys {
		if !slices.ContainsFunc(keys, func(k string) bool { _, ok := rawjson.Get(line, k); return !ok }) {
			return true
		}
	}
	return false
}

// wants reports whether a line may be of use.
func (f *Form) wants(line []byte) bool {
	return slices.ContainsFunc(f.Needles, func(n Needle) bool { return n.in(line) }) || veiled(line)
}

// veiled reports whether a line spells letters as numbers that need none: that may be
// any word.
func veiled(line []byte) bool {
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

// A Needle is words that have a letter in common, one that is rare in what lines say:
// looking for that one goes fast.
type Needle struct {
	Rare  byte
	Words []string
}

// in reports whether a line has one of the words in it.
func (n *Needle) in(line []byte) bool {
	for i := 0; ; i++ {
		at := bytes.IndexByte(line[i:], n.Rare)
		if at < 0 {
			return false
		}
		i += at
		for _, w := range n.Words {
			from := i - strings.IndexByte(w, n.Rare)
			if from >= 0 && from+len(w) <= len(line) && sameLetters(line[from:from+len(w)], w) {
				return true
			}
		}
	}
}

// sameLetters compares two texts of one length, whatever the case of the first one.
func sameLetters(a []byte, b string) bool {
	for i, c := range a {
		if c != b[i] && (c < 'A' || c > 'Z' || c|0x20 != b[i]) {
			return false
		}
	}
	return true
}

func (c *Call) ran() bool { return c.Outcome == Ran || c.Outcome == Failed }

// key distinguishes a call that is told again from another one under the same ID.
func (c *Call) key() string { return c.ID + "\x00" + string(c.Digest[:8]) }

// Heard is a call as hooks hear it. Input is JSON, nil for unknown.
func (d *Reader) Heard(c Call, input []byte) *Call {
	c.Host, c.Headless = d.Form.Host, d.Headless
	c.ID, c.Session, c.Agent, c.Tool = Name(c.ID), Name(c.Session), Name(c.Agent), Name(c.Tool)
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
	d.date(&c)
	return &c
}

// Called notes a call that waits for its result and returns it, nil for one that was
// reported before.
func (d *Reader) Called(call Call, input []byte) *Call {
	c := d.Heard(call, input)
	c.slot = c.ID
	if c.ID == "" {
		d.nameless++
		c.slot = nameless + strconv.Itoa(d.nameless)
	}
	if old := d.Open[c.slot]; old != nil && d.Form.RepeatsCalls {
		return old
	} else if old != nil {
		d.Done(old) // the ID is used again
	}
	if d.Form.RepeatsCalls && c.ID != "" && d.reported(c.key()) {
		return nil
	}
	if d.Open == nil {
		d.Open = map[string]*Call{}
	}
	for len(d.order) >= maxOpen {
		d.give(d.order[0])
	}
	d.Open[c.slot] = c
	d.order = append(d.order, c.slot)
	return c
}

// nameless begins the slot of a call that has no ID.
const nameless = "\x00"

// The times that a call may have are those since there are agents, until the file was
// changed last. Clocks differ, and the file may still be written.
var firstAgent = time.Date(2022, 1, 1, 0, 0, 0, 0, time.UTC)

const (
	ahead = 24 * time.Hour
	// disorder is how much earlier than what is before it in the file a call may be.
	disorder = 10 * time.Minute
	// longest is how long after a call its result may come.
	longest = 24 * time.Hour
)

// usable reports whether a time can be the one of a call.
func (d *Reader) usable(at time.Time) bool {
	if at.IsZero() {
		return false
	}
	return d.written.IsZero() || !at.After(d.written.Add(ahead)) && (!at.Before(firstAgent) || d.written.Before(firstAgent))
}

// date sees to it that a call has a time: in place of one that it cannot be, that of
// what was before it, or of the file.
func (d *Reader) date(c *Call) {
	if !d.usable(c.Done) || c.Done.Before(c.At) && d.usable(c.At) {
		c.Done = time.Time{}
	}
	switch {
	case d.usable(c.At) && d.Form.InOrder && c.At.Before(d.latest.Add(-disorder)):
		// It is told after what came later, so nobody knows when it was.
	case d.usable(c.At):
		d.tick(c.At)
		return
	case d.Clock.IsZero():
		c.At = d.written
	case !d.usable(c.At):
		c.At = d.Clock
	}
	c.Undated = true
}

// Ended notes when a call had its result.
func (d *Reader) Ended(c *Call, at time.Time) {
	if !d.usable(at) {
		c.Done = time.Time{}
		return
	}
	if d.Form.InOrder && at.Sub(c.At) > longest {
		c.Undated = true
	}
	c.Done = at
	d.tick(at)
}

// tick notes a time that was read.
func (d *Reader) tick(at time.Time) {
	if d.Clock = at; at.After(d.latest) {
		d.latest = at
	}
}

// Done ends a call: what is known of it by now is reported.
func (d *Reader) Done(c *Call) {
	if c == nil || d.Err != nil || c.reported && !c.ran() {
		return
	}
	if c.ID != "" {
		d.remember(c)
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

// give reports an open call as it is.
func (d *Reader) give(slot string) {
	if c := d.Open[slot]; c != nil {
		d.Done(c)
		return
	}
	d.order = d.order[1:]
}

// flush reports the calls that have no result.
func (d *Reader) flush() {
	for len(d.order) > 0 && d.Err == nil {
		d.give(d.order[0])
	}
}

// Of returns the call that a result belongs to; a new one for an orphan, nil for a
// result that was reported before. Of a call that did not run by its first result the
// second one is told, too. A result that belongs to none may be that of a call that has
// no ID.
func (d *Reader) Of(id string, at time.Time) *Call {
	id = Name(id)
	c := d.Open[id]
	if c == nil && (id == "" || !d.reported(id)) {
		c = d.firstNameless()
	}
	switch {
	case c != nil:
	case id == "":
		return nil
	case d.reported(id):
		if c = d.Again(id, at); c == nil {
			return nil
		}
	default:
		return d.Orphan(id, at)
	}
	d.Ended(c, at)
	return c
}

// firstNameless is the oldest open call without an ID.
func (d *Reader) firstNameless() *Call {
	if d.nameless > 0 {
		for _, slot := range d.order {
			if strings.HasPrefix(slot, nameless) {
				return d.Open[slot]
			}
		}
	}
	return nil
}

// Again is a call that was reported, for one more result; nil if it ran by the first.
func (d *Reader) Again(id string, at time.Time) *Call {
	if d.ran(id) {
		return nil
	}
	c := d.Orphan(id, at)
	if old := d.Last[id]; old != nil {
		*c = *old
	}
	c.reported = true
	return c
}

// Orphan is a call of which nothing but a result is known.
func (d *Reader) Orphan(id string, at time.Time) *Call {
	c := &Call{Host: d.Form.Host, ID: Name(id), Session: d.Session, Root: d.Session, Agent: d.Agent, At: at, Headless: d.Headless, Orphan: true, slot: id}
	d.date(c)
	c.Done = c.At
	return c
}

// reported reports whether a call was reported; ran, whether it ran by that.
func (d *Reader) reported(id string) bool {
	_, newer := d.seen[0][id]
	_, older := d.seen[1][id]
	return newer || older
}

func (d *Reader) ran(id string) bool { return d.seen[0][id] || d.seen[1][id] }

func (d *Reader) remember(c *Call) {
	if d.seen[0] == nil || len(d.seen[0]) >= maxSeen {
		d.seen[1], d.seen[0] = d.seen[0], map[string]bool{}
	}
	d.seen[0][c.ID] = c.ran() || d.ran(c.ID)
	if d.Form.RepeatsCalls {
		d.seen[0][c.key()] = c.ran() || d.ran(c.key())
	}
	if d.Last == nil {
		d.Last = map[string]*Call{}
	}
	if len(d.lasts) >= 64 {
		delete(d.Last, d.lasts[0])
		d.lasts = d.lasts[1:]
	}
	d.Last[c.ID] = c
	d.lasts = append(d.lasts, c.ID)
}

// Text hands on what the model was given: every string of a value.
func (d *Reader) Text(c *Call, val []byte) {
	if d.Options.Text == nil || c == nil || len(val) == 0 {
		return
	}
	rawjson.Strings(val, func(s string) bool {
		if d.Err == nil && s != "" {
			d.Err = d.Options.Text(c, s)
		}
		return d.Err == nil
	})
}

// Name bounds what a transcript calls something.
func Name(s string) string { return truncate(s, maxName) }

// get returns a member's text.
func GetText(obj []byte, path ...string) string {
	v, _ := rawjson.Lookup(obj, path...)
	return Text(v)
}

func Text(val []byte) string {
	s, _ := rawjson.Text(val)
	return s
}

// Fields are members of an object, in the order in which they were asked for; nil for
// one that is not there.
type Fields [12][]byte

// Pick returns some members of an object in one walk. The last one of a key counts.
func (d *Reader) Pick(obj []byte, keys ...string) Fields {
	r := rawjson.NewReader(obj)
	return d.Take(&r, keys)
}

// Take is pick for the value that a reader has at hand, and moves behind it. Lines are
// long, and who reads the parts of a value again walks over all of it again: so a form
// goes through a line by one reader.
func (d *Reader) Take(r *rawjson.Reader, keys []string) (vals Fields) {
	d.Members(r, func(key []byte) {
		val := r.Value()
		for i, k := range keys {
			if string(key) == k {
				vals[i] = val
			}
		}
	})
	return vals
}

// Members calls fn for each member of the object that a reader has at hand, and moves
// behind it; fn must read the value or pass over it. What is no object has none. A key
// that is there twice is noted.
func (d *Reader) Members(r *rawjson.Reader, fn func(key []byte)) {
	if r.Kind() != '{' {
		r.Value()
		return
	}
	var room [24][]byte
	keys := room[:0]
	r.Enter()
	for key, ok := r.Key(); ok; key, ok = r.Key() {
		if d.twice == "" && slices.ContainsFunc(keys, func(k []byte) bool { return string(k) == string(key) }) {
			d.twice = truncate(string(key), maxName)
		}
		if len(keys) < maxKeys {
			keys = append(keys, key)
		}
		fn(key)
	}
}

// Each returns some members of each element of the array that a reader has at hand, and
// moves behind it. They are good until the next call.
func (d *Reader) Each(r *rawjson.Reader, keys []string) []Fields {
	d.parts = d.parts[:0]
	more := 0
	var one func()
	one = func() {
		switch {
		case len(d.parts) >= MaxParts:
			more++
			r.Value()
		case r.Kind() == '[': // no host has lists in lists: what is in there counts all the same
			Elements(r, one)
		default:
			d.parts = append(d.parts, d.Take(r, keys))
		}
	}
	Elements(r, one)
	d.TooMany(more)
	return d.parts
}

// TooMany names a line that has more parts than are looked at.
func (d *Reader) TooMany(more int) {
	if more > 0 {
		d.Report.Skip(d.At, fmt.Sprintf("%d parts of it are left out, since it has more than %d", more, MaxParts))
	}
}

// Elements is members for an array.
func Elements(r *rawjson.Reader, fn func()) {
	if r.Kind() != '[' {
		r.Value()
		return
	}
	r.Enter()
	for r.Element() {
		fn()
	}
}

// maxHead is how much of a text outcomes are told by.
const maxHead = 512

// Head returns the beginning of what a result says: of its first part, of the text in
// that. The rest, which may be long, is not decoded.
func Head(val []byte) string {
	if rawjson.Kind(val) == '[' {
		rawjson.Elements(val, func(_ int, v []byte) bool {
			val = v
			return false
		})
	}
	if rawjson.Kind(val) == '{' {
		val = said(val)
	}
	if rawjson.Kind(val) != '"' {
		return ""
	}
	end := len(val) - 1
	if end > maxHead {
		end = wholeLetters(val, maxHead)
	}
	return strings.TrimSpace(rawjson.Unescape(string(val[1:end])))
}

// MaxRefusal is how long a text may be that stands in place of a run.
const MaxRefusal = 1000

// Tail is how what a result says ends.
func Tail(val []byte) (s string) {
	rawjson.Strings(val, func(one string) bool {
		s = one
		return true
	})
	s = strings.TrimSpace(s)
	return s[max(0, len(s)-maxHead):]
}

// Texts counts the texts that a result has: the parts of it that are, or have, one.
func Texts(val []byte) (n int) {
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

// said is the text of a part: the one that is called so, else the first string.
func said(obj []byte) (text []byte) {
	rawjson.EachRaw(obj, func(k, v []byte) bool {
		if rawjson.Kind(v) == '"' && (text == nil || string(k) == "text") {
			text = v
		}
		return true
	})
	return text
}

// wholeLetters is where a string, with its quotes, can be cut near most.
func wholeLetters(val []byte, most int) int {
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

// Clock reads a time: RFC 3339, or milliseconds since 1970.
func Clock(val []byte) time.Time {
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

// starts reports whether a text begins with one of some beginnings.
func BeginsWith(s string, with []string) bool {
	for _, w := range with {
		if strings.HasPrefix(s, w) {
			return true
		}
	}
	return false
}

// Ours is how checkrein's denials begin, see kit's block_text.go.
const Ours = "checkrein blocked "

// ExitIn finds the exit status that a text tells of after one of some words.
func ExitIn(said string, words ...string) (string, bool) {
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
