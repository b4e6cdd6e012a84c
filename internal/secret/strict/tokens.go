package strict

import "strings"

// A tokenPrefix begins tokens of one kind.
type tokenPrefix struct {
	text string
	min  int   // how many bytes of body there are at least
	body uint8 // what the body may hold beside letters and digits
}

const (
	withDashes  = 1 << iota // - and _
	withDots                // .
	withSlashes             // + / =
	withDigit               // and there is a digit: the prefix alone says too little
	inCapitals              // and there are no small letters
)

// tokenPrefixes are in order, so that those of a first letter stand together.
var tokenPrefixes = [...]tokenPrefix{
	{"ABIA", 12, inCapitals}, // Amazon
	{"ACCA", 12, inCapitals},
	{"AGE-SECRET-KEY-", 8, withDashes},
	{"AIza", 20, withDashes}, // Google
	{"AKIA", 12, inCapitals},
	{"AKLT", 16, 0},
	{"ASIA", 12, inCapitals},
	{"ATATT3", 16, withDashes | withSlashes}, // Atlassian
	{"ATBB", 20, withDigit},
	{"ATCTT3", 16, withDashes | withSlashes},
	{"BBDC-", 16, withDashes | withSlashes},
	{"CCIPAT_", 16, withDashes},
	{"EAACEdEose0cBA", 8, 0}, // Facebook
	{"FLWSECK", 12, withDashes},
	{"FlyV1", 16, withDashes | withDots | withSlashes},
	{"GOCSPX-", 16, withDashes},
	{"GR1348941", 12, withDashes}, // GitLab
	{"HRKU-", 16, withDashes},
	{"LTAI", 12, withDigit},
	{"NRAK-", 16, 0},
	{"PMAK-", 16, withDashes},
	{"SG.", 16, withDashes | withDots | withDigit}, // SendGrid
	{"atlasv1.", 16, withDashes},
	{"cfut_", 16, withDashes},
	{"dapi", 24, withDashes | withDigit}, // Databricks
	{"dckr_oat_", 12, withDashes},
	{"dckr_pat_", 12, withDashes},
	{"dnkey-", 16, withDashes},
	{"doo_v1_", 12, 0}, // DigitalOcean
	{"dop_v1_", 12, 0},
	{"dor_v1_", 12, 0},
	{"dp.", 20, withDashes | withDots | withDigit}, // Doppler
	{"dt0c01.", 16, withDots},
	{"duffel_", 20, withDashes | withDigit},
	{"eyJ", 17, withDashes | withDots | withSlashes}, // JSON in base64, as in a JWT
	{"fc-", 24, withDigit},
	{"figd_", 16, withDashes},
	{"fo1_", 16, withDashes},
	{"gho_", 12, 0}, // GitHub
	{"ghp_", 12, 0},
	{"ghr_", 12, 0},
	{"ghs_", 12, 0},
	{"ghu_", 12, 0},
	{"github_pat_", 12, withDashes},
	{"glagent-", 12, withDashes}, // GitLab
	{"glc_", 20, withDashes | withSlashes},
	{"glcbt-", 12, withDashes},
	{"gldt-", 12, withDashes},
	{"glffct-", 12, withDashes},
	{"glft-", 12, withDashes},
	{"glimt-", 12, withDashes},
	{"gloas-", 12, withDashes},
	{"glpat-", 12, withDashes | withDots},
	{"glptt-", 12, withDashes},
	{"glrt-", 12, withDashes | withDots},
	{"glsa_", 16, withDashes}, // Grafana
	{"glsoat-", 12, withDashes},
	{"gsk_", 20, 0},
	{"hf_", 20, 0},
	{"hvb.", 20, withDashes}, // Vault
	{"hvr.", 20, withDashes},
	{"hvs.", 20, withDashes},
	{"key-", 24, withDigit},
	{"lin_api_", 16, 0},
	{"npm_", 20, 0},
	{"ntn_", 20, 0},
	{"nvapi-", 16, withDashes},
	{"ops_eyJ", 16, withDashes | withSlashes},
	{"pat-", 24, withDashes | withDigit},
	{"phc_", 24, 0},
	{"phx_", 24, 0},
	{"pk_live_", 12, 0},
	{"pk_test_", 12, 0},
	{"pplx-", 20, 0},
	{"pscale_", 20, withDashes | withDots},
	{"pypi-", 24, withDashes | withDigit},
	{"r8_", 24, 0},
	{"rdme_", 16, 0},
	{"rk_live_", 12, 0},
	{"rk_test_", 12, 0},
	{"rubygems_", 16, 0},
	{"sb_secret_", 12, withDashes},
	{"sbp_", 20, 0},
	{"secret_", 24, withDigit},
	{"shpat_", 12, 0}, // Shopify
	{"shpca_", 12, 0},
	{"shppa_", 12, 0},
	{"shpss_", 12, 0},
	{"sk-", 16, withDashes | withDigit}, // OpenAI, Anthropic and many others
	{"sk_live_", 12, withDashes},
	{"sk_test_", 12, withDashes},
	{"sntrys_", 16, withDashes | withSlashes},
	{"sntryu_", 16, 0},
	{"sq0atp-", 12, withDashes},
	{"sq0csp-", 12, withDashes},
	{"tfp_", 20, withDashes | withDigit},
	{"tskey-", 12, withDashes},
	{"tvly-", 16, withDashes},
	{"vercel_", 20, withDashes | withDigit},
	{"whsec_", 12, withSlashes},
	{"xai-", 20, withDashes},
	{"xapp-", 12, withDashes},
	{"xoxa-", 8, withDashes}, // Slack
	{"xoxb-", 8, withDashes},
	{"xoxc-", 8, withDashes},
	{"xoxd-", 8, withDashes | withSlashes},
	{"xoxe-", 8, withDashes},
	{"xoxe.xox", 8, withDashes},
	{"xoxo-", 8, withDashes},
	{"xoxp-", 8, withDashes},
	{"xoxr-", 8, withDashes},
	{"xoxs-", 8, withDashes},
	{"xprv", 40, 0},
	{"ya29.", 12, withDashes | withDots}, // Google
}

