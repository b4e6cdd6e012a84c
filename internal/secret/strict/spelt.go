package strict

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// spellings are those that are undone. In a shell \n is n, and in most other texts a new
// line, so that a text is read both ways.
const spellings = decode.Coded | decode.Hex | decode.Base64 | decode.Split

// maskSpelt masks what is a secret only as it is meant: in hexadecimal, with percents,
// in parts. All of what spells it goes. In the text itself nothing is left to mask.
func maskSpelt(s string, name bool, known *secret.Cleaner) string {
	var cuts []valueSpan
	read := func(ways decode.Spelling) {
		decode.Readings(s, ways, func(r *decode.Reading) {
			cut := func(start, end int) {
				from, to := r.Source(start, end)
				if !value.TouchesDigest(s, from, to) && (ways != decode.InShell || !strings.HasPrefix(s[from:to], secret.Marker)) { // a line may have ended there
					cuts = append(cuts, valueSpan{from: from, to: to})
				}
			}
			for _, f := range known.Find(r.Text) {
				cut(f.Start, f.End)
			}
			sc := scanner{s: r.Text, name: name}
			sc.run()
			for _, c := range sc.cuts {
				cut(c.from, c.to)
			}
		})
	}
	read(spellings)
	read(decode.InShell)
	if len(cuts) == 0 {
		return s
	}
	slices.SortFunc(cuts, func(a, b valueSpan) int { return a.from - b.from })
	out := make([]byte, 0, len(s))
	done := 0
	for i := 0; i < len(cuts); i++ {
		c := cuts[i]
		for i+1 < len(cuts) && cuts[i+1].from <= c.to {
			i++
			c.to = max(c.to, cuts[i].to)
		}
		for c.from > done && !utf8.RuneStart(s[c.from]) {
			c.from--
		}
		for c.to < len(s) && !utf8.RuneStart(s[c.to]) {
			c.to++
		}
		out = append(append(out, s[done:c.from]...), secret.Marker...)
		done = c.to
	}
	return string(append(out, s[done:]...))
}
