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

// bent covers what a variable makes a program load.
func (p *planner) bent(c *shell.Call, v *shell.Variable, at spot) {
	h := facts.HijackOf(v.Name)
	if h == nil {
		if facts.MovesGit(v.Name) {
			p.addMovedGit(v, at)
		} else {
			p.noteGitSettings(v)
		}
		return
	}
	if !v.Value.Known() && h.Means != facts.BySearch {
		p.unsureAbout(v.Value, "what $"+v.Name+" loads")
		return
	}
	if (v.Name == "BASH_ENV" || v.Name == "ENV") && strings.ContainsAny(v.Value.Text, "$`") {
		p.unsure("$" + v.Name + " is expanded when it runs")
		return
	}
	switch h.Means {
	case facts.ByOptions:
		p.options(h.Of, v, at)
	case facts.ByFile:
		for _, path := range listed(strings.TrimPrefix(v.Value.Text, "@")) {
			p.loaded("$"+v.Name, argv.LoadsFile, shell.Word{Text: path}, at)
		}
	case facts.BySearch, facts.BySettings:
		if v.Name == "PYTHONPATH" && hasEmpty(v.Value.Text) {
			p.loaded("$"+v.Name, argv.LoadsFrom, shell.Word{Text: "."}, at)
		}
		for _, path := range listed(v.Value.Text) {
			p.loaded("$"+v.Name, argv.LoadsFrom, shell.Word{Text: path}, at)
		}
	}
}

// hasEmpty reports whether a list of directories has an empty element, which means the one
// that a program runs in.
func hasEmpty(list string) bool {
	return list != "" && slices.Contains(filepath.SplitList(list), "")
}

// listed are the paths in a value that may name several.
func listed(val string) []string {
	return strings.FieldsFunc(val, func(r rune) bool { return r == ':' || r == ' ' || r == '\t' || r == filepath.ListSeparator })
}

// options covers what options in a variable make a program load.
func (p *planner) options(program string, v *shell.Variable, at spot) {
	words := argv.Split(v.Value)
	if program == "make" && strings.Contains(v.Value.Text, "eval") {
		p.unsureBecauseOf(v, "$"+v.Name+" holds code")
	}
	argv.EachLoad(program, words, func(key string, how argv.Load, val shell.Word) {
		p.loaded("$"+v.Name, how, val, at)
		if program == "node" && how == argv.LoadsFile && !isAbs(val.Text) && !strings.HasPrefix(val.Text, ".") {
			p.unsureBecauseOf(v, "$"+v.Name+" loads "+visible(val.Text)+" from the packages that lie here")
		}
	})
	if use, ok := code.UseOf(&shell.Call{Name: program, Args: words}); ok {
		for _, name := range use.Loads {
			p.loaded("$"+v.Name, argv.LoadsFile, shell.Word{Text: name}, at)
		}
		if strings.TrimSpace(use.Code) != "" {
			p.unsure("$" + v.Name + " holds code")
		}
	}
}

// loaded covers what by makes a program load.
func (p *planner) loaded(by string, how argv.Load, val shell.Word, at spot) {
	if how == argv.LoadsProgram {
		if len(at.dirs) > 0 {
			p.followText(val.Text, at.dirs[0], nil)
		}
		return
	}
	if how == argv.LoadsBy {
		return // its text is followed by those who know it
	}
	list, known := p.resolveWord(val, at)
	if !known {
		p.unsureAbout(val, "what "+by+" loads")
	}
	for _, path := range list {
		switch kind := p.disk.Kind(path); {
		case kind == Directory && p.inRepo(path):
			p.unsure(by + " loads code of this repository from " + visible(val.Text))
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
