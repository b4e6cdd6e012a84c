package secret

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Secrets in tests are made while they run: none is in a file, where other
// scanners would find it.

// random returns a source that gives the same numbers in every run.
func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 20)) }

// letters returns n bytes of an alphabet.
func letters(r *rand.Rand, alphabet string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

const (
	digits   = "0123456789"
	lowerAZ  = "abcdefghijklmnopqrstuvwxyz"
	upperAZ  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	base62   = digits + lowerAZ + upperAZ
	base64AZ = base62 + "+/"
	hexAZ    = digits + "abcdef"
)

// sampler makes texts that have a shape.
type sampler struct {
	m matcher
	r *rand.Rand
}

// sample returns a text of the shape.
func sample(r *rand.Rand, shape string) string {
	s := sampler{r: r}
	s.m.shape = strings.TrimPrefix(shape, "(?i)")
	var b strings.Builder
	s.sequence(&b, 0)
	return b.String()
}

func (s *sampler) sequence(b *strings.Builder, p int) int {
	for p < len(s.m.shape) && s.m.shape[p] != '|' && s.m.shape[p] != ')' {
		end := s.m.itemEnd(p)
		least, most, next := s.m.count(end)
		n := least + s.r.IntN(min(most-least, 6)+1)
		for range n {
			s.item(b, p)
		}
		p = next
	}
	return p
}

func (s *sampler) item(b *strings.Builder, p int) {
	if s.m.shape[p] == '(' {
		var starts []int
		for at := p + 1; at >= 0; {
			starts = append(starts, at)
			var skipped strings.Builder
			at = s.m.alternative(s.sequence(&skipped, at))
		}
		s.sequence(b, starts[s.r.IntN(len(starts))])
		return
	}
	var class set
	s.m.item(&class, p)
	var all []byte
	for c := range 256 {
		if class.has(byte(c)) {
			all = append(all, byte(c))
		}
	}
	b.WriteByte(all[s.r.IntN(len(all))])
}

// tokenOf returns a token of the rule that is good enough for it.
func tokenOf(t *testing.T, r *rand.Rand, rl *rule) string {
	t.Helper()
	for range 2000 {
		token := sample(r, rl.before) + sample(r, rl.shape)
		if !strings.ContainsAny(token, `"'`+"`") && token[0] != '=' && rl.accepts(token) && (hasDigit(token) || !readsLikeWords(token)) && !isReferenceIn(token) {
			return token
		}
	}
	t.Fatalf("%s: its shape gives nothing that it accepts", rl.id)
	return ""
}
