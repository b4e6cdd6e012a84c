package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// gear knows the words that routers, switches and firewalls take over ssh: there
// is no shell behind them, and no program here has such a name.
func gear(c *shell.Call) ([]shell.Effect, bool) {
	e := shell.Effect{Label: shell.Destructive, Kind: "delete", Category: shell.NetGear, Rule: "gear", Radius: shell.RadiusHigh, Reason: "resets or restarts a network device, or deletes its data"}
	first := ""
	if len(c.Args) > 0 {
		first = c.Args[0].Text
	}
	if name, ok := strings.CutPrefix(c.Path, "/"); ok && !strings.Contains(name, "/") {
		return mikrotik(c, name, e)
	}
	switch c.Name {
	case "show", "display", "get", "diagnose", "diag":
		if c.Name == "show" || c.Name == "display" || listed("system router firewall hardware sys", first) {
			e.Label, e.Kind, e.Category, e.Radius, e.Reason = shell.Safe, "read", shell.NetRead, shell.RadiusLow, "queries a network device"
			return one(c, e)
		}
	case "delete", "erase", "squeeze", "undelete":
	case "reload", "zeroize", "factoryreset", "factory-reset", "restore-defaults":
	case "format":
		if !strings.HasSuffix(first, ":") {
			return nil, false
		}
	case "write":
		if !listed("erase factory-default", first) {
			return nil, false
		}
	case "request", "execute", "clear", "set", "config", "reset", "conf", "configure":
		if !gearLoses(c.Args) {
			return nil, false
		}
	default:
		return nil, false
	}
	return one(c, e)
}

// gearLoses reports whether the words behind a device's verb lose what it keeps.
func gearLoses(args []shell.Word) bool {
	for i := range args {
		if i > 6 {
			break
		}
		if listed("zeroize factoryreset factoryreset2 factory-reset private-data-reset reboot halt power-off shutdown formatlogdisk erase-disk delete delete-all disk format restore factory-default default saved-configuration startup-config", args[i].Text) {
			return true
		}
	}
	return false
}

// mikrotik knows the menus of RouterOS, which begin with a slash: /system
// reset-configuration, /ip firewall filter remove [find].
func mikrotik(c *shell.Call, menu string, e shell.Effect) ([]shell.Effect, bool) {
	if !listed("system ip ipv6 interface user file routing tool queue ppp certificate export import log snmp disk", menu) {
		return nil, false
	}
	reads := menu == "export" || menu == "log"
	for i := range c.Args {
		switch t := c.Args[i].Text; {
		case listed("remove reset-configuration reset reboot shutdown disable format format-drive erase-drive downgrade", t):
			return one(c, e)
		case listed("print export monitor get find", t):
			reads = true
		}
	}
	if reads {
		e.Label, e.Kind, e.Category, e.Radius, e.Reason = shell.Safe, "read", shell.NetRead, shell.RadiusLow, "queries a network device"
		return one(c, e)
	}
	return nil, false
}

// lockedOut knows a firewall that is switched on, or that forbids all by default,
// on a machine that is reached over the network: the way back may be gone.
func lockedOut(c *shell.Call) ([]shell.Effect, bool) {
	if c.Remote == "" {
		return nil, false
	}
	r := readingOf(c)
	denies := len(r.Words) > 1 && r.Words[0].Text == "default" && listed("deny reject drop", r.Words[1].Text) && r.Has("outgoing") != yes && r.Has("routed") != yes
	if !denies && !(len(r.Words) > 0 && r.Words[0].Text == "enable") {
		return nil, false
	}
	return one(c, shell.Effect{Label: shell.Destructive, Kind: "modify", Category: shell.NetFirewall, Rule: "ufw-remote", Radius: shell.RadiusHigh, Reason: "may lock you out of a remote machine"})
}
