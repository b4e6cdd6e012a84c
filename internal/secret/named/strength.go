package named

import "github.com/checkrein/checkrein/internal/secret/lex"

// A Strength is how strongly a name suggests that its value is a secret.
type Strength uint8

const (
	Mute   Strength = iota // nothing
	Weak                   // some kind of key or access
	Strong                 // a token, a secret, an API key
	Pass                   // a password, which users make up
)

// JudgeName returns what name suggests about its value. The anchor is name[start:end].
func JudgeName(name string, start, end int) Strength {
	from, to := lex.WordAround(name, start, end)
	level := judgeWord(name[from:to])
	if level == Mute || negatesName(name[to:]) || level != Pass && lex.NamesDigest(name) {
		return Mute
	}
	before := lex.LastWord(name[:from])
	if lex.IsOneOf(before, "public pub csrf xsrf no without hashed hash max min num next page continuation cancellation") {
		return Mute
	}
	if level == Weak {
		switch {
		case lex.IsOneOf(before, "api secret access private priv auth signing sign encryption encrypt crypto cipher master shared service account app "+
			"application client license licence deploy deployment hmac jwt aes des session root admin server subscription consumer security webhook "+
			"write rest integration ingest ssh storage"):
			return Strong
		case lex.IsOneOf(before, "primary foreign partition sort range cache index map object dict row column group unique event on press hot short "+
			"arrow translation locale lang message route query param order local bucket file path image asset schema sequence item node tab any each socket websocket "+
			"return enter escape control shift hash lookup sorting type random has get set find delete is with by from"):
			return Mute
		}
	}
	return level
}

// judgeWord returns what word, the word of a name that contains the anchor, suggests about the value.
func judgeWord(word string) Strength {
	var buf [24]byte
	if len(word) > len(buf) {
		return Mute
	}
	w := string(lex.AppendLower(buf[:0], word))
	switch w {
	case "pass", "psw", "passw", "assword", "p/w", "mdp", "adgangskode", "lozinka", "jelszo", "kodeord", "passe", "passphrase", "passcode", "pw", "psk",
		"requirepass", "masterauth", "senha", "contrasena", "haslo", "heslo", "sifre", "parola":
		return Pass
	case "key", "access", "api", "auth", "oauth":
		return Weak
	case "credential", "credentials", "creds", "cred", "clave":
		return Strong
	}
	switch {
	case lex.HasAnySuffix(w, "password passwd pwd passwort passord kennwort wachtwoord salasana dbpass userpass mypass rootpass adminpass smtppass ftppass "+
		"keypass storepass rootpw userpw adminpw dbpw sudopw sshpw ftppw mypw bindpw ldappw vncpw wifipw mailpw smtppw"):
		return Pass
	case lex.HasAnySuffix(w, "token tokens secret secrets apikey apikeys accesskey secretkey privatekey authkey signingkey "+
		"encryptionkey masterkey licensekey sharedkey accountkey storagekey servicekey hmackey jwtkey passkey appkey consumerkey serverkey adminkey writekey ingestkey deploykey clientkey"):
		return Strong
	}
	return Mute
}

// negatesName reports whether a word of rest, the part of the name after the word with the anchor,
// changes its meaning: token_url, secretName, password-hash.
func negatesName(rest string) bool {
	for at := 0; at < len(rest); {
		if !lex.IsLetter(rest[at]) {
			at++
			continue
		}
		end := at + 1
		for end < len(rest) && lex.IsLetter(rest[end]) && !(lex.IsLower(rest[end-1]) && lex.IsUpper(rest[end])) {
			end++
		}
		if lex.IsOneOf(rest[at:end], "id ids name names url uri path file files filename dir folder type types kind format length len size count limit max min "+
			"hash hashed digest version index idx prefix suffix field fields label title placeholder hint message error err exception class style policy "+
			"rule rules ref arn manager provider service store vault ring pair board map list table column row expiry expires expiration ttl timeout "+
			"duration scope scopes endpoint host port header headers param parameter env var variable regex pattern schema spec template algorithm alg "+
			"mode status state info metadata location region source target selector down up press code event handler listener func fn callback cmd "+
			"command required optional valid invalid enabled disabled attempt attempts reset strength check chars alphabet charset encoding usage "+
			"pub public thumbprint bits strategy mount mgr input output result results date time created updated stdin prompt age "+
			"expired expire expires history protected through age bytes buffer buf box textbox control element at by of in is to") {
			return true
		}
		at = end
	}
	return false
}
