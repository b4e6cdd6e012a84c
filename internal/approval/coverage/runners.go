package coverage

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/taskfile"
)

// runner covers the files of a runner as a whole, and what those texts run that it takes
// from them.
func (p *planner) runner(c *shell.Call, at spot) bool {
	if !taskfile.Knows(c.Name) {
		return false
	}
	if onlyAsks(c) {
		return true
	}
	if at.lost {
		p.unsure("where " + c.Name + " runs is only known when it runs")
	}
	is := at.lost
	for i := range c.Args {
		// Who looks up from a directory, or goes there, goes by where it is.
		for _, dir := range at.dirs {
			if t := c.Args[i].Text; strings.Contains(t, "..") && p.resolveDots(dir, t) != filepath.Clean(filepath.Join(dir, t)) && !isAbs(t) {
				p.anywhere(c.Name + " is led up from a link by " + visible(t))
			}
		}
	}
	for _, dir := range p.bothNames(at.dirs) {
		res, ok := taskfile.Read(c, dir, p.look)
		is = is || ok
		for _, why := range res.Unsure {
			p.anywhere(why) // a target that runs pytest tells no more than pytest
		}
		for i := range res.Parts {
			p.runnerPart(&res.Parts[i])
		}
		for i := range res.Texts {
			p.runnerText(&res.Texts[i])
		}
	}
	return is
}

// bothNames are directories as they are called and as they are.
func (p *planner) bothNames(dirs []string) []string {
	out := slices.Clip(dirs)
	for _, dir := range dirs {
		if real := p.realPath(dir, "."); !slices.Contains(out, real) {
			out = append(out, real)
		}
	}
	return out
}

func (p *planner) runnerPart(part *taskfile.Part) {
	if part.Name == "" {
		p.part(part.Path, false)
	} else if !isSystem(p.place.Top, part.Path) && !isSystem(p.place.Root, part.Path) {
		p.add(Part(*part))
	}
}

// runnerText follows a text of a runner's file, as if it were the hook's own: what it runs
// need not be there.
func (p *planner) runnerText(t *taskfile.Text) {
	key := "t" + t.Dir + "\x00" + t.Text
	if slices.Contains(p.ran, key) || p.tooDeep() {
		return
	}
	p.ran = append(p.ran, key)
	vars, bash := p.vars, p.bash
	p.vars, p.bash = slices.Clone(vars), false
	for i := range t.Env {
		p.set(t.Env[i].Name, t.Env[i].Value)
	}
	if len(t.Bin) > 0 {
		p.set("PATH", shell.Word{Text: strings.Join(append(slices.Clip(t.Bin), p.pathNow()), string(filepath.ListSeparator))})
	}
	own := p.own
	if p.inside++; p.inside == own+1 {
		p.own++
	}
	p.follow(t.Text, t.Dir, nil)
	p.inside--
	p.own = own
	p.vars, p.bash = vars, bash
}

func (p *planner) set(name string, val shell.Word) {
	p.vars = slices.DeleteFunc(p.vars, func(v shell.Variable) bool { return v.Name == name })
	p.vars = append(p.vars, shell.Variable{Name: name, Value: val})
}

// pathNow is the PATH of what is followed.
func (p *planner) pathNow() string {
	for i := range p.vars {
		if p.vars[i].Name == "PATH" {
			return p.vars[i].Value.Text
		}
	}
	return strings.Join(p.ambientPath(), string(filepath.ListSeparator))
}
