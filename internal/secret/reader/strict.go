package reader

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// This file has the readers of the strict level, which accept almost every value; see secret.Redactor.

// FindStrictValue finds the value of a name that suggests a secret. Any value counts unless it is a
// stand-in or a similar non-value, or the name suggests only some kind of key and the value is not
// random.
func FindStrictValue(f *search.Finder, rule, start, end int) {
	if !lex.IsNameByte(f.Text[start]) {
		start++ // "assword
	}
	v, ok := f.NamedValue(start, end)
	if !ok || v.To-v.From < 2 || strings.IndexByte(f.Text[end:max(end, v.NameTo)], '.') >= 0 { // token.go:12
		return
	}
	level := named.JudgeName(f.Text[v.NameFrom:v.NameTo], start-v.NameFrom, end-v.NameFrom)
	if level == named.Mute {
		return
	}
	p := v.Place(level)
	if level == named.Weak {
		p |= value.OfKey
	}
	if lex.IsOneOf(lex.LastWord(f.Text[v.NameFrom:v.NameTo]), "tokens") {
		p |= value.OfCount
	}
	l := value.LookAt(f.Text[v.From:v.To])
	if continuesMarker(f.Text, v) || isSecretByRows(f, value.StrictRows, p, &l) {
		f.Add(rule, v.From, strictValueEnd(f, v))
	}
}

// continuesMarker reports whether v is a redaction marker, up to its bracket, and more of the value
// follows the bracket.
func continuesMarker(s string, v named.Value) bool {
	return strings.HasPrefix(s[v.From:v.To], "[REDACTED") && v.To+1 < len(s) && s[v.To] == ']' && lex.IsAlnum(s[v.To+1])
}

// strictValueEnd returns the offset where v ends at the strict level. A passphrase extends to the end
// of its line, a YAML block to its last line with the same indentation.
func strictValueEnd(f *search.Finder, v named.Value) int {
	s := f.Text
	inLine := func(c byte) bool { return !lex.IsLineEnd(c) }
	switch {
	case continuesMarker(s, v):
		return lex.Skip(s, v.To+1, len(s), lex.IsTokenByte)
	case v.Quote == '|' || v.Quote == '>':
		most := min(len(s), v.From+lex.LongReach)
		indent := v.From - lex.SkipBack(s, v.From, 0, inLine)
		to := lex.Skip(s, v.To, most, inLine)
		for to < most && lex.Skip(s, to+1, most, lex.IsBlank)-to-1 == indent {
			to = lex.Skip(s, to+1, most, inLine)
		}
		return to
	case v.Quote == 0 && lex.IsOneOf(lex.LastWord(s[v.NameFrom:v.NameTo]), "passphrase phrase"):
		return lex.Skip(s, v.To, min(len(s), v.To+lex.MaxValue), inLine)
	}
	return joinedValueEnd(f, f.WholeEnd(v))
}

// joinedValueEnd returns the offset where a value ends that continues after the quote at i, as in
// ab"cd"ef.
func joinedValueEnd(f *search.Finder, i int) int {
	s := f.Text
	for i+1 < len(s) && lex.IsQuote(s[i]) && lex.IsAlnum(s[i+1]) && i > 0 && (lex.IsAlnum(s[i-1]) || s[i-1] == '\\') {
		i = lex.Skip(s, i+1, len(s), lex.IsTokenByte)
	}
	return i
}

const minTokenBody = 12 // minimum bytes of a token after its prefix

// FindStrictToken finds any text with the prefix of a token, enough bytes and a digit, whatever form
// the vendor uses today.
func FindStrictToken(f *search.Finder, rule, start, end int) {
	s := f.Text
	if f.IsCovered(start) || start > 0 && lex.IsAlnum(s[start-1]) && !lex.OpensWord(s, start) {
		return
	}
	to := lex.Skip(s, end, min(len(s), end+lex.MaxValue), lex.IsURLBase64)
	if body := s[end:to]; len(body) >= minTokenBody && lex.HasDigit(body) && !value.ReadsLikeWords(body) {
		f.Add(rule, start, lex.Skip(s, to, len(s), lex.IsURLBase64))
	}
}

// FindStrictHeader finds the value of an authorization or cookie header, up to the end of its line or
// its closing quote, and the credential after Bearer or Basic.
func FindStrictHeader(f *search.Finder, rule, start, end int) {
	s := f.Text
	if end >= len(s) || !lex.OpensWord(s, start) {
		return
	}
	if lex.IsOneOf(s[start:end], "bearer basic") {
		addCredentialLike(f, rule, end)
		return
	}
	from := named.NameStart(s, start)
	at := lex.Skip(s, end, min(len(s), end+1), lex.IsQuote)
	if !lex.IsOneOf(s[from:end], "authorization proxy-authorization cookie set-cookie") || at >= len(s) || s[at] != ':' {
		return
	}
	quote := byte('\n')
	if from > 0 && at == end && lex.IsQuote(s[from-1]) {
		quote = s[from-1]
	}
	keyed := at > end // a JSON key: "Cookie": "x"
	at = lex.Skip(s, at+1, min(len(s), at+4), lex.IsBlank)
	if at < len(s) && lex.IsQuote(s[at]) {
		quote = s[at]
		at++
	} else if keyed {
		return
	}
	to := lex.Skip(s, at, min(len(s), at+lex.LongReach), func(c byte) bool { return c != quote && !lex.IsLineEnd(c) })
	l := value.LookAt(s[at+strings.LastIndexByte(s[at:to], ' ')+1 : to]) // after the scheme
	if len(l.Text) > 1 && isSecretByRows(f, value.StrictRows, 0, &l) {
		f.Add(rule, at, to)
	}
}

// addCredentialLike adds the text after the word Bearer or Basic, which ends at i, unless it looks
// like prose.
func addCredentialLike(f *search.Finder, rule, i int) {
	s := f.Text
	from := lex.Skip(s, i, min(len(s), i+4), lex.IsBlank)
	to := lex.Skip(s, from, min(len(s), from+maxCredential), isCredentialByte)
	if n := value.CountBytes(s[from:to]); from > i && to-from >= 8 && (n.Digits > 0 || n.Uppers > 1 && n.Lowers > 0 || to-from >= 24) {
		f.Add(rule, from, to)
	}
}

// FindStrictURLPassword finds the password in the URL whose scheme ends at end.
func FindStrictURLPassword(f *search.Finder, rule, _, end int) {
	s := f.Text
	to := lex.Skip(s, end, min(len(s), end+lex.MaxValue), func(c byte) bool {
		return c > ' ' && !lex.IsQuote(c) && c != '/' && c != '?' && c != '#' && c != '<' && c != '>'
	})
	at, colon := strings.LastIndexByte(s[end:to], '@'), strings.IndexByte(s[end:to], ':')
	if colon < 0 || at < colon+2 {
		return
	}
	l := value.LookAt(s[end+colon+1 : end+at])
	if len(l.Text) > 1 && isSecretByRows(f, value.StrictRows, 0, &l) {
		f.Add(rule, end+colon+1, end+at)
	}
}
