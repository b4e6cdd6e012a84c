package secret

import (
	"strings"
	"testing"
)

func TestStrictTextMasks(t *testing.T) {
	const pw = "hunter2"
	tests := []struct{ name, in, want string }{
		{"assignment", "password=" + pw, "password=[REDACTED]"},
		{"exported", "export STRIPE_SECRET_KEY=" + pw + " && run", "export STRIPE_SECRET_KEY=[REDACTED] && run"},
		{"double quotes", `PASSWORD="` + pw + ` x" next`, `PASSWORD="[REDACTED]" next`},
		{"single quotes", `PASSWORD='` + pw + `' next`, `PASSWORD='[REDACTED]' next`},
		{"escaped quotes", `{\"password\":\"` + pw + `\",\"a\":1}`, `{\"password\":\"[REDACTED]\",\"a\":1}`},
		{"escaped twice", `{\\\"password\\\":\\\"` + pw + `\\\",\\\"a\\\":1}`, `{\\\"password\\\":\\\"[REDACTED]\\\",\\\"a\\\":1}`},
		{"quote within", `password: "hun\"ter2" x`, `password: "[REDACTED]" x`},
		{"shell joins", `PASSWORD=hun"ter"2 x`, `PASSWORD=[REDACTED] x`},
		{"yaml", "db_password: " + pw + "\nport: 1", "db_password: [REDACTED]\nport: 1"},
		{"yaml block", "a:\n  secret: |\n    one\n    two\n  b: 1", "a:\n  secret: |\n    [REDACTED]\n  b: 1"},
		{"next line", "\"password\":\n   \"" + pw + "\"", "\"password\":\n   \"[REDACTED]\""},
		{"ini", "passwd = " + pw, "passwd = [REDACTED]"},
		{"camel case", "dbPassword: " + pw, "dbPassword: [REDACTED]"},
		{"kebab case", "client-secret: " + pw, "client-secret: [REDACTED]"},
		{"upper case", "API_KEY=" + pw, "API_KEY=[REDACTED]"},
		{"acronym", "APIKey: " + pw, "APIKey: [REDACTED]"},
		{"glued", "PGPASSWORD=" + pw + " psql", "PGPASSWORD=[REDACTED] psql"},
		{"numbered", "PASSWORD_2=" + pw, "PASSWORD_2=[REDACTED]"},
		{"dotted", "spring.datasource.password=" + pw, "spring.datasource.password=[REDACTED]"},
		{"subscript", `env["TOKEN"] = "` + pw + `"`, `env["TOKEN"] = "[REDACTED]"`},
		{"arrow", `'password' => '` + pw + `'`, `'password' => '[REDACTED]'`},
		{"makefile", "API_KEY := " + pw, "API_KEY := [REDACTED]"},
		{"code", `secret := "` + pw + `"`, `secret := "[REDACTED]"`},
		{"typed", `password: str = "` + pw + `"`, `password: str = "[REDACTED]"`},
		{"typed by a class", `token: SecretStr = "` + pw + `"`, `token: SecretStr = "[REDACTED]"`},
		{"typed go", `const apiKey string = "` + pw + `"`, `const apiKey string = "[REDACTED]"`},
		{"formatted", `token = f"` + pw + `"`, `token = f"[REDACTED]"`},
		{"triple quotes", `token = """` + "\n" + pw + `"""`, `token = """` + "\n" + `[REDACTED]"""`},
		{"long option", "login --password " + pw + " --user me", "login --password [REDACTED] --user me"},
		{"long option =", "login --password=" + pw + " --user me", "login --password=[REDACTED] --user me"},
		{"single dash", "login -password " + pw, "login -password [REDACTED]"},
		{"curl user", "curl -u me:" + pw + " https://x", "curl -u me:[REDACTED] https://x"},
		{"header", `curl -H "Authorization: Token ` + pw + `" https://x`, `curl -H "Authorization: [REDACTED]" https://x`},
		{"header line", "Authorization: Basic " + pw + "\nHost: x", "Authorization: [REDACTED]\nHost: x"},
		{"cookie", "Cookie: a=1; b=\"2\"\nHost: x", "Cookie: [REDACTED]\nHost: x"},
		{"set-cookie", "set-cookie: sid=abc; Path=/", "set-cookie: [REDACTED]"},
		{"own header", "curl -H 'X-Api-Key: " + pw + "' https://x", "curl -H 'X-Api-Key: [REDACTED]' https://x"},
		{"bearer", "use Bearer abc123def456 here", "use Bearer [REDACTED] here"},
		{"basic", "Basic dXNlcjpwYXNz", "Basic [REDACTED]"},
		{"address", "postgres://me:" + pw + "@db/x", "postgres://me:[REDACTED]@db/x"},
		{"address, no user", "redis://:" + pw + "@db:6379", "redis://:[REDACTED]@db:6379"},
		{"address, @ in it", "http://me:p@ss@host/", "http://me:[REDACTED]@host/"},
		{"address, slash in it", "http://me:p/ss@host/", "http://me:[REDACTED]@host/"},
		{"address, token", "https://abcdef0123456789@host/x", "https://[REDACTED]@host/x"},
		{"query", "https://x/?user=me&token=" + pw + "&page=2", "https://x/?user=me&token=[REDACTED]&page=2"},
		{"connection string", "Server=x;Password=" + pw + ";Port=1", "Server=x;Password=[REDACTED];Port=1"},
		{"element", "<password>" + pw + "</password>", "<password>[REDACTED]</password>"},
		{"call", `os.Setenv("PASSWORD", "` + pw + `")`, `os.Setenv("PASSWORD", "[REDACTED]")`},
		{"name and value", "- name: DB_PASSWORD\n  value: " + pw, "- name: DB_PASSWORD\n  value: [REDACTED]"},
		{"attributes", `<add key="Password" value="` + pw + `"/>`, `<add key="Password" value="[REDACTED]"/>`},
		{"sql", "CREATE USER me WITH PASSWORD '" + pw + "'", "CREATE USER me WITH PASSWORD '[REDACTED]'"},
		{"mysql", "IDENTIFIED BY '" + pw + "'", "IDENTIFIED BY '[REDACTED]'"},
		{"netrc", "machine x login me password " + pw, "machine x login me password [REDACTED]"},
		{"escaped line break", `a\npassword=` + pw + `\nb`, `a\npassword=[REDACTED]\nb`},
		{"openssl", "openssl -passin pass:" + pw, "openssl -passin pass:[REDACTED]"},
		{"passphrase", "passphrase: correct horse battery\nx", "passphrase: [REDACTED]\nx"},
		{"some key", "FOO_KEY=" + sampleBase62(20), "FOO_KEY=[REDACTED]"},
		{"path around it", "/srv/data/" + sampleBase62(40) + "/index.html", "/srv/data/[REDACTED]/index.html"},
		{"marked before", "password=[REDACTED]" + pw, "password=[REDACTED]"},
		{"empty marker", "password=[REDACTED]", "password=[REDACTED]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (Redactor{}).MaskText(tt.in); got != tt.want {
				t.Errorf("Text(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
			if got := (Redactor{}).MaskText(tt.want); got != tt.want {
				t.Errorf("Text(%q) = %q, want it unchanged", tt.want, got)
			}
		})
	}
}

