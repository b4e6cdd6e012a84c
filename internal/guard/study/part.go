package study

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/secret/strict"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
)

// JudgePart judges one thing that a call runs, as what a shell would run.
func JudgePart(p *tools.Part, t *checkrein.Tool, place *shell.Place) []Judged {
	switch p.Role {
	case tools.Command, tools.Argv:
		lang := p.Lang
		if lang == "" {
			lang = t.Name
		}
		return judgeReports(p.Text, reports(p.Text, *place, lang), place)
	case tools.Code:
		return judgeCode(p, place)
	case tools.SQL:
		// Any client would do: the statements decide.
		return judgeReports(p.Text, []shell.Report{classify.Command("psql -c "+tools.Quote(p.Text), *place)}, place)
	case tools.Unread:
		return exceeds(t, place, "has more or deeper arguments than checkrein can check")
	}
	return nil
}

// exceeds is what is known of a call of which a part is not looked at.
func exceeds(t *checkrein.Tool, place *shell.Place, reason string) []Judged {
	return judgeReports(t.Name, []shell.Report{shell.NewReport([]shell.Effect{shell.Exceeds(t.Name, reason)}, 0)}, place)
}

func judgeReports(text string, list []shell.Report, place *shell.Place) []Judged {
	out := make([]Judged, len(list))
	for i := range list {
		out[i] = Judged{clipped(text), list[i], *place}
	}
	return out
}

// maxShown is how much of what was judged people are shown.
const maxShown = 1000

// clipped cuts what is shown between words, since half a secret would not be known for
// one; where the last word is long, it is masked first.
func clipped(s string) string {
	if len(s) <= maxShown {
		return s
	}
	if at := strings.LastIndexAny(s[:maxShown], " \t\n"); at > maxShown/2 {
		return strings.ToValidUTF8(s[:at], "") + " …"
	}
	s = strict.Redactor{}.Text(s[:min(len(s), 5*maxShown)])
	return strings.ToValidUTF8(s[:min(len(s), maxShown)], "") + " …"
}

// interpreters run code that is given as an argument.
var interpreters = [...]struct{ lang, command string }{
	{"python", "python3 -c "}, {"javascript", "node -e "}, {"applescript", "osascript -e "}, {"julia", "julia -e "}, {"lua", "lua -e "},
	{"perl", "perl -e "}, {"php", "php -r "}, {"r", "Rscript -e "}, {"ruby", "ruby -e "},
}

// judgeCode judges code in its language, and in the usual ones where the call does
// not say which it is.
func judgeCode(p *tools.Part, place *shell.Place) []Judged {
	var out []Judged
	for _, text := range CodeCommands(p) {
		out = append(out, judgeReports(p.Text, []shell.Report{classify.Command(text, *place)}, place)...)
	}
	if p.Lang == "python" || p.Lang == "" {
		if text := CellCommands(p.Text); text != "" {
			out = append(out, judgeReports(text, reports(text, *place, ""), place)...)
		}
	}
	return out
}

// CodeCommands are the commands that run code as its language does.
func CodeCommands(p *tools.Part) []string {
	var out []string
	for i, in := range interpreters {
		if in.lang == p.Lang || p.Lang == "" && i < 2 {
			out = append(out, in.command+tools.Quote(p.Text))
		}
	}
	return out
}

// CellCommands are the lines that notebooks hand to a shell: !cmd, %sx cmd, and all
// of a cell that begins with %%bash.
func CellCommands(code string) string {
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

// A sweep is the paths of a call as the words of one program, in batches.
type sweep struct {
	place *shell.Place
	out   []Judged
	shown string // the tool's name
	each  string // before every path

	words, said strings.Builder
	n, all      int
}

// What is swept of one call: batches are as long as effects list paths.
const (
	maxBatch = shell.MaxPaths
	maxSwept = 64 * maxBatch
)

// add takes in one path; false = there are too many.
func (s *sweep) add(command, path string) bool {
	if s.all++; s.all > maxSwept {
		return false
	}
	if s.n == maxBatch {
		s.flush(command)
	}
	s.n++
	s.words.WriteString(" " + s.each)
	s.words.WriteString(tools.Quote(inHome(path, s.place)))
	if s.said.Len() < maxShown {
		s.said.WriteByte(' ')
		s.said.WriteString(path)
	}
	return true
}

// flush judges the paths that are waiting.
func (s *sweep) flush(command string) {
	if s.n == 0 {
		return
	}
	s.out = append(s.out, Judged{clipped(s.shown + s.said.String()), classify.Command(command+s.words.String(), *s.place), *s.place})
	s.words.Reset()
	s.said.Reset()
	s.n = 0
}

// judgeDeleted judges what a call deletes, as rm would.
func judgeDeleted(parts []tools.Part, t *checkrein.Tool, place *shell.Place) []Judged {
	command := "rm --"
	if slices.ContainsFunc(parts, func(p tools.Part) bool { return p.Role == tools.DeletePath && p.Tree }) {
		command = "rm -rf --"
	}
	return swept(parts, tools.DeletePath, command, t, place)
}

// swept judges the paths of some role as the words of a command.
func swept(parts []tools.Part, role tools.Role, command string, t *checkrein.Tool, place *shell.Place) []Judged {
	s := sweep{place: place, shown: t.Name}
	for i := range parts {
		if parts[i].Role == role && !s.add(command, parts[i].Text) {
			return append(s.out, exceeds(t, place, "names more files than checkrein can check")...)
		}
	}
	s.flush(command)
	return s.out
}

// JudgeShown judges the files that a call shows, as cat would: a key is no more for
// a tool that reads files than for a shell.
func JudgeShown(ev *checkrein.Event, at Ground) []Judged {
	if ev.Tool == nil {
		return nil
	}
	switch name := Canonical(ev.Tool); {
	case name == "list", name == "glob", strings.HasPrefix(name, "mcp:") && listsOnly(ev.Tool.Name): // which show names
		return nil
	}
	parts := Parts(ev.Tool, tools.ReadPath|tools.Dir)
	if !slices.ContainsFunc(parts, func(p tools.Part) bool { return p.Role == tools.ReadPath }) {
		return nil
	}
	var out []Judged
	list, _ := Places(ev, at, parts)
	for i := range list {
		place := shell.Place{Dir: list[i].Dir, Root: list[i].Root, Home: list[i].Home, Real: ThroughLinks}
		out = append(out, swept(parts, tools.ReadPath, "cat --", ev.Tool, &place)...)
	}
	return out
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
