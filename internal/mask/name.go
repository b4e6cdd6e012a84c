package mask

import "bytes"

// A strength says how surely a name is that of a secret.
type strength uint8

const (
	plain  strength = iota
	weak            // a key of some kind: only what looks random is masked
	soft            // may also count something: numbers stay
	strong          // its value is a secret
	whole           // and goes on to the end of the line
)

// maxName is how much of a name is read, from its end.
const maxName = 64

// judge reads the words of a name in any spelling: api_key, apiKey, API-KEY.
// Of a dotted name the last part counts: auth.go is no secret.
func judge(name string) strength {
	if len(name) > maxName {
		name = name[len(name)-maxName:]
	}
	var buf [maxName]byte
	var last []byte
	var j judgement
	for i := 0; i < len(name); {
		if kinds[name[i]]&letter == 0 {
			if name[i] == '.' {
				j.dot()
			}
			i++
			continue
		}
		end := nameWordEnd(name, i)
		w := lowered(buf[i:end], name[i:end])
		j.word(w, last)
		i, last = end, w
	}
	return j.verdict()
}

// lowered puts w, which is of letters, into buf in lower case.
func lowered(buf []byte, w string) []byte {
	for i := range buf {
		buf[i] = w[i] | 0x20
	}
	return buf
}

// nameWordEnd returns the end of the word of a name that starts at i: before
// what is no letter, before a capital that follows a small letter, and before
// the last capital of several that a small letter follows (the R of URLReader).
func nameWordEnd(s string, i int) int {
	j := i + 1
	for ; j < len(s); j++ {
		k := kinds[s[j]]
		if k&letter == 0 || k == upper && kinds[s[j-1]] == lower {
			break
		}
		if k == lower && kinds[s[j-1]] == upper && j-1 > i {
			return j - 1
		}
	}
	return j
}

// A judgement is what is known of a name after some of its words.
type judgement struct {
	found, before strength // of the part that is read, and of those before it
	counted       bool     // something is counted: max, total, input
	described     bool     // the last word makes it a property of the secret
	words         int      // of the part
}

func (j *judgement) dot() {
	j.before = max(j.found, j.before)
	j.found, j.described, j.counted, j.words = plain, false, false, 0
}

// word reads a word and knows the one before it.
func (j *judgement) word(w, last []byte) {
	found := wordStrength(w, last)
	j.described = found == plain && describes(w)
	j.counted = j.counted || counts(w)
	if j.counted && (string(w) == "tokens" || string(w) == "token") {
		found = plain
	}
	if j.words == 0 && j.before >= soft && (string(w) == "value" || string(w) == "val") {
		found = j.before // password.value
	}
	j.found = max(j.found, found)
	j.words++
}

func (j *judgement) verdict() strength {
	if j.described {
		return plain
	}
	return j.found
}

// wordStrength judges a word in lower case that follows another.
func wordStrength(w, before []byte) strength {
	switch string(w) {
	case "authorization", "cookie", "cookies", "setcookie", "passphrase", "mnemonic":
		return whole
	case "password", "passwords", "passwd", "pwd", "passcode", "secret", "secrets", "token", "auth", "apikey",
		"apikeys", "credential", "credentials", "creds", "cred", "jwt", "dsn", "psk", "otp", "cvv", "cvc", "pat",
		"connstr", "connectionstring", "privkey", "signingkey", "encryptionkey", "masterkey":
		return strong
	case "key", "keys":
		if opens(before) {
			return strong
		}
		if string(before) != "public" {
			return weak
		}
	case "sig", "signature":
		return weak
	case "tokens":
		switch string(before) {
		case "access", "api", "auth", "refresh", "session":
			return strong
		}
		return soft
	case "pass":
		switch string(before) {
		case "", "first", "second", "third", "one", "two", "single", "multi", "last", "next", "all", "by":
			return soft
		}
		return strong
	case "word", "code":
		if string(before) == "pass" {
			return strong
		}
	case "phrase":
		switch string(before) {
		case "pass", "seed", "recovery":
			return whole
		}
	case "string":
		switch string(before) {
		case "connection", "conn":
			return strong
		}
	default:
		return glued(w)
	}
	return plain
}

// glued judges words that are spelt as one: PGPASSWORD, authtoken.
func glued(w []byte) strength {
	if len(w) < 5 {
		return plain
	}
	for _, end := range [...]string{"token", "pwd", "dbpass", "userpass"} {
		if bytes.HasSuffix(w, []byte(end)) {
			return strong
		}
	}
	for _, part := range [...]string{"passw", "secret", "credential", "apikey", "accesskey", "privatekey", "passphrase"} {
		if bytes.Contains(w, []byte(part)) {
			return strong
		}
	}
	return plain
}

// opens reports whether a key with this word before it opens something.
func opens(w []byte) bool {
	switch string(w) {
	case "api", "access", "secret", "private", "priv", "signing", "sign", "encryption", "encrypt", "decryption",
		"master", "shared", "account", "storage", "service", "auth", "ssh", "gpg", "pgp", "deploy", "license",
		"client", "admin", "consumer", "hmac", "aes", "rsa", "jwt", "webhook", "subscription", "server", "cipher",
		"crypto", "root", "app", "application", "sas", "stripe", "openai", "anthropic", "aws", "azure", "google",
		"github", "gitlab", "sendgrid", "twilio", "mailgun", "datadog", "integration", "wallet":
		return true
	}
	return false
}

// describes reports whether a name that ends with w is about a secret and not
// the secret itself: password_policy, token_count.
func describes(w []byte) bool {
	switch string(w) {
	case "count", "counts", "used", "usage", "limit", "limits", "length", "len", "size", "sizes", "type", "types",
		"kind", "name", "names", "ttl", "expiry", "expires", "expiration", "age", "file", "files", "path", "paths",
		"dir", "policy", "policies", "required", "enabled", "disabled", "min", "max", "budget", "ref", "refs", "url",
		"uri", "endpoint", "field", "fields", "label", "prompt", "hint", "version", "status", "error", "errors",
		"index", "format", "scope", "scopes", "issuer", "manager", "store", "provider", "method", "mode", "algorithm",
		"alg", "placeholder", "pattern", "regex", "ids", "user", "username", "email", "domain", "host", "port",
		"consent", "at", "in", "on", "rate", "cost", "price", "window", "stdin":
		return true
	}
	return false
}

// counts reports whether tokens with this word before them are a number.
func counts(w []byte) bool {
	switch string(w) {
	case "max", "min", "num", "number", "total", "input", "output", "prompt", "completion", "cached", "cache",
		"reasoning", "thinking", "used", "usage", "count", "context", "remaining", "estimated", "budget", "n":
		return true
	}
	return false
}
