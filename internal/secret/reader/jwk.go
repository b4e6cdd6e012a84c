package reader

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

const jwkReach = 2048 // maximum bytes from a private member to the key's "kty" member

// FindJWK finds the private members of a JSON web key: "d" of every key type, "k" of a symmetric key,
// and the other private members of an RSA key.
func FindJWK(f *search.Finder, rule, start, end int) {
	s := f.Text
	name := s[start+1 : end-1]
	name = name[:lex.Skip(name, 0, len(name), lex.IsLetter)]
	at := lex.Skip(s, end, min(len(s), end+12), func(c byte) bool { return lex.IsSpace(c) || c == ':' || c == '"' || c == '\\' })
	to := lex.Skip(s, at, min(len(s), at+jwkReach), lex.IsURLBase64)
	if at == end || to-at < minMemberLen(name) || to >= len(s) || s[to] != '"' && s[to] != '\\' || !lex.HasDigit(s[at:to]) || value.IsFiller(s[at:to]) {
		return
	}
	around := s[max(0, start-jwkReach):min(len(s), to+jwkReach)]
	if f.Fixed && isTellingSize(name, to-at) || !f.Fixed && strings.Contains(around, `kty`) {
		f.Add(rule, at, to)
	}
}

// minMemberLen returns the minimum base64 length of the member name of a JSON web key.
func minMemberLen(name string) int {
	switch name {
	case "d":
		return 40
	case "k":
		return 20
	}
	return 80
}

// isTellingSize reports whether the member name with a base64 length of n can only belong to a private
// key, so that no other member is needed to recognise it.
func isTellingSize(name string, n int) bool {
	switch name {
	case "d":
		return n == 43 || n == 64 || n == 88 || n >= 170
	case "k":
		return false
	}
	return true
}
