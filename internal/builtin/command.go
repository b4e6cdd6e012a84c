package builtin

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/rawjson"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/shell/foreign"
)

// A judged call is a shell call and what it does.
type judged struct {
	command string
	report  shell.Report
}

// judge says what the shell call of an event does; false for every other tool.
// Of several commands the worst counts: only the host knows which one runs.
func judge(ev *checkrein.Event, dir, home string) (judged, bool) {
	return judgeWith(ev, dir, home, nil)
}

// judgeWith is judge with packs of the person's own.
func judgeWith(ev *checkrein.Event, dir, home string, own []*shell.RuleSet) (judged, bool) {
	all, ok := judgeAll(ev, dir, home, own)
	var out judged
	for i := range all {
		if i == 0 || worse(&all[i].report, &out.report) {
			out = all[i]
		}
	}
	return out, ok
}

// judgeAll says it of each command that the call names.
func judgeAll(ev *checkrein.Event, dir, home string, own []*shell.RuleSet) ([]judged, bool) {
	t := ev.Tool
	if t == nil || canonical(t) != "shell" {
		return nil, false
	}
	place := placeOf(ev, dir, home)
	place.Packs = own
	known := *t
	known.Canonical = "shell"
	var out []judged
	for _, command := range known.Commands() {
		out = append(out, judged{command, reportOf(command, place, t.Name)})
	}
	return out, true
}

// canonical is the tool's name in our words, whether or not someone has filled
// it in.
func canonical(t *checkrein.Tool) string {
	if t.Canonical != "" {
		return t.Canonical
	}
	return checkrein.CanonicalTool(t.Name)
}

// placeOf is where the call would run.
func placeOf(ev *checkrein.Event, dir, home string) shell.Place {
	p := shell.Place{Dir: dir, Root: ev.Session.Root, Home: home}
	for _, name := range [...]string{"cwd", "workdir", "working_directory", "directory"} {
		if s := rawjson.GetText(ev.Tool.Input, name); s != "" {
			if !filepath.IsAbs(s) {
				s = filepath.Join(p.Dir, s)
			}
			p.Dir = s
			break
		}
	}
	return p
}

// reportOf classifies a command in the language of its tool. Where the tool does
// not say, a text that looks foreign is judged both ways, and the worse one counts.
func reportOf(command string, p shell.Place, tool string) shell.Report {
	all := reports(command, p, tool)
	if len(all) > 1 && worse(&all[1], &all[0]) {
		return all[1]
	}
	return all[0]
}

// reports classifies a command in every language that it may be of.
func reports(command string, p shell.Place, tool string) []shell.Report {
	name := strings.ToLower(tool)
	if strings.Contains(name, "powershell") || strings.Contains(name, "pwsh") {
		p.Dialect = shell.PowerShell
		return []shell.Report{classify.Command(command, p)}
	}
	out := []shell.Report{classify.Command(command, p)}
	if d := foreign.Looks(command); d != shell.Bash {
		p.Dialect = d
		out = append(out, classify.Command(command, p))
	}
	return out
}

func worse(a, b *shell.Report) bool { return shell.Worse(a.Label, a.Radius, b.Label, b.Radius) }

// metadata is what confirmation prompts show of an effect.
func metadata(radius, category, reason string) map[string]string {
	m := map[string]string{"blast_radius": radius}
	if category != "" {
		m["category"] = category
	}
	if reason != "" {
		m["reason"] = reason
	}
	return m
}

// blocked is a reason of which hosts make a sentence and a command.
func blocked(why, command string) string { return "Blocked (" + why + "): " + command }

// EffectKey names what a tool call does, so that another way to do the same has
// the same key; "" = it does nothing that could be told apart.
func EffectKey(ev *checkrein.Event, dir, home string) string {
	if ev.Tool == nil {
		return ""
	}
	j, ok := judge(ev, dir, home)
	if !ok {
		paths := ev.Tool.Paths()
		slices.Sort(paths)
		return canonical(ev.Tool) + "\x00" + ev.Tool.Name + "\x00" + strings.Join(paths, "\x00")
	}
	var parts []string
	for i := range j.report.Effects {
		e := &j.report.Effects[i]
		if e.Label != j.report.Label {
			continue
		}
		part := e.Row().Name + "\x01" + strings.Join(slices.Sorted(slices.Values(e.Paths)), "\x01") + "\x01" + strings.Join(slices.Sorted(slices.Values(e.Hosts)), "\x01")
		if len(e.Paths)+len(e.Hosts) == 0 {
			part += strings.Join(strings.Fields(e.Words), " ")
		}
		parts = append(parts, part)
	}
	slices.Sort(parts)
	return "shell\x00" + strings.Join(slices.Compact(parts), "\x00")
}
