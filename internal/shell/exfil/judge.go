package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A channel is the way by which data is sent. The same data is worse in some channels than in others.
type channel uint8

const (
	body   channel = iota // the body of a request or message
	auth                  // a header or option for tokens
	inURL                 // a path or a query
	inName                // a host name, which a lookup sends
	socket                // a plain connection
	copied                // a file copied to another machine
)

// judgeLoad returns the effect of sending l to h by ch. It reports false if that is harmless.
//
//	             away                     private network        this machine
//	secret       exfiltration, high       exfiltration, medium   nothing
//	file         unknown, medium          unknown, medium        nothing
//	about        unknown; in a name or to a dead drop: exfiltration, medium
//	unclear      unknown; to a dead drop: exfiltration, medium
//
// Projects send their own files somewhere every day. A file is exfiltration if it goes to a dead drop
// or over a bare socket, if it is a dump, or if it lies outside the project.
func judgeLoad(l load, h facts.Host, ch channel) (e shell.Effect, ok bool) {
	if !h.Set() || h.Zone == facts.Here || l.level == clean {
		return e, false
	}
	e.Label, e.Kind, e.Impact = shell.Exfiltration, "upload", shell.ImpactMedium
	switch l.level {
	case secret:
		e.Category, ok = shell.ExfilSecret, judgeSecret(&e, l, h, ch)
	case file:
		e.Category, ok = shell.ExfilFile, judgeFile(&e, l, h, ch)
	case about:
		e.Category, ok = shell.ExfilInfo, h.Zone == facts.Away
		switch {
		case ch == inName || h.Drop():
		case l.identifying && (ch == inURL || ch == socket) && !h.Bare && h.Name != "" && !isForge(h.Name):
			e.Impact = shell.ImpactLow // only a collector of data wants a name in a URL
		default:
			e.Label = shell.Unknown
			ok = ok && ch != auth && !h.Bare
		}
	default:
		e.Category, ok = shell.ExfilFile, judgeUnclear(&e, h, ch)
	}
	if ch == inName {
		e.Category, e.Kind = shell.ExfilDNS, "lookup"
	}
	return e, ok
}

// judgeSecret reports whether sending the secret l is a leak, and sets label and impact.
func judgeSecret(e *shell.Effect, l load, h facts.Host, ch channel) bool {
	if l.typed != nil {
		return judgeTyped(e, l.typed, h, ch)
	}
	if h.Zone == facts.Away {
		e.Impact = shell.ImpactHigh
	}
	if facts.BelongsTo(l.vendor, h.Name) {
		return false
	}
	if ch == auth && l.isToken() && !h.Drop() {
		// A token is meant for its header. There is a doubt only if the name of the
		// token and the host suggest different owners.
		e.Label, e.Impact = shell.Unknown, shell.ImpactMedium
		return l.from != fromVariable || l.vendor != "" && h.Name != "" && !h.Bare
	}
	if l.from == fromVariable && !h.Drop() && (h.Zone == facts.Private || h.Name == "" || h.Bare || l.shareable && l.vendor == "") {
		e.Label, e.Impact = shell.Unknown, shell.ImpactMedium
	}
	return true
}

// isToken reports whether a secret is a single value, such as people pass to the service that issued
// it, and not a whole file.
func (l *load) isToken() bool {
	return l.from == fromTyped || l.from == fromVariable || l.from == fromManager || l.partial || l.from == fromPath && facts.IsTokenFile(l.path)
}

// judgeFile sets the label for sending the file l, and returns true.
func judgeFile(e *shell.Effect, l load, h facts.Host, ch channel) bool {
	if ch == copied && facts.IsIPAddress(h.Name) {
		h.Open = false // people copy to their own servers by IP address
	}
	switch {
	case h.Drop():
	case h.Zone == facts.Private, l.shareable, ch == auth, l.partial && ch != socket, h.Bare && ch != copied && ch != socket:
		e.Label = shell.Unknown
	case l.valuable && ch != inURL, l.wholeProject && ch == body, ch == socket, ch == inURL && l.encoded, ch == inName:
	default:
		e.Label = shell.Unknown
	}
	return true
}

