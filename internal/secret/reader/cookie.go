package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// LookCookie reads the values of sessions in a line of cookies.
func LookCookie(f *search.Finder, rule, start, end int) {
	s := f.Text
	i := lex.Skip(s, end, min(len(s), end+8), func(c byte) bool { return lex.IsBlank(c) || lex.IsQuote(c) || c == ':' || c == ',' || c == '\\' })
	readCookieMembers(f, rule, end)
	if i == end {
		return
	}
	for i-end < jwkReach {
		i = lex.Skip(s, i, min(len(s), i+4), func(c byte) bool { return lex.IsBlank(c) || c == ';' })
		to := lex.Skip(s, i, min(len(s), i+named.NameReach), lex.IsName)
		if to == i || to >= len(s) {
			return
		}
		if s[to] == ';' { // HttpOnly
			i = to
			continue
		}
		if s[to] != '=' {
			return
		}
		name, from := s[i:to], to+1
		last := lex.Skip(s, from, min(len(s), from+lex.Reach/2), func(c byte) bool { return lex.IsToken(c) && c != ';' && c != ',' && c != '\\' })
		if namesSession(name) && isSession(s[from:min(last, from+lex.MaxValue)]) {
			f.Add(rule, from, last)
		}
		if last >= len(s) || s[last] != ';' && !lex.IsBlank(s[last]) {
			return
		}
		i = last
	}
}

func namesSession(name string) bool {
	return !lex.ContainsAny(name, "csrf xsrf") &&
		lex.ContainsAny(name, "sess sid logged_in wordpress_sec auth token jwt login remember user_id ticket sso secret credential aspnet")
}

func isSession(val string) bool {
	l := value.LookAt(val)
	return l.Has&(value.Of16|value.ADigit|value.ALetter) == value.Of16|value.ADigit|value.ALetter && l.Is(value.Bits30) && !l.IsAny(value.WordLike|value.StandIn|value.Template)
}

const jarReach = 200 // bytes behind the word cookie in which a list of them opens

// readCookieMembers reads cookies = {"sessionid": "X"} and add_cookie({"name":
// "sessionid", "value": "X"}).
func readCookieMembers(f *search.Finder, rule, i int) {
	s := f.Text
	end := min(len(s), i+jarReach)
	i = lex.Skip(s, i, min(end, i+24), func(c byte) bool {
		return lex.IsName(c) || lex.IsSpace(c) || lex.IsQuote(c) || c == ':' || c == '=' || c == '('
	})
	if i >= end || s[i] != '{' && s[i] != '[' && s[i] != ',' {
		return
	}
	named := false
	for n := 0; n < 16 && i < end; n++ {
		i = lex.Skip(s, i, end, func(c byte) bool { return !lex.IsQuote(c) && c != '}' })
		if i >= end || s[i] == '}' {
			return
		}
		to := lex.Skip(s, i+1, min(len(s), i+lex.MaxValue), func(c byte) bool { return c != s[i] && c != '\n' && c != '\\' })
		text := s[i+1 : to]
		if named && lex.Skip(text, 0, len(text), lex.IsToken) == len(text) && isSession(text) {
			f.Add(rule, i+1, to)
			named = false
		} else if namesCookie(text) {
			named = true
		}
		i = to + 1
	}
}

// namesCookie reports whether a text is the name of a cookie with a session.
func namesCookie(text string) bool {
	return namesSession(text) && len(text) <= named.NameReach || lex.IsOneOf(text, "sid sess session")
}

// LookSession reads the value of a cookie that holds a session in most programs
// of a language, wherever it stands.
func LookSession(f *search.Finder, rule, start, end int) {
	s := f.Text
	at := lex.Skip(s, end, min(len(s), end+6), func(c byte) bool {
		return lex.IsSpace(c) || lex.IsQuote(c) || c == '=' || c == ':' || c == ',' || c == '\\' || c == '>'
	})
	to := lex.Skip(s, at, min(len(s), at+lex.MaxValue), func(c byte) bool {
		return lex.IsToken(c) && c != ';' && c != ',' && c != '\\' && c != '}' && c != ')' && c != '&'
	})
	if at > end && lex.OpensWord(s, start) && isSession(s[at:to]) {
		f.Add(rule, at, to)
	}
}
