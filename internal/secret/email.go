package secret

import "strings"

// E-mail addresses.

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
	if from == start || isNoMail(s, from) || strings.Contains(s[from:to], "..") || !isMailHost(s[end:to]) {
		return
	}
	if to < len(s) && (isWord(s[to]) || s[to] == '(') {
		return
	}
	if isOneOf(s[from:start], "git noreply no-reply donotreply do-not-reply hg svn user username name email your.email you root example foo bar test") {
		return
	}
	f.add(rule, from, to)
}

// isNoMail reports whether the address at i is the user of another address, or the
// id of a message.
func isNoMail(s string, i int) bool {
	if i == 0 {
		return false
	}
	switch s[i-1] {
	case '/', ':', '$', '%':
		return addressBefore(s, i)
	case '<':
		return isMessageID(s, i-1)
	}
	return false
}

// isMailHost reports whether a name can be that of somebody's host: not a file's,
// nor one of those for documents.
func isMailHost(host string) bool {
	dot := strings.LastIndexByte(host, '.')
	if dot <= 0 || host[0] == '.' {
		return false
	}
	label, top := host[strings.LastIndexByte(host[:dot], '.')+1:dot], host[dot+1:]
	if skip(label, 0, len(label), func(c byte) bool { return !isLetter(c) }) == len(label) {
		return false
	}
	if len(top) < 2 || skip(top, 0, len(top), isLetter) < len(top) {
		return false
	}
	if isOneOf(top, "png jpg jpeg gif svg webp service target socket timer mount js ts css go py rs so json yaml yml toml md txt "+
		"test invalid localhost local internal") {
		return false
	}
	return !isExampleHost(host) && !containsFold(host, "noreply")
}

// isMessageID reports whether the address that opens at i is the id of a message.
func isMessageID(s string, i int) bool {
	i = back(s, i, max(0, i-saidReach), func(c byte) bool { return c != '\n' && c != ':' })
	if i == 0 || s[i-1] != ':' {
		return false
	}
	header := s[:i-1]
	return endsInFold(header, "message-id") || endsInFold(header, "references") || endsInFold(header, "in-reply-to") || endsInFold(header, "content-id")
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
