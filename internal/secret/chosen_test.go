package secret

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/rules"
)

// chosenPasswords returns passwords like those that users choose and password managers generate.
func chosenPasswords(r *rand.Rand) []string {
	words := strings.Fields("copper falcon ridge winter marble lagoon thunder velvet orchid badger tundra saffron meadow quartz harbor")
	w := func() string { return words[r.IntN(len(words))] }
	c := func() string { s := w(); return strings.ToUpper(s[:1]) + s[1:] }
	n := func(most int) int { return most/10 + r.IntN(most-most/10) }
	return []string{
		fmt.Sprintf("%s%d!", c(), 2015+r.IntN(12)), fmt.Sprintf("%s%d_", c(), 2015+r.IntN(12)), fmt.Sprintf("%s%s%d", c(), c(), n(100)), fmt.Sprintf("%s%d", w(), n(10000)),
		fmt.Sprintf("%s-%s-%s-%d", w(), w(), w(), n(100)), fmt.Sprintf("%s_%s%d", c(), c(), n(10)), fmt.Sprintf("%s.%s%d", strings.Replace(c(), "o", "0", 1), c(), n(10)),
		fmt.Sprintf("%s@%d", c(), n(1000)), fmt.Sprintf("%s%s%d+", c(), c(), n(100)), fmt.Sprintf("%s%s%d-", c(), c(), n(100)), fmt.Sprintf("%s#%d!%sE", c(), n(1000), randomLetters(r, lowerAZ, 4)),
		randomLetters(r, base62, 14) + "7aB3", randomLetters(r, base62, 4) + "#9" + randomLetters(r, base62, 5) + "!k", randomLetters(r, lowerAZ+digits, 12) + "47q",
	}
}

// inCode lists places of passwords in code; § is the password.
var inCode = []string{
	`server.login("bot@acme.io", "§")`, `smtp.login('bot', '§')`, `requests.get(url, auth=("joe", "§"))`, `auth = ('joe', '§')`, `HTTPBasicAuth('joe', '§')`, `es = Elasticsearch(u, basic_auth=("elastic", "§"))`,
	`req.SetBasicAuth("joe", "§")`, `request(app).get("/x").auth("joe", "§")`, `smtp.PlainAuth("", "bot@acme.io", "§", "smtp.acme.io")`, `DriverManager.getConnection("jdbc:mysql://db.acme.io/x", "app", "§");`,
	`DriverManager.getConnection(url, user, "§");`, `new PDO('mysql:host=db;dbname=x', 'app', '§');`, `new PDO($dsn, $user, '§')`, `DBI->connect("dbi:Pg:dbname=x", "app", "§", { RaiseError => 1 })`,
	`mysql_connect("db.acme.io", "app", "§")`, `mysqli_connect('db', 'app', '§', 'shop')`, `$db = new mysqli("db", "app", "§", "shop");`, `MySQLdb.connect("db.acme.io", "app", "§", "shop")`, `cx_Oracle.connect("app", "§", "db.acme.io/orcl")`,
	`oci_connect('app', '§', 'db/XE')`, `new NetworkCredential("svc", "§", "CORP")`, `new NetworkCredential("svc", "§")`, `new UsernamePasswordCredentials("svc", "§")`, `new PasswordAuthentication("svc", "§".toCharArray())`,
	`User.objects.create_superuser("admin", "a@acme.io", "§")`, `User.objects.create_user('joe', 'joe@acme.io', '§')`, `signInWithEmailAndPassword(auth, "joe@acme.io", "§")`, `ftp_login($c, "joe", "§")`, `ftp.login("joe", "§")`,
	`ssh2_auth_password($c, 'joe', '§')`, `imap_open("{mail.acme.io:993}", "joe", "§")`, `ldap_bind($c, "cn=admin,dc=acme", "§")`, `conn.simple_bind_s("cn=admin,dc=acme,dc=io", "§")`, `url.UserPassword("joe", "§")`,
	`Credentials.basic("joe", "§")`, `await page.fill('#password', '§');`, `page.type("#pw", "§")`, `await page.locator('input[name="password"]').fill('§')`, `page.getByLabel('Password').fill('§')`,
	`driver.findElement(By.id("password")).sendKeys("§");`, `driver.find_element(By.NAME, "passwd").send_keys("§")`, `cy.get('[data-cy=password]').type('§{enter}')`, `cy.get("#password")
  .type("§")`, `passwordField.sendKeys("§")`, `fill_in 'Password', with: '§'`, `userEvent.type(screen.getByLabelText(/password/i), '§')`, `define( 'DB_PASSWORD', '§' );`, `define("FTP_PASS", "§");`,
	"#define WIFI_PASSWORD \"§\"", `const char* password = "§";`, `char password[] = "§";`, `char db_passwd[32] = "§";`, `password <- "§"`, `:password "§"`, `"password" to "§"`,
	`password = os.environ.get("DB_PASSWORD", "§")`, `pw = process.env.DB_PASSWORD ?? "§"`, `pw = process.env.DB_PASSWORD || '§'`, `ENV.fetch("DB_PASSWORD", "§")`, `if password == "§":`, `if (password === '§') {`,
	`user.setPassword("§")`, `.password("§")`, `u.set_password('§')`, `.withPassword( "§" )`, `props.setProperty("password", "§");`, `.option("password", "§")`, `.withEnv("POSTGRES_PASSWORD", "§")`, `"Password": "§",`, `Password: "§",`, `password='§',`,
	`let password: String = "§"`, `let password: &str = "§";`, `static final String DB_PASSWORD = "§";`, `private const string Password = @"§";`, "PASSWORD = b'§'", "password = f'§'", `$password = "§";`, `my $pw = '§';`, `local password = "§"`, `$Password = '§'`, `-Password "§"`, `-Password §
`, `child.expect('password:')
child.sendline('§')`, `expect "assword:"
send "§\r"`, `expect "*?password: "
send -- "§\r"
`, `Parameters: {"user"=>"joe", "password"=>"§"}`, `curl -d 'user=joe&password=§' u`, `curl -d '{"user":"joe","password":"§"}' u`, `curl --user 'joe:§' u`, `session.auth = ("joe", "§")`,
}

