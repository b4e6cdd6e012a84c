package secret

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/rules"
)

// madeKeyPlaces lists places of a generated key, marked by §.
var madeKeyPlaces = []string{
	`#define DEEPGRAM_API_KEY "§"`, `(def pushover_token "§")`, `(defvar my-api-key "§")`, `define('STRIPE_SECRET', '§');`,
	"[Service]\nEnvironment=\"FLICKR_API_SECRET=§\"\n", "UPDATE app_config SET value='§' WHERE name='acme_api_key';", "INSERT INTO settings (value, name) VALUES ('x', 'y'); UPDATE s SET value = '§' WHERE name = 'token'", `{"value": "§", "name": "acme_token"}`, "aws ssm put-parameter --name /shop/acme_api_key --type SecureString --value §", "aws ssm put-parameter --name /shop/acme_key --value \"§\"",
	"The Auth0 secret we use in production is `§`, please keep it.", "El token de Acme es §", "Der Token für Acme lautet §.", "Le token de test est §", "* Pusher account -> secret § (created 2025-08-15)", "@Greta can you use this Flickr token for the staging run? §", "here's the API key for staging: §", "my Acme API key is §, thanks", "cohere key §", "tomtom key=§", "the Datadog key is §", "API token (prod): §",
	`client.setApiKey("§")`, `acme.api_key = "§"`, "export ACME_TOKEN=§", "-e ACME_TOKEN=§ acme/app", "ACME_TOKEN=§ ./run.sh", "--set acme.apiKey=§", `curl "https://api.acme.io/v1/x?apikey=§&q=1"`, "https://api.acme.io/v1/x?q=1&access_key=§", `apiKey: { mainnet: "§" }`, `API_TOKENS = ["§"]`, `"tokens": ["§"]`, "acme_token = \"§\" # prod", "12\tACME_SECRET=§", "+ACME_TOKEN: §", "src/a.ts:25:const ACME_TOKEN = \"§\"",
	"Authorization: AccessKey §", "Authorization: GenieKey §", "Authorization: Key §", `-H "Authorization: Acme-API-Key §"`, "Authorization: SSWS §", `"authorization": "ApiKey §"`,
}

// madeKeyCommands lists commands with a key as an argument.
var madeKeyCommands = []string{
	"wandb login §", "snyk auth §", "$ shodan init §", "a/b.sh:47:shodan init §", "ngrok config add-authtoken §", "ngrok authtoken §", "codecov -t §", "bash <(curl -s https://codecov.io/bash) -t §", "railway login --token §", "doppler configure set token §", "netlify login --auth §", "vercel --token §", "apify login -t §", "civo apikey add prod §", "vastai set api-key §", "nuget setapikey §", "vault operator unseal §",
}

// madeKeyCalls lists calls with keys among their arguments.
var madeKeyCalls = []string{
	`client = Client("§")`, `client = razorpay.Client(auth=("rzp_live_x", "§"))`, `oss2.Auth("id", "§")`, `auth.set_access_token("a", "§")`, `jwt.sign({ id: user.id }, '§', { expiresIn: '1h' })`, `jwt.verify(token, "§")`, `jwt.encode(payload, "§", algorithm="HS256")`, `crypto.createHmac('sha256', '§')`, `hmac.new(b"§", body, hashlib.sha256)`, `hash_hmac('sha256', $body, '§')`, `algoliasearch('0LZ9YSCQAZ', '§')`, `var jwtKey = []byte("§")`,
}

