package value

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
)

// This file recognises values that are not secrets: references to a secret, identifiers,
// technical terms, versions, paths, hosts and hashes.

// isReference reports whether val is too short for a secret, names where the secret is stored, or is
// prose, code or a path.
func isReference(val string) bool {
	return len(val) < 6 || namesStore(val) || isSealed(val) || opensReference(val) || isInterpolated(val) ||
		isNumeral(val) || val[0] == '/' && (isDotted(val) || ReadsLikeWords(val))
}

// isSealed reports whether val looks encrypted by Sealed Secrets for a Kubernetes cluster.
func isSealed(val string) bool {
	return len(val) >= 80 && val[:2] == "Ag" && val[2] >= 'A' && val[2] <= 'D'
}

// namesStore reports whether val starts like a reference to a secret store or to a variable, or like
// an encrypted value.
func namesStore(val string) bool { return storePrefixes.prefixLen(val) > 0 }

// storePrefixes holds, by first byte, the prefixes of values that refer to a secret store or to a
// variable, or that are encrypted.
var storePrefixes = prefixTable{
	'!': "!vault !secret !ref !sub !getatt",
	'@': "@microsoft.keyvault",
	'a': "arn: aws: azure: aqicah args.",
	'b': "bw: berglas:",
	'c': "config. conf. cfg. ctx. credstore: cipher: crypt:",
	'd': "data. dpapi: doppler:",
	'e': "encrypted: enc: enc[ enc( env: env.",
	'f': "file: form.",
	'g': "gcp:",
	'k': "kms: keyvault: keyring: keychain:",
	'l': "local. lookup( lastpass:",
	'm': "module.",
	'o': "op: os.environ opts. options.",
	'p': "projects/ params. process.env props. prompt: pgp: passbolt:",
	'r': "ref+ request. req. rsa:",
	's': "secret: secrets: secretsmanager: ssm: sops: sm: secrets. settings. self. state.",
	'v': "vault: var. vars.",
}

// opensReference reports whether val starts like a template, a list, a pointer, a YAML tag or a
// variable.
func opensReference(val string) bool {
	switch val[0] {
	case '<', '{', '[', '(', '*':
		return true
	case '!':
		return lex.Skip(val, 1, len(val), lex.IsLetter) == len(val) // a YAML tag
	case '%':
		return val[len(val)-1] == '%' || opensVariable(val)
	case '$':
		return opensVariable(val)
	}
	return false
}

// opensVariable reports whether val, which starts with $ or %, is a variable: a name follows, or a
// character that is neither a letter nor a digit.
func opensVariable(val string) bool {
	return !lex.IsAlnum(val[1]) || lex.IsNameByte(val[len(val)-1]) && readsLikeName(val[1:])
}

// isInterpolated reports whether val contains something that secrets do not: spaces, characters
// outside ASCII, an interpolation or a URL.
func isInterpolated(val string) bool {
	for i := range len(val) {
		switch c := val[i]; {
		case lex.IsSpace(c) || c >= 0x80 || c == '\\':
			return true
		case c == '%' && i+2 < len(val) && lex.IsDigit(val[i+1]) && lex.IsLetter(val[len(val)-1]) && len(val) < 10:
			return true // 0x%08x
		case (c == '{' || c == '(') && i > 0 && (val[i-1] == '$' || val[i-1] == '{' || val[i-1] == '%' || val[i-1] == '#'):
			return true
		case c == ':' && lex.HasPrefixFold(val[i:], "://"):
			return true
		}
	}
	return false
}

// isNumeral reports whether s is a number as written in code.
func isNumeral(s string) bool {
	if s[0] == '-' || s[0] == '+' {
		s = s[1:]
	}
	if len(s) > 2 && s[0] == '0' && (s[1]|0x20 == 'x' || s[1]|0x20 == 'b' || s[1]|0x20 == 'o') {
		return len(s) <= 18 && lex.Skip(s, 2, len(s), func(c byte) bool { return lex.IsHex(c) || c == '_' || c|0x20 == 'u' || c|0x20 == 'l' }) == len(s)
	}
	return lex.Skip(s, 0, len(s), func(c byte) bool { return lex.IsDigit(c) || c == '_' || c == '.' || c == 'e' || c == '+' || c == '-' }) == len(s)
}

// readsLikeName reports whether s looks like an identifier that a person chose: it has letters of one
// case, or is mostly words.
func readsLikeName(s string) bool {
	n := CountBytes(s)
	return n.Uppers == 0 || n.Lowers == 0 || ReadsLikeWords(s)
}

// IsCodeName reports whether s may be an identifier, or several with dots between them, and does not
// look like a key.
func IsCodeName(s string) bool {
	if lex.IsDigit(s[0]) || lex.Skip(s, 0, len(s), func(c byte) bool { return lex.IsWordByte(c) || c == '.' }) < len(s) {
		return false
	}
	n := CountBytes(s)
	if len(s) >= 14 && n.Digits > 0 && n.Uppers > 2 && n.Lowers > 2 && n.others == 0 && !ReadsLikeWords(s) {
		return false
	}
	return len(s) < 16 || n.Digits < 2 || n.others > 0 && countWordBytes(s)*3 > len(s)
}

