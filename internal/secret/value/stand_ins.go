package value

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/lex"
)

// This file recognises stand-ins for secrets: example words such as changeme, and runs of
// one character.

// IsFiller reports whether s is a stand-in for a token: it contains a part that no token contains,
// such as xxxx or example.
func IsFiller(s string) bool { return hasLongRun(s) || hasPart(s, fillersStartingWith) }

// IsStandIn reports whether s is a stand-in for a value without a recognisable form, such as a
// password. It rejects more parts than IsFiller.
func IsStandIn(s string) bool {
	at, _ := FindStandInPart(s)
	return at >= 0
}

// MaxPart is the maximum length of a part that FindStandInPart finds.
const MaxPart = 16

// FindStandInPart returns the span of the first part of s that makes it a stand-in, or -1, -1 if there
// is none.
func FindStandInPart(s string) (from, to int) {
	run := 1
	for i := range len(s) {
		if i > 0 && s[i] == s[i-1] && s[i] != 'A' && s[i] != '=' {
			if run++; run > maxRun {
				return i - maxRun, i + 1
			}
		} else {
			run = 1
		}
		c := lex.ToLower(s[i])
		if n := max(lex.PrefixLen(s[i:], fillersStartingWith(c)), lex.PrefixLen(s[i:], standInsStartingWith(c))); n > 0 {
			return i, i + n
		}
	}
	return -1, -1
}

// hasLongRun reports whether s has a run of one byte that is too long to be chance, such as xxxxxxxx
// or 00000000. Runs of A and = do not count, because they occur in base64.
func hasLongRun(s string) bool {
	run := 1
	for i := 1; i < len(s); i++ {
		if s[i] != s[i-1] || s[i] == 'A' || s[i] == '=' {
			run = 1
			continue
		}
		if run++; run > maxRun {
			return true
		}
	}
	return false
}

// maxRun is the maximum length of a run of one byte in a secret.
const maxRun = 7

// fillersStartingWith returns the lower-case parts that start with c and occur in stand-ins for
// tokens, but in no token. They are separated by spaces.
func fillersStartingWith(c byte) string {
	switch c {
	case '*':
		return "****"
	case '.':
		return "...."
	case '0':
		return "0123456789abcdef"
	case '4':
		return "4ec39hqlyjwdarjt" // Stripe's documentation
	case 'a':
		return "abcdefghijklm abc-def1234ghikl" // the second is from Telegram's documentation
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

// standInsStartingWith returns the lower-case parts that start with c and occur only in stand-ins for
// values without a recognisable form. They are separated by spaces.
func standInsStartingWith(c byte) string {
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

// hasPart reports whether s contains one of the parts that startingWith returns for its bytes, in any
// case. It reads s only once, because s can be long and overlap earlier values.
func hasPart(s string, startingWith func(c byte) string) bool {
	for i := range len(s) {
		if lex.PrefixLen(s[i:], startingWith(lex.ToLower(s[i]))) > 0 {
			return true
		}
	}
	return false
}

// EncodesStandIn reports whether s is base64 of a stand-in or a default password, such as changeme or
// admin123.
func EncodesStandIn(s string) bool {
	if len(s) > 64 || !IsBase64Text(s) {
		return false
	}
	var room [64]byte
	text := decode.Decode64(room[:0], s)
	if !decode.IsText(text) {
		return false
	}
	plain := strings.TrimSpace(string(text))
	return IsStandIn(plain) || lex.IsOneOf(strings.ToLower(plain), "password passwd passw0rd p@ssw0rd secret secretpassword mysecretpassword mypassword yourpassword changeme change-me change_me changeit example "+
		"placeholder username postgres supersecret admin root test guest dummy default todo replaceme replace-me replace_me letmein password123 admin123 test123")
}
