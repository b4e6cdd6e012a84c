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
	KindTorn    = "torn"    // ends an unfinished record of a writer that died
	KindGap     = "gap"     // the ledger did not end where its head said, or calls were not recorded
	KindPerson  = "person"  // a person acted on a decision: allowed, revoked or paused it, or called it wrong
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

// ParseHash parses a hash in the form that String returns. It reports false if s is not one.
func ParseHash(s string) (Hash, bool) {
	var h Hash
	ok := parseHash(&h, []byte(s))
	return h, ok
}

func parseHash(h *Hash, b []byte) bool { return len(b) == 2*len(h) && parseHex(h[:], b) }

// parseHex decodes the lower-case hex b into to. It reports false for anything else.
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

// AppendLine appends the line of a record to dst, with its newline, and returns dst and the hash of
// the line. members are JSON members without braces, `"a":1,"b":2`, or none.
//
//	{"v":1,"seq":17,"kind":"event","time":"…","boot":"…","mono":…,"prev":"…",members,"seal":"…","len":812,"hash":"…"}
//
// The hash covers everything before `,"hash"`; len is the length of everything before `,"len"`; the
// seal covers everything before `,"seal"`. If seals is nil, the line has no seal, as in older builds.
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

// errNotRecord means that text is not a valid record. Callers cannot make use of a more specific
// error.
var errNotRecord = errors.New("not a record, or changed since it was written")

// ParseLine parses a line, without its newline, and checks its length and hash. It accepts only what
// AppendLine writes, byte for byte, except for the members, which are not checked. Kind and boot must
// be printable ASCII without escapes. The Line shares the memory of raw.
func ParseLine(raw []byte) (Line, error) { return parseLineWithBoot(raw, "") }

// parseLineWithBoot is ParseLine. It reuses boot instead of allocating an equal string, since
// consecutive lines usually have the same one.
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

// computeHashes sets the hash of the line and, if it has a seal, the seal and the hash of what that
// covers. end is the offset of the line's length in body.
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

// parseStamp parses the members that precede the record's own and sets them in l. It reports whether
// they are valid. lastBoot is reused if the boot is the same.
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

// isPlainASCII reports whether b consists of printable ASCII that JSON does not escape.
func isPlainASCII(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' || c == '\\' || c == '"' {
			return false
		}
	}
	return true
}

// parseDecimal parses an unsigned decimal number without leading zeros.
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
	// Date normalises invalid dates, which then differ from what was parsed.
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

// Text returns the member name of the record: the decoded text of a string, or another value as it is
// spelled. It returns "" if there is no such member.
func (l *Line) Text(name string) string {
	val, _ := rawjson.Get(l.Raw, name)
	if rawjson.Kind(val) != '"' {
		return string(val)
	}
	text, _ := rawjson.Text(val)
	return text
}

// A cutter cuts text into pieces from the front. ok becomes false at the first mismatch.
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

// cutUntil returns the text before the next end, and removes both from rest.
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