// secondLetters holds, for each first letter of a prefix, a bit for each letter that
// may follow. It spares most words a search; a test holds it against the table.
var secondLetters = [128]uint32{
	'A': 1<<('B'&31) | 1<<('C'&31) | 1<<('G'&31) | 1<<('I'&31) | 1<<('K'&31) | 1<<('S'&31) | 1<<('T'&31),
	'B': 1 << ('B' & 31), 'C': 1 << ('C' & 31), 'E': 1 << ('A' & 31),
	'F': 1 << ('l' & 31), 'G': 1<<('O'&31) | 1<<('R'&31), 'H': 1 << ('R' & 31),
	'L': 1 << ('T' & 31), 'N': 1 << ('R' & 31), 'P': 1 << ('M' & 31), 'S': 1 << ('G' & 31),
	'a': 1 << ('t' & 31), 'c': 1 << ('f' & 31),
	'd': 1<<('a'&31) | 1<<('c'&31) | 1<<('n'&31) | 1<<('o'&31) | 1<<('p'&31) | 1<<('t'&31) | 1<<('u'&31),
	'e': 1 << ('y' & 31), 'f': 1<<('c'&31) | 1<<('i'&31) | 1<<('o'&31),
	'g': 1<<('h'&31) | 1<<('i'&31) | 1<<('l'&31) | 1<<('s'&31), 'h': 1<<('f'&31) | 1<<('v'&31),
	'k': 1 << ('e' & 31), 'l': 1 << ('i' & 31), 'n': 1<<('p'&31) | 1<<('t'&31) | 1<<('v'&31), 'o': 1 << ('p' & 31),
	'p': 1<<('a'&31) | 1<<('h'&31) | 1<<('k'&31) | 1<<('p'&31) | 1<<('s'&31) | 1<<('y'&31),
	'r': 1<<('8'&31) | 1<<('d'&31) | 1<<('k'&31) | 1<<('u'&31),
	's': 1<<('b'&31) | 1<<('e'&31) | 1<<('h'&31) | 1<<('k'&31) | 1<<('n'&31) | 1<<('q'&31),
	't': 1<<('f'&31) | 1<<('s'&31) | 1<<('v'&31), 'v': 1 << ('e' & 31), 'w': 1 << ('h' & 31),
	'x': 1<<('a'&31) | 1<<('o'&31) | 1<<('p'&31), 'y': 1 << ('a' & 31),
}

