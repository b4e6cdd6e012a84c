package secret

import (
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/rules"
)

// findByRule returns the texts that rule finds in text.
func findByRule(text, rule string) (list []string) {
	for _, f := range Find(nil, text, rules.All) {
		if f.Rule == rule {
			list = append(list, text[f.Start:f.End])
		}
	}
	return list
}

func TestNationalPhones(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ number, in string }{
		{"020 7946 " + "0958", "Telephone: %s"}, {"01632 960 " + "983", "Phone %s"}, {"0161 496 " + "0100", "Tel. %s"}, {"07700 " + "900123", "text me on %s"},
		{"089 / 123 " + "456 78", "Telefon: %s"}, {"(089) " + "12345678", "Telefon %s"}, {"0176-" + "12345678", "Handynr. %s"}, {"040/" + "1234567", "Tel: %s"},
		{"0171 " + "1234567", "Mobil: %s"}, {"0049 151 " + "23456789", "Telefonnummer %s"}, {"01 42 68 " + "53 00", "Tél : %s"}, {"06.12.34." + "56.78", "Portable : %s"},
		{"0142" + "685300", "Téléphone : %s"}, {"(415) 555-" + "2671", "Mobile: %s"}, {"212" + "5550187", "My phone number is %s"}, {"212-555-" + "0187", "call me at %s"},
		{"0800 123 " + "4567", "call %s"}, {"138" + "12345678", "手机：%s"}, {"138" + "12345678", "手机%s"}, {"021 1234 " + "5678", "联系电话：%s"},
		{"333 123 " + "4567", "Cellulare: %s"}, {"333" + "1234567", "cell. %s"}, {"612 345 " + "678", "Móvil: %s"}, {"91 123 " + "45 67", "Teléfono: %s"},
		{"(11) 98765-" + "4321", "Celular: %s"}, {"98765 " + "43210", "Mobile no: %s"}, {"987" + "6543210", "Mobile No. %s"}, {"0412 345 " + "678", "WhatsApp %s"},
		{"(02) 9876 " + "5432", "Phone: %s"}, {"8 (495) 123-" + "45-67", "Телефон: %s"}, {"03-1234-" + "5678", "電話: %s"}, {"020 7946 " + "0959", "fax number %s"},
		{"415-555-" + "2671", "<phone>%s</phone>"}, {"415-555-" + "2671", "<td>Phone</td><td>%s</td>"}, {"415-555-" + "2671", "| Phone | %s |"}, {"415" + "5552671", "contact_phone: %s"},
		{"415-555-" + "2671", "Phone (mobile): %s"}, {"5511" + "987654321", "whatsapp: %s"},
	} {
		text := fmt.Sprintf(row.in, row.number)
		if got := findByRule(text+" and more", "phone-number"); len(got) != 1 || got[0] != row.number {
			t.Errorf("%q: got %q", text, got)
		}
	}
	for _, in := range []string{`{"phone":"%s"}`, `{"手机":"%s"}`, `{"mobile_no":"%s"}`, `{"tel":"%s"}`} {
		number := "0412 345 " + "678"
		if out, n := RedactJSON([]byte(fmt.Sprintf(in, number)), rules.Personal, nil); n != 1 || string(out) != fmt.Sprintf(in, Marker) {
			t.Errorf("%s became %s", in, out)
		}
	}
}

