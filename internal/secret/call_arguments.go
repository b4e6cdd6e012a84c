package secret

// Passwords and keys that are arguments of code, known by their place: login("joe",
// "X"), auth=("joe", "X"), page.fill("#password", "X"), new Client("X").

const callReach = 480 // bytes of a call that are read

// argument is one of a call, and whether it is a quoted text.
type argument struct {
	from, to int
	quoted   bool
}

// arguments reads up to six arguments of the call or list that opens at i, or that
// start behind a blank there and end with the line.
func arguments(s string, i int) (list [6]argument, n int) {
	end := min(len(s), i+callReach)
	depth, open := 0, s[i]
	for i++; i < end && n < len(list); {
		i = skip(s, i, end, isSpace)
		a := argument{from: i}
		for i < end {
			c := s[i]
			if (c == '"' || c == '\'' || c == '`') && (i == 0 || s[i-1] != '\\') {
				to := skip(s, i+1, end, func(b byte) bool { return b != c && b != '\n' })
				if to >= end || s[to] != c {
					return list, n
				}
				if i-a.from <= 1 && depth == 0 { // b"x" too
					a.from, a.to, a.quoted = i+1, to, true
				}
				i = to + 1
				continue
			}
			if depth == 0 && (c == ',' || c == ')' || c == ']' || c == '\n' && open == ' ') || c == ';' {
				break
			}
			switch c {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth--
			}
			if a.quoted && depth == 0 && (c == '+' || c == '%' || c == '?' || c == ':' || c == '=') {
				a.quoted = false // more than a text
			}
			i++
		}
		if i >= end && (i < len(s) || open != ' ') {
			return list, n
		}
		if !a.quoted {
			a.to = i
		}
		list[n] = a
		n++
		if i >= len(s) || s[i] != ',' {
			return list, n
		}
		i++
	}
	return list, n
}

// passwordPlace returns which argument of a call is the password, counted from 0.
func passwordPlace(callee string) int {
	if containsAny(callee, "real_connect") {
		return 3
	}
	if !containsAny(callee, "createconnection") && containsAny(callee, "sequelize mongocredential connect pdo mysqli plainauth superuser create_user createuser emailandpassword imap_open auth_password ldap_bind ftp_login odbc logonuser ftp( dialer(") {
		return 2
	}
	switch {
	case containsFold(callee, " crypt(") || containsAny(callee, "::make( hashpw bcrypt hash_password password_hash make_password plaintext( secretstr( securestring("):
		return 0
	case containsAny(callee, "smtp.start"):
		return 4
	}
	return 1
}

var byCall = &reader{look: (*finder).lookCall, rank: ofContext, repeats: true}

// lookCall reads the arguments of a call of the anchor, or of a pair that is
// given to it.
func (f *finder) lookCall(rule, start, end int) {
	s := f.text
	i := end
	if s[start:end] == "AUTH" && end < len(s) && s[end] == ' ' {
		f.protocol(rule, end)
		return
	}
	if hasFold(s[start:end], "sp_") && i < len(s) && s[i] == ' ' {
		if list, n := arguments(s, i); n > 1 && list[1].quoted && isArgument(s[list[1].from:list[1].to]) {
			f.add(rule, list[1].from, list[1].to)
		}
		return
	}
	if s[end-1] != '(' {
		i = skip(s, i, min(len(s), i+4), func(c byte) bool { return isBlank(c) || c == '=' || c == ':' || isQuote(c) })
	} else {
		i--
	}
	if hasFold(s[max(0, start-6):end], "basic_auth") && isBlank(s[min(end, len(s)-1)]) && i < len(s) && isQuote(s[i-1]) { // of Ruby
		if list, n := arguments(s, end); n == 2 && list[1].quoted && isArgument(s[list[1].from:list[1].to]) {
			f.add(rule, list[1].from, list[1].to)
		}
		return
	}
	if i >= len(s) || s[i] != '(' && s[i] != '[' {
		return
	}
	if s[i] == '[' && i == end {
		return // an index
	}
	list, n := arguments(s, i)
	callee := s[back(s, start, max(0, start-nameReach), isName) : i+1]
	first := passwordPlace(callee)
	if first == 2 && n > 2 && skip(s, list[1].from, list[1].to, isDigit) == list[1].to {
		first++ // a port comes before the user
	}
	if hasFold(s[start:end], "bind(") && (n < 2 || !containsAny(s[list[0].from:list[0].to], "cn= uid= dc= ou=")) {
		return
	}
	if n == 1 && list[0].quoted && endsInFold(s[start:end], "auth") && start > 0 && (s[start-1] == '.' || s[start-1] == ':' || s[start-1] == '>') && isSaid(s[list[0].from:list[0].to], true) {
		f.add(rule, list[0].from, list[0].to)
		return
	}
	if containsAny(callee, "set_password( setpassword(") {
		first = min(n-1, 2)
	}
	for _, k := range [...]int{first, max(3-first, 0)} {
		if k < 0 || k >= n || k != first && n <= 2 {
			continue
		}
		from, to, ok := list[k].text(s)
		if ok && to > from && isArgument(s[from:to]) && (k == first || isSaid(s[from:to], false)) {
			f.add(rule, from, to)
			return
		}
	}
}

