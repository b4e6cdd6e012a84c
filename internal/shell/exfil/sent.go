package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// rowEffect returns the effect of a program whose row lists what it sends and where to. It depends on
// the roles of words and values only, not on the program's name.
func (t *tracer) rowEffect(c *shell.Call) (shell.Effect, bool) {
	parts := program.Parts(c)
	to, in := program.Receiver(c)
	s := transfer{to: receiverHost(c, to, parts)}
	if !s.to.Set() {
		return shell.Effect{}, false
	}
	for i := range parts {
		p := &parts[i]
		switch p.Role {
		case shell.Reads:
			if !isProse(p.Word.Text) {
				s.addLoad(t.fileWordLoad(c, &p.Word), copied)
			}
		case shell.Auth:
			s.addLoad(t.wordLoad(&p.Word), auth)
		case shell.Header:
			s.addHeader(t, &p.Word)
		case shell.URL, shell.Host:
			if hasUnknownUser(p.Word.Text) {
				s.addLoad(t.wordLoad(&p.Word), auth)
				continue
			}
			s.addLoad(t.textLoad(c, &p.Word), body)
		case shell.Payload:
			s.addLoad(t.textLoad(c, &p.Word), body)
		default:
			// Whatever the role, a whole file of secrets does not belong there.
			if l := t.wordLoad(&p.Word); l.level == secret && !l.isToken() {
				s.addLoad(l, body)
			}
		}
	}
	if hasInput(c) {
		if l := t.inputLoad(c); in == shell.Payload || l.level == secret && !l.isToken() {
			s.addLoad(l, body)
		}
	}
	return s.effect(c)
}

// receiverHost returns the host that receives the data of a call: the most remote host among its
// words, or the one that the row names in to.
func receiverHost(c *shell.Call, to string, parts []shell.Part) facts.Host {
	var h facts.Host
	for i := range parts {
		p := &parts[i]
		if p.Lang == "mail" && p.Word.IsKnown() && strings.IndexByte(p.Word.Text, '@') < 0 {
			continue // a user of this machine
		}
		if (p.Role == shell.Host || p.Role == shell.URL) && !isLocalURL(p.Word.Text) {
			h = facts.Farther(h, facts.HostOf(p.Word.Text))
		}
	}
	if h.Set() {
		return h
	}
	switch {
	case to == "":
		return facts.Host{}
	case to == "?":
		if h, far := remoteHost(c); far {
			return h
		}
		return facts.Host{Zone: facts.Away}
	case to == "drop":
		return facts.Host{Name: program.ReadingOf(c).Name, Zone: facts.Away, Open: true}
	default:
		return facts.Host{Name: to, Zone: facts.Away}
	}
}

// textLoad returns the data in a text that is sent. A text that names a secret file most likely means
// the file.
func (t *tracer) textLoad(c *shell.Call, w *shell.Word) load {
	l := t.wordLoad(w)
	if w.IsKnown() && facts.SecretFile(w.Text) && !strings.Contains(w.Text, "://") {
		l = worseLoad(l, t.fileWordLoad(c, w))
	}
	return l
}

// addHeader adds a header. Some headers are meant for tokens.
func (s *transfer) addHeader(t *tracer, w *shell.Word) {
	l := t.wordLoad(w)
	if name, _, _ := strings.Cut(w.Text, ":"); l.level <= unclear || facts.IsCredentialName(name) {
		s.addLoad(l, auth)
		return
	}
	s.addLoad(l, body)
}

// isProse reports whether a word is a text and not a file name.
func isProse(text string) bool {
	return strings.IndexByte(text, ' ') >= 0 && !strings.ContainsAny(text, "/~")
}
