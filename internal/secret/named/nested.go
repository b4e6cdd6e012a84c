package named

import "github.com/checkrein/checkrein/internal/secret/lex"

// This file reads values that are nested deeper than their names:
// <x name="TOKEN" other="y">v</x>, "password": {"value": "v"},
// variable "password" { default = "v" }, password: with value: v below it,
// ${PASSWORD:-v}.

// valueWords lists the names of members that hold a value whose name is the value of another member.
const valueWords = "parametervalue defaultvalue default_value default-value default " +
	"stringvalue plaintextvalue plaintext secretvalue secret_value secretstring value_string value with:"

const nestedReach = 240 // maximum bytes from a name to its value in a block

// skipBrackets reads the brackets at i between a name and its operator, and returns where the operator
// ends: the current value of a prompt, Key [None]: v; the length in char key[] = "v"; the block of a
// variable.
func (v *Value) skipBrackets(s string, i int) (int, bool) {
	if s[i] == '{' {
		if !lex.IsQuote(s[v.NameTo]) {
			return 0, false
		}
		at := findInBlock(s, i)
		v.Op = '='
		return at, at > 0
	}
	end := lex.Skip(s, i, min(len(s), i+tailReach), func(c byte) bool { return c != ']' && c != '\n' })
	if end >= len(s) || s[end] != ']' {
		return 0, false
	}
	k := lex.Skip(s, end+1, min(len(s), end+3), lex.IsBlank)
	if k+1 >= len(s) || s[k] != ':' && s[k] != '=' {
		return 0, false
	}
	v.Op = s[k]
	if v.Op == ':' {
		return k + 1, i > v.NameTo && lex.IsBlank(s[i-1])
	}
	at := lex.Skip(s, k+1, min(len(s), k+3), lex.IsBlank)
	return k + 1, i == v.NameTo && at < len(s) && lex.IsQuote(s[at])
}

// findInBlock returns where the value of the member value or default starts in the block that opens at
// i; -1 if it has none.
func findInBlock(s string, i int) int {
	end := min(len(s), i+nestedReach)
	for k := i + 1; k < end; k++ {
		switch c := s[k]; {
		case c == '}' || c == '{':
			return -1
		case (c|0x20 == 'v' || c|0x20 == 'd' || c|0x20 == 'p') && !lex.IsWord(s[k-1]):
			var v Value
			if at, ok := v.readAttribute(s, k); ok {
				return at
			}
		}
	}
	return -1
}

// skipAttributes continues after a name that was the value of an attribute or member: it returns the
// end of the operator of the attribute value at i, or of the tag.
func (v *Value) skipAttributes(s string, i int) (int, bool) {
	if at, ok := v.readAttribute(s, i); ok {
		return at, true
	}
	if !lex.IsQuote(s[v.NameTo]) || v.NameFrom < 2 || !lex.IsQuote(s[v.NameFrom-1]) || s[v.NameFrom-2] != '=' {
		return 0, false
	}
	return v.TagEnd(s, i)
}

// TagEnd reads the attributes of a tag from i, up to one called value or to the end of the tag, after
// which the value starts.
func (v *Value) TagEnd(s string, i int) (int, bool) {
	for end := min(len(s), i+nestedReach); i < end; {
		i = lex.Skip(s, i, end, lex.IsSpace)
		if i >= end {
			return 0, false
		}
		if s[i] == '>' {
			v.Op = '>'
			return i + 1, true
		}
		if at, ok := v.readAttribute(s, i); ok {
			return at, true
		}
		to := lex.Skip(s, i, end, func(c byte) bool { return lex.IsName(c) || c == ':' })
		if to == i || to+1 >= end || s[to] != '=' || !lex.IsQuote(s[to+1]) {
			return 0, false
		}
		q := s[to+1]
		i = lex.Skip(s, to+2, end, func(c byte) bool { return c != q && c != '\n' }) + 1
	}
	return 0, false
}

