package classify

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/fact"
)

// waits is the effect of a shell or an interpreter that is given nothing to run:
// it does what it is told later, which nobody sees here.
func waits(c *shell.Call) []shell.Effect {
	if c.Remote != "" || !idles(c) || fed(c) {
		return nil
	}
	return []shell.Effect{{Label: shell.Unknown, Kind: "run", Category: shell.Unread, Rule: shell.RuleWaits, Radius: shell.RadiusUnknown, Words: words(c),
		Reason: "waits for what it is told to do later"}}
}

// idles reports whether a call names neither code nor a script.
func idles(c *shell.Call) bool {
	values, code, starts := "", "", ""
	switch tongue := fact.TongueOf(c.Name); tongue {
	case fact.Sh, fact.Bash, fact.Zsh, fact.Ksh, fact.Fish, fact.Csh:
		values, code = "-o -O +o +O --rcfile --init-file", "c"
	case fact.Python:
		values, code, starts = "-W -X", "cm", "-i"
	case fact.Node, fact.Bun, fact.Deno:
		values, code, starts = "-r --require --import", "ep", "-i --interactive"
	case fact.Ruby, fact.Perl: // their -i changes files in place
		values, code, starts = "-r -I -M", "eE", "--interactive"
	case fact.PHP:
		code, starts = "rf", "-a --interactive"
	case fact.PowerShell:
		code = "csS"
	case fact.Awk, fact.Cmd:
		return false
	case fact.OddShell, fact.NoTongue:
		switch c.Name {
		case "vi", "vim", "nvim", "emacs", "ed", "ex":
			code = "csS"
		case "ghci":
			values, code, starts = "-r -I -M", "eE", "-i"
		default:
			return len(c.Args) == 0 && (tongue == fact.OddShell || c.Name == "screen" || c.Name == "tmux")
		}
	default:
		values, code, starts = "-r -I -M", "eE", "-i"
	}
	for i := 0; i < len(c.Args); i++ {
		t := c.Args[i].Text
		switch {
		case listed(starts, t):
			return true
		case listed(values, t):
			i++
		case t == "-" || t == "-s" || t == "":
		case t == "--version" || t == "--help" || t == "-V" || t == "-h" || t == "-v" && starts != "":
			return false
		case t[0] != '-' && t[0] != '+':
			return false
		case strings.HasPrefix(t, "--"):
			if code != "c" || strings.Contains(t, "command") { // only shells do nothing else for them
				return false
			}
		case t[0] == '-' && strings.ContainsAny(t[1:], code):
			return false
		}
	}
	return true
}

func listed(list, word string) bool {
	return word != "" && strings.Contains(" "+list+" ", " "+word+" ")
}

// fed reports whether a call's input comes from somewhere else than whoever types.
func fed(c *shell.Call) bool {
	for i := range c.Redir {
		if r := &c.Redir[i]; strings.HasPrefix(r.Op, "<") && r.Target.Text != "/dev/tty" && r.Target.Text != "/dev/stdin" {
			return true
		}
	}
	return c.In != nil
}
