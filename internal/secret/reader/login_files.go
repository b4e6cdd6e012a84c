package reader

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// User and password in files and settings of programs: .netrc, .pgpass, Postfix,
// HAProxy, Redis.

// LookNetrc reads machine H login L password P.
func LookNetrc(f *search.Finder, rule, start, end int) {
	s := f.Text
	if !lex.OpensWord(s, start) || end >= len(s) || !lex.IsSpace(s[end]) {
		return
	}
	at, seen := end, false
	for range 12 {
		at = lex.Skip(s, at, min(len(s), at+64), lex.IsSpace)
		to := lex.Skip(s, at, min(len(s), at+maxLogin), func(c byte) bool { return !lex.IsSpace(c) })
		word := s[at:to]
		at = to
		switch {
		case lex.IsOneOf(word, "login account"):
			seen = true
		case lex.IsOneOf(word, "password passwd") && seen:
			at = lex.Skip(s, at, min(len(s), at+8), lex.IsBlank)
			to = lex.Skip(s, at, min(len(s), at+maxLogin), func(c byte) bool { return !lex.IsSpace(c) && !lex.IsQuote(c) })
			if val := s[at:to]; len(val) >= 4 && !value.IsReferenceIn(val) && !value.IsFiller(val) && !lex.IsOneOf(val, "password secret token string") {
				f.Add(rule, at, to)
			}
			return
		case word == "" || lex.IsOneOf(word, "machine default"):
			return
		}
	}
}

// LookPgpass reads a line host:port:database:user:password, and one of Postfix,
// [host]:port user:password.
func LookPgpass(f *search.Finder, rule, start, end int) {
	s := f.Text
	if s[start] == ']' {
		readPostfixLogin(f, rule, end)
		return
	}
	from := lex.Back(s, start, max(0, start-maxLogin), isHostByte)
	if from == start || from > 0 && !lex.IsSpace(s[from-1]) && !lex.IsQuote(s[from-1]) {
		return
	}
	at := end
	for range 2 { // database and user
		to := lex.Skip(s, at, min(len(s), at+64), func(c byte) bool { return lex.IsName(c) || c == '*' })
		if to == at || to >= len(s) || s[to] != ':' {
			return
		}
		at = to + 1
	}
	to := lex.Skip(s, at, min(len(s), at+maxLogin), func(c byte) bool { return !lex.IsSpace(c) && !lex.IsQuote(c) && c != '\\' })
	if val := s[at:to]; len(val) >= 3 && !strings.Contains(val, ":") && !value.IsReferenceIn(val) && !value.IsFiller(val) && !lex.IsOneOf(val, "password secret pass") {
		f.Add(rule, at, to)
	}
}

// readPostfixLogin reads user:password behind the host that ends at i.
func readPostfixLogin(f *search.Finder, rule, i int) {
	s := f.Text
	w, to := wordAt(s, lex.Skip(s, i, min(len(s), i+8), lex.IsBlank))
	colon := lex.Skip(s, w.from, w.to, func(c byte) bool { return c != ':' })
	if colon > w.from && colon+1 < w.to && endsLine(s, to) && isUser(s[w.from:colon]) {
		addTyped(f, rule, colon+1, w.to)
	}
}

func isHostByte(c byte) bool { return lex.IsAlnum(c) || c == '-' || c == '.' || c == '*' || c == '_' }

// LookSetUser reads ACL SETUSER joe on >X.
func LookSetUser(f *search.Finder, rule, start, end int) {
	s := f.Text
	line := s[end:lex.Skip(s, end, min(len(s), end+maxCommand/2), func(c byte) bool { return c != '\n' })]
	for i := 1; i+6 < len(line); i++ {
		if line[i] == '>' && (lex.IsBlank(line[i-1]) || lex.IsQuote(line[i-1])) && !lex.IsBlank(line[i+1]) {
			from := end + i + 1
			addTyped(f, rule, from, lex.Skip(s, from, min(len(s), from+lex.MaxValue), lex.IsToken))
		}
	}
}

// LookUserSetting reads joe:X behind a word of a setting: stats auth joe:X.
func LookUserSetting(f *search.Finder, rule, start, end int) {
	if w, _ := wordAt(f.Text, lex.Skip(f.Text, end, min(len(f.Text), end+8), lex.IsBlank)); w.to > w.from {
		addTypedPair(f, rule, w.from, w.to)
	}
}

// addTypedPair notes the password of joe:X.
func addTypedPair(f *search.Finder, rule, from, to int) {
	s := f.Text
	colon := lex.Skip(s, from, to, func(c byte) bool { return c != ':' })
	if colon+1 < to && isUser(s[from:colon]) {
		addTyped(f, rule, colon+1, to)
	}
}
