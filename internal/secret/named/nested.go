package named

import "github.com/checkrein/checkrein/internal/secret/lex"

// This file reads values that do not directly follow their names:
// <x name="TOKEN" other="y">v</x>, "password": {"value": "v"},
// variable "password" { default = "v" }, password: with value: v below it,
// ${PASSWORD:-v}.

// valueMemberNames lists the names of members and attributes that hold a value, while the name of the
// value is in another member: name="TOKEN" value="x".
const valueMemberNames = "parametervalue defaultvalue default_value default-value default " +
	"stringvalue plaintextvalue plaintext secretvalue secret_value secretstring value_string value with:"

const nestedReach = 240 // maximum bytes from a name to its value in a block

// skipBrackets reads the bracket at i between a name and its operator, and returns the offset where
// the operator ends. It handles the current value of a prompt, Key [None]: v, the length in char key[]
// = "v", and the block of a variable. It reports false if no operator follows.
func (v *Value) skipBrackets(s string, i int) (after int, ok bool) {
	if s[i] == '{' {
		if !lex.IsQuote(s[v.NameTo]) {
			return 0, false
		}
		at := findBlockValue(s, i)
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

// findBlockValue returns the offset after the operator of a member such as value or default in the
// block that opens at i, or -1 if the block has none.
func findBlockValue(s string, i int) int {
	end := min(len(s), i+nestedReach)
	for k := i + 1; k < end; k++ {
		switch c := s[k]; {
		case c == '}' || c == '{':
			return -1
		case (c|0x20 == 'v' || c|0x20 == 'd' || c|0x20 == 'p') && !lex.IsWordByte(s[k-1]):
			var v Value
			if at, ok := v.readAttribute(s, k); ok {
				return at
			}
		}
	}
	return -1
}

// skipAttributes continues after a name that is itself the value of an attribute or member. It returns
// the offset after the operator of a value attribute at i, or after the end of the tag. It reports
// false if there is neither.
func (v *Value) skipAttributes(s string, i int) (end int, ok bool) {
	if at, ok := v.readAttribute(s, i); ok {
		return at, true
	}
	if !lex.IsQuote(s[v.NameTo]) || v.NameFrom < 2 || !lex.IsQuote(s[v.NameFrom-1]) || s[v.NameFrom-2] != '=' {
		return 0, false
	}
	return v.TagEnd(s, i)
}

// TagEnd reads the attributes of a tag from i. It returns the offset after the operator of a value
// attribute, or after the > of the tag, where the value starts. It reports false if the tag does not
// end within nestedReach bytes.
func (v *Value) TagEnd(s string, i int) (after int, ok bool) {
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
		to := lex.Skip(s, i, end, func(c byte) bool { return lex.IsNameByte(c) || c == ':' })
		if to == i || to+1 >= end || s[to] != '=' || !lex.IsQuote(s[to+1]) {
			return 0, false
		}
		q := s[to+1]
		i = lex.Skip(s, to+2, end, func(c byte) bool { return c != q && c != '\n' }) + 1
	}
	return 0, false
}

// enterNested returns the offset where the value starts if a nested notation, such as a YAML tag, a
// block or a conversion, is at i. Otherwise it returns i. It returns len(s) if the notation has no
// value.
func (v *Value) enterNested(s string, i int) int {
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
		if at := findBlockValue(s, i); at > 0 {
			v.Op = ':'
			return v.skipToValue(s, at)
		}
	case v.Op == '>':
		return v.elementStart(s, i)
	case v.Op == ':' && v.isInExpansion(s):
		return v.defaultStart(s, i)
	case (set || v.Op == '(') && (lex.IsLetter(c) || c == '['):
		return v.wrappedStart(s, i)
	}
	return i
}

// skipYAMLTag returns the offset where the quoted value after the YAML tag at i starts, or i if there
// is none.
func (v *Value) skipYAMLTag(s string, i int) int {
	to := lex.Skip(s, i+1, min(len(s), i+16), lex.IsLetter)
	if to == i+1 || to+1 >= len(s) || s[to] != ' ' || !lex.IsQuote(s[to+1]) || !lex.IsOneOf(s[i+1:to], "sub str unsafe string binary") {
		return i
	}
	v.Quote = s[to+1]
	return to + 2
}

// isInExpansion reports whether the name is in a shell expansion: ${NAME.
func (v *Value) isInExpansion(s string) bool {
	return v.NameFrom > 1 && s[v.NameFrom-1] == '{' && s[v.NameFrom-2] == '$'
}

