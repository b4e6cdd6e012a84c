package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// carrier knows programs that run what their words say as somebody or somewhere
// else. What they run is a call of its own, so that only an open shell is left to
// be judged.
func carrier(c *shell.Call) ([]shell.Effect, bool) {
	r := readingOf(c)
	e := shell.Effect{Label: shell.Safe, Kind: "run", Category: shell.Run, Rule: "carrier", Reason: "runs another command, which is checked separately"}
	isSudo := false
	switch c.Name {
	case "ssh", "autossh", "mosh":
		return remoteShell(c, &r)
	case "xargs", "gxargs", "parallel", "sem", "watch":
		return one(c, e)
	case "sudo", "doas", "pkexec", "run0", "sudo-rs", "gsudo":
		isSudo = true
	case "su", "runuser":
		for i := range c.Args {
			if t := c.Args[i].Text; t == "-c" || strings.HasPrefix(t, "--command") || strings.HasPrefix(t, "-") && strings.HasSuffix(t, "c") {
				return one(c, e)
			}
		}
	}
	if isSudo && (r.own("-l -v -k -K -V --list --validate --reset-timestamp --remove-timestamp") && len(r.Words) == 0) {
		e.Kind, e.Category, e.Reason = "read", shell.ProcRead, "shows sudo permissions, or renews or clears cached credentials"
		return one(c, e)
	}
	if isSudo && (!opensShell(c.Args) || c.In != nil) { // what is piped into it is judged by itself
		return one(c, e)
	}
	if isSudo || c.Name == "su" || c.Name == "runuser" {
		e.Label, e.Category, e.Radius, e.Reason = shell.Unknown, shell.Privilege, shell.RadiusHigh, "opens a shell with different privileges; what it will run is unknown"
		return one(c, e)
	}
	if len(r.Words) > 1 && listed("exec shell ssh enter run", r.Words[0].Text) {
		return one(c, e)
	}
	return nil, false
}

// opensShell reports whether sudo's words open a shell and give it nothing to run.
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
		if name := t[strings.LastIndexByte(t, '/')+1:]; name != "su" && !facts.AnyShell(name) {
			return false
		}
		return len(args) == i+1 || onlyFlags(args[i+1:])
	}
	return true
}

// onlyFlags reports whether words are flags without a text, or a user: - root.
func onlyFlags(args []shell.Word) bool {
	for i := range args {
		t := args[i].Text
		if strings.HasPrefix(t, "-") && strings.Contains(t, "c") || !strings.HasPrefix(t, "-") && t != "root" {
			return false
		}
	}
	return true
}

// remoteShell knows ssh. A command for the other machine is judged by itself.
func remoteShell(c *shell.Call, r *reading) ([]shell.Effect, bool) {
	e := shell.Effect{Label: shell.Safe, Kind: "run", Category: shell.Run, Rule: "ssh", Reason: "runs a command on another machine; that command is checked separately"}
	if len(r.Words) > 0 {
		e.Hosts = []string{r.Words[0].Text[strings.LastIndexByte(r.Words[0].Text, '@')+1:]}
	}
	switch {
	case r.own("-V -G -Q -T -O"):
		e.Kind, e.Category, e.Reason = "read", shell.NetRead, "shows connection settings or state"
		if len(r.Words) < 2 {
			return one(c, e)
		}
		e.Kind, e.Category = "run", shell.Run
	case r.own("-L -R -D -W -w"):
		e.Label, e.Kind, e.Category, e.Radius, e.Reason = shell.Unknown, "connect", shell.NetTunnel, shell.RadiusMedium, "opens a tunnel to another machine"
	case len(r.Words) < 2 && c.In == nil && len(c.Redir) == 0:
		e.Label, e.Radius, e.Reason = shell.Unknown, shell.RadiusMedium, "opens a shell on another machine; what it will run is unknown"
	}
	return one(c, e)
}
