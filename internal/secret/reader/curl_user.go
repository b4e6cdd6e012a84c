package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// This file finds passwords of curl and wget, in commands and in code.

// FindCurlPassword finds the password after -u, --user or a similar flag of a curl or wget command.
func FindCurlPassword(f *search.Finder, rule, start, end int) {
	s := f.Text
	if !lex.OpensWord(s, start) || !lex.ClosesWord(s, end) {
		return
	}
	lines := 0
	for i := end; i < min(len(s), end+1024); i++ {
		switch {
		case s[i] == '\n':
			if lines++; lines > 5 {
				return
			}
		case s[i] == 'c' && lex.HasPrefixFold(s[i:], "curl ") && lex.IsSpace(s[i-1]):
			return // the next curl command starts
		case s[i] == '-' && lex.IsSpace(s[i-1]):
			if at, ok := userFlagValue(s, i); ok {
				addLoginPassword(f, rule, at)
				return
			}
		}
	}
}

// userFlagValue returns the offset of the value of the flag at i. It reports false if the flag is not
// -u, --user or a similar one.
func userFlagValue(s string, i int) (valueStart int, ok bool) {
	for _, flag := range [...]string{"--user", "-u", "--proxy-user", "-U", "--password", "--http-password"} {
		if n := i + len(flag); n < len(s) && s[i:n] == flag {
			if s[n] == '=' {
				return n + 1, true
			}
			at := lex.Skip(s, n, min(len(s), n+6), lex.IsBlank)
			return at, at > n || flag == "-u"
		}
	}
	return 0, false
}

// addLoginPassword adds the password of user:password at i. Either part, or the whole, may be quoted.
// If the password is empty, the user may be a key.
func addLoginPassword(f *search.Finder, rule, i int) {
	s := f.Text
	colon, to := scanLogin(s, i)
	if colon < 0 {
		return
	}
	user, from := trimQuotes(s, i, colon), colon+1
	for from < to && lex.IsQuote(s[from]) {
		from++
	}
	for to > from && (lex.IsQuote(s[to-1]) || s[to-1] == '\\') {
		to--
	}
	if to == from { // curl -u "token:"
		if len(user) >= 8 && value.LooksLikeKey(user) {
			f.Add(rule, colon-len(user), colon)
		}
		return
	}
	if isBraced(s[from:to]) {
		from, to = from+1, to-1
	}
	if val := s[from:to]; val != user && isLoginPassword(val) {
		f.Add(rule, from, to)
	}
}

// scanLogin returns the offset of the first colon in the word at i, or -1, and the offset where the
// word ends. Parts of the word may be quoted.
func scanLogin(s string, i int) (colon, end int) {
	colon = -1
	quote := byte(0)
	for most := min(len(s), i+2*maxLogin); i < most; i++ {
		switch c := s[i]; {
		case c == ':' && colon < 0:
			colon = i
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case lex.IsSpace(c) || c == ';' || c == '|' || c == '<' || c == '>':
			return colon, i
		}
	}
	return colon, i
}

// isBraced reports whether val is in braces, as in documentation where a reader filled in {password}
// but left the braces.
func isBraced(val string) bool {
	n := len(val)
	return n > 8 && val[0] == '{' && val[1] != '{' && val[n-1] == '}' && lex.HasDigit(val)
}

// isLoginPassword reports whether val, the text after a user name and a colon, is a password.
func isLoginPassword(val string) bool {
	return len(val) >= 3 && !value.IsTemplate(val) && !value.IsFiller(val) && !lex.IsSpace(val[0]) && !lex.IsOneOf(val, "password pass passwd pwd secret token test yyy xxx")
}

// trimQuotes returns the text from i to end without surrounding quotes.
func trimQuotes(s string, i, end int) string {
	for i < end && lex.IsQuote(s[i]) {
		i++
	}
	for end > i && lex.IsQuote(s[end-1]) {
		end--
	}
	return s[i:end]
}

// FindUserPassword finds the password of "joe:X" after an anchor such as CURLOPT_USERPWD.
func FindUserPassword(f *search.Finder, rule, start, end int) {
	s := f.Text
	from := lex.Skip(s, end, min(len(s), end+8), func(c byte) bool {
		return lex.IsBlank(c) || lex.IsQuote(c) || c == ',' || c == '=' || c == ':' || c == '>'
	})
	to := lex.Skip(s, from, min(len(s), from+maxLogin), lex.IsTokenByte)
	colon := lex.Skip(s, from, to, func(c byte) bool { return c != ':' })
	if from > end && lex.IsQuote(s[from-1]) && colon+1 < to && mayBeAccount(s[from:colon]) && value.IsChosenPassword(s[colon+1:to]) {
		f.Add(rule, colon+1, to)
	}
}
