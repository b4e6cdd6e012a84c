package coverage

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/code"
)

func isPython(name string) bool {
	return facts.TongueOf(name) == facts.Python
}

// python covers what Python loads on its own: the directory of the script, else the
// one that it runs in, comes first when it looks for a module, also for those of its
// own library.
//
// PYTHONSAFEPATH says otherwise, but only from version 3.11 on.
func (p *planner) python(c *shell.Call, use *code.Use, at spot) {
	dirs := at.dirs
	if use.File != "" {
		dirs = nil
		list, _ := p.paths(argument(c, use.File), at)
		for _, path := range list {
			dirs = append(dirs, pyFirst(path)...)
		}
	}
	if !pySafe(c) {
		for _, dir := range dirs {
			p.shadows(c, dir)
		}
	}
	for i := range p.now.Bent {
		if v := &p.now.Bent[i]; v.Name != "PYTHONPATH" || !pyHere(v.Value.Text) {
			continue
		}
		for _, dir := range at.dirs {
			p.shadows(c, dir)
			p.customs(c, dir)
			if use.File != "" && !slices.Contains(dirs, dir) && p.brought(dir) {
				p.unsure("$PYTHONPATH has an empty element, which lets " + c.Name + " load code from where it runs")
			}
		}
	}
	for _, dir := range p.sites(c, at) {
		p.customs(c, dir)
	}
}

