package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// This file finds passwords and keys among the arguments of calls, by their position:
// login("joe", "X"), auth=("joe", "X"), page.fill("#password", "X"), new Client("X").

const callReach = 480 // maximum bytes of a call that are read

// An argument is the span of an argument of a call. If quoted is set, the argument is a string literal
// and the span is the text between its quotes.
type argument struct {
	from, to int
	quoted   bool
}

// parseArguments returns up to six arguments of the call or list whose opening bracket is at i, and
// their number. If s[i] is a space, the arguments follow it without brackets and end with the line.
func parseArguments(s string, i int) (list [6]argument, n int) {
	r := argumentParser{s: s, at: i + 1, end: min(len(s), i+callReach), endsAtNewline: s[i] == ' '}
	for r.at < r.end && n < len(list) {
		a, ok := r.next()
		if !ok {
			return list, n
		}
		list[n] = a
		n++
		if r.at >= len(s) || s[r.at] != ',' {
			return list, n
		}
		r.at++
	}
	return list, n
}

// An argumentParser reads the arguments of a call one by one.
type argumentParser struct {
	s             string
	at            int
	end           int
	depth         int  // nesting depth of brackets within the call
	endsAtNewline bool // the arguments end with their line
}

// next reads the next argument and leaves r.at at the byte after it. It reports false if the argument
// is not complete.
func (r *argumentParser) next() (a argument, ok bool) {
	r.at = lex.Skip(r.s, r.at, r.end, lex.IsSpace)
	a.from = r.at
	for r.at < r.end {
		c := r.s[r.at]
		if lex.IsQuote(c) && r.s[r.at-1] != '\\' {
			if !r.readQuoted(&a) {
				return a, false
			}
			continue
		}
		if r.endsArgument(c) {
			return a.withEnd(r.at), true
		}
		r.countBracket(c)
		if a.quoted && r.depth == 0 && isOperator(c) {
			a.quoted = false // an expression, not just a string literal
		}
		r.at++
	}
	return a.withEnd(r.at), r.endsAtNewline && r.at == len(r.s)
}

// readQuoted skips the string literal at r.at, and makes it the value of a if a starts with it. It
// reports false if the closing quote is missing.
func (r *argumentParser) readQuoted(a *argument) bool {
	open := r.at
	to := lex.IndexOnLine(r.s, open+1, r.end, r.s[open])
	if to >= r.end || r.s[to] != r.s[open] {
		return false
	}
	if open-a.from <= 1 && r.depth == 0 { // b"x" too
		a.from, a.to, a.quoted = open+1, to, true
	}
	r.at = to + 1
	return true
}

// endsArgument reports whether the byte c at the current position ends an argument.
func (r *argumentParser) endsArgument(c byte) bool {
	switch c {
	case ';':
		return true
	case ',', ')', ']':
		return r.depth == 0
	case '\n':
		return r.depth == 0 && r.endsAtNewline
	}
	return false
}

// countBracket updates r.depth if c is a bracket.
func (r *argumentParser) countBracket(c byte) {
	switch c {
	case '(', '[', '{':
		r.depth++
	case ')', ']', '}':
		r.depth--
	}
}

// withEnd returns a with its end at i, or a itself if it is quoted.
func (a argument) withEnd(i int) argument {
	if !a.quoted {
		a.to = i
	}
	return a
}

// isOperator reports whether c is an operator that continues an expression after a string literal.
func isOperator(c byte) bool { return c == '+' || c == '%' || c == '?' || c == ':' || c == '=' }

// Parts of the names of functions whose first or third argument is the password.
const (
	firstArgCallees = "::make( hashpw bcrypt hash_password password_hash make_password plaintext( secretstr( securestring("
	thirdArgCallees = "sequelize mongocredential connect pdo mysqli plainauth superuser create_user createuser emailandpassword imap_open " +
		"auth_password ldap_bind ftp_login odbc logonuser ftp( dialer("
)

// passwordIndexByCallee returns the index of the argument in which the function callee expects the
// password: 1 if it is in no list.
func passwordIndexByCallee(callee string) int {
	if lex.ContainsAnyFold(callee, "real_connect") {
		return 3
	}
	if !lex.ContainsAnyFold(callee, "createconnection") && lex.ContainsAnyFold(callee, thirdArgCallees) {
		return 2
	}
	switch {
	case lex.ContainsFold(callee, " crypt(") || lex.ContainsAnyFold(callee, firstArgCallees):
		return 0
	case lex.ContainsAnyFold(callee, "smtp.start"):
		return 4
	}
	return 1
}

