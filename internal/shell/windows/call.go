package windows

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// Call names what a call in another shell's text does when its program belongs to
// Windows: PowerShell and cmd.exe with what they are given, cmdlets, and Windows'
// own tools. Not known means that the program is none of these.
func Call(c *shell.Call, p *shell.Place) (effects []shell.Effect, nested []string, ok bool) {
	if !ours(c) {
		return nil, nil, false
	}
	place := *p
	place.Dialect = shell.PowerShell
	r := &reader{place: place, dir: c.Dir, budget: 1 << 18}
	source := c.Path
	for i := range c.Args {
		if len(source) < 400 {
			source += " " + c.Args[i].Text
		}
	}
	in := flow{}
	if c.In != nil {
		in = unsure()
		if c.In.Complete {
			in = literal(c.In.Text)
		}
		for _, f := range c.In.From {
			in.net = in.net || f.Name == "curl" || f.Name == "wget"
		}
	}
	for i := range c.Redir {
		if d := &c.Redir[i]; strings.HasPrefix(d.Op, "<<") {
			in = literal(d.Target.Text)
		}
	}
	switch name := aliasOf(c.Name); {
	case verbNoun(name) && strings.Contains(c.Name, "-"):
		cmd := command{source: source, words: []word{{flow: literal(c.Name), bare: true}}}
		for i := range c.Args {
			a := &c.Args[i]
			cmd.words = append(cmd.words, word{flow: literal(a.Text), raw: a.Text, bare: !a.Quoted})
		}
		r.psRun(&cmd, in, c.In != nil)
	case (c.Name == "powershell" || c.Name == "pwsh") && in.net:
		r.remoteCode(source)
	default:
		args := make([]string, len(c.Args))
		for i := range c.Args {
			args[i] = c.Args[i].Text
		}
		r.program(c.Path, args, in, source)
	}
	r.finish()
	return r.effects, r.nested, true
}

// ours reports whether a call's program belongs to Windows.
func ours(c *shell.Call) bool {
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
	return strings.Contains(c.Name, "-") && (known(c.Name) || verbNoun(c.Name) && c.Path != "" && c.Path[0] >= 'A' && c.Path[0] <= 'Z')
}