// enter enters a nested notation at i, and returns where the value starts; i if there is none.
func (v *Value) enter(s string, i int) int {
	if v.Quote != 0 {
		return i
	}
	set := v.Op == ':' || v.Op == '='
	switch c := s[i]; {
	case c == '!' && v.Op == ':':
		return v.skipYAMLTag(s, i)
	case c == '{' && lex.HasPrefixFold(s[i:], `{"s":`): // DynamoDB
		return v.skipToValue(s, i+len(`{"s":`))
	case c == '{' && set && i+1 < len(s) && s[i+1] != '{' && s[i+1] != '%':
		if at := findInBlock(s, i); at > 0 {
			v.Op = ':'
			return v.skipToValue(s, at)
		}
	case v.Op == '>':
		return v.startElement(s, i)
	case v.Op == ':' && v.isExpanded(s):
		return v.startFallback(s, i)
	case (set || v.Op == '(') && (lex.IsLetter(c) || c == '['):
		return v.startWrapped(s, i)
	}
	return i
}

// skipYAMLTag reads the YAML tag at i, and returns where the value starts.
func (v *Value) skipYAMLTag(s string, i int) int {
	to := lex.Skip(s, i+1, min(len(s), i+16), lex.IsLetter)
	if to == i+1 || to+1 >= len(s) || s[to] != ' ' || !lex.IsQuote(s[to+1]) || !lex.IsOneOf(s[i+1:to], "sub str unsafe string binary") {
		return i
	}
	v.Quote = s[to+1]
	return to + 2
}

// isExpanded reports whether the name is in a shell expansion: ${NAME.
func (v *Value) isExpanded(s string) bool {
	return v.NameFrom > 1 && s[v.NameFrom-1] == '{' && s[v.NameFrom-2] == '$'
}

// startFallback returns where the default value of ${NAME:-v} starts.
func (v *Value) startFallback(s string, i int) int {
	switch s[i] {
	case '?', '+', '$':
		return len(s)
	case '-', '=':
		i++
	}
	v.Quote = '}'
	return i
}

// startWrapped returns where the argument of a conversion such as String::from("v") starts; i if there
// is none.
func (v *Value) startWrapped(s string, i int) int {
	to := lex.Skip(s, i, min(len(s), i+NameReach), func(c byte) bool { return lex.IsName(c) || c == ':' || c == '[' || c == ']' })
	if to+1 >= len(s) || s[to] != '(' || !lex.IsQuote(s[to+1]) ||
		!lex.IsOneOf(lex.LastWord(s[i:to]), "from string str byte bytes secretstr quote text plaintext secret sensitive") {
		return i
	}
	v.Quote = s[to+1]
	return to + 2
}

// startElement returns where the text of an element starts, which may be in a child element. It ends
// at a tag.
func (v *Value) startElement(s string, i int) int {
	if v.NameFrom > 0 && s[v.NameFrom-1] == '/' {
		return len(s) // a closing tag
	}
	for range 2 {
		if s[i] != '<' || i+1 >= len(s) || !lex.IsLetter(s[i+1]) {
			break
		}
		to := lex.Skip(s, i+1, min(len(s), i+NameReach), lex.IsName)
		if to+1 >= len(s) || s[to] != '>' || !lex.ContainsAny(s[i+1:to], "value string text") && !lex.IsOneOf(s[i+1:to], "code b strong span pre tt td dd") {
			return len(s)
		}
		i = lex.Skip(s, to+1, min(len(s), to+NameReach), lex.IsSpace)
		if i >= len(s) {
			return i
		}
	}
	end := lex.Skip(s, i, min(len(s), i+lex.MaxValue), func(c byte) bool { return c != '<' && c != '\n' && c != '\r' })
	if end+1 < len(s) && s[end] == '<' && s[end+1] == '/' {
		v.Quote = '<'
	}
	return i
}

