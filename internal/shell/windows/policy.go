package windows

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// policy judges changes of what protects the machine.
func (r *reader) policy(name string, p *params) {
	low := lower(p.source)
	switch name {
	case "set-executionpolicy":
		if s, ok := p.one("scope", 1); ok && strings.EqualFold(s.text, "process") {
			r.safe(shell.IO, p.source)
			return
		}
		r.add(shell.Effect{Label: shell.Unknown, Kind: "weaken", Category: shell.Privilege, Radius: shell.RadiusMedium, Words: facts.Short(p.source), Reason: "changes which PowerShell scripts may run"})
	case "set-mppreference", "add-mppreference":
		r.weakens(p.source, "weakens the virus scanner", shell.RadiusHigh)
	case "set-netfirewallprofile":
		if strings.Contains(low, "false") {
			r.weakens(p.source, "turns off the firewall", shell.RadiusHigh)
			return
		}
		r.unknown("changes firewall settings", p.source)
	case "set-service":
		if strings.Contains(low, "disabled") || strings.Contains(low, "stopped") {
			r.loses(shell.SvcStop, "stop", shell.RadiusMedium, p.source, "stops a service")
			return
		}
		r.unknown("changes a service", p.source)
	}
}

// property judges changes of the registry.
func (r *reader) property(name string, p *params) {
	switch {
	case strings.HasPrefix(name, "remove"), strings.HasPrefix(name, "clear"):
		r.loses(shell.RegDelete, "delete", shell.RadiusMedium, p.source, "deletes a registry value or a file property")
	default:
		if path, ok := p.one("path literalpath", 0); ok && strings.HasPrefix(lower(path.text), "env:") {
			r.safe(shell.IO, p.source)
			return
		}
		r.add(shell.Effect{Label: shell.Unknown, Kind: "modify", Category: shell.RegModify, Radius: shell.RadiusMedium, Words: facts.Short(p.source), Reason: "changes a registry value or a file property"})
	}
}
