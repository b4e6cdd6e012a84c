package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// This file finds random keys near their names without an operator between them:
// #define API_KEY "X", the token for staging is X, SET value='X' WHERE name='api_key'.

// isRandomKey reports whether val looks generated: a UUID, a hexadecimal number, or letters and digits
// that are not words.
func isRandomKey(val string) bool {
	l := value.LookAt(val)
	return l.Is(value.AsMade)
}

// findKeyNear finds a random key near the name of v, which suggests one. The parameter valued is set
// if an operator follows the name, in which case the value may be a list.
func findKeyNear(f *search.Finder, rule int, v named.Value, level named.Strength, valued bool) {
	s := f.Text
	name := s[v.NameFrom:v.NameTo]
	if !lex.IsAlnum(s[v.NameTo-1]) || !lex.IsLastWord(name, v.AnchorTo-v.NameFrom) || level == named.Weak && !namesQualifiedKey(f, v) {
		return
	}
	at := lex.Skip(s, v.NameTo, min(len(s), v.NameTo+4), func(c byte) bool { return named.IsCloser(c) || c == '}' || c == ')' })
	if at < len(s) && valued {
		addListedKeys(f, rule, at)
	} else if at < len(s) && (lex.IsBlank(s[at]) || s[at] == ',' && at+1 < len(s) && s[at+1] == ' ') {
		addKeyAfter(f, rule, at)
	}
	if v.NameFrom > 0 {
		addKeyBefore(f, rule, v.NameFrom)
	}
}

// namesQualifiedKey reports whether the name of v ends in key and is qualified by another word that
// may make it a secret key: INFURA_KEY, the Infura key.
func namesQualifiedKey(f *search.Finder, v named.Value) bool {
	s := f.Text
	name := s[v.NameFrom:v.NameTo]
	if name == "API" { // Clé API
		return true
	}
	if !lex.IsOneOf(lex.LastWord(name), "key") {
		return false
	}
	if len(name) > len("key") || v.NameFrom > 0 && (s[v.NameFrom-1] == '?' || s[v.NameFrom-1] == '&') {
		return true
	}
	i := lex.SkipBack(s, v.NameFrom, max(0, v.NameFrom-2), lex.IsBlank)
	word := s[lex.SkipBack(s, i, max(0, i-24), lex.IsNameByte):i]
	return len(word) > 2 && i < v.NameFrom && !lex.IsOneOf(word, "the this that your our and for with from new old same one each any every public primary foreign partition sort cache index object row hash map lookup host "+
		"unique dedupe idempotency routing message event config storage translation shard trace request commit build range composite natural surrogate bucket session short")
}

// addKeyAfter adds the key directly after the space at i, or the one that the rest of the sentence
// states. After a comma the key must be stated. It reports whether it added one.
func addKeyAfter(f *search.Finder, rule, i int) bool {
	s := f.Text
	given := s[i] != ','
	if !given {
		i++
	}
	for end := min(len(s), i+SentenceReach); i < end; {
		i = lex.Skip(s, i, end, lex.IsBlank)
		if i >= end || lex.IsSpace(s[i]) {
			return false
		}
		w, to := wordAt(s, i)
		word := trimKey(s[w.from:w.to])
		switch {
		case given && isRandomKey(word):
			f.Add(rule, w.from, w.from+len(word))
			return true
		case lex.NamesDigest(word) || looksLikeCode(s[i:to]): // the key's fingerprint, not the key
			return false
		case introducesValue(word) || s[to-1] == ':' || s[to-1] == '?':
			given = true
		case given && lex.IsOneOf(word, "now currently still just the following set changed reset updated to be jetzt ahora maintenant"):
		case s[to-1] == '.' || s[to-1] == ';' || s[to-1] == '!':
			return false
		default:
			given = false
		}
		i = to
	}
	return false
}

// trimKey returns word up to the first character that keys do not contain, or word itself if it starts
// with one.
func trimKey(word string) string {
	if k := lex.Skip(word, 0, len(word), func(c byte) bool { return !lex.IsQuote(c) && c != '\\' && c != '}' && c != ',' && c != ';' }); k > 0 {
		return word[:k]
	}
	return word
}

