package secret

// Names and values in other notations than name operator value: ENV NAME x,
// | NAME | x |, `NAME` to `x`, and those of addresses, NAME%3Dx.

// set reads ENV NAME x and its kin, where the word before the name says that
// a value follows.
func (v *value) set(s string, start int) bool {
	at := skip(s, v.nameTo, min(len(s), v.nameTo+2), isQuote)
	from := skip(s, at, min(len(s), at+8), isBlank)
	if from == at || from >= len(s) || !isToken(s[from]) && !isQuote(s[from]) || s[from] == '-' && !hasFold(s[from:], "--body ") {
		return false
	}
	v.nameFrom = back(s, start, max(0, start-nameReach), isName)
	if hasFold(s[from:], "--body ") { // of gh secret set
		if from += len("--body "); from >= len(s) {
			return false
		}
	}
	if s[at] == '\t' && !isQuote(s[from]) {
		v.op, v.tight = '\t', true
		v.from, v.to = from, v.end(s, from)
		return v.to > v.from && (v.to == len(s) || isSpace(s[v.to]) && s[v.to] != ' ')
	}
	if !isDirective(s[v.nameFrom:v.nameTo]) && !v.givesPassword(s, from) {
		at := back(s, v.nameFrom, max(0, v.nameFrom-nameReach), func(c byte) bool { return isName(c) || c == ':' }) // Api:Secret
		i := back(s, at, max(0, at-4), func(c byte) bool { return isBlank(c) || isQuote(c) })
		word := s[back(s, i, max(0, i-16), isName):i]
		sql := s[from] == '\'' && isOneOf(s[v.nameFrom:v.nameTo], "password")
		if i == at && !sql || !sql && !isSetter(word) {
			return false
		}
	}
	v.op, v.tight = ' ', true
	if isQuote(s[from]) {
		v.quote = s[from]
		from++
	}
	v.from = from
	v.to = v.end(s, from)
	return v.to > v.from
}

// givesPassword reports whether the line is one like username x password y.
func (v *value) givesPassword(s string, from int) bool {
	if !isOneOf(s[v.nameFrom:v.nameTo], "password") || !userBefore(s, v.nameFrom) && !containsAny(s[max(0, v.nameFrom-nameReach):v.nameFrom], "wifi") {
		return false
	}
	from = skip(s, from, min(len(s), from+1), isQuote)
	to := skip(s, from, min(len(s), from+maxValue), isToken)
	end := skip(s, to, min(len(s), to+1), isQuote)
	return to-from >= 8 && (end == len(s) || s[end] == '\n' || s[end] == '\r') && hasDigit(s[from:to]) && !readsLikeWords(s[from:to])
}

// isDirective reports whether a name is one of settings that have no operator.
func isDirective(name string) bool {
	return isOneOf(name, "requirepass masterauth wpa-psk auth_pass secretkeybase")
}

// isSetter reports whether a name and its value follow the word.
func isSetter(word string) bool {
	switch word {
	case "ENV", "ARG", "setenv", "SetEnv", "setx", "set", "export", "-gx", "-x", "-Ux", "fastcgi_param", "config", "uwsgi_param", "passenv", "--global", "enable":
		return true
	}
	return false
}

// cell reads the row | NAME | x | of a table, with its bar at i.
func (v *value) cell(s string, start, i int) (int, bool) {
	k := back(s, start, max(0, start-nameReach), isName)
	k = back(s, k, max(0, k-32), func(c byte) bool { return isAlnum(c) || isBlank(c) || isQuote(c) || c == '*' })
	first := k == 0 || s[k-1] == '\n'
	if !first && s[k-1] != '|' || first && !containsAny(s[v.nameFrom:v.nameTo], "passw pwd passphrase") {
		return 0, false
	}
	at := skip(s, i+1, min(len(s), i+40), func(c byte) bool { return isBlank(c) || isQuote(c) || c == '*' })
	to := skip(s, at, min(len(s), at+maxValue), isToken)
	to = skip(s, to, min(len(s), to+40), func(c byte) bool { return isBlank(c) || isQuote(c) || c == '*' })
	v.op = '\t'
	return i + 1, !first && to < len(s) && s[to] == '|' || at < to && (to == len(s) || s[to] == '\n')
}

