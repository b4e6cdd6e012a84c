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

// Version is the version of the line format.
const Version = 1

// Kinds of records.
const (
	KindSegment = "segment" // the first record of each segment: which ledger, which segment
	KindEvent   = "event"   // an event and what was decided
	KindTorn    = "torn"    // closes what a writer left unfinished when it died
	KindGap     = "gap"     // the ledger did not end where its head says
	KindPerson  = "person"  // an action of a person about decisions: allowed, revoked, paused, called one wrong
	KindPruned  = "pruned"  // which old segments were removed; signed
	KindDerived = "derived" // a derived store was tampered with or damaged, and was rebuilt
	KindSealed  = "sealed"  // a sealed file of the state directory was written
	KindHost    = "host"    // a person removed the note that a process is an agent host
	KindMended  = "mended"  // file modes prevented writing, and were repaired
)

// Kinds returns all kinds of records.
func Kinds() []string {
	return []string{KindEvent, KindPerson, KindSegment, KindTorn, KindGap, KindPruned, KindDerived, KindSealed, KindHost, KindMended}
}

// MaxLine limits the length of a line.
const MaxLine = 1 << 20

// A Hash is the hash of a line. The next line contains it, which chains them.
type Hash [sha256.Size]byte

// String returns the hash in hex.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText returns the hash in hex, for JSON.
func (h Hash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// UnmarshalText parses the hash in hex, for JSON.
func (h *Hash) UnmarshalText(text []byte) error {
	if !parseHash(h, text) {
		return errors.New("not a hexadecimal hash")
	}
	return nil
}

// ParseHash parses what String returns.
func ParseHash(s string) (Hash, bool) {
	var h Hash
	ok := parseHash(&h, []byte(s))
	return h, ok
}

func parseHash(h *Hash, b []byte) bool { return len(b) == 2*len(h) && parseHex(h[:], b) }

// parseHex decodes lower-case hex into to.
func parseHex(to, b []byte) bool {
	for _, c := range b {
		if 'A' <= c && c <= 'F' {
			return false
		}
	}
	_, err := hex.Decode(to, b)
	return err == nil
}

// A Stamp holds the members that every record begins with.
type Stamp struct {
	Seq  uint64 // starts at 1, without gaps
	Kind string
	Time time.Time // wall clock, UTC
	Boot string    // id of the boot; "" means unknown
	Mono int64     // nanoseconds since boot, by a clock that cannot be set
	Prev Hash      // of the previous record; zero for the first
}

// TimeLayout is the format of times. Its width is fixed, so that lines can be read without a parser
// and times compare as strings.
const TimeLayout = "2006-01-02T15:04:05.000000000Z"

// AppendLine appends a record's line, with its newline, and returns its hash.
// Members are JSON members without braces, `"a":1,"b":2`, or none.
//
//	{"v":1,"seq":17,"kind":"event","time":"…","boot":"…","mono":…,"prev":"…",members,"seal":"…","len":812,"hash":"…"}
//
// The hash covers everything before `,"hash"`; len is the length of everything
// before `,"len"`; the seal covers everything before `,"seal"`. If seals is nil,
// the line has no seal, as in older builds.
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
		sum := seals.compute(Hash(digest.Sum(nil))) // Sum does not change the digest's state
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
	// sealLen is the length of a seal in a line, including sealKey.
	sealLen = len(sealKey) + 2*sealSize + len(`"`)
	// tailLen is the length of a line's end from hashKey on, without the newline.
	tailLen = len(hashKey) + 2*sha256.Size + len(`"}`)
)

// A Line is a record as stored in a segment.
type Line struct {
	Stamp
	Hash Hash
	Raw  []byte // the whole line without its newline; valid until the next one is read

	Sealed bool // it has a seal; Seals.Fits checks whether it is valid
	seal   [sealSize]byte
	before Hash // hash of what precedes the seal
}

// errNotRecord means that text is not a valid record. A more specific error would help no one.
var errNotRecord = errors.New("not a record, or changed since it was written")

