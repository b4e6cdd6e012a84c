package secret

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
)

// An expectedFinding is a text with a secret, and the rule that must find it.
type expectedFinding struct {
	name, before, secret, after, rule string
}

// sampleFindings returns secrets in typical places. They are random, but the same in every run.
func sampleFindings() []expectedFinding {
	r := newRandom(3)
	b62 := func(n int) string { return randomLetters(r, base62, n-3) + "aB3" }
	hx := func(n int) string { return randomLetters(r, hexAZ, n-2) + "a7" }
	list := []expectedFinding{
		{"environment", "export GITHUB_TOKEN=", "ghp_" + b62(36), "\n", "github-pat"},
		{"after a colour", "\x1b[31m", "ghp_" + b62(36), "\x1b[0m", "github-pat"},
		{"after an escape", `{"a":"x\n`, "AKIA" + randomLetters(r, upperAZ+"234567", 16), `\n"}`, "aws-access-token"},
		{"in an address, escaped", "?key%3D", "AIza" + b62(35), "&x=1", "gcp-api-key"},
		{"longer than usual", "token ", "ghp_" + b62(60), " ", "github-pat"},
		{"bearer", "Authorization: Bearer ", b62(32), "\r\n", "authorization-header"},
		{"bearer in code", `req.Header.Set("Authorization", "Bearer `, b62(32), `")`, "authorization-header"},
		{"basic", "authorization: basic ", base64.StdEncoding.EncodeToString([]byte("admin:" + b62(10))), "\n", "authorization-header"},
		{"curl header", `curl -H "X-Api-Key: `, hx(32), `" https://x`, "curl-auth-header"},
		{"curl user", "curl -sS -u admin:", b62(12), " https://x", "curl-auth-user"},
		{"address", "postgres://app:", b62(12), "@db:5432/app", "url-password"},
		{"address of redis", "redis://:", b62(12), "@cache:6379/0", "url-password"},
		{"address with a token", "https://", b62(30), "@git.host/x.git", "url-password"},
		{"netrc", "machine api.host\n  login me\n  password ", b62(12), "\n", "netrc-password"},
		{"pgpass", "\ndb.host:5432:app:me:", b62(12), "\n", "pgpass-password"},
		{"npmrc", "//registry.host/:_authToken=", b62(30), "\n", "npmrc-auth"},
		{"docker", `{"auths":{"r.io":{"auth": "`, base64.StdEncoding.EncodeToString([]byte("me:" + b62(14))), `"}}}`, "docker-registry-auth"},
		{"kubeconfig", "    client-key-data: ", base64.StdEncoding.EncodeToString([]byte(randomLetters(r, base64AZ, 90))), "\n", "kubeconfig-client-key"},
		{"manifest", "kind: Secret\nmetadata:\n  name: x\ndata:\n  key: ", base64.StdEncoding.EncodeToString([]byte(b62(12))), "\n", "kubernetes-secret-yaml"},
		{"storage key", "AccountName=x;AccountKey=", randomLetters(r, base64AZ, 84) + "aB3x==", ";End", "azure-storage-key"},
		{"AWS secret", "aws_secret_access_key = ", randomLetters(r, base64AZ, 37) + "aB3", "\n", "aws-secret-access-key"},
		{"password, quoted", `password = "`, "Tr0ub4dor&" + b62(3), `"`, "generic-password"},
		{"password of YAML", "  db_password: ", b62(12), "\n", "generic-password"},
		{"password flag", "mysql --password=", b62(12), " -h db", "generic-password"},
		{"password flag with a blank", "mysql --password ", b62(12), " -h db", "generic-password"},
		{"password in XML", "<Password>", b62(12), "</Password>", "generic-password"},
		{"password as an attribute", `<add name="dbPassword" value="`, b62(12), `"/>`, "generic-password"},
		{"password of a pod", "- name: DB_PASSWORD\n  value: ", b62(12), "\n", "generic-password"},
		{"key of a call", `os.Setenv("API_KEY", "`, b62(24), `")`, "generic-api-key"},
		{"key, typed", `api_key: str = "`, b62(24), `"`, "generic-api-key"},
		{"key in escaped JSON", `{\"api_key\": \"`, b62(24), `\"}`, "generic-api-key"},
		{"key of an address", "https://x/y?access_token=", b62(24), "&z=1", "generic-api-key"},
		{"token, UUID", `auth_token="`, "dafa7817-e246-48f3-91a7-" + hx(12), `"`, "generic-api-key"},
		{"token of map", `"session_secret" => '`, hx(40), `',`, "generic-api-key"},
		{"twilio", "sid ", "SK" + hx(32), ",", "twilio-api-key"},
		{"airtable", "x ", "pat" + b62(14) + "." + hx(64), " ", "airtable-personnal-access-token"},
		{"discord bot", "login(\"", base64.RawURLEncoding.EncodeToString([]byte("912345678901234567")) + "." + b62(6) + "." + b62(38), "\")", "discord-bot-token"},
		{"telegram", "https://api.telegram.org/bot", "123456789:AA" + b62(33), "/getMe", "telegram-bot-api-token"},
		{"EVM key", "DEPLOYER_PRIVATE_KEY=", "0x" + hx(64), "\n", "ethereum-private-key"},
		{"EVM key in prose", "my private key is ", "0x" + hx(64), ", keep it", "ethereum-private-key"},
		{"password in prose", "The password is ", "Tr0ub4dor&" + b62(3), " here", "generic-password"},
	}
	return append(append(list, verifiableKeys(r)...), samplePersonalData()...)
}

