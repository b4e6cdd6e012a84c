package facts

import "strings"

// secretWords lists words for secrets in names, settings and patterns.
const secretWords = "password passwd secret token apikey api_key api-key private_key private-key access_key access-key credential passphrase"

// MentionsSecret reports whether text, such as the name of a setting or the pattern of a search,
// contains a word for a secret.
func MentionsSecret(text string) bool {
	text = strings.ToLower(text)
	for words := secretWords; words != ""; {
		var w string
		if w, words, _ = strings.Cut(words, " "); strings.Contains(text, w) {
			return true
		}
	}
	return strings.Contains(text, "private key")
}

// IsCredentialName reports whether a header, option, parameter or argument with this name holds a
// credential.
func IsCredentialName(name string) bool {
	name = strings.ToLower(name)
	if MentionsSecret(name) || strings.Contains(name, "cookie") || strings.Contains(name, "auth") && (!strings.Contains(name, "author") || strings.Contains(name, "authori")) {
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

// IsTokenFile reports whether the name of a secret file suggests that it holds a single password or
// token, which people pass to the service that issued it.
func IsTokenFile(path string) bool {
	base := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	return strings.Contains(base, "password") && !strings.Contains(base, "passwords") || strings.Contains(base, "token") || strings.Contains(base, "api_key") || strings.Contains(base, "apikey") || strings.Contains(base, "api-key")
}

// IsOftenCommitted reports whether path is a file that many projects commit and that only sometimes
// holds secrets.
func IsOftenCommitted(path string) bool {
	base := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	switch base {
	case ".npmrc", ".envrc", ".yarnrc.yml", "database.yml", "keystore", "debug.keystore", ".env.test", ".env.development", ".env.ci", ".env.docker", "kubeconfig", "secrets.yaml", "secrets.yml",
		"secret.yaml", "secret.yml", "terraform.tfvars", "local.settings.json", "secrets.tf", "wp-config.php", "unattend.xml", ".htpasswd":
		return true
	}
	return strings.HasSuffix(base, ".tfvars") || strings.HasSuffix(base, ".mobileprovision")
}

// FindSecretFile returns the first secret file that code names in quotes or with a slash. Other words
// of code, such as self.token and data.key, only look like file names.
func FindSecretFile(code string) (path string, ok bool) {
	return findWord(code, func(word string, quoted bool) bool {
		return (strings.IndexByte(word, '/') >= 0 || quoted && (strings.IndexByte(word, '.') >= 0 || strings.HasPrefix(word, "id_"))) && IsSecretFile(word)
	})
}

// FindPersonalFile returns the first path in code that [IsPersonal] holds for. It reports false if there
// is none. A literal such as "/Documents/x" is taken to follow the home directory.
func FindPersonalFile(code, home string) (path string, ok bool) {
	return findWord(code, func(word string, quoted bool) bool {
		return IsPersonal(word, home) || quoted && strings.HasPrefix(word, "/") && IsPersonal("~"+word, "")
	})
}

// findWord returns the first word of code for which is reports true. It also reports false if there is
// none. A word is quoted if it follows a quote or a <.
func findWord(code string, is func(word string, quoted bool) bool) (found string, ok bool) {
	const marks = " \t\r\n'\"`(),;|&<>{}[]=+"
	for from := 0; from < len(code); {
		to := from + strings.IndexAny(code[from:]+" ", marks)
		if word := code[from:to]; word != "" && is(word, from > 0 && strings.IndexByte("'\"`<", code[from-1]) >= 0) {
			return word, true
		}
		from = to + 1
	}
	return "", false
}
