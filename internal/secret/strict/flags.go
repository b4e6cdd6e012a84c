package strict

import "strings"

// flag looks at the run s[i:e] that starts with a dash: whether it is an
// option that takes a secret.
func (p *scanner) flag(i, e int) {
	s := p.s
	if e == len(s) || byteKinds[s[e]] != spaceKind && !strings.HasPrefix(s[e:], "\\\n") {
		return
	}
	level := flagStrength(s[i:e])
	if level == plainName {
		return
	}
	v := skipBlanks(s, e)
	if strings.HasPrefix(s[v:], "\\\n") {
		v = skipBlanks(s, v+2)
	}
	if v == e || v == len(s) || s[v] == '-' || s[v] == '\n' || s[v] == '\r' {
		return
	}
	if level == weakName {
		p.maskOdd(v)
		return
	}
	val := p.value(v)
	if isUserFlag(s[i:e]) {
		n := strings.IndexByte(s[val.from:val.to], ':')
		if n < 0 || isNumber(s[val.from+n+1:val.to]) {
			return
		}
		val.from += n + 1
	}
	if level == softName && isNumber(s[val.from:val.to]) {
		return
	}
	p.mask(val)
}

// flagStrength judges an option: --password, -token.
func flagStrength(option string) nameStrength {
	if isUserFlag(option) {
		return strongName
	}
	name := strings.TrimLeft(option, "-")
	if len(name) < 3 || len(option)-len(name) > 2 || len(option) == len(name) {
		return plainName
	}
	return strengthOf(name)
}

// isUserFlag reports whether an option takes a user with a password, as those
// of curl do.
func isUserFlag(option string) bool {
	return option == "-u" || option == "--user" || option == "-U" || option == "--proxy-user"
}
