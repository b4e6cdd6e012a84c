package builtin

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
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
		return judgeReports(t.Name+" "+string(t.Input[:min(len(t.Input), maxShown+1)]), []shell.Report{reportOf(e)}, &place)
	}
	if !toolcall.Sends(t) {
		return nil
	}
	s := sweep{place: &place, shown: t.Name, each: "-T "}
	command := "curl https://" + server(t.Name) + "/"
	more := false
	for _, p := range toolcall.Of(t, toolcall.Paths) {
		if !s.add(command, p.Text) {
			more = true
			break
		}
	}
	s.flush(command)
	for i := range s.out {
		s.out[i].report.Effects = keepSecrets(s.out[i].report.Effects)
	}
	if more {
		s.out = append(s.out, exceeds(t, &place, "names more files than are looked at")...)
	}
	return s.out
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
