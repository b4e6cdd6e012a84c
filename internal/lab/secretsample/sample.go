// Package secretsample has secrets and the places and spellings in which they are met,
// for the tests of what finds them.
package secretsample

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf16"
)

// Secrets are put together at run time, so that no scanner trips over these
// files.

const (
	Lowers = "abcdefghijklmnopqrstuvwxyz"
	Uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	Digits = "0123456789"
	Hexes  = "0123456789abcdef"
)

// Fill returns n random characters, the same in each run, of which the fourth
// is a digit and the fifth a letter, as n random ones nearly always have both.
func Fill(n int, alphabet string) string {
	r := rand.New(rand.NewPCG(uint64(n), uint64(len(alphabet))))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	if at := strings.IndexAny(alphabet, Lowers+Uppers); n > 4 && at >= 0 {
		b[3], b[4] = '7', alphabet[at]
	}
	return string(b)
}

// Base62 is Fill with letters and digits.
func Base62(n int) string { return Fill(n, Lowers+Uppers+Digits) }

// Tokens are secrets that are known by their own looks.
func Tokens() map[string]string {
	begin, end := "-----BEG"+"IN RSA PRIVATE", "-----E"+"ND RSA PRIVATE"
	return map[string]string{
		"amazon key":        "AK" + "IA" + Fill(16, Uppers+Digits),
		"amazon session":    "AS" + "IA" + Fill(16, Uppers+Digits),
		"amazon secret":     Base62(17) + "/" + Base62(12) + "+" + Base62(9),
		"github classic":    "gh" + "p_" + Base62(36),
		"github oauth":      "gh" + "o_" + Base62(36),
		"github server":     "gh" + "s_" + Base62(36),
		"github user":       "gh" + "u_" + Base62(36),
		"github refresh":    "gh" + "r_" + Base62(36),
		"github fine":       "github" + "_pat_" + Base62(22) + "_" + Base62(59),
		"gitlab":            "gl" + "pat-" + Base62(20),
		"openai":            "s" + "k-" + Base62(48),
		"openai project":    "s" + "k-proj-" + Base62(20) + "-" + Base62(20),
		"anthropic":         "s" + "k-ant-api03-" + Base62(40),
		"stripe secret":     "s" + "k_live_" + Base62(24),
		"stripe restricted": "r" + "k_live_" + Base62(24),
		"stripe public":     "p" + "k_live_" + Base62(24),
		"slack bot":         "xo" + "xb-" + Fill(12, Digits) + "-" + Base62(24),
		"slack user":        "xo" + "xp-" + Fill(12, Digits) + "-" + Base62(24),
		"google key":        "AI" + "za" + Base62(35),
		"google oauth":      "ya" + "29." + Base62(60),
		"jwt":               "ey" + "J" + Base62(33) + ".ey" + "J" + Base62(40) + "." + Base62(43),
		"npm":               "np" + "m_" + Base62(36),
		"pypi":              "py" + "pi-AgEIcHlwaS5vcmc" + Base62(60),
		"digitalocean":      "do" + "p_v1_" + Fill(64, Hexes),
		"sendgrid":          "S" + "G." + Base62(22) + "." + Base62(43),
		"huggingface":       "h" + "f_" + Base62(34),
		"age":               "AGE-SECRET" + "-KEY-1" + Fill(58, Uppers+Digits),
		"private key":       begin + " KEY-----\n" + Base62(64) + "\n" + Base62(31) + "\n" + end + " KEY-----",
		"pgp key":           "-----BEG" + "IN PGP PRIVATE KEY BLOCK-----\n\n" + Base62(64) + "\n=aB3d\n-----E" + "ND PGP PRIVATE KEY BLOCK-----",
		"key without end":   begin + " KEY-----\n" + Base62(64) + "\n" + Base62(10),
		"putty key":         "PuTTY-User" + "-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 1\n" + Base62(64) + "\nPrivate-MAC: " + Fill(12, Hexes),
		"ethereum key":      "0x" + Fill(64, Hexes),
		"bare digest":       Fill(64, Hexes),
		"bare md5":          Fill(32, Hexes),
		"upper hex":         Fill(48, Digits+"ABCDEF"),
		"base32":            Fill(52, Uppers+"234567"),
		"base62":            Base62(32),
		"base64":            Base62(42) + "==",
		"telegram":          Fill(9, Digits) + ":AA" + Base62(33),
	}
}

// Passwords are secrets that only a name or a place gives away.
func Passwords() []string {
	return []string{"hunter2", "correct-horse", "Tr0ub4dor&3", "p@ssw0rd!", "s3cr3t/with/slash", "a.b.c", "12345678", "ünïcödé7"}
}

// Places are where a token may stand in a text.
var Places = []string{
	"%s", "  %s\n", "it is %s, I think.", "a=%s", "a: '%s'", "f(\"%s\")", "echo %s | sh", "`%s`", "<b>%s</b>", "[%s]", "{%s}",
	"x;%s;y", `path\n%s\n`, "https://example.com/?q=%s&r=1", "https://%s@example.com/", "https://me:%s@example.com/x",
	"curl -H \"Authorization: Bearer %s\" https://example.com", "curl -H 'X-Token: %s' https://example.com",
	"export TOKEN=%s\nmake", "TOKEN=%s make", "--token %s --x", "--token=%s --x", "password: %s # mine", "key\t%s",
	"line one\nline two %s\nline three", "%s\r\n%s", "漢字%s漢字", "/srv/%s/x",
}

