package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"time"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Version is the format of the lines.
const Version = 1

// Kinds of records.
const (
	KindSegment = "segment" // the first of each segment: which ledger, which segment
	KindEvent   = "event"   // an event and what was decided
	KindTorn    = "torn"    // closes what a writer left that died half-way
	KindGap     = "gap"     // the ledger ended elsewhere than its head said
	KindPerson  = "person"  // what a person did about decisions: allowed, revoked, paused, called one wrong
	KindPruned  = "pruned"  // which old segments were removed; signed
	KindDerived = "derived" // a store that saves time was not as it was written, and was made anew
	KindSealed  = "sealed"  // a sealed file of the state directory was written
	KindHost    = "host"    // a person took back that a process is an agent host
	KindMended  = "mended"  // the modes of files kept anybody from writing, and were put right
)

// Kinds are all kinds of records.
func Kinds() []string {
	return []string{KindEvent, KindPerson, KindSegment, KindTorn, KindGap, KindPruned, KindDerived, KindSealed, KindHost, KindMended}
}

// MaxLine bounds a line.
const MaxLine = 1 << 20

// A Hash is that of a line, and chains the next one to it.
type Hash [sha256.Size]byte

// String returns the hash in hex.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText is String, for JSON.
func (h Hash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// UnmarshalText is ParseHash, for JSON.
func (h *Hash) UnmarshalText(text []byte) error {
	if !parseHash(h, text) {
		return errors.New("not a hexadecimal hash")
	}
	return nil
}

// ParseHash reads what String writes.
func ParseHash(s string) (Hash, bool) {
	var h Hash
	ok := parseHash(&h, []byte(s))
	return h, ok
}

func parseHash(h *Hash, b []byte) bool { return len(b) == 2*len(h) && parseHex(h[:], b) }

// parseHex reads bytes in their only spelling.
func parseHex(to, b []byte) bool {
	for _, c := range b {
		if 'A' <= c && c <= 'F' {
			return false
		}
	}
	_, err := hex.Decode(to, b)
	return err == nil
}

// A Stamp is what every record says before its own members.
type Stamp struct {
	Seq  uint64 // from 1, without a gap
	Kind string
	Time time.Time // wall clock, UTC
	Boot string    // which start of the machine, "" = unknown
	Mono int64     // nanoseconds since then, by a clock that nobody sets
	Prev Hash      // of the record before; zero for the first
}

// TimeLayout is how times are written. Its width is fixed, so that lines can be
// read without a parser and times compare as texts.
const TimeLayout = "2006-01-02T15:04:05.000000000Z"

// AppendLine appends a record's line, with its newline, and returns its hash.
// Members are JSON members without braces, `"a":1,"b":2`, or none.
//
//	{"v":1,"seq":17,"kind":"event","time":"…","boot":"…","mono":…,"prev":"…",members,"seal":"…","len":812,"hash":"…"}
//
// The hash is over everything before `,"hash"`; len is how long everything
// before `,"len"` is; the seal vouches for everything before `,"seal"`. Without
// seals the line is one of a build that knew none.
func AppendLine(dst []byte, s *Stamp, members []byte, seals *Seals) ([]byte, Hash) {
	start := len(dst)
	dst = append(dst, `{"v":1,"seq":`...)
	dst = strconv.AppendUint(dst, s.Seq, 10)
	dst = append(dst, `,"kind":`...)
	dst = rawjson.AppendString(dst, s.Kind)
	dst = append(dst, `,"time":"`...)
	dst = s.Time.UTC().AppendFormat(dst, TimeLayout)
	dst = append(dst, `","boot":`...)
	dst = rawjson.AppendString(dst, s.Boot)
	dst = append(dst, `,"mono":`...)
	dst = strconv.AppendInt(dst, s.Mono, 10)
	dst = append(dst, `,"prev":"`...)
	dst = hex.AppendEncode(dst, s.Prev[:])
	dst = append(dst, '"')
	if len(members) > 0 {
		dst = append(append(dst, ','), members...)
	}
	digest, done := sha256.New(), start
	if seals != nil {
		digest.Write(dst[start:])
		done = len(dst)
		sum := seals.of(Hash(digest.Sum(nil))) // which leaves the digest to go on
		dst = append(dst, sealKey...)
		dst = hex.AppendEncode(dst, sum[:])
		dst = append(dst, '"')
	}
	n := len(dst) - start
	dst = append(dst, lenKey...)
	dst = strconv.AppendInt(dst, int64(n), 10)
	digest.Write(dst[done:])
	hash := Hash(digest.Sum(nil))
	dst = append(dst, hashKey...)
	dst = hex.AppendEncode(dst, hash[:])
	return append(dst, "\"}\n"...), hash
}

const (
	hashKey = `,"hash":"`
	lenKey  = `,"len":`
	sealKey = `,"seal":"`
	// sealLen is the length of a seal in a line, from sealKey on.
	sealLen = len(sealKey) + 2*sealSize + len(`"`)
	// tailLen is the length of a line's end, from hashKey on, without newline.
	tailLen = len(hashKey) + 2*sha256.Size + len(`"}`)
)

// A Line is a record as it stands in a segment.
type Line struct {
	Stamp
	Hash Hash
	Raw  []byte // the whole line without its newline; valid until the next one is read

	Sealed bool // it has a seal; whether that fits, Seals tells
	seal   [sealSize]byte
	before Hash // of what stands before the seal
}

// errLine reports that text is no record: what exactly is wrong with it would tell
// nobody more.
var errLine = errors.New("not a record, or changed since it was written")

// ParseLine reads a line, without its newline, and checks its length and hash.
// Only what AppendLine writes is a record, byte for byte, but for the members,
// which are not looked at. Kind and boot are printable ASCII that needs no
// escapes. The Line shares raw.
func ParseLine(raw []byte) (Line, error) { return parseLine(raw, "") }

// parseLine is ParseLine that makes no new string of the given boot: lines in a
// row mostly have the same.
func parseLine(raw []byte, boot string) (Line, error) {
	if len(raw) < tailLen || len(raw) > MaxLine {
		return Line{}, errLine
	}
	body, tail := raw[:len(raw)-tailLen], raw[len(raw)-tailLen:]
	if string(tail[:len(hashKey)]) != hashKey || string(tail[tailLen-2:]) != `"}` {
		return Line{}, errLine
	}
	at := bytes.LastIndex(body, []byte(lenKey))
	if at < 0 {
		return Line{}, errLine
	}
	l := Line{Raw: raw}
	l.digest(body, at)
	var hash [2 * sha256.Size]byte
	hex.Encode(hash[:], l.Hash[:])
	if !bytes.Equal(hash[:], tail[len(hashKey):tailLen-2]) {
		return Line{}, errLine
	}
	if n, ok := parseDecimal(body[at+len(lenKey):]); !ok || n != uint64(at) {
		return Line{}, errLine
	}
	if !l.stamp(body[:at], boot) {
		return Line{}, errLine
	}
	return l, nil
}

// digest computes the hash of a line, and on the way that of what its seal is about.
// End is where its length begins.
func (l *Line) digest(body []byte, end int) {
	if at := end - sealLen; at > 0 && string(body[at:at+len(sealKey)]) == sealKey && body[end-1] == '"' {
		if l.Sealed = parseHex(l.seal[:], body[at+len(sealKey):end-1]); l.Sealed {
			digest := sha256.New()
			digest.Write(body[:at])
			digest.Sum(l.before[:0])
			digest.Write(body[at:])
			digest.Sum(l.Hash[:0])
			return
		}
	}
	l.Hash = sha256.Sum256(body)
}

// stamp reads what stands before a record's own members.
func (l *Line) stamp(b []byte, lastBoot string) bool {
	c := cutter{rest: b, ok: true}
	c.skip(`{"v":1,"seq":`)
	seq := c.until(',')
	c.skip(`"kind":"`)
	kind := c.until('"')
	c.skip(`,"time":"`)
	when := c.until('"')
	c.skip(`,"boot":"`)
	boot := c.until('"')
	c.skip(`,"mono":`)
	mono, minus := c.until(','), false
	c.skip(`"prev":"`)
	prev := c.until('"')
	if !c.ok || len(c.rest) > 0 && c.rest[0] != ',' || !plain(kind) || !plain(boot) || !parseHash(&l.Prev, prev) {
		return false
	}
	if len(mono) > 1 && mono[0] == '-' && mono[1] != '0' {
		mono, minus = mono[1:], true
	}
	nano, ok := parseDecimal(mono)
	if l.Mono = int64(nano); minus {
		l.Mono = -l.Mono
	}
	if !ok || l.Mono < 0 != minus {
		return false
	}
	if l.Kind = KindEvent; string(kind) != KindEvent {
		l.Kind = string(kind)
	}
	if l.Boot = lastBoot; string(boot) != lastBoot {
		l.Boot = string(boot)
	}
	var ok2 bool
	l.Seq, ok = parseDecimal(seq)
	l.Time, ok2 = parseTime(when)
	return ok && ok2
}

// plain reports whether a text is its own spelling in JSON, and one that people
// can read.
func plain(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' || c == '\\' || c == '"' {
			return false
		}
	}
	return true
}

