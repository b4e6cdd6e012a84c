package expand

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

const (
	maxBraces = 1024 // words that the braces of one word expand to
	maxOpen   = 64   // opening braces in one word; the cost grows with their square
)

// countBraces returns the number of opening braces in the literal parts of word.
func countBraces(word *syntax.Word) int {
	n := 0
	for _, p := range word.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			n += strings.Count(lit.Value, "{")
		}
	}
	return n
}

// addBraces adds the words that the braces in word expand to, as in {a,b} or {1..3}. Braces are
// expanded before everything else.
func (f *fieldBuilder) addBraces(word *syntax.Word) {
	if !syntax.SplitBraces(word) {
		f.addParts(word.Parts)
		f.endWord()
		return
	}
	b := braceWalker{f: f, left: maxBraces}
	b.walk(nil, word.Parts, nil)
	if b.left < 0 {
		f.addUnknown([]*shell.Call{TruncatedSource})
		f.endWord()
	}
}

// A braceWalker adds the words that braces expand to one by one, so that it needs no list of all
// combinations.
type braceWalker struct {
	f    *fieldBuilder
	left int // words that may still be added; negative if there were more
}

// A partList is a list of word parts that follow the closing brace of the current alternative, and
// those that follow the enclosing braces.
type partList struct {
	parts []syntax.WordPart
	next  *partList
}

// walk adds the words that parts expand to. Done are the parts before them, in which all braces are
// expanded, and after are the parts that follow.
func (b *braceWalker) walk(done, parts []syntax.WordPart, after *partList) {
	for {
		for i, p := range parts {
			br, ok := p.(*syntax.BraceExp)
			if !ok {
				continue
			}
			done = append(done[:len(done):len(done)], parts[:i]...)
			b.walkBrace(done, br, &partList{parts[i+1:], after})
			return
		}
		done = append(done[:len(done):len(done)], parts...)
		if after == nil {
			break
		}
		parts, after = after.parts, after.next
	}
	if b.left--; b.left < 0 || !b.f.w.Env.SpendStep() {
		b.left = -1
		return
	}
	b.f.addParts(done)
	b.f.endWord()
}

// walkBrace adds the words for each alternative of br. Done and after are the parts before and after
// it.
func (b *braceWalker) walkBrace(done []syntax.WordPart, br *syntax.BraceExp, after *partList) {
	if !br.Sequence {
		for _, e := range br.Elems {
			if b.left < 0 {
				return
			}
			b.walk(done, e.Parts, after)
		}
		return
	}
	from, to := br.Elems[0].Lit(), br.Elems[1].Lit()
	lo, err := strconv.ParseInt(from, 10, 64)
	chars := err != nil
	hi, _ := strconv.ParseInt(to, 10, 64)
	if chars {
		lo, hi = int64(from[0]), int64(to[0])
	}
	by := int64(1)
	if len(br.Elems) > 2 {
		by, _ = strconv.ParseInt(br.Elems[2].Lit(), 10, 64)
		by = min(max(by, -by, 1), 1<<40)
	}
	width := 0
	if !chars && (hasLeadingZero(from) || hasLeadingZero(to)) {
		width = max(len(from), len(to))
	}
	lo, hi = min(max(lo, -1<<40), 1<<40), min(max(hi, -1<<40), 1<<40)
	for n := lo; b.left >= 0; {
		text := string(rune(n))
		if !chars {
			text = formatPadded(n, width)
		}
		b.walk(done, []syntax.WordPart{&syntax.Lit{Value: text}}, after)
		if lo <= hi {
			if n += by; n > hi {
				return
			}
		} else if n -= by; n < hi {
			return
		}
	}
}

// hasLeadingZero reports whether the number s begins with a zero. In a range, this pads all numbers to
// the same width.
func hasLeadingZero(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return len(s) > 1 && s[0] == '0'
}

// formatPadded returns n in decimal, padded with at most 64 zeros to width, which includes the sign.
func formatPadded(n int64, width int) string {
	s := strconv.FormatInt(max(n, -n), 10)
	sign := ""
	if n < 0 {
		sign = "-"
	}
	if zeros := width - len(s) - len(sign); zeros > 0 {
		s = strings.Repeat("0", min(zeros, 64)) + s
	}
	return sign + s
}
