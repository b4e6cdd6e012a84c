package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// Keys that a program made and that stand near their names in other ways than
// behind an operator: #define API_KEY "X", the token for staging is X, SET value='X'
// WHERE name='api_key'.

// isMade reports whether val was made by chance: a UUID, a hexadecimal number, or
// letters and digits that are no words.
func isMade(val string) bool {
	l := value.LookAt(val)
	return l.Is(value.AsMade)
}

// lookMade looks for a key near the name at v, which says that it is one.
func lookMade(f *search.Finder, rule int, v named.Value, level named.Strength, valued bool) {
	s := f.Text
	name := s[v.NameFrom:v.NameTo]
	if !lex.IsAlnum(s[v.NameTo-1]) || !lex.IsLastWord(name, v.AnchorTo-v.NameFrom) || level == named.Weak && !saysKey(f, v) {
		return
	}
	at := lex.Skip(s, v.NameTo, min(len(s), v.NameTo+4), func(c byte) bool { return named.IsCloser(c) || c == '}' || c == ')' })
	if at < len(s) && valued {
		madeInList(f, rule, at)
	} else if at < len(s) && (lex.IsBlank(s[at]) || s[at] == ',' && at+1 < len(s) && s[at+1] == ' ') {
		madeAfter(f, rule, at)
	}
	if v.NameFrom > 0 {
		madeBefore(f, rule, v.NameFrom)
	}
}

// saysKey reports whether a name that ends in key is that of one: INFURA_KEY, the
// Infura key.
func saysKey(f *search.Finder, v named.Value) bool {
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
	word := s[lex.SkipBack(s, i, max(0, i-24), lex.IsName):i]
	return len(word) > 2 && i < v.NameFrom && !lex.IsOneOf(word, "the this that your our and for with from new old same one each any every public primary foreign partition sort cache index object row hash map lookup host "+
		"unique dedupe idempotency routing message event config storage translation shard trace request commit build range composite natural surrogate bucket session short")
}

// madeAfter notes a key that comes next behind the blank at i, or that the rest of
// the sentence gives. Behind a comma it must be given.
func madeAfter(f *search.Finder, rule, i int) bool {
	s := f.Text
	given := s[i] != ','
	if !given {
		i++
	}
	for end := min(len(s), i+SaidReach); i < end; {
		i = lex.Skip(s, i, end, lex.IsBlank)
		if i >= end || lex.IsSpace(s[i]) {
			return false
		}
		w, to := wordAt(s, i)
		word := keyIn(s[w.from:w.to])
		switch {
		case given && isMade(word):
			f.Add(rule, w.from, w.from+len(word))
			return true
		case lex.NamesDigest(word) || isCode(s[i:to]): // the key's fingerprint, not the key
			return false
		case isGiving(word) || s[to-1] == ':' || s[to-1] == '?':
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

// keyIn returns a word up to a sign that no key has.
func keyIn(word string) string {
	if k := lex.Skip(word, 0, len(word), func(c byte) bool { return !lex.IsQuote(c) && c != '\\' && c != '}' && c != ',' && c != ';' }); k > 0 {
		return word[:k]
	}
	return word
}

// lineFrom returns where the line starts that i is in, or the text of JSON that
// is on it.
func lineFrom(s string, i, reach int) int {
	least := max(0, i-reach)
	for k := i; k > least; k-- {
		if s[k-1] == '\n' || k > least+3 && s[k-1] == '"' && (s[k-2] == ':' || s[k-2] == ' ' && s[k-3] == ':') && !lex.IsQuote(s[k]) {
			return k
		}
	}
	return least
}

// isPrompted reports whether the line that i is in was typed at a prompt.
func isPrompted(f *search.Finder, i int) bool {
	s := f.Text
	from := lineFrom(s, i, callReach)
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

// givenBefore returns the quoted text that is called value on the line before the
// quoted name at i.
func givenBefore(s string, i int) (from, to int, ok bool) {
	i = lex.SkipBack(s, i, max(0, i-named.NameReach), func(c byte) bool { return lex.IsName(c) || c == '/' || c == ':' })
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
		if n == 0 || lex.IsWord(s[k+n]) {
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

// madeBefore notes the key that is called value before its own name.
func madeBefore(f *search.Finder, rule, i int) {
	if from, to, ok := givenBefore(f.Text, i); ok && isMade(f.Text[from:to]) {
		f.Add(rule, from, to)
	}
}

// madeInList notes the keys of the list or object behind the operator at i:
// apiKey: { mainnet: "X" }, TOKENS = ["X", "Y"].
func madeInList(f *search.Finder, rule, i int) {
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
		if to < end && to-i > 20 && isMade(s[i+1:to]) {
			f.Add(rule, i+1, to)
		}
		i = to + 1
	}
}
