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

// This file finds seed phrases of wallets: 12, 15, 18, 21 or 24 words from a list of 2048,
// the last of which encodes a checksum. A probe checks the word around every 47th byte,
// because no phrase is shorter. Only if that word is in the list does the probe check its
// neighbours.

const (
	minPhrase = 12*3 + 11
	maxPhrase = 24
	seedWidth = 9 // bytes of a word in the list, with its padding and newline
)

// findSeedPhrases adds the seed phrases in the text.
func findSeedPhrases(f *search.Finder) {
	s := f.Text
	for i := 0; i+minPhrase <= len(s); {
		p := i + minPhrase - 1
		if at := lastStop(s[i : p+1]); at >= 0 {
			i += at + 1
			continue
		}
		for p > i && (!lex.IsLetter(s[p]) || isEscapeLetter(s, p)) { // between words
			p--
		}
		if !lex.IsLetter(s[p]) || isEscapeLetter(s, p) {
			i += minPhrase
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
		if !hasNeighbours(s, from, to) || seedWordIndex(s[from:to]) < 0 {
			i = max(to, i+1)
			continue
		}
		i = addPhrasesAround(f, i, from, to)
	}
}

// lastStop returns the index in s of the last byte that no phrase contains, neither in a word nor
// between words, or -1 if there is none. Source code, logs and RedactJSON are full of such bytes.
func lastStop(s string) int {
	i := len(s) - 1
	for i >= 0 && !seedStops[s[i]] {
		i--
	}
	return i
}

// seedStops holds the bytes that no phrase contains.
var seedStops = [256]bool{
	'!': true, '#': true, '$': true, '%': true, '&': true, '(': true, '*': true, '+': true, '/': true, ';': true, '<': true, '=': true, '>': true, '?': true,
	'@': true, '[': true, ']': true, '^': true, '_': true, '{': true, '}': true, '~': true,
}

// hasNeighbours reports whether there may be other words of a phrase next to the word s[from:to]. It
// is cheaper than looking up the word.
func hasNeighbours(s string, from, to int) bool {
	return from > 0 && (isGapByte(s[from-1]) || isEscapeLetter(s, from-1) || wideSpaceBefore(s[:from]) > 0) || to < len(s) && (isGapByte(s[to]) || wideSpaceAt(s[to:]) > 0)
}

// isEscapeLetter reports whether the letter at i belongs to an escape such as \n.
func isEscapeLetter(s string, i int) bool {
	return i > 0 && s[i-1] == '\\' && (s[i] == 'n' || s[i] == 'r' || s[i] == 't')
}

// afterEscape returns i, or i+1 if the letter at i belongs to an escape.
func afterEscape(s string, i int) int {
	if i < len(s) && isEscapeLetter(s, i) {
		return i + 1
	}
	return i
}

// addPhrasesAround adds the phrases among the list words around s[from:to], from least on, and returns
// the offset where these words end.
func addPhrasesAround(f *search.Finder, least, from, to int) int {
	s := f.Text
	for {
		end := gapStart(s, from, max(least, from-maxGap))
		at := lex.SkipBack(s, end, max(least, end-seedWidth-2), lex.IsLetter)
		at = min(afterEscape(s, at), end)
		if !isWordGap(s[end:from]) || seedWordIndex(s[at:end]) < 0 {
			break
		}
		from = at
	}
	var w seedRun
	for at := from; ; {
		end := lex.Skip(s, at, min(len(s), at+seedWidth+1), lex.IsLetter)
		index := seedWordIndex(s[at:end])
		if index < 0 {
			break
		}
		w.add(index, at, end)
		if w.n > maxPhrase {
			addPhrases(f, &w, w.n == w.all)
		}
		to = end
		at = gapEnd(s, end, min(len(s), end+maxGap))
		if !isWordGap(s[end:at]) {
			break
		}
	}
	if w.n <= maxPhrase {
		addRunPhrases(f, &w)
	}
	return max(to, from+1)
}

// A seedRun holds the latest words of a run of list words.
type seedRun struct {
	n     int // the number of words held
	all   int // the number of words of the run so far
	index [maxPhrase + 1]int16
	start [maxPhrase + 1]int
	end   [maxPhrase + 1]int
}

// add adds the word from start to end with its index in the list, and drops the oldest word if there
// are too many.
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

// phraseSizes lists the possible numbers of words of a phrase.
var phraseSizes = [...]int{24, 21, 18, 15, 12}

// addPhrases adds all valid phrases among the words of w or, unless anywhere is set, those that end
// with the last word. One of sixteen sequences of twelve words is valid by chance and cannot be
// distinguished from the real phrase beside it, so all are added.
func addPhrases(f *search.Finder, w *seedRun, anywhere bool) {
	for _, size := range phraseSizes {
		at := w.n - size
		if anywhere {
			at = 0
		}
		for ; at >= 0 && at+size <= w.n; at++ {
			addPhraseAt(f, w, at, size)
		}
	}
}

// addPhraseAt adds the size words of w from index at if they are a valid phrase.
func addPhraseAt(f *search.Finder, w *seedRun, at, size int) {
	if isSeedPhrase(w.index[at : at+size]) {
		f.Add(rules.IndexOf(rules.SeedPhrase), w.start[at], w.end[at+size-1])
	}
}

// addRunPhrases adds the phrases of w, a run that is not longer than a phrase. If the number of words
// is that of a phrase, the run as a whole is a phrase or not. Shorter phrases in it count only if
// lines or commas separate them, or if the other words mention a phrase.
func addRunPhrases(f *search.Finder, w *seedRun) {
	if !slices.Contains(phraseSizes[:], w.n) {
		addPhrases(f, w, true)
		return
	}
	addPhraseAt(f, w, 0, w.n)
	if w.n == maxPhrase && isSeedPhrase(w.index[:12]) && isSeedPhrase(w.index[12:w.n]) {
		addPhraseAt(f, w, 0, 12)
		addPhraseAt(f, w, 12, 12)
	}
	first := f.Text[w.end[0]:w.start[1]]
	for at := 0; at < w.n; { // check the parts that newlines or commas separate
		end := at + 1
		for end < w.n && !separatesPhrases(f.Text[w.end[end-1]:w.start[end]], first) {
			end++
		}
		if slices.Contains(phraseSizes[:], end-at) && end-at < w.n {
			addPhraseAt(f, w, at, end-at)
		}
		at = end
	}
	for _, size := range phraseSizes {
		for at := 0; at+size <= w.n; at++ {
			if w.mentionsPhrase(f.Text, 0, at) || w.mentionsPhrase(f.Text, at+size, w.n) {
				addPhraseAt(f, w, at, size)
			}
		}
	}
}

// separatesPhrases reports whether gap, the text between two words, separates phrases rather than
// words. The gap between the first two words is first.
func separatesPhrases(gap, first string) bool {
	return strings.IndexByte(gap, '\n') >= 0 || strings.IndexByte(gap, ',') >= 0 && strings.IndexByte(first, ',') < 0
}

// mentionsPhrase reports whether one of the words from index i to end suggests a phrase, such as seed
// or wallet.
func (w *seedRun) mentionsPhrase(s string, i, end int) bool {
	for ; i < end; i++ {
		if lex.IsOneOf(s[w.start[i]:w.end[i]], "seed phrase secret wallet word key coin safe open copy") {
			return true
		}
	}
	return false
}

// maxGap is the maximum number of bytes between two words: a space, a number and punctuation, or the
// padding of a table column.
const maxGap = 20

// isGapByte reports whether c may be between two words.
func isGapByte(c byte) bool {
	return lex.IsSpace(c) || lex.IsDigit(c) || lex.IsQuote(c) || c == ',' || c == '.' || c == ')' || c == ':' || c == '-' || c == '\\' || c == '|'
}

// wideSpaceAt returns the length of the non-ASCII space at the start of s, or 0 if there is none. Web
// pages and word processors put such spaces between words.
func wideSpaceAt(s string) int {
	if s[0] < utf8.RuneSelf {
		return 0
	}
	return spaceLen(utf8.DecodeRuneInString(s))
}

// wideSpaceBefore returns the length of the non-ASCII space at the end of s, or 0 if there is none.
func wideSpaceBefore(s string) int {
	if s[len(s)-1] < utf8.RuneSelf {
		return 0
	}
	return spaceLen(utf8.DecodeLastRuneInString(s))
}

// spaceLen returns n if r is a space, otherwise 0.
func spaceLen(r rune, n int) int {
	if unicode.IsSpace(r) {
		return n
	}
	return 0
}

// gapEnd returns the offset where the gap that starts at i ends, at most most.
func gapEnd(s string, i, most int) int {
	for from := i; i < most; {
		n := 1
		if !isGapByte(s[i]) && !(i > from && isEscapeLetter(s, i)) {
			n = wideSpaceAt(s[i:most])
		}
		if n == 0 {
			break
		}
		i += n
	}
	return i
}

// gapStart returns the offset where the gap that ends at i starts, at least least.
func gapStart(s string, i, least int) int {
	for i > least {
		n := 1
		if !isGapByte(s[i-1]) && !(i-1 > least && isEscapeLetter(s, i-1)) {
			n = wideSpaceBefore(s[least:i])
		}
		if n == 0 {
			break
		}
		i -= n
	}
	return i
}

// isWordGap reports whether gap may be between two words. A hyphen may be part of it only if it is
// alone or after a newline.
func isWordGap(gap string) bool {
	return gap == "-" || gap != "" && (strings.IndexByte(gap, '-') < 0 || strings.IndexByte(gap, '\n') >= 0 || strings.IndexByte(gap, 'n') >= 0)
}

// seedWordIndex returns the index of word, which consists of letters, in the list, or -1 if it is not
// there.
func seedWordIndex(word string) int {
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
	for lo < hi { // the first four letters of all words differ
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

// seedHead returns s[i:i+4] as a big-endian number.
func seedHead(s string, i int) uint32 {
	s = s[i : i+4]
	return uint32(s[0])<<24 | uint32(s[1])<<16 | uint32(s[2])<<8 | uint32(s[3])
}

// isSeedPhrase reports whether words are a phrase with the right checksum that is no example. Each
// word stands for eleven bits; the last bits are the start of a hash of the others.
func isSeedPhrase(words []int16) bool {
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
	check := len(words) / 3 // number of checksum bits
	size := (len(words)*11 - check) / 8
	sum := sha256.Sum256(bits[:size])
	mask := byte(0xff) << (8 - check)
	return (sum[0]^bits[size])&mask == 0 && !isExamplePhrase(words)
}

// isExamplePhrase reports whether words are no real phrase: abandon abandon … about, as in
// documentation, or an excerpt of the list itself.
func isExamplePhrase(words []int16) bool {
	again := 0
	for i, w := range words {
		if slices.Contains(words[:i], w) {
			again++
		}
	}
	return again > 2 || slices.IsSorted(words)
}
