package secret

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/rules"
)

// typed lists places of a password or key, marked by §, in commands and statements.
var typed = []string{
	"mysql -u root -p§ shop", "mysqldump -h db -uroot -p'§' shop > x.sql", `/usr/bin/mysqladmin -p"§" ping`, "mysqldump --password=§ shop", "mariadb -p§",
	"sshpass -p '§' ssh root@h", "sshpass -p§ scp a b:", `{"command":"sshpass -p \"§\" ssh h"}`, "docker login -u me -p § reg.acme.io", "podman login -p '§' quay.io",
	"helm registry login r.io -u me -p §", "az login --service-principal -u x -p § --tenant y", "redis-cli -h cache -a § ping", "redis-cli -a '§'",
	"openssl rsa -passin pass:§ -in k", "openssl pkcs12 -export -passout pass:§ -out x", "apksigner sign --ks-pass pass:§ a.apk", "openssl enc -aes-256-cbc -k § -in x",
	"requirepass §\n", "masterauth §\n", "psk=\"§\"", "\tpsk=§\n", `ConvertTo-SecureString "§" -AsPlainText -Force`, `ConvertTo-SecureString -String '§' -AsPlainText`,
	`net use Z: \\srv\x /user:joe §`, `echo "§" | sudo -S ls`, "echo '§' | docker login -u me --password-stdin", "printf '%s' '§' | cryptsetup open x y",
	"echo 'joe:§' | chpasswd", "echo joe:§ | sudo chpasswd", "chpasswd <<< 'joe:§'", "kinit <<< §", "echo § | kinit admin", "echo § | passwd --stdin root",
	"htpasswd -b f joe §", "htpasswd -nbB joe '§'", "htpasswd -bc -C 10 f joe §", "ldapsearch -x -D cn=a -w § -b dc=x", "ldappasswd -s § cn=a",
	"mongo -u a -p § x", "mongodump --host h -p '§'", "unzip -P § a.zip", "zip -e -P § a.zip f", "7z x -p§ a.7z", "unrar x -p§ a.rar", "rar a -hp§ a.rar f",
	"curl -u admin:§ https://x.io", "wget --password=§ https://x.io", "wget --user=me --http-password § https://x.io", "smbclient //s/x -U joe%§", "smbclient -U 'W\\joe%§' //s/x",
	"lftp -u joe,§ ftp.x.io", "sqlplus scott/§@db", "xfreerdp /u:joe /p:§ /v:h", "sqlcmd -S h -U sa -P '§'", "keytool -list -storepass § -keystore k", "plink -pw § h",
	"rabbitmqctl add_user joe §", "mosquitto_pub -u a -P § -t x", "cqlsh -u a -p § h", "gpg --batch --passphrase § -d x", "twine upload -u __token__ -p § dist/*", "snowsql -a acme -u me -p § -q 'select 1'", "mysql \\\n  -u root \\\n  -p§ shop", "skopeo copy --src-creds me:§ a b",
	"ALTER USER joe WITH PASSWORD '§';", "CREATE USER joe WITH LOGIN ENCRYPTED PASSWORD '§';", "CREATE ROLE a LOGIN PASSWORD '§'", "CREATE USER 'a'@'%' IDENTIFIED BY '§';",
	"create user a identified with mysql_native_password by '§'", "CREATE USER a IDENTIFIED BY §;", `GRANT ALL ON x.* TO 'a'@'%' IDENTIFIED BY "§"`, "CREATE LOGIN a WITH PASSWORD = '§'",
	"password%3D§%26x", "%7B%22password%22%3A%22§%22%7D", "%22password%22%3A+%22§%22", "a%253D1%2526password%253D§%2526x",
	`{"pw":"§"}`, "user: admin / pass: §", "login admin, pass: §\n", "密码:§", "密码：§", "数据库密码是§", "пароль: §", "Пароль от базы: «§»", "contraseña: §", "Contraseña = \"§\"",
	"mot de passe : §", "Passwort: §", "Datenbankpasswort=§", "Kennwort: §", "senha: §\n", "password：§", "password=“§”", "hasło: §", "비밀번호: §", "パスワード：§", "wachtwoord: §", "| DB_PASSWORD | § |", "| `DB_PASSWORD` | `§` | prod |",
	"**Password:** §\n", `run(["mysql", "-uroot", "-p§"])`, `["sshpass","-p","§","ssh","h"]`, "jdbc:oracle:thin:scott/§@//db.acme.io:1521/x", "jdbc:oracle:thin:scott/§@db.acme.io:1521:x",
}

