package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// fill gives what a string with parts to fill in becomes.
func (r *reader) fill(raw string) value {
	out := value{form: text}
	var b []byte
	for i := 0; i < len(raw) && r.spend(); {
		c := raw[i]
		if c == '\\' && i+1 < len(raw) {
			var n int
			b, n = escape(b, raw[i:], r.lang)
			i += n
			continue
		}
		code, n := r.part(raw[i:])
		if n == 0 {
			b = append(b, c)
			i++
			continue
		}
		i += n
		if code == "" {
			b = append(b, c)
			continue
		}
		v := r.inner(code)
		out.taint |= v.taint
		out.glob = out.glob || v.glob
		if v.class == "listing" {
			v.text = "*"
		}
		b = append(b, v.str()...)
		if len(b) > maxText {
			break
		}
	}
	out.text = string(b)
	return out
}

// inner is the value of the code in a string.
func (r *reader) inner(code string) value {
	if v, ok := r.vars[code]; ok {
		return v
	}
	if r.level >= maxLevel {
		return value{}
	}
	v := r.run(code, r.lang)
	v, _ = r.nameValue(v)
	return v
}

// partOpens are the signs that open code in a string; brackets follow the first.
var partOpens = [...]string{javascript: "${", ruby: "#{", opaque: ""}

// part returns the code of the part at the beginning of s, and its length. Code
// that is empty is a sign written twice.
func (r *reader) part(s string) (string, int) {
	two := s[:min(2, len(s))]
	if facts.InList(partOpens[r.lang], two) {
		in, n := bracketed(s[1:], s[1], closer(s[1]))
		return in, n + 1
	}
	switch r.lang {
	case python:
		if two == "{{" || two == "}}" {
			return "", 2
		}
		if s[0] == '{' {
			in, n := bracketed(s, '{', '}')
			return formatCode(in), n
		}
	case php:
		if two == "{$" {
			return bracketed(s, '{', '}')
		}
		if two == "${" {
			in, n := bracketed(s[1:], '{', '}')
			return "$" + in, n + 1
		}
		return sigilName(s, true)
	case perl:
		if two == "${" || two == "@{" {
			in, n := bracketed(s[1:], '{', '}')
			if plainName(in) {
				in = s[:1] + in
			} else {
				in = strings.TrimLeft(in, " \\")
			}
			return in, n + 1
		}
		if s[0] == '@' && len(s) > 1 && isLetter(s[1]) || s[0] == '$' {
			return sigilName(s, true)
		}
	}
	return "", 0
}

// formatCode takes the format off a python part: {x!r:>10}.
func formatCode(in string) string {
	level := 0
	for i := 0; i < len(in); i++ {
		switch in[i] {
		case '(', '[', '{':
			level++
		case ')', ']', '}':
			level--
		case '\'', '"':
			for j := i + 1; j < len(in); j++ {
				if in[j] == in[i] {
					i = j
					break
				}
			}
		case ':':
			if level == 0 {
				return in[:i]
			}
		case '!':
			if level == 0 && i+1 < len(in) && in[i+1] != '=' {
				return in[:i]
			}
		}
	}
	return strings.TrimSuffix(in, "=")
}

// bracketed returns what stands between the bracket at the beginning of s and its
// closer, and the length with both.
func bracketed(s string, open, close byte) (string, int) {
	level := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == open:
			level++
		case c == close:
			if level--; level == 0 {
				return s[1:i], i + 1
			}
		case c == '\'' || c == '"':
			for j := i + 1; j < len(s) && s[j] != '\n'; j++ {
				if s[j] == c {
					i = j
					break
				}
			}
		}
	}
	return strings.TrimPrefix(s, string(open)), len(s)
}

// sigilName returns the variable at the beginning of s, with an index or key
// right behind it when indexed.
func sigilName(s string, indexed bool) (string, int) {
	if s[0] != '$' && s[0] != '@' {
		return "", 0
	}
	n := 1
	for n < len(s) && (isLetter(s[n]) && s[n] < 0x80 || isDigit(s[n])) {
		n++
	}
	if n == 1 {
		return "", 0
	}
	if indexed && n < len(s) {
		at := n
		if strings.HasPrefix(s[n:], "->") && n+2 < len(s) {
			at += 2
		}
		if c := s[at]; c == '[' || c == '{' {
			if _, k := bracketed(s[at:min(len(s), at+80)], c, closer(c)); k < 80 {
				n = at + k
			}
		}
	}
	code := s[:n]
	if !indexed {
		code = s[1:n]
	}
	return code, n
}

func plainName(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isLetter(s[i]) && !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}