// isForge reports whether a host is a code forge.
func isForge(host string) bool {
	return facts.InDomains(host, "github.com gitlab.com bitbucket.org codeberg.org sr.ht gitea.com dev.azure.com visualstudio.com heroku.com huggingface.co gitee.com googlesource.com salsa.debian.org") ||
		!facts.IsSuspiciousHost(host) && (strings.HasPrefix(host, "git.") || strings.HasPrefix(host, "gitlab.") || strings.HasPrefix(host, "github.") || strings.HasPrefix(host, "gitea.") || strings.HasPrefix(host, "git-codecommit."))
}

// judgeUnclear reports whether sending unclear data is worth an effect, and sets the label.
func judgeUnclear(e *shell.Effect, h facts.Host, ch channel) bool {
	if h.Name != "" && (facts.IsSuspiciousHost(h.Name) || h.Open && ch != auth && ch != inURL) {
		return true
	}
	e.Label, e.Impact = shell.Unknown, shell.ImpactUnknown
	return (ch == socket || ch == body || ch == inName || ch == copied) && h.Zone == facts.Away
}

// A transfer collects the data that a call sends to one host. The zero transfer sends nothing.
type transfer struct {
	to   facts.Host
	best shell.Effect
	load load
	sent bool
}

// addLoad adds l, which is sent by ch. The worst load decides.
func (s *transfer) addLoad(l load, ch channel) {
	if l.level == clean {
		return
	}
	e, ok := judgeLoad(l, s.to, ch)
	if !ok {
		return
	}
	if !s.sent || isWorse(&e, &s.best) {
		s.best, s.load, s.sent = e, l, true
	}
}

// isWorse reports whether a has a worse label than b, or the same label and a higher impact.
func isWorse(a, b *shell.Effect) bool {
	if a.Label != b.Label {
		return a.Label > b.Label
	}
	return a.Impact.Weight() > b.Impact.Weight()
}

// effect returns the effect of the worst load that was added.
func (s *transfer) effect(c *shell.Call) (shell.Effect, bool) {
	if !s.sent || s.load.typed != nil && len(s.load.typed.Issuers) == 0 && program.Is(c.Name, program.IsSigningIn) {
		return shell.Effect{}, false
	}
	e := s.best
	e.Rule = c.Name
	where := "an unknown host"
	if s.to.Name != "" {
		where = s.to.Name
		e.Hosts = []string{s.to.Name}
	}
	if s.load.path != "" {
		e.Paths = []string{s.load.path}
	}
	e.Words = callText(c)
	if s.load.typed != nil {
		e.Rule = shell.RuleTyped
	}
	what := s.load.what
	if what == "." {
		what = "the current directory"
	}
	switch {
	case e.Category == shell.ExfilDNS:
		e.Reason = "hides " + what + " in a DNS lookup or packets to " + where
	case s.load.level == secret:
		e.Reason = "sends " + what + ", a secret, to " + where
	case e.Label == shell.Unknown:
		e.Reason = "may send " + what + " to " + where
	default:
		e.Reason = "sends " + what + " to " + where
	}
	return e, true
}

// connectEffect returns an effect that does not depend on data: a tunnel, a shell for another machine.
func connectEffect(c *shell.Call, label shell.Label, category shell.Category, r shell.Impact, h facts.Host, reason string) shell.Effect {
	e := shell.Effect{Label: label, Kind: "connect", Category: category, Rule: c.Name, Impact: r, Words: callText(c), Reason: reason}
	if h.Name != "" {
		e.Hosts = []string{h.Name}
	}
	return e
}

// maxWords bounds the length of a quoted call, and the number of words that are checked.
const maxWords = 200

// callText returns the words of c, shortened.
func callText(c *shell.Call) string {
	var b strings.Builder
	b.WriteString(c.Name)
	for i := range c.Args {
		text := c.Args[i].Text
		if b.Len()+1+len(text) > maxWords {
			b.WriteString(" …")
			break
		}
		b.WriteByte(' ')
		b.WriteString(text)
	}
	return b.String()
}