// assigned lists places of a key, marked by §.
var assigned = []string{
	"FROM alpine\nENV SIGNING_KEY §\n", "ENV API_TOKEN \"§\"", "ARG NPM_TOKEN §\n", "setenv AUTH_TOKEN §\n", "setx API_KEY \"§\"", "set -gx API_TOKEN §\n", "SetEnv APP_SECRET §\n",
	"fastcgi_param APP_SECRET §;", "aws configure set aws_secret_access_key §", "npm config set auth_token §", "| refresh_token | § | prod |", "| **API_TOKEN** | `§` |\n", "Set `refresh_token` to `§` and restart.",
	"set `API_KEY` as `§`", "        env:\n        - name: JWT_SECRET\n          value: \"§\"\n", "              - name: JWT_SECRET\n                value: §\n", "name = \"JWT_SECRET\"\n            value = \"§\"",
	"{\"name\": \"JWT_SECRET\",\n                    \"value\": \"§\"}", `{"a": "{\"b\": \"{\\\"SECRET_KEY\\\": \\\"§\\\"}\"}"}`, "https://§:x-oauth-basic@github.com/a/b", "https://§:@api.x.io/v1",
	"API_SECRET -> §\n", "API_SECRET → §\n", "<key>ApiSecret</key>\n<string>§</string>", "gh secret set API_SECRET --body \"§\"", "dotnet user-secrets set \"Api:Secret\" \"§\"", "Cookie: theme=dark; sessionid=§; a=b", "Set-Cookie: PHPSESSID=§; Path=/; HttpOnly", `-H "Cookie: connect.sid=s%3A§"`, "curl --cookie 'session=§' u", "token%3D§%26x",
}

func TestOtherNotations(t *testing.T) {
	t.Parallel()
	r := newRandom(41)
	for _, group := range []struct {
		places  []string
		secrets func() []string
	}{
		{typed, func() []string {
			return []string{"q7Rt-88zP" + randomLetters(r, base62, 3), "Winter#19" + randomLetters(r, digits, 2), "P@ssw0rd20" + randomLetters(r, digits, 2), "correcthorse" + randomLetters(r, digits, 2), "zH4kd" + randomLetters(r, base62, 5)}
		}},
		{assigned, func() []string {
			return []string{randomLetters(r, base62, 37) + "aB3", randomLetters(r, hexAZ, 38) + "a7"}
		}},
	} {
		for _, place := range group.places {
			for _, secret := range group.secrets() {
				text := strings.Replace(place, "§", secret, 1)
				if strings.Contains(place, "%25") && strings.ContainsAny(secret, "#@") {
					continue
				}
				out, _ := Redact(text, rules.Secrets, nil)
				if strings.Contains(out, secret[1:len(secret)-1]) {
					t.Errorf("%q became %q", text, out)
				}
				if again, n := Redact(out, rules.Secrets, nil); n > 0 {
					t.Errorf("%q became %q and then %q", text, out, again)
				}
			}
		}
	}
}