func mayBeginToken(c, next byte) bool {
	return secondLetters[c&127]>>(next&31)&1 != 0
}

// known looks for a known kind of secret at the word that starts at w, in a run
// that ends at e, and reports whether it was cut.
func (p *scanner) known(w, e int) bool {
	rest := p.s[w:e]
	lo, hi := 0, len(tokenPrefixes)
	for lo < hi {
		if mid := (lo + hi) / 2; tokenPrefixes[mid].text[0] < rest[0] {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for ; lo < len(tokenPrefixes) && tokenPrefixes[lo].text[0] == rest[0]; lo++ {
		f := &tokenPrefixes[lo]
		if !strings.HasPrefix(rest, f.text) {
			continue
		}
		if to, ok := f.match(p.s, w+len(f.text)); ok {
			p.cut(w, to)
			return true
		}
	}
	return false
}

// match returns the end of the body that starts at i, if it is one. What is
// none is told by its first bytes, so that time stays linear.
func (f *tokenPrefix) match(s string, i int) (int, bool) {
	var seen uint8
	j := i
	for ; j < len(s) && j-i < 64 && f.holds(s[j]); j++ {
		seen |= byteKinds[s[j]]
	}
	if j-i < f.min || seen&digitKind == 0 && f.body&withDigit != 0 {
		return 0, false
	}
	for j < len(s) && f.holds(s[j]) {
		j++
	}
	for j > i && s[j-1] == '.' {
		j-- // of the sentence
	}
	return j, true
}

func (f *tokenPrefix) holds(c byte) bool {
	switch c {
	case '-', '_':
		return f.body&withDashes != 0
	case '.':
		return f.body&withDots != 0
	case '+', '/', '=':
		return f.body&withSlashes != 0
	}
	return byteKinds[c]&alnumKind != 0 && (byteKinds[c] != lowerKind || f.body&inCapitals == 0)
}

// phraseWords has, for each first letter, a bit for each length of the words that
// phrase knows.
var phraseWords = [256]uint16{
	'B': 1<<len("BEGIN") | 1<<len("Bearer"), 'b': 1<<len("basic") | 1<<len("bearer"),
	'P': 1<<len("PuTTY") | 1<<len("Private") | 1<<len("Password"), 'p': 1 << len("password"),
	'I': 1 << len("Identified"), 'i': 1 << len("identified"),
}

func opensPhrase(c byte, length int) bool { return phraseWords[c]>>length&1 != 0 }

// phrase looks for a secret that the word s[w:end] leads to, and reports
// whether it was cut.
func (p *scanner) phrase(w, end int) bool {
	s := p.s
	switch end - w {
	case len("basic"):
		switch {
		case s[w:end] == "BEGIN":
			return p.keyBlock(w, end)
		case s[w:end] == "PuTTY":
			return p.puttyKey(w)
		}
		return foldPrefix(s[w:end], "basic") && p.credentials(end, "+/=")
	case len("bearer"):
		return foldPrefix(s[w:end], "bearer") && p.credentials(end, "+/=-._~")
	case len("Private"):
		return s[w:end] == "Private" && p.puttyKey(w)
	case len("password"):
		return foldPrefix(s[w:end], "password") && p.spoken(w, end)
	case len("identified"):
		return foldPrefix(s[w:], "identified by ") && p.spoken(w, w+len("identified by"))
	}
	return false
}