// isDotted reports whether s looks like a path, a host or a version: its parts between dots, slashes,
// colons and hyphens are short or are words.
func isDotted(s string) bool {
	parts, longest, at := 0, 0, 0
	for i := 0; i <= len(s); i++ {
		if i == len(s) || s[i] == '.' || s[i] == '/' || s[i] == ':' || s[i] == '-' {
			parts++
			if part := s[at:i]; !ReadsLikeWords(part) {
				longest = max(longest, len(part))
			}
			at = i + 1
		}
	}
	return parts > 2 && longest < 8 || parts == 2 && longest < 6
}

// isCodePath reports whether val is identifiers with dots between them, the last without digits, or
// one upper-case identifier with underscores.
func isCodePath(val string) bool {
	n := CountBytes(val)
	dot, under, digits := -1, false, 0
	for i := range len(val) {
		switch c := val[i]; {
		case c == '.':
			dot, digits = i, 0
		case c == '_':
			under = true
		case lex.IsDigit(c):
			digits++
		case !lex.IsLetter(c):
			return false
		}
	}
	return dot > 0 && digits == 0 && dot+1 < len(val) || under && n.Lowers == 0 || dot > 0 && namesStore(val)
}

// HasCodePunctuation reports whether val contains brackets, quotes or other punctuation of the
// surrounding code.
func HasCodePunctuation(val string) bool {
	for i := range len(val) {
		switch val[i] {
		case '(', ')', '{', '}', '<', '>', '[', ']', '|', '"', '\'', '`', ';', ',', '/', '\\':
			return true
		}
	}
	return false
}

// isCall reports whether val is a call, f(x), or a type with its length, varchar(20).
func isCall(val string) bool {
	at := lex.Skip(val, 0, len(val), lex.IsNameByte)
	return at > 0 && at < len(val) && val[at] == '(' && val[len(val)-1] == ')'
}

// isTechnical reports whether val is a technical term, a version, a date, a number with its unit, or a
// setting such as minLength=12.
func isTechnical(val string) bool {
	return isTechnicalTerm(val) || isNumberSetting(val) || isMeasure(val)
}

// isTechnicalTerm reports whether val is a technical term such as sha256 or utf-8, with at most
// digits, words or a few other characters after it.
func isTechnicalTerm(val string) bool {
	n := technicalTerms.prefixLen(val)
	if n == 0 || countNonNameSymbols(val) > 0 {
		return false
	}
	n = lex.Skip(val, n, len(val), lex.IsDigit)
	return len(val)-n < 4 || !lex.IsAlnum(val[n]) || !lex.IsAlnum(val[n-1]) || ReadsLikeWords(val[n:]) || lex.Skip(val, n, len(val), lex.IsLower) == len(val)
}

// technicalTerms holds, by first byte, technical terms that contain digits, or prefixes of such terms.
var technicalTerms = prefixTable{
	'1': "1password",
	'2': "2fa",
	'3': "3des",
	'a': "aes1 aes2 aes-1 aes-2 aes_ argon2 amd64 arm64 armv6 armv7 armv8",
	'b': "base64 base32 base58 base62 base85 b64 bcrypt",
	'c': "curve25519 cp125 cp850 cp437 cve- crc32 css3",
	'e': "ed25519 es256 es384 es512 e2e ec2",
	'f': "float32 float64 f64",
	'h': "http1 http2 http3 hs256 hs384 hs512 hmac- h264 h265 html5",
	'i': "iso8 iso-8 iso_8 iso2 ipv4 ipv6 i18n i386 int8 int16 int32 int64 int128 i64",
	'k': "krb5 kerberos5 k8s-",
	'l': "latin1 latin-1 loong64 latin2 level1 level2 level3",
	'm': "md4 md5 md6 mips64 mp3 mp4 mysql5 mysql8",
	'n': "ntlmv ntlm2 nvarchar2 nist800 node1 node2",
	'o': "oauth2 oauth1 oracle1",
	'p': "pbkdf2 ps256 p-256 p-384 p256 pkcs ppc64 python3 python2",
	'r': "rsa1 rsa2 rsa3 rsa4 rsa-2 rsa-3 rsa-4 rs256 rs384 rs512 rfc1 rfc2 rfc3 rfc4 rfc5 rfc6 rfc7 rfc8 rfc9 rfc- riscv64",
	's': "sha1 sha2 sha3 sha5 sha-1 sha-2 sha-3 sha-5 sha_ secp256 scram- scrypt sslv3 ssl3 s390x s3:",
	't': "tls1 tlsv1",
	'u': "utf8 utf-8 utf_8 utf16 utf-16 utf32 uuid4 uuidv uint8 uint16 uint32 uint64 u8 u16 u32 u64 utf8mb",
	'v': "varchar2",
	'w': "win32 win64 windows-1",
	'x': "x25519 x509 x.509 x86",
}

// A prefixTable holds prefixes by their first byte. Those with the same first byte are separated by
// spaces.
type prefixTable ['z' + 1]string