// lineOrStringStart returns the offset where the line that contains i starts, or the JSON string that
// contains i. It goes back at most reach bytes.
func lineOrStringStart(s string, i, reach int) int {
	least := max(0, i-reach)
	for k := i; k > least; k-- {
		if s[k-1] == '\n' || k > least+3 && s[k-1] == '"' && (s[k-2] == ':' || s[k-2] == ' ' && s[k-3] == ':') && !lex.IsQuote(s[k]) {
			return k
		}
	}
	return least
}

// isAtPrompt reports whether the line that contains i starts with a prompt of a shell or interpreter.
func isAtPrompt(f *search.Finder, i int) bool {
	s := f.Text
	from := lineOrStringStart(s, i, callReach)
	sign := lex.Skip(s, from, min(i, from+48), func(c byte) bool { return c != '$' && c != '#' && c != '%' && c != '>' && c != ')' })
	switch {
	case lex.HasPrefixFold(s[from:i], "in ["):
		sign = lex.Skip(s, from, i, func(c byte) bool { return c != ':' })
	case sign < i && s[sign] == ')' && s[from] != '(':
		return false
	}
	if sign+1 >= i {
		return false
	}
	to := lex.Skip(s, sign, i, func(c byte) bool { return c == '>' || c == s[sign] })
	return s[to] == ' ' && (to-from < 8 || lex.Skip(s, from, to, func(c byte) bool { return c != ' ' }) == to || s[from] == '[')
}

// findValueBefore returns the span of the string literal that is named value, data or similar on the
// same line before the quoted name at i. It reports false if there is none.
func findValueBefore(s string, i int) (from, to int, ok bool) {
	i = lex.SkipBack(s, i, max(0, i-named.NameReach), func(c byte) bool { return lex.IsNameByte(c) || c == '/' || c == ':' })
	if i == 0 || !lex.IsQuote(s[i-1]) {
		return 0, 0, false
	}
	least := lex.SkipBack(s, i, max(0, i-callReach/2), func(c byte) bool { return c != '\n' })
	for k := i - 1; k > least; k-- {
		if s[k] == '}' || s[k] == ';' {
			return 0, 0, false
		}
		if c := s[k] | 0x20; c != 'v' && c != 'd' && c != 's' || k > 0 && lex.IsLetter(s[k-1]) {
			continue
		}
		n := lex.PrefixLen(s[k:i], "value data secretstring setting_value config_value")
		if n == 0 || lex.IsWordByte(s[k+n]) {
			continue
		}
		at := lex.Skip(s, k+n, min(i, k+n+8), func(c byte) bool { return named.IsCloser(c) || lex.IsBlank(c) || c == '=' || c == ':' })
		q := s[at-1]
		if !lex.IsQuote(q) || s[at-2] == ',' {
			return 0, 0, false
		}
		to := lex.Skip(s, at, i, func(c byte) bool { return c != q })
		return at, to, to < i-1
	}
	return 0, 0, false
}

// addKeyBefore adds the random key that precedes its own name at i, as in SET value='X' WHERE
// name='api_key'.
func addKeyBefore(f *search.Finder, rule, i int) {
	if from, to, ok := findValueBefore(f.Text, i); ok && isRandomKey(f.Text[from:to]) {
		f.Add(rule, from, to)
	}
}

// addListedKeys adds the random keys of the list or object after the operator at i: apiKey: { mainnet:
// "X" }, TOKENS = ["X", "Y"].
func addListedKeys(f *search.Finder, rule, i int) {
	s := f.Text
	i = lex.Skip(s, i, min(len(s), i+4), func(c byte) bool { return lex.IsBlank(c) || c == ':' || c == '=' })
	if i >= len(s) || s[i] != '{' && s[i] != '[' || s[i-1] == s[i] {
		return
	}
	end := min(len(s), i+callReach)
	for n := 0; n < 8 && i < end; n++ {
		i = lex.Skip(s, i, end, func(c byte) bool { return !lex.IsQuote(c) && c != '}' && c != ']' })
		if i >= end || !lex.IsQuote(s[i]) {
			return
		}
		to := lex.Skip(s, i+1, end, func(c byte) bool { return c != s[i] && c != '\n' })
		if to < end && to-i > 20 && isRandomKey(s[i+1:to]) {
			f.Add(rule, i+1, to)
		}
		i = to + 1
	}
}
