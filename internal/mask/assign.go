package mask

import "strings"

// assign looks at the = or : at i: whether a name before it makes a secret of
// what comes behind it.
func (p *scan) assign(i int) {
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
	if !ok {
		return
	}
	level := p.judge(n)
	if level == plain {
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
func (p *scan) assigned(n named, level strength, v int) {
	s := p.s
	tight := v < len(s) && kinds[s[v]] != space && n.to == v-1
	v = skipBlanks(s, v)
	if v < len(s) && level >= strong {
		if at, ok := p.below(n, v); ok {
			v = at
		} else if p.at > v {
			return // a block, which is cut
		}
	}
	if !opensQuote(s, v) && (n.code || level == soft && !tight) {
		if !n.code {
			p.maskOdd(v)
		}
		return
	}
	if level == weak {
		p.maskOdd(v)
		return
	}
	val := p.value(v)
	if !val.quoted {
		if at := skipBlanks(s, val.to); at > val.to && at+1 < len(s) && s[at] == '=' && s[at+1] != '=' {
			p.mask(val) // it may be the type: password: str = "x"
			val = p.value(skipBlanks(s, at+1))
		} else if level == whole {
			val = p.line(n, v)
		}
	}
	text := s[val.from:val.to]
	if level == soft && isNumber(text) || isFolder(s[n.from:n.to], text) {
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
func (p *scan) mask(val span) bool {
	if isReference(p.s[val.from:val.to]) {
		return false
	}
	p.cut(val.from, throughKeys(p.s, val.from, val.to))
	return true
}

// maskOdd cuts the value at v when it looks random, by its first bytes alone:
// the rest of the text is not read for a value that stays.
func (p *scan) maskOdd(v int) {
	head := scan{s: p.s[:min(len(p.s), v+96)]}
	val := head.value(v)
	if text := p.s[val.from:val.to]; oddity(text) >= 12 && mixed(text) {
		p.mask(p.value(v))
	}
}

// named is a name, and how it stands there.
type named struct {
	from, to int
	code     bool // with an operator of code: only a literal can be a secret
}

// nameBefore finds the name that ends before the sign at i.
func (p *scan) nameBefore(i int) (named, bool) {
	s := p.s
	n := named{to: i}
	if s[i] == '=' {
		for n.to > p.done && i-n.to < 2 && isOperator(s[n.to-1]) {
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
	if n.to > p.done && kinds[s[n.to-1]] == quote {
		for n.to--; n.to > p.done && s[n.to-1] == '\\'; n.to-- {
		}
	}
	return p.nameEnding(n)
}

// nameEnding finds where the name starts that ends at n.to.
func (p *scan) nameEnding(n named) (named, bool) {
	s := p.s
	least := max(p.done, n.to-maxName)
	n.from = n.to
	for n.from > least {
		c := s[n.from-1]
		if kinds[c]&alnum == 0 && c != '_' && c != '-' && c != '.' {
			break
		}
		n.from--
	}
	if n.to-n.from > 1 && n.from > 0 && s[n.from-1] == '\\' && isEscape(s[n.from]) {
		n.from++ // of \npassword the n is no letter
	}
	return n, n.to-n.from > 1
}

// judge judges a name, and where it says little, with the word before it:
// name: PASSWORD, value: x; const apiKey string = "x"; API key: x.
func (p *scan) judge(n named) strength {
	name := p.s[n.from:n.to]
	level := judge(name)
	if level > weak || len(name) > len("string") {
		return level
	}
	var buf [len("string")]byte
	w := lowered(buf[:len(name)], name)
	switch string(w) {
	case "value", "val", "string", "str", "key", "keys", "phrase":
	default:
		return level
	}
	to := n.from
	for to > p.done && n.from-to < 40 && (kinds[p.s[to-1]]&(space|quote) != 0 || p.s[to-1] == ',' || p.s[to-1] == '\\') {
		to--
	}
	before, ok := p.nameEnding(named{to: to})
	if !ok {
		return level
	}
	other := p.s[before.from:before.to]
	if w[0] == 'v' || w[0] == 's' {
		return max(judge(other), followed(other, w))
	}
	return max(level, followed(other, w))
}

// followed judges a word that follows a name.
func followed(name string, w []byte) strength {
	var buf [maxName]byte
	var last []byte
	for at := strings.LastIndexAny(name, "_-.") + 1; at < len(name); {
		end := nameWordEnd(name, at)
		last = lowered(buf[at:end], name[at:end])
		at = end
	}
	return wordStrength(w, last)
}

// isConstant reports whether a name is spelt without small letters.
func isConstant(name string) bool {
	for i := range len(name) {
		if kinds[name[i]] == lower {
			return false
		}
	}
	return true
}

func isOperator(c byte) bool {
	switch c {
	case ':', '=', '!', '<', '>', '|', '~', '+', '?':
		return true
	}
	return false
}

// element masks the text of an element whose name ends before the > at i.
func (p *scan) element(i int) {
	s := p.s
	if i == 0 || kinds[s[i-1]]&alnum == 0 {
		return
	}
	n, ok := p.nameEnding(named{to: i})
	if !ok || n.from == 0 || s[n.from-1] != '<' && s[n.from-1] != ':' || judge(s[n.from:n.to]) < soft {
		return
	}
	from := i + 1
	for from < len(s) && kinds[s[from]] == space {
		from++
	}
	to := strings.IndexByte(s[from:], '<')
	if to < 0 || strings.HasPrefix(s[from:], "![CDATA[") {
		to = lineEnd(s, from) - from
	}
	for to > 0 && kinds[s[from+to-1]] == space {
		to--
	}
	p.mask(span{from, from + to, true})
}

// argument masks the second of two quoted arguments, when the first, before
// the comma at i, names a secret: setenv("PASSWORD", "x").
func (p *scan) argument(i int) {
	s := p.s
	if i < 2 || kinds[s[i-1]] != quote {
		return
	}
	n, ok := p.nameBefore(i)
	if !ok || n.from < 2 || kinds[s[n.from-1]] != quote || s[n.from-2] != '(' && s[n.from-2] != '\\' {
		return
	}
	if judge(s[n.from:n.to]) < strong {
		return
	}
	if val := p.value(skipBlanks(s, i+1)); val.quoted && !isFolder(s[n.from:n.to], s[val.from:val.to]) {
		p.mask(val)
	}
}
