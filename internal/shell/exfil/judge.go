package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A channel is the way by which something is sent. The same load is worse in
// some than in others.
type channel uint8

const (
	body   channel = iota // of a request, a mail, a message
	auth                  // a header or option that is there for tokens
	inURL                 // a path or a query
	inName                // a host's name: a look-up carries it
	socket                // a plain connection
	copied                // a file copied to another machine
)

// judge returns what it means that l goes to h by ch. ok is false when it means
// nothing.
//
//	             away                     private network        this machine
//	secret       exfiltration, high       exfiltration, medium   nothing
//	file         unknown, medium          unknown, medium        nothing
//	about        unknown; in a name or to a dead drop: exfiltration, medium
//	unclear      unknown; to a dead drop: exfiltration, medium
//
// A file of the project is sent somewhere every day; it is exfiltration when it
// goes to a dead drop or over a bare socket, and when it is a dump or lies
// outside the project.
func judge(l load, h facts.Host, ch channel) (e shell.Effect, ok bool) {
	if !h.Set() || h.Zone == facts.Here || l.level == clean {
		return e, false
	}
	e.Label, e.Kind, e.Radius = shell.Exfiltration, "upload", shell.RadiusMedium
	switch l.level {
	case secret:
		e.Category, ok = shell.ExfilSecret, judgeSecret(&e, l, h, ch)
	case file:
		e.Category, ok = shell.ExfilFile, judgeFile(&e, l, h, ch)
	case about:
		e.Category, ok = shell.ExfilInfo, h.Zone == facts.Away
		switch {
		case ch == inName || h.Drop():
		case l.who && (ch == inURL || ch == socket) && !h.Bare && h.Name != "" && !forge(h.Name):
			e.Radius = shell.RadiusLow // a name in an address is asked for by nobody but a collector
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

func judgeSecret(e *shell.Effect, l load, h facts.Host, ch channel) bool {
	if l.typed != nil {
		return judgeTyped(e, l.typed, h, ch)
	}
	if h.Zone == facts.Away {
		e.Radius = shell.RadiusHigh
	}
	if facts.Belongs(l.home, h.Name) {
		return false
	}
	if ch == auth && l.token() && !h.Drop() {
		// A token in its own header is what it is for. Only where the name of the
		// token and the host speak of different owners is there a doubt.
		e.Label, e.Radius = shell.Unknown, shell.RadiusMedium
		return l.from != fromVariable || l.home != "" && h.Name != "" && !h.Bare
	}
	if l.from == fromVariable && !h.Drop() && (h.Zone == facts.Private || h.Name == "" || h.Bare || l.soft && l.home == "") {
		e.Label, e.Radius = shell.Unknown, shell.RadiusMedium
	}
	return true
}

// token reports whether a secret is one value, such as people give to the service
// that it is for, and no whole file.
func (l *load) token() bool {
	return l.from == fromTyped || l.from == fromVariable || l.from == fromManager || l.picked || l.from == fromPath && facts.OneToken(l.path)
}

func judgeFile(e *shell.Effect, l load, h facts.Host, ch channel) bool {
	if ch == copied && facts.IsNumber(h.Name) {
		h.Open = false // people copy to their servers by number
	}
	switch {
	case h.Drop():
	case h.Zone == facts.Private, l.soft, ch == auth, l.picked && ch != socket, h.Bare && ch != copied && ch != socket:
		e.Label = shell.Unknown
	case l.rich && ch != inURL, l.whole && ch == body, ch == socket, ch == inURL && l.coded, ch == inName:
	default:
		e.Label = shell.Unknown
	}
	return true
}

// forge reports whether a host is one of the places where projects live.
func forge(host string) bool {
	return facts.Under(host, "github.com gitlab.com bitbucket.org codeberg.org sr.ht gitea.com dev.azure.com visualstudio.com heroku.com huggingface.co gitee.com googlesource.com salsa.debian.org") ||
		!facts.Shady(host) && (strings.HasPrefix(host, "git.") || strings.HasPrefix(host, "gitlab.") || strings.HasPrefix(host, "github.") || strings.HasPrefix(host, "gitea.") || strings.HasPrefix(host, "git-codecommit."))
}

func judgeUnclear(e *shell.Effect, h facts.Host, ch channel) bool {
	if h.Name != "" && (facts.Shady(h.Name) || h.Open && ch != auth && ch != inURL) {
		return true
	}
	e.Label, e.Radius = shell.Unknown, shell.RadiusUnknown
	return (ch == socket || ch == body || ch == inName || ch == copied) && h.Zone == facts.Away
}

// A sending is what is known of a call that sends: several loads may go to one
// host. The zero sending sends nothing.
type sending struct {
	to   facts.Host
	best shell.Effect
	load load
	sent bool
}

// add takes another load into account. The worst decides.
func (s *sending) add(l load, ch channel) {
	if l.level == clean {
		return
	}
	e, ok := judge(l, s.to, ch)
	if !ok {
		return
	}
	if !s.sent || worse(&e, &s.best) {
		s.best, s.load, s.sent = e, l, true
	}
}

func worse(a, b *shell.Effect) bool {
	if a.Label != b.Label {
		return a.Label > b.Label
	}
	return a.Radius.Weight() > b.Radius.Weight()
}

// effect words the worst thing that was added.
func (s *sending) effect(c *shell.Call) (shell.Effect, bool) {
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
	e.Words = words(c)
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

// plain makes an effect that needs no load: a tunnel, a shell for somebody else.
func plain(c *shell.Call, label shell.Label, category shell.Category, r shell.Radius, h facts.Host, reason string) shell.Effect {
	e := shell.Effect{Label: label, Kind: "connect", Category: category, Rule: c.Name, Radius: r, Words: words(c), Reason: reason}
	if h.Name != "" {
		e.Hosts = []string{h.Name}
	}
	return e
}

// maxWords bounds how much of a call is quoted.
const maxWords = 200

// words returns a call's own words, shortened.
func words(c *shell.Call) string {
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