func TestOtherNotationsWithoutSecrets(t *testing.T) {
	t.Parallel()
	r := newRandom(42)
	uuid := "3f0a4b5e-91f2-4e2b-8c7d-" + randomLetters(r, hexAZ, 12)
	for _, text := range []string{
		"mysql -u root -p shop2024", "mysql -P3306 -h db1.x.io", "mysql -p$MYSQL_PASSWORD shop", `mysql -p"${PW}" x`, "mysql -ppassword x", "mysqldump --port=3306 shop", "docker run -p 8080:80 img",
		"docker login -u me --password-stdin reg1.io", "docker login -p $TOKEN1", "docker login -p \"$(cat f1)\" r", "mkdir -p dir2/sub3", "podman login -u me reg1.acme.io", "ssh -p 2222 h1", "cp -p a1 b2",
		"sshpass -e ssh h1", "sshpass -f file1 ssh h", "sshpass -p $PASS1 ssh h", "sshpass -p <password> ssh h1", "redis-cli -p 6379 -n 2 get k1", "redis-cli -a $REDIS_PASS1 ping", "openssl rsa -passin env:PASS1 -in k",
		"openssl rsa -passin file:/run/secrets/k1 -in k", "openssl req -x509 -newkey rsa:4096 -days 365", "requirepass foobared", "# requirepass ${REDIS_PASSWORD}", "ConvertTo-SecureString $env:PASS1 -AsPlainText",
		"ConvertTo-SecureString -String $pw2 -AsPlainText", "echo 'hello2' | sudo tee /etc/x1", "echo deb1 | sudo -u x tee f", "cat f1 | docker login --password-stdin r", "echo $PASS1 | sudo -S ls", "echo \"$U:$P1\" | chpasswd",
		"htpasswd -c f1 joe2", "htpasswd -b f joe $PASS1", "ldapsearch -x -W -D cn=a2", "mongo --port 27017 db1", "mongo -u a -p", "unzip -o a1.zip -d b2", "zip -r a1.zip dir2", "7z x a1.7z -oout2", "7z x -p a1.7z",
		"curl -u admin:$PASS1 https://x.io", "curl -u admin https://x1.io", "smbclient //s1/x -U joe2", "smbclient -U joe%$PASS1 //s/x", "sqlplus / as sysdba", "keytool -storepass changeit -keystore k1", "net use Z: \\\\srv1\\x2",
		"ALTER USER joe WITH PASSWORD :pw1", "ALTER USER joe WITH PASSWORD '<password1>'", "ALTER USER joe PASSWORD NULL", "IDENTIFIED BY '${PW1}'", "identified by the id1 of it", "identified as CVE-2021-44228", "identified by CVE-2021-44228", "identified by sha256 sums", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "CREATE USER a IDENTIFIED BY 'password'",
		"password%3D%26x", "password%3D%24PASS1%26", "%22password%22%3A%22%22", "| Key | Value |", "| token | string |", "| password | varchar(255) |", "| API_KEY | your-api-key-here | yes |", "| `API_TOKEN` | required, see docs2 | yes |",
		"| pass | 12 of 14 |", "cat token | base64 -d2", "Set `API_KEY` to `true` and restart.", "Set `TOKEN` to `${GH_TOKEN1}`.", "Set `API_KEY` to your key.", "ENV API_KEY $API_KEY1\n", "ENV PATH /usr/local/bin2:$PATH\n",
		"ENV PASSWORD_FILE /run/secrets/pw1\n", "ARG TOKEN\n", "ARG API_KEY default\n", "export API_KEY", "setenv TOKEN $1", "        - name: JWT_SECRET\n          valueFrom:\n            secretKeyRef:\n              name: app-secrets2\n",
		"- name: JWT_SECRET\n  value: \"$(JWT_SECRET1)\"\n", `{"password": 8}`, "password_length: 12345678", "passwords: 12345678 cracked", "pass: 123456 fail: 2", "pw: 12px", "密码：", "请输入密码：8到16位", "пароль: обязательно", "пароль: $PASS1",
		"contraseña: obligatoria", "mot de passe : obligatoire", "Passwort: erforderlich", "Passwort vergessen?", "senha: obrigatória", "password：必填", `{"kty":"RSA","n":"` + randomLetters(r, base62, 342) + `","e":"AQAB"}`, `{"d":"2024-01-01"}`,
		`<path id="p" d="M10 10h4">`, `"d": "` + randomLetters(r, base62, 20) + `"`, "jdbc:oracle:thin:@//db1.acme.io:1521/x", "jdbc:oracle:thin:@db1:1521:x", "https://x-oauth-basic@github.com/a/b1", "accounts: ['0x" + randomLetters(r, hexAZ, 40) + "']",
		"accounts: [process.env.PK1]", "vm.startBroadcast(deployerKey1);", "vm.startBroadcast(); // 0x", "txHash: 0x" + randomLetters(r, hexAZ, 64), "Cookie: theme=dark2; lang=en", "Set-Cookie: consent=" + uuid, "Cookie: sessionid=<session1>",
		"session_id=" + uuid, "aws configure set region us-east-1", "aws configure set aws_secret_access_key $KEY1", "Authorization: Bearer !important", "security find-generic-password -s x1", "see the security -w option2",
		"set password policy to strict2", "**Password:** ********", `["mysql", "-u", "root", "-p", "shop24"]`, `["redis-cli", "-p", "6379", "get1"]`, `["mysql", "postgres-12", "x1"]`, "fn token() -> String1", "node.password->value1", "password → sha256", "<key>ApiSecret</key>\n<true/>", "the user password policy2024\n", "gh secret set API_KEY --body \"$KEY1\"", "user joe password $PASS1word\n", "The api key to use2023 is", "token as base64", "set the token to null", "the secret to happiness2", "--password-stdin < file1", "login -p", "the docker login --help2 page",
	} {
		if out, n := Redact(text, rules.Secrets, nil); n > 0 {
			t.Errorf("%q became %q", text, out)
		}
	}
}