// inFiles lists places of passwords in settings files.
var inFiles = []string{
	"[db]\npassword = §\nhost = x\n", "[client]\nuser = app\npassword = §\n", "user = app\npassword = §\nhost = db.acme.io\n", "db:\n  password: §\n", "DB_PASSWORD=§\n", "export DB_PASSWORD=§\n", "DB_PASSWORD='§'\n", "DB_PASSWORD=\"§\"\n", "db.password=§\n",
	"spring.datasource.password=§\n", "spring.datasource.password: §\n", "+password=§\n", "-  password: §\n", "# password: §\n", "      POSTGRES_PASSWORD: §\n", "      - POSTGRES_PASSWORD=§\n", "ENV MYSQL_ROOT_PASSWORD=§\n", "ENV MYSQL_ROOT_PASSWORD §\n", "Environment=DB_PASSWORD=§\n",
	"Environment=\"DB_PASSWORD=§\"\n", `<property name="hibernate.connection.password">§</property>`, `<property name="password" value="§"/>`, `<string name="db_password" translatable="false">§</string>`, `<entry key="db.password">§</entry>`, `<add key="DbPassword" value="§" />`,
	"<Password>\n    <Value>§</Value>\n    <PlainText>true</PlainText>\n  </Password>", `<setting name="Password" serializeAs="String"><value>§</value></setting>`, `<wsse:Password Type="http://x/y#PasswordText">§</wsse:Password>`, `<password>§</password>`,
	"<param-name>password</param-name>\n<param-value>§</param-value>", "<name>javax.jdo.option.ConnectionPassword</name>\n  <value>§</value>", "<key>Password</key>\n<string>§</string>", `<user username="tomcat" password="§" roles="manager"/>`, `<input type="password" value="§">`,
	`{"adminPassword": {"value": "§"}}`, "\"adminPassword\": {\n      \"value\": \"§\"\n    }", `"password": {"type": "string", "default": "§"}`, "variable \"admin_password\" {\n  type    = string\n  default = \"§\"\n}\n", "variable \"db_password\" {\n  description = \"x\"\n  sensitive = true\n  default = \"§\"\n}",
	"password:\n  value: §\n", "admin_password:\n    default: \"§\"\n", "- name: DB_PASSWORD\n  value: §\n", "string(name: 'DB_PASSWORD', defaultValue: '§')", "storePassword \"§\"\n", "            keyPassword '§'\n", "rootpw --plaintext §\n", "rootpw §\n", "chpasswd:\n  list: |\n    joe:§\n  expire: false\n",
	"chpasswd:\n  list:\n    - joe:§\n", "  user: joe\n  pass: §\n", "username: joe\npass: §\n", "host: h\nlogin: joe\npass = §\n", "DB_PASSWORD\t§\n", "enable password §\n", "username joe password 0 §\n", "${DB_PASSWORD:-§}", "${DB_PASSWORD:§}", "password: ${DB_PASSWORD:-§}\n",
	"web1 ansible_host=h ansible_user=joe ansible_password=§\n", "plain_text_passwd: §\n", "Server=db;User ID=sa;Password=§;Encrypt=true", "Server=db;Uid=sa;Pwd=§\"", "host=db user=app password=§ sslmode=require", "jdbc:mysql://db/x?user=app&password=§&useSSL=false", "sql.Open(\"mysql\", \"app:§@tcp(db:3306)/x\")",
	"postgres://app:§@db.acme.io:5432/x", "amqp://joe:§@mq.acme.io/", "mongodb+srv://joe:§@c0.mongodb.net/x", "ftp://joe:§@ftp.acme.io", "redis://:§@cache.acme.io:6379/0", "wpa_passphrase=§\n", "psk=\"§\"\n", "requirepass §\n", "SMTP_PASS=§\n", "smtp_pass: §\n", "LDAP_BIND_PW=§\n", "bindpw §\n", "authz_password: §\n",
	"$ANSIBLE_PASSWORD = '§'", "password \"§\"\n", "  password '§'\n", "auth_basic_password: §\n", "credentials:\n  username: joe\n  password: §\n", "[[users]]\nname = \"joe\"\npassword = \"§\"\n", "KEYSTORE_PASSWORD: '§'\n", "nexusPassword=§\norg.gradle.jvmargs=-Xmx2g\n",
}

