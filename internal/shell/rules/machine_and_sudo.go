package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// machineExpert returns the expert for date or hostname. The function sets reports whether a call
// changes the value instead of printing it.
func machineExpert(sets func([]shell.Word) bool) expert {
	return func(c *shell.Call) ([]shell.Effect, bool) {
		e := shell.Effect{Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Rule: c.Name, Reason: "reads information about the machine"}
		if sets(c.Args) {
			e.Label, e.Kind, e.Category, e.Impact, e.Reason = shell.Unknown, "modify", shell.Kernel, shell.ImpactMedium, "changes the machine's clock or host name"
		}
		return singleEffect(c, e)
	}
}

// setsClock reports whether date with args sets the clock.
func setsClock(args []shell.Word) bool {
	words, sets := 0, false
	for i := 0; i < len(args); i++ {
		switch t := args[i].Text; t {
		case "-d", "--date", "-r", "--reference", "-f", "--file", "-v":
			i++
		case "-j":
			words -= 2 // with -j, the next two words are a format and a time, and the clock is not set
		default:
			switch {
			case t == "" || t[0] == '+':
			case len(t) > 1 && t[0] == '-':
				sets = sets || strings.HasPrefix(t, "-s") || strings.HasPrefix(t, "--s")
			default:
				words++
			}
		}
	}
	return sets || words > 0
}

// setsHostName reports whether hostname with args sets the host name.
func setsHostName(args []shell.Word) bool {
	for i := range args {
		t := args[i].Text
		if len(t) < 2 || t[0] != '-' || t == "-F" || t == "-b" || strings.HasPrefix(t, "--f") && t != "--fqdn" {
			return true
		}
	}
	return false
}

// wrapperEffects returns a safe effect for the wrapper c, because its nested command is judged as a
// separate call.
func wrapperEffects(c *shell.Call) ([]shell.Effect, bool) {
	return singleEffect(c, shell.Effect{Label: shell.Safe, Kind: "run", Category: shell.Run, Rule: "carrier", Reason: "runs another command, which is checked separately"})
}

// containerEffects returns the effects of a program that runs a command in a container or a virtual
// machine. It reports false for its other subcommands.
func containerEffects(c *shell.Call) ([]shell.Effect, bool) {
	if r := newReading(c); len(r.Words) > 1 && inListFold("exec shell ssh enter run", r.Words[0].Text) {
		return wrapperEffects(c)
	}
	return nil, false
}

// sudoEffects returns the effects of a program that runs others with more privileges. The nested
// command is judged separately, so only an interactive shell matters here.
func sudoEffects(c *shell.Call) ([]shell.Effect, bool) {
	if r := newReading(c); len(r.Words) == 0 && r.hasAnyFlag("-l -v -k -K -V --list --validate --reset-timestamp --remove-timestamp") {
		return singleEffect(c, shell.Effect{Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Rule: "carrier", Reason: "shows sudo permissions, or renews or clears cached credentials"})
	}
	if !opensShell(c.Args) || c.In != nil { // commands on standard input are judged separately
		return wrapperEffects(c)
	}
	return privilegedShellEffects(c)
}

// suEffects returns the effects of su, which opens a shell unless it has a command to run.
func suEffects(c *shell.Call) ([]shell.Effect, bool) {
	for i := range c.Args {
		if t := c.Args[i].Text; strings.HasPrefix(t, "--command") || strings.HasPrefix(t, "-") && strings.HasSuffix(t, "c") {
			return wrapperEffects(c)
		}
	}
	return privilegedShellEffects(c)
}

// privilegedShellEffects returns the effects of an interactive shell with other privileges.
func privilegedShellEffects(c *shell.Call) ([]shell.Effect, bool) {
	return singleEffect(c, shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.Privilege, Rule: "carrier", Impact: shell.ImpactHigh, Reason: "opens a shell with different privileges; what it will run is unknown"})
}

// opensShell reports whether the arguments of sudo open an interactive shell.
func opensShell(args []shell.Word) bool {
	for i := range args {
		t := args[i].Text
		switch {
		case t == "-u" || t == "-g" || t == "--user" || t == "--group" || strings.HasPrefix(t, "-"):
			continue
		case i > 0 && (args[i-1].Text == "-u" || args[i-1].Text == "-g" || args[i-1].Text == "--user" || args[i-1].Text == "--group"):
			continue
		case strings.Contains(t, "="):
			continue
		}
		if name := t[strings.LastIndexByte(t, '/')+1:]; program.ExpertOf(name) != program.ExpertSu && !facts.IsAnyShell(name) {
			return false
		}
		return len(args) == i+1 || hasNoCommand(args[i+1:])
	}
	return true
}

// hasNoCommand reports whether args, the arguments of a shell or su, are only flags or root, without a
// command.
func hasNoCommand(args []shell.Word) bool {
	for i := range args {
		t := args[i].Text
		if strings.HasPrefix(t, "-") && strings.Contains(t, "c") || !strings.HasPrefix(t, "-") && t != "root" {
			return false
		}
	}
	return true
}

// sshEffects returns the effects of ssh. A command for the other machine is judged separately.
func sshEffects(c *shell.Call) ([]shell.Effect, bool) {
	r := newReading(c)
	e := shell.Effect{Label: shell.Safe, Kind: "run", Category: shell.Run, Rule: "ssh", Reason: "runs a command on another machine; that command is checked separately"}
	if len(r.Words) > 0 {
		e.Hosts = []string{r.Words[0].Text[strings.LastIndexByte(r.Words[0].Text, '@')+1:]}
	}
	switch {
	case r.hasAnyFlag("-V -G -Q -T -O"):
		e.Kind, e.Category, e.Reason = "read", shell.NetRead, "shows connection settings or state"
		if len(r.Words) < 2 {
			return singleEffect(c, e)
		}
		e.Kind, e.Category = "run", shell.Run
	case r.hasAnyFlag("-L -R -D -W -w"):
		e.Label, e.Kind, e.Category, e.Impact, e.Reason = shell.Unknown, "connect", shell.NetTunnel, shell.ImpactMedium, "opens a tunnel to another machine"
	case len(r.Words) < 2 && c.In == nil && len(c.Redir) == 0:
		e.Label, e.Impact, e.Reason = shell.Unknown, shell.ImpactMedium, "opens a shell on another machine; what it will run is unknown"
	}
	return singleEffect(c, e)
}
