package named

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
)

// This file reads names and values in notations other than "name operator value":
// ENV NAME x, | NAME | x |, NAME → x, <name>NAME</name> <value>x</value>.

// readDirective reads ENV NAME x and similar notations, in which the word before the name announces a
// value, and names that need no operator. It reports whether there is such a value.
func (v *Value) readDirective(s string, start int) bool {
	at := lex.Skip(s, v.NameTo, min(len(s), v.NameTo+2), lex.IsQuote)
	from := lex.Skip(s, at, min(len(s), at+8), lex.IsBlank)
	if from == at || from >= len(s) || !lex.IsTokenByte(s[from]) && !lex.IsQuote(s[from]) {
		return false
	}
	if s[from] == '-' {
		const body = "--body " // gh secret set NAME --body x
		if !lex.HasPrefixFold(s[from:], body) {
			return false
		}
		if from += len(body); from >= len(s) {
			return false
		}
	}
	v.NameFrom = NameStart(s, start)
	if s[at] == '\t' && !lex.IsQuote(s[from]) {
		v.Op, v.Tight = '\t', true
		v.From, v.To = from, v.ValueEnd(s, from)
		return v.To > v.From && (v.To == len(s) || lex.IsSpace(s[v.To]) && s[v.To] != ' ')
	}
	if !isDirectiveName(s[v.NameFrom:v.NameTo]) && !v.followsSetter(s, from) {
		return false
	}
	v.Op, v.Tight = ' ', true
	if lex.IsQuote(s[from]) {
		v.Quote = s[from]
		from++
	}
	v.From = from
	v.To = v.ValueEnd(s, from)
	return v.To > v.From
}

// followsSetter reports whether a word such as ENV or set precedes the name, or the name and the value
// at from are SQL: PASSWORD 'x'.
func (v *Value) followsSetter(s string, from int) bool {
	if s[from] == '\'' && lex.IsOneOf(s[v.NameFrom:v.NameTo], "password") {
		return true
	}
	at := lex.SkipBack(s, v.NameFrom, max(0, v.NameFrom-NameReach), func(c byte) bool { return lex.IsNameByte(c) || c == ':' }) // Api:Secret
	i := lex.SkipBack(s, at, max(0, at-4), func(c byte) bool { return lex.IsBlank(c) || lex.IsQuote(c) })
	return i < at && isSetter(s[lex.SkipBack(s, i, max(0, i-16), lex.IsNameByte):i])
}

// isDirectiveName reports whether name is a setting whose value follows without an operator, such as
// requirepass.
func isDirectiveName(name string) bool {
	return lex.IsOneOf(name, "requirepass masterauth wpa-psk auth_pass secretkeybase")
}

// isSetter reports whether word announces a name and its value, as ENV does.
func isSetter(word string) bool {
	switch word {
	case "ENV", "ARG", "setenv", "SetEnv", "setx", "set", "export", "-gx", "-x", "-Ux", "fastcgi_param", "config", "uwsgi_param", "passenv", "--global", "enable":
		return true
	}
	return false
}

// readCell reads a table row | NAME | x | whose second bar is at i, and returns the offset after that
// bar. It reports false if the text is not such a row.
func (v *Value) readCell(s string, start, i int) (end int, ok bool) {
	k := lex.SkipBack(s, start, max(0, start-NameReach), lex.IsNameByte)
	k = lex.SkipBack(s, k, max(0, k-32), func(c byte) bool { return lex.IsAlnum(c) || lex.IsMarkupByte(c) })
	first := k == 0 || s[k-1] == '\n'
	if !first && s[k-1] != '|' || first && !lex.ContainsAnyFold(s[v.NameFrom:v.NameTo], "passw pwd passphrase") {
		return 0, false
	}
	at := lex.Skip(s, i+1, min(len(s), i+40), lex.IsMarkupByte)
	to := lex.Skip(s, at, min(len(s), at+lex.MaxValue), lex.IsTokenByte)
	to = lex.Skip(s, to, min(len(s), to+40), lex.IsMarkupByte)
	v.Op = '\t'
	return i + 1, !first && to < len(s) && s[to] == '|' || at < to && (to == len(s) || s[to] == '\n')
}

// readRareOperator reads an arrow, a hyphen between spaces or a closing tag at i as the operator, and
// returns the offset where it ends. It reports false if there is none.
func (v *Value) readRareOperator(s string, i int) (end int, ok bool) {
	switch {
	case i > 0 && lex.IsBlank(s[i-1]) && (lex.HasPrefixFold(s[i:], "-> ") || lex.HasPrefixFold(s[i:], "- ") && i == v.NameTo+1 && i+2 < len(s) && s[i-1] == ' '):
		v.Op = ':'
		return i + len("-> "), true
	case lex.HasPrefixFold(s[i:], arrow):
		v.Op = ':'
		return i + len(arrow), true
	case i == v.NameTo && lex.HasPrefixFold(s[i:], "<- ") || lex.HasPrefixFold(s[i:], "<- \""):
		v.Op = '='
		return i + len("<- "), true
	case lex.HasPrefixFold(s[i:], "</"):
		return v.ReadSibling(s, i)
	}
	return 0, false
}

// ReadSibling reads <name>TOKEN</name> <value>x</value> from the closing tag at i, and returns the
// offset where x starts. It reports false if no such element follows.
func (v *Value) ReadSibling(s string, i int) (valueStart int, ok bool) {
	i = lex.Skip(s, i+2, min(len(s), i+NameReach), lex.IsNameByte)
	if i >= len(s) || s[i] != '>' {
		return 0, false
	}
	i = lex.Skip(s, i+1, min(len(s), i+NameReach), lex.IsSpace)
	to := lex.Skip(s, i+1, min(len(s), i+NameReach), lex.IsNameByte)
	if to >= len(s) || s[i] != '<' || s[to] != '>' || !lex.ContainsAnyFold(s[i+1:to], "value string") && !lex.IsOneOf(s[i+1:to], "td dd") {
		return 0, false
	}
	v.Op = '>'
	return to + 1, true
}

const arrow = "→"

// HasUserBefore reports whether a word such as user or login precedes i on its line.
func HasUserBefore(s string, i int) bool {
	line := s[max(0, i-64):i]
	for k := len(line) - 1; k >= 0; k-- {
		if line[k] == '\n' || line[k] == ']' {
			line = line[k+1:]
			break
		}
	}
	return lex.ContainsAnyFold(line, "user login admin email account")
}

// FollowsPassFlag reports whether the word before i is an option such as -passin.
func FollowsPassFlag(s string, i int) bool {
	if i == 0 || !lex.IsBlank(s[i-1]) {
		return false
	}
	from := lex.SkipBack(s, i-1, max(0, i-24), lex.IsNameByte)
	return s[from] == '-' && lex.ContainsFold(s[from:i], "pass")
}
