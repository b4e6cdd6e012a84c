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

// A Head describes where the chain ends. It is sealed with the key, so that a process without the key
// cannot shorten the ledger and adjust the head to it.
type Head struct {
	Ledger  string            // the ledger's id
	Segment int               // number of the current segment
	Began   time.Time         // when that segment began
	Size    int64             // size of that segment up to the end of the last record
	Seq     uint64            // of the last record
	Hash    Hash              // of the last record
	Boot    string            // id of the boot that wrote it
	Stores  state.Generations // of the sealed files of the state directory
}

var (
	// ErrNoHead means that a head file is empty.
	ErrNoHead = errors.New("the head is empty")
	// ErrHead means that a head file is damaged, or was not written with this key.
	ErrHead = errors.New("the head is damaged or forged")
)

const (
	macKey    = `,"mac":"`
	storesKey = `,"stores":`
	maxHead   = 2 << 10 // bytes of a head file that are read
)

// appendStores appends the member with the generations of the sealed files to dst, unless g is "",
// which means that only older builds have written to the ledger.
func appendStores(dst []byte, g state.Generations) []byte {
	if g == "" {
		return dst
	}
	return rawjson.AppendString(append(dst, storesKey...), string(g))
}

// AppendSealed appends the line of the head to dst, with its newline.
//
//	{"ledger":"…","segment":3,"began":"…","size":12345,"seq":17,"hash":"…","boot":"…","stores":"…","mac":"…"}
//
// The mac is HMAC-SHA256 over everything before `,"mac"`, with the key for LabelHead.
func (h *Head) AppendSealed(dst []byte, key Key) []byte {
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
	mac := shortMAC(&headKey, dst[start:])
	dst = append(dst, macKey...)
	dst = hex.AppendEncode(dst, mac[:])
	return append(dst, "\"}\n"...)
}

// ParseHead parses the contents of a head file and checks its mac with key. Only the first line
// counts, since the rest of a longer, earlier head may follow it. The error is ErrNoHead or ErrHead.
func ParseHead(data []byte, key Key) (Head, error) {
	if len(data) == 0 {
		return Head{}, ErrNoHead
	}
	end := bytes.IndexByte(data, '\n') + 1
	var h Head
	// A valid head, including its mac, is exactly what AppendSealed would write.
	if !h.parseUnverified(data[:end]) || !hmac.Equal(h.AppendSealed(nil, key), data[:end]) {
		return Head{}, ErrHead
	}
	return h, nil
}

// A cachedHead is a parsed head together with the bytes that it was parsed from.
type cachedHead struct {
	data []byte
	head Head
}

// parseHeadCached is ParseHead with a cache of one head, since each event reads the head twice: before
// it is judged and when it is recorded.
func (l *Ledger) parseHeadCached(data []byte, key Key) (Head, error) {
	if seen := l.lastHead.Load(); seen != nil && bytes.Equal(seen.data, data) {
		return seen.head, nil
	}
	head, err := ParseHead(data, key)
	if err == nil {
		l.lastHead.Store(&cachedHead{bytes.Clone(data), head})
	}
	return head, err
}

// parseUnverified sets h to the head in the line b without checking its mac. It reports whether b is
// well formed.
func (h *Head) parseUnverified(b []byte) bool {
	c := cutter{rest: b, ok: true}
	c.skipPrefix(`{"ledger":"`)
	h.Ledger = string(c.cutUntil('"'))
	c.skipPrefix(`,"segment":`)
	segment := c.cutUntil(',')
	c.skipPrefix(`"began":"`)
	began := c.cutUntil('"')
	c.skipPrefix(`,"size":`)
	size := c.cutUntil(',')
	c.skipPrefix(`"seq":`)
	seq := c.cutUntil(',')
	c.skipPrefix(`"hash":"`)
	hash := c.cutUntil('"')
	c.skipPrefix(`,"boot":"`)
	h.Boot = string(c.cutUntil('"'))
	if c.ok && bytes.HasPrefix(c.rest, []byte(storesKey)) {
		c.skipPrefix(storesKey + `"`)
		g, ok := state.ParseGenerations(string(c.cutUntil('"')))
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
