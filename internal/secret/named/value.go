// Package named reads values that have a name, in all notations: TOKEN=x, "token": "x", --token x,
// <token>x</token>. It also judges what the name suggests about the value.
package named

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// This file reads "name operator value", the most common notation of secrets: TOKEN=x,
// "token": "x", token := `x`, <token>x</token>, env["TOKEN"] = "x",
// setenv("TOKEN", "x"), - name: TOKEN value: x.

const (
	NameReach = 64 // maximum bytes of a name
	tailReach = 24 // maximum bytes between a name and its operator
)

// A Value is the span of a value in a text, with the span of its name and what is between and around
// them.
type Value struct {
	NameFrom, NameTo int
	AnchorTo         int // where the anchor in the name ends
	From, To         int
	Op               byte // '=', ':', ',', '>', '(', a space or, in a table, a tab
	Quote            byte // the delimiter around the value: a quote, or one of < } * % | >; 0 if none
	Tight            bool // no space is between name, operator and value
	Bare             bool // the name is just pass
	Data             bool // the value is from JSON, not from code
	Last             bool // nothing follows the value on its line
	Line             bool // the name starts its line, apart from words like export
}

// ReadValue reads the value whose name contains the anchor s[start:end]. It reports false if the name
// has no value; the span of the name is set even then.
func ReadValue(s string, start, end int) (v Value, ok bool) {
	v.AnchorTo = end
	v.NameTo = lex.Skip(s, end, min(len(s), end+NameReach), lex.IsNameByte)
	v.NameFrom = NameStart(s, start)
	if v.NameTo < len(s) && s[v.NameTo] == '=' && value.InDigest(s, start, end) { // the = is the padding of the digest
		return v, false
	}
	at, ok := v.readOperator(s, start, v.NameTo)
	if !ok {
		from, to := lex.WordAround(s[v.NameFrom:v.NameTo], start-v.NameFrom, end-v.NameFrom)
		v.Bare = s[v.NameFrom] != '-' && to-from == len("pass") && lex.HasPrefixFold(s[v.NameFrom+from:], "pass")
		return v, v.readFlag(s, start) || v.readSentence(s, start) || v.readDirective(s, start)
	}
	v.Bare = v.NameTo-v.NameFrom == len("pass")
	return v, v.ReadAfter(s, at)
}

// NameStart returns the offset where the name that contains i starts. In \npassword the n is not part
// of it.
func NameStart(s string, i int) int {
	from := lex.SkipBack(s, i, max(0, i-NameReach), lex.IsNameByte)
	if from > 0 && from < i && s[from-1] == '\\' && (s[from] == 'n' || s[from] == 'r' || s[from] == 't') {
		from++
	}
	return from
}

// isTailByte reports whether c may be between a name and its operator, as part of a type or a comment.
func isTailByte(c byte) bool { return lex.IsLetter(c) || lex.IsBlank(c) || c == '_' || c == '.' }

// readFlag reads --token x, in which a space is the operator. It reports false if the name is not a
// flag or the next word is a flag itself.
func (v *Value) readFlag(s string, start int) bool {
	v.From = v.NameTo + 1
	if v.From >= len(s) || !lex.IsBlank(s[v.NameTo]) || s[v.From] <= ' ' || s[v.From] == '-' {
		return false
	}
	v.NameFrom = NameStart(s, start)
	if s[v.NameFrom] != '-' || s[v.NameFrom+1] != '-' && !isPasswordFlag(s[v.NameFrom+1:v.NameTo]) || v.NameFrom > 0 && lex.IsTokenByte(s[v.NameFrom-1]) && (v.NameFrom < 2 || s[v.NameFrom-2] != '\\') {
		return false
	}
	v.Op, v.Tight = ' ', true
	if lex.IsQuote(s[v.From]) {
		v.Quote = s[v.From]
		v.From++
	}
	v.To = v.ValueEnd(s, v.From)
	return v.To > v.From
}

// isPasswordFlag reports whether name, a flag with one hyphen as in PowerShell, ends in a word for a
// password.
func isPasswordFlag(name string) bool {
	return lex.HasSuffixFold(name, "password") || lex.HasSuffixFold(name, "passphrase") || lex.HasSuffixFold(name, "passwd")
}

