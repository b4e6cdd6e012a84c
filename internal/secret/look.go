package secret

// look looks at a hit of the anchor from start to end.
func (f *finder) look(rule, start, end int) {
	r := &rules[rule]
	switch r.by {
	case byShape:
		f.lookShape(r, rule, start, end)
	case byName:
		f.lookNamed(r, rule, start, end)
	case byGeneric, byPassword:
		f.lookGeneric(rule, start, end)
	case byHeader:
		f.lookHeader(rule, start, end)
	case byURL:
		f.lookURL(rule, start, end)
	case byJWT:
		f.lookJWT(rule, start, end)
	case byKeyBlock:
		f.lookKeyBlock(rule, start, end)
	default:
		f.lookRare(r, rule, start, end)
	}
}

// lookRare is look for the anchors that are seldom met.
func (f *finder) lookRare(r *rule, rule, start, end int) {
	switch r.by {
	case byDockerAuth:
		f.lookDockerAuth(r, rule, start, end)
	case byKube:
		f.lookKube(rule, start, end)
	case byPutty:
		f.lookPutty(rule, start, end)
	case byXprv:
		f.lookXprv(rule, start, end)
	case byCurl:
		f.lookCurl(rule, start, end)
	case byNetrc:
		f.lookNetrc(rule, start, end)
	case byPgpass:
		f.lookPgpass(rule, start, end)
	case byCommand:
		f.lookCommand(rule, start, end)
	case byLogin:
		f.lookLogin(rule, start, end)
	case byPiped:
		f.lookPiped(rule, start, end)
	case byIdentified:
		f.lookIdentified(rule, start, end)
	case bySecureString:
		f.lookSecureString(rule, start, end)
	case byThin:
		f.lookThin(rule, start, end)
	case byJWK:
		f.lookJWK(rule, start, end)
	case byCookie:
		f.lookCookie(rule, start, end)
	case bySession:
		f.lookSession(rule, start, end)
	default:
		f.lookCode(rule, start, end)
	}
}

// lookCode is look for what stands in code, commands and their output.
func (f *finder) lookCode(rule, start, end int) {
	switch rules[rule].by {
	case byPair:
		f.lookPair(rule, start, end)
	case byParted:
		f.lookParted(rule, start, end)
	case byLiteral:
		f.lookLiteral(rule, start, end)
	case byCall:
		f.lookCall(rule, start, end)
	case byTyping:
		f.lookTyping(rule, start, end)
	case byUserAndPassword:
		f.lookUserAndPassword(rule, start, end)
	case byKeyed:
		f.lookKeyed(rule, start, end)
	case byGiven:
		f.lookGiven(rule, start, end)
	case byEchoed:
		f.lookEchoed(rule, start, end)
	case byDSN:
		f.lookDSN(rule, start, end)
	case byShown:
		f.lookShown(rule, start, end)
	case byDecoded:
		f.lookDecoded(rule, start, end)
	case byBasic:
		f.lookBasic(rule, start, end)
	case byClient:
		f.lookClient(rule, start, end)
	case byTool:
		f.lookTool(rule, start, end)
	default:
		f.lookInput(rule, start, end)
	}
}

// lookInput is look for what is given to programs.
func (f *finder) lookInput(rule, start, end int) {
	switch rules[rule].by {
	case bySet:
		f.lookSet(rule, start, end)
	case byDialogue:
		f.lookDialogue(rule, start, end)
	case byWritten:
		f.lookWritten(rule, start, end)
	case bySetUser:
		f.lookSetUser(rule, start, end)
	case byUserSetting:
		f.lookUserSetting(rule, start, end)
	case byNewValue:
		f.lookNewValue(rule, start, end)
	default:
		f.lookPlace(rule, start, end)
	}
}

// lookPlace is look for personal data and places.
func (f *finder) lookPlace(rule, start, end int) {
	switch rules[rule].by {
	case byEmail:
		f.lookEmail(rule, start, end)
	case byPhone:
		f.lookPhone(rule, start, end)
	case byIPv4:
		f.lookIPv4(rule, start, end)
	case byIPv6:
		f.lookIPv6(rule, start, end)
	case byHost:
		f.lookHost(rule, start, end)
	case byPath:
		f.lookPath(rule, start, end)
	}
}

