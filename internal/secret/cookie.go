package secret

// lookCookie reads the values of sessions in a line of cookies.
func (f *finder) lookCookie(rule, start, end int) {
	s := f.text
	i := Skip(s, end, min(len(s), end+8), func(c byte) bool { return IsBlank(c) || IsQuote(c) || c == ':' || c == ',' || c == '\\' })
	f.cookieMembers(rule, end)
	if i == end {
		return
	}
	for i-end < jwkReach {
		i = Skip(s, i, min(len(s), i+4), func(c byte) bool { return IsBlank(c) || c == ';' })
		to := Skip(s, i, min(len(s), i+nameReach), IsName)
		if to == i || to >= len(s) {
			return
		}
		if s[to] == ';' { // HttpOnly
			i = to
			continue
		}
		if s[to] != '=' {
			return
		}
		name, from := s[i:to], to+1
		last := Skip(s, from, min(len(s), from+Reach/2), func(c byte) bool { return IsToken(c) && c != ';' && c != ',' && c != '\\' })
		if namesSession(name) && isSession(s[from:min(last, from+MaxValue)]) {
			f.add(rule, from, last)
		}
		if last >= len(s) || s[last] != ';' && !IsBlank(s[last]) {
			return
		}
		i = last
	}
}

func namesSession(name string) bool {
	return !ContainsAny(name, "csrf xsrf") &&
		ContainsAny(name, "sess sid logged_in wordpress_sec auth token jwt login remember user_id ticket sso secret credential aspnet")
}

func isSession(val string) bool {
	l := lookAt(val)
	return l.has&(of16|aDigit|aLetter) == of16|aDigit|aLetter && l.is(bits30) && !l.isAny(wordLike|standIn|template)
}

const jarReach = 200 // bytes behind the word cookie in which a list of them opens

// cookieMembers reads cookies = {"sessionid": "X"} and add_cookie({"name":
// "sessionid", "value": "X"}).
func (f *finder) cookieMembers(rule, i int) {
	s := f.text
	end := min(len(s), i+jarReach)
	i = Skip(s, i, min(end, i+24), func(c byte) bool { return IsName(c) || IsSpace(c) || IsQuote(c) || c == ':' || c == '=' || c == '(' })
	if i >= end || s[i] != '{' && s[i] != '[' && s[i] != ',' {
		return
	}
	named := false
	for n := 0; n < 16 && i < end; n++ {
		i = Skip(s, i, end, func(c byte) bool { return !IsQuote(c) && c != '}' })
		if i >= end || s[i] == '}' {
			return
		}
		to := Skip(s, i+1, min(len(s), i+MaxValue), func(c byte) bool { return c != s[i] && c != '\n' && c != '\\' })
		text := s[i+1 : to]
		if named && Skip(text, 0, len(text), IsToken) == len(text) && isSession(text) {
			f.add(rule, i+1, to)
			named = false
		} else if namesCookie(text) {
			named = true
		}
		i = to + 1
	}
}

// namesCookie reports whether a text is the name of a cookie with a session.
func namesCookie(text string) bool {
	return namesSession(text) && len(text) <= nameReach || IsOneOf(text, "sid sess session")
}

// lookSession reads the value of a cookie that holds a session in most programs
// of a language, wherever it stands.
func (f *finder) lookSession(rule, start, end int) {
	s := f.text
	at := Skip(s, end, min(len(s), end+6), func(c byte) bool {
		return IsSpace(c) || IsQuote(c) || c == '=' || c == ':' || c == ',' || c == '\\' || c == '>'
	})
	to := Skip(s, at, min(len(s), at+MaxValue), func(c byte) bool {
		return IsToken(c) && c != ';' && c != ',' && c != '\\' && c != '}' && c != ')' && c != '&'
	})
	if at > end && OpensWord(s, start) && isSession(s[at:to]) {
		f.add(rule, at, to)
	}
}
