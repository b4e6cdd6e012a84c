package secret

import "math"

// The functions of this file tell what was made by chance from what somebody
// wrote: a key from a name, a password from a placeholder.

// common has a bit for each pair of letters that is usual in words: bit b-'a'
// of common[a-'a'] for the pair ab. They are 96 % of all pairs in the
// comments and names of the Go library, but less than half of the 676.
var common = [26]uint32{
	0x1bebd6f, 0x1164917, 0x13efddf, 0x0367979, 0x0fff97f, 0x01ed93d, 0x016e9d5, 0x01a5119, 0x2aef87f,
	0x0000000, 0x00c0111, 0x11c6d5d, 0x01cd917, 0x13efd7f, 0x07efd7f, 0x01ec9bd, 0x0100000, 0x13efd7d,
	0x15efddd, 0x19ef9bd, 0x00eb97f, 0x0004131, 0x0066191, 0x0088135, 0x00cb000, 0x0000010,
}

// entropy returns the information in s, in bits a byte, as its own bytes are
// distributed.
func entropy(s string) float64 {
	var count [256]uint16
	for i := range len(s) {
		count[s[i]]++
	}
	sum := 0.0
	for i := range len(s) { // each byte once, at its first place
		if n := count[s[i]]; n > 0 {
			sum += float64(n) * math.Log2(float64(n))
			count[s[i]] = 0
		}
	}
	n := float64(len(s))
	return math.Log2(n) - sum/n
}

// wordy returns how many bytes of s are in runs that read like words of four
// letters and more. A new word starts with a capital.
func wordy(s string) int {
	total := 0
	for i := 0; i < len(s); {
		if !isLetter(s[i]) {
			i++
			continue
		}
		end := wordEnd(s, i)
		if n := end - i; n >= 4 {
			strange := 0
			for k := i; k+1 < end; k++ {
				if common[s[k]|0x20-'a']&(1<<(s[k+1]|0x20-'a')) == 0 {
					strange++
				}
			}
			if strange <= n/6 {
				total += n
			}
		}
		i = end
	}
	return total
}

// wordEnd returns the end of the word of one case, or of a capital and small
// letters, that starts at i.
func wordEnd(s string, i int) int {
	k := i + 1
	if isUpper(s[i]) && k < len(s) && isUpper(s[k]) {
		for k < len(s) && isUpper(s[k]) {
			k++
		}
		return k
	}
	for k < len(s) && isLower(s[k]) {
		k++
	}
	return k
}

// readsLikeWords reports whether the better part of s is words.
func readsLikeWords(s string) bool { return wordy(s)*2 > len(s) }

// repeats reports whether s has a run of one byte that no chance made, like
// xxxxxxxx or 00000000. Of A there are long runs in base64.
func repeats(s string) bool {
	run := 1
	for i := 1; i < len(s); i++ {
		if s[i] != s[i-1] || s[i] == 'A' || s[i] == '=' {
			run = 1
			continue
		}
		if run++; run > mostRun {
			return true
		}
	}
	return false
}

// mostRun is how often one byte may follow itself.
const mostRun = 7

// isFiller reports whether s stands for a token rather than being one.
func isFiller(s string) bool { return repeats(s) || hasPart(s, fillers) }

// isStandIn is isFiller for values that have no shape of their own.
func isStandIn(s string) bool {
	at, _ := partIn(s)
	return at >= 0
}

// longestPart is how long a part is at most, and a run that no chance made.
const longestPart = 16

// standsIn is isStandIn for the text from i to end. Values without a space
// between them overlap, and what was read of one is not read again.
func (f *finder) standsIn(i, end int) bool {
	if i <= f.partFrom && f.partTo <= end && f.partTo > 0 {
		return true
	}
	from := i
	if f.clearFrom <= i && i < f.clearTo && f.clearTo <= end {
		from = max(i, f.clearTo-longestPart)
	}
	at, to := partIn(f.text[from:end])
	if at >= 0 {
		f.partFrom, f.partTo = from+at, from+to
		return true
	}
	f.clearFrom, f.clearTo = i, end
	return false
}

