package lex

import "strings"

// WordAround returns the span of the word of name that contains name[start:end]. Words end at bytes
// that are no letters, and before an upper-case letter that follows a lower-case one.
func WordAround(name string, start, end int) (wordStart, wordEnd int) {
	for start < end && !IsLetter(name[start]) { // for the anchor _pass
		start++
	}
	for end > start && !IsLetter(name[end-1]) { // for the anchor pass=
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

// IsLastWord reports whether the word of name that contains the anchor, which ends at end, is its last
// word.
func IsLastWord(name string, end int) bool {
	_, end = WordAround(name, end-1, end)
	return Skip(name, end, len(name), func(c byte) bool { return !IsLetter(c) }) == len(name)
}

// LastWord returns the last word of s, without digits and punctuation after it. An upper-case letter
// after a lower-case one starts a word.
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

// IsOneOf reports whether word is in list, ignoring case. The words of the list are lower case and
// separated by spaces.
func IsOneOf(word, list string) bool {
	var room [32]byte // no word of a list is longer
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

// HasAnySuffix reports whether s ends with one of the words of list. It does not ignore case.
func HasAnySuffix(s, list string) bool {
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

// HasSuffixFold reports whether s ends with tail, ignoring case. The tail must be lower case.
func HasSuffixFold(s, tail string) bool {
	return len(s) >= len(tail) && HasPrefixFold(s[len(s)-len(tail):], tail)
}

// FirstWord returns the letters at the start of s, after blanks.
func FirstWord(s string) string {
	from := Skip(s, 0, len(s), IsBlank)
	return s[from:Skip(s, from, len(s), IsLetter)]
}

// NamesDigest reports whether name is that of a checksum or a revision, whose hexadecimal value is not
// a secret.
func NamesDigest(name string) bool {
	for i := range len(name) {
		if of := digestNamesStartingWith(ToLower(name[i])); of != "" && PrefixLen(name[i:], of) > 0 {
			return true
		}
	}
	return false
}

// digestNamesStartingWith returns the names of checksums and revisions that start with c, separated by
// spaces.
func digestNamesStartingWith(c byte) string {
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
