package secret

import (
	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// findDecoded finds secrets in parts that are written with percent signs, entities or escapes, or have
// invisible characters, as they read when decoded. Secrets that only a name suggests do not count.
func findDecoded(f *search.Finder) {
	decode.EachEscapedPart(f.Text, func(r decode.Part) { findInReading(f, &r) })
}

// findInReading adds the findings in a decoded part that differ from its spelling.
func findInReading(f *search.Finder, r *decode.Part) {
	in := f.NewInner(r.Text, rules.Secrets)
	findAll(&in)
	for _, n := range mergeFound(&in) {
		from, to := r.SourceSpan(n.Start, n.End)
		if to-from != n.End-n.Start && !rules.Guesses(rules.Table[n.Rule].ID) {
			f.Add(n.Rule, from, to)
		}
	}
}

// findHex adds a secret whose bytes are written as hex digits in the run from i to end, and reports
// whether there is one.
func findHex(f *search.Finder, i, end int) bool {
	s := f.Text[i:end]
	if len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' {
		s = s[2:]
	}
	if !value.IsHexText(s) || decode.HexEnd(s, 0) < len(s)&^1 {
		return false
	}
	in := f.NewInner(string(decode.DecodeHex(s)), rules.Secrets)
	findAll(&in)
	for _, n := range mergeFound(&in) {
		if !rules.Guesses(rules.Table[n.Rule].ID) {
			f.Add(n.Rule, i, end)
			return true
		}
	}
	return false
}
