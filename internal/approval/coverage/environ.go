package coverage

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/code"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// bends reports whether a variable of the environment makes programs run something of
// the repository, or something that it holds itself.
func (p *planner) bends(name, val string) bool {
	if val == "" {
		return false
	}
	if h := facts.HijackOf(name); h != nil {
		switch {
		case h.Means == facts.ByOptions:
			return p.optionsLead(h.Of, val)
		case h.Means == facts.BySettings: // everybody has HOME, so no link is gone along
			return !isAbs(val) || p.named(filepath.Clean(val))
		case h.Name == "GTK_MODULES": // names of modules, not of files
			return p.leads(name, val)
		}
		return p.leads(name, val) || namesRelative(val)
	}
	switch {
	case name == "CDPATH" || facts.SteersGit(name):
		return true
	case facts.MovesGit(name):
		return p.leads(name, val) || namesRelative(val)
	case argv.RunsProgram(name):
		return p.commandLeads(val)
	}
	return false
}

// namesRelative reports whether one of the paths in a value is told from where a program
// runs.
func namesRelative(val string) bool {
	for part := range strings.FieldsFuncSeq(val, func(r rune) bool { return r == ':' || r == ' ' || r == '\t' || r == ',' }) {
		if !isAbs(part) && part[0] != '~' && part[0] != '@' && part[0] != '-' {
			return true
		}
	}
	return false
}

// optionsLead reports whether options make a program load something of the repository,
// or hold code.
func (p *planner) optionsLead(program, val string) bool {
	if program == "make" && strings.Contains(val, "eval") {
		return true
	}
	words := argv.Split(shell.Word{Text: val})
	leads := false
	argv.EachLoad(program, words, func(_ string, how argv.Load, w shell.Word) {
		leads = leads || how == argv.LoadsProgram || !isAbs(w.Text) || p.brought(filepath.Clean(w.Text))
	})
	if leads {
		return true
	}
	use, ok := code.UseOf(&shell.Call{Name: program, Args: words})
	return ok && (strings.TrimSpace(use.Code) != "" || slices.ContainsFunc(use.Loads, func(s string) bool { return !isAbs(s) || p.brought(filepath.Clean(s)) }))
}

// commandLeads reports whether a command that a variable holds runs something of the
// repository by its path.
func (p *planner) commandLeads(val string) bool {
	if strings.ContainsAny(val, "$`") {
		return true
	}
	for part := range strings.FieldsFuncSeq(val, func(r rune) bool { return strings.ContainsRune(" \t;|&='\"", r) }) {
		if strings.Contains(part, "/") && (!isAbs(part) && part[0] != '~' || isAbs(part) && p.named(filepath.Clean(part))) {
			return true
		}
	}
	return false
}

// movesGit covers what a variable makes git take for the repository, and with it for its
// settings.
func (p *planner) movesGit(v *shell.Variable, at spot) {
	if !v.Value.Known() {
		p.unknown(v.Value, "where git looks")
		return
	}
	for _, dir := range at.dirs {
		path := p.where(dir, v.Value.Text)
		if path != p.place.Top && path != filepath.Join(p.place.Top, ".git") && p.brought(path) {
			p.fromOutside(v, "$"+v.Name+" leads git to other settings, which may run programs")
			return
		}
	}
}

// givesGit covers settings that variables give git.
func (p *planner) givesGit(v *shell.Variable) {
	if v.Name == "GIT_CONFIG_COUNT" || v.Name == "GIT_CONFIG_PARAMETERS" {
		p.fromOutside(v, "$"+v.Name+" gives git settings, which may run programs")
	}
}

// fromOutside notes what cannot be told because of a variable: when the environment has
// it, within scripts too, for those do not say so.
func (p *planner) fromOutside(v *shell.Variable, why string) {
	if lookup(p.place.Environ, v.Name) == v.Value.Text {
		p.anywhere(why)
	} else {
		p.unsure(why)
	}
}

// guessed are variables that are taken for something when the text does not set them.
const guessed = "SHELL TMPDIR NVM_DIR CARGO_HOME PYENV_ROOT"

// defaults takes up the variables of the environment for which a text has another value
// when they are not set: ${CMD:-true}.
func (p *planner) defaults(text string) {
	for rest := text; ; {
		i := strings.IndexByte(rest, '$')
		if i < 0 {
			return
		}
		rest = rest[i+1:]
		name, braced := strings.CutPrefix(rest, "{")
		n := 0
		for n < len(name) && (name[n] == '_' || name[n]|0x20 >= 'a' && name[n]|0x20 <= 'z' || n > 0 && name[n] >= '0' && name[n] <= '9') {
			n++
		}
		after := name[n:]
		if name = name[:n]; n == 0 || isRoot(name) || name == "PATH" || name == "PWD" || name == "HOME" {
			continue
		}
		if !hasWord(guessed, name) && (!braced || after == "" || !strings.ContainsRune(":-=+?", rune(after[0]))) {
			continue
		}
		if len(p.plan.Vars) >= 64 || p.knows(name) {
			continue
		}
		p.use(name)
		if val, ok := environ.Lookup(p.place.Environ, name); ok {
			p.vars = append(slices.Clip(p.vars), shell.Variable{Name: name, Value: shell.Word{Text: val}})
		}
	}
}

func (p *planner) knows(name string) bool {
	return slices.ContainsFunc(p.vars, func(v shell.Variable) bool { return v.Name == name })
}

// rootOf is what a variable in which a host names the project says: the directory that
// hooks run in, when it means that one.
func rootOf(p Place, val string) string {
	if val == "" || filepath.Clean(val) == p.Root {
		return p.Root
	}
	if real, err := filepath.EvalSymlinks(val); err == nil {
		if root, err := filepath.EvalSymlinks(p.Root); err == nil && real == root {
			return p.Root
		}
	}
	return val
}
