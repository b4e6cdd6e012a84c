package named

import "github.com/checkrein/checkrein/internal/secret/lex"

// This file reads the operator between a name and its value.

// readOperator finds the operator after the name that ends at i, and returns where it ends.
func (v *Value) readOperator(s string, start, i int) (int, bool) {
	tail := lex.Skip(s, i, min(len(s), i+tailReach), isTailByte)
	i = skipClosers(s, tail)
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
			return v.readCell(s, start, i)
		}
		return v.readDoubled(s, i)
	case '?', '+', ':':
		return v.readDoubled(s, i)
	case ',':
		return v.readComma(s, tail, i)
	case '(':
		return i + 1, tail == i && opensQuoted(s, i+1)
	case '[', '{':
		return v.skipBrackets(s, i)
	case '%':
		return v.readEscaped(s, i)
	case '-', '<', arrow[0]:
		return v.readRareOperator(s, i)
	case lex.WideColon[0]:
		v.Op = ':'
		return i + len(lex.WideColon), lex.HasPrefixFold(s[i:], lex.WideColon)
	}
	if lex.IsLetter(s[i]) && i > v.NameTo {
		return v.skipAttributes(s, i)
	}
	return 0, false
}

// readDoubled reads an operator at i whose first sign may be repeated: : := ::= ?= ??= += || ||=.
func (v *Value) readDoubled(s string, i int) (int, bool) {
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

// opensQuoted reports whether a quoted text is at i, after a bracket, or in a conversion.
func opensQuoted(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	return lex.IsQuote(s[i]) || s[i] == ' ' && i+1 < len(s) && lex.IsQuote(s[i+1]) || lex.IsLetter(s[i]) && new(Value).startWrapped(s, i) > i
}

// skipClosers skips what may close a name before its operator: quotes, escaped or not, and spaces. A
// new line may be indented.
func skipClosers(s string, i int) int {
	for n := 0; i < len(s) && n < 8 && (lex.IsSpace(s[i]) || IsCloser(s[i])); n++ {
		if s[i] == '\n' {
			i = lex.Skip(s, i+1, min(len(s), i+NameReach), lex.IsBlank)
			continue
		}
		i++
	}
	return i
}

// IsCloser reports whether c may close a name.
func IsCloser(c byte) bool { return lex.IsQuote(c) || c == '\\' || c == ']' || c == '*' }

// readComma takes the comma at i as an operator if it is between two quoted texts, as in
// setenv("TOKEN", "x"), or if the text after it is called value.
func (v *Value) readComma(s string, tail, i int) (int, bool) {
	if tail == i || !lex.IsQuote(s[i-1]) {
		const given = "parametervalue="
		v.Op = '\t'
		return i + 1 + len(given), v.NameFrom > 0 && s[v.NameFrom-1] == '=' && lex.HasPrefixFold(s[i+1:], given)
	}
	k := lex.Skip(s, i+1, min(len(s), i+48), lex.IsSpace)
	if k >= len(s) || !lex.IsQuote(s[k]) && s[k] != '\\' && !lex.IsLetter(s[k]) {
		return 0, false
	}
	if at, ok := v.readAttribute(s, k); ok {
		return at, true
	}
	return i + 1, !lex.IsLetter(s[k]) && s[k] != '`' && k-i <= 2 // not `token`, `other` of Markdown, and not a list in lines
}

// IsFirst reports whether the quoted name is the first argument of a call or the first element of a
// list.
func (v *Value) IsFirst(s string) bool {
	i := v.NameFrom - 1
	for i > 0 && (lex.IsQuote(s[i]) || s[i] == '\\' || s[i] == ':' || lex.IsSpace(s[i])) {
		i--
	}
	return i >= 0 && (s[i] == '(' || s[i] == '[' || s[i] == '{') || IsLineStart(s, v.NameFrom)
}

// readAttribute takes the word value at i, with its own operator, as the operator of a name that was a
// value itself: name="TOKEN" value="x".
func (v *Value) readAttribute(s string, i int) (int, bool) {
	for i < len(s) && IsCloser(s[i]) {
		i++
	}
	n := lex.PrefixLen(s[i:min(len(s), i+16)], valueWords)
	if n == 0 {
		return 0, false
	}
	i = skipClosers(s, i+n)
	if i >= len(s) || s[i] != '=' && s[i] != ':' {
		return 0, false
	}
	v.Op = s[i]
	return i + 1, true
}
