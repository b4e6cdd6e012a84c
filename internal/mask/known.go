package mask

import "strings"

// A prefix begins tokens of one kind.
type prefix struct {
	text string
	min  int   // how many bytes of body there are at least
	body uint8 // what the body may hold beside letters and digits
}

const (
	dashed   = 1 << iota // - and _
	dotted               // .
	slashed              // + / =
	numbered             // and there is a digit: the prefix alone says too little
	capital              // and there are no small letters
)

// prefixes are in order, so that those of a first letter stand together.
var prefixes = [...]prefix{
	{"ABIA", 12, capital}, // Amazon
	{"ACCA", 12, capital},
	{"AGE-SECRET-KEY-", 8, dashed},
	{"AIza", 20, dashed}, // Google
	{"AKIA", 12, capital},
	{"AKLT", 16, 0},
	{"ASIA", 12, capital},
	{"ATATT3", 16, dashed | slashed}, // Atlassian
	{"ATBB", 20, numbered},
	{"ATCTT3", 16, dashed | slashed},
	{"BBDC-", 16, dashed | slashed},
	{"CCIPAT_", 16, dashed},
	{"EAACEdEose0cBA", 8, 0}, // Facebook
	{"FLWSECK", 12, dashed},
	{"FlyV1", 16, dashed | dotted | slashed},
	{"GOCSPX-", 16, dashed},
	{"GR1348941", 12, dashed}, // GitLab
	{"HRKU-", 16, dashed},
	{"LTAI", 12, numbered},
	{"NRAK-", 16, 0},
	{"PMAK-", 16, dashed},
	{"SG.", 16, dashed | dotted | numbered}, // SendGrid
	{"atlasv1.", 16, dashed},
	{"cfut_", 16, dashed},
	{"dapi", 24, dashed | numbered}, // Databricks
	{"dckr_oat_", 12, dashed},
	{"dckr_pat_", 12, dashed},
	{"dnkey-", 16, dashed},
	{"doo_v1_", 12, 0}, // DigitalOcean
	{"dop_v1_", 12, 0},
	{"dor_v1_", 12, 0},
	{"dp.", 20, dashed | dotted | numbered}, // Doppler
	{"dt0c01.", 16, dotted},
	{"duffel_", 20, dashed | numbered},
	{"eyJ", 17, dashed | dotted | slashed}, // JSON in base64, as in a JWT
	{"fc-", 24, numbered},
	{"figd_", 16, dashed},
	{"fo1_", 16, dashed},
	{"gho_", 12, 0}, // GitHub
	{"ghp_", 12, 0},
	{"ghr_", 12, 0},
	{"ghs_", 12, 0},
	{"ghu_", 12, 0},
	{"github_pat_", 12, dashed},
	{"glagent-", 12, dashed}, // GitLab
	{"glc_", 20, dashed | slashed},
	{"glcbt-", 12, dashed},
	{"gldt-", 12, dashed},
	{"glffct-", 12, dashed},
	{"glft-", 12, dashed},
	{"glimt-", 12, dashed},
	{"gloas-", 12, dashed},
	{"glpat-", 12, dashed | dotted},
	{"glptt-", 12, dashed},
	{"glrt-", 12, dashed | dotted},
	{"glsa_", 16, dashed}, // Grafana
	{"glsoat-", 12, dashed},
	{"gsk_", 20, 0},
	{"hf_", 20, 0},
	{"hvb.", 20, dashed}, // Vault
	{"hvr.", 20, dashed},
	{"hvs.", 20, dashed},
	{"key-", 24, numbered},
	{"lin_api_", 16, 0},
	{"npm_", 20, 0},
	{"ntn_", 20, 0},
	{"nvapi-", 16, dashed},
	{"ops_eyJ", 16, dashed | slashed},
	{"pat-", 24, dashed | numbered},
	{"phc_", 24, 0},
	{"phx_", 24, 0},
	{"pk_live_", 12, 0},
	{"pk_test_", 12, 0},
	{"pplx-", 20, 0},
	{"pscale_", 20, dashed | dotted},
	{"pypi-", 24, dashed | numbered},
	{"r8_", 24, 0},
	{"rdme_", 16, 0},
	{"rk_live_", 12, 0},
	{"rk_test_", 12, 0},
	{"rubygems_", 16, 0},
	{"sb_secret_", 12, dashed},
	{"sbp_", 20, 0},
	{"secret_", 24, numbered},
	{"shpat_", 12, 0}, // Shopify
	{"shpca_", 12, 0},
	{"shppa_", 12, 0},
	{"shpss_", 12, 0},
	{"sk-", 16, dashed | numbered}, // OpenAI, Anthropic and many others
	{"sk_live_", 12, dashed},
	{"sk_test_", 12, dashed},
	{"sntrys_", 16, dashed | slashed},
	{"sntryu_", 16, 0},
	{"sq0atp-", 12, dashed},
	{"sq0csp-", 12, dashed},
	{"tfp_", 20, dashed | numbered},
	{"tskey-", 12, dashed},
	{"tvly-", 16, dashed},
	{"vercel_", 20, dashed | numbered},
	{"whsec_", 12, slashed},
	{"xai-", 20, dashed},
	{"xapp-", 12, dashed},
	{"xoxa-", 8, dashed}, // Slack
	{"xoxb-", 8, dashed},
	{"xoxc-", 8, dashed},
	{"xoxd-", 8, dashed | slashed},
	{"xoxe-", 8, dashed},
	{"xoxe.xox", 8, dashed},
	{"xoxo-", 8, dashed},
	{"xoxp-", 8, dashed},
	{"xoxr-", 8, dashed},
	{"xoxs-", 8, dashed},
	{"xprv", 40, 0},
	{"ya29.", 12, dashed | dotted}, // Google
}

