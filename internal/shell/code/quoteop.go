package code

import "strings"

// closer returns the bracket or sign that ends a quote which begins with c.
func closer(c byte) byte {
	switch c {
	case '(':
		return ')'
	case '[':
		return ']'
	case '{':
		return '}'
	case '<':
		return '>'
	}
	return c
}

// delimited returns what stands between the sign at pos and its closer.
func (x *lexer) delimited() (raw string, sign byte) {
	sign = x.at(0)
	stop := closer(sign)
	x.pos++
	from, level := x.pos, 0
	for x.pos < len(x.src) {
		switch c := x.src[x.pos]; {
		case c == '\\':
			x.pos++
		case c == stop && level == 0:
			raw = x.src[from:x.pos]
			x.pos++
			return raw, sign
		case c == stop:
			level--
		case c == sign:
			level++
		}
		x.pos++
	}
	x.pos = len(x.src)
	return x.src[min(from, len(x.src)):], sign
}

// pattern goes behind the sign that ends a pattern, and its flags.
func (x *lexer) pattern(stop byte) {
	class := false
	for x.pos < len(x.src) && x.src[x.pos] != '\n' {
		switch c := x.src[x.pos]; {
		case c == '\\':
			x.pos++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == stop && (!class || x.lang != javascript):
			x.pos++
			for x.lang != awk && x.pos < len(x.src) && isLetter(x.src[x.pos]) && x.src[x.pos] < 0x80 {
				x.pos++
			}
			return
		}
		x.pos++
	}
	x.pos = min(x.pos, len(x.src))
}

// wordQuote takes perl's quoting words: q qq qw qx qr m s tr y.
func (x *lexer) wordQuote(word string, start int) bool {
	if x.lang != perl {
		return false
	}
	switch word {
	case "q", "qq", "qw", "qx", "qqx", "qr", "m", "s", "tr", "y":
	default:
		return false
	}
	if n := len(x.toks); n > 0 && (x.toks[n-1].text == "->" || x.toks[n-1].text == "{" && x.at(0) == '}') && x.toks[n-1].kind == tOp {
		return false
	}
	at := x.pos
	for x.at(0) == ' ' {
		x.pos++
	}
	c := x.at(0)
	if c <= ' ' || isLetter(c) || isDigit(c) || c == ',' || c == ';' || c == ')' || c == '=' && (x.at(1) == '>' || x.at(1) == ' ') {
		x.pos = at
		return false
	}
	raw, sign := x.delimited()
	switch word {
	case "q":
		x.add(tString, unescapeQuote(raw), start)
	case "qq":
		x.addText(raw, '"', start)
	case "qw":
		x.add(tWords, raw, start)
	case "qx", "qqx":
		x.add(tShell, raw, start)
	case "qr", "m":
		x.flags()
		x.addRegex(start)
	default:
		x.replacement(sign, word == "s", start)
	}
	return true
}

// addRegex adds a pattern. In perl it can hold code that runs: (?{…}).
func (x *lexer) addRegex(start int) {
	if x.lang == perl {
		raw := x.src[start:min(x.pos, len(x.src))]
		if i := strings.Index(raw, "(?{"); i >= 0 {
			in, _ := bracketed(raw[i+2:], '{', '}')
			x.add(tCode, in, start)
			return
		}
	}
	x.add(tRegex, "", start)
}

// flags returns the letters behind a pattern.
func (x *lexer) flags() string {
	from := x.pos
	for x.pos < len(x.src) && x.src[x.pos] >= 'a' && x.src[x.pos] <= 'z' {
		x.pos++
	}
	return x.src[from:x.pos]
}

// replacement takes the second half of s/a/b/. With the flag e it is code.
func (x *lexer) replacement(sign byte, runs bool, start int) {
	if closer(sign) != sign {
		for x.at(0) == ' ' || x.at(0) == '\n' {
			x.pos++
		}
	} else {
		x.pos-- // the sign in the middle closes and opens
	}
	if x.pos >= len(x.src) {
		x.add(tRegex, "", start)
		return
	}
	raw, _ := x.delimited()
	if f := x.flags(); runs && strings.Contains(f, "e") {
		x.add(tCode, raw, start)
		return
	}
	x.add(tRegex, "", start)
}

