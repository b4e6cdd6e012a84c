package secret

import "strings"

// Readers of user and password in one: addresses, curl -u, .netrc, .pgpass.

const maxLogin = 256 // bytes of a user or password that are read

var byURL = &reader{look: (*finder).lookURL, rank: ofContext, repeats: true}

// lookURL reads the password of scheme://user:password@host.
func (f *finder) lookURL(rule, start, end int) {
	s := f.text
	if start == 0 || !isAlnum(s[start-1]) {
		return
	}
	colon, at := -1, -1
	for i := end; i < min(len(s), end+2*maxLogin); i++ {
		switch c := s[i]; {
		case c == '@':
			at = i // a password may have one: the last before the host counts
			continue
		case c == ':' && colon < 0 && at < 0:
			colon = i
			continue
		case c == '/' || c == '?' || c == '#':
			if colon >= 0 && at < 0 && skip(s, colon+1, i, isDigit) < i && atSignSoon(s, i) {
				continue // a password with a slash
			}
		case !isSpace(c) && !isQuote(c) && c != '<' && c != '>' && c != '|' && c != '\\' && c != '`' && c < 0x80:
			continue
		}
		break
	}
	if at < 0 {
		return
	}
	from := colon + 1
	if colon < 0 { // a token instead of a user: https://token@host
		from = end
		if val := s[from:at]; len(val) < 16 || !isKey(val, value{quote: '"'}) {
			return
		}
	}
	val := s[from:at]
	if colon > end && (val == "" || isOneOf(val, "x-oauth-basic x")) { // the user is a token
		if user := s[end:colon]; len(user) >= 16 && isKey(user, value{quote: '"'}) {
			f.add(rule, end, colon)
		}
		return
	}
	if len(val) < 4 || isReferenceIn(val) || isOneOf(val, "password pass passwd pwd secret token user username postgres root admin test guest mysql redis rabbitmq mongo "+
		"changeme example x-oauth-basic x-access-token oauth2 foo bar baz secretpassword mypassword yourpassword your-password your_password xxx yyy") || isFiller(val) {
		return
	}
	f.add(rule, from, at)
}

// atSignSoon reports whether an @ follows before the address ends. It is for
// passwords that were not escaped.
func atSignSoon(s string, i int) bool {
	for k := i + 1; k < min(len(s), i+32); k++ {
		switch c := s[k]; {
		case c == '@':
			return true
		case !isWord(c) && c != '/' && c != '+' && c != '=' && c != '!' && c != '#' && c != '$' && c != '%' && c != '&' && c != '*':
			return false
		}
	}
	return false
}

// isReferenceIn reports whether a part of an address is filled in later.
func isReferenceIn(val string) bool {
	switch val[0] {
	case '$', '{', '<', '[', '%', '*', '(':
		if val[0] != '$' && val[0] != '%' || !isAlnum(val[1]) || readsLikeName(val[1:]) {
			return true
		}
	}
	for i := 1; i < len(val); i++ {
		if (val[i] == '{' || val[i] == '(') && (val[i-1] == '$' || val[i-1] == '{' || val[i-1] == '#' || val[i-1] == '%') {
			return true
		}
	}
	return val[len(val)-1] == '}' || val[len(val)-1] == ']'
}

var byCurl = &reader{look: (*finder).lookCurl, rank: ofContext}

// lookCurl reads what follows -u or --user in a command of curl.
func (f *finder) lookCurl(rule, start, end int) {
	s := f.text
	if !opensWord(s, start) || !closesWord(s, end) {
		return
	}
	lines := 0
	for i := end; i < min(len(s), end+1024); i++ {
		switch {
		case s[i] == '\n':
			if lines++; lines > 5 {
				return
			}
		case s[i] == 'c' && hasFold(s[i:], "curl ") && isSpace(s[i-1]):
			return // another one
		case s[i] == '-' && isSpace(s[i-1]):
			if at, ok := userFlag(s, i); ok {
				f.addLogin(rule, at)
				return
			}
		}
	}
}

// userFlag reports whether the flag at i is -u or --user, and where its value
// starts.
func userFlag(s string, i int) (int, bool) {
	for _, flag := range [...]string{"--user", "-u", "--proxy-user", "-U", "--password", "--http-password"} {
		if n := i + len(flag); n < len(s) && s[i:n] == flag {
			if s[n] == '=' {
				return n + 1, true
			}
			at := skip(s, n, min(len(s), n+6), isBlank)
			return at, at > n || flag == "-u"
		}
	}
	return 0, false
}

