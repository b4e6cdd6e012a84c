package secret

import "strings"

// judgeName returns what a name says about its value, seen from the anchor
// within it, which goes from start to end.
func judgeName(name string, start, end int) strength {
	from, to := wordAround(name, start, end)
	level := judgeWord(name[from:to])
	if level == mute || deniesAfter(name[to:]) || level != pass && namesDigest(name) {
		return mute
	}
	before := lastWord(name[:from])
	if isOneOf(before, "public pub csrf xsrf no without hashed hash max min num next page continuation cancellation") {
		return mute
	}
	if level == weak {
		switch {
		case isOneOf(before, "api secret access private priv auth signing sign encryption encrypt crypto cipher master shared service account app "+
			"application client license licence deploy deployment hmac jwt aes des session root admin server subscription consumer security webhook "+
			"write rest integration ingest ssh storage"):
			return strong
		case isOneOf(before, "primary foreign partition sort range cache index map object dict row column group unique event on press hot short "+
			"arrow translation locale lang message route query param order local bucket file path image asset schema sequence item node tab any each socket websocket "+
			"return enter escape control shift hash lookup sorting type random has get set find delete is with by from"):
			return mute
		}
	}
	return level
}

// wordAround returns the word of the name in which the bytes from start to end
// are. Words end at signs and digits, and before a capital that follows a
// small letter.
func wordAround(name string, start, end int) (int, int) {
	for start < end && !isLetter(name[start]) { // the anchor _pass
		start++
	}
	for end > start && !isLetter(name[end-1]) { // pass=
		end--
	}
	for start > 0 && isLetter(name[start-1]) && !(isLower(name[start-1]) && isUpper(name[start])) {
		start--
	}
	for end < len(name) && isLetter(name[end]) && !(isLower(name[end-1]) && isUpper(name[end])) {
		end++
	}
	return start, end
}

// judgeWord judges the word that an anchor is in.
func judgeWord(word string) strength {
	var buf [24]byte
	if len(word) > len(buf) {
		return mute
	}
	w := string(lowerInto(buf[:0], word))
	switch w {
	case "pass", "psw", "passw", "assword", "p/w", "mdp", "adgangskode", "lozinka", "jelszo", "kodeord", "passe", "passphrase", "passcode", "pw", "psk",
		"requirepass", "masterauth", "senha", "contrasena", "haslo", "heslo", "sifre", "parola":
		return pass
	case "key", "access", "api", "auth", "oauth":
		return weak
	case "credential", "credentials", "creds", "cred", "clave":
		return strong
	}
	switch {
	case endsIn(w, "password passwd pwd passwort passord kennwort wachtwoord salasana dbpass userpass mypass rootpass adminpass smtppass ftppass "+
		"keypass storepass rootpw userpw adminpw dbpw sudopw sshpw ftppw mypw bindpw ldappw vncpw wifipw mailpw smtppw"):
		return pass
	case endsIn(w, "token tokens secret secrets apikey apikeys accesskey secretkey privatekey authkey signingkey "+
		"encryptionkey masterkey licensekey sharedkey accountkey storagekey servicekey hmackey jwtkey passkey appkey consumerkey serverkey adminkey writekey ingestkey deploykey clientkey"):
		return strong
	}
	return mute
}

func lowerInto(dst []byte, s string) []byte {
	for i := range len(s) {
		dst = append(dst, lowered(s[i]))
	}
	return dst
}

// isLastWord reports whether no word follows the one that the anchor before
// end is in.
func isLastWord(name string, end int) bool {
	_, end = wordAround(name, end-1, end)
	return skip(name, end, len(name), func(c byte) bool { return !isLetter(c) }) == len(name)
}

// deniesAfter reports whether a word behind the one that counts takes its
// meaning away: token_url, secretName, password-hash.
func deniesAfter(rest string) bool {
	for at := 0; at < len(rest); {
		if !isLetter(rest[at]) {
			at++
			continue
		}
		end := at + 1
		for end < len(rest) && isLetter(rest[end]) && !(isLower(rest[end-1]) && isUpper(rest[end])) {
			end++
		}
		if isOneOf(rest[at:end], "id ids name names url uri path file files filename dir folder type types kind format length len size count limit max min "+
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

// lastWord returns the word that s ends with, signs behind it aside.
func lastWord(s string) string {
	end := len(s)
	for end > 0 && !isLetter(s[end-1]) {
		end--
	}
	at := end
	for at > 0 && isLetter(s[at-1]) && !(at < end && isLower(s[at-1]) && isUpper(s[at])) {
		at--
	}
	return s[at:end]
}

// isOneOf reports whether word, in any case, is in the list.
func isOneOf(word, list string) bool {
	var room [32]byte // no list has a longer one
	if word == "" || len(word) > len(room) || len(word) > len(list) {
		return false
	}
	for i := range len(word) {
		if word[i] == ' ' {
			return false
		}
		room[i] = lowered(word[i])
	}
	for at := 0; ; at++ {
		i := strings.Index(list[at:], string(room[:len(word)]))
		if i < 0 {
			return false
		}
		at += i
		if end := at + len(word); (at == 0 || list[at-1] == ' ') && (end == len(list) || list[end] == ' ') {
			return true
		}
	}
}

// endsIn reports whether s ends in one of the list.
func endsIn(s, list string) bool {
	for at := 0; at < len(list); {
		end := at
		for end < len(list) && list[end] != ' ' {
			end++
		}
		if tail := list[at:end]; len(s) >= len(tail) && s[len(s)-len(tail):] == tail {
			return true
		}
		at = end + 1
	}
	return false
}

func endsInFold(s, tail string) bool {
	return len(s) >= len(tail) && hasFold(s[len(s)-len(tail):], tail)
}

// firstWord returns the first word of s.
func firstWord(s string) string {
	from := skip(s, 0, len(s), isBlank)
	return s[from:skip(s, from, len(s), isLetter)]
}