// readSentence reads sentences such as the password is x, and set `TOKEN` to `x`. It reports false if
// the text is none.
func (v *Value) readSentence(s string, start int) bool {
	const is = " is " // " to " and " as " have the same length
	at := lex.Skip(s, v.NameTo, min(len(s), v.NameTo+3), func(c byte) bool { return lex.IsQuote(c) || c == '*' })
	v.From = at + len(is)
	if v.From >= len(s) || s[at] != ' ' || !lex.HasPrefixFold(s[at:], is) && !lex.HasPrefixFold(s[at:], " to ") && !lex.HasPrefixFold(s[at:], " as ") {
		return false
	}
	v.NameFrom = NameStart(s, start)
	for v.From < len(s) && (lex.IsQuote(s[v.From]) || s[v.From] == ':' || lex.IsBlank(s[v.From])) {
		if lex.IsQuote(s[v.From]) {
			v.Quote = s[v.From]
		}
		v.From++
	}
	v.Op = ' '
	v.To = v.ValueEnd(s, v.From)
	return v.To > v.From
}

// ReadAfter reads the value after the operator that ends at i. It reports false if there is none.
func (v *Value) ReadAfter(s string, i int) bool {
	if v.Op == '=' && i == v.NameTo+1 && v.NameFrom > 0 && i < len(s) && lex.IsQuote(s[i]) && s[i] == s[v.NameFrom-1] {
		return false // "TOKEN="+x
	}
	if !v.findBounds(s, i) {
		return false
	}
	v.Line = IsLineStart(s, v.NameFrom)
	if v.Quote == 0 {
		if v.Line {
			v.extendToLineEnd(s)
		} else if v.Op == '=' && v.NameFrom > 0 && lex.IsQuote(s[v.NameFrom-1]) {
			v.extendToQuote(s, s[v.NameFrom-1])
		}
	}
	v.Last = v.To >= len(s) || lex.IsLineEnd(s[v.To]) || v.Quote == 0 && closesQuotedLine(s, v.To)
	v.Tight = v.NameTo+1 == v.From || v.Op == '\t'
	return v.To > v.From
}

// findBounds sets v.From and v.To for the value after the operator that ends at i. It reports false if
// the text ends before.
func (v *Value) findBounds(s string, i int) bool {
	at := i
	if i = v.skipToValue(s, i); i >= len(s) {
		i = v.valueBelowStart(s, at)
	} else {
		i = v.enterNested(s, i)
	}
	if i >= len(s) {
		return false
	}
	v.From, v.To = i, v.ValueEnd(s, i)
	if at, ok := v.skipType(s, i); ok {
		v.Op, v.Quote = '=', 0
		if v.From = v.skipToValue(s, at); v.From >= len(s) {
			return false
		}
		v.To = v.ValueEnd(s, v.From)
	}
	return true
}

// closesQuotedLine reports whether a quote is at i and at most brackets and punctuation follow it on
// its line.
func closesQuotedLine(s string, i int) bool {
	if !lex.IsQuote(s[i]) {
		return false
	}
	i = lex.Skip(s, i+1, min(len(s), i+5), func(c byte) bool {
		return lex.IsQuote(c) || c == ',' || c == ')' || c == '}' || c == ']' || c == ';' || lex.IsBlank(c) || c == '\r'
	})
	return i >= len(s) || s[i] == '\n'
}

// skipToValue returns the offset where the value after the operator that ends at i starts, after
// quotes and spaces. It returns len(s) if the value is empty.
func (v *Value) skipToValue(s string, i int) int {
	lines := 0
	for end := min(len(s), i+40); i < end; {
		n := v.openingLen(s, i, end)
		if n == 0 {
			if lines > 0 && v.Quote == 0 && (v.Op != '>' || lines > 1) {
				return len(s) // an empty value, followed by another line
			}
			return i
		}
		if s[i] == '\n' {
			lines++
		}
		i += n
	}
	return i
}

// openingLen returns the number of bytes at i that open a value without being part of it: a space, a
// quote, or the equivalent of a quote in a notation. It sets v.Quote.
func (v *Value) openingLen(s string, i, end int) int {
	c := s[i]
	switch {
	case lex.IsQuote(c):
		v.Quote = c
		return 1
	case lex.IsSpace(c) || c == '\\' || c == '(' && v.Op == '(':
		return 1
	case v.Quote != 0:
		return 0
	case c >= 0x80:
		n := lex.WideQuoteLen(s, i)
		if n > 0 {
			v.Quote = c
		}
		return n
	}
	if i+1 >= end {
		return v.yamlBlockLen(s, i, end)
	}
	switch next := s[i+1]; {
	case c == '=':
		return lex.OneIf(lex.IsSpace(next) || lex.IsQuote(next) || next == '=')
	case c == '*':
		return v.starsLen(s, i, end)
	case lex.IsLetter(c) || c == '@': // b"x"
		return lex.OneIf(lex.IsQuote(next) && !lex.IsWordByte(s[i-1]))
	}
	return v.yamlBlockLen(s, i, end)
}

