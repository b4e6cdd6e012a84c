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

// varLoadsRepoCode reports whether the environment variable name, set to val, makes programs run code
// of the repository or code in val itself.
func (p *planner) varLoadsRepoCode(name, val string) bool {
	if val == "" {
		return false
	}
	if h := facts.FindHijack(name); h != nil {
		switch {
		case h.Means == facts.ByOptions:
			return p.optionsLoadRepoCode(h.Of, val)
		case h.Means == facts.BySettings: // such as HOME, which is always set: symlinks are not resolved
			return !isAbs(val) || p.nameInRepo(filepath.Clean(val))
		case h.Name == "GTK_MODULES": // names of modules, not of files
			return p.leadsIntoRepo(name, val)
		}
		return p.leadsIntoRepo(name, val) || hasRelativePath(val)
	}
	switch {
	case name == "CDPATH" || facts.OverridesGitSettings(name):
		return true
	case facts.OverridesGitDir(name):
		return p.leadsIntoRepo(name, val) || hasRelativePath(val)
	case argv.IsProgramVar(name):
		return p.commandRunsRepoFile(val)
	}
	return false
}

// hasRelativePath reports whether one of the paths that val lists is relative.
func hasRelativePath(val string) bool {
	for part := range strings.FieldsFuncSeq(val, func(r rune) bool { return r == ':' || r == ' ' || r == '\t' || r == ',' }) {
		if !isAbs(part) && part[0] != '~' && part[0] != '@' && part[0] != '-' {
			return true
		}
	}
	return false
}

// optionsLoadRepoCode reports whether the options in val make program load code of the repository or
// contain code themselves.
func (p *planner) optionsLoadRepoCode(program, val string) bool {
	if program == "make" && strings.Contains(val, "eval") {
		return true
	}
	words := argv.SplitWords(shell.Word{Text: val})
	leads := false
	argv.EachLoad(program, words, func(_ string, how argv.Load, w shell.Word) {
		leads = leads || how == argv.LoadsProgram || !isAbs(w.Text) || p.inRepo(filepath.Clean(w.Text))
	})
	if leads {
		return true
	}
	use, ok := code.ParseInvocation(&shell.Call{Name: program, Args: words})
	return ok && (strings.TrimSpace(use.Code) != "" || slices.ContainsFunc(use.Preloads, func(s string) bool { return !isAbs(s) || p.inRepo(filepath.Clean(s)) }))
}

// commandRunsRepoFile reports whether the command in val may run a file of the repository by its path.
// It is true for commands with expansions, which are not analysed.
func (p *planner) commandRunsRepoFile(val string) bool {
	if strings.ContainsAny(val, "$`") {
		return true
	}
	for part := range strings.FieldsFuncSeq(val, func(r rune) bool { return strings.ContainsRune(" \t;|&='\"", r) }) {
		if strings.Contains(part, "/") && (!isAbs(part) && part[0] != '~' || isAbs(part) && p.nameInRepo(filepath.Clean(part))) {
			return true
		}
	}
	return false
}

// noteGitDirVar records that v, a variable such as GIT_DIR, makes git use another repository inside
// this one, and with it other settings.
func (p *planner) noteGitDirVar(v *shell.Variable, at spot) {
	if !v.Value.IsKnown() {
		p.noteUnknownWord(v.Value, "where git looks")
		return
	}
	for _, dir := range at.dirs {
		path := p.resolveDots(dir, v.Value.Text)
		if path != p.place.Top && path != filepath.Join(p.place.Top, ".git") && p.inRepo(path) {
			p.noteUnsureBecauseOf(v, "$"+v.Name+" leads git to other settings, which may run programs")
			return
		}
	}
}

// noteGitSettingsVar records that v passes settings to git if it is such a variable.
func (p *planner) noteGitSettingsVar(v *shell.Variable) {
	if v.Name == "GIT_CONFIG_COUNT" || v.Name == "GIT_CONFIG_PARAMETERS" {
		p.noteUnsureBecauseOf(v, "$"+v.Name+" gives git settings, which may run programs")
	}
}

// noteUnsureBecauseOf records why something is unknown because of v. If v comes from the
// environment, the reason counts within scripts too, since it applies to them without being
// mentioned there.
func (p *planner) noteUnsureBecauseOf(v *shell.Variable, why string) {
	if lookupEnv(p.place.Environ, v.Name) == v.Value.Text {
		p.noteUnsureAnywhere(why)
	} else {
		p.noteUnsure(why)
	}
}

// guessedVars lists the variables for which the analysis assumes a value if the text does not set them.
const guessedVars = "SHELL TMPDIR NVM_DIR CARGO_HOME PYENV_ROOT"

// addDefaultedVars adds the environment variables that decide between alternatives in text, as in
// ${CMD:-true}, and the guessedVars that it uses. The plan then depends on them.
func (p *planner) addDefaultedVars(text string) {
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
		if name = name[:n]; n == 0 || isRootVar(name) || name == "PATH" || name == "PWD" || name == "HOME" {
			continue
		}
		if !hasWord(guessedVars, name) && (!braced || after == "" || !strings.ContainsRune(":-=+?", rune(after[0]))) {
			continue
		}
		if len(p.plan.Vars) >= 64 || p.hasVar(name) {
			continue
		}
		p.dependOnVar(name)
		if val, ok := environ.Lookup(p.place.Environ, name); ok {
			p.vars = append(slices.Clip(p.vars), shell.Variable{Name: name, Value: shell.Word{Text: val}})
		}
	}
}

func (p *planner) hasVar(name string) bool {
	return slices.ContainsFunc(p.vars, func(v shell.Variable) bool { return v.Name == name })
}

// canonicalRoot returns p.Root if val, the value of a variable in which hosts pass the project's
// directory, is empty or leads to that directory. Otherwise it returns val.
func canonicalRoot(p Place, val string) string {
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