// escapedOperator reads an operator as it is spelt in an address: %3D, or %3A
// with quotes around it. It returns where the value starts.
func (v *value) escapedOperator(s string, i int) (int, bool) {
	op := byte(0)
	for n := 0; n < 6 && i+2 < len(s); n++ {
		k := i
		if s[k] == '%' && s[k+1] == '2' && s[k+2] == '5' && k+4 < len(s) { // escaped twice
			k += 2
		}
		if s[i] == '+' && op != 0 {
			i++
			continue
		}
		if s[i] != '%' {
			break
		}
		switch code := s[k+1 : k+3]; {
		case code == "22" || code == "27" || code == "20" || code == "5B" || code == "5D" || code == "5b" || code == "5d":
		case (code == "3D" || code == "3d") && op == 0:
			op = '='
		case (code == "3A" || code == "3a") && op == 0:
			op = ':'
		default:
			return i, op != 0
		}
		i = k + 3
	}
	v.op, v.quote = '=', '%'
	return i, op != 0
}

// escapedEnd returns where a value of an address ends that starts at i: at an
// escape for what closes it.
func escapedEnd(s string, i int) int {
	most := min(len(s), i+maxValue)
	for k := i; k < most; k++ {
		switch c := s[k]; {
		case !isToken(c) || c == '&' || c == '<' || c == '>' || c == '\\':
			return k
		case c == '%' && k+2 < len(s) && (s[k+1] == '2' && (s[k+2] == '2' || s[k+2] == '6' || s[k+2] == '7' || s[k+2] == '0' || s[k+2]|0x20 == 'c') ||
			s[k+1] == '7' && s[k+2]|0x20 == 'd' || s[k+1] == '3' && s[k+2]|0x20 == 'b' || s[k+1] == '0'):
			return k
		case c == '%' && k+4 < len(s) && s[k+1:k+4] == "252" && (s[k+4] == '2' || s[k+4] == '6' || s[k+4] == '7'):
			return k
		}
	}
	return most
}

// rareOperator reads the operator at i that is an arrow, or the end of a key in
// a list of properties.
func (v *value) rareOperator(s string, i int) (int, bool) {
	switch {
	case i > 0 && isBlank(s[i-1]) && (hasFold(s[i:], "-> ") || hasFold(s[i:], "- ") && i == v.nameTo+1 && i+2 < len(s) && s[i-1] == ' '):
		v.op = ':'
		return i + len("-> "), true
	case hasFold(s[i:], arrow):
		v.op = ':'
		return i + len(arrow), true
	case i == v.nameTo && hasFold(s[i:], "<- ") || hasFold(s[i:], "<- \""):
		v.op = '='
		return i + len("<- "), true
	case hasFold(s[i:], "</"):
		return v.sibling(s, i)
	}
	return 0, false
}

// sibling reads <name>TOKEN</name> <value>x</value> from the tag at i on.
func (v *value) sibling(s string, i int) (int, bool) {
	i = skip(s, i+2, min(len(s), i+nameReach), isName)
	if i >= len(s) || s[i] != '>' {
		return 0, false
	}
	i = skip(s, i+1, min(len(s), i+nameReach), isSpace)
	to := skip(s, i+1, min(len(s), i+nameReach), isName)
	if to >= len(s) || s[i] != '<' || s[to] != '>' || !containsAny(s[i+1:to], "value string") && !isOneOf(s[i+1:to], "td dd") {
		return 0, false
	}
	v.op = '>'
	return to + 1, true
}

const arrow = "→"

// wideColon is the colon of Chinese and Japanese texts.
const wideColon = "："

// wideQuote returns the length of the typographic quote at i, or 0.
func wideQuote(s string, i int) int {
	if i+3 <= len(s) {
		switch s[i : i+3] {
		case "“", "”", "‘", "’", "「", "」", "『", "』", "„":
			return 3
		}
	}
	if i+2 <= len(s) && (s[i:i+2] == "«" || s[i:i+2] == "»") {
		return 2
	}
	return 0
}

// foreign looks for passwords that other scripts name. Their bytes would need
// more columns than the automaton has, so this probe steps over ASCII.
func (f *finder) foreign() {
	s := f.text
	for i := 0; i < len(s); {
		for i+8 <= len(s) && isASCII8(s[i:i+8]) {
			i += 8
		}
		if i >= len(s) || s[i] < 0x80 {
			i++
			continue
		}
		i = skip(s, i, len(s), func(c byte) bool { return c >= 0x80 })
		f.foreignName(i)
		i++
	}
}

// isASCII8 reports whether the first eight bytes of b are ASCII. The compiler
// makes one load of it.
func isASCII8(b string) bool {
	_ = b[7]
	all := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
	return all&0x8080808080808080 == 0
}