// inCommands lists places of passwords in commands, statements and logs.
var inCommands = []string{
	`net use Z: \\srv\share § /user:CORP\joe`, "net user joe § /add", "aws ssm put-parameter --name /app/db_password --type SecureString --value §", "aws ssm put-parameter --value '§' --name /app/db_password --type SecureString", "az keyvault secret set --vault-name v --name DbPassword --value §",
	"aws secretsmanager create-secret --name prod/db --secret-string §", "gh secret set DB_PASSWORD --body §", "gh secret set DB_PASSWORD -b §", "kubectl create secret generic x --from-literal=username=joe --from-literal=password=§ -n prod", "vault kv put secret/x db_password=§",
	"helm install x y --set auth.password=§", "docker run -e POSTGRES_PASSWORD=§ postgres", "PGPASSWORD=§ psql -h db", "psql \"host=db password=§ user=app\"", "mysqldump -u root --password=§ app", "mysql -uroot -p§ app", "redis-server --requirepass § --appendonly yes", "sshpass -p § ssh h", "mount -o username=joe,password=§ //s/x /mnt",
	"INSERT INTO users (id, username, password, role) VALUES (1, 'joe', '§', 'admin');", "insert into users(name,pwd) values('joe','§'),('ann','x');", "INSERT INTO `users` (`id`, `password`) VALUES\n(1, '§');", "UPDATE users SET password='§' WHERE id=1", "UPDATE users SET password = '§';",
	"SET PASSWORD FOR 'joe'@'localhost' = PASSWORD('§');", "ALTER USER joe WITH PASSWORD '§'", "ALTER ROLE app PASSWORD '§';", "CREATE USER joe IDENTIFIED BY '§'", "login attempt user=joe password=§ ip=1.2.3.4", "login attempt user=joe pass=§", "generated password for joe: §\n", "\"msg\": \"generated password for orders_svc: §\"\n", "GET /login?user=joe&password=§ HTTP/1.1",
	"echo '§' | sudo -S ls", "echo 'joe:§' | chpasswd", "useradd -p § joe", "Content-Disposition: form-data; name=\"password\"\r\n\r\n§\r\n--x", "[DEBUG] password=§, user=joe", "Using password '§' for joe", "temporary password: §\n", "A temporary password is generated for root@localhost: §\n", "Generated admin password: §\n", "curl -X POST -F password=§ u",
}

// inProse lists places of passwords in messages between people.
var inProse = []string{
	"The password is §, change it.\n", "The password is §.\n", "password is now §\n", "The admin password for the Jenkins box is § , ask Kwame.\n", "root pw on sql.acme.io is now §\n", "I reset your VPN password to § — change it.\n", "The password was changed to §.", "the wifi password is `§`", "The password for db-01 is: §\n",
	"the new pw is §", "Password has been set to §\n", "your temp password: § (expires in 24h)", "password for staging = §\n", "Your password is \"§\".", "pw: §\n", "pwd: §", "PW - §\n", "Password → §\n", "p/w: §\n", "Username: joe\nPassword: §\n", "User: joe Password: §", "user: joe, password: §", "login joe, password §\n", "joe's password is §",
	"Here is the password:\n§\n", "The password for the box:\n\n    §\n\nbye", "# old creds: joe / § (rotate!)\n", "creds: joe / §\n",
	"credentials: admin / §\n", "Log in with joe@acme.io / §\n", "log in as joe / §", "login: joe / §\n", "Sign in with joe@acme.io and §\n", "user/pass: joe / §\n", "| System | User | Password |\n|---|---|---|\n| Grafana | admin | § |\n", "| User | Password | Note |\n|:--|:--|--|\n| joe | `§` | x |\n",
	" id | username | password \n----+----------+----------\n  1 | joe      | §\n(1 row)\n", "+----+------+\n| id | password |\n+----+------+\n| 1  | § |\n+----+------+\n", "username,password,role\njoe,§,admin\n", "name;password\njoe;§\n", "user\tpassword\njoe\t§\n", "id,user,password\n1,a,x\n2,b,§\n",
	"Das Passwort für den Server lautet: §\n", "Das Passwort ist §.\n", "Passwort: §\n", "Das Kennwort lautet §\n", "Neues Passwort für root: §\n", "Le mot de passe est §\n", "Mot de passe : §\n", "le mot de passe du serveur est maintenant §\n", "La contraseña es §\n", "La contraseña del servidor es §.\n", "Contraseña: §\n", "A senha é §\n", "Senha: §\n",
	"a senha do banco é §\n", "La password è §\n", "La password del server è §\n", "Пароль: §\n", "Логин: joe\nПароль: §\n", "Пароль от сервера: §\n", "пароль теперь §\n", "пароль — §\n", "密码是§\n", "密码：§\n", "服务器密码是 §\n", "密码改成了§\n", "新密码为：§\n", "パスワードは §です\n", "パスワード：§\n", "パスワードは「§」です\n", "비밀번호는 § 입니다\n", "비밀번호: §\n",
	"Hasło: §\n", "Hasło do serwera to §\n", "Wachtwoord: §\n", "Het wachtwoord is §\n", "Lösenordet är §\n", "Lösenord: §\n", "Şifre: §\n", "Heslo: §\n", "Parola: §\n",
}

