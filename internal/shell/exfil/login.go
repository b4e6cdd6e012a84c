package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// loginEffect returns the effect of signing in to a registry with a secret. A token for that registry
// is meant for it; a token of another vendor or a whole file is not.
func (t *tracer) loginEffect(c *shell.Call) (shell.Effect, bool) {
	to, sent := t.parseLogin(c)
	if hasInput(c) {
		sent = worseTaint(sent, t.inputTaint(c))
	}
	if !to.Exists() || to.Name == "" {
		return shell.Effect{}, false
	}
	switch sent.vendor {
	case "", "docker", "dockerhub", "gitlab", "nexus", "artifactory", "jfrog", "vault", "azure":
		if sent.from == fromVariable || sent.isToken() {
			return shell.Effect{}, false // a token that belongs to no other vendor is meant for this registry
		}
	}
	if sent.from == fromManager && !to.HidesOwner() {
		return shell.Effect{}, false
	}
	s := transfer{to: to}
	s.addData(sent, body)
	return s.effect(c)
}

// parseLogin returns the registry and the password among the arguments of a login. The registry is not
// set if c names none.
func (t *tracer) parseLogin(c *shell.Call) (to facts.Host, sent taint) {
	for i := 0; i < len(c.Args); i++ {
		switch a := c.Args[i].Text; {
		case a == "login" || a == "registry" || a == "":
		case a == "-p" || a == "--password" || a == "--token":
			if i++; i < len(c.Args) {
				sent = worseTaint(sent, t.wordTaint(&c.Args[i]))
			}
		case strings.HasPrefix(a, "--password=") || strings.HasPrefix(a, "-p") && a[1] != '-':
			sent = worseTaint(sent, t.wordTaint(&c.Args[i]))
		case a == "-u" || a == "--username":
			i++
		case a[0] == '-':
		case !to.Exists():
			to = facts.HostOf(a)
		}
	}
	return to, sent
}
