package leak

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/fact"
)

// login is about programs that hand a secret to a registry to sign in. A token
// for the registry is what it is for; one of another owner, or a whole file, is
// not.
func (t *tracer) login(c *shell.Call) (shell.Effect, bool) {
	var s sending
	var sent load
	for i := 0; i < len(c.Args); i++ {
		w := &c.Args[i]
		a := w.Text
		switch {
		case a == "login" || a == "registry" || a == "":
		case a == "-p" || a == "--password" || a == "--token":
			if i++; i < len(c.Args) {
				sent = more(sent, t.word(&c.Args[i]))
			}
		case strings.HasPrefix(a, "--password=") || strings.HasPrefix(a, "-p") && a[1] != '-':
			sent = more(sent, t.word(w))
		case a == "-u" || a == "--username" || a == "--registry" && i+1 < len(c.Args) && c.Name != "npm":
			i++
		case a[0] == '-':
		case !s.to.Set():
			s.to = fact.HostOf(a)
		}
	}
	if fed(c) {
		sent = more(sent, t.input(c))
	}
	if !s.to.Set() || s.to.Name == "" {
		return shell.Effect{}, false
	}
	switch sent.home {
	case "", "docker", "dockerhub", "gitlab", "nexus", "artifactory", "jfrog", "vault", "azure":
		if sent.from == fromVariable || sent.token() {
			return shell.Effect{}, false // who names no other owner means this one
		}
	}
	if sent.from == fromManager && !s.to.Drop() {
		return shell.Effect{}, false
	}
	s.add(sent, body)
	return s.effect(c)
}
