package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// This file finds passwords that a program reads from its standard input.

// FindPipedPassword finds the password of echo X | sudo -S, echo joe:X | chpasswd and kinit <<< X.
func FindPipedPassword(f *search.Finder, rule, start, end int) {
	s := f.Text
	if !lex.OpensWord(s, start) && s[start] != '-' || !lex.ClosesWord(s, end) {
		return
	}
	users := lex.HasPrefixFold(s[start:end], "chpasswd")
	if users && end < len(s) && s[end] == ':' {
		addChpasswdLines(f, rule, end)
		return
	}
	line := s[end:min(len(s), end+64)]
	if at := lex.Skip(line, 0, len(line), func(c byte) bool { return c != '\n' }); at < len(line) {
		line = line[:at]
	}
	if lex.HasPrefixFold(s[start:end], "sudo") && !lex.ContainsFold(line, "-s") {
		return
	}
	for i := 0; i+3 <= len(line); i++ {
		if line[i:i+3] == "<<<" {
			w := wordReader{s: s, at: end + i + 3, limit: min(len(s), end+i+3+lex.MaxValue)}
			if w.next() {
				from, to := w.valueSpan()
				addInputPassword(f, rule, from, to, users)
			}
			return
		}
	}
	if from, to, ok := findPipedWord(s, start); ok {
		addInputPassword(f, rule, from, to, users)
	}
}

// addChpasswdLines adds the passwords of the lines joe:X below a chpasswd: key of YAML that ends at i.
func addChpasswdLines(f *search.Finder, rule, i int) {
	s := f.Text
	end := min(len(s), i+lex.Window/2)
	for range 16 {
		i = lex.Skip(s, i, end, func(c byte) bool { return c != '\n' })
		i = lex.Skip(s, i, end, func(c byte) bool { return lex.IsSpace(c) || c == '-' || lex.IsQuote(c) })
		to := lex.Skip(s, i, end, lex.IsTokenByte)
		colon := lex.Skip(s, i, to, func(c byte) bool { return lex.IsNameByte(c) })
		if colon > i && colon+1 < to && s[colon] == ':' {
			addTypedPassword(f, rule, colon+1, to)
		} else if to == i || s[to-1] != ':' && s[to-1] != '|' {
			return
		}
	}
}

// addInputPassword adds the input from from to to as a password. If afterUser is set, the password
// follows a user name and a colon.
func addInputPassword(f *search.Finder, rule, from, to int, afterUser bool) {
	if afterUser {
		from = lex.Skip(f.Text, from, to, func(c byte) bool { return c != ':' }) + 1
	}
	for i := from; i+1 < to; i++ {
		if f.Text[i] == '\\' && f.Text[i+1] == 'n' {
			to = i
		}
	}
	if to > from && lex.Skip(f.Text, from, to, func(c byte) bool { return !lex.IsSpace(c) }) == to {
		addTypedPassword(f, rule, from, to)
	}
}

// findPipedWord returns the span of the last word that an echo or printf pipes into the command that
// contains i. It reports false if there is no such pipe.
func findPipedWord(s string, i int) (from, to int, ok bool) {
	least := max(0, i-maxCommand)
	for i > least && s[i-1] != '|' {
		if c := s[i-1]; !lex.IsNameByte(c) && !lex.IsBlank(c) && c != '/' {
			return 0, 0, false
		}
		i--
	}
	if i == least {
		return 0, 0, false
	}
	pipe := i - 1
	for i = pipe; i > least && s[i-1] != '\n' && s[i-1] != '|'; i-- {
		at := i - 1
		if s[at] != 'e' && s[at] != 'p' || !lex.OpensWord(s, at) {
			continue
		}
		if n := len("echo"); lex.HasPrefixFold(s[at:pipe], "echo ") {
			return lastWordSpan(s, at+n, pipe)
		}
		if n := len("printf"); lex.HasPrefixFold(s[at:pipe], "printf ") {
			return lastWordSpan(s, at+n, pipe)
		}
	}
	return 0, 0, false
}

// lastWordSpan returns the span of the last word of the command from i to end. It reports false if
// there is none.
func lastWordSpan(s string, i, end int) (from, to int, ok bool) {
	w := wordReader{s: s, at: i, limit: end}
	for w.next() {
		from, to = w.valueSpan()
		ok = true
	}
	return from, to, ok
}