// pyFirst are the directories in which Python looks first for what a script loads.
func pyFirst(path string) []string {
	dirs := []string{filepath.Dir(path)}
	if kindOf(path) == Directory {
		dirs[0] = path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && filepath.Dir(real) != dirs[0] && dirs[0] != path {
		dirs = append(dirs, filepath.Dir(real))
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
	letters:
		for n := 1; n < len(t); n++ {
			switch t[n] {
			case 'I', 'P':
				return true
			case 'c', 'm':
				return false
			case 'W', 'X':
				if n == len(t)-1 {
					i++
				}
				break letters
			}
		}
	}
	return false
}

// shadows covers what a directory has under the name of a module of Python's own.
func (p *planner) shadows(c *shell.Call, dir string) {
	if !p.brought(dir) {
		return
	}
	names, err := p.look.Names(dir)
	if errors.Is(err, ErrTooMany) {
		p.unsure(c.Name + " looks for modules among more files than are looked at; " + c.Name + " -I does not")
	}
	for _, name := range names {
		if stem, _, _ := strings.Cut(name, "."); strings.Contains(pyNames, " "+stem+" ") {
			p.pyEntry(c, dir, name, false)
		}
	}
}

// pyEntry covers an entry of a directory, when it can be loaded as a module. bare
// says that a directory without a file of its own can too, as no other is called so.
func (p *planner) pyEntry(c *shell.Call, dir, name string, bare bool) {
	path := filepath.Join(dir, name)
	stem, end, _ := strings.Cut(name, ".")
	switch {
	case end == "py":
		if p.part(path, false) {
			p.compiled(path)
		}
	case end == "pyc" || strings.HasSuffix(end, "so") || strings.HasSuffix(end, "pyd"):
		p.part(path, false)
	case end == "" && p.look.Kind(path) == Directory && p.brought(path):
		for _, name := range p.pyNames(path) {
			if stem, end, _ := strings.Cut(name, "."); stem == "__init__" && end != "" {
				bare = true
				p.pyEntry(c, path, name, false)
			}
		}
		if bare {
			p.anywhere(c.Name + " loads this repository's package " + visible(stem))
		}
	}
}

// pyNames lists a directory in which modules are looked for.
func (p *planner) pyNames(dir string) []string {
	if p.look.Kind(dir) != Directory {
		return nil
	}
	names, _ := p.look.Names(dir)
	return names
}

// compiled covers what was compiled of a module and is run whatever its source says.
// What is compared with the source by its time and size is not covered: Python writes
// it anew as it runs.
func (p *planner) compiled(path string) {
	dir, name := filepath.Split(path)
	stem := strings.TrimSuffix(name, "py") // with the dot
	for _, name := range p.pyNames(filepath.Join(dir, "__pycache__")) {
		if !strings.HasPrefix(name, stem) || !strings.HasSuffix(name, ".pyc") {
			continue
		}
		made := filepath.Join(dir, "__pycache__", name)
		text, err := p.look.File(made)
		if err != nil || len(text) >= 8 && text[4]&3 == 1 {
			p.part(made, false)
		}
	}
}

// imported covers a module that code loads by its name.
func (p *planner) imported(c *shell.Call, name, dir string) {
	first, _, _ := strings.Cut(name, ".")
	dirs := p.sites(c, spot{dirs: []string{dir}})
	if !pySafe(c) {
		dirs = append([]string{dir}, dirs...)
	}
	for _, dir := range dirs {
		p.pyNamed(c, dir, first, !strings.Contains(pyNames, " "+first+" "))
	}
}

// pyNamed covers the module of a name in a directory.
func (p *planner) pyNamed(c *shell.Call, dir, name string, bare bool) {
	if name == "" || strings.ContainsAny(name, "/\\\x00"+string(shell.Hole)) {
		return
	}
	names, err := p.look.Names(dir)
	if errors.Is(err, ErrTooMany) {
		names = []string{name, name + ".py", name + ".pyc", name + ".so"}
	}
	for _, entry := range names {
		if entry == name || strings.HasPrefix(entry, name+".") {
			p.pyEntry(c, dir, entry, bare)
		}
	}
}

// customs covers what Python runs whenever it starts, of a directory that it looks in.
func (p *planner) customs(c *shell.Call, dir string) {
	p.pyNamed(c, dir, "sitecustomize", true)
	p.pyNamed(c, dir, "usercustomize", true)
}

// sites are the directories with packages of a Python that lies in the repository.
// What is run there at every start is covered.
func (p *planner) sites(c *shell.Call, at spot) []string {
	var out []string
	for _, bin := range p.bins(c, at) {
		p.part(filepath.Join(bin, "pyvenv.cfg"), false)
		base := filepath.Dir(bin)
		p.part(filepath.Join(base, "pyvenv.cfg"), false)
		for _, lib := range [...]string{"lib", "lib64", "Lib"} {
			lib = filepath.Join(base, lib)
			for _, name := range append([]string{""}, p.pyNames(lib)...) {
				if name != "" && !isPython(name) {
					continue
				}
				if p.look.Kind(filepath.Join(lib, name, "os.py")) == Regular {
					p.anywhere(c.Name + " is of this repository, and so is its library")
				}
				if dir := filepath.Join(lib, name, "site-packages"); p.look.Kind(dir) == Directory {
					out = append(out, dir)
				}
			}
		}
	}
	for _, dir := range out {
		names, err := p.look.Names(dir)
		if err != nil {
			p.anywhere(c.Name + " is of this repository, and has more packages than are looked at")
		}
		for _, name := range names {
			if strings.HasSuffix(name, ".pth") {
				p.part(filepath.Join(dir, name), false)
			}
		}
	}
	return out
}

// bins are the directories in the repository that a program may lie in.
func (p *planner) bins(c *shell.Call, at spot) []string {
	var out []string
	if strings.Contains(c.Path, "/") {
		list, _ := p.paths(shell.Word{Text: c.Path}, at)
		for _, path := range list {
			out = append(out, filepath.Dir(path))
		}
	} else {
		list := p.active
		if p.now.Search != nil {
			list = append(slices.Clip(list), filepath.SplitList(p.now.Search.Text)...)
		}
		for _, elem := range list {
			for _, dir := range at.dirs {
				if !isAbs(elem) {
					elem = filepath.Join(dir, elem)
				}
				if p.brought(filepath.Clean(elem)) && p.look.Kind(filepath.Join(elem, c.Path)) == Regular {
					out = append(out, filepath.Clean(elem))
				}
			}
		}
	}
	return slices.DeleteFunc(out, func(dir string) bool { return !p.brought(dir) })
}