// NamedPlaces are places that make a secret of whatever stands there.
var NamedPlaces = []string{
	"PASSWORD=%s", "export DB_PASSWORD='%s'", "password: \"%s\"\nuser: me", "{\"password\":\"%s\",\"a\":1}", "--password %s", "--password=%s",
	"postgres://me:%s@db/x", "<password>%s</password>", "Authorization: Basic %s\nX: y", "const apiKey = \"%s\"", "api_key = %s\n",
	"client-secret: '%s'", "{\\\"token\\\":\\\"%s\\\"}", "setenv(\"SECRET\", \"%s\")", "name: PASSWORD\nvalue: \"%s\"", "cookie: %s",
}

// Each spells every byte of a text by a format.
func Each(format string) func(string) string {
	return func(s string) string {
		var out strings.Builder
		for _, c := range []byte(s) {
			fmt.Fprintf(&out, format, c)
		}
		return out.String()
	}
}

// Between puts something between the characters of a text, after every nth.
func Between(sep string, n int) func(string) string {
	return func(s string) string {
		var out strings.Builder
		for i, c := range []byte(s) {
			if i > 0 && i%n == 0 {
				out.WriteString(sep)
			}
			out.WriteByte(c)
		}
		return out.String()
	}
}

// UTF16 returns what writes a text in UTF-16.
func UTF16(big bool) func(string) string {
	return func(s string) string {
		var out []byte
		for _, u := range utf16.Encode([]rune(s)) {
			if big {
				out = append(out, byte(u>>8), byte(u))
			} else {
				out = append(out, byte(u), byte(u>>8))
			}
		}
		return string(out)
	}
}

// Base64 encodes a text.
func Base64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// shellWord splits a word by backslashes, where no letter behind one is an escape in
// other texts.
func shellWord(s string) string {
	var out strings.Builder
	for i, c := range []byte(s) {
		if i > 0 && i%3 == 0 && strings.IndexByte(Lowers+Uppers+Digits, c) >= 0 && !strings.ContainsRune("ntrxuU0123", rune(c)) {
			out.WriteByte('\\')
		}
		out.WriteByte(c)
	}
	return out.String()
}

// Spelt are ways to write a text so that it does not look like itself.
var Spelt = map[string]func(string) string{
	"hex":                 func(s string) string { return hex.EncodeToString([]byte(s)) },
	"hex in capitals":     func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"hex behind 0x":       func(s string) string { return "0x" + hex.EncodeToString([]byte(s)) },
	"hex in pairs":        Each("%02x "),
	"hex with colons":     func(s string) string { return strings.TrimSuffix(Each("%02x:")(s), ":") },
	"hex as a list":       Each("0x%02x, "),
	"hex in lines":        func(s string) string { return Between("\n", 60)(hex.EncodeToString([]byte(s))) },
	"hex escapes":         Each(`\x%02x`),
	"octal escapes":       Each(`\%03o`),
	"percents":            Each("%%%02X"),
	"percents, twice":     Each("%%25%02X"),
	"u escapes":           Each(`\u%04x`),
	"u escapes, twice":    Each(`\\u%04x`),
	"long escapes":        Each(`\U%08x`),
	"braced escapes":      Each(`\u{%x}`),
	"entities":            Each("&#%d;"),
	"entities in hex":     Each("&#x%x;"),
	"base64":              Base64,
	"base64 of hex":       func(s string) string { return Base64(hex.EncodeToString([]byte(s))) },
	"hex of base64":       func(s string) string { return hex.EncodeToString([]byte(Base64(s))) },
	"base64 of UTF-16":    func(s string) string { return Base64(UTF16(false)(s)) },
	"empty quotes":        Between(`""`, 3),
	"empty single quotes": Between(`''`, 5),
	"one letter quoted":   func(s string) string { return s[:9] + `"` + s[9:10] + `"` + s[10:] },
	"backslashes":         shellWord,
	"line goes on":        Between("\\\n", 7),
	"plus":                Between(`" + "`, 6),
	"plus, single":        Between(`'+'`, 4),
	"plus in a new line":  Between("\" +\n\t\"", 11),
	"dots":                Between(`' . '`, 6),
	"bars":                Between(`' || '`, 6),
	"ampersands":          Between(`" & "`, 6),
	"quotes that touch":   Between(`"'`, 8),
	"zero width":          Between("\u200b", 1),
	"joiners":             Between("\u200d", 4),
	"byte order mark":     Between("\ufeff", 6),
	"soft hyphens":        Between("\u00ad", 6),
	"word joiner":         Between("\u2060", 6),
	"directions":          Between("\u202e", 6),
	"tags":                Between("\U000e0041", 6),
	"spelt zero width":    Between(`\u200b`, 6),
	"zero width entities": Between(`&#8203;`, 6),
	"zero width percents": Between(`%E2%80%8B`, 6),
	"NUL":                 Between("\x00", 6),
	"spelt NUL":           Between(`\u0000`, 6),
	"UTF-16LE":            UTF16(false),
	"UTF-16BE":            UTF16(true),
}
