package facts

import "strings"

// secretWords are how people speak of secrets in names, settings and patterns.
const secretWords = "password passwd secret token apikey api_key api-key private_key private-key access_key access-key credential passphrase"

// SpeaksOfSecrets reports whether a text has a word for something secret in it: the
// name of a setting, the pattern of a search.
func SpeaksOfSecrets(text string) bool {
	text = strings.ToLower(text)
	for words := secretWords; words != ""; {
		var w string
		if w, words, _ = strings.Cut(words, " "); strings.Contains(text, w) {
			return true
		}
	}
	return strings.Contains(text, "private key")
}

// ForCredential reports whether the name of a header, an option, a parameter or an
// argument means that a credential belongs there.
func ForCredential(name string) bool {
	name = strings.ToLower(name)
	if SpeaksOfSecrets(name) || strings.Contains(name, "cookie") || strings.Contains(name, "auth") && (!strings.Contains(name, "author") || strings.Contains(name, "authori")) {
		return true
	}
	for rest := name; rest != ""; {
		var word string
		if i := strings.IndexAny(rest, "-_. "); i >= 0 {
			word, rest = rest[:i], rest[i+1:]
		} else {
			word, rest = rest, ""
		}
		switch word {
		case "key", "keys", "keyfile", "keyring", "pass", "pwd", "pat", "sig", "signature", "cred", "creds", "identity", "appid", "jwt", "bearer", "session", "sessionid":
			return true
		}
	}
	return strings.HasSuffix(name, "key") || strings.HasSuffix(name, "pass")
}

// OneToken reports whether a file of secrets holds one token and nothing else, such
// as people give to the service that it is for.
func OneToken(path string) bool {
	base := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	return strings.Contains(base, "password") && !strings.Contains(base, "passwords") || strings.Contains(base, "token") || strings.Contains(base, "api_key") || strings.Contains(base, "apikey") || strings.Contains(base, "api-key")
}

// OftenCommitted reports whether a file has secrets only at times, and is committed in
// many projects.
func OftenCommitted(path string) bool {
	base := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	switch base {
	case ".npmrc", ".envrc", ".yarnrc.yml", "database.yml", "keystore", "debug.keystore", ".env.test", ".env.development", ".env.ci", ".env.docker", "kubeconfig", "secrets.yaml", "secrets.yml",
		"secret.yaml", "secret.yml", "terraform.tfvars", "local.settings.json", "secrets.tf", "wp-config.php", "unattend.xml", ".htpasswd":
		return true
	}
	return strings.HasSuffix(base, ".tfvars") || strings.HasSuffix(base, ".mobileprovision")
}

// SecretIn returns the first file with secrets that code names: in quotes, or with a
// slash. Other words of code only look like names: self.token, data.key.
func SecretIn(code string) (path string, ok bool) {
	const marks = " \t\r\n'\"`(),;|&<>{}[]=+"
	for from := 0; from < len(code); {
		to := from + strings.IndexAny(code[from:]+" ", marks)
		word := code[from:to]
		if word != "" && (strings.IndexByte(word, '/') >= 0 || from > 0 && strings.IndexByte("'\"`<", code[from-1]) >= 0 && (strings.IndexByte(word, '.') >= 0 || strings.HasPrefix(word, "id_"))) && SecretFile(word) {
			return word, true
		}
		from = to + 1
	}
	return "", false
}