// ParseLine parses a line, without its newline, and checks its length and hash. Only what AppendLine
// writes is a record, byte for byte, except for the members, which are not checked. Kind and boot are
// printable ASCII that needs no escapes. The Line shares raw.
func ParseLine(raw []byte) (Line, error) { return parseLineWithBoot(raw, "") }

// parseLineWithBoot is ParseLine, but reuses boot instead of allocating an equal string: consecutive
// lines usually have the same one.
func parseLineWithBoot(raw []byte, boot string) (Line, error) {
	if len(raw) < tailLen || len(raw) > MaxLine {
		return Line{}, errNotRecord
	}
	body, tail := raw[:len(raw)-tailLen], raw[len(raw)-tailLen:]
	if string(tail[:len(hashKey)]) != hashKey || string(tail[tailLen-2:]) != `"}` {
		return Line{}, errNotRecord
	}
	at := bytes.LastIndex(body, []byte(lenKey))
	if at < 0 {
		return Line{}, errNotRecord
	}
	l := Line{Raw: raw}
	l.computeHashes(body, at)
	var hash [2 * sha256.Size]byte
	hex.Encode(hash[:], l.Hash[:])
	if !bytes.Equal(hash[:], tail[len(hashKey):tailLen-2]) {
		return Line{}, errNotRecord
	}
	if n, ok := parseDecimal(body[at+len(lenKey):]); !ok || n != uint64(at) {
		return Line{}, errNotRecord
	}
	if !l.parseStamp(body[:at], boot) {
		return Line{}, errNotRecord
	}
	return l, nil
}

// computeHashes computes the hash of a line and of what its seal covers. end is the offset of its
// length.
func (l *Line) computeHashes(body []byte, end int) {
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

// parseStamp parses what precedes a record's own members.
func (l *Line) parseStamp(b []byte, lastBoot string) bool {
	c := cutter{rest: b, ok: true}
	c.skipPrefix(`{"v":1,"seq":`)
	seq := c.cutUntil(',')
	c.skipPrefix(`"kind":"`)
	kind := c.cutUntil('"')
	c.skipPrefix(`,"time":"`)
	when := c.cutUntil('"')
	c.skipPrefix(`,"boot":"`)
	boot := c.cutUntil('"')
	c.skipPrefix(`,"mono":`)
	mono, minus := c.cutUntil(','), false
	c.skipPrefix(`"prev":"`)
	prev := c.cutUntil('"')
	if !c.ok || len(c.rest) > 0 && c.rest[0] != ',' || !isPlainASCII(kind) || !isPlainASCII(boot) || !parseHash(&l.Prev, prev) {
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

// isPlainASCII reports whether b is printable ASCII that JSON does not escape.
func isPlainASCII(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' || c == '\\' || c == '"' {
			return false
		}
	}
	return true
}

// parseDecimal parses an unsigned number without leading zeros.
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

// parseTime parses the format of TimeLayout only, which is faster and stricter than time.Parse.
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
	// A value that Date normalises was no valid date.
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

// Text returns a member of the record: the text of a string, or another value as it is spelled. It
// returns "" if there is no such member.
func (l *Line) Text(name string) string {
	val, _ := rawjson.Get(l.Raw, name)
	if rawjson.Kind(val) != '"' {
		return string(val)
	}
	text, _ := rawjson.Text(val)
	return text
}

// A cutter splits a text from the front. ok becomes false at the first mismatch.
type cutter struct {
	rest []byte
	ok   bool
}

func (c *cutter) skipPrefix(s string) {
	if !bytes.HasPrefix(c.rest, []byte(s)) {
		c.ok = false
		return
	}
	c.rest = c.rest[len(s):]
}

// cutUntil returns the text before end, and skips it and end.
func (c *cutter) cutUntil(end byte) []byte {
	i := bytes.IndexByte(c.rest, end)
	if i < 0 {
		c.ok = false
		return nil
	}
	out := c.rest[:i]
	c.rest = c.rest[i+1:]
	return out
}
