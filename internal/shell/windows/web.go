package windows

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// isURL reports whether s is an HTTP or FTP URL.
func isURL(s string) bool {
	low := lower(s[:min(len(s), 8)])
	return strings.HasPrefix(low, "http://") || strings.HasPrefix(low, "https://") || strings.HasPrefix(low, "ftp://")
}

// evalFetch adds the effect of a request to the address u. Data in the address leaves the machine.
func (r *evaluator) evalFetch(u flow, words string) {
	switch {
	case (u.secret || u.fromFile) && !facts.HostOf(u.text).IsLocal():
		r.addUpload(u.text, u, words)
	case u.text != "" && !strings.Contains(u.text, placeholder):
		r.addNestedCommand([]string{"curl", u.text})
	default:
		r.addEffect(shell.Effect{Label: shell.Unknown, Kind: "fetch", Category: shell.NetRead, Impact: shell.ImpactLow, Words: facts.ShortFirstLine(words), Reason: "sends a request to an unknown address"})
	}
}

// addUpload adds the effect of sending body, which contains a file or a secret, to url. It adds none
// if url is on this machine.
func (r *evaluator) addUpload(url string, body flow, words string) {
	if facts.HostOf(url).IsLocal() {
		return
	}
	if body.secret && !body.fromFile && !r.packedSecret && facts.BelongsTo(facts.SecretOwner(body.secretVar), facts.HostOf(url).Name) {
		r.addEffect(shell.Effect{Label: shell.Unknown, Kind: "upload", Category: shell.NetWrite, Impact: shell.ImpactMedium, Words: facts.ShortFirstLine(words), Reason: "sends a secret to the service it belongs to"})
		return
	}
	if body.secret || r.packedSecret {
		r.addLeak(shell.ExfilSecret, shell.ImpactHigh, url, words, "sends secrets off the machine")
		return
	}
	r.addLeak(shell.ExfilFile, shell.ImpactMedium, url, words, "sends a file off the machine")
}

// addShareCopy adds the effect of copying files with secrets to a share of another machine. It adds
// none if to is not a share.
func (r *evaluator) addShareCopy(from []string, to, words string) {
	if !strings.HasPrefix(to, `\\`) && !strings.HasPrefix(to, "//") {
		return
	}
	for _, f := range from {
		if facts.IsSecretFile(f) {
			r.addLeak(shell.ExfilSecret, shell.ImpactHigh, "", words, "copies secrets to another machine")
		}
	}
}

// addPost adds the effect of sending body to url. The body may be harmless.
func (r *evaluator) addPost(url string, body flow, words string) {
	switch {
	case body.fromFile || body.secret:
		r.addUpload(url, body, words)
	case body.literal && !strings.Contains(body.text, placeholder) && url != "" && !strings.Contains(url, placeholder):
		r.addNestedCommand([]string{"curl", "-X", "POST", "-d", body.text, url})
	case facts.HostOf(url).IsLocal():
		r.addSafe(shell.NetRead, words)
	default:
		r.addEffect(shell.Effect{Label: shell.Unknown, Kind: "upload", Category: shell.NetWrite, Impact: shell.ImpactMedium, Words: facts.ShortFirstLine(words), Reason: "sends data to another machine"})
	}
}

// beginsWithAuthHeader reports whether the first of the headers in raw, such as @{a=b; c=d}, is for
// credentials.
func beginsWithAuthHeader(raw string) bool {
	_, raw, _ = strings.Cut(raw, "{")
	name, _, _ := strings.Cut(raw, "=")
	return facts.IsCredentialName(strings.Trim(name, " \t'\""))
}

// evalWebCmdlet adds the effects of the cmdlet name, which connects to other machines, and returns its
// output.
func (r *evaluator) evalWebCmdlet(name string, p *params, in flow) flow {
	switch name {
	case "send-mailmessage":
		r.addMail(p)
		return flow{}
	case "start-bitstransfer":
		src, _ := p.value("source", 0)
		dst, _ := p.value("destination", 1)
		if isURL(dst.text) {
			r.addUpload(dst.text, flow{fromFile: true, secret: facts.IsSecretFile(src.text)}, p.source)
		} else {
			r.addNestedCommand([]string{"curl", "-o", toSlash(dst.text), src.text})
		}
		return flow{}
	}
	r.addWebRequest(p, in)
	return flow{text: placeholder, fromNet: true}
}

// addMail adds the effect of sending an email, which may have files attached.
func (r *evaluator) addMail(p *params) {
	body, _ := p.value("body", -1)
	if files := p.texts("attachments", -1); len(files) > 0 {
		body = flow{fromFile: true, secret: slices.ContainsFunc(files, facts.IsSecretFile)}
	}
	if body.fromFile || body.secret {
		r.addUpload("", body, p.source)
		return
	}
	r.addEffect(shell.Effect{Label: shell.Unknown, Kind: "upload", Category: shell.NetWrite, Impact: shell.ImpactMedium, Words: facts.ShortFirstLine(p.source), Reason: "sends an email"})
}

// addWebRequest adds the effect of the web request that the parameters p describe. If p has no URL or
// body, in is used.
func (r *evaluator) addWebRequest(p *params, in flow) {
	url, ok := p.value("uri", 0)
	if !ok {
		url = in
	}
	if f, ok := p.value("infile", -1); ok {
		r.addUpload(url.text, flow{fromFile: true, secret: facts.IsSecretFile(f.text)}, p.source)
		return
	}
	if f, ok := p.value("form", -1); ok {
		r.addUpload(url.text, flow{fromFile: true}.withSourcesOf(f), p.source)
		return
	}
	if h := p.lookup("headers"); len(h) > 0 && h[0].secret && leaksHeaders(&h[0], url.text) {
		r.addLeak(shell.ExfilSecret, shell.ImpactHigh, url.text, p.source, "sends secrets off the machine")
	}
	method, hasMethod := p.value("method custommethod", -1)
	body, sends := p.value("body", -1)
	if !sends && (in.fromFile || in.secret) {
		body, sends = in, true
	}
	out, toFile := p.value("outfile", -1)
	switch {
	case hasMethod && strings.EqualFold(method.text, "delete"):
		r.addNestedCommand([]string{"curl", "-X", "DELETE", url.text})
	case sends || hasMethod && !facts.InList("get head options", lower(method.text)):
		r.addPost(url.text, body, p.source)
	case toFile:
		r.addNestedCommand([]string{"curl", "-o", toSlash(out.text), url.text})
	default:
		r.evalFetch(url, p.source)
	}
}

// leaksHeaders reports whether sending the headers h, which contain a secret, to url is a leak because
// the secret does not belong to its host.
func leaksHeaders(h *word, url string) bool {
	to := facts.HostOf(url)
	return !to.IsLocal() && (to.HidesOwner() || !beginsWithAuthHeader(h.raw) && !facts.BelongsTo(facts.SecretOwner(h.secretVar), to.Name))
}

// addDNSLookup adds the effect of a DNS lookup of host if the name contains a secret or the content of
// a file.
func (r *evaluator) addDNSLookup(host flow, words string) {
	if host.secret || host.fromFile {
		r.addLeak(shell.ExfilDNS, shell.ImpactHigh, "", words, "sends data off the machine, hidden in a DNS lookup")
	}
}
