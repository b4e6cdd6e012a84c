package reader

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

const maxManifest = 1500 // maximum bytes of a manifest after its kind

// FindKubernetesSecret finds the data of a Kubernetes Secret, before or after its kind: line.
func FindKubernetesSecret(f *search.Finder, rule, start, end int) {
	s := f.Text
	at := lex.Skip(s, end, min(len(s), end+8), func(c byte) bool { return lex.IsBlank(c) || lex.IsQuote(c) })
	if !lex.OpensWord(s, start) || !lex.HasPrefixFold(s[at:min(len(s), at+7)], "secret") || !lex.ClosesWord(s, at+6) {
		return
	}
	from, to := max(0, start-lex.LookBack), min(len(s), end+maxManifest)
	if end+maxManifest+lex.LongReach > len(s) {
		f.SetPending(from)
	}
	for _, mark := range [...]string{"\n---", "kind:"} { // stay within this document
		if i := strings.LastIndex(s[from:start], mark); i >= 0 {
			from += i
		}
		if i := strings.Index(s[end:to], mark); i >= 0 {
			to = end + i
		}
	}
	part := s[from:to]
	for at := 0; ; {
		i := strings.Index(part[at:], "ata:")
		if i < 0 {
			return
		}
		at += i + len("ata:")
		addDataBlock(f, rule, from+at, to)
	}
}

// addDataBlock adds the values of the lines that are indented below the data: key that ends at i.
func addDataBlock(f *search.Finder, rule, i, end int) {
	s := f.Text
	indent := -1
	for i < end {
		nl := strings.IndexByte(s[i:end], '\n')
		if nl < 0 {
			return
		}
		i += nl + 1
		key := lex.Skip(s, i, end, lex.IsBlank)
		if key >= end || s[key] == '\n' || s[key] == '#' {
			continue
		}
		if indent < 0 {
			indent = key - i
		}
		if key-i < indent || indent == 0 {
			return
		}
		colon := lex.Skip(s, key, end, func(c byte) bool { return lex.IsNameByte(c) || lex.IsQuote(c) })
		if colon >= end || s[colon] != ':' {
			continue
		}
		addDataValue(f, rule, colon+1, end)
	}
}

// addDataValue adds the base64 value at i, which may be a YAML block that starts on the next line.
func addDataValue(f *search.Finder, rule, i, end int) {
	s := f.Text
	i = lex.Skip(s, i, end, lex.IsBlank)
	if i < end && (s[i] == '|' || s[i] == '>') {
		i = lex.Skip(s, i, end, func(c byte) bool { return lex.IsSpace(c) || c == '|' || c == '>' || c == '-' || c == '+' })
	}
	i = lex.Skip(s, i, end, lex.IsQuote)
	to := lex.Skip(s, i, min(len(s), i+lex.LongReach), lex.IsBase64)
	if to-i >= 10 && isValueEnd(s, to) && !value.IsFiller(s[i:to]) && (!value.EncodesStandIn(s[i:to]) || encodesLogin(s[i:to])) {
		f.Add(rule, i, to)
	}
}

// encodesLogin reports whether s is base64 of the name of an administrative account, a colon and a
// password. Such a login counts even if the password is weak.
func encodesLogin(s string) bool {
	var room [64]byte
	user, password, _ := strings.Cut(strings.TrimSpace(string(decode.Decode64(room[:0], s))), ":")
	return len(password) >= 5 && lex.IsOneOf(strings.ToLower(user), "admin administrator root postgres sa")
}
