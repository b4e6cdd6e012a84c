package secret

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/cputime"
)

// The parts that stand for a secret, as one list.
var everyPart = func() (list []string) {
	for c := range 256 {
		list = append(list, strings.Fields(fillers(byte(c))+" "+standIns(byte(c)))...)
	}
	return list
}()

func TestStandIns(t *testing.T) {
	t.Parallel()
	if len(everyPart) != 78 {
		t.Errorf("%d parts", len(everyPart))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		part := everyPart[r.IntN(len(everyPart))]
		if r.IntN(2) == 0 { // and something that is none
			b := []byte(part)
			b[r.IntN(len(b))] = byte('a' + r.IntN(26))
			part = string(b)
		}
		s := "Q7" + part + "Zk"
		want := repeats(s)
		for _, p := range everyPart {
			want = want || strings.Contains(strings.ToLower(s), p)
		}
		if got := isStandIn(s); got != want {
			t.Fatalf("%q: %v", s, got)
		}
		if got := isStandIn(strings.ToUpper(s)); got != want && !repeats(strings.ToUpper(s)) {
			t.Fatalf("%q: %v", strings.ToUpper(s), got)
		}
	}
}

// A text that is nothing but names of secrets is read in time: whoever looks at
// what a tool returned must not be kept busy by it.
func TestNamesOnly(t *testing.T) {
	for _, name := range []string{"password=", "apikeyapikey=Zk3mQ8vLx1Bn7Tc", "secret:Zk3mQ8vLx1Bn7Tc", "AccountKey=Zk3mQ8vLx1Bn7Tc", ":_authToken=x", "mysql -u x ", "mysql ", "x login /user:", `"kty""d":"` + "Zk3mQ8vLx1Bn7TcZk3mQ8vLx1Bn7TcZk3mQ8vLx1Bn7Tc" + `",`, "cookie=x;", "密码:", "password%22", "| key | ", "a|sudo -S ", "identified by ", "set key ",
		"password ", "password is ", "password: a|", "|password|", "password,", "name,password,", "password\n", "password?\n", "password:\n", "insert into x (password,", "(password, ", "insert into x(password)values('Kq7xx2pL9'),", "auth(", "login(\"a\",", ".fill(", "fill('password',",
		"creds a / ", "pw=Aa1!xx7Kq ", "pw=Aa1!xx7Kq pw=Bb2!xx7Kq ", "user,password\na,Kq7xx2pL9\n", "|a|password|\n|-|-|\n|a|Kq7xx2pL9|\n", "chpasswd:\na:Kq7xx2pL9\n", "jsonpath data.pass\nQUJDREVG", "<password a=\"b\" ", "password={", "x password {\"a\":", "community x",
		"basic QUJDREVGRw", "x:yyyyy@tcp(", "echo x | base64 -d ", "пароль ", "пароль is ", "密码", " --value x secret ", "password = x1\n", "the password for ", "PASS ", "<<< ", "cookie = {\"sid\": ", "phpsessid=", "password[", "${password:-", "password.fill(", "<td>password</td>"} {
		text := strings.Repeat(name, 128<<10/len(name))
		if cputime.Explodes(func() { Find(nil, text[:len(text)/8], All) }, func() { Find(nil, text, All) }) {
			t.Errorf("much of %q takes far too long", name)
		}
	}
}

// Blocks of keys as other programs and systems write them.
func TestOtherKeyBlocks(t *testing.T) {
	t.Parallel()
	r := random(31)
	line := letters(r, base64AZ, 48)
	putty := "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 1\n" + line + "\nPrivate-MAC: 00\n"
	hexed := letters(r, hexAZ, 32)
	vpn := "-----BEGIN Open" + "VPN Static key V1-----\n" + hexed + "\n" + letters(r, hexAZ, 32) + "\n-----END Open" + "VPN Static key V1-----\n"
	for _, c := range []struct{ text, secret string }{
		{putty, line}, {strings.ReplaceAll(putty, "\n", "\r\n"), line}, {strings.ReplaceAll(putty, "\n", `\n`), line}, {strings.ReplaceAll(putty, "\n", `\r\n`), line},
		{vpn, hexed}, {strings.ReplaceAll(vpn, "\n", "\r\n"), hexed}, {"<tls-auth>\n" + vpn + "</tls-auth>", hexed},
	} {
		if out, _ := Redact(c.text, Secrets, nil); leaks(out, c.secret) != "" {
			t.Errorf("%q became %q", c.text, out)
		}
	}
}

// Phrases are written down in many ways.
func TestPhraseLayouts(t *testing.T) {
	t.Parallel()
	phrase := strings.Fields("scheme spot photo card baby mountain device kick cradle " + "pact join borrow") // a vector of the standard's
	grid, table := "", ""
	for i, w := range phrase {
		end := " "
		if i%3 == 2 {
			end = "\n"
		}
		grid += " " + string(rune('1'+i%9)) + ". " + w + strings.Repeat(" ", 9-len(w)) + end
		table += "| " + w + strings.Repeat(" ", 10-len(w)) + strings.Replace(end, "\n", "|\n", 1)
	}
	for _, text := range []string{strings.Join(phrase, "-"), grid, table, "| " + strings.Join(phrase, " | ") + " |", strings.Join(phrase, "\t\t")} {
		out, n := Redact(text, Secrets, nil)
		for _, w := range phrase {
			if n != 1 || strings.Contains(out, w) {
				t.Errorf("%q became %q", text, out)
				break
			}
		}
	}
}
