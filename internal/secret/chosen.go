package secret

// Passwords that people choose, and what stands in their places without being
// one: words of the trade that have digits, versions, hosts, paths.

// isChosen reports whether val, in a place where little but a password stands, is
// one. It may be weak, but it has more than letters or is no word.
func isChosen(val string) bool {
	l := lookAt(val)
	return l.is(asChosen)
}

// isAppPassword reports whether val is one of 16 letters, as Google and Apple make
// them for one program each: abcdefghijklmnop, abcd-efgh-ijkl-mnop.
func isAppPassword(val string) bool {
	switch len(val) {
	case 16:
		return skip(val, 0, len(val), isLower) == len(val) && wordy(val) == 0
	case 19:
		for i := range len(val) {
			if i%5 == 4 && val[i] != val[4] || i%5 != 4 && !isLower(val[i]) {
				return false
			}
		}
		return (val[4] == '-' || val[4] == ' ') && wordy(val) <= 8
	}
	return false
}

// isCall reports whether val is a call, or a type with its length.
func isCall(val string) bool {
	at := skip(val, 0, len(val), isName)
	return at > 0 && at < len(val) && val[at] == '(' && val[len(val)-1] == ')'
}

// isSaid is isChosen for a word of a text in which other words stand as well.
// With last, nothing more of the sentence follows, or the word is quoted.
func isSaid(val string, ends bool) bool {
	l := lookAt(val)
	return l.isSaid(ends)
}

func (l *look) isSaid(ends bool) bool {
	if ends {
		return l.is(asSaidLast)
	}
	return l.is(asSaid)
}

// isCodePath reports whether val is names with dots between them of which the
// last has no digit, or a name in capitals.
func isCodePath(val string) bool {
	_, _, lowers, _ := traits(val)
	dot, under, digits := -1, false, 0
	for i := range len(val) {
		switch c := val[i]; {
		case c == '.':
			dot, digits = i, 0
		case c == '_':
			under = true
		case isDigit(c):
			digits++
		case !isLetter(c):
			return false
		}
	}
	return dot > 0 && digits == 0 && dot+1 < len(val) || under && lowers == 0 || dot > 0 && isElsewhere(val)
}

// hasCodeSign reports whether val has a sign that belongs to code around it.
func hasCodeSign(val string) bool {
	for i := range len(val) {
		switch val[i] {
		case '(', ')', '{', '}', '<', '>', '[', ']', '|', '"', '\'', '`', ';', ',', '/', '\\':
			return true
		}
	}
	return false
}

// isNumbered reports whether val is a word and its number, like Level3.
func isNumbered(val string) bool {
	at := skip(val, 0, len(val), isLetter)
	return at > 0 && skip(val, at, len(val), isDigit) == len(val) && wordEnd(val, 0) == at
}

// isTechnical reports whether val is a word of the trade, a version, a date or
// a number and its unit.
func isTechnical(val string) bool {
	switch lowered(val[0]) {
	case 'a', 'b', 'c', 'e', 'h', 'i', 'k', 'l', 'm', 'n', 'f', 'o', 'p', 'r', 's', 't', 'u', 'v', 'w', 'x', '1', '2', '3':
		if n := partLen(val, trade); n > 0 && passwordSigns(val) == 0 {
			if n = skip(val, n, len(val), isDigit); len(val)-n < 4 || !isAlnum(val[n]) || !isAlnum(val[n-1]) || readsLikeWords(val[n:]) || skip(val, n, len(val), isLower) == len(val) {
				return true
			}
		}
	}
	at := skip(val, 0, len(val), isWord)
	if at > 0 && at+1 < len(val) && val[at] == '=' && isLetter(val[0]) && skip(val, at+1, len(val), isDigit) == len(val) {
		return true // minLength=12
	}
	at = 0
	if val[0]|0x20 == 'v' {
		at = 1
	}
	if at == len(val) || !isDigit(val[at]) {
		return false
	}
	to := skip(val, at, len(val), func(c byte) bool {
		return isDigit(c) || c == '.' || c == '-' || c == ':' || c == '/' || c == '+' || c == '_' || c == ','
	})
	if isOneOf(val[to:], "bit bits byte bytes char chars character characters digit digits letter letters day days hour hours minute minutes min mins second seconds "+
		"sec secs week weeks month months year years time times word words ms px kb mb gb st nd rd th am pm rc alpha beta px") {
		return true
	}
	letters := 0
	for i := range len(val) {
		if isLetter(val[i]) {
			letters++
		}
	}
	return letters <= 3 && at+1 < len(val) && to > at+1 && passwordSigns(val) == 0 && skip(val, at, to, isDigit) < to
}

