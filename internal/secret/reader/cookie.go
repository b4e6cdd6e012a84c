package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// FindSessionCookies finds the values of session cookies in a Cookie or Set-Cookie header.
func FindSessionCookies(f *search.Finder, rule, start, end int) {
	s := f.Text
	i := lex.Skip(s, end, min(len(s), end+8), func(c byte) bool { return lex.IsBlank(c) || lex.IsQuote(c) || c == ':' || c == ',' || c == '\\' })
	if i == end {
		return
	}
	for i-end < jwkReach {
		i = lex.Skip(s, i, min(len(s), i+4), func(c byte) bool { return lex.IsBlank(c) || c == ';' })
		to := lex.Skip(s, i, min(len(s), i+named.NameReach), lex.IsNameByte)
		if to == i || to >= len(s) {
			return
		}
		if s[to] == ';' { // an attribute without a value, such as HttpOnly
			i = to
			continue
		}
		if s[to] != '=' {
			return
		}
		name, from := s[i:to], to+1
		last := lex.Skip(s, from, min(len(s), from+lex.Reach/2), func(c byte) bool { return lex.IsTokenByte(c) && c != ';' && c != ',' && c != '\\' })
		if namesSession(name) && isSessionValue(s[from:min(last, from+lex.MaxValue)]) {
			f.Add(rule, from, last)
		}
		if last >= len(s) || s[last] != ';' && !lex.IsBlank(s[last]) {
			return
		}
		i = last
	}
}

// namesSession reports whether name is that of a session cookie.
func namesSession(name string) bool {
	return !lex.ContainsAnyFold(name, "csrf xsrf") &&
		lex.ContainsAnyFold(name, "sess sid logged_in wordpress_sec auth token jwt login remember user_id ticket sso secret credential aspnet")
}

// isSessionValue reports whether val, the value of a cookie, looks random enough to identify a
// session.
func isSessionValue(val string) bool {
	l := value.LookAt(val)
	return l.Has&(value.Of16|value.ADigit|value.ALetter) == value.Of16|value.ADigit|value.ALetter && l.Is(value.Bits30) && !l.IsAny(value.WordLike|value.StandIn|value.Template)
}