// addLogin notes the password of the user:password at i, each of which may be
// quoted, or both together.
func (f *finder) addLogin(rule, i int) {
	s := f.text
	most := min(len(s), i+2*maxLogin)
	quote, colon, to := byte(0), -1, i
	for ; to < most; to++ {
		c := s[to]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			} else if c == ':' && colon < 0 {
				colon = to
			}
			continue
		case isQuote(c) && c != '`':
			quote = c
			continue
		case c == ':' && colon < 0:
			colon = to
			continue
		case !isSpace(c) && c != ';' && c != '|' && c != '<' && c != '>':
			continue
		}
		break
	}
	if colon < 0 {
		return
	}
	user, from, end := trimQuotes(s, i, colon), colon+1, to
	for from < end && isQuote(s[from]) {
		from++
	}
	for end > from && (isQuote(s[end-1]) || s[end-1] == '\\') {
		end--
	}
	if end == from { // curl -u "token:"
		if len(user) >= 8 && isKey(user, value{quote: '"'}) {
			f.add(rule, colon-len(user), colon)
		}
		return
	}
	val := s[from:end]
	if n := len(val); n > 8 && val[0] == '{' && val[1] != '{' && val[n-1] == '}' && hasDigit(val) {
		from, val = from+1, val[1:n-1]
	}
	if len(val) < 3 || isReferenceIn(val) || isOneOf(val, "password pass passwd pwd secret token test yyy xxx") || isFiller(val) || user == val || isSpace(val[0]) {
		return
	}
	f.add(rule, from, from+len(val))
}

func hasDigit(s string) bool {
	return skip(s, 0, len(s), func(c byte) bool { return !isDigit(c) }) < len(s)
}

// trimQuotes returns the text from i to end without the quotes around it.
func trimQuotes(s string, i, end int) string {
	for i < end && isQuote(s[i]) {
		i++
	}
	for end > i && isQuote(s[end-1]) {
		end--
	}
	return s[i:end]
}

var byNetrc = &reader{look: (*finder).lookNetrc, rank: ofContext, repeats: true}

// lookNetrc reads machine H login L password P.
func (f *finder) lookNetrc(rule, start, end int) {
	s := f.text
	if !opensWord(s, start) || end >= len(s) || !isSpace(s[end]) {
		return
	}
	at, seen := end, false
	for range 12 {
		at = skip(s, at, min(len(s), at+64), isSpace)
		to := skip(s, at, min(len(s), at+maxLogin), func(c byte) bool { return !isSpace(c) })
		word := s[at:to]
		at = to
		switch {
		case isOneOf(word, "login account"):
			seen = true
		case isOneOf(word, "password passwd") && seen:
			at = skip(s, at, min(len(s), at+8), isBlank)
			to = skip(s, at, min(len(s), at+maxLogin), func(c byte) bool { return !isSpace(c) && !isQuote(c) })
			if val := s[at:to]; len(val) >= 4 && !isReferenceIn(val) && !isFiller(val) && !isOneOf(val, "password secret token string") {
				f.add(rule, at, to)
			}
			return
		case word == "" || isOneOf(word, "machine default"):
			return
		}
	}
}

var byPgpass = &reader{look: (*finder).lookPgpass, rank: ofContext, repeats: true}

// lookPgpass reads a line host:port:database:user:password, and one of Postfix,
// [host]:port user:password.
func (f *finder) lookPgpass(rule, start, end int) {
	s := f.text
	if s[start] == ']' {
		w, to := wordAt(s, skip(s, end, min(len(s), end+8), isBlank))
		if colon := skip(s, w.from, w.to, func(c byte) bool { return c != ':' }); colon > w.from && colon+1 < w.to && endsLine(s, to) && isUser(s[w.from:colon]) {
			f.addTyped(rule, colon+1, w.to)
		}
		return
	}
	from := back(s, start, max(0, start-maxLogin), isHostByte)
	if from == start || from > 0 && !isSpace(s[from-1]) && !isQuote(s[from-1]) {
		return
	}
	at := end
	for range 2 { // database and user
		to := skip(s, at, min(len(s), at+64), func(c byte) bool { return isName(c) || c == '*' })
		if to == at || to >= len(s) || s[to] != ':' {
			return
		}
		at = to + 1
	}
	to := skip(s, at, min(len(s), at+maxLogin), func(c byte) bool { return !isSpace(c) && !isQuote(c) && c != '\\' })
	if val := s[at:to]; len(val) >= 3 && !strings.Contains(val, ":") && !isReferenceIn(val) && !isFiller(val) && !isOneOf(val, "password secret pass") {
		f.add(rule, at, to)
	}
}

func isHostByte(c byte) bool { return isAlnum(c) || c == '-' || c == '.' || c == '*' || c == '_' }