// FindCallPassword finds the password among the arguments of a call whose name contains the anchor, or
// in a pair that is assigned to that name.
func FindCallPassword(f *search.Finder, rule, start, end int) {
	s := f.Text
	called := s[start:end]
	if end < len(s) && s[end] == ' ' {
		if lex.HasPrefixFold(called, "sp_") { // a SQL Server procedure
			if list, n := parseArguments(s, end); n > 1 {
				addQuotedArgument(f, rule, list[1])
			}
			return
		}
	}
	i := argumentsStart(s, end)
	switch {
	case isRubyCall(s, start, end, i):
		if list, n := parseArguments(s, end); n == 2 {
			addQuotedArgument(f, rule, list[1])
		}
	case i < len(s) && (s[i] == '(' || s[i] == '[' && i > end): // a [ directly after the name is an index expression
		addCallPassword(f, rule, start, end, i)
	}
}

// argumentsStart returns the offset where the arguments of the name that ends at end should open,
// after blanks, quotes and an operator. The caller checks for a bracket there.
func argumentsStart(s string, end int) int {
	if s[end-1] == '(' {
		return end - 1
	}
	return lex.Skip(s, end, min(len(s), end+4), func(c byte) bool { return lex.IsBlank(c) || c == '=' || c == ':' || lex.IsQuote(c) })
}

// isRubyCall reports whether the call is Ruby's basic_auth "joe", "X", without parentheses; i is the
// offset after its first quote.
func isRubyCall(s string, start, end, i int) bool {
	return i < len(s) && lex.IsQuote(s[i-1]) && lex.IsBlank(s[min(end, len(s)-1)]) && lex.HasPrefixFold(s[max(0, start-6):end], "basic_auth")
}

// addQuotedArgument adds the argument a if it is a quoted password.
func addQuotedArgument(f *search.Finder, rule int, a argument) {
	if a.quoted && isArgumentPassword(f.Text[a.from:a.to]) {
		f.Add(rule, a.from, a.to)
	}
}

// addCallPassword adds the password among the arguments that open at i. They belong to the call whose
// name contains the anchor from start to end.
func addCallPassword(f *search.Finder, rule, start, end, i int) {
	s := f.Text
	array, n := parseArguments(s, i)
	list := array[:n]
	called := s[start:end]
	if lex.HasPrefixFold(called, "bind(") && (n < 2 || !lex.ContainsAnyFold(s[list[0].from:list[0].to], "cn= uid= dc= ou=")) {
		return // not an LDAP bind
	}
	if n == 1 && list[0].quoted && lex.HasSuffixFold(called, "auth") && isMember(s, start) && value.IsStatedPassword(s[list[0].from:list[0].to], true) {
		f.Add(rule, list[0].from, list[0].to)
		return
	}
	first := passwordIndex(s, s[lex.SkipBack(s, start, max(0, start-named.NameReach), lex.IsNameByte):i+1], list)
	if addArgumentPassword(f, rule, list, first, false) || n <= 2 {
		return
	}
	addArgumentPassword(f, rule, list, max(3-first, 0), true)
}

// isMember reports whether the name at i is selected from something: x.name, x::name, x->name.
func isMember(s string, i int) bool {
	return i > 0 && (s[i-1] == '.' || s[i-1] == ':' || s[i-1] == '>')
}

// passwordIndex returns the index of the argument in list that should be the password in a call of
// callee.
func passwordIndex(s, callee string, list []argument) int {
	if lex.ContainsAnyFold(callee, "set_password( setpassword(") {
		return min(len(list)-1, 2)
	}
	place := passwordIndexByCallee(callee)
	if place == 2 && len(list) > 2 && lex.Skip(s, list[1].from, list[1].to, lex.IsDigit) == list[1].to {
		place++ // a port comes before the user
	}
	return place
}

