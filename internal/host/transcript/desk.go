package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
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
	// maxParts is how many parts of a line are looked at: each takes more room than the
	// shortest one does in the line.
	maxParts = 4096
	maxName  = 512 // of an ID, a session or a tool
	maxKeys  = 64  // of an object that are told from each other: hosts write fewer
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

	open     map[string]*Call // calls without a result, by slot
	order    []string         // of them, oldest first
	nameless int              // calls without an ID, of all
	last     map[string]*Call // calls that were reported lately, for what comes late
	lasts    []string
	seen     [2]map[string]bool // IDs that were reported, and whether they ran: the newer ones, the older ones

	at    int      // the line at hand, from 1
	parts []fields // of it
	twice string   // a key that an object of it has twice

	written time.Time // when the file was changed last; zero = unknown
	clock   time.Time // the last time that was read
	latest  time.Time // the latest that a call or a result has

	known  int  // 1 once a line was the host's
	wanted bool // a line may be about a call
	err    error
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
		d.err = &ForeignError{Host: d.form.host, Why: why, Harmless: !d.wanted && d.rep.SkippedAll == 0}
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
		if d.line(bytes.TrimSpace(b), 1); d.rep.SkippedAll > 0 {
			d.rep.Lost = max(d.rep.Lost, 1) // all of it may be about calls
		}
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
		if err != nil && !long { // the last one, and nothing ends it
			d.rep.Next += d.lastLine(line, n)
			return
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

// line reads one line. What ends lines may be lost, or be a carriage return: objects
// that follow each other in one line are lines of their own.
func (d *desk) line(line []byte, n int) {
	wanted := d.form.wants(line)
	why := flaw(line, wanted || d.known == 0)
	if why == "" {
		d.object(line, n, wanted)
		return
	}
	rest := d.objects(line, n)
	switch {
	case len(rest) == 0 || d.err != nil:
		return
	case len(rest) < len(line):
		wanted, why = d.form.wants(rest), flaw(rest, true)
	}
	if wanted || bytes.IndexByte(rest, 0) >= 0 {
		d.wanted = true
		d.rep.skip(n, why)
	} else {
		d.rep.pass(n, why)
	}
}

// lastLine is line for one that nothing ends. It returns how much of it is whole.
func (d *desk) lastLine(line []byte, n int) int64 {
	rest := d.objects(line, n)
	if len(rest) > 0 && d.err == nil {
		d.rep.Cut, d.rep.Torn = true, d.form.wants(rest)
		d.wanted = d.wanted || d.rep.Torn
	}
	return int64(len(line) - len(rest))
}

// objects reads the objects that a text begins with, and returns what is left of it.
func (d *desk) objects(text []byte, n int) []byte {
	for {
		text = bytes.TrimLeft(text, " \t\r\n")
		r := rawjson.NewReader(text)
		one := r.Value()
		switch {
		case len(one) == 0 || d.err != nil:
			return text
		case rawjson.Kind(one) == '[' && allObjects(one): // the lines as one list
			rawjson.Elements(one, func(_ int, v []byte) bool {
				d.object(v, n, d.form.wants(v))
				return d.err == nil
			})
		case rawjson.CheckObject(one) != nil:
			return text
		default:
			d.object(one, n, d.form.wants(one))
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
func (d *desk) object(obj []byte, n int, wanted bool) {
	d.rep.Lines++
	if d.known == 0 && d.form.owns(obj) {
		d.known++
	}
	if d.wanted = d.wanted || wanted; wanted {
		d.at = n
		d.form.line(d, obj)
		d.doubled()
	}
}

// doubled names a line in which an object has a key twice: the last one counts, and
// whoever wrote the line may have meant the other one to be read.
func (d *desk) doubled() {
	if d.twice != "" {
		d.rep.skip(d.at, fmt.Sprintf("it has the key %q twice: the last one counts", d.twice))
		d.twice = ""
	}
}

// respelled names a line that has one of some keys in other letters.
func (d *desk) respelled(key []byte, keys []string) {
	for _, k := range keys {
		if len(k) == len(key) && strings.EqualFold(string(key), k) {
			d.rep.skip(d.at, fmt.Sprintf("it has the key %q in other letters: %q", k, key))
		}
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
	return slices.ContainsFunc(f.needles, func(n needle) bool { return n.in(line) }) || veiled(line)
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

// key tells a call that is told again from another one under the same ID.
func (c *Call) key() string { return c.ID + "\x00" + string(c.Digest[:8]) }

// heard is a call as hooks hear it. Input is JSON, nil for unknown.
func (d *desk) heard(c Call, input []byte) *Call {
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
			c.Arguments = Arguments(input)
		}
	}
	d.date(&c)
	return &c
}

// called notes a call that waits for its result and returns it, nil for one that was
// reported before.
func (d *desk) called(call Call, input []byte) *Call {
	c := d.heard(call, input)
	c.slot = c.ID
	if c.ID == "" {
		d.nameless++
		c.slot = nameless + strconv.Itoa(d.nameless)
	}
	if old := d.open[c.slot]; old != nil && d.form.retells {
		return old
	} else if old != nil {
		d.done(old) // the ID is used again
	}
	if d.form.retells && c.ID != "" && d.reported(c.key()) {
		return nil
	}
	if d.open == nil {
		d.open = map[string]*Call{}
	}
	for len(d.order) >= maxOpen {
		d.give(d.order[0])
	}
	d.open[c.slot] = c
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
func (d *desk) usable(at time.Time) bool {
	if at.IsZero() {
		return false
	}
	return d.written.IsZero() || !at.After(d.written.Add(ahead)) && (!at.Before(firstAgent) || d.written.Before(firstAgent))
}

// date sees to it that a call has a time: in place of one that it cannot be, that of
// what was before it, or of the file.
func (d *desk) date(c *Call) {
	if !d.usable(c.Done) || c.Done.Before(c.At) && d.usable(c.At) {
		c.Done = time.Time{}
	}
	switch {
	case d.usable(c.At) && d.form.inOrder && c.At.Before(d.latest.Add(-disorder)):
		// It is told after what came later, so nobody knows when it was.
	case d.usable(c.At):
		d.tick(c.At)
		return
	case d.clock.IsZero():
		c.At = d.written
	case !d.usable(c.At):
		c.At = d.clock
	}
	c.Undated = true
}

// ended notes when a call had its result.
func (d *desk) ended(c *Call, at time.Time) {
	if !d.usable(at) {
		c.Done = time.Time{}
		return
	}
	if d.form.inOrder && at.Sub(c.At) > longest {
		c.Undated = true
	}
	c.Done = at
	d.tick(at)
}

// tick notes a time that was read.
func (d *desk) tick(at time.Time) {
	if d.clock = at; at.After(d.latest) {
		d.latest = at
	}
}

// done ends a call: what is known of it by now is reported.
func (d *desk) done(c *Call) {
	if c == nil || d.err != nil || c.second && !c.ran() {
		return
	}
	if c.ID != "" {
		d.remember(c)
	}
	if _, ok := d.open[c.slot]; ok {
		delete(d.open, c.slot)
		if i := slices.Index(d.order, c.slot); i >= 0 {
			d.order = slices.Delete(d.order, i, i+1)
		}
	}
	d.rep.Calls++
	d.err = d.f(c)
}

// give reports an open call as it is.
func (d *desk) give(slot string) {
	if c := d.open[slot]; c != nil {
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
// result that was reported before. Of a call that did not run by its first result the
// second one is told, too. A result that belongs to none may be that of a call that has
// no ID.
func (d *desk) of(id string, at time.Time) *Call {
	id = name(id)
	c := d.open[id]
	if c == nil && (id == "" || !d.reported(id)) {
		c = d.firstNameless()
	}
	switch {
	case c != nil:
	case id == "":
		return nil
	case d.reported(id):
		if c = d.again(id, at); c == nil {
			return nil
		}
	default:
		return d.orphan(id, at)
	}
	d.ended(c, at)
	return c
}

// firstNameless is the oldest open call without an ID.
func (d *desk) firstNameless() *Call {
	if d.nameless > 0 {
		for _, slot := range d.order {
			if strings.HasPrefix(slot, nameless) {
				return d.open[slot]
			}
		}
	}
	return nil
}

// again is a call that was reported, for one more result; nil if it ran by the first.
func (d *desk) again(id string, at time.Time) *Call {
	if d.ran(id) {
		return nil
	}
	c := d.orphan(id, at)
	if old := d.last[id]; old != nil {
		*c = *old
	}
	c.second = true
	return c
}

// orphan is a call of which nothing but a result is known.
func (d *desk) orphan(id string, at time.Time) *Call {
	c := &Call{Host: d.form.host, ID: name(id), Session: d.session, Root: d.session, Agent: d.agent, At: at, Headless: d.headless, Orphan: true, slot: id}
	d.date(c)
	c.Done = c.At
	return c
}

// reported reports whether a call was reported; ran, whether it ran by that.
func (d *desk) reported(id string) bool {
	_, newer := d.seen[0][id]
	_, older := d.seen[1][id]
	return newer || older
}

func (d *desk) ran(id string) bool { return d.seen[0][id] || d.seen[1][id] }

func (d *desk) remember(c *Call) {
	if d.seen[0] == nil || len(d.seen[0]) >= maxSeen {
		d.seen[1], d.seen[0] = d.seen[0], map[string]bool{}
	}
	d.seen[0][c.ID] = c.ran() || d.ran(c.ID)
	if d.form.retells {
		d.seen[0][c.key()] = c.ran() || d.ran(c.key())
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
func (d *desk) pick(obj []byte, keys ...string) fields {
	r := rawjson.NewReader(obj)
	return d.take(&r, keys)
}

// take is pick for the value that a reader has at hand, and moves behind it. Lines are
// long, and who reads the parts of a value again walks over all of it again: so a form
// goes through a line by one reader.
func (d *desk) take(r *rawjson.Reader, keys []string) (vals fields) {
	d.members(r, func(key []byte) {
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
// behind it; fn must read the value or pass over it. What is no object has none. A key
// that is there twice is noted.
func (d *desk) members(r *rawjson.Reader, fn func(key []byte)) {
	if r.Kind() != '{' {
		r.Value()
		return
	}
	var room [24][]byte
	keys := room[:0]
	r.Enter()
	for key, ok := r.Key(); ok; key, ok = r.Key() {
		if d.twice == "" && slices.ContainsFunc(keys, func(k []byte) bool { return string(k) == string(key) }) {
			d.twice = short(string(key), maxName)
		}
		if len(keys) < maxKeys {
			keys = append(keys, key)
		}
		fn(key)
	}
}

// each returns some members of each element of the array that a reader has at hand, and
// moves behind it. They are good until the next call.
func (d *desk) each(r *rawjson.Reader, keys []string) []fields {
	d.parts = d.parts[:0]
	more := 0
	var one func()
	one = func() {
		switch {
		case len(d.parts) >= maxParts:
			more++
			r.Value()
		case r.Kind() == '[': // no host has lists in lists: what is in there counts all the same
			elements(r, one)
		default:
			d.parts = append(d.parts, d.take(r, keys))
		}
	}
	elements(r, one)
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

// maxRefusal is how long a text may be that stands in place of a run.
const maxRefusal = 1000

// tail is how what a result says ends.
func tail(val []byte) (s string) {
	rawjson.Strings(val, func(one string) bool {
		s = one
		return true
	})
	s = strings.TrimSpace(s)
	return s[max(0, len(s)-maxHead):]
}

// texts counts the texts that a result has: the parts of it that are, or have, one.
func texts(val []byte) (n int) {
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

// isJSON reports whether a file is one value, by its name.
func isJSON(path string) bool { return strings.EqualFold(filepath.Ext(path), ".json") }

// exitIn finds the exit status that a text tells of after one of some words.
func exitIn(said string, words ...string) (string, bool) {
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
