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
	body       channel = iota // the body of a request or message
	auth                      // a header or option for credentials
	inURL                     // the path or query of a URL
	inHostName                // a host name, which a DNS lookup sends
	socket                    // a plain network connection
	copied                    // a file copied to another machine
)

// judgeTransfer returns the effect of sending data with the taint l to h through ch. It reports false if
// that is harmless.
//
//	             away                     private network        this machine
//	secret       exfiltration, high       exfiltration, medium   nothing
//	personal     exfiltration, medium     unknown, medium        nothing
//	file         unknown, medium          unknown, medium        nothing
//	about        unknown; in a host name or to a dead drop: exfiltration, medium
//	unclear      unknown; to a dead drop: exfiltration, medium
//
// Projects send their own files somewhere every day. Sending a file is exfiltration if it goes to a
// dead drop or over a plain connection, if it is a dump, or if it lies outside the project.
func judgeTransfer(l taint, h facts.Host, ch channel) (e shell.Effect, ok bool) {
	if !h.Exists() || h.Zone == facts.Here || l.level == clean {
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
		case ch == inHostName || h.HidesOwner():
		case l.identifying && (ch == inURL || ch == socket) && !h.Bare && h.Name != "" && !isForge(h.Name):
			e.Impact = shell.ImpactLow // such facts in a URL suggest that someone collects data
		default:
			e.Label = shell.Unknown
			ok = ok && ch != auth && !h.Bare
		}
	default:
		e.Category, ok = shell.ExfilFile, judgeUnclear(&e, h, ch)
	}
	if ch == inHostName {
		e.Category, e.Kind = shell.ExfilDNS, "lookup"
	}
	return e, ok
}

// judgeSecret reports whether sending the secret l to h through ch is a leak, and sets the label and
// impact of e.
func judgeSecret(e *shell.Effect, l taint, h facts.Host, ch channel) bool {
	if l.typed != nil {
		return judgeTyped(e, l.typed, h, ch)
	}
	if h.Zone == facts.Away {
		e.Impact = shell.ImpactHigh
	}
	if facts.BelongsTo(l.vendor, h.Name) {
		return false
	}
	if ch == auth && l.isToken() && !h.HidesOwner() {
		// A token is meant to be sent this way. It is doubtful only if the name of the token and the
		// host suggest different owners.
		e.Label, e.Impact = shell.Unknown, shell.ImpactMedium
		return l.from != fromVariable || l.vendor != "" && h.Name != "" && !h.Bare
	}
	if l.from == fromVariable && !h.HidesOwner() && (h.Zone == facts.Private || h.Name == "" || h.Bare || l.shareable && l.vendor == "") {
		e.Label, e.Impact = shell.Unknown, shell.ImpactMedium
	}
	return true
}

// isToken reports whether l is a single value, such as a password or token for one service, as opposed
// to a whole file of secrets.
func (l *taint) isToken() bool {
	return l.from == fromTyped || l.from == fromVariable || l.from == fromManager || l.partial || l.from == fromPath && facts.IsTokenFile(l.path)
}

// judgeFile sets the label of e to unknown if sending the file l to h through ch can be everyday work.
// It always returns true.
func judgeFile(e *shell.Effect, l taint, h facts.Host, ch channel) bool {
	if ch == copied && facts.IsIPAddress(h.Name) {
		h.Open = false // people copy to their own servers by IP address
	}
	switch {
	case h.HidesOwner():
	case h.Zone == facts.Private, l.shareable, ch == auth, l.partial && !l.personal && ch != socket, h.Bare && ch != copied && ch != socket:
		e.Label = shell.Unknown
	case l.personal:
	case l.valuable && ch != inURL, l.wholeProject && ch == body, ch == socket, ch == inURL && l.encoded, ch == inHostName:
	default:
		e.Label = shell.Unknown
	}
	return true
}

