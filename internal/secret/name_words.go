package secret

import "strings"

// wordAround returns the word of the name in which the bytes from start to end
// are. Words end at signs and digits, and before a capital that follows a
// small letter.
func wordAround(name string, start, end int) (int, int) {
	for start < end && !isLetter(name[start]) { // the anchor _pass
		start++
	}
	for end > start && !isLetter(name[end-1]) { // pass=
		end--
	}
	for start > 0 && isLetter(name[start-1]) && !(isLower(name[start-1]) && isUpper(name[start])) {
		start--
	}
	for end < len(name) && isLetter(name[end]) && !(isLower(name[end-1]) && isUpper(name[end])) {
		end++
	}
	return start, end
}

func lowerInto(dst []byte, s string) []byte {
	for i := range len(s) {
		dst = append(dst, lowered(s[i]))
	}
	return dst
}

// isLastWord reports whether no word follows the one that the anchor before
// end is in.
func isLastWord(name string, end int) bool {
	_, end = wordAround(name, end-1, end)
	return skip(name, end, len(name), func(c byte) bool { return !isLetter(c) }) == len(name)
}

// lastWord returns the word that s ends with, signs behind it aside.
func lastWord(s string) string {
	end := len(s)
	for end > 0 && !isLetter(s[end-1]) {
		end--
	}
	at := end
	for at > 0 && isLetter(s[at-1]) && !(at < end && isLower(s[at-1]) && isUpper(s[at])) {
		at--
	}
	return s[at:end]
}

// isOneOf reports whether word, in any case, is in the list.
func isOneOf(word, list string) bool {
	var room [32]byte // no list has a longer one
	if word == "" || len(word) > len(room) || len(word) > len(list) {
		return false
	}
	for i := range len(word) {
		if word[i] == ' ' {
			return false
		}
		room[i] = lowered(word[i])
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

// endsIn reports whether s ends in one of the list.
func endsIn(s, list string) bool {
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

func endsInFold(s, tail string) bool {
	return len(s) >= len(tail) && hasFold(s[len(s)-len(tail):], tail)
}

// firstWord returns the first word of s.
func firstWord(s string) string {
	from := skip(s, 0, len(s), isBlank)
	return s[from:skip(s, from, len(s), isLetter)]
}

// namesDigest reports whether a name is that of a checksum or a revision: of a
// hexadecimal text that is no secret.
func namesDigest(name string) bool {
	for i := range len(name) {
		if of := digestNames(lowered(name[i])); of != "" && partLen(name[i:], of) > 0 {
			return true
		}
	}
	return false
}

// digestNames returns what checksums and revisions are called that starts with c.
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