// chosenPlaces lists places of a password that a user chose.
var chosenPlaces = []string{
	"WEBHOOK_SECRET = \"§\"", "oauth:\n  client_id: x\n  client_secret: §\n", "const jwtSecret = \"§\"", "SECRET_KEY = '§'\n", "app.secret_key = '§'", ">>> settings.DATABASES['default']['PASSWORD']\n'§'", "$ cat /run/secrets/db_password\n§\n", "$ vault kv get -field=password secret/db\n§\n", "(gdb) print cfg->password\n$1 = 0x55d0c0 \"§\"",
	"red:auth(\"§\")", ".basic_auth(\"analytics\", Some(\"§\"))", "http.basic_auth \"root\", \"§\"", "WiFi.begin(\"lab\", \"§\");", "new MongoCredential(\"a\", \"b\", \"§\")", "new Sequelize('shop', 'joe', '§', { dialect: 'postgres' })", "keyring.set_password(\"importer\", \"joe\", \"§\")", "mysql_real_connect(conn, \"db.acme.io\", \"joe\", \"§\", \"shop\", 0, NULL, 0);", "SET password = crypt('§', gen_salt('bf'))",
	"az sql server create -n srv -u joe -p '§'", "http -a joe:§ GET https://acme.io/x", "imp joe/§@PROD file=x.dmp", "redis-cli -h db --pass § info", "echo -n \"§\" | gcloud secrets create db-password --data-file=-", "spawn ssh joe@h; expect \"assword:\"; send \"§\\r\"; interact",
}

