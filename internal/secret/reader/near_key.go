package reader

import (
	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// Keys that a program made and that stand near their names in other ways than
// behind an operator: #define API_KEY "X", the token for staging is X, $ echo
// $API_KEY and X in the next line, SET value='X' WHERE name='api_key'.

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
	if at := lex.Skip(s, v.NameTo, min(len(s), v.NameTo+4), func(c byte) bool { return named.IsCloser(c) || c == '}' || c == ')' }); at < len(s) {
		if valued {
			madeInList(f, rule, at)
		} else {
			madeBehind(f, rule, v, at)
		}
		if lex.IsOneOf(name, "clave secret") && lex.IsBlank(s[v.NameTo]) && (!valued || name[0]|0x20 == 'c') {
			wordsAfter(f, rule, v.NameTo)
		}
	}
	if v.NameFrom > 0 {
		madeBefore(f, rule, v.NameFrom)
		addRemarked(f, rule, v.NameFrom)
		madeAs(f, rule, v.NameFrom)
	}
}

// madeBehind looks for a key behind the name at v, which ends at i with its quotes
// and brackets.
func madeBehind(f *search.Finder, rule int, v named.Value, i int) {
	s := f.Text
	switch {
	case s[i] == ',' && v.NameFrom > 0 && s[v.NameFrom-1] == '(' && madeArgument(f, rule, i):
	case madeInValues(f, rule, i):
	case lex.IsBlank(s[i]) || s[i] == ',' && i+1 < len(s) && s[i+1] == ' ':
		if !madeAfter(f, rule, i) && isPrompted(f, v.NameFrom) {
			madeBelow(f, rule, i)
		}
	case s[i] == ':' && endsLine(s, i+1), endsLine(s, i) && (isPrompted(f, v.NameFrom) || isHeading(s, v.NameFrom)):
		madeBelow(f, rule, i)
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
	if len(name) > len("key") || v.NameFrom > 0 && (s[v.NameFrom-1] == '?' || s[v.NameFrom-1] == '&') || isKeyColumn(s, v) {
		return true
	}
	i := lex.Back(s, v.NameFrom, max(0, v.NameFrom-2), lex.IsBlank)
	word := s[lex.Back(s, i, max(0, i-24), lex.IsName):i]
	return len(word) > 2 && i < v.NameFrom && !lex.IsOneOf(word, "the this that your our and for with from new old same one each any every public primary foreign partition sort cache index object row hash map lookup host "+
		"unique dedupe idempotency routing message event config storage translation shard trace request commit build range composite natural surrogate bucket session short")
}

// isKeyColumn reports whether the name at v is a column of a table of keys.
func isKeyColumn(s string, v named.Value) bool {
	line := s[lineFrom(s, v.NameFrom, named.NameReach):v.NameFrom]
	return v.NameTo < len(s) && (s[v.NameTo] == ')' || s[v.NameTo] == ',') && lex.ContainsFold(line, "insert into") && lex.ContainsAny(line, "key token secret credential")
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

// wordsAfter notes what a sentence says the secret is that somebody made up.
func wordsAfter(f *search.Finder, rule, i int) {
	n := len(f.Found)
	if addSaidAfter(f, rule, i) && !value.IsMadeUp(f.Text[f.Found[n].Start:f.Found[n].End]) {
		f.Found = f.Found[:n]
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

// madeArgument notes the key in quotes behind the comma at i: define(TOKEN, "X").
func madeArgument(f *search.Finder, rule, i int) bool {
	s := f.Text
	i = lex.Skip(s, i+1, min(len(s), i+4), lex.IsBlank)
	if i >= len(s) || !lex.IsQuote(s[i]) {
		return false
	}
	to := lex.Skip(s, i+1, min(len(s), i+lex.MaxValue), func(c byte) bool { return c != s[i] && c != '\n' })
	if to >= len(s) || s[to] != s[i] || !isMade(s[i+1:to]) {
		return false
	}
	f.Add(rule, i+1, to)
	return true
}

// madeInValues notes the keys among the values of a statement of SQL that has the
// name of a column before i.
func madeInValues(f *search.Finder, rule, i int) bool {
	s := f.Text
	if s[i] != ',' && s[i] != ')' && (i == 0 || s[i-1] != ')') {
		return false
	}
	end := min(len(s), i+named.NameReach)
	for k := i; k < end && s[k] != ';'; k++ {
		if s[k]|0x20 != 'v' || !lex.HasFold(s[k:], "values") {
			continue
		}
		open := lex.Skip(s, k+len("values"), min(len(s), k+12), lex.IsSpace)
		if open >= len(s) || s[open] != '(' {
			return false
		}
		list, n := arguments(s, open)
		for _, a := range list[:n] {
			if a.quoted && a.to-a.from >= 20 && isMade(s[a.from:a.to]) {
				f.Add(rule, a.from, a.to)
			}
		}
		return true
	}
	return false
}

// madeAs notes X in use X as the token, with the name at i.
func madeAs(f *search.Finder, rule, i int) {
	s := f.Text
	least := max(0, i-40)
	for k := i - 1; k > least+3 && (lex.IsName(s[k]) || s[k] == ' '); k-- {
		if s[k] != ' ' || s[k-3:k] != " as" {
			continue
		}
		end := k - 3
		w, _ := wordAt(s, lex.Back(s, end, max(0, end-lex.MaxValue), func(c byte) bool { return !lex.IsSpace(c) }))
		if w.to <= end && isMade(s[w.from:w.to]) {
			f.Add(rule, w.from, w.to)
		}
		return
	}
}

// addRemarked notes the last quoted text of the line if it was made, and the remark
// behind it has the name at i: New("X") // API key.
func addRemarked(f *search.Finder, rule, i int) {
	s := f.Text
	from := lex.Back(s, i, max(0, i-32), func(c byte) bool { return lex.IsName(c) && c != '-' || c == ' ' })
	if from < 4 || s[from-1] != '/' && s[from-1] != '#' && s[from-1] != '-' {
		return
	}
	at := lex.Back(s, from, max(0, from-12), func(c byte) bool { return !lex.IsQuote(c) && c != '\n' })
	if at < 2 || !lex.IsQuote(s[at-1]) {
		return
	}
	open := lex.Back(s, at-1, max(0, at-lex.MaxValue), func(c byte) bool { return c != s[at-1] && c != '\n' })
	if open > 0 && s[open-1] == s[at-1] && isMade(s[open:at-1]) {
		f.Add(rule, open, at-1)
	}
}

// madeBelow notes a key that fills the line below i.
func madeBelow(f *search.Finder, rule, i int) {
	s := f.Text
	end := lex.Skip(s, i, min(len(s), i+SaidReach), func(c byte) bool { return c != '\n' })
	if end >= len(s) || s[end] != '\n' {
		return
	}
	w, next := wordAt(s, lex.Skip(s, end, min(len(s), end+8), func(c byte) bool { return lex.IsSpace(c) || c == '`' }))
	if endsLine(s, next) && isMade(s[w.from:w.to]) {
		f.Add(rule, w.from, w.to)
	}
}

// isHeading reports whether the line up to i starts as one of Markdown or of a
// list.
func isHeading(s string, i int) bool {
	from := lineFrom(s, i, named.NameReach)
	return s[from] == '#' || s[from] == '*' || s[from] == '-'
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
	case lex.HasFold(s[from:i], "in ["):
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
	i = lex.Back(s, i, max(0, i-named.NameReach), func(c byte) bool { return lex.IsName(c) || c == '/' || c == ':' })
	if i == 0 || !lex.IsQuote(s[i-1]) {
		return 0, 0, false
	}
	least := lex.Back(s, i, max(0, i-callReach/2), func(c byte) bool { return c != '\n' })
	for k := i - 1; k > least; k-- {
		if s[k] == '}' || s[k] == ';' {
			return 0, 0, false
		}
		if c := s[k] | 0x20; c != 'v' && c != 'd' && c != 's' || k > 0 && lex.IsLetter(s[k-1]) {
			continue
		}
		n := lex.PartLen(s[k:i], "value data secretstring setting_value config_value")
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

// chosenBefore is madeBefore for a password, as it is or in base64.
func chosenBefore(f *search.Finder, rule, i int) bool {
	from, to, ok := givenBefore(f.Text, i)
	if !ok || to-from < 5 {
		return false
	}
	val := f.Text[from:to]
	if value.IsBase64Text(val) && len(val)%4 == 0 {
		if plain := decode.Decode64(make([]byte, 0, len(val)), val); decode.IsText(plain) && len(plain) > 4 {
			val = string(plain)
		}
	}
	if !value.IsChosen(val) {
		return false
	}
	f.Add(rule, from, to)
	return true
}

// madeBefore notes the key that is called value before its own name.
func madeBefore(f *search.Finder, rule, i int) {
	if from, to, ok := givenBefore(f.Text, i); ok && isMade(f.Text[from:to]) {
		f.Add(rule, from, to)
	}
}
