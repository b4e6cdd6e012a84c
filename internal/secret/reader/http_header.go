package reader

import (
	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// FindHeaderCredential finds secrets in HTTP headers: Authorization: Bearer x in any notation, and
// other headers such as X-Api-Key: x if they follow curl's -H.
func FindHeaderCredential(f *search.Finder, rule, start, end int) {
	s := f.Text
	bearer, authorization := lex.HasPrefixFold(s[start:end], "bearer"), lex.HasPrefixFold(s[start:end], "authorization")
	if !followsHeaderFlag(f, start) {
		if !bearer && !authorization {
			return
		}
		rule = rules.IndexOf("authorization-header")
	}
	if bearer {
		addBearer(f, rule, start, end)
		return
	}
	at := end
	if s[end-1] != ':' { // authorization as the name of a value, not as a header
		v, ok := f.NamedValue(start, end)
		if !ok || v.NameTo != end {
			return
		}
		at = v.From
	}
	addHeaderCredential(f, rule, lex.Skip(s, at, min(len(s), at+8), lex.IsBlank), authorization)
}

// addBearer adds the credential after the word Bearer.
func addBearer(f *search.Finder, rule, start, end int) {
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

// addHeaderCredential adds the credential in the header value at i, after a scheme such as Bearer if
// there is one. The parameter authorization is set for the Authorization header, whose scheme may be
// unknown.
func addHeaderCredential(f *search.Finder, rule, i int, authorization bool) {
	s := f.Text
	to := lex.Skip(s, i, min(len(s), i+24), isSchemeByte)
	if to < len(s) && lex.IsBlank(s[to]) {
		scheme := s[i:to]
		if lex.IsOneOf(scheme, "bearer basic token api-token apikey api-key key digest negotiate splunk genie-key ssws") {
			addCredential(f, rule, to+1, scheme)
			return
		}
		if to > i && authorization { // a vendor's own scheme
			if w, _ := wordAt(s, to+1); isRandomKey(s[w.from:w.to]) {
				f.Add(rule, w.from, w.to)
				return
			}
		}
	}
	addCredential(f, rule, i, "")
}

// FindBasicCredential finds Basic x anywhere if x decodes to user:password.
func FindBasicCredential(f *search.Finder, rule, start, end int) {
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
	if decode.IsText([]byte(plain)) && colon > 0 && colon+4 < len(plain) && mayBeAccount(plain[:colon]) && !value.IsStandIn(plain[colon+1:]) && isTypedPassword(plain[colon+1:]) {
		f.Add(rules.IndexOf("authorization-header"), at, to)
	}
}

// isSchemeByte reports whether c may be part of an authorization scheme.
func isSchemeByte(c byte) bool { return lex.IsLetter(c) || c == '-' }

// followsHeaderFlag reports whether the header whose name contains i is an argument of -H or --header.
func followsHeaderFlag(f *search.Finder, i int) bool {
	s := f.Text
	i = lex.SkipBack(s, i, max(0, i-40), lex.IsNameByte)
	if i == 0 || !lex.IsQuote(s[i-1]) {
		return false
	}
	for i--; i > 0 && (lex.IsBlank(s[i-1]) || s[i-1] == '=' || s[i-1] == '\\'); i-- {
	}
	return i >= 2 && s[i-2:i] == "-H" || i >= 8 && s[i-8:i] == "--header"
}

const maxCredential = 4096 // maximum bytes of a credential

// addCredential adds the text at i if it looks like a credential of the given scheme, which may be
// empty.
func addCredential(f *search.Finder, rule, i int, scheme string) {
	s := f.Text
	i = lex.Skip(s, i, min(len(s), i+8), lex.IsBlank)
	to := lex.Skip(s, i, min(len(s), i+maxCredential+1), isCredentialByte)
	for to > i && (s[to-1] == '.' || s[to-1] == ':' || s[to-1] == '!' || s[to-1] == ',') {
		to--
	}
	val := s[i:to]
	if len(val) < 8 || len(val) > maxCredential || value.IsFiller(val) {
		return
	}
	head := val[:min(len(val), lex.MaxValue)]
	n := value.CountBytes(head)
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

// isCredentialByte reports whether c may be part of a credential.
func isCredentialByte(c byte) bool {
	return lex.IsWordByte(c) || c == '=' || c == '~' || c == '@' || c == '.' || c == '+' || c == '/' || c == '-' || c == ':' || c == '%' || c == '!'
}
