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

func isPython(name string) bool { return facts.TongueOf(name) == facts.Python }

// python covers the modules that come before those which are installed: in the directory
// of the script, else in the one where Python runs. Files count there that are called like
// a module of Python's own library, which any program may load, and those that the call
// itself names.
//
// PYTHONSAFEPATH prevents that, but only from version 3.11 on.
func (p *planner) python(c *shell.Call, use *code.Use, at spot) {
	dirs := at.dirs
	if use.File != "" {
		dirs = nil
		list, _ := p.paths(argument(c, use.File), at)
		for _, path := range list {
			dirs = append(dirs, p.pyFirst(path)...)
		}
	}
	names := pyImports(use.Code)
	if c.In != nil && c.In.Sure {
		names = append(names, pyImports(c.In.Text)...)
	}
	if use.Module != "" {
		names = append(names, p.module(c, use.Module, use.Rest, at)...)
	}
	if !pySafe(c) {
		for _, dir := range dirs {
			p.modules(c, dir, names)
		}
	}
	for i := range p.now.Bent {
		v := &p.now.Bent[i]
		if v.Name != "PYTHONPATH" || !pyHere(v.Value.Text) {
			continue
		}
		for _, dir := range at.dirs {
			p.modules(c, dir, append(names, "sitecustomize", "usercustomize"))
			if use.File != "" && !slices.Contains(dirs, dir) && p.brought(dir) {
				p.unsure("$PYTHONPATH has an empty element, which lets " + c.Name + " load code from where it runs")
			}
		}
	}
	p.ownPython(c, at)
}

// ownPython covers the settings of a Python that lies in the repository, whose packages
// are the repository's.
func (p *planner) ownPython(c *shell.Call, at spot) {
	list, _ := p.paths(shell.Word{Text: c.Path}, at)
	if !strings.Contains(c.Path, "/") {
		list = nil
		elems := p.active
		if p.now.Search != nil {
			elems = append(slices.Clip(elems), filepath.SplitList(p.now.Search.Text)...)
		}
		for _, elem := range elems {
			for _, dir := range at.dirs {
				list = append(list, filepath.Join(joined(dir, elem), c.Path))
			}
		}
	}
	for _, path := range list {
		if dir := filepath.Dir(path); p.brought(dir) && p.look.Kind(path) == Regular {
			p.part(filepath.Join(dir, "pyvenv.cfg"), false)
			p.part(filepath.Join(filepath.Dir(dir), "pyvenv.cfg"), false)
			p.anywhere(c.Name + " is of this repository, and so are its packages")
		}
	}
}

// pyFirst returns the directories in which Python looks first for what a script loads.
func (p *planner) pyFirst(path string) []string {
	if p.look.Kind(path) == Directory {
		return []string{path}
	}
	dirs := []string{filepath.Dir(path)}
	if real := filepath.Dir(p.real(dirs[0], filepath.Base(path))); real != dirs[0] {
		dirs = append(dirs, real)
	}
	return dirs
}

// pyHere reports whether a search path names the directory that a program runs in by
// an empty element.
func pyHere(list string) bool {
	return list != "" && slices.Contains(strings.Split(list, string(filepath.ListSeparator)), "")
}

// pySafe reports whether options tell Python not to look for modules where it runs.
func pySafe(c *shell.Call) bool {
	for i := 0; i < len(c.Args); i++ {
		t := c.Args[i].Text
		if len(t) < 2 || t[0] != '-' || t == "--" {
			return false
		}
		if t == "--check-hash-based-pycs" {
			i++
		}
		if t[1] == '-' {
			continue
		}
		letters := t[1:]
		if at := strings.IndexAny(letters, "WX"); at >= 0 { // which take a value
			if at == len(letters)-1 {
				i++
			}
			letters = letters[:at]
		}
		switch at := strings.IndexAny(letters, "IPcm"); {
		case at >= 0:
			return letters[at] == 'I' || letters[at] == 'P'
		}
	}
	return false
}

// pyImports returns the modules that code loads by plain words.
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

