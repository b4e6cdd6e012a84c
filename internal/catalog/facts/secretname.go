package facts

import "strings"

// IsSecretName reports whether the name of a variable suggests that it holds a secret.
func IsSecretName(name string) bool {
	if len(name) < 3 || len(name) > 128 {
		return false
	}
	name = strings.ToUpper(name)
	if strings.ContainsAny(name, "-.") {
		name = strings.NewReplacer("-", "_", ".", "_").Replace(name)
	}
	switch name {
	case "PWD", "OLDPWD", "SSH_AUTH_SOCK", "GPG_KEY_ID", "KEY", "AUTH":
		return false
	case "MYSQL_PWD", "KUBECONFIG_DATA":
		return true
	}
	for _, end := range [...]string{"DATABASE_URL", "DATABASE_URI", "MONGO_URI", "MONGODB_URI", "MONGO_URL", "REDIS_URL", "REDIS_URI", "POSTGRES_URL", "POSTGRES_URI", "POSTGRESQL_URL", "MYSQL_URL", "AMQP_URL", "BROKER_URL", "DB_URL", "DB_URI", "DSN",
		"CONNECTION_STRING", "CONNECTIONSTRING", "CONN_STR"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	if strings.Contains(name, "PUBLIC") || isAboutSecret(name[strings.LastIndexByte(name, '_')+1:]) {
		return false
	}
	for _, part := range [...]string{"API_KEY", "ACCESS_KEY", "PRIVATE_KEY", "SECRET_KEY"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	for rest := name; rest != ""; {
		part, tail, _ := strings.Cut(rest, "_")
		rest = tail
		if isSecretWord(part) || rest == "" && len(name) > len(part) && (isKeyName(name) || isLoginName(name)) {
			return !countsTokens(name)
		}
	}
	return false
}

// isSecretWord reports whether part, a word of a name in upper case, is a word for a secret.
func isSecretWord(part string) bool {
	switch part {
	case "SECRETS", "TOKENS", "PASS", "CREDENTIALS", "CREDENTIAL", "CREDS", "CRED", "PAT", "MNEMONIC", "JWT", "BEARER", "PRIVKEY", "PWD", "DBPASS":
		return true
	}
	for _, end := range [...]string{"SECRET", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "APIKEY", "ACCESSKEY", "SECRETKEY", "PRIVATEKEY"} {
		if strings.HasSuffix(part, end) {
			return true
		}
	}
	return false
}

// isKeyName reports whether a variable with this name holds a key for access, as STRIPE_KEY does.
func isKeyName(name string) bool {
	name, ok := strings.CutSuffix(strings.TrimSuffix(name, "S"), "_KEY")
	if !ok {
		return false
	}
	switch name[strings.LastIndexByte(name, '_')+1:] {
	case "CACHE", "PUB", "PRIMARY", "FOREIGN", "SORT", "PARTITION", "ISSUE", "OBJECT", "PROJECT", "HOT", "ROUTING":
		return false
	}
	return !strings.Contains(name, "CACHE")
}

// isLoginName reports whether a variable with this name holds login data, as NPM_CONFIG__AUTH does.
// Many other names that end in _AUTH only switch authentication on or off.
func isLoginName(name string) bool {
	name, ok := strings.CutSuffix(name, "_AUTH")
	if !ok {
		return false
	}
	switch name[strings.LastIndexByte(name, '_')+1:] {
	case "USE", "ENABLE", "DISABLE", "NO", "SKIP", "REQUIRE", "REQUIRES", "HAS", "WITH", "ALLOW", "NEXT", "TEST", "GIT", "CHECK", "IS", "NEEDS":
		return false
	}
	return true
}

// isAboutSecret reports whether last, the last word of a name, means that the variable only describes
// a secret, such as its location or length.
func isAboutSecret(last string) bool {
	switch last {
	case "FILE", "PATH", "DIR", "NAME", "LENGTH", "LEN", "COUNT", "TTL", "EXPIRY", "EXPIRES", "LIMIT", "TYPE", "ENDPOINT", "ARN", "POLICY", "REGEX", "URL", "HELPER", "PROMPT", "ENABLED":
		return true
	}
	return false
}

// countsTokens reports whether a variable with this name holds a number of tokens of a model.
func countsTokens(name string) bool {
	switch first, rest, _ := strings.Cut(name, "_"); first {
	case "MAX", "MIN", "NUM", "N", "TOTAL", "INPUT", "OUTPUT", "PROMPT", "COMPLETION":
		return strings.HasSuffix(rest, "TOKENS")
	}
	return strings.HasSuffix(name, "MAX_TOKENS")
}