// addArgumentPassword adds list[k] if it exists and is a password, and reports whether it did. If the
// position is doubtful, the value must also pass as a password stated in a sentence.
func addArgumentPassword(f *search.Finder, rule int, list []argument, k int, doubtful bool) bool {
	if k < 0 || k >= len(list) {
		return false
	}
	from, to, ok := list[k].literalSpan(f.Text)
	l := value.LookAt(f.Text[from:max(from, to)])
	if !ok || !l.Is(value.AsArgument) || doubtful && !l.Is(value.AsSaid) {
		return false
	}
	f.Add(rule, from, to)
	return true
}

// isArgumentPassword reports whether val, a string literal where a call expects a password, is one.
func isArgumentPassword(val string) bool {
	l := value.LookAt(val)
	return l.Is(value.AsArgument)
}

// FindTypedPassword finds the text that code types into a password field: page.fill("#password", "X"),
// find(By.id("password")).sendKeys("X").
func FindTypedPassword(f *search.Finder, rule, start, end int) {
	s := f.Text
	list, n := parseArguments(s, end-1)
	if n == 0 {
		return
	}
	arg := list[0]
	if n > 1 && list[1].quoted {
		if !namesPasswordField(s[list[0].from:list[0].to]) {
			return
		}
		arg = list[1]
	} else {
		from := max(0, start-160)
		for k := start - 1; k > from; k-- {
			if s[k] == ';' || s[k] == '\n' && s[lex.Skip(s, k, start, lex.IsSpace)] != '.' {
				from = k
			}
		}
		if !namesPasswordField(s[from:start]) {
			return
		}
	}
	to := arg.to
	for _, key := range [...]string{"{enter}", `\n`, `\t`} {
		if lex.HasSuffixFold(s[arg.from:to], key) {
			to -= len(key)
		}
	}
	if arg.quoted && value.IsChosenPassword(s[arg.from:max(to, arg.from)]) {
		f.Add(rule, arg.from, to)
	}
}

// namesPasswordField reports whether the last field mentioned in s is a password field, not a user or
// email field.
func namesPasswordField(s string) bool {
	at := -1
	for i := 0; i+2 <= len(s); i++ {
		switch lex.ToLower(s[i]) {
		case 'p':
			if lex.HasPrefixFold(s[i:], "passw") || lex.HasPrefixFold(s[i:], "pwd") || lex.HasPrefixFold(s[i:], "passphrase") || lex.HasPrefixFold(s[i:], "pw") && (i+2 == len(s) || !lex.IsLetter(s[i+2])) {
				at = i
			}
		case 'u', 'e':
			if lex.HasPrefixFold(s[i:], "user") || lex.HasPrefixFold(s[i:], "email") {
				at = -1
			}
		}
	}
	return at >= 0
}

// FindClientKey adds the arguments of the anchored call that are random keys. In calls that sign (jwt,
// hmac) it also adds a second argument that looks like a password.
func FindClientKey(f *search.Finder, rule, start, end int) {
	s := f.Text
	list, n := parseArguments(s, end-1)
	signs := lex.ContainsAnyFold(s[start:end], "jwt hmac")
	for k, a := range list[:n] {
		from, to, ok := a.literalSpan(s)
		if !ok || to-from < 8 {
			continue
		}
		val := s[from:to]
		key := len(val) >= 20 && isRandomKey(val) && !lex.HasPrefixFold(val, "pk_") && (signs || !value.IsHexText(val) || len(val) == 32 || len(val) == 40)
		if key || signs && k == 1 && value.IsStatedPassword(val, true) {
			f.Add(rule, from, to)
		}
	}
}

// literalSpan returns the span of the string literal in an argument, which may be wrapped: Some("x"),
// []byte("x"). It reports false if the argument has none.
func (a argument) literalSpan(s string) (from, to int, ok bool) {
	if a.quoted {
		return a.from, a.to, true
	}
	at := lex.Skip(s, a.from, a.to, func(c byte) bool { return lex.IsNameByte(c) || c == ':' || c == '[' || c == ']' })
	if at == a.from || at+3 >= a.to || s[at] != '(' || !lex.IsQuote(s[at+1]) || !lex.IsOneOf(lex.LastWord(s[a.from:at]), "some just from string str byte bytes text secret") {
		return 0, 0, false
	}
	to = lex.Skip(s, at+2, a.to, func(c byte) bool { return c != s[at+1] })
	return at + 2, to, to+1 < a.to && s[to+1] == ')'
}