// modules covers the files of a directory that can be loaded as one of the modules, or as
// one of Python's own.
func (p *planner) modules(c *shell.Call, dir string, modules []string) {
	if !p.brought(dir) {
		return
	}
	names, err := p.look.Names(dir)
	if errors.Is(err, ErrTooMany) {
		p.unsure(c.Name + " looks for modules among more files than are looked at; " + c.Name + " -I does not")
	}
	for _, name := range names {
		stem, end, _ := strings.Cut(name, ".")
		named := slices.Contains(modules, stem)
		if !named && !strings.Contains(pyNames, " "+stem+" ") {
			continue
		}
		path := filepath.Join(dir, name)
		switch {
		case end == "py":
			p.part(path, false)
			p.compiled(dir, stem)
		case end == "pyc" || strings.HasSuffix(end, "so") || strings.HasSuffix(end, "pyd"):
			p.part(path, false)
		case end == "" && p.look.Kind(path) == Directory:
			p.pyPackage(c, path, named)
		}
	}
}

// pyPackage covers a directory that is loaded as a module. One without __init__ is only
// when no other module has its name.
func (p *planner) pyPackage(c *shell.Call, dir string, named bool) {
	names, _ := p.look.Names(dir)
	is := false
	for _, name := range names {
		stem, end, _ := strings.Cut(name, ".")
		if (stem == "__init__" || stem == "__main__") && end != "" {
			p.part(filepath.Join(dir, name), false)
		}
		is = is || stem == "__init__" || named && end == "py"
	}
	if is {
		p.anywhere(c.Name + " loads this repository's package " + visible(filepath.Base(dir)))
	}
}

// compiled covers what was compiled of a module and is run whatever its source says.
// What is compared with the source by its time and size is not covered: Python writes
// it anew as it runs.
func (p *planner) compiled(dir, stem string) {
	dir = filepath.Join(dir, "__pycache__")
	if p.look.Kind(dir) != Directory {
		return
	}
	names, _ := p.look.Names(dir)
	for _, name := range names {
		if !strings.HasPrefix(name, stem+".") || !strings.HasSuffix(name, ".pyc") {
			continue
		}
		made := filepath.Join(dir, name)
		if text, err := p.look.File(made); err != nil || len(text) >= 8 && text[4]&3 == 1 {
			p.part(made, false)
		}
	}
}

// module covers what python -m NAME runs, and returns the modules that its words name.
func (p *planner) module(c *shell.Call, name string, args []shell.Word, at spot) []string {
	if strings.ContainsRune(name, shell.Hole) {
		p.unknown(argument(c, name), "which module "+c.Name+" runs")
		return nil
	}
	if at.lost {
		p.unsure("where " + c.Name + " -m " + visible(name) + " runs is only known when it runs")
	}
	first, _, _ := strings.Cut(name, ".")
	names := []string{first}
	switch as := strings.ReplaceAll(name, "_", "-"); {
	case taskfile.Knows(as):
		call := *c
		call.Name, call.Args = as, args
		p.runner(&call, at)
	case hasWord("unittest nose coverage build test idlelib pdb", name):
		p.anywhere(c.Name + " -m " + name + " runs this repository's code")
	case hasWord("code asyncio", name):
		p.input(c, nil, at)
	}
	if strings.Contains(name, ".") || !hasWord("timeit trace profile cProfile pdb doctest pickle runpy pydoc inspect", name) {
		return names
	}
	for i := range args { // files, modules, code
		p.perhaps(args[i], at)
		stem, _, _ := strings.Cut(args[i].Text, ".")
		stem, _, _ = strings.Cut(stem, ":")
		names = append(names, stem)
		if name == "timeit" {
			text := strings.TrimPrefix(strings.TrimPrefix(args[i].Text, "-s"), "--setup=")
			names = append(names, pyImports(text)...)
			call := *c
			call.Args = []shell.Word{{Text: "-c", Quoted: true}, {Text: text, Quoted: true}}
			p.inline(&call, text, at)
		}
		if list, _ := p.paths(args[i], at); len(list) > 0 && p.look.Kind(list[0]) == Regular {
			p.modules(c, filepath.Dir(list[0]), nil)
		}
	}
	return names
}

// pydoc covers what pydoc loads to describe it.
func (p *planner) pydoc(c *shell.Call, at spot) bool {
	if !strings.HasPrefix(c.Name, "pydoc") {
		return false
	}
	names := p.module(c, "pydoc", c.Args, at)
	for _, dir := range at.dirs {
		p.modules(c, dir, names)
	}
	return true
}
