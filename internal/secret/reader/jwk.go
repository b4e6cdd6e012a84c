package reader

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

const jwkReach = 2048 // bytes on each side of a member in which the kind of the key stands

// FindJWK finds the private members of a JSON web key: "d" of all kinds, and the other members of an
// RSA key.
func FindJWK(f *search.Finder, rule, start, end int) {
	s := f.Text
	name := s[start+1 : end-1]
	name = name[:lex.Skip(name, 0, len(name), lex.IsLetter)]
	at := lex.Skip(s, end, min(len(s), end+12), func(c byte) bool { return lex.IsSpace(c) || c == ':' || c == '"' || c == '\\' })
	to := lex.Skip(s, at, min(len(s), at+jwkReach), lex.IsURLBase64)
	if at == end || to-at < minJWKLen(name) || to >= len(s) || s[to] != '"' && s[to] != '\\' || !lex.HasDigit(s[at:to]) || value.IsFiller(s[at:to]) {
		return
	}
	around := s[max(0, start-jwkReach):min(len(s), to+jwkReach)]
	if f.Fixed && isJWKSize(name, to-at) || !f.Fixed && strings.Contains(around, `kty`) {
		f.Add(rule, at, to)
	}
}

// minJWKLen returns the minimum length of a member of a key in base64.
func minJWKLen(name string) int {
	switch name {
	case "d":
		return 40
	case "k":
		return 20
	}
	return 80
}

// isJWKSize reports whether the length of a member identifies it if no other member is visible.
func isJWKSize(name string, n int) bool {
	switch name {
	case "d":
		return n == 43 || n == 64 || n == 88 || n >= 170
	case "k":
		return false
	}
	return true
}
