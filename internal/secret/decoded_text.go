package secret

import (
	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// findInEscapedParts finds secrets in the decoded parts of the text that are written with percent
// signs, entities or escapes, or have invisible characters. Secrets that only a name suggests do not
// count.
func findInEscapedParts(f *search.Finder) {
	decode.EachEscapedPart(f.Text, func(r decode.Part) { findInPart(f, &r) })
}

// findInPart adds the findings in the decoded part r that are encoded in the source.
func findInPart(f *search.Finder, r *decode.Part) {
	in := f.NewInner(r.Text, rules.Secrets)
	findAll(&in)
	for _, n := range mergeFound(&in) {
		from, to := r.SourceSpan(n.Start, n.End)
		if to-from != n.End-n.Start && !rules.ReliesOnName(rules.Table[n.Rule].ID) {
			f.Add(n.Rule, from, to)
		}
	}
}

// findHexSecret adds the run f.Text[i:end] if its hexadecimal digits encode a secret, and reports
// whether they do.
func findHexSecret(f *search.Finder, i, end int) bool {
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
		if !rules.ReliesOnName(rules.Table[n.Rule].ID) {
			f.Add(n.Rule, i, end)
			return true
		}
	}
	return false
}
