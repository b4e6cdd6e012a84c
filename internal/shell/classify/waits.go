package classify

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// waitEffects returns the effect of c if it starts a shell or an interpreter that waits for commands,
// which are unknown here.
func waitEffects(c *shell.Call) []shell.Effect {
	if c.Remote != "" || !isIdle(c) || hasInput(c) {
		return nil
	}
	return []shell.Effect{{Label: shell.Unknown, Kind: "run", Category: shell.Unread, Rule: shell.RuleWaits, Impact: shell.ImpactUnknown, Words: callText(c),
		Reason: "waits for commands; what it will run is unknown"}}
}

// idleOptions holds the options of a shell or an interpreter that determine whether it waits for
// commands.
type idleOptions struct {
	values  string // options that take a value
	code    string // letters of options whose value is code
	prompts string // options that make it prompt in any case
}

// idleOptionsOf returns the options of the program name. It reports false if the program never waits
// for commands, or only without arguments.
func idleOptionsOf(name string) (idleOptions, bool) {
	switch facts.LanguageOf(name) {
	case facts.Sh, facts.Bash, facts.Zsh, facts.Ksh, facts.Fish, facts.Csh:
		return idleOptions{"-o -O +o +O --rcfile --init-file", "c", ""}, true
	case facts.Python:
		return idleOptions{"-W -X", "cm", "-i"}, true
	case facts.Node, facts.Bun, facts.Deno:
		return idleOptions{"-r --require --import", "ep", "-i --interactive"}, true
	case facts.Ruby, facts.Perl: // their -i edits files in place
		return idleOptions{"-r -I -M", "eE", "--interactive"}, true
	case facts.PHP:
		return idleOptions{"", "rf", "-a --interactive"}, true
	case facts.PowerShell:
		return idleOptions{"", "csS", ""}, true
	case facts.Awk, facts.Cmd, facts.OddShell:
		return idleOptions{}, false
	case facts.NoLanguage:
		isEditor := program.Is(name, program.IsVi) || program.FilesOf(name) == program.FilesEmacs
		return idleOptions{"", "csS", ""}, isEditor
	}
	return idleOptions{"-r -I -M", "eE", "-i"}, true
}

// isIdle reports whether c has neither code nor a script to run, so that it waits for commands.
func isIdle(c *shell.Call) bool {
	o, ok := idleOptionsOf(c.Name)
	if !ok {
		return len(c.Args) == 0 && (facts.LanguageOf(c.Name) == facts.OddShell || program.Is(c.Name, program.IsMultiplexer))
	}
	for i := 0; i < len(c.Args); i++ {
		switch t := c.Args[i].Text; {
		case facts.InList(o.prompts, t):
			return true
		case facts.InList(o.values, t):
			i++
		case t == "" || facts.InList("- -s", t):
		case t[0] != '-' && t[0] != '+', facts.InList("--version --help -V -h", t), t == "-v" && o.prompts != "":
			return false
		case strings.HasPrefix(t, "--"):
			if o.code != "c" || strings.Contains(t, "command") { // long options of other programs may end them
				return false
			}
		case t[0] == '-' && strings.ContainsAny(t[1:], o.code):
			return false
		}
	}
	return true
}

// hasInput reports whether the input of c comes from something other than a terminal.
func hasInput(c *shell.Call) bool {
	for i := range c.Redir {
		if r := &c.Redir[i]; strings.HasPrefix(r.Op, "<") && r.Target.Text != "/dev/tty" && r.Target.Text != "/dev/stdin" {
			return true
		}
	}
	return c.In != nil
}
