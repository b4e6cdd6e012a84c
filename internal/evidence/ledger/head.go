package ledger

import (
	"bytes"
	"crypto/hmac"
	"encoding/hex"
	"errors"
	"strconv"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Head describes where the chain ends. It is sealed with the key, so that who
// cannot read the key cannot shorten the ledger and fit the head to it.
type Head struct {
	Ledger  string            // the ledger's id
	Segment int               // the number of the segment that is written to
	Began   time.Time         // when that segment began
	Size    int64             // of that segment, up to the end of the record
	Seq     uint64            // of the last record
	Hash    Hash              // of the last record
	Boot    string            // which start of the machine wrote it
	Stores  state.Generations // of the sealed files of the state directory
}

var (
	// ErrNoHead reports that a head file is empty.
	ErrNoHead = errors.New("the head is empty")
	// ErrHead reports that a head file is damaged, or was not written with this key.
	ErrHead = errors.New("the head is damaged or forged")
)

const (
	macKey    = `,"mac":"`
	storesKey = `,"stores":`
	maxHead   = 2 << 10 // bytes of a head file that are read
)

// appendStores appends the member with the generations of sealed files, unless only older
// builds have written to the ledger.
func appendStores(dst []byte, g state.Generations) []byte {
	if g == "" {
		return dst
	}
	return rawjson.AppendString(append(dst, storesKey...), string(g))
}

// Append appends the head's line, with its newline.
//
//	{"ledger":"…","segment":3,"began":"…","size":12345,"seq":17,"hash":"…","boot":"…","stores":"…","mac":"…"}
//
// The mac is HMAC-SHA256 over everything before `,"mac"`, with the key for
// LabelHead.
func (h *Head) Append(dst []byte, key Key) []byte {
	start := len(dst)
	dst = append(dst, `{"ledger":`...)
	dst = rawjson.AppendString(dst, h.Ledger)
	dst = append(dst, `,"segment":`...)
	dst = strconv.AppendInt(dst, int64(h.Segment), 10)
	dst = append(dst, `,"began":"`...)
	dst = h.Began.UTC().AppendFormat(dst, TimeLayout)
	dst = append(dst, `","size":`...)
	dst = strconv.AppendInt(dst, h.Size, 10)
	dst = append(dst, `,"seq":`...)
	dst = strconv.AppendUint(dst, h.Seq, 10)
	dst = append(dst, hashKey...)
	dst = hex.AppendEncode(dst, h.Hash[:])
	dst = append(dst, `","boot":`...)
	dst = rawjson.AppendString(dst, h.Boot)
	dst = appendStores(dst, h.Stores)
	headKey := key.Derive(LabelHead)
	mac := macOf(&headKey, dst[start:])
	dst = append(dst, macKey...)
	dst = hex.AppendEncode(dst, mac[:])
	return append(dst, "\"}\n"...)
}

// ParseHead reads the content of a head file. Only the first line counts: a
// longer head may have stood there before. It fails with ErrNoHead or ErrHead.
func ParseHead(data []byte, key Key) (Head, error) {
	if len(data) == 0 {
		return Head{}, ErrNoHead
	}
	end := bytes.IndexByte(data, '\n') + 1
	var h Head
	// Only what Append would write is a head; that includes its mac.
	if !h.parse(data[:end]) || !hmac.Equal(h.Append(nil, key), data[:end]) {
		return Head{}, ErrHead
	}
	return h, nil
}

// A seenHead is a head that was read, with its bytes.
type seenHead struct {
	data []byte
	head Head
}

// parseHead is ParseHead; of the bytes that it read last it remembers the head. One event
// reads the head before it is judged and when it is recorded.
func (l *Ledger) parseHead(data []byte, key Key) (Head, error) {
	if seen := l.seen.Load(); seen != nil && bytes.Equal(seen.data, data) {
		return seen.head, nil
	}
	head, err := ParseHead(data, key)
	if err == nil {
		l.seen.Store(&seenHead{bytes.Clone(data), head})
	}
	return head, err
}

// parse reads a line without a look at its mac.
func (h *Head) parse(b []byte) bool {
	c := cutter{rest: b, ok: true}
	c.skip(`{"ledger":"`)
	h.Ledger = string(c.until('"'))
	c.skip(`,"segment":`)
	segment := c.until(',')
	c.skip(`"began":"`)
	began := c.until('"')
	c.skip(`,"size":`)
	size := c.until(',')
	c.skip(`"seq":`)
	seq := c.until(',')
	c.skip(`"hash":"`)
	hash := c.until('"')
	c.skip(`,"boot":"`)
	h.Boot = string(c.until('"'))
	if c.ok && bytes.HasPrefix(c.rest, []byte(storesKey)) {
		c.skip(storesKey + `"`)
		g, ok := state.ParseGenerations(string(c.until('"')))
		h.Stores, c.ok = g, c.ok && ok
	}
	if !c.ok {
		return false
	}
	n, ok := parseDecimal(segment)
	length, ok2 := parseDecimal(size)
	when, ok3 := parseTime(began)
	last, ok4 := parseDecimal(seq)
	h.Segment, h.Began, h.Size, h.Seq = int(n), when, int64(length), last
	return ok && ok2 && ok3 && ok4 && parseHash(&h.Hash, hash)
}
