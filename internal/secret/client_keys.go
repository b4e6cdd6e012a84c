package secret

import "strings"

// Keys that are given to a client or a program: new Client("X"), wandb login X,
// and secrets that code decodes before it uses them.

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

var byTool = &reader{look: (*finder).lookTool, rank: ofContext}

// lookTool reads the key that a program is given when somebody signs in with it:
// wandb login X, snyk auth X, shodan init X.
func (f *finder) lookTool(rule, start, end int) {
	s := f.text
	at := skip(s, end, min(len(s), end+8), isName)
	if !opensWord(s, start) || at >= len(s) {
		return
	}
	if hasFold(s[start:end], "codecov") && !isBlank(s[at]) { // bash <(curl -s https://codecov.io/bash) -t X
		rest := s[at:skip(s, at, min(len(s), at+nameReach), func(c byte) bool { return c != '\n' })]
		k := strings.Index(rest, " -t ")
		if k < 0 {
			return
		}
		at += k
	}
	if !isBlank(s[at]) {
		return
	}
	w := words{s: s, at: at, most: min(len(s), at+maxCommand/2)}
	given := hasFold(s[start:end], "codecov") || s[end-1] == ' '
	for n := 0; n < 12 && w.next(); n++ {
		from, to := w.inner()
		if given && to-from >= 16 && isMade(s[from:to]) {
			f.add(rule, from, to)
			return
		}
		given = given || containsAny(w.text(), "login auth init token key secret unseal config setup register connect") || isOneOf(w.text(), "-t -k -a set add push create alias")
	}
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

var byDialogue = &reader{look: (*finder).lookDialogue, rank: ofContext}

// lookDialogue reads the line behind a question for a password in base64, as a
// server of mail asks it.
func (f *finder) lookDialogue(rule, start, end int) {
	s := f.text
	nl := skip(s, end, min(len(s), end+4), func(c byte) bool { return c != '\n' })
	at := skip(s, nl, min(len(s), nl+6), func(c byte) bool { return isSpace(c) || c == 'C' || c == ':' || c == '>' || c == '-' })
	if nl < len(s) && at > nl {
		f.addEncoded(rule, at)
	}
}

var byWritten = &reader{look: (*finder).lookWritten, rank: ofContext}

// lookWritten reads <(echo X), the file that a flag for a secret names.
func (f *finder) lookWritten(rule, start, end int) {
	s := f.text
	line := s[back(s, start, max(0, start-48), func(c byte) bool { return c != '\n' }):start]
	if !containsAny(line, "pass secret token key pwd cred auth") {
		return
	}
	w := words{s: s, at: end, most: min(len(s), end+maxValue)}
	for w.next() {
		if from, to := w.inner(); to > from && s[from] != '-' && s[from] != '%' {
			f.addTyped(rule, from, to)
			return
		}
	}
}

var bySetUser = &reader{look: (*finder).lookSetUser, rank: ofContext}

// lookSetUser reads ACL SETUSER joe on >X.
func (f *finder) lookSetUser(rule, start, end int) {
	s := f.text
	line := s[end:skip(s, end, min(len(s), end+maxCommand/2), func(c byte) bool { return c != '\n' })]
	for i := 1; i+6 < len(line); i++ {
		if line[i] == '>' && (isBlank(line[i-1]) || isQuote(line[i-1])) && !isBlank(line[i+1]) {
			from := end + i + 1
			f.addTyped(rule, from, skip(s, from, min(len(s), from+maxValue), isToken))
		}
	}
}

var byUserSetting = &reader{look: (*finder).lookUserSetting, rank: ofContext}

// lookUserSetting reads joe:X behind a word of a setting: stats auth joe:X.
func (f *finder) lookUserSetting(rule, start, end int) {
	if w, _ := wordAt(f.text, skip(f.text, end, min(len(f.text), end+8), isBlank)); w.to > w.from {
		f.typedPair(rule, w.from, w.to)
	}
}

var byNewValue = &reader{look: (*finder).lookNewValue, rank: ofContext}

// lookNewValue reads New value: X, with the word password near it.
func (f *finder) lookNewValue(rule, start, end int) {
	s := f.text
	w, to := wordAt(s, skip(s, end, min(len(s), end+4), isBlank))
	if w.to > w.from && (containsFold(s[to:min(len(s), to+64)], "assword") || containsFold(s[max(0, start-64):start], "assword")) {
		f.addTyped(rule, w.from, w.to)
	}
}

// typedPair notes the password of joe:X.
func (f *finder) typedPair(rule, from, to int) {
	s := f.text
	colon := skip(s, from, to, func(c byte) bool { return c != ':' })
	if colon+1 < to && isUser(s[from:colon]) {
		f.addTyped(rule, colon+1, to)
	}
}
