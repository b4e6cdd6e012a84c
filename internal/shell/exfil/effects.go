package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// Effects returns the effects of data that c sends to other machines. It returns nil if c sends
// nothing, or only text that is typed in the command, or only to this machine.
func Effects(c *shell.Call, p *shell.Place) []shell.Effect {
	if c == nil {
		return nil
	}
	t := tracer{place: p, stepsLeft: maxSteps}
	return t.callEffects(appletCall(c))
}

// HasRule reports whether the package has a rule for the program name.
func HasRule(name string) bool {
	return program.SendsOf(name) != 0 || canServeFiles(name) || facts.IsAnyShell(name)
}

// callEffects returns the effects of c by the rule for its program, or by the general rule for the
// network if that is worse. It returns nil if there are none.
func (t *tracer) callEffects(c *shell.Call) []shell.Effect {
	if len(c.Redir) > 0 {
		if e, ok := t.devTCPEffect(c); ok {
			return []shell.Effect{e}
		}
		if e, ok := sendingConfigEffect(c); ok {
			return []shell.Effect{e}
		}
	}
	t.unhandled = 0
	e, ok := t.transportEffect(c)
	if !ok {
		e, ok = t.serviceEffect(c)
	}
	if !ok && t.unhandled == 2 {
		e, ok = t.rowEffect(c)
	}
	if !ok || e.Label != shell.Exfiltration {
		if more, found := t.networkEffect(c); found && (!ok || isWorse(&more, &e)) {
			e, ok = more, true
		}
	}
	if !ok {
		if t.stepsLeft > 0 {
			return nil
		}
		e = connectEffect(c, shell.Unknown, shell.ExfilFile, shell.ImpactUnknown, facts.Host{}, "takes its input from a command chain too long to follow")
	}
	return []shell.Effect{e}
}

// transportEffect returns the effect of a program that can connect to any host, such as curl, ssh or a
// shell. If it has no rule for the program, it increments t.unhandled and reports false.
func (t *tracer) transportEffect(c *shell.Call) (shell.Effect, bool) {
	switch program.SendsOf(c.Name) {
	case program.SendsCurl:
		return t.curlEffect(c)
	case program.SendsWget:
		return t.wgetEffect(c)
	case program.SendsHttpie:
		return t.httpieEffect(c)
	case program.SendsNetcat:
		return t.netcatEffect(c)
	case program.SendsSocat:
		return t.socatEffect(c)
	case program.SendsOpenssl:
		return t.opensslSocketEffect(c)
	case program.SendsSsh:
		return t.sshEffect(c)
	case program.SendsScp:
		return t.scpEffect(c)
	case program.SendsRsync:
		return t.rsyncEffect(c)
	case program.SendsTape:
		return t.tarToRemoteEffect(c)
	case program.SendsRaw:
		return connectEffect(c, shell.Unknown, shell.Tunnel, shell.ImpactHigh, lastHost(c), "opens a raw connection that can carry anything"), true
	case program.SendsFtp:
		return t.ftpEffect(c)
	case program.SendsNames:
		return t.lookupEffect(c)
	}
	if facts.IsAnyShell(c.Name) {
		return t.shellOnSocketEffect(c)
	}
	t.unhandled++
	return shell.Effect{}, false
}

// serviceEffect returns the effect of a program for one service, such as aws or git, or of a file
// server. If it has no rule for the program, it increments t.unhandled and reports false.
func (t *tracer) serviceEffect(c *shell.Call) (shell.Effect, bool) {
	switch program.SendsOf(c.Name) {
	case program.SendsAws:
		return t.awsEffect(c)
	case program.SendsBucket, program.SendsAliasBucket:
		return t.bucketEffect(c)
	case program.SendsGcloud:
		return t.gcloudEffect(c)
	case program.SendsForge:
		return t.forgeEffect(c)
	case program.SendsGit:
		return t.gitEffect(c)
	case program.SendsImage:
		return t.imagePushEffect(c)
	case program.SendsKubectl:
		return t.kubectlEffect(c)
	case program.SendsTunnel:
		return t.tunnelEffect(c)
	case program.SendsHiddenTunnel:
		return connectEffect(c, shell.Exfiltration, shell.ExfilDNS, shell.ImpactHigh, lastHost(c), "opens a hidden tunnel from this machine"), true
	case program.SendsAccess:
		return connectEffect(c, shell.Unknown, shell.Tunnel, shell.ImpactHigh, facts.Host{}, "gives others access to this machine"), true
	case program.SendsDatabase:
		return t.databaseEffect(c)
	case program.SendsPublish:
		return t.publishEffect(c)
	case program.SendsRunner:
		return t.runnerEffect(c)
	}
	if canServeFiles(c.Name) {
		return t.serveEffect(c)
	}
	t.unhandled++
	return shell.Effect{}, false
}

// runnerEffect returns the effect of the program that a runner such as npx downloads and starts.
func (t *tracer) runnerEffect(c *shell.Call) (shell.Effect, bool) {
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
	if e, ok := t.transportEffect(&a); ok {
		return e, true
	}
	if program.SendsOf(a.Name) == program.SendsRunner {
		return shell.Effect{}, false
	}
	if e, ok := t.serviceEffect(&a); ok {
		return e, true
	}
	return t.rowEffect(&a)
}

// appletCall returns the call of the applet that busybox or a similar program runs, or c for other
// programs.
func appletCall(c *shell.Call) *shell.Call {
	if !program.Is(c.Name, program.IsApplets) || len(c.Args) == 0 {
		return c
	}
	a := *c
	a.Name, a.Args = c.Args[0].Text, c.Args[1:]
	return &a
}
