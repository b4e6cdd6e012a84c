package fact

import (
	"strings"
	"testing"
)

func TestSecretFile(t *testing.T) {
	t.Parallel()
	yes := []string{
		".env", "./.env", "app/.env", ".env.local", ".env.production", ".env.prod.local", ".env*", "prod.env", ".envrc", "~/.ssh/id_rsa", "id_ed25519",
		"/home/u/.ssh", "/home/u/.ssh/", "~/.ssh/*", "~/.ssh/config", "deploy_rsa", "server.pem", "private.key", "tls.key", "cert.p12", "x.pfx", "db.kdbx",
		"a.ppk", "~/.gnupg/secring.gpg", "~/.gnupg", "~/.aws/credentials", "~/.aws", "~/.config/gcloud/x.db", "~/.azure/x", "~/.kube/config", "kubeconfig",
		"~/.docker/config.json", "~/.netrc", "_netrc", ".npmrc", ".pypirc", "~/.git-credentials", ".htpasswd", "/etc/shadow", "/etc/passwd", "//etc//passwd",
		"/etc/./shadow", "/etc/x/../passwd", "/etc/pass*", "/???/passwd", "/etc/sh?dow", "id_*", "id_rs?", "*.pem", "secrets.yml", "secrets.yaml", "secrets.json", "secret.txt",
		"credentials.json", "credentials-prod.json", "service-account.json", "service-account-prod.json", "client_secret_1.json", "terraform.tfstate", "x.tfstate",
		"prod.tfvars", "wallet.dat", "keystore", "release.keystore", "~/.ethereum/keystore/UTC", "Cookies", "Login Data", "~/.mozilla/firefox/x/logins.json",
		"~/Library/Keychains/login.keychain-db", "~/.bash_history", "~/.zsh_history", "/proc/self/environ", "/proc/1/environ", "~/.claude/.credentials.json",
		"~/.codex/auth.json", "/run/secrets/db", "/var/run/secrets/kubernetes.io/serviceaccount/token", "~/.pgpass", "~/.my.cnf", "id_rsa.bak", "id_rsa.gz", ".env.bak",
		"secrets.tar.gz", "passwords.txt", "tokens.txt", "api_keys.txt", "config/database.yml", "wp-config.php", "~/.vault-token", "~/.config/gh/hosts.yml", "/root/.ssh/authorized_keys",
		`C:\Users\u\.ssh\id_rsa`, "\uFFFC/.ssh/id_rsa", "\uFFFC/.env", "~/.SSH/ID_RSA", "config/master.key", "mnemonic.txt", "~/.cargo/credentials.toml", "~/.m2/settings.xml",
		"~/.config/solana/id.json", "~/.gemini/oauth_creds.json", "/etc/sudoers", "/etc/ssh/ssh_host_rsa_key", "vpn.ovpn", "secrets", ".secrets", "password",
		".flaskenv", ".dev.vars", "/etc/shadow-", "/etc/passwd-", "~/.authinfo", "~/.databrickscfg", "~/.kaggle/kaggle.json", "~/.sops/age/keys.txt", "~/.cloudflared/x.json", "~/.ngrok2/ngrok.yml",
		"~/.config/github-copilot/hosts.json", "~/.cursor/mcp.json", "~/.fly/config.yml", "~/.vercel/auth.json", "~/.netlify/config.json", ".git/config", "secrets/prod.yaml", "credentials/google.json",
		"id_rsa_deploy", "deploy_key", "sa-key.json", "aws_keys.txt", "bitwarden_export.json", "config/prod.secret.exs", "~/.dbt/profiles.yml", "~/.putty/x", "/proc/self/mem", "secring.gpg",
		"~/.terraform.d/credentials.tfrc.json", "/etc/NetworkManager/system-connections/home", "~/.local/share/keyrings/login.keyring", "~/.subversion/auth/svn.simple/x",
	}
	// What one expert called secret before and another did not.
	yes = append(yes, "auth.json", "passwd", "conf/passwd", "/proc/\uFFFC/environ", "sam", `C:\Windows\System32\config\SAM`, `C:\dump\sam`, `C:\Users\u\AppData\Roaming\gcloud\x.db`, "deploy_key.json", "\uFFFC.ssh/x", "\uFFFC.env", `".env"`,
		"~/.docker/config.json.bak", "consolehost_history.txt", "token.json", "~/.pki/nssdb", "~/.minisign/minisign.key", "~/.signify/x.sec", "~/.snowsql/config", "~/.gem/credentials", "~/.config/git/credentials", "~/.config/containers/auth.json")
	no := []string{
		"/home/sam", `C:\Users\sam`, "auth.js", "auth.ts", "auth.go", "auth.json.example", "primary_key.json", "public_key.json", "sam.go", "passwd.go",
		"", "/", ".", "README.md", "main.go", ".env.example", ".env.sample", ".env.template", ".env.dist", "example.env", ".env.local.example", "id_rsa.pub", "~/.ssh/id_ed25519.pub",
		"ca.pem", "fullchain.pem", "cert.pem", "public.pem", "server-cert.pem", "secrets.py", "secrets.go", "credentials.ts", "token.go", "tokenizer.json", "tokens.css", "password_test.go",
		"package.json", "config.json", "settings.xml", "passwd.c", "keyboard.json", "monkey.txt", "environment.yml", ".gitignore", ".github", "env.go", "environ.go", "shadow.css", "*", "*.json",
		"variables.tf", "terraform.tfvars.example", "secrets.example.yml", "docs/secrets.md", "kubeconfig.go", "dist/app.js", "cookies.ts", "hosts.yml", "src/env", "history.md",
		"~/.ssh/known_hosts", "public.key", "src/secrets/index.ts", "secrets/README.md", "secrets/config.example.yaml", "id_rsa.go", "config", "mcp.json", "keys.txt", "nuget.config", "profiles.yml", "access-token.ts",
		"private.css", "src/credentials/form.tsx", "bitwarden.svg", "hub/config", "mem", "docs/id_rsa.md",
		strings.Repeat("a", 5000) + "/.env",
	}
	for _, p := range yes {
		if !SecretFile(p) {
			t.Errorf("%q is a secret file", p)
		}
	}
	for _, p := range no {
		if SecretFile(p) {
			t.Errorf("%q is no secret file", p)
		}
	}
}
