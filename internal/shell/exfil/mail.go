package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// mail sends what it is fed, what is attached and what is substituted into its
// words, to the hosts of the addresses.
func (t *tracer) mail(c *shell.Call) (shell.Effect, bool) {
	s := sending{}
	for i := range c.Args {
		if h, ok := mailHost(c, i); ok {
			s.to = facts.Farther(s.to, h)
		}
	}
	if !s.to.Set() {
		if !unknownAddress(c) {
			return shell.Effect{}, false // mail to a user of this machine
		}
		s.to = facts.Host{Zone: facts.Away}
	}
	after := ""
	for i := range c.Args {
		w := &c.Args[i]
		if len(w.From) > 0 {
			if l := t.calls(w.From); !l.token() || !authOption(c, i) {
				s.add(l, body)
			}
		}
		if path, ok := attachment(c.Name, after, w.Text); ok {
			s.add(more(t.file(c, strings.TrimPrefix(path, "@")), t.calls(w.From)), copied)
		} else if c.Name == "mpack" && !strings.HasPrefix(w.Text, "-") && strings.IndexByte(w.Text, '@') < 0 && after != "-s" {
			s.add(t.file(c, w.Text), copied)
		}
		switch text := w.Text; {
		case text == "--":
			after = ""
		case text != "" && (text[0] == '-' || !attaches(c.Name, after) || c.Name != "mutt"):
			after = text
		}
	}
	if fed(c) {
		s.add(t.input(c), body)
	}
	return s.effect(c)
}

// attachment returns the file that a word attaches: -a file, --attach=file, -afile.
func attachment(program, after, text string) (path string, ok bool) {
	if attaches(program, after) {
		return text, true
	}
	if name, value, eq := strings.Cut(text, "="); eq && attaches(program, name) {
		return value, true
	}
	if len(text) > 2 && text[0] == '-' && text[1] != '-' && attaches(program, text[:2]) {
		return text[2:], true
	}
	return "", false
}

// mailHost returns the host of an address among the words.
func mailHost(c *shell.Call, i int) (facts.Host, bool) {
	text := c.Args[i].Text
	at := strings.LastIndexByte(text, '@')
	if at <= 0 || at == len(text)-1 || strings.ContainsAny(text, " /") || i > 0 && c.Args[i-1].Text == "-s" {
		return facts.Host{}, false
	}
	if i > 0 && (c.Args[i-1].Text == "-r" || c.Args[i-1].Text == "-f" || c.Args[i-1].Text == "--from" || attaches(c.Name, c.Args[i-1].Text)) {
		return facts.Host{}, false
	}
	return facts.HostOf(text), true
}

// unknownAddress reports whether one of the words could be an address.
func unknownAddress(c *shell.Call) bool {
	if has(c, "-t") || c.Name == "swaks" || c.Name == "sendemail" {
		return true
	}
	n := len(c.Args)
	return n > 0 && !c.Args[n-1].Known()
}

// attaches reports whether an option's value is a file to send.
func attaches(program, option string) bool {
	switch option {
	case "-a":
		return program != "sendmail" && program != "swaks" && program != "msmtp"
	case "-A":
		return program == "mail" || program == "mailx" || program == "s-nail" || program == "nail"
	case "-i":
		return program == "mutt" || program == "neomutt"
	case "--attach", "--attachment", "--attach-file", "-attach":
		return true
	case "--body", "--data", "--h-body", "--attach-body":
		return program == "swaks"
	case "-H":
		return program == "mutt" || program == "neomutt"
	}
	return false
}

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
		case c.Name == "hping3" && (after == "--file" || after == "-E"):
			s.to = facts.Farther(s.to, lastHost(c))
			s.add(t.file(c, w.Text), socket)
		}
	}
	return s.effect(c)
}

// name takes a word that is made of data. pattern says that it is what a packet is
// filled with.
func (t *tracer) name(c *shell.Call, s *sending, w *shell.Word, pattern bool) {
	l := t.word(w)
	h := facts.HostOf(strings.TrimPrefix(w.Text, "."))
	asked := c.Name == "whois" || c.Name == "finger"
	if pattern || asked {
		h = lastHost(c)
	}
	if l.level == unclear && len(w.From) == 0 && fed(c) {
		l = more(l, t.input(c))
	}
	if c.Name == "whois" && !has(c, "-h") && l.level == file && !l.coded {
		return // a list of domains
	}
	if h.Name == "" && !pattern && !asked && (l.level < file || l.level == file && !l.coded && strings.Trim(w.Text, string(shell.Hole)) == "") {
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
