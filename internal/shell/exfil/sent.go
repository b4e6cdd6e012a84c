package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// sent is the law for every program whose row says what it sends and where to: by
// the roles of its words and values, whatever its name.
func (t *tracer) sent(c *shell.Call) (shell.Effect, bool) {
	parts := program.Parts(c)
	to, in := program.To(c)
	s := sending{to: receiver(c, to, parts)}
	if !s.to.Set() {
		return shell.Effect{}, false
	}
	for i := range parts {
		p := &parts[i]
		switch p.Role {
		case shell.Reads:
			if !prose(p.Word.Text) {
				s.add(t.fileWord(c, &p.Word), copied)
			}
		case shell.Auth:
			s.add(t.word(&p.Word), auth)
		case shell.Header:
			s.header(t, &p.Word)
		case shell.URL, shell.Host:
			if inUser(p.Word.Text) {
				s.add(t.word(&p.Word), auth)
				continue
			}
			s.add(t.payload(c, &p.Word), body)
		case shell.Payload:
			s.add(t.payload(c, &p.Word), body)
		default:
			// Whatever else it is, a whole file of secrets has no business in it.
			if l := t.word(&p.Word); l.level == secret && !l.token() {
				s.add(l, body)
			}
		}
	}
	if fed(c) {
		if l := t.input(c); in == shell.Payload || l.level == secret && !l.token() {
			s.add(l, body)
		}
	}
	return s.effect(c)
}

// receiver is who gets what a call sends: the farthest host of its words, or the one
// that its program is for.
func receiver(c *shell.Call, to string, parts []shell.Part) facts.Host {
	var h facts.Host
	for i := range parts {
		p := &parts[i]
		if p.Lang == "mail" && p.Word.Known() && strings.IndexByte(p.Word.Text, '@') < 0 {
			continue // a user of this machine
		}
		if (p.Role == shell.Host || p.Role == shell.URL) && !local(p.Word.Text) {
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
		if h, far := farHost(c); far {
			return h
		}
		return facts.Host{Zone: facts.Away}
	case to == "drop":
		return facts.Host{Name: program.Of(c).Name, Zone: facts.Away, Open: true}
	default:
		return facts.Host{Name: to, Zone: facts.Away}
	}
}

// payload is what is in a text that is sent. What names a secret file most likely
// means the file.
func (t *tracer) payload(c *shell.Call, w *shell.Word) load {
	l := t.word(w)
	if w.Known() && facts.SecretFile(w.Text) && !strings.Contains(w.Text, "://") {
		l = more(l, t.fileWord(c, w))
	}
	return l
}

// header takes a header. Some are there for tokens.
func (s *sending) header(t *tracer, w *shell.Word) {
	l := t.word(w)
	if name, _, _ := strings.Cut(w.Text, ":"); l.level <= unclear || facts.ForCredential(name) {
		s.add(l, auth)
		return
	}
	s.add(l, body)
}

// prose reports whether a word is a text and no file's name.
func prose(text string) bool {
	return strings.IndexByte(text, ' ') >= 0 && !strings.ContainsAny(text, "/~")
}
