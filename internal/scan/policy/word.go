package policy

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A word is a forbidden word. The case of ASCII letters does not matter.
type word struct{ text string }

// newWord returns the word text. It reports false if text has neither a letter nor a digit.
func newWord(text string) (word, bool) {
	text = strings.TrimSpace(text)
	return word{lowerASCII(text)}, strings.IndexFunc(text, isWordRune) >= 0
}

// addWords adds the occurrences of the words of the policy of that stand alone.
func (l *search) addWords(of *Policy) {
	if len(of.words) == 0 {
		return
	}
	s := of.severity(l.path, WordRule, setWords)
	if s == Off {
		return
	}
	text := lowerASCII(l.text)
	for _, w := range of.words {
		for at := 0; ; {
			i := strings.Index(text[at:], w.text)
			if i < 0 {
				break
			}
			start := at + i
			at = start + len(w.text)
			if standsAlone(text, start, at) {
				l.out = append(l.out, Finding{Rule: WordRule, Kind: kindCustom, Severity: s, Start: start, End: at})
			}
		}
	}
}

// standsAlone reports whether s[start:end] is not part of a longer word.
func standsAlone(s string, start, end int) bool {
	first, _ := utf8.DecodeRuneInString(s[start:])
	last, _ := utf8.DecodeLastRuneInString(s[:end])
	before, _ := utf8.DecodeLastRuneInString(s[:start])
	after, _ := utf8.DecodeRuneInString(s[end:])
	return !(isWordRune(first) && isWordRune(before)) && !(isWordRune(last) && isWordRune(after))
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// lowerASCII returns s with its ASCII letters in lower case. Offsets stay the same.
func lowerASCII(s string) string {
	i := strings.IndexFunc(s, func(r rune) bool { return r >= 'A' && r <= 'Z' })
	if i < 0 {
		return s
	}
	b := []byte(s)
	for ; i < len(b); i++ {
		if c := b[i]; c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
