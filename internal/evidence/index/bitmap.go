package index

import (
	"encoding/binary"
	"math/bits"
)

// chunkSize is the maximum number of records in a chunk.
const chunkSize = 4096

// A bitmap is a set of records of one chunk, by their position in it.
type bitmap [chunkSize / 64]uint64

// bitmapLen is the length of an encoded bitmap. A shorter encoding is a list of positions, two bytes
// each.
const bitmapLen = chunkSize / 8

// add adds record i.
func (b *bitmap) add(i int) { b[i>>6] |= 1 << (i & 63) }

// fillFirst makes b the set of the first n records.
func (b *bitmap) fillFirst(n int) {
	*b = bitmap{}
	for i := range n >> 6 {
		b[i] = ^uint64(0)
	}
	if n&63 != 0 {
		b[n>>6] = 1<<(n&63) - 1
	}
}

// intersect removes the records that are not in with.
func (b *bitmap) intersect(with *bitmap) {
	for i := range b {
		b[i] &= with[i]
	}
}

// count returns the number of records in the set.
func (b *bitmap) count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

func (b *bitmap) isEmpty() bool { return *b == bitmap{} }

// appendPositions appends the positions of the records in the set to dst, in order.
func (b *bitmap) appendPositions(dst []int) []int {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			dst = append(dst, i<<6|bits.TrailingZeros64(w))
		}
	}
	return dst
}

// appendEncoded appends the set to dst, in the shorter of its two encodings.
func (b *bitmap) appendEncoded(dst []byte) []byte {
	if 2*b.count() >= bitmapLen {
		for _, w := range b {
			dst = binary.LittleEndian.AppendUint64(dst, w)
		}
		return dst
	}
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(i<<6|bits.TrailingZeros64(w)))
		}
	}
	return dst
}

// addEncoded adds the records of p, an encoded set. It returns errDamaged if p is invalid.
func (b *bitmap) addEncoded(p []byte) error {
	if len(p) == bitmapLen {
		for i := range b {
			b[i] |= binary.LittleEndian.Uint64(p[8*i:])
		}
		return nil
	}
	if len(p)%2 != 0 || len(p) > bitmapLen {
		return errDamaged
	}
	for ; len(p) > 0; p = p[2:] {
		i := int(binary.LittleEndian.Uint16(p))
		if i >= chunkSize {
			return errDamaged
		}
		b.add(i)
	}
	return nil
}
