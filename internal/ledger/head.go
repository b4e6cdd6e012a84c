package ledger

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"time"

	"github.com/checkrein/checkrein/internal/rawjson"
)

// A Head says where the chain ends. It is sealed with the key, so that who
// cannot read the key cannot shorten the ledger and fit the head to it.
type Head struct {
	Ledger  string    // the ledger's id
	Segment int       // the number of the segment that is written to
	Began   time.Time // when that segment began
	Size    int64     // of that segment, up to the end of the record
	Seq     uint64    // of the last record
	Hash    Hash      // of the last record
	Boot    string    // which start of the machine wrote it
}

var (
	// ErrNoHead says that a head file is empty.
	ErrNoHead = errors.New("the head is empty")
	// ErrHead says that a head file is damaged, or was not written with this key.
	ErrHead = errors.New("the head is damaged or forged")
)

const macKey = `,"mac":"`

// Append appends the head's line, with its newline.
//
//	{"ledger":"…","segment":3,"began":"…","size":12345,"seq":17,"hash":"…","boot":"…","mac":"…"}
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
	headKey := key.Derive(LabelHead)
	mac := hmac.New(sha256.New, headKey[:])
	mac.Write(dst[start:])
	dst = append(dst, macKey...)
	dst = hex.AppendEncode(dst, mac.Sum(nil))
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