// isForge reports whether host is a code forge, by its domain or by a name such as git.example.com.
func isForge(host string) bool {
	return facts.InDomains(host, "github.com gitlab.com bitbucket.org codeberg.org sr.ht gitea.com dev.azure.com visualstudio.com heroku.com huggingface.co gitee.com googlesource.com salsa.debian.org") ||
		!facts.IsSuspiciousHost(host) && (strings.HasPrefix(host, "git.") || strings.HasPrefix(host, "gitlab.") || strings.HasPrefix(host, "github.") || strings.HasPrefix(host, "gitea.") || strings.HasPrefix(host, "git-codecommit."))
}

// judgeUnclear reports whether sending unclear data to h through ch is worth an effect, and sets the
// label and impact of e.
func judgeUnclear(e *shell.Effect, h facts.Host, ch channel) bool {
	if h.Name != "" && (facts.IsSuspiciousHost(h.Name) || h.Open && ch != auth && ch != inURL) {
		return true
	}
	e.Label, e.Impact = shell.Unknown, shell.ImpactUnknown
	return (ch == socket || ch == body || ch == inHostName || ch == copied) && h.Zone == facts.Away
}

// A transfer collects the data that a call sends to one host. The zero transfer sends nothing.
type transfer struct {
	to    facts.Host
	worst shell.Effect // the worst effect of sending data
	taint taint        // the taint of the data with this effect
	found bool         // worst and taint are set
}

// addData adds data with the taint l, which is sent through ch. Only the data with the worst effect is
// kept. The host s.to must be set before.
func (s *transfer) addData(l taint, ch channel) {
	if l.level == clean {
		return
	}
	e, ok := judgeTransfer(l, s.to, ch)
	if !ok {
		return
	}
	if !s.found || isWorse(&e, &s.worst) {
		s.worst, s.taint, s.found = e, l, true
	}
}

// isWorse reports whether a has a worse label than b, or the same label and a higher impact.
func isWorse(a, b *shell.Effect) bool {
	if a.Label != b.Label {
		return a.Label > b.Label
	}
	return a.Impact.Weight() > b.Impact.Weight()
}

// effect returns the effect of the worst data that was added, with the words of c. It reports false if
// there is none.
func (s *transfer) effect(c *shell.Call) (shell.Effect, bool) {
	if !s.found || s.taint.typed != nil && len(s.taint.typed.Issuers) == 0 && program.Is(c.Name, program.IsSigningIn) {
		return shell.Effect{}, false
	}
	e := s.worst
	e.Rule = c.Name
	where := "an unknown host"
	if s.to.Name != "" {
		where = s.to.Name
		e.Hosts = []string{s.to.Name}
	}
	if s.taint.path != "" {
		e.Paths = []string{s.taint.path}
	}
	e.Words = callText(c)
	if s.taint.typed != nil {
		e.Rule = shell.RuleTyped
	}
	what := s.taint.what
	if what == "." {
		what = "the current directory"
	}
	switch {
	case e.Category == shell.ExfilDNS:
		e.Reason = "hides " + what + " in a DNS lookup or packets to " + where
	case s.taint.level == secret:
		e.Reason = "sends " + what + ", a secret, to " + where
	case e.Label == shell.Unknown:
		e.Reason = "may send " + what + " to " + where
	default:
		e.Reason = "sends " + what + " to " + where
	}
	return e, true
}

// connectEffect returns an effect of c that does not depend on the data that is sent, such as a tunnel
// or a shell for another machine.
func connectEffect(c *shell.Call, label shell.Label, category shell.Category, r shell.Impact, h facts.Host, reason string) shell.Effect {
	e := shell.Effect{Label: label, Kind: "connect", Category: category, Rule: c.Name, Impact: r, Words: callText(c), Reason: reason}
	if h.Name != "" {
		e.Hosts = []string{h.Name}
	}
	return e
}

// maxWords is the largest length of callText's result in bytes, and the number of words of a call that
// are checked.
const maxWords = 200

// callText returns the name and the words of c, shortened if they are long.
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
