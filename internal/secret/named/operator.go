package named

import "github.com/checkrein/checkrein/internal/secret/lex"

// This file reads the operator between a name and its value.

// readOperator reads the operator after the name that ends at i, and returns the offset where the
// operator ends. It reports false if there is none. The anchor in the name starts at start.
func (v *Value) readOperator(s string, start, i int) (end int, ok bool) {
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
		return v.readRepeated(s, i)
	case '?', '+', ':':
		return v.readRepeated(s, i)
	case ',':
		return v.readComma(s, tail, i)
	case '(':
		return i + 1, tail == i && opensQuoted(s, i+1)
	case '[', '{':
		return v.skipBrackets(s, i)
	case '%':
		return v.readPercentOperator(s, i)
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

// readRepeated reads an operator at i whose first character may be repeated: : := ::= ?= ??= += ||
// ||=. It reports false if the characters are no operator.
func (v *Value) readRepeated(s string, i int) (end int, ok bool) {
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

// opensQuoted reports whether a string literal is at i, perhaps after a space or in a conversion.
func opensQuoted(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	return lex.IsQuote(s[i]) || s[i] == ' ' && i+1 < len(s) && lex.IsQuote(s[i+1]) || lex.IsLetter(s[i]) && new(Value).wrappedStart(s, i) > i
}

// skipClosers skips characters that may be between a name and its operator: quotes, escaped or not,
// brackets, spaces and an indented new line.
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

// IsCloser reports whether c may close a name: a quote, a backslash before one, a bracket or an
// asterisk.
func IsCloser(c byte) bool { return lex.IsQuote(c) || c == '\\' || c == ']' || c == '*' }

// readComma reads the comma at i as an operator if it is between two string literals, as in
// setenv("TOKEN", "x"), or if a value attribute follows it. The closers of the name start at tail.
func (v *Value) readComma(s string, tail, i int) (end int, ok bool) {
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
	return i + 1, !lex.IsLetter(s[k]) && s[k] != '`' && k-i <= 2 // not Markdown's `token`, `other`, and not a list with a line per element
}

// IsFirstArgument reports whether the quoted name is the first argument of a call, the first element
// of a list, or starts its line.
func (v *Value) IsFirstArgument(s string) bool {
	i := v.NameFrom - 1
	for i > 0 && (lex.IsQuote(s[i]) || s[i] == '\\' || s[i] == ':' || lex.IsSpace(s[i])) {
		i--
	}
	return i >= 0 && (s[i] == '(' || s[i] == '[' || s[i] == '{') || IsLineStart(s, v.NameFrom)
}

// readAttribute reads the attribute or member value at i, with its own operator, as the operator of a
// name that is itself a value: name="TOKEN" value="x". It returns the offset after the operator.
func (v *Value) readAttribute(s string, i int) (end int, ok bool) {
	for i < len(s) && IsCloser(s[i]) {
		i++
	}
	n := lex.PrefixLen(s[i:min(len(s), i+16)], valueMemberNames)
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