func TestStrictTextFindsTokens(t *testing.T) {
	for name, token := range SampleTokens() {
		t.Run(name, func(t *testing.T) {
			for _, text := range []string{token, "x " + token, "it is \"" + token + "\".", "a\n" + token + "\nb", `a\n` + token, `a\u0026` + token, "a%3D" + token, "k_" + token} {
				if got := (Redactor{}).MaskText(text); strings.Contains(got, token) || !strings.Contains(got, Marker) {
					t.Errorf("Text(%q) = %q", text, got)
				}
			}
		})
	}
}

func TestStrictTextKeeps(t *testing.T) {
	sha1, sha256 := sampleText(40, hexes), sampleText(64, hexes)
	uuid := sampleText(8, hexes) + "-" + sampleText(4, hexes) + "-4" + sampleText(3, hexes) + "-a" + sampleText(3, hexes) + "-" + sampleText(12, hexes)
	for _, text := range []string{
		"",
		"plain words, and numbers: 12, 3.14159265358979323846264338327950288",
		"commit " + sha1,
		"https://example.com/x/commit/" + sha1 + "#readme",
		"image@sha256:" + sha256,
		"/v2/blobs/sha256/" + sha256,
		uuid,
		"/home/dev/.agent/sessions/" + uuid + ".jsonl",
		"github.com/checkrein/checkrein/internal/host/claude/testdata",
		"golang.org/x/sys v0.0.0-20240102150405-a1b2c3d4e5f6",
		"TestSomethingVeryLongCamelCaseNameThatNobodyWouldType",
		"some_very_long_snake_case_identifier_with_words_2",
		"github.com/checkrein/checkrein/blob/v1.22.333/docs/guides/getting-started-2.md",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30",
		"https://example.com:8443/a/b/c?d=e&f=g#h",
		"https://example.com/@scope/name/-/name-1.2.3.tgz",
		"git@example.com:org/name.git and git+ssh://git@example.com/org/name",
		"2006-01-02T15:04:05.000000000Z",
		"max_tokens=4096 token_count: 12 tokens_used=3 input_tokens: 7, tokens: 9",
		"author: Joe, authorized: yes, authority: x, authenticated: true",
		"token.go:15:3: undefined: x", "internal/auth/login.go:12: cookie.go:3:",
		"--- PASS: TestX (0.00s)", "PASS: 12 FAIL: 0", "compass: north, bypass=1",
		"password_policy: strict, secretName: web, token_type: bearer",
		"PASSWORD=$DB_PASSWORD", `password="${DB_PASSWORD}"`, "token: $(gcloud auth print-access-token)",
		`curl -H "Authorization: Bearer $TOKEN" https://x`, "password: {{ .Values.password }}",
		"password: null", "secret=true", `token: ""`, "password: %s", "password=***", "password: <password>",
		"std::token::Kind", "token := lexer.Next()", "if token == nil {", "key: value, primary_key=id",
		"docker run -u 1000:1000 alpine", "public_key: none",
		"basic functions and Basic authentication, bearer tokens of bad news",
		"the password is wrong", "--token-count 5 --max-tokens 100",
		"PWD=/work/project", "cd /work && PWD=/work make",
		"x86_64-unknown-linux-gnu aarch64-apple-darwin",
		"http://[::1]:8080/x", "data:text/plain;charset=utf-8",
		"漢字かな交じり文: 問題ない", "\xff\xfe invalid \xf0",
		"-----BEGIN CERTIFICATE-----", "sk-learn-style-class-names-that-are-long", "SG.SomethingLongWithoutANumber",
	} {
		if got := (Redactor{}).MaskText(text); got != text {
			t.Errorf("Text(%q)\n     = %q, want it unchanged", text, got)
		}
	}
}

// TestStrictTextHardlyAllocates checks that masking takes hardly any memory, apart from a copy of the
// parts with escapes, which are decoded and searched again.
func TestStrictTextHardlyAllocates(t *testing.T) {
	text := strings.ReplaceAll(strictSource(t, 32<<10), `\`, "/")
	if got := (Redactor{}).MaskText(text); got != text {
		t.Fatal("the sample is not clean")
	}
	if n := testing.AllocsPerRun(10, func() { Redactor{}.MaskText(text) }); n > 4 {
		t.Errorf("%v allocations, want 4 at most", n)
	}
}
