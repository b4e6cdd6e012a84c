package reader

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// This file finds passwords in the login files .netrc and .pgpass.

// FindNetrcPassword finds the password P of a .netrc entry: machine H login L password P.
func FindNetrcPassword(f *search.Finder, rule, start, end int) {
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
			if val := s[at:to]; len(val) >= 4 && !value.IsTemplate(val) && !value.IsFiller(val) && !lex.IsOneOf(val, "password secret token string") {
				f.Add(rule, at, to)
			}
			return
		case word == "" || lex.IsOneOf(word, "machine default"):
			return
		}
	}
}

// FindPgpassPassword finds the password of a .pgpass line: host:port:database:user:password.
func FindPgpassPassword(f *search.Finder, rule, start, end int) {
	s := f.Text
	from := lex.SkipBack(s, start, max(0, start-maxLogin), isHostByte)
	if from == start || from > 0 && !lex.IsSpace(s[from-1]) && !lex.IsQuote(s[from-1]) {
		return
	}
	at := end
	for range 2 { // database and user
		to := lex.Skip(s, at, min(len(s), at+64), func(c byte) bool { return lex.IsNameByte(c) || c == '*' })
		if to == at || to >= len(s) || s[to] != ':' {
			return
		}
		at = to + 1
	}
	to := lex.Skip(s, at, min(len(s), at+maxLogin), func(c byte) bool { return !lex.IsSpace(c) && !lex.IsQuote(c) && c != '\\' })
	if val := s[at:to]; len(val) >= 3 && !strings.Contains(val, ":") && !value.IsTemplate(val) && !value.IsFiller(val) && !lex.IsOneOf(val, "password secret pass") {
		f.Add(rule, at, to)
	}
}

func isHostByte(c byte) bool { return lex.IsAlnum(c) || c == '-' || c == '.' || c == '*' || c == '_' }
