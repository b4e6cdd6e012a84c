package classify

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// waits is the effect of a shell or an interpreter that is given nothing to run:
// it does what it is told later, which nobody sees here.
func waits(c *shell.Call) []shell.Effect {
	if c.Remote != "" || !idles(c) || fed(c) {
		return nil
	}
	return []shell.Effect{{Label: shell.Unknown, Kind: "run", Category: shell.Unread, Rule: shell.RuleWaits, Impact: shell.ImpactUnknown, Words: words(c),
		Reason: "waits for commands; what it will run is unknown"}}
}

// idleWords are the options of a shell or an interpreter that tell whether it waits.
type idleWords struct {
	values string // options with a value
	code   string // letters of options with code
	starts string // options to ask for a prompt
}

// idleWordsOf are the words of a program that waits if they say so.
func idleWordsOf(name string) (idleWords, bool) {
	switch facts.LanguageOf(name) {
	case facts.Sh, facts.Bash, facts.Zsh, facts.Ksh, facts.Fish, facts.Csh:
		return idleWords{"-o -O +o +O --rcfile --init-file", "c", ""}, true
	case facts.Python:
		return idleWords{"-W -X", "cm", "-i"}, true
	case facts.Node, facts.Bun, facts.Deno:
		return idleWords{"-r --require --import", "ep", "-i --interactive"}, true
	case facts.Ruby, facts.Perl: // their -i changes files in place
		return idleWords{"-r -I -M", "eE", "--interactive"}, true
	case facts.PHP:
		return idleWords{"", "rf", "-a --interactive"}, true
	case facts.PowerShell:
		return idleWords{"", "csS", ""}, true
	case facts.Awk, facts.Cmd, facts.OddShell:
		return idleWords{}, false
	case facts.NoLanguage:
		isEditor := program.Is(name, program.IsVi) || program.FilesOf(name) == program.FilesEmacs
		return idleWords{"", "csS", ""}, isEditor
	}
	return idleWords{"-r -I -M", "eE", "-i"}, true
}

// idles reports whether a call names neither code nor a script.
func idles(c *shell.Call) bool {
	o, ok := idleWordsOf(c.Name)
	if !ok {
		return len(c.Args) == 0 && (facts.LanguageOf(c.Name) == facts.OddShell || program.Is(c.Name, program.IsMultiplexer))
	}
	for i := 0; i < len(c.Args); i++ {
		switch t := c.Args[i].Text; {
		case facts.InList(o.starts, t):
			return true
		case facts.InList(o.values, t):
			i++
		case t == "" || facts.InList("- -s", t):
		case t[0] != '-' && t[0] != '+', facts.InList("--version --help -V -h", t), t == "-v" && o.starts != "":
			return false
		case strings.HasPrefix(t, "--"):
			if o.code != "c" || strings.Contains(t, "command") { // only shells do nothing else for them
				return false
			}
		case t[0] == '-' && strings.ContainsAny(t[1:], o.code):
			return false
		}
	}
	return true
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
