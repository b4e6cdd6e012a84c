package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// oneWord knows programs that only read unless a further word is given.
func oneWord(c *shell.Call) ([]shell.Effect, bool) {
	e := shell.Effect{Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Rule: c.Name, Reason: "reads information about the machine"}
	sets, writes := false, false
	switch c.Name {
	case "date":
		sets = setsClock(c.Args)
	case "hostname":
		sets = setsName(c.Args)
	case "uniq":
		e.Category, e.Reason, writes = shell.TextRead, "prints reformatted text", twoFiles(c.Args, "fsw")
	case "xxd":
		e.Category, e.Reason, writes = shell.TextRead, "prints reformatted text", twoFiles(c.Args, "cglsno")
	}
	switch {
	case writes:
		e.Label, e.Kind, e.Category, e.Radius, e.Reason = shell.Unknown, "overwrite", shell.FSOverwrite, shell.RadiusMedium, "overwrites its second file argument with its output"
	case sets:
		e.Label, e.Kind, e.Category, e.Radius, e.Reason = shell.Unknown, "modify", shell.Kernel, shell.RadiusMedium, "changes the machine's clock or host name"
	}
	return one(c, e)
}

// setsClock reports whether date is given a time to set.
func setsClock(args []shell.Word) bool {
	words, sets := 0, false
	for i := 0; i < len(args); i++ {
		switch t := args[i].Text; t {
		case "-d", "--date", "-r", "--reference", "-f", "--file", "-v":
			i++
		case "-j":
			words -= 2 // the next two are a format and a time, nothing is set
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

// setsName reports whether hostname is given a name.
func setsName(args []shell.Word) bool {
	for i := range args {
		t := args[i].Text
		if len(t) < 2 || t[0] != '-' || t == "-F" || t == "-b" || strings.HasPrefix(t, "--f") && t != "--fqdn" {
			return true
		}
	}
	return false
}

// twoFiles reports whether a filter is given a file to write behind the one to
// read. valued are the letters of its flags that take a value.
func twoFiles(args []shell.Word, valued string) bool {
	words := 0
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case len(t) < 2 || t[0] != '-':
			words++
		case len(t) == 2 && strings.Contains(valued, t[1:]):
			i++
		}
	}
	return words > 1
}

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
