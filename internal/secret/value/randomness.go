package value

import (
	"math"

	"github.com/checkrein/checkrein/internal/secret/lex"
)

// The functions of this file distinguish random text from words that people wrote.

// commonPairs has a bit for each pair of letters that is common in words: bit b-'a' of
// commonPairs[a-'a'] for the pair ab. These pairs are less than half of the 676 possible ones, but 96
// % of those in the comments and names of the Go library.
var commonPairs = [26]uint32{
	0x1bebd6f, 0x1164917, 0x13efddf, 0x0367979, 0x0fff97f, 0x01ed93d, 0x016e9d5, 0x01a5119, 0x2aef87f,
	0x0000000, 0x00c0111, 0x11c6d5d, 0x01cd917, 0x13efd7f, 0x07efd7f, 0x01ec9bd, 0x0100000, 0x13efd7d,
	0x15efddd, 0x19ef9bd, 0x00eb97f, 0x0004131, 0x0066191, 0x0088135, 0x00cb000, 0x0000010,
}

// Entropy returns the Shannon entropy of s in bits per byte.
func Entropy(s string) float64 {
	var count [256]uint16
	for i := range len(s) {
		count[s[i]]++
	}
	sum := 0.0
	for i := range len(s) { // each byte once, at its first occurrence
		if n := count[s[i]]; n > 0 {
			sum += nLog2(n)
			count[s[i]] = 0
		}
	}
	n := float64(len(s))
	return math.Log2(n) - sum/n
}

// nLog2 returns n times its binary logarithm. Small numbers, the most common, come from a table.
func nLog2(n uint16) float64 {
	if int(n) < len(nLog2Table) {
		return nLog2Table[n]
	}
	return float64(n) * math.Log2(float64(n))
}

var nLog2Table = [...]float64{
	0, 0, 2, 4.754887502163469, 8, 11.60964047443681, 15.509775004326936, 19.651484454403228, 24, 28.529325012980813, 33.219280948873624,
	38.05374780501027, 43.01955000865387, 48.105716335834195, 53.302968908806456, 58.60335893412778, 64, 69.48686830125577, 75.05865002596161, 80.71062275542812, 86.43856189774725, 92.23866587835397,
	98.10749561002054, 104.0419249893113, 110.03910001730775, 116.09640474436812, 122.21143267166839, 128.38196255841365, 134.6059378176129, 140.88144885869957, 147.20671786825557, 153.58008562199313, 160,
}

// countWordBytes returns the number of bytes of s that are in words: runs of four or more letters in
// which most pairs are common. An upper-case letter starts a new word.
func countWordBytes(s string) int {
	total := 0
	for i := 0; i < len(s); {
		if !lex.IsLetter(s[i]) {
			i++
			continue
		}
		end := wordEnd(s, i)
		if n := end - i; n >= 4 {
			strange := 0
			for k := i; k+1 < end; k++ {
				if !isCommonPair(s[k], s[k+1]) {
					strange++
				}
			}
			if strange <= n/6 {
				total += n
			}
		}
		i = end
	}
	return total
}

// wordEnd returns the offset where the word that starts at i ends. A word has letters of one case, or
// one upper-case letter followed by lower-case ones.
func wordEnd(s string, i int) int {
	k := i + 1
	if lex.IsUpper(s[i]) && k < len(s) && lex.IsUpper(s[k]) {
		for k < len(s) && lex.IsUpper(s[k]) {
			k++
		}
		return k
	}
	for k < len(s) && lex.IsLower(s[k]) {
		k++
	}
	return k
}

// ReadsLikeWords reports whether more than half of s is words.
func ReadsLikeWords(s string) bool { return countWordBytes(s)*2 > len(s) }

// LooksRandom reports whether piece, which consists of letters and digits, does not read like words or
// numbers. It reports false for pieces that are too short to judge.
func LooksRandom(piece string) bool {
	n := len(piece)
	if n <= shortPiece {
		return false
	}
	if n >= 16 && IsHexText(piece) && isOneCase(piece) {
		count := CountBytes(piece)
		return count.Digits > 0 && 8*(n-count.Digits) >= n
	}
	return 100*countBreaks(piece) >= 35*(n-1)
}

// IsOrdinary reports whether piece, for which LooksRandom reported false, is long enough to be sure
// that it is an ordinary word or number.
func IsOrdinary(piece string) bool {
	return len(piece) > 2*shortPiece || len(piece) > shortPiece && countBreaks(piece) == 0
}

const shortPiece = 4 // pieces up to this length are too short to judge

// countBreaks returns the number of adjacent characters in piece that do not fit together: characters
// of different kinds, except an upper-case letter at the start of a word, and letters that are not a
// common pair.
func countBreaks(piece string) int {
	count := 0
	capital := lex.IsUpper(piece[0]) // the previous letter is the first of its word
	for i := 1; i < len(piece); i++ {
		a, b := piece[i-1], piece[i]
		same := lex.IsUpper(a) == lex.IsUpper(b) && lex.IsDigit(a) == lex.IsDigit(b)
		begins := capital && lex.IsLower(b)
		if !same && !begins || !lex.IsDigit(a) && !lex.IsDigit(b) && !isCommonPair(a, b) {
			count++
		}
		capital = lex.IsUpper(b)
	}
	return count
}

// isCommonPair reports whether the letters a and b, in this order, are common in words.
func isCommonPair(a, b byte) bool { return commonPairs[a|0x20-'a']&(1<<(b|0x20-'a')) != 0 }
