package secret

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

const (
	minRandom  = 32 // how long a run is that may be random
	minCluster = 28 // how long the part of it is that does look so
	minOdd     = 20 // how much of that must be odd
	uuidLen    = 36
)

// randomBytes are those of a run: letters, digits, and what joins the words of a path.
var randomBytes = lex.Set{1<<'+' | 1<<'-' | 1<<'.' | 1<<'/' | 0x3ff<<'0', 0x3ffffff<<1 | 1<<('_'-64) | 0x3ffffff<<33}

// findRandom adds what looks random in long runs.
func findRandom(f *search.Finder) {
	rule := rules.Index("generic-api-key")
	eachRun(f.Text, &randomBytes, minRandom, func(i, end int) {
		if n := value.CountsOf(f.Text[i:end]); n.Digits > 0 && n.Digits < end-i {
			findOdd(f, rule, i, end)
		}
	})
}

// findOdd adds what looks random in the run from i to end. Pieces between joints are
// judged one by one, since a path may have one random part; odd pieces that are not parted
// by an ordinary one count together, since base64 has joints of its own.
func findOdd(f *search.Finder, rule, i, end int) {
	s := f.Text
	var c oddCluster
	for a := i; a < end; {
		b := lex.Skip(s, a, end, lex.IsAlnum)
		switch {
		case b == a:
			b++ // a joint
		case lex.MatchShape(rules.UUID, s, a) == a+uuidLen:
			b = a + uuidLen
			c.end(f, rule)
		case value.IsDigest(s, a, b):
			c.end(f, rule)
		case value.IsOdd(s[a:b]):
			if to := value.DigestEnd(s, a, b); to > 0 {
				b = to
				c.end(f, rule)
				break
			}
			c.add(a, b)
			c.odd += b - a
		case value.IsPlain(s[a:b]):
			c.end(f, rule)
		case lex.Skip(s, a, b, lex.IsLower) < b: // a short word belongs to the path
			c.add(a, b)
		}
		a = b
	}
	c.end(f, rule)
}

// An oddCluster is a part of a run with odd pieces and none that is ordinary.
type oddCluster struct {
	from, to int // none while to is 0
	odd      int // how many bytes are of odd pieces
}

func (c *oddCluster) add(a, b int) {
	if c.to == 0 {
		c.from = a
	}
	c.to = b
}

// end adds the cluster if it is long enough and odd enough to be a secret, and starts
// another.
func (c *oddCluster) end(f *search.Finder, rule int) {
	if c.odd >= minOdd && c.to-c.from >= minCluster {
		if n := value.CountsOf(f.Text[c.from:c.to]); n.Digits > 0 && n.Uppers+n.Lowers > 0 {
			f.Add(rule, c.from, value.Padding(f.Text, c.to))
		}
	}
	*c = oddCluster{}
}
