package secret

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

const (
	minRandom  = 32 // the minimum length of a run that may be random
	minCluster = 28 // the minimum length of its part that looks random
	minOdd     = 20 // the minimum number of bytes of that part in odd pieces
	uuidLen    = 36
)

// randomBytes holds the bytes of a run: letters, digits, and what joins the words of a path.
var randomBytes = lex.Set{1<<'+' | 1<<'-' | 1<<'.' | 1<<'/' | 0x3ff<<'0', 0x3ffffff<<1 | 1<<('_'-64) | 0x3ffffff<<33}

// findRandom adds the parts of long runs that look random.
func findRandom(f *search.Finder) {
	rule := rules.Index("generic-api-key")
	eachRun(f.Text, &randomBytes, minRandom, func(i, end int) {
		if n := value.CountBytes(f.Text[i:end]); n.Digits > 0 && n.Digits < end-i {
			findOdd(f, rule, i, end)
		}
	})
}

// findOdd adds the parts of the run from i to end that look random. Pieces between separators are
// judged one by one, because a path may have one random element. Odd pieces without an ordinary one
// between them count together, because base64 contains separators.
func findOdd(f *search.Finder, rule, i, end int) {
	s := f.Text
	var c oddCluster
	for a := i; a < end; {
		b := lex.Skip(s, a, end, lex.IsAlnum)
		switch {
		case b == a:
			b++ // a separator
		case lex.MatchShape(rules.UUID, s, a) == a+uuidLen:
			b = a + uuidLen
			c.end(f, rule)
		case value.IsDigest(s, a, b):
			c.end(f, rule)
		case value.LooksRandom(s[a:b]):
			if to := value.DigestEnd(s, a, b); to > 0 {
				b = to
				c.end(f, rule)
				break
			}
			c.add(a, b)
			c.odd += b - a
		case value.IsOrdinary(s[a:b]):
			c.end(f, rule)
		case lex.Skip(s, a, b, lex.IsLower) < b: // a short word belongs to the path
			c.add(a, b)
		}
		a = b
	}
	c.end(f, rule)
}

// An oddCluster is a part of a run with odd pieces and without ordinary ones.
type oddCluster struct {
	from, to int // to is 0 while there is no piece
	odd      int // the number of bytes in odd pieces
}

// add extends the cluster with a piece.
func (c *oddCluster) add(a, b int) {
	if c.to == 0 {
		c.from = a
	}
	c.to = b
}

// end adds a finding if the cluster is long and odd enough to be a secret, and resets the cluster.
func (c *oddCluster) end(f *search.Finder, rule int) {
	if c.odd >= minOdd && c.to-c.from >= minCluster {
		if n := value.CountBytes(f.Text[c.from:c.to]); n.Digits > 0 && n.Uppers+n.Lowers > 0 {
			f.Add(rule, c.from, value.PaddingEnd(f.Text, c.to))
		}
	}
	*c = oddCluster{}
}
