package coverage

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/taskfile"
)

// addRunner covers the task files of c, a runner such as make, and what their tasks run. It reports
// whether c needs no further analysis.
func (p *planner) addRunner(c *shell.Call, at spot) bool {
	if !taskfile.IsRunner(c.Name) {
		return false
	}
	if isInfoCall(c) {
		return true
	}
	if at.lost {
		p.noteUnsure("the directory in which " + c.Name + " runs is only known when it runs")
	}
	is := at.lost
	for i := range c.Args {
		// A runner that searches parent directories, or changes directory, starts at the resolved path.
		for _, dir := range at.dirs {
			if t := c.Args[i].Text; strings.Contains(t, "..") && p.resolveDots(dir, t) != filepath.Clean(filepath.Join(dir, t)) && !isAbs(t) {
				p.noteUnsureAnywhere(c.Name + " goes up from a symlink with " + messageText(t))
			}
		}
	}
	for _, dir := range p.withRealPaths(at.dirs) {
		res, ok := taskfile.Read(c, dir, p.disk)
		is = is || ok
		for _, why := range res.Unsure {
			p.noteUnsureAnywhere(why) // a target that runs pytest is as opaque as pytest
		}
		for i := range res.Parts {
			p.addRunnerPart(&res.Parts[i])
		}
		for i := range res.Texts {
			p.addRunnerText(&res.Texts[i])
		}
	}
	return is
}

// withRealPaths returns dirs and, where these differ, the same directories with symlinks resolved.
func (p *planner) withRealPaths(dirs []string) []string {
	out := slices.Clip(dirs)
	for _, dir := range dirs {
		if real := p.realPath(dir, "."); !slices.Contains(out, real) {
			out = append(out, real)
		}
	}
	return out
}

// addRunnerPart covers part, a task file or a part of one.
func (p *planner) addRunnerPart(part *taskfile.Part) {
	if part.Name == "" {
		p.addFile(part.Path, false)
	} else if !isSystem(p.place.Top, part.Path) && !isSystem(p.place.Root, part.Path) {
		p.addPart(Part(*part))
	}
}

// addRunnerText follows the text of a task like the hook's own text, so that what is unknown in it
// counts.
func (p *planner) addRunnerText(t *taskfile.Text) {
	key := "t" + t.Dir + "\x00" + t.Text
	if slices.Contains(p.followed, key) || p.isTooDeep() {
		return
	}
	p.followed = append(p.followed, key)
	vars, bash := p.vars, p.bash
	p.vars, p.bash = slices.Clone(vars), false
	for i := range t.Env {
		p.setVar(t.Env[i].Name, t.Env[i].Value)
	}
	if len(t.Bin) > 0 {
		p.setVar("PATH", shell.Word{Text: strings.Join(append(slices.Clip(t.Bin), p.pathVar()), string(filepath.ListSeparator))})
	}
	own := p.own
	if p.inside++; p.inside == own+1 {
		p.own++
	}
	p.followText(t.Text, t.Dir, nil)
	p.inside--
	p.own = own
	p.vars, p.bash = vars, bash
}

// setVar sets the variable name to val for the text that is followed next.
func (p *planner) setVar(name string, val shell.Word) {
	p.vars = slices.DeleteFunc(p.vars, func(v shell.Variable) bool { return v.Name == name })
	p.vars = append(p.vars, shell.Variable{Name: name, Value: val})
}

// pathVar returns the value of PATH for the text that is being followed.
func (p *planner) pathVar() string {
	for i := range p.vars {
		if p.vars[i].Name == "PATH" {
			return p.vars[i].Value.Text
		}
	}
	return strings.Join(p.ambientPath(), string(filepath.ListSeparator))
}