// prefixLen returns the length of the prefix in the table that s starts with, or 0 if there is none.
func (b *prefixTable) prefixLen(s string) int {
	if c := lex.ToLower(s[0]); int(c) < len(b) {
		return lex.PrefixLen(s, b[c])
	}
	return 0
}

// isNumberSetting reports whether val is a name and a number with = between them: minLength=12.
func isNumberSetting(val string) bool {
	at := lex.Skip(val, 0, len(val), lex.IsWordByte)
	return at > 0 && at+1 < len(val) && val[at] == '=' && lex.IsLetter(val[0]) && lex.Skip(val, at+1, len(val), lex.IsDigit) == len(val)
}

// isMeasure reports whether val is a number with its unit, a version or a date.
func isMeasure(val string) bool {
	at := 0
	if rest, ok := strings.CutPrefix(val, "npm:"); ok { // a range of versions in yarn.lock
		rest = strings.TrimLeft(rest, "^~")
		return rest != "" && lex.IsDigit(rest[0]) && strings.IndexByte(rest, '.') > 0
	}
	if val[0]|0x20 == 'v' {
		at = 1
	}
	if at == len(val) || !lex.IsDigit(val[at]) {
		return false
	}
	to := lex.Skip(val, at, len(val), func(c byte) bool {
		return lex.IsDigit(c) || c == '.' || c == '-' || c == ':' || c == '/' || c == '+' || c == '_' || c == ','
	})
	if lex.IsOneOf(val[to:], "bit bits byte bytes char chars character characters digit digits letter letters day days hour hours minute minutes min mins second seconds "+
		"sec secs week weeks month months year years time times word words ms px kb mb gb st nd rd th am pm rc alpha beta px") {
		return true
	}
	n := CountBytes(val)
	return n.Uppers+n.Lowers <= 3 && to > at+1 && n.signs == 0 && lex.Skip(val, at, to, lex.IsDigit) < to
}

// isLocation reports whether val is a path, a file, a host or an e-mail address.
func isLocation(val string) bool {
	if opensPath(val) {
		return true
	}
	dot, letters := -1, 0 // the last dot, and the number of lower-case letters after it
	at := 0
	for i := range len(val) {
		switch c := val[i]; {
		case c == '.':
			dot, letters = i, 0
		case c == '@':
			at, dot = i+1, -1
		case c == ':' && i+1 < len(val) && dot > 0 && lex.Skip(val, i+1, len(val), lex.IsDigit) == len(val):
			return true // a port
		case lex.IsLower(c):
			letters++
		case lex.IsAlnum(c) || c == '-' || c == '_':
			letters = -lex.MaxValue
		case c != '/' && c != '~':
			return false
		}
	}
	return dot > at && letters >= 2 && letters <= 10 && (lex.IsLower(val[at]) || lex.IsDigit(val[at]))
}

// opensPath reports whether val starts like a path.
func opensPath(val string) bool {
	if len(val) < 2 {
		return val[0] == '/'
	}
	switch val[0] {
	case '/':
		return true
	case '~':
		return val[1] == '/'
	case '.':
		return val[1] == '/' || val[1] == '.'
	}
	return len(val) > 2 && val[1] == ':' && val[2] == '\\'
}

// isPasswordHash reports whether val has the form of a password hash, such as $2b$… or 32 hexadecimal
// digits.
func isPasswordHash(val string) bool {
	if len(val) >= 32 && len(val)%8 == 0 && IsHexText(val) {
		return true
	}
	switch val[0] {
	case '$':
		sign := lex.Skip(val, 1, len(val), lex.IsNameByte)
		return sign > 1 && sign <= 16 && sign < len(val) && val[sign] == '$'
	case '{':
		return true
	}
	return lex.PrefixLen(val, "pbkdf2_ pbkdf2: scrypt: sha1$ sha256$ sha512$ bcrypt$ bcrypt_ argon2 scram-sha- md5$ *0 *1 *2 *3 *4 *5 *6 *7 *8 *9 *a *b *c *d *e *f") > 0 ||
		len(val) == 35 && lex.HasPrefixFold(val, "md5") && IsHexText(val[3:])
}

// IsTemplate reports whether val, a part of a URL, is or contains a placeholder that is filled in
// later: $USER, {password}.
func IsTemplate(val string) bool {
	switch val[0] {
	case '$', '{', '<', '[', '%', '*', '(':
		if val[0] != '$' && val[0] != '%' || !lex.IsAlnum(val[1]) || readsLikeName(val[1:]) {
			return true
		}
	}
	for i := 1; i < len(val); i++ {
		if (val[i] == '{' || val[i] == '(') && (val[i-1] == '$' || val[i-1] == '{' || val[i-1] == '#' || val[i-1] == '%') {
			return true
		}
	}
	return val[len(val)-1] == '}' || val[len(val)-1] == ']'
}

// isVariable reports whether val is a variable of a shell or of PowerShell: $x, ${x}, $env:x.
func isVariable(val string) bool {
	return val[0] == '$' && lex.Skip(val, 1, len(val), func(c byte) bool { return lex.IsNameByte(c) || c == ':' || c == '}' }) == len(val)
}