// percent takes ruby's %w[…], %x{…}, %q(…) and %(…).
func (x *lexer) percent(start int) bool {
	c, n := x.at(1), x.at(2)
	sign := c
	if isLetter(c) {
		sign = n
	}
	if sign <= ' ' || isLetter(sign) || isDigit(sign) || sign == '=' {
		return false
	}
	x.pos++
	if isLetter(c) {
		x.pos++
	} else {
		c = 'Q'
	}
	raw, _ := x.delimited()
	switch c {
	case 'w', 'W', 'i', 'I':
		x.add(tWords, raw, start)
	case 'x':
		x.add(tShell, raw, start)
	case 'q':
		x.add(tString, unescapeQuote(raw), start)
	case 'r':
		x.flags()
		x.add(tRegex, "", start)
	default:
		x.addText(raw, '"', start)
	}
	return true
}

// angle takes a here-document, or <*.c> and <STDIN> of perl.
func (x *lexer) angle(start int) bool {
	switch x.lang {
	case php:
		if strings.HasPrefix(x.rest(), "<<<") {
			return x.heredoc(3, start)
		}
		if strings.HasPrefix(x.rest(), "<?php") {
			x.pos += 5
			return true
		}
	case ruby, perl:
		if x.at(1) == '<' && !x.valueBefore() || x.at(1) == '<' && (x.at(2) == '~' || x.at(2) == '"' || x.at(2) == '\'') {
			return x.heredoc(2, start)
		}
		if x.lang == perl && !x.valueBefore() {
			i := strings.IndexAny(x.src[x.pos:min(len(x.src), x.pos+200)], ">\n;=")
			if i > 0 && x.src[x.pos+i] == '>' {
				raw := x.src[x.pos+1 : x.pos+i]
				x.pos += i + 1
				x.add(tGlob, raw, start)
				return true
			}
		}
	}
	return false
}

// heredoc takes a here-document. Its body begins on the next line.
func (x *lexer) heredoc(n, start int) bool {
	p := x.pos + n
	for p < len(x.src) && (x.src[p] == '~' || x.src[p] == '-' || x.src[p] == ' ' && n == 3) {
		p++
	}
	var q byte
	if p < len(x.src) && (x.src[p] == '"' || x.src[p] == '\'' || x.src[p] == '`') {
		q = x.src[p]
		p++
	}
	from := p
	for p < len(x.src) && (isLetter(x.src[p]) || isDigit(x.src[p])) {
		p++
	}
	tag := x.src[from:p]
	if tag == "" {
		return false
	}
	if q != 0 {
		p++
	}
	x.pos = min(p, len(x.src))
	line := x.skipAt
	at := x.skipTo
	if line < 0 {
		i := -1
		if !x.lastLine {
			i = strings.IndexByte(x.rest(), '\n')
		}
		if i < 0 {
			x.lastLine = true
			x.add(tString, "", start)
			return true
		}
		line, at = x.pos+i, x.pos+i+1
	}
	body, end := hereBody(x.src, at, tag)
	x.skipAt, x.skipTo = line, end
	if q == '`' {
		x.add(tShell, body, start)
	} else {
		if q == 0 {
			q = '"'
		}
		x.addText(body, q, start)
	}
	return true
}

// hereBody returns the lines from at to the one that is only tag, and where the
// line after it begins.
func hereBody(src string, at int, tag string) (string, int) {
	for p := at; p < len(src); {
		end := strings.IndexByte(src[p:], '\n')
		next := len(src)
		line := src[p:]
		if end >= 0 {
			line, next = src[p:p+end], p+end+1
		}
		if strings.TrimRight(strings.TrimSpace(line), ";,)") == tag {
			return src[at:p], next
		}
		p = next
	}
	return src[min(at, len(src)):], len(src)
}
