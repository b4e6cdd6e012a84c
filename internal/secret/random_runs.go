package secret

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

const (
	minRandom  = 32 // minimum length of a run that is checked
	minCluster = 28 // minimum length of a part of it that looks random
	minOdd     = 20 // minimum number of bytes in the random pieces of that part
	uuidLen    = 36
)

// randomBytes holds the bytes of a run: letters, digits, and characters that join the words of a path.
var randomBytes = lex.Set{1<<'+' | 1<<'-' | 1<<'.' | 1<<'/' | 0x3ff<<'0', 0x3ffffff<<1 | 1<<('_'-64) | 0x3ffffff<<33}

// findRandomRuns adds the parts of long runs that look random.
func findRandomRuns(f *search.Finder) {
	eachRun(f.Text, &randomBytes, minRandom, func(i, end int) {
		if n := value.CountBytes(f.Text[i:end]); n.Digits > 0 && n.Digits < end-i {
			findRandomParts(f, rules.IndexOf("generic-api-key"), i, end)
		}
	})
}

// findRandomParts adds the parts of the run f.Text[i:end] that look random. Pieces between separators
// are judged one by one, because a path may have one random element. Random pieces without an ordinary
// one between them count together, because base64 contains separators.
func findRandomParts(f *search.Finder, rule, i, end int) {
	s := f.Text
	var c randomCluster
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

// A randomCluster is a part of a run with random pieces and without ordinary ones.
type randomCluster struct {
	from, to int // to is 0 while there is no piece
	odd      int // the number of bytes in random pieces
}

// add extends the cluster by the piece from a to b.
func (c *randomCluster) add(a, b int) {
	if c.to == 0 {
		c.from = a
	}
	c.to = b
}

// end adds a finding if the cluster is long and random enough to be a secret, and resets the cluster.
func (c *randomCluster) end(f *search.Finder, rule int) {
	if c.odd >= minOdd && c.to-c.from >= minCluster {
		if n := value.CountBytes(f.Text[c.from:c.to]); n.Digits > 0 && n.Uppers+n.Lowers > 0 {
			f.Add(rule, c.from, value.PaddingEnd(f.Text, c.to))
		}
	}
	*c = randomCluster{}
}
