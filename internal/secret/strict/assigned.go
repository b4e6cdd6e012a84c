package strict

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/value"
)

// assign looks at the = or : at i: whether a name before it makes a secret of
// what comes behind it.
func (p *scanner) assign(i int) {
	s := p.s
	next := byte(0)
	if i+1 < len(s) {
		next = s[i+1]
	}
	switch {
	case s[i] == ':' && next == '/' && strings.HasPrefix(s[i:], "://"):
		p.address(i + len("://"))
		return
	case s[i] == ':' && next == ':':
		p.at = i + 2 // a path of C++ or Rust
		return
	case next == '=':
		return // the = counts
	}
	n, ok := p.nameBefore(i)
	if !ok || s[i] == '=' && value.InDigest(s, n.from, n.to) { // which the = ends
		return
	}
	level := p.judge(n)
	if level == plainName {
		return
	}
	if n.code && s[i-1] == ':' && isConstant(s[n.from:n.to]) {
		n.code = false // of a makefile
	}
	v := i + 1
	if s[i] == '=' && next == '>' {
		v++
	}
	p.assigned(n, level, v)
}

// assigned masks the value that starts behind the sign before v.
func (p *scanner) assigned(n strictName, level nameStrength, v int) {
	s := p.s
	tight := v < len(s) && byteKinds[s[v]] != spaceKind && n.to == v-1
	v = skipBlanks(s, v)
	if v < len(s) && level >= strongName {
		if at, ok := p.below(n, v); ok {
			v = at
		} else if p.at > v {
			return // a block, which is cut
		}
	}
	if !opensQuote(s, v) && (n.code || level == softName && !tight) {
		if !n.code {
			p.maskOdd(v)
		}
		return
	}
	if level == weakName {
		p.maskOdd(v)
		return
	}
	val := p.value(v)
	if !val.quoted {
		if at := skipBlanks(s, val.to); at > val.to && at+1 < len(s) && s[at] == '=' && s[at+1] != '=' {
			p.mask(val) // it may be the type: password: str = "x"
			val = p.value(skipBlanks(s, at+1))
		} else if level == wholeLine {
			val = p.line(n, v)
		}
	}
	text := s[val.from:val.to]
	if level == softName && isNumber(text) || isFolder(s[n.from:n.to], text) {
		return
	}
	p.mask(val)
}

// isFolder reports whether a name is that of the working folder, as its value
// shows: the shell calls it like others call a password.
func isFolder(name, val string) bool {
	return (name == "pwd" || name == "PWD" || name == "OLDPWD") && strings.HasPrefix(val, "/") && oddity(val) < minOdd
}

// mask cuts a value unless it is none, and reports whether it did.
func (p *scanner) mask(val valueSpan) bool {
	if standsForValue(p.s[val.from:val.to]) || value.InDigest(p.s, val.from, val.to) {
		return false
	}
	p.cut(val.from, throughKeys(p.s, val.from, val.to))
	return true
}

// maskOdd cuts the value at v when it looks random, by its first bytes alone:
// the rest of the text is not read for a value that stays.
func (p *scanner) maskOdd(v int) {
	head := scanner{s: p.s[:min(len(p.s), v+96)]}
	val := head.value(v)
	if text := p.s[val.from:val.to]; oddity(text) >= 12 && hasBoth(text) {
		p.mask(p.value(v))
	}
}

// strictName is a name, and how it stands there.
type strictName struct {
	from, to int
	code     bool // with an operator of code: only a literal can be a secret
}

// nameBefore finds the name that ends before the sign at i.
func (p *scanner) nameBefore(i int) (strictName, bool) {
	s := p.s
	n := strictName{to: i}
	if s[i] == '=' {
		for n.to > p.done && i-n.to < 2 && isAssignSign(s[n.to-1]) {
			n.code = n.code || s[n.to-1] != '+' && s[n.to-1] != '?'
			n.to--
		}
	}
	for n.to > p.done && i-n.to < 8 && (s[n.to-1] == ' ' || s[n.to-1] == '\t') {
		n.to--
	}
	if n.to > p.done && s[n.to-1] == ']' { // env["PASSWORD"] = …
		n.to--
	}
	if n.to > p.done && byteKinds[s[n.to-1]] == quoteKind {
		for n.to--; n.to > p.done && s[n.to-1] == '\\'; n.to-- {
		}
	}
	return p.nameEnding(n)
}

