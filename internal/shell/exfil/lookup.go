package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// lookupEffect returns the effect of a DNS lookup or a ping. A host name that contains data sends the
// data to the DNS servers of the domain.
func (t *tracer) lookupEffect(c *shell.Call) (shell.Effect, bool) {
	s := transfer{}
	for i := range c.Args {
		w, after := &c.Args[i], ""
		if i > 0 {
			after = c.Args[i-1].Text
		}
		switch {
		case len(w.Text) > 1 && w.Text[0] == '@': // the DNS server to query
		case len(w.From) > 0 || !w.IsKnown():
			t.addLookupWord(c, &s, w, after == "-p" || after == "--data" || after == "--data-string")
		}
	}
	return s.effect(c)
}

// addLookupWord adds the data in w. If pattern is set, w is the content of a packet instead of a name
// to look up.
func (t *tracer) addLookupWord(c *shell.Call, s *transfer, w *shell.Word, pattern bool) {
	l := t.wordTaint(w)
	h := facts.HostOf(strings.TrimPrefix(w.Text, "."))
	if pattern {
		h = lastHost(c)
	}
	if l.level == unclear && len(w.From) == 0 && hasInput(c) {
		l = worseTaint(l, t.inputTaint(c))
	}
	if h.Name == "" && !pattern && (l.level < file || l.level == file && !l.encoded && strings.Trim(w.Text, string(shell.Placeholder)) == "") {
		return // `ping $(hostname)` looks up a name outside any known domain, so no server of the domain receives it
	}
	h.Zone = max(h.Zone, facts.Private)
	if h.Zone == facts.Private && !pattern {
		h.Zone = facts.Away // a lookup is forwarded to the servers of the domain
	}
	s.to = h
	s.addData(l, inHostName)
}

// lastHost returns the host in the last known word of c that is not an option or a number. It returns
// an unknown host on another machine if there is none.
func lastHost(c *shell.Call) facts.Host {
	for i := len(c.Args) - 1; i >= 0; i-- {
		a := c.Args[i].Text
		if a != "" && a[0] != '-' && !isDigits(a) && c.Args[i].IsKnown() {
			return facts.HostOf(a)
		}
	}
	return facts.Host{Zone: facts.Away}
}
