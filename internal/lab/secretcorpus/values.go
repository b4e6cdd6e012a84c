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

// alphabets maps each NAME to the characters that §{NAME:N} draws N from.
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

// A maker generates random values.
type maker struct{ r *rand.Rand }

const open = "§{"

// expand returns a template with its values filled in. text[start:end] is the value whose kind begins
// with an exclamation mark, the secret; start and end are 0 if there is none.
func (m *maker) expand(place string) (text string, start, end int) {
	var b strings.Builder
	for {
		at := strings.Index(place, open)
		if at < 0 {
			b.WriteString(place)
			return b.String(), start, end
		}
		b.WriteString(place[:at])
		kind, rest := cutValue(place[at:])
		place = rest
		kind, secret := strings.CutPrefix(kind, "!")
		if secret {
			start = b.Len()
		}
		b.WriteString(m.makeValue(kind))
		if secret {
			end = b.Len()
		}
	}
}

// cutValue splits §{kind}rest. A kind may contain nested values.
func cutValue(s string) (kind, rest string) {
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

// makeValue returns a random value of a kind. It panics if the kind is unknown.
func (m *maker) makeValue(kind string) string {
	name, arg, _ := strings.Cut(kind, ":")
	if alphabet, ok := alphabets[name]; ok {
		n, err := strconv.Atoi(arg)
		if err != nil {
			panic("how many of " + kind)
		}
		return m.randomChars(alphabet, n)
	}
	switch name {
	case "of":
		text, _, _ := m.expand(arg)
		return text
	case "b64of":
		text, _, _ := m.expand(arg)
		return encodeBase64(text)
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
		return m.keyBlock(arg, newline)
	case "crc62":
		n, _ := strconv.Atoi(arg)
		s := m.randomChars(base62, n)
		return s + checksum(s)
	}
	if s := m.harmlessValue(name); s != "" {
		return s
	}
	if s := m.secretValue(name); s != "" {
		return s
	}
	panic("unknown kind " + kind)
}

// harmlessValue returns a value that is not a secret, or "" if the kind is not of this sort.
func (m *maker) harmlessValue(kind string) string {
	switch kind {
	case "word":
		return m.pick(words)
	case "NAME":
		return strings.ToUpper(m.pick(words))
	case "name":
		return m.pick(names)
	case "Name":
		return title(m.pick(names[:22]))
	case "domain":
		return m.pick(words) + "." + m.pick(tlds)
	case "DOMAIN":
		return strings.ToUpper(m.pick(words) + "." + m.pick(tlds))
	case "host":
		return fmt.Sprintf("%s-%02d.%s.%s", m.pick(words), m.r.IntN(30), m.pick(words), m.pick(tlds))
	case "ip":
		return fmt.Sprintf("%d.%d.%d.%d", 20+m.r.IntN(100), m.r.IntN(256), m.r.IntN(256), 1+m.r.IntN(254))
	case "ts":
		return fmt.Sprintf("2026-%02d-%02dT%02d:%02d:%02d.%03dZ", 1+m.r.IntN(12), 1+m.r.IntN(28), m.r.IntN(24), m.r.IntN(60), m.r.IntN(60), m.r.IntN(1000))
	case "date":
		return fmt.Sprintf("2026-%02d-%02d", 1+m.r.IntN(12), 1+m.r.IntN(28))
	case "uuid", "UUID":
		s := fmt.Sprintf("%s-%s-4%s-%s%s-%s", m.makeValue("hex:8"), m.makeValue("hex:4"), m.makeValue("hex:3"), m.randomChars("89ab", 1), m.makeValue("hex:3"), m.makeValue("hex:12"))
		if kind == "UUID" {
			return strings.ToUpper(s)
		}
		return s
	}
	return ""
}

// secretValue returns a password or a key, or "" if the kind is not of this sort.
func (m *maker) secretValue(kind string) string {
	switch kind {
	case "pw": // may contain all characters that need no quotes
		return m.password("!.*-_+?@#", "!@#")
	case "pwu": // needs no escapes in URLs and on command lines
		return m.password("!.-_*+~", "!.-")
	case "rnd":
		return m.managerPassword("!.*-_+?@#^")
	case "rndu":
		return m.managerPassword("-_.")
	case "rnd64":
		return m.randomChars(base62+"!#%()*+,-.:;=?@[]^_{|}~", 64)
	case "phrase":
		return strings.Join([]string{m.pick(parts), m.pick(words), m.pick(parts), m.pick(words)}, "-")
	case "key":
		return m.makeValue([]string{"hex:32", "hex:40", "hex:64", "b62:32", "b62:40", "uuid", "b64u:43", "of:§{b64:43}="}[m.r.IntN(8)])
	case "basic":
		return encodeBase64(m.pick(names) + ":" + m.secretValue("pw"))
	case "b64pw":
		return encodeBase64(m.secretValue("pw"))
	case "b64pem":
		return encodeBase64(m.keyBlock("PRIVATE KEY", "\n") + "\n")
	case "dockercfg":
		return encodeBase64(`{"auths":{"registry.` + m.makeValue("domain") + `":{"username":"` + m.pick(names) + `","password":"` + m.secretValue("rndu") + `","auth":"` + m.secretValue("basic") + `"}}}`)
	case "jwt":
		url := base64.RawURLEncoding.EncodeToString
		return url([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + url([]byte(`{"sub":"`+m.makeValue("dig:8")+`","name":"`+m.pick(names)+`","iat":`+m.makeValue("int:1700000000-1790000000")+`}`)) + "." + m.makeValue("b64u:43")
	}
	return ""
}

// password returns a password as people choose them or as password managers generate them.
func (m *maker) password(any, end string) string {
	switch m.r.IntN(10) {
	case 0:
		return title(m.pick(parts)) + m.makeValue("int:2012-2026") + m.randomChars(end, 1)
	case 1:
		return m.pick(parts) + m.pick(parts) + m.makeValue("int:10-99")
	case 2:
		return title(m.pick(parts)) + m.randomChars("_-.", 1) + title(m.pick(parts)) + m.makeValue("int:1-99")
	case 3:
		return strings.NewReplacer("a", "4", "e", "3", "i", "1", "o", "0").Replace(m.pick(parts)) + m.randomChars(end, 1) + m.makeValue("int:10-999")
	case 4:
		return m.randomChars(end, 1) + title(m.pick(parts)) + m.makeValue("int:100-9999")
	case 5:
		return title(m.pick(names[:22])) + m.makeValue("int:1965-2005") + m.randomChars(end, 1)
	case 6:
		return m.secretValue("phrase")
	}
	return m.managerPassword(any)
}

// managerPassword returns a password as password managers generate them; it always has letters and
// digits.
func (m *maker) managerPassword(also string) string {
	n := 12 + m.r.IntN(11)
	s := []byte(m.randomChars(base62+also, n))
	s[0], s[1+m.r.IntN(3)], s[4+m.r.IntN(3)], s[n-1] = m.randomChars(lower, 1)[0], m.randomChars(digits, 1)[0], m.randomChars(upper, 1)[0], m.randomChars(base62, 1)[0]
	return string(s)
}

// keyBlock returns random data between the BEGIN and END lines of a key.
func (m *maker) keyBlock(kind, newline string) string {
	lines := []string{"-----BEGIN " + kind + "-----"}
	if strings.HasPrefix(kind, "PGP") {
		lines = append(lines, "")
	}
	for range 6 + m.r.IntN(16) {
		lines = append(lines, m.makeValue("b64:64"))
	}
	return strings.Join(append(lines, m.makeValue("b64:42")+"==", "-----END "+kind+"-----"), newline)
}

// pick returns a random element of list.
func (m *maker) pick(list []string) string { return list[m.r.IntN(len(list))] }

// randomChars returns n random characters of alphabet.
func (m *maker) randomChars(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[m.r.IntN(len(alphabet))]
	}
	return string(b)
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func encodeBase64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// checksum returns the checksum with which GitHub's tokens end: six digits in base 62.
func checksum(s string) string {
	sum := crc32.ChecksumIEEE([]byte(s))
	b := []byte("000000")
	for i := len(b) - 1; sum > 0; i-- {
		b[i] = base62[sum%62]
		sum /= 62
	}
	return string(b)
}
