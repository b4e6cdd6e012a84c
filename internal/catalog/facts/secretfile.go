package facts

import (
	pathpkg "path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

// IsSecretFile reports whether path names a file or directory with secrets: keys, tokens, password
// stores, histories, browser profiles. Only the name counts. The path may contain shell patterns and
// placeholders.
func IsSecretFile(path string) bool {
	if len(path) > MaxPath {
		if path = pathpkg.Clean(path); len(path) > MaxPath {
			return false
		}
	}
	path = strings.ToLower(strings.Trim(path, `"'`))
	if strings.IndexByte(path, '\\') >= 0 {
		path = strings.ReplaceAll(path, `\`, "/")
	}
	if strings.Contains(path, "//") || strings.Contains(path, "/./") || strings.Contains(path, "/../") {
		path = pathpkg.Clean(path)
	}
	if strings.Contains(path, placeholder+".") && IsSecretFile(strings.ReplaceAll(path, placeholder+".", "/.")) {
		return true // home + ".ssh/id_rsa"
	}
	path = strings.TrimRight(path, "/")
	for strings.HasSuffix(path, "/.") || strings.HasSuffix(path, "/*") {
		path = path[:len(path)-2]
	}
	dir, base := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir, base = path[:i], path[i+1:]
	}
	if base == "" || strings.HasSuffix(base, ".pub") || base == "known_hosts" || base == "public.key" || base == "pubkey.pem" {
		return false
	}
	return IsInSecretDir(path) || isSecretBase(TrimPackSuffixes(base)) || isSecretBase(base) || isSecretPlace(dir, base) || isSecretPlace(dir, TrimPackSuffixes(base))
}

// MaxPath is the longest path that systems accept.
const MaxPath = 4096

// secretDirs lists directories that contain mostly secrets.
var secretDirs = [...]string{
	".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store", ".mozilla", ".thunderbird", ".electrum", ".bitcoin",
	".ethereum", ".oci", ".aliyun", ".vault", "keychains", ".config/gcloud", ".config/gh", ".config/op", ".config/hub",
	".config/glab-cli", ".config/doctl", ".config/rclone", ".config/google-chrome", ".config/chromium", ".config/bravesoftware", ".config/solana",
	".config/sops", ".local/share/keyrings", "google/chrome/user data", "application support/google/chrome",
	"application support/firefox", "application support/bravesoftware", "library/cookies", "mozilla/firefox/profiles",
	"run/secrets", "etc/ssl/private", "etc/wireguard", "etc/letsencrypt/live", "etc/letsencrypt/archive", "etc/sudoers.d", "ethereum/keystore",
	"microsoft/credentials", "microsoft/protect", "system32/config", ".1password", ".keepass", ".docker/contexts",
	".sops", ".step", ".cloudflared", ".ngrok2", ".config/ngrok", ".config/heroku", ".fly", ".snowflake", ".kaggle", ".config/exodus", ".config/signal",
	"tdata", ".purple", ".metamask", "application support/slack", "application support/code/user/globalstorage", ".config/slack", ".config/discord", ".config/filezilla", ".filezilla",
	"etc/openvpn", "etc/networkmanager/system-connections", "etc/wpa_supplicant", "var/lib/docker/swarm", ".config/configstore", ".local/share/kwalletd", ".putty", ".monero",
	"application support/microsoft edge", ".config/microsoft-edge", ".config/vivaldi", ".config/opera", ".config/age", ".subversion/auth", ".minikube/profiles", ".gnome2/keyrings", "roaming/gcloud", ".pki", ".minisign", ".signify", ".snowsql", "gopass/stores", "microsoft/vault",
	"library/safari", "roaming/mozilla/firefox", "microsoft/edge/user data", ".wrangler/config", ".config/stripe", "org.mozilla.firefox", "etc/rancher/k3s",
}

// IsInSecretDir reports whether path is or is inside a directory of secrets.
func IsInSecretDir(path string) bool {
	for i := range secretDirs {
		if containsDir(path, secretDirs[i]) {
			return true
		}
	}
	return slices.ContainsFunc(hosts.Secrets[:], func(s hosts.Secret) bool { return s.At == hosts.Folder && containsDir(path, s.Path) })
}

// containsDir reports whether the elements of dir occur in path one after the other.
func containsDir(path, dir string) bool {
	for from := 0; ; {
		i := strings.Index(path[from:], dir)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(dir)
		if (start == 0 || path[start-1] == '/') && (end == len(path) || path[end] == '/') {
			return true
		}
		from = start + 1
	}
}

// secretNames lists files that contain secrets in any directory.
var secretNames = [...]string{
	".env", ".envrc", "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "id_xmss", "id_ed25519_sk", "id_ecdsa_sk",
	"shadow", "gshadow", "master.passwd", ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials",
	".gitcredentials", ".htpasswd", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".s3cfg", ".boto", ".dockercfg", ".dockerconfigjson",
	".vault-token", ".vault_pass", ".vault_pass.txt", "vault_pass.txt", "kubeconfig", "wallet.dat", "wallet.json", "keystore", "keystore.jks",
	"terraform.tfstate", "terraform.tfstate.backup", ".terraformrc", "terraform.rc", "credentials.tfrc.json",
	"credentials", ".credentials", ".credentials.json", "cookies", "cookies.sqlite", "login data", "logins.json",
	"key3.db", "key4.db", "web data", "local state", "login.keychain", "login.keychain-db", ".bash_history", ".zsh_history", ".sh_history",
	".python_history", ".psql_history", ".mysql_history", ".node_repl_history", ".rediscli_history", ".histfile", "fish_history",
	".ash_history", ".sqlite_history", ".lesshst", "consolehost_history.txt", "wp-config.php", "ntds.dit", "krb5.keytab", "privkey.pem", "master.key", "production.key",
	"secret", "secrets", "passwords", "client_secret.json", "service-account.json", ".yarnrc.yml", ".xauthority", "unattend.xml",
	"rclone.conf", "api_key", "apikey", "api_keys", "private_key", "privatekey", ".token", ".secret", ".secrets", ".passwd", ".password",
	".flaskenv", ".dev.vars", "shadow-", "gshadow-", ".authinfo", ".authinfo.gpg", ".netrc.gpg", ".fetchmailrc", ".msmtprc", ".databrickscfg", "htpasswd", "kaggle.json", "secring.gpg",
	"private.asc", "private.gpg", "secret.asc", "deploy_key", "ssh_key", "sshkey", ".viminfo", "sitemanager.xml", "access-token", "auth-token", "api-token", "refresh_token", "accesstokens.json",
	"msal_token_cache.json", "application_default_credentials.json", "access_tokens.db", "credentials.db", "legacy_credentials", "prod.secret.exs", "secrets.exs", ".pgpass.conf", "odbc.ini",
	"local.settings.json", "keyfile", "auth_token", "access_token", ".erlang.cookie", ".rhosts", ".pw", "auth.json", "passwd", "environ",
}

// secretPrefixes lists prefixes of the names of settings files and keys.
var secretPrefixes = [...]string{".env.", ".env*", ".env-", ".env_", "id_rsa", "id_ed25519", "id_ecdsa"}

// secretSuffixes lists suffixes of the names of key files and stores.
var secretSuffixes = [...]string{
	".env", ".pem", ".key", ".p12", ".pfx", ".kdbx", ".kdb", ".ppk", ".p8", ".pk8", ".jks", ".keystore", ".keytab",
	".tfstate", ".tfvars", ".tfvars.json", ".ovpn", ".wallet", ".kubeconfig", ".keychain", ".keychain-db", ".agekey", ".asc.key",
	"_rsa", "_ed25519", "_ecdsa", "_dsa", "_history", ".psafe3", ".agilekeychain", ".opvault", ".gpg.key", ".mobileprovision",
	".secret", ".secrets", ".credentials", ".token", ".passwd", ".htpasswd", ".age-key", ".sealed-key",
}

// secretStems lists words in the names of data files with secrets. They count only together with an
// extension of data files: secrets.yml does, secrets.py does not.
var secretStems = [...]string{
	"secret", "credential", "password", "passwd", "client_secret", "client-secret", "service-account", "service_account", "serviceaccount",
	"api_key", "api-key", "apikey", "token", "private_key", "private-key", "privatekey", "firebase-adminsdk", "gcp-key", "gcp_key", "gcloud-key",
	"mnemonic", "seed-phrase", "seed_phrase", "seedphrase", "recovery-codes", "access_key", "accesskey", "access-key", "rootkey", "creds", "prod-secret", "app-secret", "db-password",
	"bitwarden", "lastpass", "keepass", "1password", "dashlane", "sa-key", "sa_key", "aws_key", "ssh-key", "ssh_key", "signing-key", "signing_key", "encryption-key", "encryption_key",
	"db_password", "aws-cred", "aws_cred", "aws-key", "keyfile", "oauth", "wallet", "master-key", "master_key",
}

// isSecretBase reports whether a base name alone suggests secrets. It may be a pattern.
func isSecretBase(base string) bool {
	if base == "" || isSampleName(base) {
		return false
	}
	pattern := base[0] != '*' && strings.ContainsAny(base, "*?[") && isSpecific(base)
	if base[0] == '.' && !pattern && strings.ContainsFunc(base, func(r rune) bool { return 'a' <= r && r <= 'z' }) && matchGlob(base, ".env") {
		return true // .e*
	}
	exact := base
	if base[0] == '*' {
		exact = strings.Trim(base, "*") // *id_rsa* means that name; *config* could be any file
	}
	for i := range secretNames {
		if exact == secretNames[i] || pattern && matchGlob(base, secretNames[i]) {
			return true
		}
	}
	for _, s := range hosts.Secrets {
		if s.At == hosts.Named && (exact == s.Path || pattern && matchGlob(base, s.Path)) {
			return true
		}
	}
	if strings.HasPrefix(base, "ssh_host_") && strings.HasSuffix(base, "_key") {
		return true
	}
	for i := range secretPrefixes {
		if strings.HasPrefix(base, secretPrefixes[i]) {
			return !isSourceName(base)
		}
	}
	for i := range secretSuffixes {
		if strings.HasSuffix(base, secretSuffixes[i]) {
			return !isPublicCert(base)
		}
	}
	if key, ok := strings.CutSuffix(base, ".json"); ok && strings.HasSuffix(key, "_key") && IsSecretName(key) {
		return true
	}
	for i := range secretStems {
		if HasStem(base, secretStems[i]) {
			return hasDataExtension(base)
		}
	}
	return false
}

// isSourceName reports whether a file name has an extension of source code, documents or images.
func isSourceName(base string) bool {
	switch base[strings.LastIndexByte(base, '.')+1:] {
	case "go", "py", "js", "ts", "tsx", "jsx", "rs", "rb", "java", "c", "h", "cpp", "cs", "php", "md", "rst", "html", "css", "png", "svg":
		return true
	}
	return false
}

// HasStem reports whether stem or its plural is a whole word of base: it is for token-1.json and
// tokens.txt, but not for tokenizer.json.
func HasStem(base, stem string) bool {
	i := strings.Index(base, stem)
	if i < 0 || i > 0 && IsLetter(base[i-1]) {
		return false
	}
	rest := strings.TrimPrefix(base[i+len(stem):], "s")
	return rest == "" || !IsLetter(rest[0])
}

// secretPlaces lists common file names that hold secrets in the directories dirs.
var secretPlaces = [...]struct{ base, dirs string }{
	{"config.json", ".docker .composer .bitwarden .netlify netlify .continue .railway"},
	{"config", ".git .bundle .hub"},
	{"nuget.config", "nuget"},
	{"profiles.yml", ".dbt"},
	{"keys.txt", "age"},
	{"settings.xml", ".m2"},
	{"settings-security.xml", ".m2"},
	{"gradle.properties", ".gradle"},
	{"credentials.toml", ".cargo"},
	{"hosts.yml", "gh"},
	{"admin.conf", "kubernetes"},
	{"passwd-", "etc security"},
	{"sudoers", "etc security"},
	{"opasswd", "etc security"},
	{"krb5.conf", "etc security"},
	{"id.json", "solana"},
	{"database.yml", "config"},
}

// isSecretPlace reports whether a file named base holds secrets because it is in the directory dir.
func isSecretPlace(dir, base string) bool {
	last := dir[strings.LastIndexByte(dir, '/')+1:]
	common := false
	for _, s := range hosts.Secrets {
		if folder, name, _ := strings.Cut(s.Path, "/"); s.At == hosts.InFolder && name == base {
			if folder == last {
				return true
			}
			common = true
		}
	}
	if common {
		return false
	}
	for i := range secretPlaces {
		if secretPlaces[i].base == base {
			return slices.Contains(strings.Fields(secretPlaces[i].dirs), last)
		}
	}
	switch base {
	case "mem":
		return containsDir(dir, "proc")
	case "sam": // the password database of Windows, and a first name
		return last != "home" && last != "users"
	}
	switch last {
	case "secrets", ".secrets", "credentials", ".credentials", "private-keys":
		return hasDataExtension(base) && strings.IndexByte(base, '.') > 0 && !isSampleName(base)
	}
	if strings.ContainsAny(base, "*?[") && isSpecific(base) && (last == "etc" || len(last) == 3 && matchGlob(last, "etc")) {
		return matchGlob(base, "passwd") || matchGlob(base, "shadow")
	}
	return false
}

// TrimPackSuffixes returns a base name without suffixes from copying, packing and encoding. A packed
// key is still a key.
func TrimPackSuffixes(base string) string {
	for range 4 {
		i := strings.LastIndexByte(base, '.')
		if i <= 0 {
			return base
		}
		switch base[i:] {
		case ".gz", ".bz2", ".xz", ".zst", ".zip", ".tar", ".tgz", ".7z", ".rar", ".b64", ".base64", ".hex", ".enc", ".bak", ".old",
			".orig", ".copy", ".save", ".swp", ".backup", ".txt", ".1", ".2":
			base = base[:i]
		default:
			return base
		}
	}
	return base
}

// isSampleName reports whether a file with this name is a template or a sample, which holds no secret.
func isSampleName(base string) bool {
	for _, w := range [...]string{"example", "sample", "template", "dist", "defaults", "default", "tmpl", "tpl", "schema", "dummy", "placeholder"} {
		i := strings.Index(base, w)
		if i < 0 {
			continue
		}
		end := i + len(w)
		if (i == 0 || !IsLetter(base[i-1])) && (end == len(base) || !IsLetter(base[end])) {
			return true
		}
	}
	return false
}

// isPublicCert reports whether the name of a .pem file suggests a public certificate.
func isPublicCert(base string) bool {
	if !strings.HasSuffix(base, ".pem") {
		return false
	}
	for _, w := range [...]string{"cert", "chain", "ca.pem", "ca-", "public", "pub.", "csr", "dhparam"} {
		if strings.Contains(base, w) && !strings.Contains(base, "key") && !strings.Contains(base, "priv") {
			return true
		}
	}
	return false
}

// hasDataExtension reports whether a file name has an extension of data files, or none, rather than
// one of source code.
func hasDataExtension(base string) bool {
	i := strings.LastIndexByte(base, '.')
	if i <= 0 {
		return i < 0 && !strings.ContainsAny(base, "-_") || strings.HasSuffix(base, "s")
	}
	switch base[i+1:] {
	case "json", "yml", "yaml", "toml", "txt", "ini", "conf", "cfg", "xml", "csv", "tsv", "properties", "db", "sqlite", "xlsx", "xls",
		"dat", "bin", "plist", "enc", "gpg", "kdb", "log", "sql", "jwt", "*", "y*ml", "zip", "gz", "tgz", "tar", "bak", "b64", "doc", "docx", "pdf":
		return true
	}
	return false
}
