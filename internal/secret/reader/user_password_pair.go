package reader

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// addAWSSecretAfter adds the unnamed secret key directly after the AWS key id that ends at at: in the
// next argument, column or line.
func addAWSSecretAfter(f *search.Finder, at int) {
	s := f.Text
	from := lex.Skip(s, at, min(len(s), at+8), isElementSeparator)
	to := lex.Skip(s, from, min(len(s), from+41), func(c byte) bool { return lex.IsAlnum(c) || c == '+' || c == '/' })
	if from == at || to-from != 40 || to < len(s) && (s[to] == '=' || lex.IsWordByte(s[to]) || s[to] == '-') {
		return
	}
	n := value.CountBytes(s[from:to])
	if n.Digits > 0 && n.Uppers > 0 && n.Lowers > 0 && value.Entropy(s[from:to]) >= 4 && !value.ReadsLikeWords(s[from:to]) {
		f.Add(rules.IndexOf("aws-secret-access-key"), from, to)
	}
}

// isElementSeparator reports whether c may be between two elements of a list, quoted or not.
func isElementSeparator(c byte) bool {
	return lex.IsSpace(c) || lex.IsQuote(c) || c == ',' || c == ';' || c == ':' || c == '|'
}

// FindPairPassword finds the password of a user and password pair after words such as creds or log in
// with.
func FindPairPassword(f *search.Finder, rule, start, end int) {
	s := f.Text
	if !lex.OpensWord(s, start) {
		return
	}
	end = lex.Skip(s, end, min(len(s), end+4), lex.IsLetter)
	if end >= len(s) || lex.IsWordByte(s[end]) || s[end] == '(' || s[end] == '.' {
		return
	}
	if s[start] == 'L' && s[end-1] == 'N' && s[end] == ' ' { // a1 LOGIN joe X
		if _, to := wordAt(s, end+1); to < len(s) && s[to] == ' ' && addLastWord(f, rule, to+1) {
			return
		}
	}
	if !lex.HasPrefixFold(s[end:], " /") {
		addPairPassword(f, rule, end, end+SentenceReach)
	}
}

// addPairPassword adds the password of the first pair user / password from i to end, on one line. It
// reports whether it did.
func addPairPassword(f *search.Finder, rule, i, end int) bool {
	s := f.Text
	end = min(len(s), end)
	user, parted := false, false
	for n := 0; n < 16; n++ {
		i = lex.Skip(s, i, end, lex.IsBlank)
		if i >= end || lex.IsSpace(s[i]) {
			return false
		}
		w, to := wordAt(s, i)
		word := s[w.from:w.to]
		if looksLikeCode(s[i:to]) {
			return false
		}
		switch {
		case parted && value.IsStatedPassword(word, true):
			f.Add(rule, w.from, w.to)
			return true
		case user && (lex.IsOneOf(word, "/ | : & + - pw pass password and und et y e") || word == ""):
			parted = true
		default:
			user = mayBeAccount(word)
			parted = user && s[to-1] == ',' && lex.Skip(word, 0, len(word), func(c byte) bool { return c != '@' }) < len(word)
		}
		i = max(to, i+1)
	}
	return false
}

// FindSlashPassword finds the password X of joe / X without an introducing word.
func FindSlashPassword(f *search.Finder, rule, start, end int) {
	s := f.Text
	from := lex.SkipBack(s, start, max(0, start-named.NameReach), func(c byte) bool { return lex.IsTokenByte(c) && c != ',' })
	user := s[from:start]
	w, to := wordAt(s, end)
	if w.to-w.from < 6 || !isLikelyAccount(user) || !closesSentence(s, w.to, to) || w.to < len(s) && s[w.to] == ';' {
		return
	}
	p := value.Place(0)
	if from > 1 && s[from-2] == ':' || lex.IsOneOf(user, "administrator admin root user test sa") {
		p |= value.UserNear
	}
	l := value.LookAt(s[w.from:w.to])
	if isSecretByRows(f, value.PartedRows, p, &l) {
		f.Add(rule, w.from, w.to)
	}
}

// isLikelyAccount is mayBeAccount for words that no context marks as an account name: they must be
// lower case, an address, or an administrator.
func isLikelyAccount(word string) bool {
	if !mayBeAccount(word) {
		return false
	}
	small := lex.Skip(word, 0, len(word), func(c byte) bool { return !lex.IsUpper(c) }) == len(word)
	return small || strings.Contains(word, "@") || lex.IsOneOf(word, "administrator admin root")
}

// mayBeAccount reports whether word may be the name of an account.
func mayBeAccount(word string) bool {
	return len(word) > 1 && len(word) <= 64 && lex.IsLetter(word[0]) &&
		lex.Skip(word, 0, len(word), func(c byte) bool { return lex.IsNameByte(c) || c == '@' || c == '\\' || c == '+' }) == len(word)
}
