package secret

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/cputime"
	"github.com/checkrein/checkrein/internal/lab/full"
	"github.com/checkrein/checkrein/internal/secret/rules"
)

// hostileTexts returns texts that are designed to be slow, each of about size bytes.
func hostileTexts(size int) map[string]string {
	r := rand.New(rand.NewPCG(7, 7))
	many := func(s string) string { return strings.Repeat(s, size/len(s)+1)[:size] }
	half := func(a, b string) string { return many(a)[:size/2] + many(b)[:size/2] }
	mixed := func(parts ...string) string {
		var b strings.Builder
		for b.Len() < size {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		return b.String()[:size]
	}
	growing := func(unit string) string {
		var b strings.Builder
		for n := 1; b.Len() < size; n++ {
			b.WriteString(strings.Repeat(unit, n) + "=")
		}
		return b.String()[:size]
	}
	nested := "password=Kq7xx2pL9"
	for len(nested) < size/2 { // each level doubles the backslashes
		nested = `{"a":"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(nested) + `"}`
	}
	encoded := strings.Repeat(randomLetters(r, base64AZ, 60)+"\n", 4)
	numbered := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()[:size]
	}
	return map[string]string{
		"one letter":                   many("a"),
		"one long name":                "password_" + many("a") + "=x",
		"name far from its operator":   "password" + many(" ") + "= Kq7xx2pL9",
		"value without an end":         `password = "` + many("Kq7x"),
		"names, then values":           half("password ", "Kq7xx2pL9 "),
		"values, then names":           half("Kq7xx2pL9 ", "password "),
		"runs that grow":               growing("Zk3m"),
		"names that grow":              growing("key_"),
		"quotes that open":             many(`password="`),
		"quotes of all kinds":          mixed(`"`, `'`, "`", `\"`, `\'`, "password", "="),
		"brackets that open":           half("password(", "[{("),
		"JSON in JSON in JSON":         nested,
		"lists in lists":               strings.Repeat("[", size/2) + strings.Repeat("]", size/2),
		"objects in objects":           many(`{"password":`),
		"backslashes":                  many(`\`),
		"backslashes and names":        mixed(`\`, `\\`, "password", "=", `\n`, `\u0070`, `\x70`),
		"percents":                     many("%70%61"),
		"percents of percents":         many("%25%32%35"),
		"entities":                     many("&#112;"),
		"spellings mixed":              mixed("%70", `\u0070`, "&#112;", `\x70`, "&amp;", "\u200b", "\x00", "p"),
		"base64 in lines":              many(encoded),
		"base64 without lines":         many(strings.ReplaceAll(encoded, "\n", "")),
		"hexadecimal":                  many("70617373776f72643d4b71377878"),
		"beginnings of key blocks":     many("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n"),
		"ends of key blocks":           many("-----END RSA PRIVATE KEY-----\n"),
		"a key block without an end":   "-----BEGIN RSA PRIVATE KEY-----\n" + many(encoded),
		"words of seed phrases":        mixed("abandon ", "ability ", "able ", "zoo, ", "1. zone ", "letter\n"),
		"eleven words each":            many("legal winner thank year wave sausage worth useful legal winner thank. "),
		"numbers":                      numbered("%d, "),
		"numbers of cards":             many("4111 1111 1111 1112 "),
		"logins in addresses":          many("https://a:b@"),
		"an address without an end":    "https://" + many("a:") + "@x",
		"mail addresses":               many("a@b.c,"),
		"dots":                         half("eyJhbGciOi.", "."),
		"tables":                       "user,password\n" + many("a,Kq7xx2pL9\n"),
		"one table with many columns":  many("password,") + "\n" + "x",
		"bars":                         many("|password|Kq7|\n|-|-|\n"),
		"lines with numbers":           numbered("%d:password\n"),
		"lines of a diff":              mixed("+password\n", "-key\n", "+token: \n"),
		"questions without an answer":  many("what is the password?\n"),
		"statements":                   many("INSERT INTO users (password) VALUES ('Kq7xx2pL9'),"),
		"manifests":                    many("kind: Secret\ndata:\n  a: S3E3eHgycEw5\n"),
		"commands":                     mixed("mysql -u a -p", "curl -u a:", "sshpass -p ", "| sudo -S ", "echo ", "\\\n"),
		"the same password everywhere": numbered("DB_PASSWORD=Kq7xx2pL9\nKq7xx2pL9 Kq7xx2pL9 %d\n"),
		"other passwords everywhere":   numbered("DB_PASSWORD=Kq7xx2pL%d\n"),
		"other scripts":                many("пароль "),
		"spaces that do not break":     many("password\u00a0"),
		"bytes that are no text":       many("\xff\xfepassword="),
		"prefixes":                     mixed("ghp_", "glpat-", "AKIA", "sk-", "xoxb-", "eyJ", "AIza", "npm_", "hvs.", "0x"),
		"prefixes behind each other":   many("ghp_ghp_ghp_"),
		"cookies":                      many("Cookie: sid=Kq7xx2pL9Kq7xx2pL9; "),
		"headers":                      many("Authorization: Bearer \n"),
	}
}

// TestHostileTextsAreLinear checks that the time is linear in the size of a text, whatever it
// contains.
func TestHostileTextsAreLinear(t *testing.T) {
	full.Skip(t)
	const size = 512 << 10
	whole := hostileTexts(size)
	eighth := hostileTexts(size / 8)
	for name, text := range whole {
		if cputime.Explodes(func() { Find(nil, eighth[name], rules.All) }, func() { Find(nil, text, rules.All) }) {
			t.Errorf("%s: the time grows much faster than the text", name)
		}
		doc, part := []byte(wrapInJSON(text)), []byte(wrapInJSON(eighth[name]))
		if cputime.Explodes(func() { RedactJSON(part, rules.All, nil) }, func() { RedactJSON(doc, rules.All, nil) }) {
			t.Errorf("%s, in JSON: the time grows much faster than the text", name)
		}
	}
}

// BenchmarkHostile measures how fast hostile texts are searched.
func BenchmarkHostile(b *testing.B) {
	for name, text := range hostileTexts(512 << 10) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Find(nil, text, rules.Secrets)
			}
		})
	}
}

// TestNamesOnly checks that a text that consists of names of secrets is searched in time, because the
// output of a tool must not keep a guard busy.
func TestNamesOnly(t *testing.T) {
	for _, name := range []string{"password=", "apikeyapikey=Zk3mQ8vLx1Bn7Tc", "secret:Zk3mQ8vLx1Bn7Tc", "AccountKey=Zk3mQ8vLx1Bn7Tc", ":_authToken=x", "mysql -u x ", "mysql ", "x login /user:", `"kty""d":"` + "Zk3mQ8vLx1Bn7TcZk3mQ8vLx1Bn7TcZk3mQ8vLx1Bn7Tc" + `",`, "cookie=x;", "密码:", "password%22", "| key | ", "a|sudo -S ", "identified by ", "set key ",
		"password ", "password is ", "password: a|", "|password|", "password,", "name,password,", "password\n", "password?\n", "password:\n", "insert into x (password,", "(password, ", "insert into x(password)values('Kq7xx2pL9'),", "auth(", "login(\"a\",", ".fill(", "fill('password',",
		"creds a / ", "pw=Aa1!xx7Kq ", "pw=Aa1!xx7Kq pw=Bb2!xx7Kq ", "user,password\na,Kq7xx2pL9\n", "|a|password|\n|-|-|\n|a|Kq7xx2pL9|\n", "chpasswd:\na:Kq7xx2pL9\n", "jsonpath data.pass\nQUJDREVG", "<password a=\"b\" ", "password={", "x password {\"a\":", "community x",
		"basic QUJDREVGRw", "x:yyyyy@tcp(", "echo x | base64 -d ", "пароль ", "пароль is ", "密码", " --value x secret ", "password = x1\n", "the password for ", "PASS ", "<<< ", "cookie = {\"sid\": ", "phpsessid=", "password[", "${password:-", "password.fill(", "<td>password</td>"} {
		text := strings.Repeat(name, 128<<10/len(name))
		if cputime.Explodes(func() { Find(nil, text[:len(text)/8], rules.All) }, func() { Find(nil, text, rules.All) }) {
			t.Errorf("much of %q takes far too long", name)
		}
	}
}