// nameEnding finds where the name starts that ends at n.to.
func (p *scanner) nameEnding(n strictName) (strictName, bool) {
	s := p.s
	least := max(p.done, n.to-maxName)
	n.from = n.to
	for n.from > least {
		c := s[n.from-1]
		if byteKinds[c]&alnumKind == 0 && c != '_' && c != '-' && c != '.' {
			break
		}
		n.from--
	}
	if n.to-n.from > 1 && n.from > 0 && s[n.from-1] == '\\' && isEscapeLetter(s[n.from]) {
		n.from++ // of \npassword the n is no letter
	}
	return n, n.to-n.from > 1
}

// judge judges a name, and where it says little, with the word before it:
// name: PASSWORD, value: x; const apiKey string = "x"; API key: x.
func (p *scanner) judge(n strictName) nameStrength {
	name := p.s[n.from:n.to]
	level := strengthOf(name)
	if level > weakName || len(name) > len("string") {
		return level
	}
	var buf [len("string")]byte
	w := lowerWord(buf[:len(name)], name)
	switch string(w) {
	case "value", "val", "string", "str", "key", "keys", "phrase":
	default:
		return level
	}
	to := n.from
	for to > p.done && n.from-to < 40 && (byteKinds[p.s[to-1]]&(spaceKind|quoteKind) != 0 || p.s[to-1] == ',' || p.s[to-1] == '\\') {
		to--
	}
	before, ok := p.nameEnding(strictName{to: to})
	if !ok {
		return level
	}
	other := p.s[before.from:before.to]
	if w[0] == 'v' || w[0] == 's' {
		return max(strengthOf(other), followed(other, w))
	}
	return max(level, followed(other, w))
}

// followed judges a word that follows a name.
func followed(name string, w []byte) nameStrength {
	var buf [maxName]byte
	var last []byte
	for at := strings.LastIndexAny(name, "_-.") + 1; at < len(name); {
		end := nameWordEnd(name, at)
		last = lowerWord(buf[at:end], name[at:end])
		at = end
	}
	return wordStrength(w, last)
}

// isConstant reports whether a name is spelt without small letters.
func isConstant(name string) bool {
	for i := range len(name) {
		if byteKinds[name[i]] == lowerKind {
			return false
		}
	}
	return true
}

func isAssignSign(c byte) bool {
	switch c {
	case ':', '=', '!', '<', '>', '|', '~', '+', '?':
		return true
	}
	return false
}

// element masks the text of an element whose name ends before the > at i.
func (p *scanner) element(i int) {
	s := p.s
	if i == 0 || byteKinds[s[i-1]]&alnumKind == 0 {
		return
	}
	n, ok := p.nameEnding(strictName{to: i})
	if !ok || n.from == 0 || s[n.from-1] != '<' && s[n.from-1] != ':' || strengthOf(s[n.from:n.to]) < softName {
		return
	}
	from := i + 1
	for from < len(s) && byteKinds[s[from]] == spaceKind {
		from++
	}
	to := strings.IndexByte(s[from:], '<')
	if to < 0 || strings.HasPrefix(s[from:], "![CDATA[") {
		to = endOfLine(s, from) - from
	}
	for to > 0 && byteKinds[s[from+to-1]] == spaceKind {
		to--
	}
	p.mask(valueSpan{from, from + to, true})
}

// argument masks the second of two quoted arguments, when the first, before
// the comma at i, names a secret: setenv("PASSWORD", "x").
func (p *scanner) argument(i int) {
	s := p.s
	if i < 2 || byteKinds[s[i-1]] != quoteKind {
		return
	}
	n, ok := p.nameBefore(i)
	if !ok || n.from < 2 || byteKinds[s[n.from-1]] != quoteKind || s[n.from-2] != '(' && s[n.from-2] != '\\' {
		return
	}
	if strengthOf(s[n.from:n.to]) < strongName {
		return
	}
	if val := p.value(skipBlanks(s, i+1)); val.quoted && !isFolder(s[n.from:n.to], s[val.from:val.to]) {
		p.mask(val)
	}
}
