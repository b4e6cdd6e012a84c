// Package known finds the values of known secret files in text that shows them in another shape: with
// other characters between theirs, reversed, or encoded.
//
// A text is compared in several views, each of which leaves out what a program may add: separators,
// line numbers, offsets of dumps. Only letters and digits are compared, in one case.
//
//	values.go   the values of a file
//	shapes.go   the forms of a value that are searched for
//	views.go    the views of a text
//	dump.go     the views of dumps and lists of numbers
package known

import (
	"cmp"
	"slices"
	"strings"
)

// A Value is a secret of a known file.
type Value struct {
	Text string
	Rule string // that found it in its file
	File string // the name of the file
}

// A Match is a value in a text.
type Match struct {
	Value      int // the index in the values of the Matcher
	Start, End int // the span in the text, from the first byte of the value to the last
}

// A Matcher finds values in texts. It is safe for concurrent use.
type Matcher struct {
	values []Value
	forms  []form // sorted by their first letters
	// bits has a bit for the first letters of each form, by their hash.
	bits [1 << (hashBits - 6)]uint64
}

// NewMatcher returns a matcher for values.
func NewMatcher(values []Value) *Matcher {
	m := &Matcher{values: values}
	for i := range values {
		m.forms = appendForms(m.forms, i, values[i].Text)
	}
	slices.SortFunc(m.forms, func(a, b form) int { return cmp.Compare(a.first, b.first) })
	for i := range m.forms {
		h := hash(m.forms[i].first)
		m.bits[h/64] |= 1 << (h % 64)
	}
	return m
}

// Values returns the values of the matcher.
func (m *Matcher) Values() []Value { return m.values }

const hashBits = 16

// hash returns the number of the bit for the letters w.
func hash(w uint64) uint64 { return w * 0x9e3779b97f4a7c15 >> (64 - hashBits) }

// maxText is the length of a text up to which all of it is compared. Of a longer one, half of that at
// each end is: hosts show their models less.
const maxText = 1 << 20

// Find returns the values in text, in order of their start. Matches may overlap.
func (m *Matcher) Find(text string) []Match {
	if len(m.forms) == 0 || len(text) < minLetters {
		return nil
	}
	var out []Match
	search := func(at int, part string) {
		eachView(part, func(v view) { out = m.findInView(out, at, part, v) })
	}
	if len(text) <= maxText {
		search(0, text)
	} else {
		search(0, text[:maxText/2])
		search(len(text)-maxText/2, text[len(text)-maxText/2:])
	}
	slices.SortFunc(out, func(a, b Match) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	return slices.Compact(out)
}

// maxGap is how far from a match characters that hold bits of its value may be.
const maxGap = 16

// findInView appends the matches in the view v of text to out. The text begins at offset base of the whole.
func (m *Matcher) findInView(out []Match, base int, text string, v view) []Match {
	w := uint64(0)
	for i, l := range v {
		w = w<<8 | uint64(l.c)
		if h := hash(w); m.bits[h/64]>>(h%64)&1 == 0 || i < minLetters-1 {
			continue
		}
		at := i - (minLetters - 1)
		k, _ := slices.BinarySearchFunc(m.forms, w, func(f form, w uint64) int { return cmp.Compare(f.first, w) })
		for ; k < len(m.forms) && m.forms[k].first == w; k++ {
			f := &m.forms[k]
			if !v.hasAt(at, f.text) {
				continue
			}
			end := at + len(f.text)
			match := v.span(f.value, at, end)
			if wide := v.span(f.value, max(0, at-f.before), min(len(v), end+f.after)); wide.End-wide.Start <= match.End-match.Start+maxGap {
				match = wide
			}
			if f.plain {
				match = widen(text, match, m.values[f.value].Text)
			}
			out = append(out, Match{match.Value, base + match.Start, base + match.End})
		}
	}
	return out
}

// hasAt reports whether the letters of v from at on begin with text.
func (v view) hasAt(at int, text string) bool {
	if at+len(text) > len(v) {
		return false
	}
	for i := range len(text) {
		if v[at+i].c != text[i] {
			return false
		}
	}
	return true
}

// widen returns match with the characters around it that are neither letters nor digits, as far as they
// are those of value.
func widen(text string, match Match, value string) Match {
	from := strings.IndexFunc(value, isCompared)
	if from > 0 && strings.HasSuffix(text[:match.Start], value[:from]) {
		match.Start -= from
	}
	tail := value[strings.LastIndexFunc(value, isCompared)+1:]
	if strings.HasPrefix(text[match.End:], tail) {
		match.End += len(tail)
	}
	return match
}

// isCompared reports whether r is compared.
func isCompared(r rune) bool { return r < 0x80 && letters[byte(r)] != 0 }
