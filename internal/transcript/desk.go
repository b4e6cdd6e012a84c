package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/rawjson"
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
	// maxParts is how many parts of a line are looked at: each takes more room than the
	// shortest one does in the line.
	maxParts = 4096
	maxName  = 512 // of an ID, a session or a tool
)

// A desk reads one transcript.
type desk struct {
	form form
	o    Options
	f    func(*Call) error
	rep  Report

	session, agent string // of the file, where it says so once
	headless       bool   // the same
	whole          bool   // the file is one value

	open  map[string]*Call // calls without a result, by ID
	order []string         // of them, oldest first
	last  map[string]*Call // calls that were reported lately, for texts that come late
	lasts []string
	seen  [2]map[string]bool // IDs that were reported: the newer ones, the older ones

	at    int      // the line at hand, from 1
	parts []fields // of it

	known int // 1 once a line was the host's
	err   error
}

// read reads lines from r to its end; at is where r begins.
func (d *desk) read(r io.Reader, at int64) (Report, error) {
	d.rep.Next = at
	if d.whole {
		d.readWhole(r)
	} else {
		d.readLines(r)
	}
	if d.err == nil {
		d.flush()
	}
	if d.err == nil && d.known == 0 && at == 0 && (d.rep.Lines > 0 || d.rep.SkippedAll > 0) {
		why := "no line of it has the form"
		if len(d.rep.Skipped) > 0 && d.rep.Lines == 0 {
			why = d.rep.Skipped[0].Why
		}
		d.err = &ForeignError{d.form.host, why}
	}
	return d.rep, d.err
}

func (d *desk) readWhole(r io.Reader) {
	b, err := io.ReadAll(io.LimitReader(r, maxLine+1))
	d.rep.Bytes = int64(len(b))
	switch {
	case err != nil:
		d.err = err
	case len(b) > maxLine:
		d.rep.skip(1, fmt.Sprintf("it is longer than %d MB", maxLine>>20))
	case len(bytes.TrimSpace(b)) > 0:
		d.line(bytes.TrimSpace(b), 1)
		d.rep.Next = 0 // it is written anew each time
	}
}