// defaultStart returns the offset where the default value v of ${NAME:-v} starts, or len(s) if the
// expansion has none.
func (v *Value) defaultStart(s string, i int) int {
	switch s[i] {
	case '?', '+', '$':
		return len(s)
	case '-', '=':
		i++
	}
	v.Quote = '}'
	return i
}

// wrappedStart returns the offset where the string literal in a conversion such as String::from("v")
// starts, or i if there is no conversion.
func (v *Value) wrappedStart(s string, i int) int {
	to := lex.Skip(s, i, min(len(s), i+NameReach), func(c byte) bool { return lex.IsNameByte(c) || c == ':' || c == '[' || c == ']' })
	if to+1 >= len(s) || s[to] != '(' || !lex.IsQuote(s[to+1]) ||
		!lex.IsOneOf(lex.LastWord(s[i:to]), "from string str byte bytes secretstr quote text plaintext secret sensitive") {
		return i
	}
	v.Quote = s[to+1]
	return to + 2
}

// elementStart returns the offset where the text of an XML or HTML element starts, which may be in a
// child element, or len(s) if there is none. The text ends at a closing tag.
func (v *Value) elementStart(s string, i int) int {
	if v.NameFrom > 0 && s[v.NameFrom-1] == '/' {
		return len(s) // a closing tag
	}
	for range 2 {
		if s[i] != '<' || i+1 >= len(s) || !lex.IsLetter(s[i+1]) {
			break
		}
		to := lex.Skip(s, i+1, min(len(s), i+NameReach), lex.IsNameByte)
		if to+1 >= len(s) || s[to] != '>' || !lex.ContainsAnyFold(s[i+1:to], "value string text") && !lex.IsOneOf(s[i+1:to], "code b strong span pre tt td dd") {
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

// valueBelowStart returns the offset where the value starts that a line below the name calls value, or
// len(s) if there is none. The operator of the name ends at i.
func (v *Value) valueBelowStart(s string, i int) int {
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

// IsLineStart reports whether only list, comment and diff characters, and words such as export,
// precede i on its line.
func IsLineStart(s string, i int) bool {
	least := max(0, i-40)
	for range 2 {
		i = lex.SkipBack(s, i, least, isLineLead)
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

// isLineLead reports whether c may precede a name that starts its line.
func isLineLead(c byte) bool {
	switch c {
	case ' ', '\t', '-', '+', '#', '$', '"', '\'', '*', '/':
		return true
	}
	return false
}

// opensJSONText reports whether a JSON string starts at i, directly after its key and colon.
func opensJSONText(s string, i int) bool {
	return i > 1 && s[i-1] == ':' && s[i-2] == '"' && i < len(s)-1 && (s[i] == '"' || s[i+1] == '"')
}

// extendToQuote extends v to the closing quote if that quote opened before the name, as in "TOKEN=x".
// It does not if another setting starts in between.
func (v *Value) extendToQuote(s string, quote byte) {
	end := lex.Skip(s, v.To, min(len(s), v.From+lex.MaxValue), func(c byte) bool { return lex.IsTokenByte(c) && c != '\\' })
	if end >= len(s) || s[end] != quote {
		return
	}
	for i := v.To; i < end; i++ {
		if s[i] == ';' || s[i] == '&' || s[i] == ',' {
			if k := lex.Skip(s, i+1, end, lex.IsNameByte); k < end && s[k] == '=' {
				return
			}
		}
	}
	v.To = end
}

// extendToLineEnd extends a value without quotes to the end of its line, past punctuation that would
// end it elsewhere. It does not if the rest looks like code or another setting.
func (v *Value) extendToLineEnd(s string) {
	if v.Op != '=' && v.Op != ':' || v.To >= len(s) || lex.IsSpace(s[v.To]) || lex.IsQuote(s[v.To]) {
		return
	}
	end := lex.Skip(s, v.To, min(len(s), v.From+lex.MaxValue), func(c byte) bool { return lex.IsTokenByte(c) && c != '\\' })
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

// startsSettingAfter reports whether another setting, or the same character again, follows the
// separator at i.
func startsSettingAfter(s string, i, end int) bool {
	k := lex.Skip(s, i+1, end, lex.IsNameByte)
	return k < end && (s[k] == '=' || s[k] == ':') || i+1 < end && s[i+1] == s[i]
}
