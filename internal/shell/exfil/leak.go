package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// Effects returns what c sends away. It is nil for a call that sends nothing,
// or only text that is typed in the command, or sends to this machine itself.
func Effects(c *shell.Call, p *shell.Place) []shell.Effect {
	if c == nil {
		return nil
	}
	t := tracer{place: p, budget: budget}
	return t.effects(applet(c))
}

// Knows reports whether a program is one of those that send: a rule is named after it.
func Knows(name string) bool {
	return program.SendsOf(name) != 0 || servesFiles(name) || facts.AnyShell(name)
}

// effects is the one switch over programs: what cannot send ends here.
func (t *tracer) effects(c *shell.Call) []shell.Effect {
	if len(c.Redir) > 0 {
		if e, ok := t.device(c); ok {
			return []shell.Effect{e}
		}
	}
	t.missed = 0
	e, ok := t.transport(c)
	if !ok {
		e, ok = t.service(c)
	}
	if !ok && t.missed == 2 {
		e, ok = t.sent(c)
	}
	if !ok || e.Label != shell.Exfiltration {
		if more, found := t.anything(c); found && (!ok || worse(&more, &e)) {
			e, ok = more, true
		}
	}
	if !ok {
		if t.budget > 0 {
			return nil
		}
		e = plain(c, shell.Unknown, shell.ExfilFile, shell.RadiusUnknown, facts.Host{}, "takes its input from a command chain too long to follow")
	}
	return []shell.Effect{e}
}

// transport is about programs that speak a protocol to any host.
func (t *tracer) transport(c *shell.Call) (shell.Effect, bool) {
	switch program.SendsOf(c.Name) {
	case program.SendsCurl:
		return t.curl(c)
	case program.SendsWget:
		return t.wget(c)
	case program.SendsHttpie:
		return t.httpie(c)
	case program.SendsNetcat:
		return t.netcat(c)
	case program.SendsSocat:
		return t.socat(c)
	case program.SendsOpenssl:
		return t.openssl(c)
	case program.SendsSsh:
		return t.ssh(c)
	case program.SendsScp:
		return t.scp(c)
	case program.SendsRsync:
		return t.rsync(c)
	case program.SendsTape:
		return t.tape(c)
	case program.SendsRaw:
		return plain(c, shell.Unknown, shell.Tunnel, shell.RadiusHigh, lastHost(c), "opens a raw connection that can carry anything"), true
	case program.SendsFtp:
		return t.ftp(c)
	case program.SendsNames:
		return t.names(c)
	}
	if facts.AnyShell(c.Name) {
		return t.shell(c)
	}
	t.missed++
	return shell.Effect{}, false
}

// service is about programs of one service or with one way to send.
func (t *tracer) service(c *shell.Call) (shell.Effect, bool) {
	switch program.SendsOf(c.Name) {
	case program.SendsAws:
		return t.aws(c)
	case program.SendsBucket, program.SendsAliasBucket:
		return t.bucket(c)
	case program.SendsGcloud:
		return t.gcloud(c)
	case program.SendsForge:
		return t.forge(c)
	case program.SendsGit:
		return t.git(c)
	case program.SendsImage:
		return t.image(c)
	case program.SendsKubectl:
		return t.kubectl(c)
	case program.SendsTunnel:
		return t.tunnel(c)
	case program.SendsHiddenTunnel:
		return plain(c, shell.Exfiltration, shell.ExfilDNS, shell.RadiusHigh, lastHost(c), "opens a hidden tunnel from this machine"), true
	case program.SendsAccess:
		return plain(c, shell.Unknown, shell.Tunnel, shell.RadiusHigh, facts.Host{}, "gives others access to this machine"), true
	case program.SendsDatabase:
		return t.database(c)
	case program.SendsPublish:
		return t.publish(c)
	case program.SendsRunner:
		return t.carried(c)
	}
	if servesFiles(c.Name) {
		return t.serve(c)
	}
	t.missed++
	return shell.Effect{}, false
}

// carried is about a program that another fetches and starts.
func (t *tracer) carried(c *shell.Call) (shell.Effect, bool) {
	i := 0
	for i < len(c.Args) && (strings.HasPrefix(c.Args[i].Text, "-") || c.Args[i].Text == "run") {
		if o := c.Args[i].Text; o == "-p" || o == "--package" || o == "--registry" || o == "--from" || o == "--spec" {
			i++
		}
		i++
	}
	if i >= len(c.Args) {
		return shell.Effect{}, false
	}
	a := *c
	name, _, _ := strings.Cut(c.Args[i].Text, "@")
	a.Name, a.Args = strings.ToLower(name), c.Args[i+1:]
	if e, ok := t.transport(&a); ok {
		return e, true
	}
	if program.SendsOf(a.Name) == program.SendsRunner {
		return shell.Effect{}, false
	}
	if e, ok := t.service(&a); ok {
		return e, true
	}
	return t.sent(&a)
}

// applet returns the call that busybox makes of its first word.
func applet(c *shell.Call) *shell.Call {
	if !program.Is(c.Name, program.IsApplets) || len(c.Args) == 0 {
		return c
	}
	a := *c
	a.Name, a.Args = c.Args[0].Text, c.Args[1:]
	return &a
}
