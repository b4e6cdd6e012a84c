package foreign

import "strings"

// secretFile reports whether a file of that name holds secrets.
func secretFile(p string) bool {
	p = lower(unix(strings.Trim(p, `"'`)))
	base := p[strings.LastIndexByte(p, '/')+1:]
	if strings.HasPrefix(base, ".env") && (len(base) == 4 || base[4] == '.' && !strings.HasSuffix(base, "example") && !strings.HasSuffix(base, "sample") && !strings.HasSuffix(base, "template")) {
		return true
	}
	switch base {
	case ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", "credentials", "credentials.json", "secrets.json", "secrets.yaml", "secrets.yml", "sam",
		"ntds.dit", "login data", "cookies", "logins.json", "key4.db", "kubeconfig", "consolehost_history.txt", "unattend.xml", "wallet.dat", "token.json", "auth.json":
		return true
	}
	for _, s := range [...]string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"} {
		if strings.HasPrefix(base, s) && !strings.HasSuffix(base, ".pub") {
			return true
		}
	}
	for _, s := range [...]string{"/.ssh/", "/.aws/", "/.gnupg/", ".kube/config", ".docker/config", "/.azure/", "microsoft/credentials", "microsoft/protect", "config/sam", "/gcloud/"} {
		if strings.Contains("/"+p+"/", s) {
			return true
		}
	}
	for _, s := range [...]string{".pem", ".pfx", ".p12", ".key", ".kdbx", ".ppk", ".keystore"} {
		if strings.HasSuffix(base, s) {
			return true
		}
	}
	return false
}

// secretName reports whether a variable of that name holds a secret.
func secretName(n string) bool {
	n = strings.ToUpper(n)
	for _, s := range [...]string{"SECRET", "TOKEN", "PASSW", "CREDENTIAL", "API_KEY", "APIKEY", "PRIVATE_KEY", "ACCESS_KEY", "_KEY", "_PWD"} {
		if strings.Contains(n, s) {
			return true
		}
	}
	return false
}

// readFile is the content of a file.
func (r *reader) readFile(p string) flow {
	f := flow{text: hole, file: true, secret: secretFile(p)}
	if f.secret {
		r.hand([]string{"cat", unix(p)})
	}
	return f
}
