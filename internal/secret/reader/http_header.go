package reader

import (
	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// LookHeader reads secrets in headers: Authorization: Bearer x, in whatever
// way a program spells that, and X-Api-Key: x behind curl's -H.
func LookHeader(f *search.Finder, rule, start, end int) {
	s := f.Text
	bearer, authorization := lex.HasPrefixFold(s[start:end], "bearer"), lex.HasPrefixFold(s[start:end], "authorization")
	if !behindHeaderFlag(f, start) {
		if !bearer && !authorization {
			return
		}
		rule = rules.Index("authorization-header")
	}
	if bearer {
		readBearer(f, rule, start, end)
		return
	}
	at := end
	if s[end-1] != ':' { // authorization, spelt as a name
		v, ok := f.ValueOf(start, end)
		if !ok || v.NameTo != end {
			return
		}
		at = v.From
	}
	readHeaderValue(f, rule, lex.Skip(s, at, min(len(s), at+8), lex.IsBlank), authorization)
}

// readBearer reads what follows the word.
func readBearer(f *search.Finder, rule, start, end int) {
	s := f.Text
	if !lex.OpensWord(s, start) || end >= len(s) {
		return
	}
	if lex.IsBlank(s[end]) {
		addCredential(f, rule, end+1, "bearer")
		return
	}
	at := lex.Skip(s, end, min(len(s), end+5), func(c byte) bool { return lex.IsBlank(c) || lex.IsQuote(c) || c == ',' })
	if at-end > 2 && lex.IsQuote(s[at-1]) { // ("Bearer", "x")
		addCredential(f, rule, at, "bearer")
	}
}

// readHeaderValue reads the value of a header, which may have a scheme before it.
func readHeaderValue(f *search.Finder, rule, i int, authorization bool) {
	s := f.Text
	to := lex.Skip(s, i, min(len(s), i+24), isScheme)
	if to < len(s) && lex.IsBlank(s[to]) {
		scheme := s[i:to]
		if lex.IsOneOf(scheme, "bearer basic token api-token apikey api-key key digest negotiate splunk genie-key ssws") {
			addCredential(f, rule, to+1, scheme)
			return
		}
		if to > i && authorization { // a scheme of some vendor
			if w, _ := wordAt(s, to+1); isMade(s[w.from:w.to]) {
				f.Add(rule, w.from, w.to)
				return
			}
		}
	}
	addCredential(f, rule, i, "")
}

// LookBasic reads Basic x wherever it stands: x proves itself by what it means.
func LookBasic(f *search.Finder, rule, start, end int) {
	s := f.Text
	at := lex.Skip(s, end, min(len(s), end+5), func(c byte) bool { return lex.IsBlank(c) || lex.IsQuote(c) || c == ',' })
	if at == end || !lex.OpensWord(s, start) {
		return
	}
	to := lex.Skip(s, at, min(len(s), at+maxCredential), lex.IsBase64)
	if to-at < 8 || !lex.HasDigit(s[at:to]) && s[to-1] != '=' {
		return
	}
	plain := string(decode.Decode64(make([]byte, 0, to-at), s[at:to]))
	colon := lex.Skip(plain, 0, len(plain), func(c byte) bool { return c != ':' })
	if decode.IsText([]byte(plain)) && colon > 0 && colon+4 < len(plain) && isUser(plain[:colon]) && !value.IsStandIn(plain[colon+1:]) && isTyped(plain[colon+1:]) {
		f.Add(rules.Index("authorization-header"), at, to)
	}
}

func isScheme(c byte) bool { return lex.IsLetter(c) || c == '-' }

// behindHeaderFlag reports whether the header that has a part of its name at i
// is an argument of -H or --header.
func behindHeaderFlag(f *search.Finder, i int) bool {
	s := f.Text
	i = lex.SkipBack(s, i, max(0, i-40), lex.IsName)
	if i == 0 || !lex.IsQuote(s[i-1]) {
		return false
	}
	for i--; i > 0 && (lex.IsBlank(s[i-1]) || s[i-1] == '=' || s[i-1] == '\\'); i-- {
	}
	return i >= 2 && s[i-2:i] == "-H" || i >= 8 && s[i-8:i] == "--header"
}

const maxCredential = 4096 // bytes

// addCredential notes the credential at i, if it is one.
func addCredential(f *search.Finder, rule, i int, scheme string) {
	s := f.Text
	i = lex.Skip(s, i, min(len(s), i+8), lex.IsBlank)
	to := lex.Skip(s, i, min(len(s), i+maxCredential+1), isCredential)
	for to > i && (s[to-1] == '.' || s[to-1] == ':' || s[to-1] == '!' || s[to-1] == ',') {
		to--
	}
	val := s[i:to]
	if len(val) < 8 || len(val) > maxCredential || value.IsFiller(val) {
		return
	}
	head := val[:min(len(val), lex.MaxValue)]
	n := value.CountsOf(head)
	if n.Uppers+n.Lowers == 0 || value.ReadsLikeWords(head) || value.Entropy(head) < 2.7 {
		return
	}
	if lex.IsOneOf(scheme, "basic") {
		if lex.Skip(val, 0, len(val), lex.IsBase64) < len(val) {
			return
		}
	} else if n.Digits == 0 && (len(val) < 20 || n.Uppers == 0 || n.Lowers == 0) {
		return
	}
	f.Add(rule, i, to)
}

func isCredential(c byte) bool {
	return lex.IsWord(c) || c == '=' || c == '~' || c == '@' || c == '.' || c == '+' || c == '/' || c == '-' || c == ':' || c == '%' || c == '!'
}