// lookShape looks for a token that starts with the anchor.
func (f *finder) lookShape(r *rule, rule, start, end int) {
	from := start
	reach := window
	if r.demands&long != 0 {
		if f.covered(start) {
			return
		}
		reach = longReach
	}
	if r.before != "" {
		if from = matchBefore(r.before, f.text, start); from < 0 {
			return
		}
	}
	if r.demands&loose == 0 && !opensWord(f.text, from) {
		return
	}
	if r.demands&long != 0 && f.tokenEnd(start) == len(f.text) {
		f.pend(start)
	}
	text := f.text[:min(len(f.text), start+reach)]
	if start+maxValue < len(text) && r.before == "" && r.demands&checksum == 0 && isDull(r, text[start:start+maxValue]) {
		return
	}
	to := matchShape(r.shape, text, start)
	if to < 0 {
		return
	}
	if r.demands&loose != 0 {
		to = skip(text, to, min(len(text), to+maxValue), isWord)
	} else if !closesWord(f.text, to) || insideBlob(f.text, from, to) {
		return
	}
	if r.demands&inside != 0 {
		from = end
	}
	if r.accepts(f.text[from:to]) {
		f.add(rule, from, to)
		if r.id == "aws-access-token" {
			f.awsPair(to)
		}
	}
}

// isDull reports whether a token that is longer than head, which it starts with,
// has too little in it. It spares reading all of many that overlap.
func isDull(r *rule, head string) bool {
	return r.least > 0 && r.demands&(loose|inside) == loose && entropy(head)*10 < float64(r.least) && matchShape(r.shape, head, 0) == len(head)
}

// insideBlob reports whether the token from i to end is only a part of a longer
// text in base64: signs join it to more of that.
func insideBlob(s string, i, end int) bool {
	if i < 2 || s[i-1] != '+' && s[i-1] != '/' && s[i-1] != '-' || !isAlnum(s[i-2]) {
		return false
	}
	if s[i-1] == '-' {
		from := back(s, i, max(0, i-64), isURLBase64)
		return !readsLikeWords(s[from : i-1])
	}
	if end < len(s) && (s[end] == '+' || s[end] == '/') {
		return true
	}
	from := back(s, i, max(0, i-64), isBase64)
	return i-from >= 12 && !readsLikeWords(s[from:i])
}

// tokenEnd returns the end of the run of bytes without spaces or quotes that i
// is in. Each run is walked through once.
func (f *finder) tokenEnd(i int) int {
	if i >= f.token {
		f.token = skip(f.text, i, len(f.text), isToken)
	}
	return f.token
}

// isToken reports whether a byte may be in a token.
func isToken(c byte) bool { return c > ' ' && c < 0x7f && !isQuote(c) }

// matchBefore returns where the text starts that has the shape before, of at
// most four items without groups, and that ends at i; or -1.
func matchBefore(before, text string, i int) int {
	m := matcher{shape: before}
	var items [4]int
	n := 0
	for p := 0; p < len(before); n++ {
		items[n] = p
		_, _, p = m.count(m.itemEnd(p))
	}
	for n--; n >= 0; n-- {
		var s set
		m.item(&s, items[n])
		least, most, _ := m.count(m.itemEnd(items[n]))
		k := 0
		for k < most && k < i && s.has(text[i-k-1]) {
			k++
		}
		if k < least {
			return -1
		}
		i -= k
	}
	return i
}

// accepts reports whether a token that has the rule's shape is good enough.
func (r *rule) accepts(token string) bool {
	if r.demands&checksum != 0 && hasGitHubChecksum(token) {
		return true
	}
	if r.demands&(digit|mixed|odd) != 0 {
		digits, uppers, lowers, _ := traits(token)
		if r.demands&digit != 0 && digits == 0 || r.demands&mixed != 0 && (uppers == 0 || lowers == 0) {
			return false
		}
		if r.demands&odd != 0 && readsLikeWords(token) {
			return false
		}
	}
	if len(token) > maxValue {
		token = token[:maxValue]
	}
	if r.least > 0 && entropy(token)*10 < float64(r.least) {
		return false
	}
	return r.demands&runs != 0 || !isFiller(token)
}
