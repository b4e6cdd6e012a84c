package builtin

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/toolcall"
)

// judgeNamed judges a tool of a server by its name: what it destroys elsewhere no
// argument shows, and a file that it sends has left the machine.
func judgeNamed(ev *checkrein.Event, at Ground) []judged {
	t := ev.Tool
	if t == nil {
		return nil
	}
	if name := canonical(t); name != "" && !strings.HasPrefix(name, "mcp:") {
		return nil
	}
	place := shell.Place{Dir: at.Dir, Root: ev.Session.Root, Home: at.Home}
	if toolcall.Destroys(t) {
		e := shell.Effect{Label: shell.Destructive, Kind: "delete", Category: shell.DeleteByName, Rule: "tool", Radius: shell.RadiusMedium, Words: t.Name,
			Reason: "the tool says by its name that it takes away something as a whole"}
		r := shell.Report{Label: e.Label, Category: e.Row().Name, Radius: e.Radius, Reason: e.Reason, Effects: []shell.Effect{e}}
		return judgeReports(t.Name+" "+string(t.Input), []shell.Report{r}, &place)
	}
	if !toolcall.Sends(t) {
		return nil
	}
	words, shown := "", t.Name
	for _, p := range toolcall.Of(t, toolcall.Paths) {
		words += " -T " + toolcall.Quote(inHome(p.Text, &place))
		shown += " " + p.Text
	}
	if words == "" {
		return nil
	}
	r := classify.Command("curl"+words+" https://"+server(t.Name)+"/", place)
	r.Effects = keepSecrets(r.Effects)
	return judgeReports(shown, []shell.Report{r}, &place)
}

// keepSecrets drops what is no secret: to send other files is what such tools are
// for.
func keepSecrets(list []shell.Effect) []shell.Effect {
	out := list[:0:0]
	for _, e := range list {
		if e.Category == shell.ExfilSecret || e.Category == shell.SecretFileRead {
			out = append(out, e)
		}
	}
	return out
}

// server is the name of the server that a tool belongs to, as a host.
func server(name string) string {
	rest, ok := strings.CutPrefix(checkrein.CanonicalTool(name), "mcp:")
	if s, _, cut := strings.Cut(rest, "/"); ok && cut && s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789-_.") == "" {
		return strings.ToLower(s) + ".invalid"
	}
	return "elsewhere.invalid"
}
