package lex

import "strings"

// WordAround returns the span of the word of a name that contains the bytes from start to end. Words
// end at signs and digits, and before a capital that follows a lower-case letter.
func WordAround(name string, start, end int) (int, int) {
	for start < end && !IsLetter(name[start]) { // the anchor _pass
		start++
	}
	for end > start && !IsLetter(name[end-1]) { // pass=
		end--
	}
	for start > 0 && IsLetter(name[start-1]) && !(IsLower(name[start-1]) && IsUpper(name[start])) {
		start--
	}
	for end < len(name) && IsLetter(name[end]) && !(IsLower(name[end-1]) && IsUpper(name[end])) {
		end++
	}
	return start, end
}

// AppendLower appends s in lower case to dst.
func AppendLower(dst []byte, s string) []byte {
	for i := range len(s) {
		dst = append(dst, ToLower(s[i]))
	}
	return dst
}

// IsLastWord reports whether no word follows the one that contains the anchor before end.
func IsLastWord(name string, end int) bool {
	_, end = WordAround(name, end-1, end)
	return Skip(name, end, len(name), func(c byte) bool { return !IsLetter(c) }) == len(name)
}

// LastWord returns the last word of s, without signs after it.
func LastWord(s string) string {
	end := len(s)
	for end > 0 && !IsLetter(s[end-1]) {
		end--
	}
	at := end
	for at > 0 && IsLetter(s[at-1]) && !(at < end && IsLower(s[at-1]) && IsUpper(s[at])) {
		at--
	}
	return s[at:end]
}

// IsOneOf reports whether word, in any case, is in the list.
func IsOneOf(word, list string) bool {
	var room [32]byte // no list has a longer word
	if word == "" || len(word) > len(room) || len(word) > len(list) {
		return false
	}
	for i := range len(word) {
		if word[i] == ' ' {
			return false
		}
		room[i] = ToLower(word[i])
	}
	for at := 0; ; at++ {
		i := strings.Index(list[at:], string(room[:len(word)]))
		if i < 0 {
			return false
		}
		at += i
		if end := at + len(word); (at == 0 || list[at-1] == ' ') && (end == len(list) || list[end] == ' ') {
			return true
		}
	}
}

// HasSuffixOf reports whether s ends in one of the list.
func HasSuffixOf(s, list string) bool {
	for at := 0; at < len(list); {
		end := at
		for end < len(list) && list[end] != ' ' {
			end++
		}
		if tail := list[at:end]; len(s) >= len(tail) && s[len(s)-len(tail):] == tail {
			return true
		}
		at = end + 1
	}
	return false
}

// HasSuffixFold reports whether s ends in tail, which is in lower case, in any case.
func HasSuffixFold(s, tail string) bool {
	return len(s) >= len(tail) && HasPrefixFold(s[len(s)-len(tail):], tail)
}

// FirstWord returns the first word of s.
func FirstWord(s string) string {
	from := Skip(s, 0, len(s), IsBlank)
	return s[from:Skip(s, from, len(s), IsLetter)]
}

// NamesDigest reports whether a name is that of a checksum or a revision, whose hexadecimal value is
// not a secret.
func NamesDigest(name string) bool {
	for i := range len(name) {
		if of := digestNames(ToLower(name[i])); of != "" && PrefixLen(name[i:], of) > 0 {
			return true
		}
	}
	return false
}

// digestNames returns the names of checksums and revisions that start with c.
func digestNames(c byte) string {
	switch c {
	case 's':
		return "sha1 sha2 sha5"
	case 'm':
		return "md5"
	case 'c':
		return "checksum"
	case 'd':
		return "digest"
	case 'i':
		return "integrity"
	case 'r':
		return "revision"
	case 'f':
		return "fingerprint"
	case 't':
		return "thumbprint"
	case 'e':
		return "etag"
	}
	return ""
}
