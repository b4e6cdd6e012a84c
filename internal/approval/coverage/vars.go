package coverage

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/code"
)

// addHijackVar covers what the hijack variable v makes c load.
func (p *planner) addHijackVar(c *shell.Call, v *shell.Variable, at spot) {
	h := facts.FindHijack(v.Name)
	if h == nil {
		if facts.OverridesGitDir(v.Name) {
			p.noteGitDirVar(v, at)
		} else {
			p.noteGitSettingsVar(v)
		}
		return
	}
	if !v.Value.IsKnown() && h.Means != facts.BySearch {
		p.noteUnknownWord(v.Value, "what $"+v.Name+" loads")
		return
	}
	if (v.Name == "BASH_ENV" || v.Name == "ENV") && strings.ContainsAny(v.Value.Text, "$`") {
		p.noteUnsure("$" + v.Name + " is expanded when it runs")
		return
	}
	switch h.Means {
	case facts.ByOptions:
		p.addOptionsVar(h.Of, v, at)
	case facts.ByFile:
		for _, path := range splitPaths(strings.TrimPrefix(v.Value.Text, "@")) {
			p.addLoaded("$"+v.Name, argv.LoadsFile, shell.Word{Text: path}, at)
		}
	case facts.BySearch, facts.BySettings:
		if v.Name == "PYTHONPATH" && hasEmptyElement(v.Value.Text) {
			p.addLoaded("$"+v.Name, argv.LoadsFrom, shell.Word{Text: "."}, at)
		}
		for _, path := range splitPaths(v.Value.Text) {
			p.addLoaded("$"+v.Name, argv.LoadsFrom, shell.Word{Text: path}, at)
		}
	}
}

// hasEmptyElement reports whether list, a list of directories, has an empty element, which stands for
// the working directory.
func hasEmptyElement(list string) bool {
	return list != "" && slices.Contains(filepath.SplitList(list), "")
}

// splitPaths returns the paths that val lists, separated by spaces or colons.
func splitPaths(val string) []string {
	return strings.FieldsFunc(val, func(r rune) bool { return r == ':' || r == ' ' || r == '\t' || r == filepath.ListSeparator })
}

// addOptionsVar covers what program loads because of the options in the variable v.
func (p *planner) addOptionsVar(program string, v *shell.Variable, at spot) {
	words := argv.SplitWords(v.Value)
	if program == "make" && strings.Contains(v.Value.Text, "eval") {
		p.noteUnsureBecauseOf(v, "$"+v.Name+" holds code")
	}
	argv.EachLoad(program, words, func(key string, how argv.Load, val shell.Word) {
		p.addLoaded("$"+v.Name, how, val, at)
		if program == "node" && how == argv.LoadsFile && !isAbs(val.Text) && !strings.HasPrefix(val.Text, ".") {
			p.noteUnsureBecauseOf(v, "$"+v.Name+" loads "+messageText(val.Text)+" from the packages in this directory")
		}
	})
	if use, ok := code.ParseInvocation(&shell.Call{Name: program, Args: words}); ok {
		for _, name := range use.Preloads {
			p.addLoaded("$"+v.Name, argv.LoadsFile, shell.Word{Text: name}, at)
		}
		if strings.TrimSpace(use.Code) != "" {
			p.noteUnsure("$" + v.Name + " holds code")
		}
	}
}

// addLoaded covers what by, a program or a variable, loads because of val. how is the way of loading.
func (p *planner) addLoaded(by string, how argv.Load, val shell.Word, at spot) {
	if how == argv.LoadsProgram {
		if len(at.dirs) > 0 {
			p.followText(val.Text, at.dirs[0], nil)
		}
		return
	}
	if how == argv.LoadsBy {
		return // the caller follows its text
	}
	list, known := p.resolveWord(val, at)
	if !known {
		p.noteUnknownWord(val, "what "+by+" loads")
	}
	for _, path := range list {
		switch kind := p.disk.Kind(path); {
		case kind == Directory && p.inRepo(path):
			p.noteUnsure(by + " loads code of this repository from " + messageText(val.Text))
		case how == argv.LoadsFrom:
		case kind == Regular:
			if p.addFile(path, false) && (by == "$BASH_ENV" || by == "$ENV") {
				p.followSourced(path, nil, at)
			}
		case kind == Nothing && p.inRepo(path):
			for _, end := range [...]string{".js", ".mjs", ".cjs", ".ts", ".rb", ".lua", ".so"} {
				p.addFile(path+end, false)
			}
		}
	}
}