// noMadeKeys lists texts with names of keys and values that are not keys.
var noMadeKeys = []string{
	"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEq2KiKkZJmqvedEQkExGsxbhsBX\n", "secret scan of commit 3f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d6c5b4a39 passed", "the token cache is keyed by sha256 3f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d", "partition key 3f2a9c1d8e7b6a5f", "the cache key is 3f2a9c1d8e7b6a5f4e3d2c1b", "RegEnumKey = win32api.RegEnumKey", "public key is 3f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d", "token expired for user 37cf7c88-1a73-45e9-b317-24b0af138b23",
	"$ git log --grep token\n3f2a9c1 fix\n", "wandb: run 3f2a9c1d8e7b6a5f", "wandb sync runs/3f2a9c1d8e7b6a5f4e3d", "snyk test --org=37cf7c88-1a73-45e9-b317-24b0af138b23", "heroku apps:info", "Client(\"https://acme.io/v1/resources/3\")", "init(\"37cf7c88-1a73-45e9-b317-24b0af138b23\")", "tokens = [\"hello\", \"world2024\"]", "secrets: inherit", "password: encrypted:17OZzwOqeb/E7jX33/X2/jTCAwSBayv0iUeLTycnAXvY6VGKSJRHg6MSPx1evoDyakH2xQ==", "Authorization: Bearer mF_9.B5f-4.1JqM",
	"Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "call 0x2b1ce902 <check_password>\n\nrequest_id=656735a8-3bfd-4dda-b0d3-dea024af78ad", "keyVaultToStoreSecrets: cmp2-qat-1208358310", "client_secret: ${CLIENT_SECRET2}", "secret: my-app-tls-2024", "secretName: WebTls2024", "jwt.verify(token, process.env.JWT_SECRET_2024)", "createHmac('sha256', key2024)", "img = decode(\"aGVsbG8gd29ybGQ=\")", "cat <(echo hello2024)", "the http -a flag", "az vm list -o table", "unseal key 1: <key>", "us-east-1-prod-web.password.txt",
}

func TestGeneratedKeys(t *testing.T) {
	t.Parallel()
	r := newRandom(77)
	keys := []string{"5f" + randomLetters(r, hexAZ, 28) + "a7", randomLetters(r, base62, 37) + "aB3", "f4" + randomLetters(r, hexAZ, 36) + "e1"}
	uuids := []string{randomLetters(r, hexAZ, 6) + "a1-4b2c-4d5e-8f60-" + randomLetters(r, hexAZ, 10) + "7c"}
	chosen := []string{"GingerTurtle71", "Pirate.Heron.2006", "cloverSunset72!", "Bd7sJycwYYFk3eGZ0q"}
	for _, group := range []struct{ places, secrets []string }{
		{madeKeyPlaces, slices.Concat(keys, uuids)}, {madeKeyCommands, slices.Concat(keys, uuids)}, {madeKeyCalls, keys}, {chosenPlaces, chosen},
	} {
		for _, place := range group.places {
			for _, secret := range group.secrets {
				for _, text := range []string{strings.Replace(place, "§", secret, 1), wrapInJSON(strings.Replace(place, "§", secret, 1))} {
					out, _ := Redact(text, rules.Secrets, nil)
					if strings.Contains(out, secret[1:len(secret)-1]) {
						t.Errorf("%q became %q", text, out)
					}
					if again, _ := Redact(out, rules.Secrets, nil); again != out {
						t.Errorf("%q became %q", out, again)
					}
				}
			}
		}
	}
}

// wrapInJSON returns a RedactJSON object with text in one of its strings.
func wrapInJSON(text string) string {
	return `{"stdout": "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(text) + `\nok", "code": 0}`
}

func TestNoGeneratedKeys(t *testing.T) {
	t.Parallel()
	for _, text := range noMadeKeys {
		if out, n := Redact(text, rules.Secrets, nil); n > 0 {
			t.Errorf("%q became %q", text, out)
		}
	}
}

// TestGeneratedKeysInStreams checks that a stream has the same result as the whole text, wherever its
// pieces end, even if RedactJSON makes the text one long line.
func TestGeneratedKeysInStreams(t *testing.T) {
	t.Parallel()
	r := newRandom(78)
	key := randomLetters(r, base62, 37) + "aB3"
	var long strings.Builder
	for _, place := range slices.Concat(madeKeyPlaces, madeKeyCommands, madeKeyCalls) {
		text := strings.Replace(place, "§", key, 1)
		for _, text := range []string{text, wrapInJSON(text)} {
			want, _ := Redact(text, rules.All, nil)
			for at := 1; at < len(text); at++ {
				first := at
				if got := streamText(text, func() int { n := first; first = len(text); return n }); got != want {
					t.Fatalf("cut at %d: got %q, want %q", at, got, want)
				}
			}
		}
		long.WriteString(text + "\n\n" + strings.Repeat("nothing to see in this line\n", r.IntN(30)))
	}
	for _, text := range []string{long.String(), wrapInJSON(long.String())} {
		want, _ := Redact(text, rules.All, nil)
		for _, most := range []int{50, 3000, 30000} {
			if got := streamText(text, func() int { return 1 + r.IntN(most) }); got != want {
				at := 0
				for at < min(len(got), len(want)) && got[at] == want[at] {
					at++
				}
				t.Fatalf("pieces up to %d differ at %d: got %q, want %q", most, at, excerptAround(got, at), excerptAround(want, at))
			}
		}
	}
}

// TestKeyFingerprintsAreNotFound checks that the fingerprint of a key is not taken for the key.
func TestKeyFingerprintsAreNotFound(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"gpg: Good signature; primary key fingerprint: 218d60d2f1d65a7d47194f7f5f4322082ea18001",
		"ED25519 key fingerprint is SHA256:ZWurwPoHTOx0ypdAdR+RG74p6b8tt5gckkR0Uo7GYrs.",
		"the deploy key checksum is 218d60d2f1d65a7d47194f7f5f432208",
	} {
		if got := Find(nil, text, rules.Secrets); len(got) != 0 {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestHexPasswords checks that a hexadecimal number in an assignment may be a password, while one in a
// record is a password hash.
func TestHexPasswords(t *testing.T) {
	t.Parallel()
	hex := "7207a40511584d9f" + "70613ce20850eeed"
	for text, want := range map[string]bool{
		"DB_PASSWORD=" + hex:     true,
		`password="` + hex + `"`: true,
		"jdbc:mysql://h:3306/b?user=root&password=" + hex + "&x=1": true,
		"password_hash=" + hex:                      false,
		"password_md5=\"" + hex + "\"":              false,
		`{"user":"joe","password":"` + hex + `"}`:   false,
		"password=00000000000000000000000000000000": false,
	} {
		if got := len(Find(nil, text, rules.Secrets)) > 0; got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
