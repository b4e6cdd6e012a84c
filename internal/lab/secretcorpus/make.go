package secretcorpus

import (
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strconv"
	"strings"
)

const (
	digits = "0123456789"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	base62 = digits + upper + lower
)

// alphabets are what §{NAME:N} draws N characters from.
var alphabets = map[string]string{
	"hex": "0123456789abcdef", "HEX": "0123456789ABCDEF", "b62": base62, "b64": base62 + "+/", "b64u": base62 + "-_", "b32": upper + "234567", "up": upper + digits,
	"dig": digits, "lowdig": lower + digits, "azAZ": lower + upper, "bech": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}

var (
	words = strings.Fields("atlas beacon canyon delta ember falcon garnet harbor island jasmine kestrel lagoon meadow nimbus orchid prairie quartz raven saffron timber umbra valley willow yonder zephyr orders billing ledger invoice shipping catalog search reports crawler metrics gateway")
	names = strings.Fields("anna bruno carla dmitri elena felix greta hugo ines jonas katja lars mara nils olga pedro rosa stefan tina viktor yusuf zoe deploy backup svc_app reader app_rw")
	parts = strings.Fields("sunset coffee dragon winter summer berlin monkey guitar purple rocket tiger banana castle silver wizard hockey marina panda thunder pepper cookie ginger")
	tlds  = strings.Fields("io dev net cloud systems de co")
)

// maker makes values from dice.
type maker struct{ r *rand.Rand }

const open = "§{"

// expand returns a place with its values made, and where the secret is: the value
// that begins with an exclamation mark.
func (m *maker) expand(place string) (text string, start, end int) {
	var b strings.Builder
	for {
		at := strings.Index(place, open)
		if at < 0 {
			b.WriteString(place)
			return b.String(), start, end
		}
		b.WriteString(place[:at])
		kind, rest := value(place[at:])
		place = rest
		kind, secret := strings.CutPrefix(kind, "!")
		if secret {
			start = b.Len()
		}
		b.WriteString(m.one(kind))
		if secret {
			end = b.Len()
		}
	}
}

// value splits §{kind}rest; a kind may have values in it.
func value(s string) (kind, rest string) {
	depth := 0
	for i := range len(s) {
		switch {
		case strings.HasPrefix(s[i:], open):
			depth++
		case s[i] == '}':
			if depth--; depth == 0 {
				return s[len(open):i], s[i+1:]
			}
		}
	}
	panic("no end of " + s)
}

// one returns a value of a kind.
func (m *maker) one(kind string) string {
	name, arg, _ := strings.Cut(kind, ":")
	if alphabet, ok := alphabets[name]; ok {
		n, err := strconv.Atoi(arg)
		if err != nil {
			panic("how many of " + kind)
		}
		return m.letters(alphabet, n)
	}
	switch name {
	case "of":
		text, _, _ := m.expand(arg)
		return text
	case "b64of":
		text, _, _ := m.expand(arg)
		return encode(text)
	case "int":
		var from, to int
		if _, err := fmt.Sscanf(arg, "%d-%d", &from, &to); err != nil {
			panic(kind)
		}
		return strconv.Itoa(from + m.r.IntN(to-from+1))
	case "pem", "pemn":
		newline := "\n"
		if name == "pemn" {
			newline = `\n`
		}
		return m.block(arg, newline)
	case "crc62":
		n, _ := strconv.Atoi(arg)
		s := m.letters(base62, n)
		return s + checksum(s)
	}
	if s := m.harmlessValue(name); s != "" {
		return s
	}
	if s := m.secret(name); s != "" {
		return s
	}
	panic("unknown kind " + kind)
}

// harmlessValue returns a value that is not a secret.
func (m *maker) harmlessValue(kind string) string {
	switch kind {
	case "word":
		return m.of(words)
	case "NAME":
		return strings.ToUpper(m.of(words))
	case "name":
		return m.of(names)
	case "Name":
		return title(m.of(names[:22]))
	case "domain":
		return m.of(words) + "." + m.of(tlds)
	case "DOMAIN":
		return strings.ToUpper(m.of(words) + "." + m.of(tlds))
	case "host":
		return fmt.Sprintf("%s-%02d.%s.%s", m.of(words), m.r.IntN(30), m.of(words), m.of(tlds))
	case "ip":
		return fmt.Sprintf("%d.%d.%d.%d", 20+m.r.IntN(100), m.r.IntN(256), m.r.IntN(256), 1+m.r.IntN(254))
	case "ts":
		return fmt.Sprintf("2026-%02d-%02dT%02d:%02d:%02d.%03dZ", 1+m.r.IntN(12), 1+m.r.IntN(28), m.r.IntN(24), m.r.IntN(60), m.r.IntN(60), m.r.IntN(1000))
	case "date":
		return fmt.Sprintf("2026-%02d-%02d", 1+m.r.IntN(12), 1+m.r.IntN(28))
	case "uuid", "UUID":
		s := fmt.Sprintf("%s-%s-4%s-%s%s-%s", m.one("hex:8"), m.one("hex:4"), m.one("hex:3"), m.letters("89ab", 1), m.one("hex:3"), m.one("hex:12"))
		if kind == "UUID" {
			return strings.ToUpper(s)
		}
		return s
	}
	return ""
}

