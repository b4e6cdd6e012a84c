package windows

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// CallEffects returns the effects of c, a call in another shell's command, if its program belongs to
// Windows: PowerShell, cmd.exe, cmdlets, and Windows' own tools. Like [Effects], it also returns
// nested commands. It reports false for any other program.
func CallEffects(c *shell.Call, p *shell.Place) (effects []shell.Effect, nested []string, ok bool) {
	if !isWindowsCall(c) {
		return nil, nil, false
	}
	place := *p
	place.Dialect = shell.PowerShell
	r := &evaluator{place: place, dir: c.Dir, budget: 1 << 18}
	source := c.Path
	for i := range c.Args {
		if len(source) < 400 {
			source += " " + c.Args[i].Text
		}
	}
	in := flow{}
	if c.In != nil {
		in = unknownFlow()
		if c.In.Complete {
			in = literalFlow(c.In.Text)
		}
		for _, f := range c.In.From {
			in.fromNet = in.fromNet || f.Name == "curl" || f.Name == "wget"
		}
	}
	for i := range c.Redir {
		if d := &c.Redir[i]; strings.HasPrefix(d.Op, "<<") {
			in = literalFlow(d.Target.Text)
		}
	}
	switch name := resolveAlias(c.Name); {
	case isVerbNoun(name) && strings.Contains(c.Name, "-"):
		cmd := command{source: source, words: []word{{flow: literalFlow(c.Name), bare: true}}}
		for i := range c.Args {
			a := &c.Args[i]
			cmd.words = append(cmd.words, word{flow: literalFlow(a.Text), raw: a.Text, bare: !a.Quoted})
		}
		r.evalCommand(&cmd, in, c.In != nil)
	case (c.Name == "powershell" || c.Name == "pwsh") && in.fromNet:
		r.addRemoteCode(source)
	default:
		args := make([]string, len(c.Args))
		for i := range c.Args {
			args[i] = c.Args[i].Text
		}
		r.evalProgram(c.Path, args, in, source)
	}
	r.finish()
	return r.effects, r.nested, true
}

// isWindowsCall reports whether the program of c belongs to Windows.
func isWindowsCall(c *shell.Call) bool {
	if facts.InList(windowsOnly, c.Name) {
		return true
	}
	switch c.Name {
	case "net", "sc":
		return len(c.Args) > 0 && facts.InList("user stop start use share localgroup delete config query", lower(c.Args[0].Text))
	case "wsl":
		return len(c.Args) > 0 && facts.InList("--list -l --status --version --help --unregister --shutdown --terminate -t --set-default", c.Args[0].Text)
	case "format":
		return len(c.Args) > 0 && len(c.Args[0].Text) == 2 && c.Args[0].Text[1] == ':'
	}
	return strings.Contains(c.Name, "-") && (isKnownCmdlet(c.Name) || isVerbNoun(c.Name) && c.Path != "" && c.Path[0] >= 'A' && c.Path[0] <= 'Z')
}
