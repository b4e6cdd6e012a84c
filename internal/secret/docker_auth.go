package secret

import (
	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
)

// lookDockerAuth reads the login of a registry, user:password in base64.
func (f *finder) lookDockerAuth(rule, start, end int) {
	v, ok := named.ReadValue(f.text, start, end)
	if !ok || v.Quote == 0 {
		return
	}
	val := f.text[v.From:v.To]
	if lex.MatchShape(rules[rule].shape, val, 0) != len(val) {
		return
	}
	plain := decode.Decode64(make([]byte, 0, len(val)), val)
	if !decode.IsText(plain) || lex.Skip(string(plain), 0, len(plain), func(c byte) bool { return c != ':' }) >= len(plain)-1 {
		return
	}
	f.add(rule, v.From, v.To)
}