func (d *desk) readLines(r io.Reader) {
	br := bufio.NewReaderSize(r, 256<<10)
	var buf []byte
	for n := 1; d.err == nil; n++ {
		line, long, size, err := readLine(br, &buf)
		if err != nil && !errors.Is(err, io.EOF) {
			d.err = err
			return
		}
		d.rep.Bytes += size
		if size == 0 {
			return
		}
		if err != nil { // the last one, and nothing ends it
			if long || rawjson.CheckObject(line) != nil {
				d.rep.Cut = true
				return
			}
		}
		d.rep.Next += size
		if long {
			d.rep.skip(n, fmt.Sprintf("it is longer than %d MB", maxLine>>20))
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

// line reads one line.
func (d *desk) line(line []byte, n int) {
	wanted := d.form.wants(line)
	if why := flaw(line, wanted || d.known == 0); why != "" {
		d.rep.skip(n, why)
		return
	}
	d.rep.Lines++
	if d.known == 0 && d.form.owns(line) {
		d.known++
	}
	if wanted {
		d.at = n
		d.form.line(d, line)
	}
}

// flaw says why a line cannot be read. Of one that is about no call only its ends are
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
func (f *form) owns(line []byte) bool {
	for _, keys := range f.own {
		if !slices.ContainsFunc(keys, func(k string) bool { _, ok := rawjson.Get(line, k); return !ok }) {
			return true
		}
	}
	return false
}

// wants reports whether a line may be of use.
func (f *form) wants(line []byte) bool {
	return slices.ContainsFunc(f.needles, func(n needle) bool { return n.in(line) })
}

// A needle is words that have a letter in common, one that is rare in what lines say:
// looking for that one goes fast.
type needle struct {
	rare  byte
	words []string
}

// in reports whether a line has one of the words in it.
func (n *needle) in(line []byte) bool {
	for i := 0; ; i++ {
		at := bytes.IndexByte(line[i:], n.rare)
		if at < 0 {
			return false
		}
		i += at
		for _, w := range n.words {
			from := i - strings.IndexByte(w, n.rare)
			if from >= 0 && from+len(w) <= len(line) && string(line[from:from+len(w)]) == w {
				return true
			}
		}
	}
}

// key tells a call that is told again from another one under the same ID.
func (c *Call) key() string { return c.ID + "\x00" + string(c.Digest[:8]) }

// called notes a call and returns it, nil for one that was reported before. Input is
// JSON as hooks hear it, nil for unknown.
func (d *desk) called(c Call, input []byte) *Call {
	c.Host, c.Headless = d.form.host, d.headless
	c.ID, c.Session, c.Agent, c.Tool = name(c.ID), name(c.Session), name(c.Agent), name(c.Tool)
	if c.Root == "" {
		c.Root = c.Session
	}
	if input != nil {
		c.Digest = digest(input)
		c.Command, c.Path = Subject(c.Tool, input)
		if d.o.Sum != nil {
			c.Sum = d.o.Sum(rawjson.Compact(nil, input))
		}
	}
	if c.ID == "" {
		return &c
	}
	if old := d.open[c.ID]; old != nil && d.form.retells {
		return old
	} else if old != nil {
		d.done(old) // the ID is used again
	}
	if d.form.retells && d.reported(c.key()) {
		return nil
	}
	if d.open == nil {
		d.open = map[string]*Call{}
	}
	for len(d.order) >= maxOpen {
		d.give(d.order[0])
	}
	d.open[c.ID] = &c
	d.order = append(d.order, c.ID)
	return &c
}

// done ends a call: what is known of it by now is reported.
func (d *desk) done(c *Call) {
	if c == nil || d.err != nil {
		return
	}
	if c.ID != "" {
		d.remember(c)
		delete(d.open, c.ID)
		for i, id := range d.order {
			if id == c.ID {
				d.order = append(d.order[:i], d.order[i+1:]...)
				break
			}
		}
	}
	d.rep.Calls++
	d.err = d.f(c)
}

// give reports an open call as it is.
func (d *desk) give(id string) {
	if c := d.open[id]; c != nil {
		d.done(c)
		return
	}
	d.order = d.order[1:]
}

// flush reports the calls that have no result.
func (d *desk) flush() {
	for len(d.order) > 0 && d.err == nil {
		d.give(d.order[0])
	}
}

// of returns the call that a result belongs to; a new one for an orphan, nil for a
// result that was reported before.
func (d *desk) of(id string, at time.Time) *Call {
	id = name(id)
	if c := d.open[id]; c != nil {
		c.Done = at
		return c
	}
	if id == "" || d.reported(id) {
		return nil
	}
	return d.orphan(id, at)
}

// orphan is a call of which nothing but a result is known.
func (d *desk) orphan(id string, at time.Time) *Call {
	return &Call{Host: d.form.host, ID: name(id), Session: d.session, Root: d.session, Agent: d.agent, At: at, Done: at, Headless: d.headless, Orphan: true}
}

func (d *desk) reported(id string) bool { return d.seen[0][id] || d.seen[1][id] }

func (d *desk) remember(c *Call) {
	if d.seen[0] == nil || len(d.seen[0]) >= maxSeen {
		d.seen[1], d.seen[0] = d.seen[0], map[string]bool{}
	}
	d.seen[0][c.ID] = true
	if d.form.retells {
		d.seen[0][c.key()] = true
	}
	if d.last == nil {
		d.last = map[string]*Call{}
	}
	if len(d.lasts) >= 64 {
		delete(d.last, d.lasts[0])
		d.lasts = d.lasts[1:]
	}
	d.last[c.ID] = c
	d.lasts = append(d.lasts, c.ID)
}

// text hands on what the model was given: every string of a value.
func (d *desk) text(c *Call, val []byte) {
	if d.o.Text == nil || c == nil || len(val) == 0 {
		return
	}
	rawjson.Strings(val, func(s string) bool {
		if d.err == nil && s != "" {
			d.err = d.o.Text(c, s)
		}
		return d.err == nil
	})
}

// name bounds what a transcript calls something.
func name(s string) string { return short(s, maxName) }

// get returns a member's text.
func get(obj []byte, path ...string) string {
	v, _ := rawjson.Lookup(obj, path...)
	return str(v)
}

func str(val []byte) string {
	s, _ := rawjson.Text(val)
	return s
}

// fields are members of an object, in the order in which they were asked for; nil for
// one that is not there.
type fields [12][]byte

// pick returns some members of an object in one walk. The last one of a key counts.
func pick(obj []byte, keys ...string) fields {
	r := rawjson.NewReader(obj)
	return take(&r, keys)
}

// take is pick for the value that a reader has at hand, and moves behind it. Lines are
// long, and who reads the parts of a value again walks over all of it again: so a form
// goes through a line by one reader.
func take(r *rawjson.Reader, keys []string) (vals fields) {
	members(r, func(key []byte) {
		val := r.Value()
		for i, k := range keys {
			if string(key) == k {
				vals[i] = val
			}
		}
	})
	return vals
}

// members calls fn for each member of the object that a reader has at hand, and moves
// behind it; fn must read the value or pass over it. What is no object has none.
func members(r *rawjson.Reader, fn func(key []byte)) {
	if r.Kind() != '{' {
		r.Value()
		return
	}
	r.Enter()
	for key, ok := r.Key(); ok; key, ok = r.Key() {
		fn(key)
	}
}

// each returns some members of each element of the array that a reader has at hand, and
// moves behind it. They are good until the next call.
func (d *desk) each(r *rawjson.Reader, keys []string) []fields {
	d.parts = d.parts[:0]
	more := 0
	elements(r, func() {
		if len(d.parts) < maxParts {
			d.parts = append(d.parts, take(r, keys))
		} else {
			more++
			r.Value()
		}
	})
	d.tooMany(more)
	return d.parts
}

// tooMany names a line that has more parts than are looked at.
func (d *desk) tooMany(more int) {
	if more > 0 {
		d.rep.skip(d.at, fmt.Sprintf("%d parts of it are left out, since it has more than %d", more, maxParts))
	}
}

// elements is members for an array.
func elements(r *rawjson.Reader, fn func()) {
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

// head returns the beginning of what a result says: of its first part, of the text in
// that. The rest, which may be long, is not decoded.
func head(val []byte) string {
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

// clock reads a time: RFC 3339, or milliseconds since 1970.
func clock(val []byte) time.Time {
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

func timeOf(obj []byte, path ...string) time.Time {
	v, _ := rawjson.Lookup(obj, path...)
	return clock(v)
}

// starts reports whether a text begins with one of some beginnings.
func starts(s string, with []string) bool {
	for _, w := range with {
		if strings.HasPrefix(s, w) {
			return true
		}
	}
	return false
}

// ours is how checkrein's denials begin, see kit's say.go.
const ours = "checkrein blocked "
