package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// tunnelEffect returns the effect of a tunnel program, which lets others connect to this machine. It
// reports false for subcommands that do not open a tunnel.
func (t *tracer) tunnelEffect(c *shell.Call) (shell.Effect, bool) {
	first := ""
	if len(c.Args) > 0 {
		first = c.Args[0].Text
	}
	switch first {
	case "", "version", "--version", "help", "--help", "-h", "-v", "status", "config", "login", "logout", "update", "list", "authtoken",
		"up", "down", "ip", "netcheck", "ping", "set", "switch", "ssh", "cert", "whois", "dns":
		return shell.Effect{}, false
	}
	if hasWords(c, "list|info|status") {
		return shell.Effect{}, false
	}
	return connectEffect(c, shell.Unknown, shell.Tunnel, shell.ImpactMedium, facts.Host{}, "makes this machine reachable by others"), true
}

// imagePushEffect returns the effect of pushing a container image or signing in to a registry. It
// reports false for a push unless the registry is a dead drop, because pushing is everyday work.
func (t *tracer) imagePushEffect(c *shell.Call) (shell.Effect, bool) {
	if hasWords(c, "login") && len(c.Args) > 1 && c.Args[0].Text != "run" && c.Args[0].Text != "exec" {
		return t.loginEffect(c)
	}
	for i := range c.Args {
		if c.Args[i].Text != "push" || i+1 == len(c.Args) {
			continue
		}
		registry, _, ok := strings.Cut(c.Args[len(c.Args)-1].Text, "/")
		if h := facts.HostOf(registry); ok && h.HidesOwner() && strings.ContainsAny(registry, ".:") {
			s := transfer{to: h}
			s.addData(taint{level: file, what: "an image"}, copied)
			return s.effect(c)
		}
	}
	return shell.Effect{}, false
}
