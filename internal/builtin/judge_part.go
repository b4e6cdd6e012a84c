package builtin

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/toolcall"
)

// judgePart judges one thing that a call runs, as what a shell would run.
func judgePart(p *toolcall.Part, t *checkrein.Tool, place *shell.Place) []judged {
	switch p.Role {
	case toolcall.Command, toolcall.Argv:
		lang := p.Lang
		if lang == "" {
			lang = t.Name
		}
		return judgeReports(p.Text, reports(p.Text, *place, lang), place)
	case toolcall.Code:
		return judgeCode(p, place)
	case toolcall.SQL:
		// Any client would do: the statements decide.
		return judgeReports(p.Text, []shell.Report{classify.Command("psql -c "+toolcall.Quote(p.Text), *place)}, place)
	case toolcall.Unread:
		e := shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.Run, Rule: shell.RuleTooMuch, Radius: shell.RadiusUnknown, Words: t.Name, Reason: "has more arguments, or deeper ones, than are read"}
		r := shell.Report{Label: e.Label, Category: e.Row().Name, Radius: e.Radius, Reason: e.Reason, Effects: []shell.Effect{e}}
		return judgeReports(t.Name, []shell.Report{r}, place)
	}
	return nil
}

func judgeReports(text string, list []shell.Report, place *shell.Place) []judged {
	out := make([]judged, len(list))
	for i := range list {
		out[i] = judged{clipped(text), list[i], *place}
	}
	return out
}

// maxShown is how much of what was judged people are shown.
const maxShown = 1000

func clipped(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown], "") + " …"
}

// interpreters run code that is given as an argument.
var interpreters = [...]struct{ lang, command string }{
	{"python", "python3 -c "}, {"javascript", "node -e "}, {"applescript", "osascript -e "}, {"julia", "julia -e "}, {"lua", "lua -e "},
	{"perl", "perl -e "}, {"php", "php -r "}, {"r", "Rscript -e "}, {"ruby", "ruby -e "},
}

// judgeCode judges code in its language, and in the usual ones where the call does
// not say which it is.
func judgeCode(p *toolcall.Part, place *shell.Place) []judged {
	var out []judged
	for i, in := range interpreters {
		if in.lang == p.Lang || p.Lang == "" && i < 2 {
			out = append(out, judgeReports(p.Text, []shell.Report{classify.Command(in.command+toolcall.Quote(p.Text), *place)}, place)...)
		}
	}
	if p.Lang == "python" || p.Lang == "" {
		if text := cellCommands(p.Text); text != "" {
			out = append(out, judgeReports(text, reports(text, *place, ""), place)...)
		}
	}
	return out
}

// cellCommands are the lines that notebooks hand to a shell: !cmd, %sx cmd, and all
// of a cell that begins with %%bash.
func cellCommands(code string) string {
	if !strings.ContainsAny(code, "!%") {
		return ""
	}
	var b strings.Builder
	whole := false
	for line := range strings.Lines(code) {
		text := strings.TrimSpace(line)
		switch {
		case whole:
			b.WriteString(line)
			continue
		case b.Len() == 0 && (strings.HasPrefix(text, "%%bash") || strings.HasPrefix(text, "%%sh") || strings.HasPrefix(text, "%%script")):
			whole = true
			continue
		}
		if _, rest, ok := strings.Cut(text, "="); ok && !strings.HasPrefix(text, "!") && strings.HasPrefix(strings.TrimSpace(rest), "!") {
			text = strings.TrimSpace(rest) // names = !ls
		}
		for _, mark := range [...]string{"!", "%sx ", "%system ", "%sc "} {
			if rest, ok := strings.CutPrefix(text, mark); ok {
				b.WriteString(strings.TrimLeft(rest, "!"))
				b.WriteByte('\n')
				break
			}
		}
	}
	return b.String()
}

// judgeDeleted judges all that a call deletes at once, as rm would.
func judgeDeleted(parts []toolcall.Part, t *checkrein.Tool, place *shell.Place) (judged, bool) {
	flags, words, shown := "", "", t.Name
	for i := range parts {
		p := &parts[i]
		if p.Role != toolcall.DeletePath {
			continue
		}
		if p.Tree {
			flags = " -rf"
		}
		words += " " + toolcall.Quote(inHome(p.Text, place))
		shown += " " + p.Text
	}
	if words == "" {
		return judged{}, false
	}
	return judged{shown, classify.Command("rm"+flags+" --"+words, *place), *place}, true
}

// judgeShown judges the files that a call shows, as cat would: a key is no more for
// a tool that reads files than for a shell.
func judgeShown(ev *checkrein.Event, at Ground) (judged, bool) {
	if ev.Tool == nil {
		return judged{}, false
	}
	switch name := canonical(ev.Tool); {
	case name == "list", name == "glob", strings.HasPrefix(name, "mcp:") && listsOnly(ev.Tool.Name): // which show names
		return judged{}, false
	}
	parts := toolcall.Of(ev.Tool, toolcall.ReadPath)
	if len(parts) == 0 {
		return judged{}, false
	}
	place := shell.Place{Dir: at.Dir, Root: ev.Session.Root, Home: at.Home}
	words, shown := "", ev.Tool.Name
	for i := range min(len(parts), shell.MaxPaths) {
		words += " " + toolcall.Quote(inHome(parts[i].Text, &place))
		shown += " " + parts[i].Text
	}
	return judged{clipped(shown), classify.Command("cat --"+words, place), place}, true
}

// listsOnly reports whether a tool says by its name that it lists files, or tells
// about them, and shows nothing of what is in them.
func listsOnly(name string) bool {
	name = strings.ToLower(name[strings.LastIndex(name, "__")+1:])
	for _, word := range [...]string{"list", "tree", "file_info", "stat", "exists"} {
		if strings.Contains(name, word) {
			return !strings.Contains(name, "read")
		}
	}
	return false
}

// inHome reads the ~ of a path, which shells do not where it is quoted.
func inHome(path string, place *shell.Place) string {
	if place.Home != "" && (path == "~" || strings.HasPrefix(path, "~/")) {
		return place.Home + path[1:]
	}
	return path
}