var byLiteral = &reader{look: (*finder).lookLiteral, rank: ofContext}

// lookLiteral reads "X".toCharArray().
func (f *finder) lookLiteral(rule, start, end int) {
	s := f.text
	if start < 2 || s[start-1] != '"' {
		return
	}
	from := back(s, start-1, max(0, start-maxLogin), func(c byte) bool { return c != '"' && c != '\n' })
	if from > 0 && s[from-1] == '"' && isArgument(s[from:start-1]) {
		f.add(rule, from, start-1)
	}
}

// isArgument reports whether a quoted text in the place of a password is one.
func isArgument(val string) bool {
	return isChosen(val) && !isCodePath(val) && !isOneOf(val, "pass12 pass123 pass1234 user1 user2 user01 user123 foo123 bar123 abc123 test1 test12 test123 test1234 secret1 secret2 secret123 admin1")
}

var byTyping = &reader{look: (*finder).lookTyping, rank: ofContext, repeats: true}

// lookTyping reads what is typed into a field: page.fill("#password", "X"),
// find(By.id("password")).sendKeys("X").
func (f *finder) lookTyping(rule, start, end int) {
	s := f.text
	list, n := arguments(s, end-1)
	if n == 0 {
		return
	}
	value := list[0]
	if n > 1 && list[1].quoted {
		if !namesField(s[list[0].from:list[0].to]) {
			return
		}
		value = list[1]
	} else {
		from := max(0, start-160)
		for k := start - 1; k > from; k-- {
			if s[k] == ';' || s[k] == '\n' && s[skip(s, k, start, isSpace)] != '.' {
				from = k
			}
		}
		if !namesField(s[from:start]) {
			return
		}
	}
	to := value.to
	for _, key := range [...]string{"{enter}", `\n`, `\t`} {
		if endsInFold(s[value.from:to], key) {
			to -= len(key)
		}
	}
	if value.quoted && isChosen(s[value.from:max(to, value.from)]) {
		f.add(rule, value.from, to)
	}
}

// namesField reports whether the last field that a text speaks of is that of a
// password.
func namesField(s string) bool {
	at := -1
	for i := 0; i+2 <= len(s); i++ {
		switch lowered(s[i]) {
		case 'p':
			if hasFold(s[i:], "passw") || hasFold(s[i:], "pwd") || hasFold(s[i:], "passphrase") || hasFold(s[i:], "pw") && (i+2 == len(s) || !isLetter(s[i+2])) {
				at = i
			}
		case 'u', 'e':
			if hasFold(s[i:], "user") || hasFold(s[i:], "email") {
				at = -1
			}
		}
	}
	return at >= 0
}

var byClient = &reader{look: (*finder).lookClient, rank: ofContext}

// lookClient notes the arguments of a call that were made by chance.
func (f *finder) lookClient(rule, start, end int) {
	s := f.text
	list, n := arguments(s, end-1)
	signs := containsAny(s[start:end], "jwt hmac")
	for k, a := range list[:n] {
		from, to, ok := a.text(s)
		if !ok || to-from < 8 {
			continue
		}
		val := s[from:to]
		if len(val) >= 20 && isMade(val) && !hasFold(val, "pk_") && (!isHexText(val) || signs || len(val) == 32 || len(val) == 40) || signs && k == 1 && isSaid(val, true) {
			f.add(rule, from, to)
		}
	}
}

// text returns where the quoted text of an argument is, which may be wrapped:
// Some("x"), []byte("x").
func (a argument) text(s string) (from, to int, ok bool) {
	if a.quoted {
		return a.from, a.to, true
	}
	at := skip(s, a.from, a.to, func(c byte) bool { return isName(c) || c == ':' || c == '[' || c == ']' })
	if at == a.from || at+3 >= a.to || s[at] != '(' || !isQuote(s[at+1]) || !isOneOf(lastWord(s[a.from:at]), "some just from string str byte bytes text secret") {
		return 0, 0, false
	}
	to = skip(s, at+2, a.to, func(c byte) bool { return c != s[at+1] })
	return at + 2, to, to+1 < a.to && s[to+1] == ')'
}

var bySet = &reader{look: (*finder).lookSet, rank: ofContext}

// lookSet reads what code decodes from base64 before it is used as a secret:
// password = b64decode("X").
func (f *finder) lookSet(rule, start, end int) {
	s := f.text
	list, n := arguments(s, end-1)
	if n == 0 || !list[0].quoted {
		return
	}
	from, to := list[0].from, list[0].to
	line := s[back(s, start, max(0, start-120), func(c byte) bool { return c != '\n' }):start]
	rest := s[to:skip(s, to, min(len(s), to+64), func(c byte) bool { return c != '\n' })]
	const names = "passw pwd secret token apikey api_key credential passphrase"
	if to-from < 8 || !isBase64Text(s[from:to]) || !containsAny(line, names) && !containsAny(rest, names) && !hasWord(line, "pw pass psw") {
		return
	}
	if plain := decode64(make([]byte, 0, to-from), s[from:to]); len(plain) > 4 && isText(plain) && isChosen(string(plain)) {
		f.add(rule, from, to)
	}
}
