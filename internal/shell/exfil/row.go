package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// rowEffect returns the effect of c by the row of its program, which lists what the program sends and
// where to. It depends only on the roles of words and values, not on the program's name. It reports
// false if the row names no receiver.
func (t *tracer) rowEffect(c *shell.Call) (shell.Effect, bool) {
	parts := program.Parts(c)
	to, in := program.Receiver(c)
	s := transfer{to: receiverHost(c, to, parts)}
	if !s.to.Exists() {
		return shell.Effect{}, false
	}
	for i := range parts {
		p := &parts[i]
		switch p.Role {
		case shell.Reads:
			if !isProse(p.Word.Text) {
				s.addData(t.fileWordTaint(c, &p.Word), copied)
			}
		case shell.Auth:
			s.addData(t.wordTaint(&p.Word), auth)
		case shell.Header:
			s.addHeader(t, &p.Word)
		case shell.URL, shell.Host:
			if hasUnknownUser(p.Word.Text) {
				s.addData(t.wordTaint(&p.Word), auth)
				continue
			}
			s.addData(t.textTaint(c, &p.Word), body)
		case shell.Payload:
			s.addData(t.textTaint(c, &p.Word), body)
		default:
			// A whole file of secrets does not belong in a word of any role.
			if l := t.wordTaint(&p.Word); l.level == secret && !l.isToken() {
				s.addData(l, body)
			}
		}
	}
	if hasInput(c) {
		if l := t.inputTaint(c); in == shell.Payload || l.level == secret && !l.isToken() {
			s.addData(l, body)
		}
	}
	return s.effect(c)
}

// receiverHost returns the host that receives the data of c, which is the most remote host among parts
// or else the one in to, the receiver in the row. It returns the zero Host if there is none.
func receiverHost(c *shell.Call, to string, parts []shell.Part) facts.Host {
	var h facts.Host
	for i := range parts {
		p := &parts[i]
		if p.Lang == "mail" && p.Word.IsKnown() && strings.IndexByte(p.Word.Text, '@') < 0 {
			continue // a user of this machine
		}
		if (p.Role == shell.Host || p.Role == shell.URL) && !isLocalURL(p.Word.Text) {
			h = facts.MoreRemote(h, facts.HostOf(p.Word.Text))
		}
	}
	if h.Exists() {
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

// textTaint returns the taint of w, text that is sent. If the text is the name of a secret file, the
// file counts, because that is most likely what is meant.
func (t *tracer) textTaint(c *shell.Call, w *shell.Word) taint {
	l := t.wordTaint(w)
	if w.IsKnown() && facts.IsSecretFile(w.Text) && !strings.Contains(w.Text, "://") {
		l = worseTaint(l, t.fileWordTaint(c, w))
	}
	return l
}

// addHeader adds the header w. Data in a header for credentials counts as credentials; data in any
// other header counts as part of the body.
func (s *transfer) addHeader(t *tracer, w *shell.Word) {
	l := t.wordTaint(w)
	if name, _, _ := strings.Cut(w.Text, ":"); l.level <= unclear || facts.IsCredentialName(name) {
		s.addData(l, auth)
		return
	}
	s.addData(l, body)
}

// isProse reports whether text has several words and no slash, so that it is not a file name.
func isProse(text string) bool {
	return strings.IndexByte(text, ' ') >= 0 && !strings.ContainsAny(text, "/~")
}
