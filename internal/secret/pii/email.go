// Package pii finds personal data and private places: e-mail addresses, phone, card and account
// numbers, private addresses, internal hosts and home directories.
package pii

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/reader"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// This file finds e-mail addresses.

// FindEmail finds the e-mail address around the anchor @.
func FindEmail(f *search.Finder, rule, start, end int) {
	s := f.Text
	from := lex.SkipBack(s, start, max(0, start-64), isLocalByte)
	for from < start && !lex.IsAlnum(s[from]) {
		from++
	}
	to := lex.Skip(s, end, min(len(s), end+128), isDomainByte)
	for to > end && !lex.IsAlnum(s[to-1]) {
		to--
	}
	if from == start || isOtherAddress(s, from) || strings.Contains(s[from:to], "..") || !isMailHost(s[end:to]) {
		return
	}
	if to < len(s) && (lex.IsWordByte(s[to]) || s[to] == '(') {
		return
	}
	if lex.IsOneOf(s[from:start], "git noreply no-reply donotreply do-not-reply hg svn user username name email your.email you root example foo bar test") {
		return
	}
	f.Add(rule, from, to)
}

// isOtherAddress reports whether the address at i is the user part of a URL, or a message id.
func isOtherAddress(s string, i int) bool {
	if i == 0 {
		return false
	}
	switch s[i-1] {
	case '/', ':', '$', '%':
		return inURL(s, i)
	case '<':
		return isMessageID(s, i-1)
	}
	return false
}

// isMailHost reports whether host can be a mail host: it is neither a file name nor reserved for
// documentation.
func isMailHost(host string) bool {
	dot := strings.LastIndexByte(host, '.')
	if dot <= 0 || host[0] == '.' {
		return false
	}
	label, top := host[strings.LastIndexByte(host[:dot], '.')+1:dot], host[dot+1:]
	if lex.Skip(label, 0, len(label), func(c byte) bool { return !lex.IsLetter(c) }) == len(label) {
		return false
	}
	if len(top) < 2 || lex.Skip(top, 0, len(top), lex.IsLetter) < len(top) {
		return false
	}
	if lex.IsOneOf(top, "png jpg jpeg gif svg webp service target socket timer mount js ts css go py rs so json yaml yml toml md txt "+
		"test invalid localhost local internal") {
		return false
	}
	return !isExampleHost(host) && !lex.ContainsFold(host, "noreply")
}

// isMessageID reports whether the < at i opens the message id of a mail header.
func isMessageID(s string, i int) bool {
	i = lex.SkipBack(s, i, max(0, i-reader.SentenceReach), func(c byte) bool { return c != '\n' && c != ':' })
	if i == 0 || s[i-1] != ':' {
		return false
	}
	header := s[:i-1]
	return lex.HasSuffixFold(header, "message-id") || lex.HasSuffixFold(header, "references") || lex.HasSuffixFold(header, "in-reply-to") || lex.HasSuffixFold(header, "content-id")
}

// inURL reports whether the word that contains i has :// before i.
func inURL(s string, i int) bool {
	from := lex.SkipBack(s, i, max(0, i-64), func(c byte) bool { return lex.IsTokenByte(c) && c != '<' && c != '>' && c != ',' })
	return strings.Contains(s[from:i], "://")
}

func isLocalByte(c byte) bool {
	return lex.IsAlnum(c) || c == '.' || c == '_' || c == '%' || c == '+' || c == '-'
}

func isDomainByte(c byte) bool { return lex.IsAlnum(c) || c == '.' || c == '-' }

// isExampleHost reports whether host is one that documentation uses.
func isExampleHost(host string) bool {
	return lex.HasSuffixFold(host, "example.com") || lex.HasSuffixFold(host, "example.org") || lex.HasSuffixFold(host, "example.net") || lex.HasSuffixFold(host, "example.edu") ||
		lex.HasSuffixFold(host, ".example") || lex.HasSuffixFold(host, "domain.com") || lex.HasSuffixFold(host, "email.com") && len(host) == len("email.com") ||
		lex.HasSuffixFold(host, "yourcompany.com")
}
