package facts

import "strings"

// dropHosts lists domains where anyone can leave or collect data.
const dropHosts = "webhook.site requestbin.com requestbin.net pipedream.net hookbin.com beeceptor.com requestcatcher.com webhookinbox.com " +
	"termbin.com transfer.sh 0x0.st ix.io file.io sprunge.us clbin.com paste.rs dpaste.com dpaste.org pastebin.com hastebin.com ghostbin.com bpa.st paste.ee " +
	"rentry.co controlc.com ttm.sh envs.sh oshi.at temp.sh bashupload.com keep.sh catbox.moe litterbox.catbox.moe gofile.io anonfiles.com wetransfer.com " +
	"tmpfiles.org uguu.se pixeldrain.com bayfiles.com filebin.net send.firefox.com ufile.io upload.ee free.keep.sh x0.at c-v.sh pomf.cat " +
	"ngrok.io ngrok.app ngrok-free.app ngrok.dev ngrok-free.dev trycloudflare.com loca.lt localtunnel.me serveo.net localhost.run lhr.life lhr.rocks pagekite.me bore.pub " +
	"burpcollaborator.net oastify.com interact.sh oast.pro oast.live oast.site oast.online oast.fun oast.me canarytokens.com dnslog.cn ceye.io requestrepo.com " +
	"eu.ngrok.io mockbin.org httpdump.app webhook.cool hookdeck.com smee.io ptsv2.com ptsv3.com typedwebhook.tools rbndr.us nip.io sslip.io duckdns.org " +
	"no-ip.org ddns.net hopto.org zapto.org xip.io bin.equinox.io postb.in rentry.org pastes.io paste.debian.net paste.ubuntu.com justpaste.it privatebin.net cl1p.net onion"

// IsDropHost reports whether a host is a dead drop: anyone can leave or collect data there.
func IsDropHost(name string) bool { return InDomains(name, dropHosts) }

// IsSuspiciousHost reports whether a host is a dead drop or has a name that suggests an attacker.
// Examples, tests and careless attackers use such names.
func IsSuspiciousHost(name string) bool {
	if name == "" {
		return false
	}
	if IsDropHost(name) {
		return true
	}
	for _, w := range [...]string{"evil", "attack", "exfil", "malicious", "malware", "hacker", "pwned", "pwn.", "steal", "badguy", "bad-guy", "bad.", "phish", "c2.", "c2-", "collaborator",
		"rogue", "hostile", "victim", "nefarious", "shady", "sketchy", "leak.", "leaks.", "collector.", "collect.", "dropzone", "burpcollab", "untrusted", "suspicious", "badactor", "bad-actor", "threat", "mallory"} {
		if i := strings.Index(name, w); i >= 0 && (i == 0 || !IsLetter(name[i-1]) || len(w) > 4) {
			return true
		}
	}
	return false
}
