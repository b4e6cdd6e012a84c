package fingerprint

import (
	"encoding/binary"
	"math/bits"
)

// A sipKey is a Key in the form that SipHash uses.
type sipKey struct{ k0, k1 uint64 }

// sip returns k in the form that SipHash uses.
func (k *Key) sip() sipKey {
	return sipKey{binary.LittleEndian.Uint64(k[:]), binary.LittleEndian.Uint64(k[8:])}
}

// sipHash returns the SipHash-2-4 of s, a short keyed hash that reveals nothing without the key.
func sipHash(key sipKey, s string) uint64 {
	v0, v1 := key.k0^0x736f6d6570736575, key.k1^0x646f72616e646f6d
	v2, v3 := key.k0^0x6c7967656e657261, key.k1^0x7465646279746573
	last := tailWord(s) | uint64(len(s))<<56
	for ; len(s) >= 8; s = s[8:] {
		m := firstWord(s)
		v3 ^= m
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
		v0 ^= m
	}
	v3 ^= last
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	v0 ^= last
	v2 ^= 0xff
	for range 4 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	return v0 ^ v1 ^ v2 ^ v3
}

// sipRound returns the state after one round of SipHash.
func sipRound(v0, v1, v2, v3 uint64) (uint64, uint64, uint64, uint64) {
	v0 += v1
	v1 = bits.RotateLeft64(v1, 13) ^ v0
	v0 = bits.RotateLeft64(v0, 32)
	v2 += v3
	v3 = bits.RotateLeft64(v3, 16) ^ v2
	v0 += v3
	v3 = bits.RotateLeft64(v3, 21) ^ v0
	v2 += v1
	v1 = bits.RotateLeft64(v1, 17) ^ v2
	v2 = bits.RotateLeft64(v2, 32)
	return v0, v1, v2, v3
}

// tailWord returns the bytes of s after its last full word, in little-endian order.
func tailWord(s string) uint64 {
	n := len(s) & 7
	if len(s) >= 8 {
		return firstWord(s[len(s)-8:]) >> (64 - 8*n) // if n is 0, a shift by 64 yields 0
	}
	var w uint64
	for i := range n {
		w |= uint64(s[i]) << (8 * i)
	}
	return w
}

// firstWord returns the first eight bytes of s, in little-endian order.
func firstWord(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
