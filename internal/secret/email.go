package secret

import "strings"

// E-mail addresses.

var byEmail = &reader{look: (*finder).lookEmail, rank: ofPerson}

// lookEmail reads the address around an @.
func (f *finder) lookEmail(rule, start, end int) {
	s := f.text
	from := back(s, start, max(0, start-64), isLocalByte)
	for from < start && !isAlnum(s[from]) {
		from++
	}
	to := skip(s, end, min(len(s), end+128), isDomainByte)
	for to > end && !isAlnum(s[to-1]) {
		to--
	}
	dot := strings.LastIndexByte(s[end:to], '.')
	if from == start || dot <= 0 || from > 0 && (s[from-1] == '/' || s[from-1] == ':' || s[from-1] == '$' || s[from-1] == '%') && addressBefore(s, from) {
		return
	}
	if from > 0 && s[from-1] == '<' && isMessageID(s, from-1) {
		return
	}
	label := s[end+strings.LastIndexByte(s[end:end+dot], '.')+1 : end+dot]
	if strings.Contains(s[from:to], "..") || s[end] == '.' || skip(label, 0, len(label), func(c byte) bool { return !isLetter(c) }) == len(label) {
		return
	}
	top := s[end+dot+1 : to]
	if len(top) < 2 || skip(top, 0, len(top), isLetter) < len(top) || to < len(s) && (isWord(s[to]) || s[to] == '(') {
		return
	}
	if isOneOf(top, "png jpg jpeg gif svg webp service target socket timer mount js ts css go py rs so json yaml yml toml md txt test invalid localhost local internal") {
		return
	}
	if isOneOf(s[from:start], "git noreply no-reply donotreply do-not-reply hg svn user username name email your.email you root example foo bar test") {
		return
	}
	if host := s[end:to]; isExampleHost(host) || containsFold(host, "noreply") {
		return
	}
	f.add(rule, from, to)
}

// isMessageID reports whether the address that opens at i is the id of a message.
func isMessageID(s string, i int) bool {
	i = back(s, i, max(0, i-saidReach), func(c byte) bool { return c != '\n' && c != ':' })
	return i > 0 && s[i-1] == ':' && (endsInFold(s[:i-1], "message-id") || endsInFold(s[:i-1], "references") || endsInFold(s[:i-1], "in-reply-to") || endsInFold(s[:i-1], "content-id"))
}

// addressBefore reports whether the bytes before i are those of scheme:// or
// of a password.
func addressBefore(s string, i int) bool {
	from := back(s, i, max(0, i-64), func(c byte) bool { return isToken(c) && c != '<' && c != '>' && c != ',' })
	return strings.Contains(s[from:i], "://")
}

func isLocalByte(c byte) bool {
	return isAlnum(c) || c == '.' || c == '_' || c == '%' || c == '+' || c == '-'
}

func isDomainByte(c byte) bool { return isAlnum(c) || c == '.' || c == '-' }

// isExampleHost reports whether a host is one of those kept for documents.
func isExampleHost(host string) bool {
	return endsInFold(host, "example.com") || endsInFold(host, "example.org") || endsInFold(host, "example.net") || endsInFold(host, "example.edu") ||
		endsInFold(host, ".example") || endsInFold(host, "domain.com") || endsInFold(host, "email.com") && len(host) == len("email.com") ||
		endsInFold(host, "yourcompany.com")
}