// trade are words of the trade that have digits, or what they start with.
const trade = "sha1 sha2 sha3 sha5 sha-1 sha-2 sha-3 sha-5 sha_ md4 md5 md6 base64 base32 base58 base62 base85 b64 aes1 aes2 aes-1 aes-2 aes_ 3des des3 rsa1 rsa2 rsa3 rsa4 " +
	"rsa-2 rsa-3 rsa-4 utf8 utf-8 utf_8 utf16 utf-16 utf32 iso8 iso-8 iso_8 iso2 pbkdf2 argon2 ed25519 x25519 curve25519 x509 x.509 oauth2 oauth1 http1 http2 http3 ipv4 ipv6 " +
	"krb5 kerberos5 ntlmv ntlm2 latin1 latin-1 cp125 cp850 cp437 win32 win64 windows-1 1password cve- es256 es384 es512 rs256 rs384 rs512 hs256 hs384 hs512 ps256 p-256 p-384 p256 " +
	"secp256 2fa scram- bcrypt scrypt pkcs tls1 tlsv1 sslv3 ssl3 rfc1 rfc2 rfc3 rfc4 rfc5 rfc6 rfc7 rfc8 rfc9 rfc- hmac- crc32 uuid4 uuidv k8s- i18n e2e i386 x86 amd64 arm64 " +
	"uint8 uint16 uint32 uint64 int8 int16 int32 int64 int128 float32 float64 i64 u8 u16 u32 u64 f64 riscv64 loong64 ppc64 s390x mips64 armv6 armv7 armv8 varchar2 nvarchar2 utf8mb latin2 mp3 mp4 h264 h265 s3: ec2 nist800 node1 node2 python3 python2 html5 css3 level1 level2 level3 mysql5 mysql8 oracle1"

// isPlace reports whether val is a path, a file, a host or an address.
func isPlace(val string) bool {
	if val[0] == '/' || val[0] == '~' && len(val) > 1 && val[1] == '/' || val[0] == '.' && len(val) > 1 && (val[1] == '/' || val[1] == '.') || len(val) > 2 && val[1] == ':' && val[2] == '\\' {
		return true
	}
	dot, letters := -1, 0
	at := 0
	for i := range len(val) {
		switch c := val[i]; {
		case c == '.':
			dot, letters = i, 0
		case c == '@':
			at, dot = i+1, -1
		case c == ':' && i+1 < len(val) && dot > 0 && skip(val, i+1, len(val), isDigit) == len(val):
			return true
		case isLower(c):
			letters++
		case !isAlnum(c) && c != '-' && c != '_' && c != '/' && c != '~':
			return false
		case isDigit(c), isUpper(c), c == '-', c == '_':
			letters = -maxValue
		}
	}
	return dot > at && letters >= 2 && letters <= 10 && (isLower(val[at]) || isDigit(val[at]))
}

// isHash reports whether val is what was made of a password to compare with.
func isHash(val string) bool {
	if len(val) >= 32 && len(val)%8 == 0 && isHexText(val) {
		return true
	}
	switch val[0] {
	case '$':
		sign := skip(val, 1, len(val), isName)
		return sign > 1 && sign <= 16 && sign < len(val) && val[sign] == '$'
	case '{':
		return true
	}
	return partLen(val, "pbkdf2_ pbkdf2: scrypt: sha1$ sha256$ sha512$ bcrypt$ bcrypt_ argon2 scram-sha- md5$ *0 *1 *2 *3 *4 *5 *6 *7 *8 *9 *a *b *c *d *e *f") > 0 ||
		len(val) == 35 && hasFold(val, "md5") && isHexText(val[3:])
}

// isElsewhere reports whether val says where a secret is kept, or is one that
// was encrypted.
func isElsewhere(val string) bool {
	switch lowered(val[0]) {
	case 'a', 'e', 'f', 'g', 'k', 'o', 'p', 'r', 's', 'v', 'd', 'm', 'l', 'b', 'c', '!', '@':
		return partLen(val, "arn: vault: encrypted: enc: {cipher} enc[ enc( env: file: secret: secrets: secretsmanager: ssm: kms: keyvault: keyring: keychain: op: bw: ref+ sops: gcp: aws: azure: sm: berglas: "+
			"projects/ aqicah data. var. local. module. secrets. vars. params. config. process.env os.environ env. conf. cfg. settings. self. this. args. opts. options. request. req. "+
			"state. props. form. ctx. !vault !secret !ref !sub !getatt @microsoft.keyvault credstore: cipher: crypt: lookup( prompt: dpapi: rsa: pgp: doppler: infisical: passbolt: lastpass:") > 0
	}
	return false
}
