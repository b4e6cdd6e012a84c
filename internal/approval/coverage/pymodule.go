package coverage

import (
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/taskfile"
)

// module covers python -m NAME: a module of the directory comes before those that are
// installed.
func (p *planner) module(c *shell.Call, name string, args []shell.Word, at spot) {
	if strings.ContainsRune(name, shell.Hole) {
		p.unknown(argument(c, name), "which module "+c.Name+" runs")
		return
	}
	if at.lost {
		p.unsure("where " + c.Name + " -m " + visible(name) + " runs is only known when it runs")
	}
	dirs := p.sites(c, at)
	if !pySafe(c) {
		dirs = append(append([]string{}, at.dirs...), dirs...)
	}
	rel := filepath.FromSlash(strings.ReplaceAll(name, ".", "/"))
	first, _, _ := strings.Cut(rel, string(filepath.Separator))
	for _, dir := range dirs {
		p.pyNamed(c, filepath.Join(dir, filepath.Dir(rel)), filepath.Base(rel), false)
		if first != rel {
			p.pyNamed(c, dir, first, false)
		}
		if p.look.Kind(filepath.Join(dir, rel)) == Directory && p.brought(dir) {
			p.pyNamed(c, filepath.Join(dir, rel), "__main__", false)
			p.anywhere(c.Name + " -m " + visible(name) + " runs this repository's package " + visible(name))
		}
	}
	p.moduleRuns(c, name, args, at)
}

// moduleRuns covers what a module runs by its arguments.
func (p *planner) moduleRuns(c *shell.Call, name string, args []shell.Word, at spot) {
	switch name {
	case "pytest", "unittest", "tox", "nox", "nose", "nose2", "behave", "coverage", "pip", "build", "test", "idlelib":
		p.anywhere(c.Name + " -m " + name + " runs this repository's code")
	case "timeit":
		p.timed(c, args, at)
	case "trace", "profile", "cProfile", "pdb":
		p.traced(c, name, args, at)
	case "doctest", "pickle":
		for i := range args {
			if !strings.HasPrefix(args[i].Text, "-") {
				p.pyScript(c, args[i], at)
			}
		}
	case "runpy":
		if len(args) > 0 {
			p.module(c, args[0].Text, args[1:], at)
		}
	case "pydoc", "inspect":
		for i := range args {
			switch t := args[i].Text; {
			case t == "-w" || t == "--details" || t == "":
			case t[0] == '-':
				return // a server, or a search
			case strings.ContainsAny(t, "/"):
				p.pyScript(c, args[i], at)
			default:
				name, _, _ := strings.Cut(t, ":")
				p.module(c, name, nil, at)
			}
		}
	case "code", "asyncio":
		p.input(c, nil, at)
	default:
		if as := strings.ReplaceAll(name, "_", "-"); taskfile.Knows(as) {
			call := *c
			call.Name, call.Args = as, args
			p.runner(&call, at)
		}
	}
}

// pydoc covers what pydoc loads to describe it.
func (p *planner) pydoc(c *shell.Call, at spot) bool {
	if !strings.HasPrefix(c.Name, "pydoc") {
		return false
	}
	for _, dir := range at.dirs {
		p.shadows(c, dir)
	}
	p.moduleRuns(c, "pydoc", c.Args, at)
	return true
}

// timed covers the statements that timeit runs.
func (p *planner) timed(c *shell.Call, args []shell.Word, at spot) {
	var text strings.Builder
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		key, val, given := strings.Cut(t, "=")
		switch {
		case (key == "--setup" || key == "--s") && given:
			t = val
		case t == "-s" || t == "--setup" || hasWord("-n -r -u --number --repeat --unit", t):
			if i++; i == len(args) || t != "-s" && t != "--setup" {
				continue
			}
			t = args[i].Text
		case strings.HasPrefix(t, "-s"):
			t = t[2:]
		case strings.HasPrefix(t, "-"):
			continue
		}
		text.WriteString(t + "\n")
	}
	if text.Len() > 0 {
		call := *c
		call.Args = []shell.Word{{Text: "-c", Quoted: true}, {Text: text.String(), Quoted: true}}
		p.inline(&call, text.String(), at)
	}
}

// traced covers the script or the module that runs under another.
func (p *planner) traced(c *shell.Call, by string, args []shell.Word, at spot) {
	if by == "pdb" {
		p.unsure("pdb runs what it is sent, and .pdbrc")
	}
	for i := 0; i < len(args); i++ {
		switch t := args[i].Text; {
		case t == "-m" || t == "--module":
			if i+1 < len(args) {
				p.module(c, args[i+1].Text, args[i+2:], at)
			}
			return
		case hasWord("-o -s -c -f -C --outfile --sort --command --file --coverdir --ignore-module --ignore-dir", t):
			i++
		case strings.HasPrefix(t, "-"):
		default:
			p.pyScript(c, args[i], at)
			return
		}
	}
}

// pyScript covers a file that a module runs, and the directory in which it looks for
// modules.
func (p *planner) pyScript(c *shell.Call, w shell.Word, at spot) {
	for _, path := range p.script(c, w, at, "which file "+c.Name+" runs") {
		for _, dir := range pyFirst(path) {
			p.shadows(c, dir)
		}
	}
}