// parseDecimal reads a number in its only spelling.
func parseDecimal(b []byte) (uint64, bool) {
	if len(b) == 0 || len(b) > 20 || b[0] == '0' && len(b) > 1 {
		return 0, false
	}
	var n uint64
	for _, c := range b {
		d := uint64(c - '0')
		if d > 9 || n > (1<<64-1-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	return n, true
}

// parseTime reads what TimeLayout writes, and nothing else, which is faster and
// stricter than a layout.
func parseTime(b []byte) (time.Time, bool) {
	const form = "0000-00-00T00:00:00.000000000Z"
	if len(b) != len(form) {
		return time.Time{}, false
	}
	var part [7]int
	n := 0
	for i, c := range b {
		switch {
		case form[i] == '0' && c-'0' <= 9:
			part[n] = part[n]*10 + int(c-'0')
		case form[i] != '0' && form[i] == c:
			n++
		default:
			return time.Time{}, false
		}
	}
	t := time.Date(part[0], time.Month(part[1]), part[2], part[3], part[4], part[5], part[6], time.UTC)
	// What Date had to put right was no date.
	y, m, d := t.Date()
	ok := y == part[0] && int(m) == part[1] && d == part[2] && part[3] < 24 && part[4] < 60 && part[5] < 60
	return t, ok
}

// Members returns the record's own members, without braces.
func (l *Line) Members() []byte {
	body := l.Raw[:len(l.Raw)-tailLen]
	body = body[:bytes.LastIndex(body, []byte(lenKey))]
	if l.Sealed {
		body = body[:len(body)-sealLen]
	}
	const key = `,"prev":"`
	at := bytes.Index(body, []byte(key)) + len(key) + 2*sha256.Size + len(`"`)
	return bytes.TrimPrefix(body[at:], []byte(","))
}

// Text returns a member of the record: the text of a string, anything else as it
// is spelt; "" = there is none.
func (l *Line) Text(name string) string {
	val, _ := rawjson.Get(l.Raw, name)
	if rawjson.Kind(val) != '"' {
		return string(val)
	}
	text, _ := rawjson.Text(val)
	return text
}

// A cutter takes a text apart from the front.
type cutter struct {
	rest []byte
	ok   bool
}

func (c *cutter) skip(s string) {
	if !bytes.HasPrefix(c.rest, []byte(s)) {
		c.ok = false
		return
	}
	c.rest = c.rest[len(s):]
}

func (c *cutter) until(end byte) []byte {
	i := bytes.IndexByte(c.rest, end)
	if i < 0 {
		c.ok = false
		return nil
	}
	out := c.rest[:i]
	c.rest = c.rest[i+1:]
	return out
}
