package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// walkImpliedRemovals walks the removals that call implies: those of directories that its program
// clears and that its arguments, variables or settings name.
func (w options) walkImpliedRemovals(c *command, call *shell.Call) {
	rows := argv.ClearRulesOf(call.Name)
	for i := range rows {
		w.walkClearRule(c, call, &rows[i])
		if rows[i].Set != "" {
			w.recordClearSetting(call, &rows[i])
		}
	}
	if program.RunsOf(call.Name) == program.RunsMake {
		w.walkMakeClean(c, call)
	}
}

// walkClearRule walks the removals of call according to the rule row.
func (w options) walkClearRule(c *command, call *shell.Call, row *argv.ClearRule) {
	behind, ok := row.Match(call.Args)
	if !ok {
		return
	}
	for i := range call.Env {
		if v := &call.Env[i]; facts.InList(row.Vars, v.Name) {
			dir := v.Value
			if row.Below != "" {
				dir.Text = strings.TrimSuffix(dir.Text, "/") + "/" + row.Below
			}
			w.walkRemoval(c, dir, row.Outer)
		}
	}
	given := false
	argv.EachSimpleOptionValue(call.Args, row.Opts, func(dir shell.Word) {
		given = true
		w.walkRemoval(c, dir, row.Outer)
	})
	if row.Defs != "" {
		for i := range call.Args {
			if dir, ok := argv.DefinitionValue(call.Args[i], row.Defs); ok {
				w.walkRemoval(c, dir, row.Outer)
			}
		}
	}
	if row.Set != "" && !given {
		if s := w.lookupSetting(row.Program, row.Set); s != nil {
			w.walkRemoval(c, s.value, row.Outer)
		}
	}
	if row.Word {
		for _, a := range call.Args[behind:] {
			if a.Text != "" && a.Text[0] != '-' {
				w.walkRemoval(c, a, false)
				break
			}
		}
	}
}

// recordClearSetting records the setting of row if call changes it, as in go env -w X=dir, npm config
// set x dir, or ccache --set-config x=dir.
func (w options) recordClearSetting(call *shell.Call, row *argv.ClearRule) {
	if !argv.HasWord(call.Args, "-w") && !argv.HasWord(call.Args, "set") && !argv.HasWord(call.Args, "--set-config") {
		return
	}
	for i, a := range call.Args {
		name, val, given := strings.Cut(a.Text, "=")
		switch {
		case name != row.Set && name != "--set-config="+row.Set:
		case given:
			w.addSetting(row.Program, row.Set, shell.Word{Text: val, From: a.From})
		case i+1 < len(call.Args):
			w.addSetting(row.Program, row.Set, call.Args[i+1])
		}
	}
}

// walkMakeClean walks the removal of output directories by make clean, if variables name them.
func (w options) walkMakeClean(c *command, call *shell.Call) {
	cleans := false
	for i := range call.Args {
		t := call.Args[i].Text
		cleans = cleans || strings.Contains(t, "clean") && !strings.Contains(t, "=") && t[0] != '-'
	}
	if !cleans {
		return
	}
	for i := range call.Args {
		if name, val, ok := strings.Cut(call.Args[i].Text, "="); ok && argv.IsOutputVar(name) {
			w.walkRemoval(c, shell.Word{Text: val, From: call.Args[i].From}, true)
		}
	}
	for i := range call.Env {
		if v := &call.Env[i]; argv.IsOutputVar(v.Name) {
			w.walkRemoval(c, v.Value, true)
		}
	}
}

// walkRemoval walks the removal of dir as rm -rf. It ignores directories whose names mark them as
// generated and, if outer is true, those in the project.
func (w options) walkRemoval(c *command, dir shell.Word, outer bool) {
	text := strings.TrimSuffix(dir.Text, "/")
	if text == "" && dir.Text == "" || len(dir.From) == 0 && strings.HasPrefix(text, placeholder) {
		return
	}
	base := strings.ToLower(text[strings.LastIndexByte(text, '/')+1:])
	if argv.IsGeneratedDir(base) || outer && w.isInProject(text) {
		return
	}
	inner := *c
	inner.env = nil
	dir.Glob = false
	w.walkWords(&inner, []shell.Word{{Text: "rm"}, {Text: "-rf"}, {Text: "--"}, dir})
}

// isInProject reports whether path is a relative path that does not start with .., or is below the
// project's root.
func (w *fileTable) isInProject(path string) bool {
	if path == "." || path == "" || path == ".." || strings.HasPrefix(path, "../") || strings.HasPrefix(path, "~") {
		return false
	}
	if path[0] != '/' {
		return true
	}
	return w.place.Root != "" && strings.HasPrefix(path, w.place.Root+"/")
}
