package secret

// User and password that are given to curl and wget, in commands and in code.

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
		if len(user) >= 8 && isKey(user) {
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
