package reader

import (
	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// FindDockerAuth finds the base64-encoded user:password of a container registry.
func FindDockerAuth(f *search.Finder, rule, start, end int) {
	v, ok := named.ReadValue(f.Text, start, end)
	if !ok || v.Quote == 0 {
		return
	}
	val := f.Text[v.From:v.To]
	if lex.MatchShape(rules.Table[rule].Shape, val, 0) != len(val) {
		return
	}
	plain := decode.Decode64(make([]byte, 0, len(val)), val)
	if !decode.IsText(plain) || lex.Skip(string(plain), 0, len(plain), func(c byte) bool { return c != ':' }) >= len(plain)-1 {
		return
	}
	f.Add(rule, v.From, v.To)
}
