package secret

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf16"
)

// The samples are secrets, and the places and spellings in which they occur. They are
// assembled at run time, so that no scanner finds them in this file.

const (
	lowers       = "abcdefghijklmnopqrstuvwxyz"
	uppers       = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	sampleDigits = "0123456789"
	hexes        = "0123456789abcdef"
)

// sampleText returns n random characters of alphabet, the same in each run. The fourth is a digit and
// the fifth a letter, because random text nearly always has both.
func sampleText(n int, alphabet string) string {
	r := rand.New(rand.NewPCG(uint64(n), uint64(len(alphabet))))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	if at := strings.IndexAny(alphabet, lowers+uppers); n > 4 && at >= 0 {
		b[3], b[4] = '7', alphabet[at]
	}
	return string(b)
}

// sampleBase62 is sampleText with letters and digits.
func sampleBase62(n int) string { return sampleText(n, lowers+uppers+sampleDigits) }

// SampleTokens returns secrets that are recognisable by their own form, by name.
func SampleTokens() map[string]string {
	begin, end := "-----BEG"+"IN RSA PRIVATE", "-----E"+"ND RSA PRIVATE"
	return map[string]string{
		"amazon key":        "AK" + "IA" + sampleText(16, uppers+sampleDigits),
		"amazon session":    "AS" + "IA" + sampleText(16, uppers+sampleDigits),
		"amazon secret":     sampleBase62(17) + "/" + sampleBase62(12) + "+" + sampleBase62(9),
		"github classic":    "gh" + "p_" + sampleBase62(36),
		"github oauth":      "gh" + "o_" + sampleBase62(36),
		"github server":     "gh" + "s_" + sampleBase62(36),
		"github user":       "gh" + "u_" + sampleBase62(36),
		"github refresh":    "gh" + "r_" + sampleBase62(36),
		"github fine":       "github" + "_pat_" + sampleBase62(22) + "_" + sampleBase62(59),
		"gitlab":            "gl" + "pat-" + sampleBase62(20),
		"openai":            "s" + "k-" + sampleBase62(48),
		"openai project":    "s" + "k-proj-" + sampleBase62(20) + "-" + sampleBase62(20),
		"anthropic":         "s" + "k-ant-api03-" + sampleBase62(40),
		"stripe secret":     "s" + "k_live_" + sampleBase62(24),
		"stripe restricted": "r" + "k_live_" + sampleBase62(24),
		"stripe public":     "p" + "k_live_" + sampleBase62(24),
		"slack bot":         "xo" + "xb-" + sampleText(12, sampleDigits) + "-" + sampleBase62(24),
		"slack user":        "xo" + "xp-" + sampleText(12, sampleDigits) + "-" + sampleBase62(24),
		"google key":        "AI" + "za" + sampleBase62(35),
		"google oauth":      "ya" + "29." + sampleBase62(60),
		"jwt":               "ey" + "J" + sampleBase62(33) + ".ey" + "J" + sampleBase62(40) + "." + sampleBase62(43),
		"npm":               "np" + "m_" + sampleBase62(36),
		"pypi":              "py" + "pi-AgEIcHlwaS5vcmc" + sampleBase62(60),
		"digitalocean":      "do" + "p_v1_" + sampleText(64, hexes),
		"sendgrid":          "S" + "G." + sampleBase62(22) + "." + sampleBase62(43),
		"huggingface":       "h" + "f_" + sampleBase62(34),
		"age":               "AGE-SECRET" + "-KEY-1" + sampleText(58, uppers+sampleDigits),
		"private key":       begin + " KEY-----\n" + sampleBase62(64) + "\n" + sampleBase62(31) + "\n" + end + " KEY-----",
		"pgp key":           "-----BEG" + "IN PGP PRIVATE KEY BLOCK-----\n\n" + sampleBase62(64) + "\n=aB3d\n-----E" + "ND PGP PRIVATE KEY BLOCK-----",
		"key without end":   begin + " KEY-----\n" + sampleBase62(64) + "\n" + sampleBase62(10),
		"putty key":         "PuTTY-User" + "-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 1\n" + sampleBase62(64) + "\nPrivate-MAC: " + sampleText(12, hexes),
		"ethereum key":      "0x" + sampleText(64, hexes),
		"bare digest":       sampleText(64, hexes),
		"bare md5":          sampleText(32, hexes),
		"upper hex":         sampleText(48, sampleDigits+"ABCDEF"),
		"base32":            sampleText(52, uppers+"234567"),
		"base62":            sampleBase62(32),
		"base64":            sampleBase62(42) + "==",
		"telegram":          sampleText(9, sampleDigits) + ":AA" + sampleBase62(33),
	}
}

// SamplePasswords returns secrets that only a name or a place reveals.
func SamplePasswords() []string {
	return []string{"hunter2", "correct-horse", "Tr0ub4dor&3", "p@ssw0rd!", "s3cr3t/with/slash", "a.b.c", "12345678", "ünïcödé7"}
}

// SamplePlaces lists places of a token in a text.
var SamplePlaces = []string{
	"%s", "  %s\n", "it is %s, I think.", "a=%s", "a: '%s'", "f(\"%s\")", "echo %s | sh", "`%s`", "<b>%s</b>", "[%s]", "{%s}",
	"x;%s;y", `path\n%s\n`, "https://example.com/?q=%s&r=1", "https://%s@example.com/", "https://me:%s@example.com/x",
	"curl -H \"Authorization: Bearer %s\" https://example.com", "curl -H 'X-Token: %s' https://example.com",
	"export TOKEN=%s\nmake", "TOKEN=%s make", "--token %s --x", "--token=%s --x", "password: %s # mine", "key\t%s",
	"line one\nline two %s\nline three", "%s\r\n%s", "漢字%s漢字", "/srv/%s/x",
}