// foreignName looks whether the name of a password ends at i, where other bytes
// than ASCII do, or with the letters that follow.
func (f *finder) foreignName(i int) {
	s := f.text
	end := i
	op := false
	for k := 0; k < 4; k++ { // the operator may be of the other script too
		switch {
		case end >= 3 && (wideQuote(s, end-3) == 3 || wideQuote(s, end-2) == 2):
			end -= max(wideQuote(s, end-3), wideQuote(s, end-2))
			continue
		case end >= 3 && (s[end-3:end] == wideColon || s[end-3:end] == "是" || s[end-3:end] == "为" || s[end-3:end] == "為" || s[end-3:end] == "は" || s[end-3:end] == "＝"):
			end -= 3
			op = true
		}
		break
	}
	if !op && (i < 3 || s[i-3] < 0xe3) { // other scripts leave no blank
		end = skip(s, i, min(len(s), i+8), isLetter)
	}
	from := back(s, i, max(0, i-40), func(c byte) bool { return c >= 0x80 || isLetter(c) || c == ' ' })
	if !containsAny(s[from:end], "密码 密碼 口令 パスワード 비밀번호 비번 암호 ароль аролем аролю contraseña hasło lösenord şifre Şifre parolă jelszó סיסמה κωδικός ωδικός المرور รหัสผ่าน khẩu") {
		if containsAny(s[from:end], "токен ключ 密钥 密鑰 金鑰 令牌 トークン キー 토큰 키 schlüssel clé") {
			f.foreignKey(max(i, end))
		}
		return
	}
	f.foreignValue(end, max(i, end), op)
}

// foreignKey notes the key at i, or behind signs there.
func (f *finder) foreignKey(i int) {
	s := f.text
	for end := min(len(s), i+12); i < end; i++ {
		if hasFold(s[i:], wideColon) {
			i += len(wideColon) - 1
		} else if c := s[i]; !isBlank(c) && !isQuote(c) && c != ':' && c != '=' && c != '*' {
			break
		}
	}
	if i >= len(s) {
		return
	}
	w, _ := wordAt(s, i)
	word := s[w.from:w.to]
	word = word[:skip(word, 0, len(word), func(c byte) bool { return isBase64(c) || isName(c) })]
	if isMade(word) {
		f.add(f.ruleOf("generic-api-key"), w.from, w.from+len(word))
	}
}

// foreignValue notes the value behind the name that ends at end. What is up to
// i was read.
func (f *finder) foreignValue(end, i int, op bool) {
	s := f.text
	rule, start := f.ruleOf("generic-password"), end
	for n := 0; n < 10 && i < len(s); n++ {
		switch c := s[i]; {
		case (c == ':' || c == '=') && !op:
			op = true
			i++
		case isBlank(c) || isQuote(c) || c == '*':
			i++
		case hasFold(s[i:], wideColon) && !op:
			op = true
			i += len(wideColon)
		case wideQuote(s, i) > 0:
			i += wideQuote(s, i)
		default:
			n = 10
		}
	}
	if i >= len(s) {
		return
	}
	if !op {
		f.foreignSaid(rule, end, i)
		return
	}
	v := value{nameFrom: start, nameTo: end, from: i, op: '=', tight: true, last: true}
	if isQuote(s[i-1]) {
		v.quote = s[i-1]
	}
	v.op = ':'
	v.to = v.end(s, i)
	if k := skip(s, i, v.to, func(c byte) bool { return c < 0x80 }); k < v.to {
		v.to = k
	}
	if v.quote == 0 {
		for v.to > v.from && isSentenceEnd(s[v.to-1]) && s[v.to-1] != '!' {
			v.to--
		}
	}
	if val := s[v.from:v.to]; !isReference(val) && (isPassword(val, v) || isDigits(val)) {
		f.add(rule, v.from, v.to)
	}
}

// foreignSaid notes what a sentence gives to the name that ends at end: the word
// at i, or one further on.
func (f *finder) foreignSaid(rule, end, i int) {
	w, to := wordAt(f.text, i)
	if w.to > w.from && isSaid(f.text[w.from:w.to], endsLine(f.text, to)) {
		f.add(rule, w.from, w.to)
		return
	}
	f.saidAfter(rule, end)
}

// isDigits reports whether s is a password of digits.
func isDigits(s string) bool {
	return len(s) >= 6 && len(s) <= 20 && skip(s, 0, len(s), isDigit) == len(s)
}

// userBefore reports whether the line names a user before i.
func userBefore(s string, i int) bool {
	line := s[max(0, i-64):i]
	for k := len(line) - 1; k >= 0; k-- {
		if line[k] == '\n' || line[k] == ']' {
			line = line[k+1:]
			break
		}
	}
	return containsAny(line, "user login admin email account")
}

// behindPassFlag reports whether the word before i is a flag like -passin.
func behindPassFlag(s string, i int) bool {
	if i == 0 || !isBlank(s[i-1]) {
		return false
	}
	from := back(s, i-1, max(0, i-24), isName)
	return s[from] == '-' && containsFold(s[from:i], "pass")
}