// second holds, for each first letter of a prefix, a bit for each letter that
// may follow. It spares most words a search; a test holds it against the table.
var second = [128]uint32{
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

func mayBegin(c, next byte) bool {
	return second[c&127]>>(next&31)&1 != 0
}

// known looks for a known kind of secret at the word that starts at w, in a run
// that ends at e, and reports whether it was cut.
func (p *scan) known(w, e int) bool {
	rest := p.s[w:e]
	lo, hi := 0, len(prefixes)
	for lo < hi {
		if mid := (lo + hi) / 2; prefixes[mid].text[0] < rest[0] {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for ; lo < len(prefixes) && prefixes[lo].text[0] == rest[0]; lo++ {
		f := &prefixes[lo]
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
func (f *prefix) match(s string, i int) (int, bool) {
	var seen uint8
	j := i
	for ; j < len(s) && j-i < 64 && f.holds(s[j]); j++ {
		seen |= kinds[s[j]]
	}
	if j-i < f.min || seen&digit == 0 && f.body&numbered != 0 {
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

func (f *prefix) holds(c byte) bool {
	switch c {
	case '-', '_':
		return f.body&dashed != 0
	case '.':
		return f.body&dotted != 0
	case '+', '/', '=':
		return f.body&slashed != 0
	}
	return kinds[c]&alnum != 0 && (kinds[c] != lower || f.body&capital == 0)
}

// special has, for each first letter, a bit for each length of the words that
// phrase knows.
var special = [256]uint16{
	'B': 1<<len("BEGIN") | 1<<len("Bearer"), 'b': 1<<len("basic") | 1<<len("bearer"),
	'P': 1<<len("PuTTY") | 1<<len("Private") | 1<<len("Password"), 'p': 1 << len("password"),
	'I': 1 << len("Identified"), 'i': 1 << len("identified"),
}

func isSpecial(c byte, length int) bool { return special[c]>>length&1 != 0 }

// phrase looks for a secret that the word s[w:end] leads to, and reports
// whether it was cut.
func (p *scan) phrase(w, end int) bool {
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
