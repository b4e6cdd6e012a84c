// Package fingerprint computes keyed fingerprints of lines of text, so that the ledger can
// later attribute a line to a session without storing the line.
//
// A fingerprint is 48 bits of SipHash-2-4 under a key that stays on the machine. Two
// different lines have the same one with a probability of 1 in 2.8e14, and without the key
// it cannot be checked whether a guessed line matches.
package fingerprint

import (
	"math/bits"
	"strings"
)

// A Key keys the fingerprints of one ledger.
type Key [16]byte

const (
	// Size is the number of bytes of a packed fingerprint.
	Size = 6
	// MaxLines is the maximum number of fingerprints that HashLines packs.
	MaxLines = 4096

	minBytes = 8 // shorter lines are too common: "}", "else", "return"
	minSigns = 4 // minimum number of letters and digits
)

// HashLine returns the fingerprint of line without surrounding white space. It reports false if the
// line is too common to be attributed.
func HashLine(key Key, line string) (uint64, bool) { return hashLineWithSip(key.sip(), line) }

// hashLineWithSip is HashLine for a key in the form that SipHash uses.
func hashLineWithSip(key sipKey, line string) (uint64, bool) {
	line = strings.TrimSpace(line)
	if !isDistinctive(line) {
		return 0, false
	}
	return sipHash(key, line) & (1<<(8*Size) - 1), true
}

// isDistinctive reports whether line, which is trimmed, is long enough and has enough letters and
// digits to be attributed. A character outside ASCII counts as a letter.
func isDistinctive(line string) bool {
	if len(line) < minBytes {
		return false
	}
	signs := 0
	for i := 0; i < len(line) && signs < minSigns; i++ {
		c := line[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= 0xc0 {
			signs++
		}
	}
	return signs >= minSigns
}

// HashLines returns the fingerprints of the lines of texts, in order and without duplicates, in Size
// big-endian bytes each, at most MaxLines. The result total is their number without that limit;
// lines that are repeated beyond the limit are counted again.
func HashLines(key Key, texts ...string) (packed []byte, total int) {
	most := 0
	for _, t := range texts {
		most += strings.Count(t, "\n") + 1
	}
	most = min(most, MaxLines)
	var small [512]uint16
	seen := set{slots: small[:]}
	if 2*most > len(small) {
		seen.slots = make([]uint16, 1<<bits.Len(uint(2*most-1)))
	}
	sip := key.sip()
	for _, t := range texts {
		for more := true; more; {
			var line string
			line, t, more = strings.Cut(t, "\n")
			fp, ok := hashLineWithSip(sip, line)
			if !ok {
				continue
			}
			slot := seen.slotFor(fp)
			if seen.slots[slot] != 0 {
				continue
			}
			if total++; total > MaxLines {
				continue
			}
			if seen.packed == nil {
				seen.packed = make([]byte, 0, Size*most)
			}
			seen.packed = append(seen.packed, byte(fp>>40), byte(fp>>32), byte(fp>>24), byte(fp>>16), byte(fp>>8), byte(fp))
			seen.slots[slot] = uint16(total)
		}
	}
	return seen.packed, total
}

// Contains reports whether fp is among the packed fingerprints.
func Contains(packed []byte, fp uint64) bool {
	for ; len(packed) >= Size; packed = packed[Size:] {
		if fp == unpack(packed) {
			return true
		}
	}
	return false
}

// unpack returns the fingerprint in the first Size bytes of b.
func unpack(b []byte) uint64 {
	_ = b[Size-1]
	return uint64(b[0])<<40 | uint64(b[1])<<32 | uint64(b[2])<<24 | uint64(b[3])<<16 | uint64(b[4])<<8 | uint64(b[5])
}

// A set is a hash table of packed fingerprints with open addressing. Its size is a power of two and at
// least twice the number of its members. Fingerprints are random, so their low bits select the slot.
// Slots are small, because touching another memory page costs more than a comparison.
type set struct {
	packed []byte
	slots  []uint16 // number of the fingerprint in packed, from 1; 0 means free
}

// slotFor returns the index of the slot that holds fp, or of the free slot where it belongs.
func (s *set) slotFor(fp uint64) uint64 {
	mask := uint64(len(s.slots) - 1)
	for i := fp & mask; ; i = (i + 1) & mask {
		if at := int(s.slots[i]); at == 0 || unpack(s.packed[(at-1)*Size:]) == fp {
			return i
		}
	}
}
