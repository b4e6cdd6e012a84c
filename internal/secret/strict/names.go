package strict

import "bytes"

// A nameStrength says how surely a name is that of a secret.
type nameStrength uint8

const (
	plainName  nameStrength = iota
	weakName                // a key of some kind: only what looks random is masked
	softName                // may also count something: numbers stay
	strongName              // its value is a secret
	wholeLine               // and goes on to the end of the line
)

// maxName is how much of a name is read, from its end.
const maxName = 64

// strengthOf reads the words of a name in any spelling: api_key, apiKey, API-KEY.
// Of a dotted name the last part counts: auth.go is no secret.
func strengthOf(name string) nameStrength {
	if len(name) > maxName {
		name = name[len(name)-maxName:]
	}
	var buf [maxName]byte
	var last []byte
	var j judgement
	for i := 0; i < len(name); {
		if byteKinds[name[i]]&letterKind == 0 {
			if name[i] == '.' {
				j.dot()
			}
			i++
			continue
		}
		end := nameWordEnd(name, i)
		w := lowerWord(buf[i:end], name[i:end])
		j.word(w, last)
		i, last = end, w
	}
	return j.verdict()
}

// lowerWord puts w, which is of letters, into buf in lower case.
func lowerWord(buf []byte, w string) []byte {
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
		k := byteKinds[s[j]]
		if k&letterKind == 0 || k == upperKind && byteKinds[s[j-1]] == lowerKind {
			break
		}
		if k == lowerKind && byteKinds[s[j-1]] == upperKind && j-1 > i {
			return j - 1
		}
	}
	return j
}

// A judgement is what is known of a name after some of its words.
type judgement struct {
	found, before nameStrength // of the part that is read, and of those before it
	counted       bool         // something is counted: max, total, input
	described     bool         // the last word makes it a property of the secret
	words         int          // of the part
}

func (j *judgement) dot() {
	j.before = max(j.found, j.before)
	j.found, j.described, j.counted, j.words = plainName, false, false, 0
}

// word reads a word and knows the one before it.
func (j *judgement) word(w, last []byte) {
	found := wordStrength(w, last)
	j.described = found == plainName && describes(w)
	j.counted = j.counted || countsThings(w)
	if j.counted && (string(w) == "tokens" || string(w) == "token") {
		found = plainName
	}
	if j.words == 0 && j.before >= softName && (string(w) == "value" || string(w) == "val") {
		found = j.before // password.value
	}
	j.found = max(j.found, found)
	j.words++
}

func (j *judgement) verdict() nameStrength {
	if j.described {
		return plainName
	}
	return j.found
}

// wordStrength judges a word in lower case that follows another.
func wordStrength(w, before []byte) nameStrength {
	switch string(w) {
	case "authorization", "cookie", "cookies", "setcookie", "passphrase", "mnemonic":
		return wholeLine
	case "password", "passwords", "passwd", "pwd", "passcode", "secret", "secrets", "token", "auth", "apikey",
		"apikeys", "credential", "credentials", "creds", "cred", "jwt", "dsn", "psk", "otp", "cvv", "cvc", "pat",
		"connstr", "connectionstring", "privkey", "signingkey", "encryptionkey", "masterkey":
		return strongName
	case "key", "keys":
		if opens(before) {
			return strongName
		}
		if string(before) != "public" {
			return weakName
		}
	case "sig", "signature":
		return weakName
	case "tokens":
		switch string(before) {
		case "access", "api", "auth", "refresh", "session":
			return strongName
		}
		return softName
	case "pass":
		switch string(before) {
		case "", "first", "second", "third", "one", "two", "single", "multi", "last", "next", "all", "by":
			return softName
		}
		return strongName
	case "word", "code":
		if string(before) == "pass" {
			return strongName
		}
	case "phrase":
		switch string(before) {
		case "pass", "seed", "recovery":
			return wholeLine
		}
	case "string":
		switch string(before) {
		case "connection", "conn":
			return strongName
		}
	default:
		return glued(w)
	}
	return plainName
}

// glued judges words that are spelt as one: PGPASSWORD, authtoken.
func glued(w []byte) nameStrength {
	if len(w) < 5 {
		return plainName
	}
	for _, end := range [...]string{"token", "pwd", "dbpass", "userpass"} {
		if bytes.HasSuffix(w, []byte(end)) {
			return strongName
		}
	}
	for _, part := range [...]string{"passw", "secret", "credential", "apikey", "accesskey", "privatekey", "passphrase"} {
		if bytes.Contains(w, []byte(part)) {
			return strongName
		}
	}
	return plainName
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

// countsThings reports whether tokens with this word before them are a number.
func countsThings(w []byte) bool {
	switch string(w) {
	case "max", "min", "num", "number", "total", "input", "output", "prompt", "completion", "cached", "cache",
		"reasoning", "thinking", "used", "usage", "count", "context", "remaining", "estimated", "budget", "n":
		return true
	}
	return false
}