func TestNoPhones(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"order number 4155552671", "Order no: 415-555-2671", "call 2024-01-15 at noon", "phone_id: 4155552671", "mobile version 10.0.1234.567", "mobile: 2024-05-06",
		"fax 2019-2024", "Call ID: 1234567890123", "callback 1234567890", "reach 1 000 000 000 users", "text 1234567890", "text: 1700000000", "invoice 030 1234567",
		"call_count=1234567890", "mobile 1.2.3.4", "ISBN 978-3-16-148410-0", "telemetry: 1234567890", "handy 2024-10-10 10:11:12", "SKU 030-1234567", "mobile users 123456789",
		"number: 415 555 2671", "id no: 98765 43210", "contact id 1234567890", "phone: 1.23456789", "phone model 1234567890", "tel aviv 1234567890", "call(1234567890)",
		`{"phone_id":"4155552671"}`, `{"order":"030 12345678"}`,
	} {
		if got := findByRule(text, "phone-number"); len(got) > 0 {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ rule, found, in string }{
		{"internal-hostname", "nas" + ".local", "DB_HOST=%s\n"}, {"internal-hostname", "wiki" + ".corp", `{"host": "%s"}`}, {"internal-hostname", "printer" + ".lan", "server: %s\n"},
		{"internal-hostname", "git" + ".intranet", "ssh %s"}, {"internal-hostname", "box" + ".home.arpa", "ping %s\n"}, {"internal-hostname", "mail" + ".localdomain", "SMTP_SERVER='%s'"},
		{"internal-hostname", "vault" + ".internal", "endpoint = \"%s\""}, {"machine-path", "/home/" + "asmith", "open %s failed"}, {"machine-path", "/home/" + "asmith", `{"path": "%s"}`},
		{"machine-path", "/home/" + "asmith", "at f (%s:12:3)"}, {"machine-path", "/Users/" + "kate", "cd %s\n"}, {"machine-path", "/Users/" + "Kate", "open /mnt/c%s/x"},
		{"machine-path", `\Users\` + "Kate", `dir C:%s`}, {"machine-path", `\\Users\\` + "Kate", `"C:%s"`}, {"email-address", "kim.lee" + "@" + "naver.com", "see https://x.io/a\n<a href=\"mailto:%s\">"},
	} {
		text := fmt.Sprintf(row.in, row.found)
		if got := findByRule(text, row.rule); len(got) != 1 || got[0] != row.found {
			t.Errorf("%q: got %q", text, got)
		}
	}
	deep := `{\"p\":\"C:\\\\Users\\\\` + `Kate\\\\x\"}`
	if got := findByRule(deep, "machine-path"); len(got) != 1 || !strings.HasSuffix(got[0], "Kate") {
		t.Errorf("%q: got %q", deep, got)
	}
	for _, text := range []string{
		"host = config.local;", "host=settings.local", "const host = env.local", "x = self.local", ".env.local", "import app.internal", "go/internal/x", "169.254.169.254", "169.254.170.2",
		"GET /home/asmith HTTP/1.1", `<a href="/home/asmith">`, "/users/asmith", "/home/about", "/home/$USER", "/home/user", "https://x.io/home/asmith", "/Users/${name}", "/home/*",
	} {
		if got := Find(nil, text, rules.Private); len(got) > 0 {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

// TestPhrasesAmongWords checks that phrases are found among other words of the list, several in a row,
// and across lines, and that a row of words without a checksum is not found.
func TestPhrasesAmongWords(t *testing.T) {
	t.Parallel()
	r := newRandom(41)
	some := func(n int) string {
		var list []string
		for range n {
			list = append(list, strings.TrimSpace(seedWords[r.IntN(2048)*seedWidth:][:seedWidth]))
		}
		return strings.Join(list, " ")
	}
	for _, size := range []int{12, 15, 18, 21, 24} {
		for range 6 {
			a, b, c := seedPhrase(r, size, " "), seedPhrase(r, size, " "), seedPhrase(r, size, " ")
			for _, text := range []string{
				a + " " + b + " " + c, a + "\n" + b + "\n" + c, a + ", " + b, a + " " + b, a + "\n" + b, "please write this secret phrase " + a, "then use exact same wallet open with " + a + " again",
				some(30) + " " + a + " " + some(30), some(7) + " " + a, a + " " + some(40), `x\n` + strings.ReplaceAll(a, " ", `\n`) + `\n`, strings.ReplaceAll(a, " ", `\r\n`),
			} {
				out, _ := Redact(text, rules.Secrets, nil)
				for _, p := range []string{a, b, c, strings.ReplaceAll(a, " ", `\n`), strings.ReplaceAll(a, " ", `\r\n`)} {
					if strings.Contains(text, p) && leakedPiece(out, p) != "" {
						t.Fatalf("%q became %q", text, out)
					}
				}
				if again, n := Redact(out, rules.Secrets, nil); n != 0 {
					t.Fatalf("a second time %q became %q", out, again)
				}
				for _, most := range []int{1, 40} {
					if got := streamText(text, func() int { return 1 + r.IntN(most) }); got != out {
						t.Fatalf("in pieces %q became %q, want %q", text, got, out)
					}
				}
			}
		}
	}
	wrong := 0
	for range 200 {
		for _, size := range []int{12, 24} {
			wrong += len(findByRule(some(size), rules.SeedPhrase))
		}
	}
	if wrong > 40 {
		t.Errorf("%d of 400 rows of words are phrases", wrong)
	}
}

// TestPhrasesWithUnicodeSpaces checks that a phrase is found whatever spaces are between its words and
// wherever a stream is split. Characters that only look like a space do not count.
func TestPhrasesWithUnicodeSpaces(t *testing.T) {
	t.Parallel()
	r := newRandom(43)
	for _, space := range []string{"\u00a0", "\u2009", "\u3000", "\u202f", "\u2003", "\u2028", "\u2029", "\u0085", "\u1680", "\u205f", " \u00a0", "\u00a0 ", "\u3000\u3000", ",\u00a0", "\u2003\n"} {
		for _, size := range []int{12, 15, 18, 21, 24} {
			p := seedPhrase(r, size, space)
			for _, text := range []string{p, "Hi, it's" + space + p + space + "- bye", "\u00fc\u00a0" + p + "\u00a0\u00fc", strings.Repeat("so\u00a0\u00fc\u00a0", 30) + p} {
				out, n := Redact(text, rules.Secrets, nil)
				if n != 1 || leakedPiece(out, p) != "" {
					t.Errorf("%q became %q", text, out)
				}
				for _, most := range []int{1, 40} {
					if got := streamText(text, func() int { return 1 + r.IntN(most) }); got != out {
						t.Errorf("in pieces %q became %q, want %q", text, got, out)
					}
				}
			}
		}
	}
	if text := seedPhrase(r, 12, "\u00b7"); len(findByRule(text, rules.SeedPhrase)) > 0 {
		t.Errorf("%q is a phrase", text)
	}
}

// TestStreamOfWords checks that a stream redacts a row of words, however long, as the whole text is
// redacted.
func TestStreamOfWords(t *testing.T) {
	t.Parallel()
	r := newRandom(42)
	var b strings.Builder
	for b.Len() < 300<<10 {
		b.WriteString(strings.TrimSpace(seedWords[r.IntN(2048)*seedWidth:][:seedWidth]) + []string{" ", "\n", ", "}[r.IntN(3)])
	}
	for _, text := range []string{b.String(), strings.Repeat("prose of no list, really\n", 900) + b.String()[:9000] + "\n" + strings.Repeat("and behind it nothing\n", 900)} {
		want, _ := Redact(text, rules.Secrets|rules.Personal, nil)
		got := []byte(nil)
		s := NewStream(rules.Secrets|rules.Personal, nil)
		for at := 0; at < len(text); {
			n := min(1+r.IntN(5000), len(text)-at)
			got = append(got, s.Write([]byte(text[at:at+n]))...)
			at += n
		}
		if got = append(got, s.Close()...); string(got) != want {
			t.Errorf("of %d bytes: got %d, want %d", len(text), len(got), len(want))
		}
	}
}

// TestEscapedTexts checks secrets in RedactJSON with escaped characters within other text.
func TestEscapedTexts(t *testing.T) {
	t.Parallel()
	r := newRandom(43)
	key := randomLetters(r, hexAZ, 30) + "a7"
	token := "ghp_" + randomLetters(r, base62, 36)
	spell := func(s string, odds int) string {
		var b strings.Builder
		for i := range len(s) {
			if r.IntN(odds) == 0 {
				fmt.Fprintf(&b, `\u%04x`, s[i])
			} else {
				b.WriteByte(s[i])
			}
		}
		return b.String()
	}
	for _, text := range []string{
		`password\u003d` + "zH4kd9" + `2jXw`, `{"a":"\u003cpassword\u003e` + "zH4kd9" + `2jXw\u003c/password\u003e"}`, `cmd "\u0027api_key\u0027 =\u003e \u0027` + key + `\u0027"`,
		`in \"a\\u0026token\\u003d` + key + `\"`,
	} {
		out, n := Redact(text, rules.Secrets, nil)
		if n != 1 || strings.Contains(out, "zH4kd9") || leakedPiece(out, key) != "" {
			t.Errorf("%q became %q", text, out)
		}
	}
	for range 200 {
		odds := 1 + r.IntN(8)
		text := "log: " + spell("x "+token+" y", odds) + " and é \\u00e9 more"
		out, n := Redact(text, rules.Secrets, nil)
		if n != 1 || leakedPiece(out, token) != "" || len(out) > 120 {
			t.Fatalf("%q became %q", text, out)
		}
		if got := streamText(text, func() int { return 1 + r.IntN(9) }); got != out {
			t.Fatalf("in pieces %q became %q, want %q", text, got, out)
		}
	}
	for _, text := range []string{`\u003cdiv\u003e`, `a \u003d\u003e b`, `\u00`, `\u003`, `token \u003d\u003d nil`, `\u0000\u0001`} {
		if list := Find(nil, text, rules.All); len(list) > 0 {
			t.Errorf("%q: got %v", text, list)
		}
	}
}

// TestOtherKeyBlocks checks key blocks in the formats of other programs and systems.
func TestOtherKeyBlocks(t *testing.T) {
	t.Parallel()
	r := newRandom(31)
	line := randomLetters(r, base64AZ, 48)
	putty := "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 1\n" + line + "\nPrivate-MAC: 00\n"
	hexed := randomLetters(r, hexAZ, 32)
	vpn := "-----BEGIN Open" + "VPN Static key V1-----\n" + hexed + "\n" + randomLetters(r, hexAZ, 32) + "\n-----END Open" + "VPN Static key V1-----\n"
	for _, c := range []struct{ text, secret string }{
		{putty, line}, {strings.ReplaceAll(putty, "\n", "\r\n"), line}, {strings.ReplaceAll(putty, "\n", `\n`), line}, {strings.ReplaceAll(putty, "\n", `\r\n`), line},
		{vpn, hexed}, {strings.ReplaceAll(vpn, "\n", "\r\n"), hexed}, {"<tls-auth>\n" + vpn + "</tls-auth>", hexed},
	} {
		if out, _ := Redact(c.text, rules.Secrets, nil); leakedPiece(out, c.secret) != "" {
			t.Errorf("%q became %q", c.text, out)
		}
	}
}

// TestPhraseLayouts checks phrases in various layouts.
func TestPhraseLayouts(t *testing.T) {
	t.Parallel()
	phrase := strings.Fields("scheme spot photo card baby mountain device kick cradle " + "pact join borrow") // a test vector of the standard
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
		out, n := Redact(text, rules.Secrets, nil)
		for _, w := range phrase {
			if n != 1 || strings.Contains(out, w) {
				t.Errorf("%q became %q", text, out)
				break
			}
		}
	}
}
