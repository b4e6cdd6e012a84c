package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"time"

	"github.com/checkrein/checkrein/internal/rawjson"
)

// Version is the format of the lines.
const Version = 1

// Kinds of records.
const (
	KindSegment = "segment" // the first of each segment: which ledger, which segment
	KindEvent   = "event"   // an event and what was decided
	KindTorn    = "torn"    // closes what a writer left that died half-way
	KindGap     = "gap"     // the ledger ended elsewhere than its head said
	KindPruned  = "pruned"  // which old segments were removed; signed
)

// MaxLine bounds a line.
const MaxLine = 1 << 20

// A Hash is that of a line, and chains the next one to it.
type Hash [sha256.Size]byte

// String returns the hash in hex.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ParseHash reads what String writes.
func ParseHash(s string) (Hash, bool) {
	var h Hash
	if len(s) != 2*len(h) {
		return Hash{}, false
	}
	_, err := hex.Decode(h[:], []byte(s))
	return h, err == nil && h.String() == s // which is in lower case
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

// timeLayout has a fixed width, so that lines can be read without a parser.
const timeLayout = "2006-01-02T15:04:05.000000000Z"

// AppendLine appends a record's line, with its newline, and returns its hash.
// Members are JSON members without braces, `"a":1,"b":2`, or none.
//
//	{"v":1,"seq":17,"kind":"event","time":"…","boot":"…","mono":…,"prev":"…",members,"len":812,"hash":"…"}
//
// The hash is over everything before `,"hash"`; len is how long everything
// before `,"len"` is.
func AppendLine(dst []byte, s *Stamp, members []byte) ([]byte, Hash) {
	start := len(dst)
	dst = append(dst, `{"v":1,"seq":`...)
	dst = strconv.AppendUint(dst, s.Seq, 10)
	dst = append(dst, `,"kind":`...)
	dst = rawjson.AppendString(dst, s.Kind)
	dst = append(dst, `,"time":"`...)
	dst = s.Time.UTC().AppendFormat(dst, timeLayout)
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
	n := len(dst) - start
	dst = append(dst, `,"len":`...)
	dst = strconv.AppendInt(dst, int64(n), 10)
	hash := Hash(sha256.Sum256(dst[start:]))
	dst = append(dst, hashKey...)
	dst = hex.AppendEncode(dst, hash[:])
	return append(dst, "\"}\n"...), hash
}

const (
	hashKey = `,"hash":"`
	lenKey  = `,"len":`
	// tailLen is the length of a line's end, from hashKey on, without newline.
	tailLen = len(hashKey) + 2*sha256.Size + len(`"}`)
)

// A Line is a record as it stands in a segment.
type Line struct {
	Stamp
	Hash Hash
	Raw  []byte // the whole line without its newline; valid until the next one is read
}

// errLine says that text is no record: what exactly is wrong with it would tell
// nobody more.
var errLine = errors.New("not a record, or not as it was written")

// ParseLine reads a line, without its newline, and checks its length and hash.
// The Line shares raw.
func ParseLine(raw []byte) (Line, error) {
	if len(raw) < tailLen || len(raw) > MaxLine {
		return Line{}, errLine
	}
	body, tail := raw[:len(raw)-tailLen], raw[len(raw)-tailLen:]
	if !bytes.HasPrefix(tail, []byte(hashKey)) || !bytes.HasSuffix(tail, []byte(`"}`)) {
		return Line{}, errLine
	}
	l := Line{Raw: raw, Hash: sha256.Sum256(body)}
	var hash [2 * sha256.Size]byte
	hex.Encode(hash[:], l.Hash[:])
	if !bytes.Equal(hash[:], tail[len(hashKey):len(hashKey)+len(hash)]) {
		return Line{}, errLine
	}
	at := bytes.LastIndex(body, []byte(lenKey))
	if at < 0 || string(body[at+len(lenKey):]) != strconv.Itoa(at) {
		return Line{}, errLine
	}
	if !l.stamp(body[:at]) {
		return Line{}, errLine
	}
	return l, nil
}

// stamp reads what stands before a record's own members.
func (l *Line) stamp(b []byte) bool {
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
	mono := c.until(',')
	c.skip(`"prev":"`)
	prev := c.until('"')
	if !c.ok || len(c.rest) > 0 && c.rest[0] != ',' {
		return false
	}
	var err, err2, err3 error
	l.Seq, err = strconv.ParseUint(string(seq), 10, 64)
	l.Mono, err2 = strconv.ParseInt(string(mono), 10, 64)
	l.Time, err3 = time.Parse(timeLayout, string(when))
	prior, ok := ParseHash(string(prev))
	l.Kind, l.Boot, l.Prev = string(kind), string(boot), prior
	return err == nil && err2 == nil && err3 == nil && ok
}

// Members returns the record's own members, without braces.
func (l *Line) Members() []byte {
	body := l.Raw[:len(l.Raw)-tailLen]
	body = body[:bytes.LastIndex(body, []byte(lenKey))]
	const key = `,"prev":"`
	at := bytes.Index(body, []byte(key)) + len(key) + 2*sha256.Size + len(`"`)
	return bytes.TrimPrefix(body[at:], []byte(","))
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
