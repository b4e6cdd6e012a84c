package expand

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// maxBraces bounds the words that braces make, maxOpen the braces of one word: the
// work grows with the square of their number.
const (
	maxBraces = 1024
	maxOpen   = 64
)

// openBraces is how many braces a word has. It may have alternatives then.
func openBraces(word *syntax.Word) int {
	n := 0
	for _, p := range word.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			n += strings.Count(lit.Value, "{")
		}
	}
	return n
}

// braces expands {a,b} and {1..3}, which come before all other expansions.
func (f *fields) braces(word *syntax.Word) {
	if !syntax.SplitBraces(word) {
		f.parts(word.Parts)
		f.close()
		return
	}
	b := bracing{f: f, left: maxBraces}
	b.walk(nil, word.Parts, nil)
	if b.left < 0 {
		f.unknown([]*shell.Call{CutOff})
		f.close()
	}
}

// A bracing makes the words one by one, so that no list of lists is built.
type bracing struct {
	f    *fields
	left int
}

// A rest is what follows the parts at hand, when they come from within braces.
type rest struct {
	parts []syntax.WordPart
	next  *rest
}

// walk goes through parts; done are those before them.
func (b *bracing) walk(done, parts []syntax.WordPart, after *rest) {
	for {
		for i, p := range parts {
			br, ok := p.(*syntax.BraceExp)
			if !ok {
				continue
			}
			done = append(done[:len(done):len(done)], parts[:i]...)
			b.alternatives(done, br, &rest{parts[i+1:], after})
			return
		}
		done = append(done[:len(done):len(done)], parts...)
		if after == nil {
			break
		}
		parts, after = after.parts, after.next
	}
	if b.left--; b.left < 0 || !b.f.w.Env.Step() {
		b.left = -1
		return
	}
	b.f.parts(done)
	b.f.close()
}

func (b *bracing) alternatives(done []syntax.WordPart, br *syntax.BraceExp, after *rest) {
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
	if !chars && (padded(from) || padded(to)) {
		width = max(len(from), len(to))
	}
	lo, hi = min(max(lo, -1<<40), 1<<40), min(max(hi, -1<<40), 1<<40)
	for n := lo; b.left >= 0; {
		text := string(rune(n))
		if !chars {
			text = pad(n, width)
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

// padded reports whether a number begins with a zero, which makes all numbers of
// the range equally long.
func padded(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return len(s) > 1 && s[0] == '0'
}

func pad(n int64, width int) string {
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
