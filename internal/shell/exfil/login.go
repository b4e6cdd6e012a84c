package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// login is about programs that hand a secret to a registry to sign in. A token
// for the registry is what it is for; one of another owner, or a whole file, is
// not.
func (t *tracer) login(c *shell.Call) (shell.Effect, bool) {
	to, sent := t.signIn(c)
	if fed(c) {
		sent = more(sent, t.input(c))
	}
	if !to.Set() || to.Name == "" {
		return shell.Effect{}, false
	}
	switch sent.home {
	case "", "docker", "dockerhub", "gitlab", "nexus", "artifactory", "jfrog", "vault", "azure":
		if sent.from == fromVariable || sent.token() {
			return shell.Effect{}, false // who names no other owner means this one
		}
	}
	if sent.from == fromManager && !to.Drop() {
		return shell.Effect{}, false
	}
	s := sending{to: to}
	s.add(sent, body)
	return s.effect(c)
}

// signIn reads the words of a login: the registry, and the password.
func (t *tracer) signIn(c *shell.Call) (to facts.Host, sent load) {
	for i := 0; i < len(c.Args); i++ {
		switch a := c.Args[i].Text; {
		case a == "login" || a == "registry" || a == "":
		case a == "-p" || a == "--password" || a == "--token":
			if i++; i < len(c.Args) {
				sent = more(sent, t.word(&c.Args[i]))
			}
		case strings.HasPrefix(a, "--password=") || strings.HasPrefix(a, "-p") && a[1] != '-':
			sent = more(sent, t.word(&c.Args[i]))
		case a == "-u" || a == "--username":
			i++
		case a[0] == '-':
		case !to.Set():
			to = facts.HostOf(a)
		}
	}
	return to, sent
}
