package secret

// Passwords that are arguments of code, known by their place: login("joe", "X"),
// auth=("joe", "X"), page.fill("#password", "X").

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

var byUserAndPassword = &reader{look: (*finder).lookUserAndPassword, rank: ofContext}

// lookUserAndPassword reads "joe:X" behind CURLOPT_USERPWD.
func (f *finder) lookUserAndPassword(rule, start, end int) {
	s := f.text
	from := skip(s, end, min(len(s), end+8), func(c byte) bool { return isBlank(c) || isQuote(c) || c == ',' || c == '=' || c == ':' || c == '>' })
	to := skip(s, from, min(len(s), from+maxLogin), isToken)
	colon := skip(s, from, to, func(c byte) bool { return c != ':' })
	if from > end && isQuote(s[from-1]) && colon+1 < to && isUser(s[from:colon]) && isChosen(s[colon+1:to]) {
		f.add(rule, colon+1, to)
	}
}

var byKeyed = &reader{look: (*finder).lookKeyed, rank: ofContext}

// lookKeyed reads the word behind the anchor in settings of network devices, and
// the password of a code that phones read to join a network.
func (f *finder) lookKeyed(rule, start, end int) {
	s := f.text
	if hasFold(s[start:end], "wifi:") {
		line := s[end:min(len(s), end+maxLogin)]
		for i := 0; i+3 < len(line) && !isSpace(line[i]); i++ {
			if line[i] == ';' && line[i+1] == 'P' && line[i+2] == ':' {
				from := end + i + 3
				f.addTyped(rule, from, skip(s, from, min(len(s), from+maxValue), func(c byte) bool { return isToken(c) && c != ';' }))
			}
		}
		return
	}
	from := skip(s, end, min(len(s), end+4), isBlank)
	if from == end {
		return
	}
	if from+1 < len(s) && isDigit(s[from]) && isBlank(s[from+1]) {
		if s[from] != '0' && s[from] != '6' {
			return // was encrypted
		}
		from += 2
	}
	if hasFold(s[from:], "ascii-text ") {
		from += len("ascii-text ")
	}
	w, _ := wordAt(s, from)
	if val := s[w.from:w.to]; isChosen(val) && !hasCodeSign(val) {
		f.add(rule, w.from, w.to)
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

var byGiven = &reader{look: (*finder).lookGiven, rank: ofContext, repeats: true}

// lookGiven reads what a flag like --value gives to a secret that is named in the
// same command.
func (f *finder) lookGiven(rule, start, end int) {
	s := f.text
	if start == 0 || !isSpace(s[start-1]) || end >= len(s) || !isBlank(s[end]) && s[end] != '=' && !isQuote(s[end]) {
		return
	}
	w := words{s: s, at: end + 1 - quoteAt(s, end), most: min(len(s), end+maxCommand)}
	if !w.next() {
		return
	}
	from, to := w.inner()
	line := s[max(0, start-240):min(len(s), to+160)]
	if at := start - max(0, start-240); !hasWord(line[:at], "pw pass") && !containsAny(line[:at], "secret passw pwd token apikey api-key api_key _key credential securestring") && !containsAny(line[at+to-start:], "passw secret pwd securestring") {
		return
	}
	if val := s[from:to]; len(val) >= 6 && (w.quoted || !isPlace(val)) && (isChosen(val) || isMade(val)) {
		f.add(rule, from, to)
	}
}

// quoteAt returns 1 if a quote is at i, or 0.
func quoteAt(s string, i int) int {
	if isQuote(s[i]) {
		return 1
	}
	return 0
}

var byEchoed = &reader{look: (*finder).lookEchoed, rank: ofContext, repeats: true}

// lookEchoed reads the words of --password-command "echo X".
func (f *finder) lookEchoed(rule, start, end int) {
	s := f.text
	at := skip(s, end, min(len(s), end+4), func(c byte) bool { return isBlank(c) || isQuote(c) || c == '=' || c == '\\' })
	if !hasFold(s[at:], "echo ") {
		return
	}
	w := words{s: s, at: at + len("echo "), most: min(len(s), at+maxCommand)}
	for w.next() {
		if from, to := w.inner(); to > from && s[from] != '-' {
			f.addTyped(rule, from, to)
			return
		}
	}
}

var byDSN = &reader{look: (*finder).lookDSN, rank: ofContext, repeats: true}

// lookDSN reads joe:X@tcp(host).
func (f *finder) lookDSN(rule, start, end int) {
	s := f.text
	from := back(s, start, max(0, start-maxLogin), func(c byte) bool { return isToken(c) })
	colon := skip(s, from, start, func(c byte) bool { return c != ':' })
	if colon+1 >= start || start-colon < 5 || !isUser(s[from:colon]) {
		return
	}
	if val := s[colon+1 : start]; !isReferenceIn(val) && !isStandIn(val) && val[0] != ':' && val[0] != '/' {
		f.add(rule, colon+1, start)
	}
}

var byShown = &reader{look: (*finder).lookShown, rank: ofContext}

// lookShown reads a secret in base64 that kubectl shows of a Secret's data, in the
// line behind the command.
func (f *finder) lookShown(rule, start, end int) {
	s := f.text
	nl := skip(s, end, min(len(s), end+200), func(c byte) bool { return c != '\n' })
	if nl >= len(s) || s[nl] != '\n' || !containsFold(s[end:nl], "data") || !containsAny(s[end:nl], "pass secret token key auth pwd cred") {
		return
	}
	f.addEncoded(rule, nl+1)
}

// addEncoded notes the text in base64 at i, if it fills its line.
func (f *finder) addEncoded(rule, i int) {
	s := f.text
	to := skip(s, i, min(len(s), i+maxCredential), isBase64)
	if to-i < 8 || to < len(s) && !isSpace(s[to]) && !isQuote(s[to]) {
		return
	}
	plain := decode64(make([]byte, 0, (to-i)*3/4+3), s[i:to])
	if !isText(plain) || len(plain) < 5 || len(plain) < (to-i)*3/4-3 {
		return
	}
	f.add(rule, i, to)
}

var byDecoded = &reader{look: (*finder).lookDecoded, rank: ofContext}

// lookDecoded reads echo X | base64 -d.
func (f *finder) lookDecoded(rule, start, end int) {
	s := f.text
	flag := skip(s, end, min(len(s), end+2), isBlank)
	if flag == end || !hasFold(s[flag:], "-d") && !hasFold(s[flag:], "--d") || start == 0 {
		return
	}
	from, to, ok := pipedTo(s, start)
	if !ok || to-from < 8 || skip(s, from, to, isBase64) < to {
		return
	}
	if plain := string(decode64(make([]byte, 0, to-from), s[from:to])); len(plain) > 5 && isText([]byte(plain)) {
		n := len(plain)
		for n > 0 && isSpace(plain[n-1]) {
			n--
		}
		if n > 5 && isChosen(plain[:n]) {
			f.add(rule, from, to)
		}
	}
}
