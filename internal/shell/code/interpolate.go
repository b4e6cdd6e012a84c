package code

import (
	"strings"
)

// interpolate returns the value of raw, a string as written, with its escapes replaced and its
// interpolated parts evaluated.
func (r *reader) interpolate(raw string) value {
	out := value{form: text}
	var b []byte
	for i := 0; i < len(raw) && r.spendStep(); {
		c := raw[i]
		if c == '\\' && i+1 < len(raw) {
			var n int
			b, n = appendUnescaped(b, raw[i:], r.lang)
			i += n
			continue
		}
		code, n := r.interpolatedPart(raw[i:])
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
		v := r.evalInterpolated(code)
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

// evalInterpolated returns the value of code, an interpolated part of a string.
func (r *reader) evalInterpolated(code string) value {
	if v, ok := r.vars[code]; ok {
		return v
	}
	if r.level >= maxLevel {
		return value{}
	}
	v := r.readProgram(code, r.lang)
	v, _ = r.knownNameValue(v)
	return v
}

// interpolatedPart returns the code of the interpolated part that s begins with, and the length of the
// part. The length is 0 if there is none. The code is "" for an escaped brace.
func (r *reader) interpolatedPart(s string) (code string, length int) {
	switch two := s[:min(2, len(s))]; {
	case r.lang == javascript && two == "${":
		in, n := bracedText(s[1:])
		return in, n + 1
	case r.lang == javascript:
	case two == "{{" || two == "}}":
		return "", 2
	case s[0] == '{':
		in, n := bracedText(s)
		return trimFormatSpec(in), n
	}
	return "", 0
}

// trimFormatSpec returns in, an interpolated part of a Python string, without its conversion and
// format, such as !r:>10 in {x!r:>10}. A colon before a bracket or quote belongs to the code.
func trimFormatSpec(in string) string {
	if i := strings.LastIndexByte(in, ':'); i > 0 && !strings.ContainsAny(in[i:], ")]}'\"") {
		in = in[:i]
	}
	if n := len(in); n > 2 && in[n-2] == '!' {
		in = in[:n-2]
	}
	return strings.TrimSuffix(in, "=")
}

// bracedText returns the text between the brace that s begins with and the matching one, and the
// length including both braces. Without a matching brace, it returns the rest of s.
func bracedText(s string) (text string, length int) {
	level := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '{':
			level++
		case c == '}':
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
	return strings.TrimPrefix(s, "{"), len(s)
}
