package study

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/guard/edit"
	"github.com/checkrein/checkrein/internal/shell"
)

// PlantedCommands returns the commands that agents will run because the call t writes them into their settings, and
// that the settings do not have yet. parts are the arguments of t.
func PlantedCommands(t *checkrein.Tool, parts []tools.Part, place *shell.Place) (out []tools.Part) {
	for i := range parts {
		p := &parts[i]
		if p.Role != tools.WritePath || hostfiles.FindCommandFile(p.Text) == nil {
			continue
		}
		texts, _ := edit.Results(t, p.Text, func(path string) ([]byte, bool) { return ReadBounded(AbsFromRoot(path, place)) })
		for _, text := range texts {
			out = addPlanted(out, AbsFromRoot(p.Text, place), text, place)
		}
	}
	return out
}

// addPlanted appends to list the commands in text, the new contents of the settings file at path, that the file does
// not have yet.
func addPlanted(list []tools.Part, path string, text []byte, place *shell.Place) []tools.Part {
	f := hostfiles.FindCommandFile(path)
	if f == nil || text == nil {
		return list
	}
	root := place.Root
	if root == "" {
		root = place.Dir
	}
	commands, _ := f.Commands(text, root)
	var old []string
	if before, ok := ReadBounded(path); ok && before != nil && len(commands) > 0 {
		old, _ = f.Commands(before, root)
	}
	for _, command := range commands {
		_, ours := hostfiles.OwnProgram(command, f.Host)
		if !ours && !slices.Contains(old, command) && len(list) < maxPlanted {
			list = append(list, tools.Part{Role: tools.Command, Text: command})
		}
	}
	return list
}

// maxPlanted limits how many commands of settings are judged for one call.
const maxPlanted = 32

// judgePlanted judges commands that agents will run because of their settings. Unlike a command that the call itself
// runs, an unknown program among them is a reason to ask, since no later call shows what it does.
func judgePlanted(commands []tools.Part, t *checkrein.Tool, place *shell.Place, at *CallEnv) (out []PartReport) {
	for i := range commands {
		s := newStudy(&commands[i], t, place, at)
		for _, r := range s.all {
			var effects []shell.Effect
			for _, e := range r.Report.Effects {
				if e.Label != shell.Safe {
					e.Reason += ", in a command that agents run by themselves"
				}
				if effects = append(effects, e); e.Gap() == shell.GapProgram && !isProjectProgram(&e, place) {
					effects = append(effects, shell.OpaqueEffect(e.Words, e.Reason))
				}
			}
			r.Report = shell.NewReport(effects, r.Report.Gaps)
			out = append(out, r)
		}
	}
	return out
}

// isProjectProgram reports whether the program of e is a file of the project.
func isProjectProgram(e *shell.Effect, place *shell.Place) bool {
	name, _, _ := strings.Cut(e.Words, " ")
	return strings.Contains(name, "/") && InDir(AbsFromDir(name, place), RealPath(place.Root, true))
}

// HarmInSettings returns what a command in the settings file at path would do if it certainly loses much or sends data
// away, or "" if there is no such command.
func HarmInSettings(path string, place shell.Place) string {
	text, ok := ReadBounded(path)
	f := hostfiles.FindCommandFile(path)
	if !ok || f == nil {
		return ""
	}
	place.Kind, place.List = pathKind, listDir
	commands, _ := f.Commands(text, place.Root)
	for _, command := range commands[:min(len(commands), maxPlanted)] {
		for _, r := range JudgePart(&tools.Part{Role: tools.Command, Text: command}, &checkrein.Tool{}, &place) {
			for i := range r.Report.Effects {
				e := &r.Report.Effects[i]
				if e.Label == shell.Exfiltration || e.Label == shell.Destructive && e.Impact == shell.ImpactHigh {
					return e.Reason
				}
			}
		}
	}
	return ""
}