// verifiableKeys returns keys that contain a checksum or can be verified otherwise.
func verifiableKeys(r *rand.Rand) []expectedFinding {
	head := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`))
	body := base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"1234","name":"x","iat":1516239022}`))
	jwt := head + "." + body + "." + randomLetters(r, base62+"-_", 43)
	pem := keyBlock(r, "RSA PRIVATE KEY", "\n", 12)
	seed := randomLetters(r, base62, 32)
	key := ed25519.NewKeyFromSeed([]byte(seed))
	numbers := strings.ReplaceAll(strings.Trim(fmt.Sprint([]byte(key)), "[]"), " ", ", ")
	xprv := append([]byte{0x04, 0x88, 0xad, 0xe4}, []byte(randomLetters(r, base62, 74))...)
	return []expectedFinding{
		{"JWT", "Cookie: session=", jwt, "; x=1", "jwt"},
		{"JWT in base64", "x: ", base64.StdEncoding.EncodeToString([]byte(jwt)), "\n", "jwt-base64"},
		{"PEM", "key:\n", pem, "\n", "private-key"},
		{"PEM in a string", `"private_key": "`, keyBlock(r, "PRIVATE KEY", `\n`, 20), `\n"`, "private-key"},
		{"PEM without an end", "", strings.TrimSuffix(pem, "\n-----END RSA PRIVATE KEY-----"), "\n\nand prose after it", "private-key"},
		{"PGP", "", keyBlock(r, "PGP PRIVATE KEY BLOCK", "\n", 10), "\n", "private-key"},
		{"PuTTY", "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 3\n", randomLetters(r, base64AZ, 64) + "\n" + randomLetters(r, base64AZ, 64) + "\n" + randomLetters(r, base64AZ, 22) + "==", "\nPrivate-MAC: 00", "putty-private-key"},
		{"seed of 12", "my words: ", seedPhrase(r, 12, " "), ".", "bip39-seed-phrase"},
		{"seed in a sentence", "Hi, please keep this for me: ", seedPhrase(r, 12, " "), ", and tell nobody.", "bip39-seed-phrase"},
		{"seed of 24", "", seedPhrase(r, 24, " "), "", "bip39-seed-phrase"},
		{"seed of 15 in lines", "seed phrase:\n", seedPhrase(r, 15, "\n"), "\n", "bip39-seed-phrase"},
		{"seed in JSON", `["`, seedPhrase(r, 18, `","`), `"]`, "bip39-seed-phrase"},
		{"seed with spaces that do not break", "my words:\u00a0", seedPhrase(r, 12, "\u00a0"), "\u00a0ok", "bip39-seed-phrase"},
		{"seed with wide spaces", "", seedPhrase(r, 24, "\u3000"), "", "bip39-seed-phrase"},
		{"seed in capitals", "MNEMONIC=\"", strings.ToUpper(seedPhrase(r, 21, " ")), `"`, "bip39-seed-phrase"},
		{"WIF", "import ", encode58(withChecksum(append([]byte{0x80}, seed...))), " now", "bitcoin-wif-key"},
		{"WIF, compressed", "import ", encode58(withChecksum(append(append([]byte{0x80}, seed...), 1))), " now", "bitcoin-wif-key"},
		{"xprv", "master=", encode58(withChecksum(xprv)), "\n", "extended-private-key"},
		{"Solana numbers", "[", numbers, "]", "solana-private-key"},
		{"Solana base58", "key ", encode58(key), " ", "solana-private-key"},
		{"token in base64", "data: ", base64.StdEncoding.EncodeToString([]byte("config: token ghp_" + randomLetters(r, base62, 36) + " end")), "\n", "github-pat"},
	}
}