// secret returns a password or a key.
func (m *maker) secret(kind string) string {
	switch kind {
	case "pw": // may hold anything that needs no quotes
		return m.password("!.*-_+?@#", "!@#")
	case "pwu": // needs no escapes in addresses and on command lines
		return m.password("!.-_*+~", "!.-")
	case "rnd":
		return m.managerPassword("!.*-_+?@#^")
	case "rndu":
		return m.managerPassword("-_.")
	case "rnd64":
		return m.letters(base62+"!#%()*+,-.:;=?@[]^_{|}~", 64)
	case "phrase":
		return strings.Join([]string{m.of(parts), m.of(words), m.of(parts), m.of(words)}, "-")
	case "key":
		return m.one([]string{"hex:32", "hex:40", "hex:64", "b62:32", "b62:40", "uuid", "b64u:43", "of:§{b64:43}="}[m.r.IntN(8)])
	case "basic":
		return encode(m.of(names) + ":" + m.secret("pw"))
	case "b64pw":
		return encode(m.secret("pw"))
	case "b64pem":
		return encode(m.block("PRIVATE KEY", "\n") + "\n")
	case "dockercfg":
		return encode(`{"auths":{"registry.` + m.one("domain") + `":{"username":"` + m.of(names) + `","password":"` + m.secret("rndu") + `","auth":"` + m.secret("basic") + `"}}}`)
	case "jwt":
		url := base64.RawURLEncoding.EncodeToString
		return url([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + url([]byte(`{"sub":"`+m.one("dig:8")+`","name":"`+m.of(names)+`","iat":`+m.one("int:1700000000-1790000000")+`}`)) + "." + m.one("b64u:43")
	}
	return ""
}

// password returns one as people choose them, or as managers make them.
func (m *maker) password(any, end string) string {
	switch m.r.IntN(10) {
	case 0:
		return title(m.of(parts)) + m.one("int:2012-2026") + m.letters(end, 1)
	case 1:
		return m.of(parts) + m.of(parts) + m.one("int:10-99")
	case 2:
		return title(m.of(parts)) + m.letters("_-.", 1) + title(m.of(parts)) + m.one("int:1-99")
	case 3:
		return strings.NewReplacer("a", "4", "e", "3", "i", "1", "o", "0").Replace(m.of(parts)) + m.letters(end, 1) + m.one("int:10-999")
	case 4:
		return m.letters(end, 1) + title(m.of(parts)) + m.one("int:100-9999")
	case 5:
		return title(m.of(names[:22])) + m.one("int:1965-2005") + m.letters(end, 1)
	case 6:
		return m.secret("phrase")
	}
	return m.managerPassword(any)
}

// managerPassword returns a password as password managers generate them; it always has letters and
// digits.
func (m *maker) managerPassword(also string) string {
	n := 12 + m.r.IntN(11)
	s := []byte(m.letters(base62+also, n))
	s[0], s[1+m.r.IntN(3)], s[4+m.r.IntN(3)], s[n-1] = m.letters(lower, 1)[0], m.letters(digits, 1)[0], m.letters(upper, 1)[0], m.letters(base62, 1)[0]
	return string(s)
}

// block returns random bytes between the lines of a key.
func (m *maker) block(kind, newline string) string {
	lines := []string{"-----BEGIN " + kind + "-----"}
	if strings.HasPrefix(kind, "PGP") {
		lines = append(lines, "")
	}
	for range 6 + m.r.IntN(16) {
		lines = append(lines, m.one("b64:64"))
	}
	return strings.Join(append(lines, m.one("b64:42")+"==", "-----END "+kind+"-----"), newline)
}

func (m *maker) of(list []string) string { return list[m.r.IntN(len(list))] }

func (m *maker) letters(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[m.r.IntN(len(alphabet))]
	}
	return string(b)
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func encode(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// checksum returns six digits of base 62, as GitHub ends its tokens.
func checksum(s string) string {
	sum := crc32.ChecksumIEEE([]byte(s))
	b := []byte("000000")
	for i := len(b) - 1; sum > 0; i-- {
		b[i] = base62[sum%62]
		sum /= 62
	}
	return string(b)
}
