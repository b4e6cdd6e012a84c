package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// tunnel is about programs that let others into this machine.
func (t *tracer) tunnel(c *shell.Call) (shell.Effect, bool) {
	first := ""
	if len(c.Args) > 0 {
		first = c.Args[0].Text
	}
	switch first {
	case "", "version", "--version", "help", "--help", "-h", "-v", "status", "config", "login", "logout", "update", "list", "authtoken",
		"up", "down", "ip", "netcheck", "ping", "set", "switch", "ssh", "cert", "whois", "dns":
		return shell.Effect{}, false
	}
	if says(c, "list|info|status") {
		return shell.Effect{}, false
	}
	return plain(c, shell.Unknown, shell.Tunnel, shell.RadiusMedium, facts.Host{}, "makes this machine reachable by others"), true
}

// image is about pushes of images: everyday work, unless the registry is a
// dead drop.
func (t *tracer) image(c *shell.Call) (shell.Effect, bool) {
	if says(c, "login") && len(c.Args) > 1 && c.Args[0].Text != "run" && c.Args[0].Text != "exec" {
		return t.login(c)
	}
	for i := range c.Args {
		if c.Args[i].Text != "push" || i+1 == len(c.Args) {
			continue
		}
		registry, _, ok := strings.Cut(c.Args[len(c.Args)-1].Text, "/")
		if h := facts.HostOf(registry); ok && h.Drop() && strings.ContainsAny(registry, ".:") {
			s := sending{to: h}
			s.add(load{level: file, what: "an image"}, copied)
			return s.effect(c)
		}
	}
	return shell.Effect{}, false
}
