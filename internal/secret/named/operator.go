package named

import "github.com/checkrein/checkrein/internal/secret/lex"

// What stands between a name and its value.

// operator finds the operator behind the name that ends at i and returns where
// it ends.
func (v *Value) operator(s string, start, i int) (int, bool) {
	tail := lex.Skip(s, i, min(len(s), i+tailReach), isTail)
	i = closers(s, tail)
	if i >= len(s) {
		return 0, false
	}
	v.Op = s[i]
	next := byte(0)
	if i+1 < len(s) {
		next = s[i+1]
	}
	switch s[i] {
	case '=':
		return i + 1 + lex.OneIf(next == '>'), true
	case '>':
		return i + 1, next != '='
	case '|':
		if next != '|' && next != '=' {
			return v.cell(s, start, i)
		}
		return v.doubled(s, i)
	case '?', '+', ':':
		return v.doubled(s, i)
	case ',':
		return v.comma(s, tail, i)
	case '(':
		return i + 1, tail == i && opensQuoted(s, i+1)
	case '[', '{':
		return v.bracketed(s, i)
	case '%':
		return v.escapedOperator(s, i)
	case '-', '<', arrow[0]:
		return v.rareOperator(s, i)
	case lex.WideColon[0]:
		v.Op = ':'
		return i + len(lex.WideColon), lex.HasPrefixFold(s[i:], lex.WideColon)
	}
	if lex.IsLetter(s[i]) && i > v.NameTo {
		return v.attributes(s, i)
	}
	return 0, false
}

// doubled reads the operator at i that starts with a sign which may be written more
// than once: : := ::= ?= ??= += || ||=.
func (v *Value) doubled(s string, i int) (int, bool) {
	k := i
	for k < len(s) && k-i < 3 && s[k] == s[i] {
		k++
	}
	if k < len(s) && s[k] == '=' {
		v.Op = '='
		return k + 1, true
	}
	switch s[i] {
	case ':':
		return k, k == i+1
	case '|', '?':
		return k, k == i+2
	}
	return k, false
}

// opensQuoted reports whether a quoted text stands at i, behind a bracket, or one in
// a call that makes a value of it.
func opensQuoted(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	return lex.IsQuote(s[i]) || s[i] == ' ' && i+1 < len(s) && lex.IsQuote(s[i+1]) || lex.IsLetter(s[i]) && new(Value).unwrapped(s, i) > i
}

// closers steps over what may close a name before its operator: quotes, escaped
// or not, and blanks. A new line may be indented.
func closers(s string, i int) int {
	for n := 0; i < len(s) && n < 8 && (lex.IsSpace(s[i]) || IsCloser(s[i])); n++ {
		if s[i] == '\n' {
			i = lex.Skip(s, i+1, min(len(s), i+NameReach), lex.IsBlank)
			continue
		}
		i++
	}
	return i
}

func IsCloser(c byte) bool { return lex.IsQuote(c) || c == '\\' || c == ']' || c == '*' }

// comma takes the comma at i as an operator when it is between two quoted
// texts: setenv("TOKEN", "x"); or when the text after it is called value.
func (v *Value) comma(s string, tail, i int) (int, bool) {
	if tail == i || !lex.IsQuote(s[i-1]) {
		const given = "parametervalue="
		v.Op = '\t'
		return i + 1 + len(given), v.NameFrom > 0 && s[v.NameFrom-1] == '=' && lex.HasPrefixFold(s[i+1:], given)
	}
	k := lex.Skip(s, i+1, min(len(s), i+48), lex.IsSpace)
	if k >= len(s) || !lex.IsQuote(s[k]) && s[k] != '\\' && !lex.IsLetter(s[k]) {
		return 0, false
	}
	if at, ok := v.attribute(s, k); ok {
		return at, true
	}
	return i + 1, !lex.IsLetter(s[k]) && s[k] != '`' && k-i <= 2 // not `token`, `other` of Markdown, and not a list in lines
}

// IsFirst reports whether the quoted name is the first of a call or a list.
func (v *Value) IsFirst(s string) bool {
	i := v.NameFrom - 1
	for i > 0 && (lex.IsQuote(s[i]) || s[i] == '\\' || s[i] == ':' || lex.IsSpace(s[i])) {
		i--
	}
	return i >= 0 && (s[i] == '(' || s[i] == '[' || s[i] == '{') || IsLineStart(s, v.NameFrom)
}

// attribute takes the word value at i, with its own operator, as the operator
// of a name that was itself a value: name="TOKEN" value="x".
func (v *Value) attribute(s string, i int) (int, bool) {
	for i < len(s) && IsCloser(s[i]) {
		i++
	}
	n := lex.PrefixLen(s[i:min(len(s), i+16)], valueWords)
	if n == 0 {
		return 0, false
	}
	i = closers(s, i+n)
	if i >= len(s) || s[i] != '=' && s[i] != ':' {
		return 0, false
	}
	v.Op = s[i]
	return i + 1, true
}