// TestKeysByContext checks keys that only their context marks as such.
func TestKeysByContext(t *testing.T) {
	t.Parallel()
	r := newRandom(43)
	b64 := func(n int) string {
		return base64.RawURLEncoding.EncodeToString([]byte(randomLetters(r, base62, n)))[1:] + "7"
	}
	hex := func() string { return randomLetters(r, hexAZ, 62) + "a7" }
	for _, c := range []struct{ before, secret, after string }{
		{`{"kty":"EC","crv":"P-256","x":"` + b64(32) + `","y":"` + b64(32) + `","d":"`, b64(32), `"}`},
		{`{"d": "`, b64(32), `", "kty": "OKP", "crv": "Ed25519", "x": "` + b64(32) + `"}`},
		{`{"kty":"RSA","n":"` + b64(512) + `","e":"AQAB","d":"`, b64(512), `"}`},
		{`{"kty":"RSA","p":"`, b64(128), `","q":"x"}`},
		{`{"kty":"oct","k":"`, b64(32), `"}`},
		{`"{\"kty\":\"EC\",\"d\":\"`, b64(32), `\"}"`},
		{"accounts: ['0x", hex(), "'],"}, {`accounts: ["`, hex(), `"]`}, {"accounts: [\n      '0x" + hex() + "',\n      '0x", hex(), "',\n    ]"},
		{"vm.startBroadcast(0x", hex(), ");"}, {"MNEMONIC_OR_PK=0x", hex(), "\n"}, {"DEPLOY_PK=", hex(), "\n"},
		{`"Authorization: Bearer 00D` + randomLetters(r, base62, 12) + "!", randomLetters(r, base62, 60) + "a7", `"`},
		{"init('lip_", randomLetters(r, base62, 17) + "aB3", "')"},
	} {
		out, _ := Redact(c.before+c.secret+c.after, rules.Secrets, nil)
		if leakedPiece(out, c.secret) != "" {
			t.Errorf("%q became %q", c.before+c.secret+c.after, out)
		}
	}
	for _, in := range []string{`{"kty":"EC","d":"` + b64(32) + `","x":"y"}`, `{"password":` + randomLetters(r, "123456789", 8) + `}`} {
		if _, n := RedactJSON([]byte(in), rules.Secrets, nil); n != 1 {
			t.Errorf("%q: %d", in, n)
		}
	}
}

// TestOtherNotationsInStreams checks that a stream finds what is found in the whole text, wherever its
// pieces end.
func TestOtherNotationsInStreams(t *testing.T) {
	t.Parallel()
	r := newRandom(44)
	filler := strings.Repeat("nothing to see in this line\n", 800)
	var text strings.Builder
	for _, place := range append(append([]string{}, typed...), assigned...) {
		text.WriteString(strings.Replace(place, "§", randomLetters(r, base62, 20)+"aB3", 1) + "\n" + filler[:r.IntN(2000)] + "\n")
	}
	whole := text.String() + filler
	want, _ := Redact(whole, rules.Secrets, nil)
	for range 4 {
		s := NewStream(rules.Secrets, nil)
		var got strings.Builder
		for at := 0; at < len(whole); {
			n := min(len(whole)-at, 1+r.IntN(3000))
			got.Write(s.Write([]byte(whole[at : at+n])))
			at += n
		}
		got.Write(s.Close())
		if got.String() != want {
			t.Fatal("a stream gives something else than the whole text")
		}
	}
}

func TestSecondWordIsThePassword(t *testing.T) {
	const password = "k3yB0ard#99"
	for _, test := range []struct {
		text  string
		found bool
	}{
		{"net user joe " + password + " /add", true},
		{"net user " + password + " /add", false}, // the first word is the user
		{"net user " + password, false},
		{"net user joe /add " + password, false},
		{"net user joe *", false}, // prompts for the password
		{`net use Z: \\srv\x /user:joe ` + password, true},
		{`net use Z: \\srv\x /user:` + password, false},
	} {
		_, n := Redact(test.text, rules.Secrets, nil)
		if got := n > 0; got != test.found {
			t.Errorf("%s: found %v", test.text, got)
		}
	}
}
