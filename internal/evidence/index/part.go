package index

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// A partKind is the kind of a chunk's part: the terms of a field, or one of the constants below.
type partKind byte

const (
	partPlaces  partKind = 32
	partDigests partKind = 33
)

// partKinds lists the parts that every chunk has, even if they are empty, so that a missing part shows
// tampering.
var partKinds = []partKind{partKind(fieldKind), partKind(fieldHost), partKind(fieldSession), partKind(fieldAgent), partKind(fieldEvent), partKind(fieldTool), partKind(fieldDecision),
	partKind(fieldHook), partKind(fieldEffect), partPlaces, partDigests}

// partName returns the name that the checksum of a part covers, so that a part with fewer or other
// records has another name.
func partName(k partKind, chunk int64, h *head) string {
	b := append(make([]byte, 0, 64), "part "...)
	b = binary.BigEndian.AppendUint64(append(b, byte(k)), uint64(chunk))
	b = binary.BigEndian.AppendUint32(b, uint32(h.n))
	return string(append(b, h.end[:]...))
}

// sheetName returns the name that the checksum of a segment's sheet covers.
func sheetName(number int) string {
	return string(binary.BigEndian.AppendUint64([]byte("sheet "), uint64(number)))
}

// prependDigest returns body preceded by its checksum under name.
func prependDigest(secret *state.Secret, name string, body []byte) []byte {
	sum := secret.MAC(name, body)
	return append(append(make([]byte, 0, len(sum)+len(body)), sum[:]...), body...)
}

// verifyDigest returns data without the checksum at its beginning, or errTampered if that does not
// match.
func verifyDigest(secret *state.Secret, name string, data []byte) ([]byte, error) {
	if len(data) < state.MACSize || !secret.Verify(name, data[state.MACSize:], data[:state.MACSize]) {
		return nil, errTampered
	}
	return data[state.MACSize:], nil
}

// eachPart calls put with each encoded part of c, in the order of partKinds.
func (c *chunk) eachPart(put func(i int, k partKind, body []byte)) {
	bodies := make(map[partKind][]byte, len(partKinds))
	for _, key := range slices.Sorted(maps.Keys(c.terms)) {
		k := partKind(key[0])
		b := binary.AppendUvarint(bodies[k], uint64(len(key)-1))
		b = append(b, key[1:]...)
		bits := c.terms[key].appendEncoded(nil)
		b = binary.AppendUvarint(b, uint64(len(bits)))
		bodies[k] = append(b, bits...)
	}
	bodies[partPlaces], bodies[partDigests] = c.places, c.digests
	for i, k := range partKinds {
		put(i, k, bodies[k])
	}
}

// eachTerm calls fn with the terms in body, the part of a field, and their encoded sets. It returns
// errDamaged if body is invalid.
func eachTerm(body []byte, fn func(text, bits []byte) error) error {
	next := func() ([]byte, bool) {
		n, size := binary.Uvarint(body)
		if size <= 0 || n > uint64(len(body)-size) {
			return nil, false
		}
		out := body[size : size+int(n)]
		body = body[size+int(n):]
		return out, true
	}
	for len(body) > 0 {
		text, ok := next()
		if !ok {
			return errDamaged
		}
		bits, ok := next()
		if !ok {
			return errDamaged
		}
		if err := fn(text, bits); err != nil {
			return err
		}
	}
	return nil
}

// addMatches adds to set the records in body, the part of the field, that have one of the terms.
func (w *termList) addMatches(body []byte, set *bitmap) error {
	return eachTerm(body, func(text, bits []byte) error {
		for _, want := range w.texts {
			if string(text) == want || w.globs && strings.Contains(want, "*") && matchStar(want, text) {
				return set.addEncoded(bits)
			}
		}
		return nil
	})
}

// matchStar reports whether text matches pattern, in which * stands for any text.
func matchStar(pattern string, text []byte) bool {
	first, rest, more := strings.Cut(pattern, "*")
	if !bytes.HasPrefix(text, []byte(first)) {
		return false
	}
	if text = text[len(first):]; !more {
		return len(text) == 0
	}
	for {
		middle, after, more := strings.Cut(rest, "*")
		if !more {
			return bytes.HasSuffix(text, []byte(middle))
		}
		at := bytes.Index(text, []byte(middle)) // the first match leaves the most text for the rest
		if at < 0 {
			return false
		}
		text, rest = text[at+len(middle):], after
	}
}

// encode returns the encoding of k.
func (k *known) encode() []byte {
	b := append(binary.AppendUvarint(nil, uint64(len(k.ledger))), k.ledger...)
	b = binary.AppendUvarint(b, uint64(k.done))
	b = append(b, k.hash[:]...)
	for _, n := range [...]int64{k.size, int64(k.damaged), int64(k.trailing), int64(len(k.chunks))} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for i := range k.chunks {
		h := &k.chunks[i]
		b = binary.AppendUvarint(b, uint64(h.n))
		b = binary.AppendVarint(binary.AppendVarint(b, h.timeMin), h.timeMax)
		b = append(b, h.end[:]...)
	}
	return b
}

// decodeSheet decodes what encode returns, followed by the lengths of all parts, the first of which
// begins at from. The checksum was verified, so an error would be a bug.
func decodeSheet(b []byte, from int64) (*sheet, error) {
	bad := false
	number := func() int64 {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			bad = true
			return 0
		}
		b = b[size:]
		return int64(n)
	}
	signed := func() int64 {
		n, size := binary.Varint(b)
		if size <= 0 {
			bad = true
			return 0
		}
		b = b[size:]
		return n
	}
	hash := func(to []byte) {
		if len(b) < len(to) {
			bad = true
			return
		}
		b = b[copy(to, b):]
	}
	k := &sheet{at: []int64{from}}
	if n := number(); n >= 0 && n <= int64(len(b)) {
		k.ledger, b = string(b[:n]), b[n:]
	}
	k.done = number()
	hash(k.hash[:])
	k.size, k.damaged, k.trailing = number(), int(number()), int(number())
	for n := number(); n > 0 && !bad; n-- {
		h := head{n: int(number()), span: span{signed(), signed()}}
		hash(h.end[:])
		bad = bad || h.n <= 0 || h.n > chunkSize
		k.chunks = append(k.chunks, h)
	}
	for n := len(partKinds) * len(k.chunks); n > 0 && !bad; n-- {
		from += number()
		k.at = append(k.at, from)
	}
	if bad || len(b) > 0 {
		return nil, errDamaged
	}
	return k, nil
}
