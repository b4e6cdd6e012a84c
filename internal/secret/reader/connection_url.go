package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// This file finds passwords in URLs: https://joe:X@host, joe:X@tcp(host), and Oracle's
// joe/X@host.

const maxLogin = 256 // maximum bytes of a user name or password that are read

// FindURLPassword finds the password of scheme://user:password@host, or a token in place of the user.
func FindURLPassword(f *search.Finder, rule, start, end int) {
	s := f.Text
	if start == 0 || !lex.IsAlnum(s[start-1]) {
		return
	}
	colon, at := findUserInfo(s, end)
	if at < 0 {
		return
	}
	from := colon + 1
	switch {
	case colon < 0: // a token instead of a user: https://token@host
		if from = end; !isURLToken(s[end:at]) {
			return
		}
	case colon > end && (from == at || lex.IsOneOf(s[from:at], "x-oauth-basic x")): // the user is a token
		if isURLToken(s[end:colon]) {
			f.Add(rule, end, colon)
		}
		return
	}
	if isURLPassword(s[from:at]) {
		f.Add(rule, from, at)
	}
}

// findUserInfo returns the offset of the @ that ends the user info of the URL whose scheme ends at i,
// and of the colon between user and password. Either is -1 if it is missing.
func findUserInfo(s string, i int) (colon, at int) {
	colon, at = -1, -1
	for end := min(len(s), i+2*maxLogin); i < end; i++ {
		switch c := s[i]; {
		case c == '@':
			at = i // a password may contain an @, so the last one before the host counts
		case c == ':' && colon < 0 && at < 0:
			colon = i
		case c == '/' || c == '?' || c == '#':
			if colon < 0 || at >= 0 || lex.Skip(s, colon+1, i, lex.IsDigit) == i || !atSignFollows(s, i) {
				return colon, at // the path starts here; a slash within a password would have an @ after it
			}
		case !isURLByte(c):
			return colon, at
		}
	}
	return colon, at
}

// isURLByte reports whether c may be part of a URL. It accepts bytes that should be escaped, because
// passwords in URLs often are not.
func isURLByte(c byte) bool {
	switch c {
	case '<', '>', '|', '\\':
		return false
	}
	return c < 0x80 && !lex.IsSpace(c) && !lex.IsQuote(c)
}

// isURLToken reports whether user, the user of a URL, is a token.
func isURLToken(user string) bool { return len(user) >= 16 && value.LooksLikeKey(user) }

// isURLPassword reports whether val, the password of a URL, is real and not a stand-in.
func isURLPassword(val string) bool {
	return len(val) >= 4 && !value.IsTemplate(val) && !value.IsFiller(val) &&
		!lex.IsOneOf(val, "password pass passwd pwd secret token user username postgres root admin test guest mysql redis rabbitmq mongo "+
			"changeme example x-oauth-basic x-access-token oauth2 foo bar baz secretpassword mypassword yourpassword your-password your_password xxx yyy")
}

// atSignFollows reports whether an @ follows i before the URL ends. If so, the byte at i is part of a
// password that was not escaped.
func atSignFollows(s string, i int) bool {
	for k := i + 1; k < min(len(s), i+32); k++ {
		switch c := s[k]; {
		case c == '@':
			return true
		case !lex.IsWordByte(c) && c != '/' && c != '+' && c != '=' && c != '!' && c != '#' && c != '$' && c != '%' && c != '&' && c != '*':
			return false
		}
	}
	return false
}

// FindDSNPassword finds the password of joe:X@tcp(host); the anchor starts at the @.
func FindDSNPassword(f *search.Finder, rule, start, end int) {
	s := f.Text
	from := lex.SkipBack(s, start, max(0, start-maxLogin), func(c byte) bool { return lex.IsTokenByte(c) })
	colon := lex.Skip(s, from, start, func(c byte) bool { return c != ':' })
	if colon+1 >= start || start-colon < 5 || !mayBeAccount(s[from:colon]) {
		return
	}
	if val := s[colon+1 : start]; !value.IsTemplate(val) && !value.IsStandIn(val) && val[0] != ':' && val[0] != '/' {
		f.Add(rule, colon+1, start)
	}
}

// FindOraclePassword finds the password of jdbc:oracle:thin:user/X@host.
func FindOraclePassword(f *search.Finder, rule, start, end int) {
	s := f.Text
	to := lex.Skip(s, end, min(len(s), end+2*maxLogin), lex.IsTokenByte)
	addOraclePassword(f, rule, end, to)
}

// addOraclePassword adds the password of user/password@host, which extends from i to end.
func addOraclePassword(f *search.Finder, rule, i, end int) {
	s := f.Text
	slash := lex.Skip(s, i, end, lex.IsNameByte)
	if slash == i || slash >= end || s[slash] != '/' {
		return
	}
	to := end
	for k := slash + 1; k < end; k++ {
		if s[k] == '@' {
			to = k
		}
	}
	if from, to := trimQuoteSpan(s, slash+1, to); to < end || value.IsStatedPassword(s[from:to], true) {
		addTypedPassword(f, rule, from, to)
	}
}