func samplePersonalData() []expectedFinding {
	return []expectedFinding{
		{"e-mail", "write to ", "jane.doe" + "@" + "acme-corp.io", ", please", "email-address"},
		{"phone", "call ", "+49 30 " + "12345678", " now", "phone-number"},
		{"phone, compact", "call ", "+1" + "4155550132", ".", "phone-number"},
		{"phone, national", "phone: ", "(415) 555-" + "0132", "\n", "phone-number"},
		{"phone of JSON", `"phoneNumber":"`, "030 " + "1234567", `"`, "phone-number"},
		{"card", "card ", "4111 1111 1111 " + "1111", " exp", "payment-card"},
		{"card, compact", "pay with ", "5555" + "555555554444", ".", "payment-card"},
		{"card of Amex", "amex ", "3782 822463 " + "10005", " ", "payment-card"},
		{"account", "IBAN ", "DE89 3704 0044 0532 " + "0130 00", " ok", "iban"},
		{"account, compact", "to ", "GB82WEST" + "12345698765432", ".", "iban"},
		{"address of a network", "ssh ", "192.168." + "7.23", " -p 22", "private-ipv4"},
		{"address and port", "http://", "10.20." + "30.40", ":8080/x", "private-ipv4"},
		{"address of a carrier", "via ", "100.64." + "3.9", "\n", "private-ipv4"},
		{"IPv6", "ping6 ", "fd12:3456:789a:1::" + "1", "\n", "private-ipv6"},
		{"IPv6, local to a link", "on ", "fe80::1ff:fe23:" + "4567:890a", "%eth0", "private-ipv6"},
		{"host", "https://", "build-07.eng" + ".corp", "/x", "internal-hostname"},
		{"host with a port", "dial ", "vault" + ".internal", ":8200", "internal-hostname"},
		{"home", "open ", "/home/" + "rsanchez", "/src/x.go", "machine-path"},
		{"home of a Mac", "open ", "/Users/" + "rsanchez", "/src/x.go", "machine-path"},
		{"home of Windows", `open C:`, `\Users\` + "rsanchez", `\src`, "machine-path"},
	}
}

// keyBlock returns a key of the given kind with n lines between its BEGIN and END lines.
func keyBlock(r *rand.Rand, kind, newline string, n int) string {
	parts := []string{"-----BEGIN " + kind + "-----"}
	if strings.HasPrefix(kind, "PGP") {
		parts = append(parts, "Version: GnuPG v2", "")
	}
	for range n {
		parts = append(parts, randomLetters(r, base64AZ, 64))
	}
	return strings.Join(append(parts, randomLetters(r, base64AZ, 22)+"==", "-----END "+kind+"-----"), newline)
}

// seedPhrase returns a valid seed phrase of n words.
func seedPhrase(r *rand.Rand, n int, between string) string {
	entropy := []byte(randomLetters(r, base62, n*32/3/8))
	sum := sha256.Sum256(entropy)
	bits := new(big.Int).SetBytes(append(entropy, sum[0]))
	bits.Rsh(bits, uint(8-n/3))
	words := make([]string, n)
	for i := n - 1; i >= 0; i-- {
		at := int(new(big.Int).And(bits, big.NewInt(2047)).Int64())
		words[i] = strings.TrimSpace(seedWords[at*seedWidth : (at+1)*seedWidth])
		bits.Rsh(bits, 11)
	}
	return strings.Join(words, between)
}

func withChecksum(b []byte) []byte {
	sum := sha256.Sum256(b)
	sum = sha256.Sum256(sum[:])
	return append(b, sum[:4]...)
}

const digits58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

func encode58(b []byte) string {
	n := new(big.Int).SetBytes(b)
	var out []byte
	for n.Sign() > 0 {
		var rest big.Int
		n.DivMod(n, big.NewInt(58), &rest)
		out = append(out, digits58[rest.Int64()])
	}
	slices.Reverse(out)
	return string(out)
}

func TestFindSamples(t *testing.T) {
	for _, test := range sampleFindings() {
		text := test.before + test.secret + test.after
		list := Find(nil, text, rules.All)
		at := len(test.before)
		i := slices.IndexFunc(list, func(f Finding) bool { return f.Start <= at && f.End >= at+len(test.secret) })
		if i < 0 {
			t.Errorf("%s: got %v in %q", test.name, list, text)
			continue
		}
		if list[i].Rule != test.rule || list[i].Start != at || list[i].End != at+len(test.secret) {
			t.Errorf("%s: got %v, want %s from %d to %d in %q", test.name, list[i], test.rule, at, at+len(test.secret), text)
		}
	}
}

// harmlessTexts returns texts in which nothing must be found.
func harmlessTexts() []string {
	r := newRandom(4)
	hx := func(n int) string { return randomLetters(r, hexAZ, n) }
	sum := sha256.Sum256([]byte("x"))
	wrong := strings.Fields(seedPhrase(r, 12, " "))
	slices.Sort(wrong)
	return []string{
		"id: 3f0a4b5e-91f2-4e2b-8c7d-" + hx(12), "commit " + hx(40), "sha256:" + hex.EncodeToString(sum[:]),
		"golang.org/x/oauth2 v0.25.0 h1:" + base64.StdEncoding.EncodeToString(sum[:]),
		"github.com/x/token v1.1.0/go.mod h1:" + base64.StdEncoding.EncodeToString(sum[:]),
		`<script src="x.js" integrity="sha512-` + randomLetters(r, base64AZ, 86) + `==">`,
		`"integrity": "sha512-` + randomLetters(r, base64AZ, 86) + `==",`,
		`"resolved": "https://registry.host/token/-/token-1.2.3.tgz#` + hx(40) + `"`,
		"data:image/png;base64,iVBORw0KGgo" + randomLetters(r, base64AZ, 400),
		"api_key = YOUR_API_KEY", "API_KEY=<token>", "token: ${TOKEN}", "password: $PASSWORD", "password = process.env.PASSWORD",
		`password: os.environ["DB_PASSWORD"]`, `token = os.getenv("TOKEN")`, "apiKey: 'xxxxxxxxxxxxxxxxxxxxxxxx'", `secret: "{{ vault_secret }}"`,
		"password: ********", `password="changeme"`, `"password": "password"`, "passwd=secret", `token: "your-token-here"`, "AKIAIOSFODNN7EXAMPLE",
		"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "sk_live_xxxxxxxxxxxxxxxxxxxxxxxx", "Authorization: Bearer $TOKEN", "Authorization: Bearer <your token>",
		"color: #a1b2c3; background: #ffaa00aa", "key: value", "primaryKey: true", `keyboard = "de-latin1-nodeadkeys"`, "tokenizer = 'bert-base-uncased-2018'",
		"func TestTokenRefreshWithExpiredSecret(t *testing.T) {", "password := readPassword(os.Stdin)", "if password != user.Password1 {", "token = tokens[i+1]",
		"const MaxPasswordLength = 128", "secretName: my-secret-v2", `secret_id = "projects/1234567890/secrets/db"`, "author: jane2000smith1990",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + randomLetters(r, base64AZ, 43) + " me@host", "-----BEGIN PUBLIC KEY-----\n" + randomLetters(r, base64AZ, 64) + "\n-----END PUBLIC KEY-----",
		"-----BEGIN CERTIFICATE-----\n" + randomLetters(r, base64AZ, 64) + "\n-----END CERTIFICATE-----", "write a -----BEGIN PRIVATE KEY----- line first",
		"the quick brown fox jumps over the lazy dog while people remember another simple story about winter", strings.Join(wrong, " "),
		strings.Repeat("abandon ", 11) + "about", "https://user@host/x", "https://host:8080/a@b", "git@github.com:x/y.git", "postgres://user:password@localhost/db",
		"http://${USER}:${PASS}@host", "mongodb://root:<password>@host", "version 10.2.0.1 of it", "v10.0.0.1", "127.0.0.1:80", "10.0.0.0/8 is private",
		"order 4111111111111111 of today", "4111 1111 1111 1112", "number 1234567890123456", "DE89 3704 0044 0532 0130 01", "user@example.com", "noreply@github.com",
		"1700000000000000000", "+0200", "a+12345678901", "x@2x.png", "getty@tty1.service", "/home/user/x", "/Users/username/x", "https://site.com/home/about/us",
		"self.local", "this.internal.value", "java.util.internal", "import foo.corp.Bar", "crypto/internal/fips140", "fc = fd", "deadbeef:cafe", "h264:fd00",
		`SRCREV = "` + hx(40) + `"`, "md5_key = " + hx(32), "Signature: keyId=\"x\",algorithm=\"hs2019\"", "max_tokens: 4096, temperature: 0.7", "next_page_token: 1234567890abcdef",
		`e.key==="ArrowDown1"`, "grid-template-areas:\"head1 head2\"", "a.b.c.d.e1.f2.g3.h4", "access_level=read_write_2", "auth: none", "API version: v2024-01-15-preview",
		`{"$schema":"https://json-schema.org/draft-07/schema#","type":"object"}`, `{"password":{"type":"string","minLength":8}}`, "[1,2,3," + strings.Repeat("4,", 60) + "5]",
	}
}

func TestFindNothingInHarmlessTexts(t *testing.T) {
	for _, text := range harmlessTexts() {
		if list := Find(nil, text, rules.All); len(list) > 0 {
			t.Errorf("got %v in %q", list, text)
		}
	}
}

func TestKinds(t *testing.T) {
	text := "ghp_" + randomLetters(newRandom(5), base62, 36) + " jane.doe" + "@" + "acme-corp.io 192.168." + "7.23"
	for _, want := range []rules.Kind{rules.Secrets, rules.Personal, rules.Private, rules.Secrets | rules.Private, rules.All} {
		var got rules.Kind
		for _, f := range Find(nil, text, want) {
			got |= f.Kind
		}
		if got != want {
			t.Errorf("got %b, want %b", got, want)
		}
	}
}

func TestFindAppends(t *testing.T) {
	dst := Find([]Finding{{Rule: "x"}}, "y", rules.All)
	if len(dst) != 1 || dst[0].Rule != "x" {
		t.Errorf("got %v", dst)
	}
}

func TestNothingFoundAllocatesNothing(t *testing.T) {
	text := strings.Repeat("func (f *finder) key(token string) (value []byte, err error) { return nil, nil }\n", 50)
	if n := testing.AllocsPerRun(10, func() { Find(nil, text, rules.All) }); n > 0 {
		t.Errorf("got %v allocations", n)
	}
}

func TestSeedWords(t *testing.T) {
	for i := range 2048 {
		word := strings.TrimSpace(seedWords[i*seedWidth : (i+1)*seedWidth])
		if got := seedWordIndex(word); got != i {
			t.Errorf("%s: got %d, want %d", word, got, i)
		}
	}
	for _, word := range []string{"", "ab", "abandone", "zzzz", "abandoned"} {
		if got := seedWordIndex(word); got >= 0 {
			t.Errorf("%s: got %d", word, got)
		}
	}
}

// TestSeedStops checks that bytes that end a phrase occur neither in a word nor between words.
func TestSeedStops(t *testing.T) {
	for c := range 128 {
		b := byte(c)
		if seedStops[c] && (lex.IsLetter(b) || isGapByte(b)) || !seedStops[c] && b > ' ' && b < 0x7f && !lex.IsLetter(b) && !isGapByte(b) {
			t.Errorf("%q: %v", b, seedStops[c])
		}
	}
}
