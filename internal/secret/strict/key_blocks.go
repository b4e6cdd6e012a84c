package strict

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
)

const (
	keyBlockName = "PRIVATE KEY"
	keyNameReach = 48 // how far the name of a key is from the word before it
	puttyName    = "PuTTY-User-Key-File-"

	puttyLines = "Private-Lines:"
	puttyMAC   = "Private-MAC:"
)

// keyBlock cuts a private key whose line "-----BEGIN … PRIVATE KEY-----" has
// its word BEGIN at s[w:end].
func (p *scanner) keyBlock(w, end int) bool {
	s := p.s
	from := w
	for from > p.done && w-from < 8 && (s[from-1] == '-' || s[from-1] == ' ') {
		from--
	}
	if w-from < 4 {
		return false
	}
	to := keyEnd(s, end)
	if to == end {
		return false
	}
	p.cut(from, to)
	return true
}

// keyEnd returns the end of the private key whose first line has its word BEGIN
// before i: the line of its END, or the end of the text when that is missing.
// It returns i when it is no private key.
func keyEnd(s string, i int) int {
	n := strings.Index(s[i:min(i+keyNameReach, len(s))], keyBlockName)
	if n < 0 {
		return i
	}
	for i += n + len(keyBlockName); ; {
		n := strings.Index(s[i:], keyBlockName)
		if n < 0 {
			return len(s)
		}
		// The name of another key may come first, when an END is missing.
		before := s[max(i, i+n-keyNameReach) : i+n]
		i += n + len(keyBlockName)
		if at := strings.LastIndex(before, "END "); at > 0 && (before[at-1] == '-' || before[at-1] == ' ') {
			break
		}
	}
	i += len(s[i:]) - len(strings.TrimPrefix(s[i:], " BLOCK"))
	for i < len(s) && (s[i] == '-' || s[i] == ' ') {
		i++
	}
	return i
}

// puttyKey cuts a private key of PuTTY that starts with the word at w, or what is
// left of one whose first line was taken for something else.
func (p *scanner) puttyKey(w int) bool {
	s := p.s
	if !strings.HasPrefix(s[w:], puttyName) {
		i := w + len(puttyLines)
		if !strings.HasPrefix(s[w:], puttyLines) {
			i = w + len(puttyMAC)
			if !strings.HasPrefix(s[w:], puttyMAC) {
				return false
			}
		}
		if i = skipBlanks(s, i); i >= len(s) || !lex.IsHex(s[i]) {
			return false
		}
	}
	p.cut(w, puttyEnd(s, w))
	return true
}

// puttyEnd returns the end of the key of PuTTY that starts at i: behind its MAC,
// or the end of the text when that is missing.
func puttyEnd(s string, i int) int {
	n := strings.Index(s[i:], puttyMAC)
	if n < 0 {
		return len(s)
	}
	for i = skipBlanks(s, i+n+len(puttyMAC)); i < len(s) && lex.IsHex(s[i]); {
		i++
	}
	return i
}

// throughKeys returns the end of s[from:to], or that of a private key which
// starts there: a value may end with its line, but a key does not.
func throughKeys(s string, from, to int) int {
	for at := from; ; {
		n := strings.Index(s[at:to], "BEGIN")
		if n < 0 {
			break
		}
		at = keyEnd(s, at+n+len("BEGIN"))
		to = max(to, at)
	}
	if n := strings.Index(s[from:to], puttyName); n >= 0 {
		to = max(to, puttyEnd(s, from+n))
	}
	return to
}

// credentials cuts what follows a word like Bearer, which ends at i, and holds
// letters, digits and some more.
func (p *scanner) credentials(i int, more string) bool {
	s := p.s
	from := skipBlanks(s, i)
	if from == i {
		return false
	}
	var seen uint8
	to, mixed := from, false
	for ; to < len(s) && (byteKinds[s[to]]&alnumKind != 0 || strings.IndexByte(more, s[to]) >= 0); to++ {
		mixed = mixed || byteKinds[s[to]] == upperKind && seen&lowerKind != 0
		seen |= byteKinds[s[to]]
	}
	// Prose goes on with a word: basic functions, bearer tokens.
	if n := to - from; n < 8 || seen&digitKind == 0 && !mixed && n < 24 || to < len(s) && byteKinds[s[to]]&inRun != 0 {
		return false
	}
	p.cut(from, to)
	return true
}

// spoken cuts the value of a name that ends at i and has but white space
// behind it: with password 'x', identified by 'x', login me password x.
func (p *scanner) spoken(w, i int) bool {
	s := p.s
	v := skipBlanks(s, i)
	if v == i || v == len(s) || byteKinds[s[v]] == signKind {
		return false
	}
	if byteKinds[s[v]] != quoteKind && !strings.Contains(s[max(p.done, w-80):w], "login ") {
		return false
	}
	return p.mask(p.value(v))
}