// partIn returns where the first part of s is that a secret does not have, or -1.
func partIn(s string) (from, to int) {
	run := 1
	for i := range len(s) {
		if i > 0 && s[i] == s[i-1] && s[i] != 'A' && s[i] != '=' {
			if run++; run > mostRun {
				return i - mostRun, i + 1
			}
		} else {
			run = 1
		}
		c := lowered(s[i])
		if n := max(partLen(s[i:], fillers(c)), partLen(s[i:], standIns(c))); n > 0 {
			return i, i + n
		}
	}
	return -1, -1
}

// partLen returns the length of the one of the parts that s starts with, or 0.
func partLen(s, parts string) int {
	for at := 0; at < len(parts); {
		end := at
		for end < len(parts) && parts[end] != ' ' {
			end++
		}
		if hasFold(s, parts[at:end]) {
			return end - at
		}
		at = end + 1
	}
	return 0
}

// fillers are the parts, in lower case, that start with c and are so telling of a
// secret which is not there that no token has them.
func fillers(c byte) string {
	switch c {
	case '*':
		return "****"
	case '.':
		return "...."
	case '0':
		return "0123456789abcdef"
	case '4':
		return "4ec39hqlyjwdarjt" // of Stripe's documents
	case 'a':
		return "abcdefghijklm abc-def1234ghikl" // and Telegram's
	case 'b':
		return "bqokikjovbii2hlw"
	case 'c':
		return "changeme"
	case 'e':
		return "example"
	case 'p':
		return "placeholder"
	case 'r':
		return "redacted"
	case 'x':
		return "xxxx"
	case 'y':
		return "your_ your-"
	}
	return ""
}

// standIns are those that tell as much of values without a shape.
func standIns(c byte) string {
	switch c {
	case '-':
		return "-here"
	case '_':
		return "____ _here"
	case 'a':
		return "api_key api-key apikey access_key access-key accesskey access_token access-token accesstoken auth_token auth-token authtoken"
	case 'c':
		return "change_me change-me client_secret client-secret client_id"
	case 'd':
		return "dummy deadbeef"
	case 'f':
		return "fake fixme"
	case 'g':
		return "getenv"
	case 'i':
		return "insert"
	case 'l':
		return "localhost"
	case 'm':
		return "my_ my- mysecret mytoken myapi mypass"
	case 'n':
		return "notreal not_real not-a-real"
	case 'o':
		return "os.environ"
	case 'p':
		return "private_key private-key password passwd process.env"
	case 'r':
		return "replace"
	case 's':
		return "sample super_secret super-secret supersecret some_ some- secret_key secret-key secretkey"
	case 't':
		return "todo test_ test- testtoken testkey testsecret"
	case 'u':
		return "undefined"
	case 'y':
		return "yourapi yourkey yourtoken yoursecret yourpass"
	}
	return ""
}

// hasPart reports whether one of the parts is in s, in any case. It reads s
// once: what it is asked about can be long, and overlap with what it was asked
// about before.
func hasPart(s string, startingWith func(c byte) string) bool {
	for i := range len(s) {
		if partLen(s[i:], startingWith(lowered(s[i]))) > 0 {
			return true
		}
	}
	return false
}

// containsAny reports whether one of the parts is in s, in any case.
func containsAny(s, parts string) bool {
	for at := 0; at < len(parts); {
		end := at
		for end < len(parts) && parts[end] != ' ' {
			end++
		}
		if containsFold(s, parts[at:end]) {
			return true
		}
		at = end + 1
	}
	return false
}

// containsFold reports whether part, in lower case, is in s in any case.
func containsFold(s, part string) bool {
	for i := 0; i+len(part) <= len(s); i++ {
		if lowered(s[i]) == part[0] && hasFold(s[i:], part) {
			return true
		}
	}
	return false
}

// hasFold reports whether s starts with part, which is in lower case.
func hasFold(s, part string) bool {
	if len(s) < len(part) {
		return false
	}
	for i := range len(part) {
		if lowered(s[i]) != part[i] {
			return false
		}
	}
	return true
}
