package exfil

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

func TestPrivateKind(t *testing.T) {
	t.Parallel()
	p := &shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: "/home/u"}
	for _, path := range strings.Split(`~/.ssh/id_rsa
~/.ssh/id_ed25519
~/.ssh/work
~/.ssh
~/.ssh/*
~/.ssh/id_*
/home/u/.ssh/id_rsa
/home/other/.ssh/id_rsa
/root/.ssh/id_rsa
/Users/u/.ssh/id_rsa
C:\Users\u\.ssh\id_rsa
../.ssh/id_rsa
~/.aws/credentials
~/.aws
~/.config/gcloud/application_default_credentials.json
~/.azure/msal_token_cache.json
~/.kube/config
~/.docker/config.json
~/.netrc
~/.npmrc
~/.pgpass
~/.config/gh/hosts.yml
~/.git-credentials
~/.password-store/mail.gpg
~/Passwords.kdbx
~/Library/Keychains/login.keychain-db
~/.local/share/keyrings/login.keyring
~/.config/google-chrome/Default/Cookies
~/Library/Application Support/Google/Chrome/Default/Login Data
~/.mozilla/firefox/x.default/logins.json
~/keys/prod.pem
/etc/shadow
/etc/ssh/ssh_host_rsa_key
/etc/letsencrypt/live/example.com/privkey.pem
~/.gnupg/private-keys-v1.d/x.key
~/.codex/auth.json`, "\n") {
		if _, ok := PrivateKind(path, p); !ok {
			t.Errorf("%s is not private", path)
		}
	}
	for _, path := range strings.Split(`~/.ssh/id_rsa.pub
~/.ssh/*.pub
~/.ssh/config
~/.ssh/known_hosts
~/.ssh/authorized_keys
~/.aws/config
.env
.env.local
./certs/server.pem
id_rsa
testdata/id_rsa
.npmrc
/home/u/proj/.npmrc
~/.bash_history
~/.zshrc
~/.gitconfig
~/.config/gh/config.yml
~/.kube/cache/x
/etc/passwd
/etc/hosts
/etc/ssl/certs/ca-certificates.crt
/usr/lib/python3/site-packages/certifi/cacert.pem
~/work/cert.pem
/tmp/x/key.pem
~/.claude/settings.json
~/Downloads/x.zip
`, "\n") {
		if what, ok := PrivateKind(path, p); ok {
			t.Errorf("%s is %s", path, what)
		}
	}
	home := &shell.Place{Dir: "/home/u", Root: "/home/u", Home: "/home/u"}
	for _, path := range []string{".ssh/id_rsa", "~/.aws/credentials"} {
		if _, ok := PrivateKind(path, home); !ok {
			t.Errorf("%s is not private if the home directory is the project", path)
		}
	}
	if _, ok := PrivateKind("~/.ssh/id_rsa", nil); !ok {
		t.Error("a key is not private without a place")
	}
}
