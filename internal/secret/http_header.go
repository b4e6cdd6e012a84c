package secret

import (
	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// lookHeader reads secrets in headers: Authorization: Bearer x, in whatever
// way a program spells that, and X-Api-Key: x behind curl's -H.
func (f *finder) lookHeader(rule, start, end int) {
	s := f.text
	bearer, authorization := lex.HasFold(s[start:end], "bearer"), lex.HasFold(s[start:end], "authorization")
	if !f.behindHeaderFlag(start) {
		if !bearer && !authorization {
			return
		}
		rule = ruleOf("authorization-header")
	}
	if bearer {
		f.bearer(rule, start, end)
		return
	}
	at := end
	if s[end-1] != ':' { // authorization, spelt as a name
		v, ok := f.valueOf(start, end)
		if !ok || v.NameTo != end {
			return
		}
		at = v.From
	}
	f.headerValue(rule, lex.Skip(s, at, min(len(s), at+8), lex.IsBlank), authorization)
}

// bearer reads what follows the word.
func (f *finder) bearer(rule, start, end int) {
	s := f.text
	if !lex.OpensWord(s, start) || end >= len(s) {
		return
	}
	if lex.IsBlank(s[end]) {
		f.addCredential(rule, end+1, "bearer")
		return
	}
	at := lex.Skip(s, end, min(len(s), end+5), func(c byte) bool { return lex.IsBlank(c) || lex.IsQuote(c) || c == ',' })
	if at-end > 2 && lex.IsQuote(s[at-1]) { // ("Bearer", "x")
		f.addCredential(rule, at, "bearer")
	}
}

// headerValue reads the value of a header, which may have a scheme before it.
func (f *finder) headerValue(rule, i int, authorization bool) {
	s := f.text
	to := lex.Skip(s, i, min(len(s), i+24), isScheme)
	if to < len(s) && lex.IsBlank(s[to]) {
		scheme := s[i:to]
		if lex.IsOneOf(scheme, "bearer basic token api-token apikey api-key key digest negotiate splunk genie-key ssws") {
			f.addCredential(rule, to+1, scheme)
			return
		}
		if to > i && authorization { // a scheme of some vendor
			if w, _ := wordAt(s, to+1); isMade(s[w.from:w.to]) {
				f.add(rule, w.from, w.to)
				return
			}
		}
	}
	f.addCredential(rule, i, "")
}

// lookBasic reads Basic x wherever it stands: x proves itself by what it means.
func (f *finder) lookBasic(rule, start, end int) {
	s := f.text
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
		f.add(ruleOf("authorization-header"), at, to)
	}
}

func isScheme(c byte) bool { return lex.IsLetter(c) || c == '-' }

// behindHeaderFlag reports whether the header that has a part of its name at i
// is an argument of -H or --header.
func (f *finder) behindHeaderFlag(i int) bool {
	s := f.text
	i = lex.Back(s, i, max(0, i-40), lex.IsName)
	if i == 0 || !lex.IsQuote(s[i-1]) {
		return false
	}
	for i--; i > 0 && (lex.IsBlank(s[i-1]) || s[i-1] == '=' || s[i-1] == '\\'); i-- {
	}
	return i >= 2 && s[i-2:i] == "-H" || i >= 8 && s[i-8:i] == "--header"
}

const maxCredential = 4096 // bytes

// addCredential notes the credential at i, if it is one.
func (f *finder) addCredential(rule, i int, scheme string) {
	s := f.text
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
	f.add(rule, i, to)
}

func isCredential(c byte) bool {
	return lex.IsWord(c) || c == '=' || c == '~' || c == '@' || c == '.' || c == '+' || c == '/' || c == '-' || c == ':' || c == '%' || c == '!'
}
