package secret

import (
	"crypto/sha256"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// Seed phrases of wallets: 12, 15, 18, 21 or 24 words of a list of 2048, the
// last of which ends in a checksum. A probe looks at the word around every
// 47th byte, since no phrase is shorter, and only where that is in the list
// are its neighbours looked at.

const (
	leastPhrase = 12*3 + 11
	maxPhrase   = 24
	seedWidth   = 9 // bytes of a word in the list, with its newline
)

func findSeeds(f *search.Finder) {
	s := f.Text
	for i := 0; i+leastPhrase <= len(s); {
		p := i + leastPhrase - 1
		if at := lastStop(s[i : p+1]); at >= 0 {
			i += at + 1
			continue
		}
		for p > i && (!lex.IsLetter(s[p]) || isEscape(s, p)) { // between words
			p--
		}
		if !lex.IsLetter(s[p]) || isEscape(s, p) {
			i += leastPhrase
			continue
		}
		from, to := p, p
		for from > i && p-from <= seedWidth && lex.IsLetter(s[from-1]) {
			from--
		}
		for to < len(s) && to-from <= seedWidth+1 && lex.IsLetter(s[to]) {
			to++
		}
		from = min(afterEscape(s, from), to)
		if !hasNeighbours(s, from, to) || seedWord(s[from:to]) < 0 {
			i = max(to, i+1)
			continue
		}
		i = findPhrase(f, i, from, to)
	}
}

// lastStop returns the place of the last byte that is in no phrase: neither in a
// word nor between words. Source, logs and JSON are full of them. -1 = there is none.
func lastStop(s string) int {
	i := len(s) - 1
	for i >= 0 && !seedStops[s[i]] {
		i--
	}
	return i
}

// seedStops are the bytes that are in no phrase.
var seedStops = [256]bool{
	'!': true, '#': true, '$': true, '%': true, '&': true, '(': true, '*': true, '+': true, '/': true, ';': true, '<': true, '=': true, '>': true, '?': true,
	'@': true, '[': true, ']': true, '^': true, '_': true, '{': true, '}': true, '~': true,
}

// hasNeighbours reports whether there may be words of a phrase on one side of
// a word. It is cheaper than to look the word up.
func hasNeighbours(s string, from, to int) bool {
	return from > 0 && (isGap(s[from-1]) || isEscape(s, from-1) || wideBefore(s[:from]) > 0) || to < len(s) && (isGap(s[to]) || wideAt(s[to:]) > 0)
}

// isEscape reports whether the letter at i is that of \n and the like.
func isEscape(s string, i int) bool {
	return i > 0 && s[i-1] == '\\' && (s[i] == 'n' || s[i] == 'r' || s[i] == 't')
}

// afterEscape returns i, or what follows the letter of an escape at i.
func afterEscape(s string, i int) int {
	if i < len(s) && isEscape(s, i) {
		return i + 1
	}
	return i
}

// findPhrase looks at all words of the list that are around the one from from to
// to, not before least, and returns where they end.
func findPhrase(f *search.Finder, least, from, to int) int {
	s := f.Text
	for {
		end := gapStart(s, from, max(least, from-maxGap))
		at := lex.SkipBack(s, end, max(least, end-seedWidth-2), lex.IsLetter)
		at = min(afterEscape(s, at), end)
		if !isBetween(s[end:from]) || seedWord(s[at:end]) < 0 {
			break
		}
		from = at
	}
	var w seedRun
	for at := from; ; {
		end := lex.Skip(s, at, min(len(s), at+seedWidth+1), lex.IsLetter)
		index := seedWord(s[at:end])
		if index < 0 {
			break
		}
		w.add(index, at, end)
		if w.n > maxPhrase {
			addSeedsIn(f, &w, w.n == w.all)
		}
		to = end
		at = gapEnd(s, end, min(len(s), end+maxGap))
		if !isBetween(s[end:at]) {
			break
		}
	}
	if w.n <= maxPhrase {
		addSeedsOf(f, &w)
	}
	return max(to, from+1)
}

// seedRun has the latest words of a run.
type seedRun struct {
	n     int // words here
	all   int // words of the run so far
	index [maxPhrase + 1]int16
	start [maxPhrase + 1]int
	end   [maxPhrase + 1]int
}

func (w *seedRun) add(index, start, end int) {
	if w.n == len(w.index) {
		copy(w.index[:], w.index[1:])
		copy(w.start[:], w.start[1:])
		copy(w.end[:], w.end[1:])
		w.n--
	}
	w.index[w.n], w.start[w.n], w.end[w.n] = int16(index), start, end
	w.n++
	w.all++
}

// phraseSizes are how many words a phrase may have.
var phraseSizes = [...]int{24, 21, 18, 15, 12}

// addSeedsIn notes all phrases among the words, or those that end with the last
// one. Chance makes one of sixteen rows of twelve words a phrase, and nothing
// tells it from the true one beside it: so all are noted.
func addSeedsIn(f *search.Finder, w *seedRun, all bool) {
	for _, size := range phraseSizes {
		at := w.n - size
		if all {
			at = 0
		}
		for ; at >= 0 && at+size <= w.n; at++ {
			addSeedAt(f, w, at, size)
		}
	}
}

func addSeedAt(f *search.Finder, w *seedRun, at, size int) {
	if isSeed(w.index[at : at+size]) {
		f.Add(rules.Index(rules.SeedPhrase), w.start[at], w.end[at+size-1])
	}
}

// addSeedsOf notes the phrases of a run that is not longer than a phrase. As many
// words as a phrase has are one or none, unless others among them speak of one.
func addSeedsOf(f *search.Finder, w *seedRun) {
	if !slices.Contains(phraseSizes[:], w.n) {
		addSeedsIn(f, w, true)
		return
	}
	addSeedAt(f, w, 0, w.n)
	if w.n == maxPhrase && isSeed(w.index[:12]) && isSeed(w.index[12:w.n]) {
		addSeedAt(f, w, 0, 12)
		addSeedAt(f, w, 12, 12)
	}
	first := f.Text[w.end[0]:w.start[1]]
	for at := 0; at < w.n; { // the lines, and what commas part
		end := at + 1
		for end < w.n && !parts(f.Text[w.end[end-1]:w.start[end]], first) {
			end++
		}
		if slices.Contains(phraseSizes[:], end-at) && end-at < w.n {
			addSeedAt(f, w, at, end-at)
		}
		at = end
	}
	for _, size := range phraseSizes {
		for at := 0; at+size <= w.n; at++ {
			if w.speak(f.Text, 0, at) || w.speak(f.Text, at+size, w.n) {
				addSeedAt(f, w, at, size)
			}
		}
	}
}

// parts reports whether a gap is between phrases rather than words, between the
// first two of which the first is.
func parts(gap, first string) bool {
	return strings.IndexByte(gap, '\n') >= 0 || strings.IndexByte(gap, ',') >= 0 && strings.IndexByte(first, ',') < 0
}

// speak reports whether one of the words from i to end speaks of a phrase.
func (w *seedRun) speak(s string, i, end int) bool {
	for ; i < end; i++ {
		if lex.IsOneOf(s[w.start[i]:w.end[i]], "seed phrase secret wallet word key coin safe open copy") {
			return true
		}
	}
	return false
}

// maxGap is how much may be between two words: a space, or a number and signs, or
// what fills up the columns of a table.
const maxGap = 20

func isGap(c byte) bool {
	return lex.IsSpace(c) || lex.IsDigit(c) || lex.IsQuote(c) || c == ',' || c == '.' || c == ')' || c == ':' || c == '-' || c == '\\' || c == '|'
}

// wideAt returns the length of a space beyond ASCII at the start of s, such as those
// that do not break and those as wide as a letter: web pages and word processors put
// them between words. 0 = there is none.
func wideAt(s string) int {
	if s[0] < utf8.RuneSelf {
		return 0
	}
	return wide(utf8.DecodeRuneInString(s))
}

// wideBefore returns the length of one at the end of s.
func wideBefore(s string) int {
	if s[len(s)-1] < utf8.RuneSelf {
		return 0
	}
	return wide(utf8.DecodeLastRuneInString(s))
}

func wide(r rune, n int) int {
	if unicode.IsSpace(r) {
		return n
	}
	return 0
}

// gapEnd returns where the gap ends that starts at i, not behind most.
func gapEnd(s string, i, most int) int {
	for from := i; i < most; {
		n := 1
		if !isGap(s[i]) && !(i > from && isEscape(s, i)) {
			n = wideAt(s[i:most])
		}
		if n == 0 {
			break
		}
		i += n
	}
	return i
}

// gapStart returns where the gap starts that ends at i, not before least.
func gapStart(s string, i, least int) int {
	for i > least {
		n := 1
		if !isGap(s[i-1]) && !(i-1 > least && isEscape(s, i-1)) {
			n = wideBefore(s[least:i])
		}
		if n == 0 {
			break
		}
		i -= n
	}
	return i
}

// isBetween reports whether gap may be between two words: a hyphen may where it
// starts a line, or alone.
func isBetween(gap string) bool {
	return gap == "-" || gap != "" && (strings.IndexByte(gap, '-') < 0 || strings.IndexByte(gap, '\n') >= 0 || strings.IndexByte(gap, 'n') >= 0)
}

// seedWord returns the place of a word, of letters only, in the list, or -1.
func seedWord(word string) int {
	if len(word) < 3 || len(word) >= seedWidth {
		return -1
	}
	pair := int(word[0]|0x20-'a')*26 + int(word[1]|0x20-'a')
	lo, hi := int(seedPairs[pair]), int(seedPairs[pair+1])
	if lo == hi {
		return -1
	}
	w := [seedWidth]byte{seedWidth - 1: '\n'}
	for i := range w[:seedWidth-1] {
		w[i] = ' '
		if i < len(word) {
			w[i] = word[i] | 0x20
		}
	}
	want := seedHead(string(w[:]), 0)
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
	acc, have, n := uint32(0), 0, 0
	for _, w := range words {
		acc = acc<<11 | uint32(w)
		for have += 11; have >= 8; n++ {
			have -= 8
			bits[n] = byte(acc >> have)
		}
	}
	if have > 0 {
		bits[n] = byte(acc << (8 - have))
	}
	check := len(words) / 3 // bits
	size := (len(words)*11 - check) / 8
	sum := sha256.Sum256(bits[:size])
	mask := byte(0xff) << (8 - check)
	return (sum[0]^bits[size])&mask == 0 && !isListed(words)
}

// isListed reports whether words are no phrase of anybody: abandon abandon …
// about, of every document; a part of the list itself.
func isListed(words []int16) bool {
	again := 0
	for i, w := range words {
		if slices.Contains(words[:i], w) {
			again++
		}
	}
	return again > 2 || slices.IsSorted(words)
}
