package secret

import (
	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// respelt looks at what is spelt in percents, entities or escapes, or has unseen
// characters in it, as it is meant. Only secrets count that are known by more than a
// name.
func (f *finder) respelt() { decode.CodedParts(f.text, func(r *decode.Reading) { f.inReading(r) }) }

// inReading adds what is found in a part as it is meant, where that is not as it is
// written.
func (f *finder) inReading(r *decode.Reading) {
	in := f.within(r.Text, Secrets)
	in.all()
	for _, n := range in.settled() {
		from, to := r.Source(n.start, n.end)
		if to-from != n.end-n.start && !Guesses(rules[n.rule].id) {
			f.add(n.rule, from, to)
		}
	}
}

// hexadecimal looks for a secret whose bytes are spelt in the run from i to end, and
// reports whether there is one.
func (f *finder) hexadecimal(i, end int) bool {
	s := f.text[i:end]
	if len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' {
		s = s[2:]
	}
	if !value.IsHexText(s) || decode.HexEnd(s, 0) < len(s)&^1 {
		return false
	}
	in := f.within(string(decode.HexText(s)), Secrets)
	in.all()
	for _, n := range in.settled() {
		if !Guesses(rules[n.rule].id) {
			f.add(n.rule, i, end)
			return true
		}
	}
	return false
}
