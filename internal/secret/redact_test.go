package secret

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/rules"
)

// leakedPiece returns a piece of twelve bytes of secret that is still in out, or "" if there is none.
func leakedPiece(out, secret string) string {
	const piece = 12
	if len(secret) < piece {
		if strings.Contains(out, secret) {
			return secret
		}
		return ""
	}
	for i := 0; i+piece <= len(secret); i++ {
		if strings.Contains(out, secret[i:i+piece]) {
			return secret[i : i+piece]
		}
	}
	return ""
}

func TestRedact(t *testing.T) {
	for _, test := range sampleFindings() {
		text := test.before + test.secret + test.after
		out, n := Redact(text, rules.All, nil)
		if n == 0 || leakedPiece(out, test.secret) != "" {
			t.Errorf("%s: %q became %q", test.name, text, out)
		}
		if want := test.before + "[REDACTED]" + test.after; n == 1 && out != want {
			t.Errorf("%s: got %q, want %q", test.name, out, want)
		}
		if again, n := Redact(out, rules.All, nil); n != 0 || again != out {
			t.Errorf("%s: a second time %q became %q", test.name, out, again)
		}
	}
}

func TestRedactKeepsTheRest(t *testing.T) {
	for _, text := range harmlessTexts() {
		if out, n := Redact(text, rules.All, nil); n != 0 || out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
}

func TestRedactNames(t *testing.T) {
	name := func(rule string) string { return "[" + rule + "]" }
	for _, test := range sampleFindings() {
		text := test.before + test.secret + test.after
		out, _ := Redact(text, rules.All, name)
		if !strings.Contains(out, "["+test.rule+"]") {
			t.Errorf("%s: got %q", test.name, out)
		}
		if again, n := Redact(out, rules.All, name); n != 0 {
			t.Errorf("%s: a second time %q became %q", test.name, out, again)
		}
	}
}

func TestRedactBesideEachOther(t *testing.T) {
	r := newRandom(6)
	a := "AKIA" + randomLetters(r, upperAZ+"234567", 16)
	b := "ghp_" + randomLetters(r, base62, 36)
	for _, text := range []string{a + b, b + a, b + b, a + b + a, a + "," + b, a + "\n" + b} {
		out, _ := Redact(text, rules.All, nil)
		if leakedPiece(out, a) != "" && strings.Contains(text, a) || leakedPiece(out, b) != "" {
			t.Errorf("%q became %q", text, out)
		}
	}
}

// TestHostile redacts texts that are designed to be slow. A quadratic algorithm would not finish in
// the time of a test.
func TestHostile(t *testing.T) {
	const size = 64 << 10
	for _, part := range []string{
		"key", "key=", "password: ", "-----BEGIN PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("A", 40) + "\n", "eyJ", ".eyJ", ".eyJabcdefghijklmnop",
		"://", "a:b@", "://a:", "glpat-", "ghp_", "abandon ", "1,", "1, ", "12 ", "4111 ", "DE", "+1 ", "@", "a@b.", "AAAA", "A", "a-", "x.", "kind: Secret\ndata:\n a: AAAAAAAAAAAAAAAA\n",
		"curl -u ", "curl ", "machine login ", "\"", "\\", "'", "sk-", "xoxb-1", "data:\n  x: y\n", "10.", "fd00:", "/home/", "-us", "hooks.slack.com/", "ops_eyJ", "bedrock-api-key-",
	} {
		text := strings.Repeat(part, size/len(part))
		Find(nil, text, rules.All)
	}
}
