package secret

import "strings"

const jwkReach = 2048 // bytes on each side of a member in which the kind of the key stands

var byJWK = &reader{look: (*finder).lookJWK, rank: ofContext}

// lookJWK reads the private members of a key in JSON: "d" of all, and what an
// RSA key has besides it.
func (f *finder) lookJWK(rule, start, end int) {
	s := f.text
	name := s[start+1 : end-1]
	name = name[:skip(name, 0, len(name), isLetter)]
	at := skip(s, end, min(len(s), end+12), func(c byte) bool { return isSpace(c) || c == ':' || c == '"' || c == '\\' })
	to := skip(s, at, min(len(s), at+jwkReach), isURLBase64)
	least := 40
	if name != "d" {
		least = 80
	}
	if name == "k" {
		least = 20
	}
	if at == end || to-at < least || to >= len(s) || s[to] != '"' && s[to] != '\\' || !hasDigit(s[at:to]) || isFiller(s[at:to]) {
		return
	}
	if f.fixed { // one member of a tree
		if name != "d" && name != "k" && to-at >= least || name == "d" && (to-at == 43 || to-at == 64 || to-at == 88 || to-at >= 170) {
			f.add(rule, at, to)
		}
		return
	}
	if around := s[max(0, start-jwkReach):min(len(s), to+jwkReach)]; strings.Contains(around, `kty`) {
		f.add(rule, at, to)
	}
}