// SampleNamedPlaces lists places that make any value a secret.
var SampleNamedPlaces = []string{
	"PASSWORD=%s", "export DB_PASSWORD='%s'", "password: \"%s\"\nuser: me", "{\"password\":\"%s\",\"a\":1}", "--password %s", "--password=%s",
	"postgres://me:%s@db/x", "<password>%s</password>", "Authorization: Basic %s\nX: y", "const apiKey = \"%s\"", "api_key = %s\n",
	"client-secret: '%s'", "{\\\"token\\\":\\\"%s\\\"}", "setenv(\"SECRET\", \"%s\")", "name: PASSWORD\nvalue: \"%s\"", "cookie: %s",
}

// formatEachByte returns a function that writes every byte of a text with format.
func formatEachByte(format string) func(string) string {
	return func(s string) string {
		var out strings.Builder
		for _, c := range []byte(s) {
			fmt.Fprintf(&out, format, c)
		}
		return out.String()
	}
}

// insertEvery returns a function that inserts sep after every nth character of a text.
func insertEvery(sep string, n int) func(string) string {
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

// utf16Encoder returns a function that encodes a text in UTF-16.
func utf16Encoder(big bool) func(string) string {
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

// encode64 returns s in base64.
func encode64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// splitByBackslashes returns s with backslashes before some letters, but not before letters that would
// form an escape in other languages.
func splitByBackslashes(s string) string {
	var out strings.Builder
	for i, c := range []byte(s) {
		if i > 0 && i%3 == 0 && strings.IndexByte(lowers+uppers+sampleDigits, c) >= 0 && !strings.ContainsRune("ntrxuU0123", rune(c)) {
			out.WriteByte('\\')
		}
		out.WriteByte(c)
	}
	return out.String()
}

// SampleSpellings holds functions that write a text in another spelling, by name.
var SampleSpellings = map[string]func(string) string{
	"hex":                 func(s string) string { return hex.EncodeToString([]byte(s)) },
	"hex in capitals":     func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"hex behind 0x":       func(s string) string { return "0x" + hex.EncodeToString([]byte(s)) },
	"hex in pairs":        formatEachByte("%02x "),
	"hex with colons":     func(s string) string { return strings.TrimSuffix(formatEachByte("%02x:")(s), ":") },
	"hex as a list":       formatEachByte("0x%02x, "),
	"hex in lines":        func(s string) string { return insertEvery("\n", 60)(hex.EncodeToString([]byte(s))) },
	"hex escapes":         formatEachByte(`\x%02x`),
	"octal escapes":       formatEachByte(`\%03o`),
	"percents":            formatEachByte("%%%02X"),
	"percents, twice":     formatEachByte("%%25%02X"),
	"u escapes":           formatEachByte(`\u%04x`),
	"u escapes, twice":    formatEachByte(`\\u%04x`),
	"long escapes":        formatEachByte(`\U%08x`),
	"braced escapes":      formatEachByte(`\u{%x}`),
	"entities":            formatEachByte("&#%d;"),
	"entities in hex":     formatEachByte("&#x%x;"),
	"base64":              encode64,
	"base64 of hex":       func(s string) string { return encode64(hex.EncodeToString([]byte(s))) },
	"hex of base64":       func(s string) string { return hex.EncodeToString([]byte(encode64(s))) },
	"base64 of UTF-16":    func(s string) string { return encode64(utf16Encoder(false)(s)) },
	"empty quotes":        insertEvery(`""`, 3),
	"empty single quotes": insertEvery(`''`, 5),
	"one letter quoted":   func(s string) string { return s[:9] + `"` + s[9:10] + `"` + s[10:] },
	"backslashes":         splitByBackslashes,
	"line goes on":        insertEvery("\\\n", 7),
	"plus":                insertEvery(`" + "`, 6),
	"plus, single":        insertEvery(`'+'`, 4),
	"plus in a new line":  insertEvery("\" +\n\t\"", 11),
	"dots":                insertEvery(`' . '`, 6),
	"bars":                insertEvery(`' || '`, 6),
	"ampersands":          insertEvery(`" & "`, 6),
	"quotes that touch":   insertEvery(`"'`, 8),
	"zero width":          insertEvery("\u200b", 1),
	"joiners":             insertEvery("\u200d", 4),
	"byte order mark":     insertEvery("\ufeff", 6),
	"soft hyphens":        insertEvery("\u00ad", 6),
	"word joiner":         insertEvery("\u2060", 6),
	"directions":          insertEvery("\u202e", 6),
	"tags":                insertEvery("\U000e0041", 6),
	"spelt zero width":    insertEvery(`\u200b`, 6),
	"zero width entities": insertEvery(`&#8203;`, 6),
	"zero width percents": insertEvery(`%E2%80%8B`, 6),
	"NUL":                 insertEvery("\x00", 6),
	"spelt NUL":           insertEvery(`\u0000`, 6),
	"UTF-16LE":            utf16Encoder(false),
	"UTF-16BE":            utf16Encoder(true),
}
