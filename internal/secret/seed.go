package secret

import (
	"crypto/sha256"
	"slices"
	"strings"
)

// Seed phrases of wallets: 12, 15, 18, 21 or 24 words of a list of 2048, the
// last of which ends in a checksum. A probe looks at the word around every
// 47th byte, since no phrase is shorter, and only where that is in the list
// are its neighbours looked at.

const (
	leastPhrase = 12*3 + 11
	maxPhrase   = 24
	seedWidth   = 8 // bytes of a word in the list, and of the longest one
)

func (f *finder) seeds() {
	s := f.text
	for i := 0; i+leastPhrase <= len(s); {
		p := i + leastPhrase - 1
		for p > i && !isLetter(s[p]) { // between words
			p--
		}
		if !isLetter(s[p]) {
			i += leastPhrase
			continue
		}
		from, to := p, p
		for from > i && p-from < seedWidth && isLetter(s[from-1]) {
			from--
		}
		for to < len(s) && to-from <= seedWidth && isLetter(s[to]) {
			to++
		}
		if !hasNeighbours(s, from, to) || seedWord(s[from:to]) < 0 {
			i = max(to, i+1)
			continue
		}
		i = f.phrase(i, from, to)
	}
}

// hasNeighbours reports whether there may be words of a phrase on one side of
// a word. It is cheaper than to look the word up.
func hasNeighbours(s string, from, to int) bool {
	return from > 0 && isGap(s[from-1]) || to < len(s) && isGap(s[to])
}

// phrase looks at all words of the list that are around the one from from to
// to, not before least, and returns where they end.
func (f *finder) phrase(least, from, to int) int {
	s := f.text
	for {
		end := back(s, from, max(least, from-maxGap), isGap)
		at := back(s, end, max(least, end-seedWidth-1), isLetter)
		if !isBetween(s[end:from]) || seedWord(s[at:end]) < 0 {
			break
		}
		from = at
	}
	var line, all words
	for at := from; ; {
		end := skip(s, at, min(len(s), at+seedWidth+1), isLetter)
		w := seedWord(s[at:end])
		if w < 0 {
			break
		}
		line.add(w, at, end)
		all.add(w, at, end)
		to = end
		at = skip(s, end, min(len(s), end+maxGap), isGap)
		if !isBetween(s[end:at]) {
			break
		}
		if strings.IndexByte(s[end:at], '\n') >= 0 {
			f.seedIn(&line, 0)
			line.n = 0
		}
	}
	if !f.seedIn(&line, 0) && !f.covered(all.start[0]) {
		f.seedIn(&all, maxLabels)
	}
	return max(to, from+1)
}

// maxLabels is how many words of the list may be before a phrase that are not
// part of it: Seed phrase: …
const maxLabels = 4

// words are the first words of a run, and how many it has.
type words struct {
	n     int
	index [maxPhrase + maxLabels]int16
	start [maxPhrase + maxLabels]int
	end   [maxPhrase + maxLabels]int
}

func (w *words) add(index, start, end int) {
	if w.n < len(w.index) {
		w.index[w.n], w.start[w.n], w.end[w.n] = int16(index), start, end
	}
	w.n++
}

// seedIn looks for a phrase in w that has at most so many words before it.
func (f *finder) seedIn(w *words, labels int) bool {
	if w.n < 12 || w.n > len(w.index) {
		return false
	}
	for _, size := range [...]int{24, 21, 18, 15, 12} {
		for at := 0; at <= labels && at+size <= w.n; at++ {
			if labels == 0 && w.n != size || !isSeed(w.index[at:at+size]) {
				continue
			}
			f.add(ruleOf("bip39-seed-phrase"), w.start[at], w.end[at+size-1])
			return true
		}
	}
	return false
}

// maxGap is how much may be between two words: a space, or a number and signs, or
// what fills up the columns of a table.
const maxGap = 20

func isGap(c byte) bool {
	return isSpace(c) || isDigit(c) || isQuote(c) || c == ',' || c == '.' || c == ')' || c == ':' || c == '-' || c == '\\' || c == '|'
}

// isBetween reports whether gap may be between two words: a hyphen may where it
// starts a line, or alone.
func isBetween(gap string) bool {
	return gap == "-" || gap != "" && (strings.IndexByte(gap, '-') < 0 || strings.IndexByte(gap, '\n') >= 0)
}

// seedLetters is where the words of each letter start in the list.
var seedLetters = [27]uint16{0, 136, 253, 439, 551, 651, 757, 833, 897, 952, 972, 992, 1068, 1173, 1214, 1269, 1401, 1409, 1517, 1767, 1888, 1923, 1969, 2038, 2038, 2044, 2048}

// seedWord returns the place of a word, of letters only, in the list, or -1.
func seedWord(word string) int {
	if len(word) < 3 || len(word) > seedWidth {
		return -1
	}
	var w [seedWidth]byte
	for i := range w {
		w[i] = ' '
		if i < len(word) {
			w[i] = word[i] | 0x20
		}
	}
	want := seedHead(string(w[:]), 0)
	lo, hi := int(seedLetters[w[0]-'a']), int(seedLetters[w[0]-'a'+1])
	for lo < hi { // four letters tell all words apart
		mid := int(uint(lo+hi) / 2)
		if seedHead(seedWords, mid*seedWidth) < want {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(seedWords)/seedWidth && seedWords[lo*seedWidth:(lo+1)*seedWidth] == string(w[:]) {
		return lo
	}
	return -1
}

// seedHead returns the four bytes at i of s as a number.
func seedHead(s string, i int) uint32 {
	s = s[i : i+4]
	return uint32(s[0])<<24 | uint32(s[1])<<16 | uint32(s[2])<<8 | uint32(s[3])
}

// isSeed reports whether the checksum of a phrase is right: of the eleven bits
// of every word, the last part is the start of a hash of the rest.
func isSeed(words []int16) bool {
	var bits [33]byte
	for i, w := range words {
		for b := range 11 {
			if w&(1<<(10-b)) != 0 {
				at := i*11 + b
				bits[at/8] |= 0x80 >> (at % 8)
			}
		}
	}
	again := 0
	for i, w := range words {
		if slices.Contains(words[:i], w) {
			again++
		}
	}
	if again > 2 || slices.IsSorted(words) {
		return false // abandon abandon abandon … about, of every document; the list itself
	}
	check := len(words) / 3 // bits
	size := (len(words)*11 - check) / 8
	sum := sha256.Sum256(bits[:size])
	mask := byte(0xff) << (8 - check)
	return (sum[0]^bits[size])&mask == 0
}
