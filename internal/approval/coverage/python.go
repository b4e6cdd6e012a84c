package coverage

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/code"
	"github.com/checkrein/checkrein/internal/shell/taskfile"
)

// isPython reports whether name is that of a Python interpreter.
func isPython(name string) bool { return facts.LanguageOf(name) == facts.Python }

// addPythonModules covers the modules that take precedence over installed ones when c runs: those in
// the directory of the script or, if c runs no script, in the working directory. It covers files named
// like a module of the standard library, which any program may load, and modules that the call itself
// names.
//
// PYTHONSAFEPATH, which prevents this from Python 3.11 on, is ignored.
func (p *planner) addPythonModules(c *shell.Call, use *code.Invocation, at spot) {
	dirs := at.dirs
	if use.File != "" {
		dirs = nil
		list, _ := p.resolveWord(argumentWord(c, use.File), at)
		for _, path := range list {
			dirs = append(dirs, p.scriptDirs(path)...)
		}
	}
	names := pyImports(use.Code)
	if c.In != nil && c.In.Complete {
		names = append(names, pyImports(c.In.Text)...)
	}
	if use.Module != "" {
		names = append(names, p.addPyModule(c, use.Module, use.Rest, at)...)
	}
	if !hasSafePathOption(c) {
		for _, dir := range dirs {
			p.addModules(c, dir, names)
		}
	}
}

// scriptDirs returns the directories that Python searches first for the modules of the script at
// path.
func (p *planner) scriptDirs(path string) []string {
	if p.disk.Kind(path) == Directory {
		return []string{path}
	}
	dirs := []string{filepath.Dir(path)}
	if real := filepath.Dir(p.realPath(dirs[0], filepath.Base(path))); real != dirs[0] {
		dirs = append(dirs, real)
	}
	return dirs
}

// hasSafePathOption reports whether an option of c, -I or -P, stops Python from searching the working
// directory for modules.
func hasSafePathOption(c *shell.Call) bool {
	for i := range c.Args {
		t := c.Args[i].Text
		switch {
		case len(t) < 2 || t[0] != '-':
			if i == 0 || c.Args[i-1].Text != "-W" && c.Args[i-1].Text != "-X" {
				return false
			}
		case t[1] == '-' || t[1] == 'W' || t[1] == 'X':
		case strings.ContainsAny(t, "IP"):
			return true
		case strings.ContainsAny(t, "cm"):
			return false
		}
	}
	return false
}

// pyImports returns the names in the import statements of the Python code text, up to their first dot.
func pyImports(text string) []string {
	var out []string
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ';' || r == '\n' || r == ':' }) {
		words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\r,()", r) })
		if len(words) < 2 || words[0] != "import" && words[0] != "from" {
			continue
		}
		for _, word := range words[1:] {
			first, _, _ := strings.Cut(word, ".")
			out = append(out, first)
		}
	}
	return out
}

// addModules covers the files in dir that c, a Python interpreter, may load as one of modules or
// instead of a module of the standard library.
func (p *planner) addModules(c *shell.Call, dir string, modules []string) {
	if !p.inRepo(dir) {
		return
	}
	names, err := p.disk.Names(dir)
	if errors.Is(err, ErrTooMany) {
		p.noteUnsure(c.Name + " searches for modules among more files than checkrein reads; with -I, it does not search there")
	}
	for _, name := range names {
		stem, end, _ := strings.Cut(name, ".")
		named := slices.Contains(modules, stem)
		if !named && !strings.Contains(pyNames, " "+stem+" ") {
			continue
		}
		path := filepath.Join(dir, name)
		switch {
		case end == "py" || end == "pyc" || strings.HasSuffix(end, "so") || strings.HasSuffix(end, "pyd"):
			p.addFile(path, false)
		case end == "" && p.disk.Kind(path) == Directory:
			p.addPyPackage(c, path, named)
		}
	}
}

// addPyPackage covers the directory dir as a Python package that c loads. A directory without __init__
// counts only if named is set, since any other module of that name takes precedence.
func (p *planner) addPyPackage(c *shell.Call, dir string, named bool) {
	names, _ := p.disk.Names(dir)
	is := false
	for _, name := range names {
		stem, end, _ := strings.Cut(name, ".")
		if (stem == "__init__" || stem == "__main__") && end != "" {
			p.addFile(filepath.Join(dir, name), false)
		}
		is = is || stem == "__init__" || named && end == "py"
	}
	if is {
		p.noteUnsureAnywhere(c.Name + " loads this repository's package " + messageText(filepath.Base(dir)))
	}
}

// pyRunners lists modules that run the code passed to them.
const pyRunners = "unittest nose coverage build test idlelib pdb code asyncio timeit trace profile cProfile doctest pickle runpy pydoc inspect"

// addPyModule covers what python -m name runs, and returns the top-level package of name. It returns
// nil if name is unknown.
func (p *planner) addPyModule(c *shell.Call, name string, args []shell.Word, at spot) []string {
	if strings.ContainsRune(name, shell.Placeholder) {
		p.noteUnknownWord(argumentWord(c, name), "which module "+c.Name+" runs")
		return nil
	}
	if at.lost {
		p.noteUnsure("the directory in which " + c.Name + " -m " + messageText(name) + " runs is only known when it runs")
	}
	if as := strings.ReplaceAll(name, "_", "-"); taskfile.IsRunner(as) {
		call := *c
		call.Name, call.Args = as, args
		p.addRunner(&call, at)
	} else if hasWord(pyRunners, name) {
		p.noteUnsureAnywhere(c.Name + " -m " + name + " runs code from its arguments")
	}
	first, _, _ := strings.Cut(name, ".")
	return []string{first}
}
