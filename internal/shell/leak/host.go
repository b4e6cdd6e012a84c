package leak

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A zone is how far away a host is.
type zone uint8

const (
	here    zone = iota // this machine
	private             // a private network
	away                // everything else, and what is not known
)

// A host is where something goes to.
type host struct {
	name string // "" = not known
	zone zone
	bare bool // one label without a dot: a service of a compose file, or an alias
	open bool // a place for dead drops whatever its name, or an address that hides its owner
	set  bool // there is a host at all
}

// drop reports whether a host is a place where an owner does not show himself.
func (h *host) drop() bool { return h.open || shady(h.name) }

// farther returns the host that is farther away: a call is as bad as its worst
// target.
func farther(a, b host) host {
	if !a.set || b.set && (b.zone > a.zone || b.zone == away && a.zone == away && a.name != "" && b.drop() && !a.drop()) {
		return b
	}
	return a
}

// hostOfURL returns the host of a URL, with or without a scheme.
func hostOfURL(url string) host {
	if i := strings.Index(url, "://"); i >= 0 && i < 24 {
		scheme := url[:i]
		url = url[i+3:]
		if strings.EqualFold(scheme, "file") || strings.EqualFold(scheme, "unix") {
			return host{zone: here, set: true}
		}
	}
	url = strings.TrimLeft(url, "/")
	if i := strings.IndexAny(url, `/?#\`); i >= 0 {
		url = url[:i]
	}
	return hostOf(url)
}

// hostOf returns the host of user@name:port.
func hostOf(text string) host {
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		text = text[i+1:]
	}
	if strings.HasPrefix(text, "[") {
		if i := strings.IndexByte(text, ']'); i > 0 {
			return zoned(text[1:i])
		}
	}
	if strings.Count(text, ":") == 1 {
		text = text[:strings.IndexByte(text, ':')]
	}
	return zoned(text)
}

// zoned finds out how far away a name or address is.
func zoned(name string) host {
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	h := host{name: name, zone: away, set: true}
	if i := strings.LastIndex(name, string(shell.Hole)); i >= 0 {
		// Of data.evil.com the part after the hole is known: it is where the name leads.
		h.name = strings.TrimLeft(name[i+len(string(shell.Hole)):], ".")
		if strings.IndexByte(h.name, '.') < 0 {
			h.name = ""
		}
		return h
	}
	if name == "localhost" || strings.HasSuffix(name, ".localhost") || name == "::1" || name == "0.0.0.0" || name == "::" || name == "host.docker.internal" ||
		name == "localhost.localdomain" || name == "ip6-localhost" || name == "0" {
		h.zone = here
		return h
	}
	if a, b, ok := ipv4(name); ok {
		switch {
		case a == 127:
			h.zone = here
		case a == 10 || a == 172 && b >= 16 && b <= 31 || a == 192 && b == 168 || a == 169 && b == 254 || a == 100 && b >= 64 && b <= 127:
			h.zone = private
		default:
			h.open = true
		}
		return h
	}
	if strings.Count(name, ":") > 1 {
		if strings.HasPrefix(name, "fc") || strings.HasPrefix(name, "fd") || strings.HasPrefix(name, "fe80") {
			h.zone = private
		}
		return h
	}
	if strings.IndexByte(name, '.') < 0 {
		h.bare = true
	} else if strings.HasSuffix(name, ".local") || strings.HasSuffix(name, ".lan") || strings.HasSuffix(name, ".internal") || strings.HasSuffix(name, ".home.arpa") ||
		strings.HasSuffix(name, ".svc") || strings.HasSuffix(name, ".intranet") {
		h.zone = private
	}
	return h
}

// ipv4 returns the first two numbers of an address, which may be written short
// (127.1).
func ipv4(s string) (a, b int, ok bool) {
	dots, n, digits := 0, 0, 0
	for i := 0; i <= len(s); i++ {
		if i == len(s) || s[i] == '.' {
			if digits == 0 || n > 255 && dots != 3 && i != len(s) {
				return 0, 0, false
			}
			switch dots {
			case 0:
				a = n
			case 1:
				b = n
			}
			dots, n, digits = dots+1, 0, 0
			continue
		}
		if s[i] < '0' || s[i] > '9' || digits > 9 {
			return 0, 0, false
		}
		n, digits = n*10+int(s[i]-'0'), digits+1
	}
	if dots == 1 && a > 255 {
		return a >> 24, a >> 16 & 255, true
	}
	return a, b, dots >= 2 && dots <= 4
}

// dropHosts are places where anybody can leave or collect anything.
const dropHosts = "webhook.site requestbin.com requestbin.net pipedream.net hookbin.com beeceptor.com requestcatcher.com webhookinbox.com " +
	"termbin.com transfer.sh 0x0.st ix.io file.io sprunge.us clbin.com paste.rs dpaste.com dpaste.org pastebin.com hastebin.com ghostbin.com bpa.st paste.ee " +
	"rentry.co controlc.com ttm.sh envs.sh oshi.at temp.sh bashupload.com keep.sh catbox.moe litterbox.catbox.moe gofile.io anonfiles.com wetransfer.com " +
	"tmpfiles.org uguu.se pixeldrain.com bayfiles.com filebin.net send.firefox.com ufile.io upload.ee free.keep.sh x0.at c-v.sh pomf.cat " +
	"ngrok.io ngrok.app ngrok-free.app ngrok.dev ngrok-free.dev trycloudflare.com loca.lt localtunnel.me serveo.net localhost.run lhr.life lhr.rocks pagekite.me bore.pub " +
	"burpcollaborator.net oastify.com interact.sh oast.pro oast.live oast.site oast.online oast.fun oast.me canarytokens.com dnslog.cn ceye.io requestrepo.com " +
	"eu.ngrok.io mockbin.org httpdump.app webhook.cool hookdeck.com smee.io ptsv2.com ptsv3.com typedwebhook.tools rbndr.us nip.io sslip.io duckdns.org " +
	"no-ip.org ddns.net hopto.org zapto.org xip.io bin.equinox.io postb.in onion"

// shady reports whether a host is a dead drop, or names itself as an attacker's.
// A name that says so is what examples, tests and careless attackers use.
func shady(name string) bool {
	if name == "" {
		return false
	}
	if under(name, dropHosts) {
		return true
	}
	for _, w := range [...]string{"evil", "attack", "exfil", "malicious", "malware", "hacker", "pwned", "pwn.", "steal", "badguy", "bad-guy", "bad.", "phish", "c2.", "c2-", "collaborator",
		"rogue", "hostile", "victim", "nefarious", "shady", "sketchy", "leak.", "leaks.", "collector.", "collect.", "dropzone", "burpcollab", "untrusted", "suspicious", "badactor", "bad-actor", "threat", "mallory"} {
		if i := strings.Index(name, w); i >= 0 && (i == 0 || !letter(name[i-1]) || len(w) > 4) {
			return true
		}
	}
	return false
}
