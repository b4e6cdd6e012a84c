package windows

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

func isURL(s string) bool {
	low := lower(s[:min(len(s), 8)])
	return strings.HasPrefix(low, "http://") || strings.HasPrefix(low, "https://") || strings.HasPrefix(low, "ftp://")
}

// fetch asks for an address; what is part of the address goes out.
func (r *reader) fetch(u flow, words string) {
	switch {
	case (u.secret || u.file) && !facts.HostOf(u.text).Local():
		r.upload(u.text, u, words)
	case u.text != "" && !strings.Contains(u.text, hole):
		r.hand([]string{"curl", u.text})
	default:
		r.add(shell.Effect{Label: shell.Unknown, Kind: "fetch", Category: shell.NetRead, Impact: shell.ImpactLow, Words: facts.Short(words), Reason: "sends a request to an unknown address"})
	}
}

// upload sends a file or a secret.
func (r *reader) upload(url string, body flow, words string) {
	if facts.HostOf(url).Local() {
		return
	}
	if body.secret && !body.file && !r.secret && facts.Belongs(facts.Owner(body.of), facts.HostOf(url).Name) {
		r.add(shell.Effect{Label: shell.Unknown, Kind: "upload", Category: shell.NetWrite, Impact: shell.ImpactMedium, Words: facts.Short(words), Reason: "sends a secret to the service it belongs to"})
		return
	}
	if body.secret || r.secret {
		r.leaks(shell.ExfilSecret, shell.ImpactHigh, url, words, "sends secrets off the machine")
		return
	}
	r.leaks(shell.ExfilFile, shell.ImpactMedium, url, words, "sends a file off the machine")
}

// shared sees files with secrets go to another machine's directory.
func (r *reader) shared(from []string, to, words string) {
	if !strings.HasPrefix(to, `\\`) && !strings.HasPrefix(to, "//") {
		return
	}
	for _, f := range from {
		if facts.SecretFile(f) {
			r.leaks(shell.ExfilSecret, shell.ImpactHigh, "", words, "copies secrets to another machine")
		}
	}
}

// post sends a body that may be harmless.
func (r *reader) post(url string, body flow, words string) {
	switch {
	case body.file || body.secret:
		r.upload(url, body, words)
	case body.fixed && !strings.Contains(body.text, hole) && url != "" && !strings.Contains(url, hole):
		r.hand([]string{"curl", "-X", "POST", "-d", body.text, url})
	case facts.HostOf(url).Local():
		r.safe(shell.NetRead, words)
	default:
		r.add(shell.Effect{Label: shell.Unknown, Kind: "upload", Category: shell.NetWrite, Impact: shell.ImpactMedium, Words: facts.Short(words), Reason: "sends data to another machine"})
	}
}

// authHeader reports whether the first of the headers @{a=b; c=d} is where a secret belongs.
func authHeader(raw string) bool {
	_, raw, _ = strings.Cut(raw, "{")
	name, _, _ := strings.Cut(raw, "=")
	return facts.ForCredential(strings.Trim(name, " \t'\""))
}

// webCmdlet runs the cmdlets that talk to other machines.
func (r *reader) webCmdlet(name string, p *params, in flow) flow {
	switch name {
	case "send-mailmessage":
		r.sendMail(p)
		return flow{}
	case "start-bitstransfer":
		src, _ := p.one("source", 0)
		dst, _ := p.one("destination", 1)
		if isURL(dst.text) {
			r.upload(dst.text, flow{file: true, secret: facts.SecretFile(src.text)}, p.source)
		} else {
			r.hand([]string{"curl", "-o", unix(dst.text), src.text})
		}
		return flow{}
	}
	r.webRequest(p, in)
	return flow{text: hole, net: true}
}

// sendMail sends a mail, perhaps with files.
func (r *reader) sendMail(p *params) {
	body, _ := p.one("body", -1)
	if files := p.texts("attachments", -1); len(files) > 0 {
		body = flow{file: true, secret: slices.ContainsFunc(files, facts.SecretFile)}
	}
	if body.file || body.secret {
		r.upload("", body, p.source)
		return
	}
	r.add(shell.Effect{Label: shell.Unknown, Kind: "upload", Category: shell.NetWrite, Impact: shell.ImpactMedium, Words: facts.Short(p.source), Reason: "sends an email"})
}

// webRequest asks an address, or sends something to it.
func (r *reader) webRequest(p *params, in flow) {
	url, ok := p.one("uri", 0)
	if !ok {
		url = in
	}
	if f, ok := p.one("infile", -1); ok {
		r.upload(url.text, flow{file: true, secret: facts.SecretFile(f.text)}, p.source)
		return
	}
	if f, ok := p.one("form", -1); ok {
		r.upload(url.text, flow{file: true}.from(f), p.source)
		return
	}
	if h := p.get("headers"); len(h) > 0 && h[0].secret && leaksHeaders(&h[0], url.text) {
		r.leaks(shell.ExfilSecret, shell.ImpactHigh, url.text, p.source, "sends secrets off the machine")
	}
	method, hasMethod := p.one("method custommethod", -1)
	body, sends := p.one("body", -1)
	if !sends && (in.file || in.secret) {
		body, sends = in, true
	}
	out, toFile := p.one("outfile", -1)
	switch {
	case hasMethod && strings.EqualFold(method.text, "delete"):
		r.hand([]string{"curl", "-X", "DELETE", url.text})
	case sends || hasMethod && !facts.InList("get head options", lower(method.text)):
		r.post(url.text, body, p.source)
	case toFile:
		r.hand([]string{"curl", "-o", unix(out.text), url.text})
	default:
		r.fetch(url, p.source)
	}
}

// leaksHeaders reports whether headers with a secret go where it does not belong.
func leaksHeaders(h *word, url string) bool {
	to := facts.HostOf(url)
	return !to.Local() && (to.Drop() || !authHeader(h.raw) && !facts.Belongs(facts.Owner(h.of), to.Name))
}

// lookUp asks for the address of a host; a secret in its name goes out.
func (r *reader) lookUp(host flow, words string) {
	if host.secret || host.file {
		r.leaks(shell.ExfilDNS, shell.ImpactHigh, "", words, "sends data off the machine, hidden in a DNS lookup")
	}
}
