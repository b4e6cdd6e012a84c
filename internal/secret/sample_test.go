package secret

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// Secrets in tests are assembled at run time, so that no scanner finds them in the files.

// newRandom returns a source that yields the same numbers in every run.
func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 20)) }

// randomLetters returns n random bytes of alphabet.
func randomLetters(r *rand.Rand, alphabet string, n int) string {
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

// sampleOfShape returns a random text that has the shape.
func sampleOfShape(r *rand.Rand, shape string) string {
	re, err := syntax.Parse(strings.TrimPrefix(shape, "(?i)"), syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	writeSample(&b, r, re)
	return b.String()
}

func writeSample(b *strings.Builder, r *rand.Rand, re *syntax.Regexp) {
	least, most := 1, 1
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		var all []rune
		for i := 0; i < len(re.Rune); i += 2 {
			for c := re.Rune[i]; c <= re.Rune[i+1]; c++ {
				all = append(all, c)
			}
		}
		b.WriteRune(all[r.IntN(len(all))])
	case syntax.OpAlternate:
		writeSample(b, r, re.Sub[r.IntN(len(re.Sub))])
		return
	case syntax.OpQuest:
		least = 0
	case syntax.OpStar:
		least, most = 0, -1
	case syntax.OpPlus:
		most = -1
	case syntax.OpRepeat:
		least, most = re.Min, re.Max
	}
	if most < 0 {
		most = least + 6
	}
	for range least + r.IntN(min(most-least, 6)+1) {
		for _, sub := range re.Sub {
			writeSample(b, r, sub)
		}
	}
}

// sampleToken returns a random token that the rule rl accepts.
func sampleToken(t *testing.T, r *rand.Rand, rl *rules.Rule) string {
	t.Helper()
	for range 2000 {
		token := sampleOfShape(r, rl.Before) + sampleOfShape(r, rl.Shape)
		if !strings.ContainsAny(token, `"'`+"`") && token[0] != '=' && rl.Accepts(token) && (lex.HasDigit(token) || !value.ReadsLikeWords(token)) && !value.IsTemplate(token) {
			return token
		}
	}
	t.Fatalf("%s: its shape gives nothing that it accepts", rl.ID)
	return ""
}