// startBelow returns where the value starts that is called value in a line below the name, whose
// operator ends at i; the end of the text if there is none.
func (v *Value) startBelow(s string, i int) int {
	if v.Op != ':' || v.Quote != 0 {
		return len(s)
	}
	nl := lex.Skip(s, i, min(len(s), i+4), func(c byte) bool { return lex.IsBlank(c) || c == '\r' })
	if nl >= len(s) || s[nl] != '\n' {
		return len(s)
	}
	indent := 0
	for end := min(len(s), i+nestedReach); nl < end && s[nl] == '\n'; {
		at := lex.Skip(s, nl+1, min(len(s), nl+NameReach), lex.IsBlank)
		if indent == 0 {
			indent = at - nl - 1
		}
		if at-nl-1 < indent || indent == 0 || at >= len(s) {
			break
		}
		if at, ok := v.readAttribute(s, at); ok {
			return v.skipToValue(s, at)
		}
		nl = lex.Skip(s, at, end, func(c byte) bool { return c != '\n' })
	}
	return len(s)
}

// IsLineStart reports whether the name at i starts its line, except for signs of lists, comments and
// diffs, and words such as export.
func IsLineStart(s string, i int) bool {
	least := max(0, i-40)
	for range 2 {
		i = lex.SkipBack(s, i, least, isLineSign)
		if i == 0 || s[i-1] == '\n' || opensJSONText(s, i) {
			return true
		}
		from := lex.SkipBack(s, i, least, func(c byte) bool { return lex.IsLetter(c) || c == ':' || c == '$' })
		if !lex.IsOneOf(s[from:i], "export set setx env arg declare local readonly $env: environment") {
			return false
		}
		i = from
	}
	return i == 0 || s[i-1] == '\n'
}

// isLineSign reports whether a byte may precede a name that starts its line.
func isLineSign(c byte) bool {
	switch c {
	case ' ', '\t', '-', '+', '#', '$', '"', '\'', '*', '/':
		return true
	}
	return false
}

// opensJSONText reports whether a JSON string starts at i, after its key.
func opensJSONText(s string, i int) bool {
	return i > 1 && s[i-1] == ':' && s[i-2] == '"' && i < len(s)-1 && (s[i] == '"' || s[i+1] == '"')
}

// extendToQuote extends a value to the quote that opened before its name.
func (v *Value) extendToQuote(s string, quote byte) {
	end := lex.Skip(s, v.To, min(len(s), v.From+lex.MaxValue), func(c byte) bool { return lex.IsToken(c) && c != '\\' })
	if end >= len(s) || s[end] != quote {
		return
	}
	for i := v.To; i < end; i++ {
		if s[i] == ';' || s[i] == '&' || s[i] == ',' {
			if k := lex.Skip(s, i+1, end, lex.IsName); k < end && s[k] == '=' {
				return
			}
		}
	}
	v.To = end
}

// extendToLineEnd extends a value without quotes to the end of its line, past signs that would end it
// elsewhere.
func (v *Value) extendToLineEnd(s string) {
	if v.Op != '=' && v.Op != ':' || v.To >= len(s) || lex.IsSpace(s[v.To]) || lex.IsQuote(s[v.To]) {
		return
	}
	end := lex.Skip(s, v.To, min(len(s), v.From+lex.MaxValue), func(c byte) bool { return lex.IsToken(c) && c != '\\' })
	if end < len(s) && !lex.IsLineEnd(s[end]) {
		return
	}
	switch s[end-1] {
	case ',', ';', '{', ')', '}', ']', '>':
		return
	}
	for i := v.From; i < end; i++ {
		switch s[i] {
		case '(', '[', '{', '<', '|':
			return
		case ';', '&', ',':
			if startsSettingAfter(s, i, end) {
				return
			}
		}
	}
	v.To = end
}

// startsSettingAfter reports whether another setting starts after the sign at i.
func startsSettingAfter(s string, i, end int) bool {
	k := lex.Skip(s, i+1, end, lex.IsName)
	return k < end && (s[k] == '=' || s[k] == ':') || i+1 < end && s[i+1] == s[i]
}
