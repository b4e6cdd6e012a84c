package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// names is about look-ups: a name that is made of data carries the data to
// whoever serves the domain.
func (t *tracer) names(c *shell.Call) (shell.Effect, bool) {
	s := sending{}
	for i := range c.Args {
		w, after := &c.Args[i], ""
		if i > 0 {
			after = c.Args[i-1].Text
		}
		switch {
		case len(w.Text) > 1 && w.Text[0] == '@': // the server that is asked
		case len(w.From) > 0 || !w.Known():
			t.name(c, &s, w, after == "-p" || after == "--data" || after == "--data-string")
		}
	}
	return s.effect(c)
}

// name takes a word that is made of data. pattern says that it is what a packet is
// filled with.
func (t *tracer) name(c *shell.Call, s *sending, w *shell.Word, pattern bool) {
	l := t.word(w)
	h := facts.HostOf(strings.TrimPrefix(w.Text, "."))
	if pattern {
		h = lastHost(c)
	}
	if l.level == unclear && len(w.From) == 0 && fed(c) {
		l = more(l, t.input(c))
	}
	if h.Name == "" && !pattern && (l.level < file || l.level == file && !l.coded && strings.Trim(w.Text, string(shell.Hole)) == "") {
		return // `ping $(hostname)` looks up a whole name that is nobody's to collect
	}
	h.Zone = max(h.Zone, facts.Private)
	if h.Zone == facts.Private && !pattern {
		h.Zone = facts.Away // a look-up goes on to whoever answers for the name
	}
	s.to = h
	s.add(l, inName)
}

// lastHost returns the host of the last known word that is no option.
func lastHost(c *shell.Call) facts.Host {
	for i := len(c.Args) - 1; i >= 0; i-- {
		a := c.Args[i].Text
		if a != "" && a[0] != '-' && !number(a) && c.Args[i].Known() {
			return facts.HostOf(a)
		}
	}
	return facts.Host{Zone: facts.Away}
}