// yamlBlockLen returns the length of the | or > at i, with its modifiers, that opens a YAML block, or
// 0. It sets v.Quote.
func (v *Value) yamlBlockLen(s string, i, end int) int {
	if v.Op != ':' || s[i] != '|' && s[i] != '>' {
		return 0
	}
	v.Quote = s[i]
	return lex.Skip(s, i+1, end, func(c byte) bool { return c == '-' || c == '+' }) - i
}

// starsLen returns 2 if the asterisks of **Password:** x or password: **x** are at i, otherwise 0. It
// sets v.Quote if they open the value.
func (v *Value) starsLen(s string, i, end int) int {
	if i+2 >= end || s[i+1] != '*' {
		return 0
	}
	if s[i+2] != ' ' && s[i+2] != '*' {
		v.Quote = '*'
	}
	return 2
}

// ValueEnd returns the offset where the value that starts at i ends.
func (v *Value) ValueEnd(s string, i int) int {
	most := min(len(s), i+lex.MaxValue)
	switch v.Quote {
	case '%':
		return percentValueEnd(s, i)
	case '<', '}', '*':
		return quotedEnd(s, i, most, v.Quote)
	case '"', '\'', '`':
		k := quotedEnd(s, i, most, v.Quote)
		if k < most && s[k] == v.Quote && i >= 2 && s[i-2] == '\\' {
			k = lex.SkipBack(s, k, i, func(c byte) bool { return c == '\\' })
		}
		return k
	}
	for k := i; k < most; k++ {
		if v.endsAt(s, k, most) {
			return k
		}
	}
	return most
}

// quotedEnd returns the offset of the first quote or line end from i, at most most.
func quotedEnd(s string, i, most int, quote byte) int {
	for i < most && s[i] != quote && !lex.IsLineEnd(s[i]) {
		i++
	}
	return i
}

// endsAt reports whether a value without quotes ends before s[i].
func (v *Value) endsAt(s string, i, most int) bool {
	switch c := s[i]; c {
	case ';', ',', '<', '>', ')', ']', '}':
		return true
	case '\\':
		return i+1 < most && (s[i+1] == 'n' || s[i+1] == 'r' || s[i+1] == 't' || lex.IsQuote(s[i+1]))
	case '&':
		return v.Op == '=' && startsSetting(s, i+1)
	case '|':
		return v.Op == '\t'
	default:
		return lex.IsSpace(c) || lex.IsQuote(c) || c >= 0x80 && v.Quote >= 0x80
	}
}

// startsSetting reports whether the text at i, after an &, is not part of the value before it, because
// another setting starts or nothing follows.
func startsSetting(s string, i int) bool {
	to := lex.Skip(s, i, min(len(s), i+NameReach), lex.IsNameByte)
	return to >= len(s) || s[to] == '=' || s[to] == '&' || lex.HasPrefixFold(s[i:], "amp;") || to == i && !lex.IsTokenByte(s[i])
}

// skipType returns the offset after the operator that follows a type at i, as in token: str = "x". It
// reports false if there is no type.
func (v *Value) skipType(s string, i int) (end int, ok bool) {
	if v.Op != ':' || v.Quote != 0 {
		return 0, false
	}
	k := lex.Skip(s, i, min(len(s), i+24), isTypeByte)
	k = lex.Skip(s, k, min(len(s), k+4), lex.IsBlank)
	if k == i || k+1 >= len(s) || s[k] != '=' || !lex.IsSpace(s[k+1]) && !lex.IsQuote(s[k+1]) {
		return 0, false
	}
	return k + 1, lex.IsSpace(s[k-1])
}

// isTypeByte reports whether c may be part of the name of a type.
func isTypeByte(c byte) bool {
	return lex.IsWordByte(c) || c == '<' || c == '>' || c == '[' || c == ']' || c == '&' || c == '\'' || c == '?' || c == '.' || c == '*'
}

// Place returns the place of v, whose name has the strength level.
func (v *Value) Place(level Strength) (p value.Place) {
	for _, so := range [...]struct {
		is bool
		p  value.Place
	}{
		{level == Pass, value.OfPassword}, {v.Bare, value.Bare}, {v.Op == '=', value.Equals}, {v.Op == ':', value.Colon}, {v.Op == ' ', value.Blank}, {v.Op == ',' || v.Op == '(', value.Listed}, {v.Op == '>', value.Angle},
		{lex.IsQuote(v.Quote), value.Quoted}, {v.Quote != 0, value.Enclosed}, {v.Tight, value.Tight}, {v.Tight || v.Quote != 0, value.Held}, {!v.Tight && v.Quote == 0 && v.Op != ':', value.MayBeCode},
		{v.Line, value.OwnLine}, {lex.IsQuote(v.Quote) || v.Line && v.Tight, value.Literal}, {v.Last, value.Last}, {v.Data, value.JSONText},
	} {
		if so.is {
			p |= so.p
		}
	}
	return p
}
