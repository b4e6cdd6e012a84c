package mask

import (
	"math/rand/v2"
	"strings"
)

// Secrets are put together at run time, so that no scanner trips over these
// files.

const (
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
	hexes  = "0123456789abcdef"
)

// fill returns n random characters, the same in each run, of which the fourth
// is a digit and the fifth a letter, as n random ones nearly always have both.
func fill(n int, alphabet string) string {
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

func base62(n int) string { return fill(n, lowers+uppers+digits) }

// tokens are secrets that are known by their own looks.
func tokens() map[string]string {
	begin, end := "-----BEG"+"IN RSA PRIVATE", "-----E"+"ND RSA PRIVATE"
	return map[string]string{
		"amazon key":        "AK" + "IA" + fill(16, uppers+digits),
		"amazon session":    "AS" + "IA" + fill(16, uppers+digits),
		"amazon secret":     base62(17) + "/" + base62(12) + "+" + base62(9),
		"github classic":    "gh" + "p_" + base62(36),
		"github oauth":      "gh" + "o_" + base62(36),
		"github server":     "gh" + "s_" + base62(36),
		"github user":       "gh" + "u_" + base62(36),
		"github refresh":    "gh" + "r_" + base62(36),
		"github fine":       "github" + "_pat_" + base62(22) + "_" + base62(59),
		"gitlab":            "gl" + "pat-" + base62(20),
		"openai":            "s" + "k-" + base62(48),
		"openai project":    "s" + "k-proj-" + base62(20) + "-" + base62(20),
		"anthropic":         "s" + "k-ant-api03-" + base62(40),
		"stripe secret":     "s" + "k_live_" + base62(24),
		"stripe restricted": "r" + "k_live_" + base62(24),
		"stripe public":     "p" + "k_live_" + base62(24),
		"slack bot":         "xo" + "xb-" + fill(12, digits) + "-" + base62(24),
		"slack user":        "xo" + "xp-" + fill(12, digits) + "-" + base62(24),
		"google key":        "AI" + "za" + base62(35),
		"google oauth":      "ya" + "29." + base62(60),
		"jwt":               "ey" + "J" + base62(33) + ".ey" + "J" + base62(40) + "." + base62(43),
		"npm":               "np" + "m_" + base62(36),
		"pypi":              "py" + "pi-AgEIcHlwaS5vcmc" + base62(60),
		"digitalocean":      "do" + "p_v1_" + fill(64, hexes),
		"sendgrid":          "S" + "G." + base62(22) + "." + base62(43),
		"huggingface":       "h" + "f_" + base62(34),
		"age":               "AGE-SECRET" + "-KEY-1" + fill(58, uppers+digits),
		"private key":       begin + " KEY-----\n" + base62(64) + "\n" + base62(31) + "\n" + end + " KEY-----",
		"pgp key":           "-----BEG" + "IN PGP PRIVATE KEY BLOCK-----\n\n" + base62(64) + "\n=aB3d\n-----E" + "ND PGP PRIVATE KEY BLOCK-----",
		"key without end":   begin + " KEY-----\n" + base62(64) + "\n" + base62(10),
		"putty key":         "PuTTY-User" + "-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 1\nAAAA\nPrivate-MAC: " + fill(40, hexes),
		"ethereum key":      "0x" + fill(64, hexes),
		"bare digest":       fill(64, hexes),
		"bare md5":          fill(32, hexes),
		"upper hex":         fill(48, digits+"ABCDEF"),
		"base32":            fill(52, uppers+"234567"),
		"base62":            base62(32),
		"base64":            base62(42) + "==",
		"telegram":          fill(9, digits) + ":AA" + base62(33),
	}
}

// passwords are secrets that only a name or a place gives away.
func passwords() []string {
	return []string{"hunter2", "correct-horse", "Tr0ub4dor&3", "p@ssw0rd!", "s3cr3t/with/slash", "a.b.c", "12345678", "ünïcödé7"}
}