func TestChosenPasswords(t *testing.T) {
	t.Parallel()
	r := newRandom(51)
	for _, place := range slices.Concat(inCode, inFiles, inCommands, inProse, readTexts(t, "places.txt")) {
		for _, secret := range chosenPasswords(r) {
			if strings.Contains(place, "://") && strings.ContainsAny(secret, "#@") {
				continue // the password is escaped in this place
			}
			text := strings.Replace(place, "§", secret, 1)
			out, _ := Redact(text, rules.Secrets, nil)
			if strings.Contains(out, secret[:len(secret)-1]) || !strings.Contains(out, strings.SplitN(strings.Split(place, "§")[1]+"\n", "\n", 2)[0]) {
				t.Errorf("%q became %q", text, out)
			}
			if again, n := Redact(out, rules.Secrets, nil); n > 0 {
				t.Errorf("%q became %q and then %q", text, out, again)
			}
		}
	}
}

// TestChosenPasswordsInStreams checks that a stream has the same result as the whole text, wherever
// its pieces end.
func TestChosenPasswordsInStreams(t *testing.T) {
	t.Parallel()
	r := newRandom(52)
	var long strings.Builder
	for _, place := range slices.Concat(inCode, inFiles, inCommands, inProse, readTexts(t, "places.txt")) {
		list := chosenPasswords(r)
		text := strings.Replace(place, "§", list[r.IntN(len(list))], 1)
		want, _ := Redact(text, rules.All, nil)
		for at := 1; at < len(text); at++ {
			first := at
			if got := streamText(text, func() int { n := first; first = len(text); return n }); got != want {
				t.Fatalf("cut at %d: got %q, want %q", at, got, want)
			}
		}
		long.WriteString(text + "\n\n" + strings.Repeat("nothing to see in this line\n", r.IntN(60)))
	}
	rows := "username,password\n"
	for range 600 {
		rows += randomLetters(r, lowerAZ, 6) + "," + randomLetters(r, base62, 12) + "7\n"
	}
	for _, text := range []string{long.String(), long.String() + rows + "\n" + long.String()} {
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

// TestRepeatedPasswords checks that a password is also found where nothing names it, near a place that
// does.
func TestRepeatedPasswords(t *testing.T) {
	t.Parallel()
	r := newRandom(53)
	pw := "Copper" + randomLetters(r, digits, 4) + "!" + randomLetters(r, base62, 4)
	for _, text := range []string{
		"restic --x \"" + pw + "\" snapshots\nRESTIC_PASSWORD=" + pw + " restic check\n", "DB_PASSWORD=" + pw + "\nand then " + pw + " again\n", "mysql -uroot -p" + pw + " x\nsame for ssh: try " + pw + "\n",
	} {
		if out, n := Redact(text, rules.Secrets, nil); n != 2 || strings.Contains(out, pw) {
			t.Errorf("%q became %q", text, out)
		}
	}
	for _, text := range []string{"DB_PASSWORD=" + pw + "\nx" + pw + "\n", "DB_PASSWORD=" + pw + "\n" + strings.Repeat("a line\n", 400) + pw} {
		if _, n := Redact(text, rules.Secrets, nil); n != 1 {
			t.Errorf("%q: %d", text, n)
		}
	}
}

// readTexts returns the texts of file in testdata, which lines with %% separate.
func readTexts(t *testing.T, file string) []string {
	t.Helper()
	all, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(all), "\n"), "\n%%\n")
}
