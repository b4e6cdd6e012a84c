package secret

import (
	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// findRespelt looks at what is spelt in percents, entities or escapes, or has unseen
// characters in it, as it is meant. Only secrets count that are known by more than a
// name.
func findRespelt(f *search.Finder) {
	decode.CodedParts(f.Text, func(r decode.Reading) { findInReading(f, &r) })
}

// findInReading adds what is found in a part as it is meant, where that is not as it is
// written.
func findInReading(f *search.Finder, r *decode.Reading) {
	in := f.Within(r.Text, rules.Secrets)
	findAll(&in)
	for _, n := range settle(&in) {
		from, to := r.Source(n.Start, n.End)
		if to-from != n.End-n.Start && !rules.Guesses(rules.Table[n.Rule].ID) {
			f.Add(n.Rule, from, to)
		}
	}
}

// findHex looks for a secret whose bytes are spelt in the run from i to end, and
// reports whether there is one.
func findHex(f *search.Finder, i, end int) bool {
	s := f.Text[i:end]
	if len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' {
		s = s[2:]
	}
	if !value.IsHexText(s) || decode.HexEnd(s, 0) < len(s)&^1 {
		return false
	}
	in := f.Within(string(decode.HexText(s)), rules.Secrets)
	findAll(&in)
	for _, n := range settle(&in) {
		if !rules.Guesses(rules.Table[n.Rule].ID) {
			f.Add(n.Rule, i, end)
			return true
		}
	}
	return false
}
