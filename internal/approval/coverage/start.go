package coverage

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/code"
	"github.com/checkrein/checkrein/internal/shell/resolve"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

func lookup(env []string, name string) string {
	val, _ := environ.Lookup(env, name)
	return val
}

// start covers what one program that is started runs: itself, and what it is told to.
func (p *planner) start(s *resolve.Start, dir string) {
	c := s.Call
	if c.Remote != "" {
		return // whatever starts it there was seen before
	}
	at := p.spotOf(c, dir)
	vars, in := p.vars, p.in
	p.now, p.vars, p.in = s, s.Vars, p.inputOf(s, at)
	defer func() { p.vars, p.in = vars, in }()
	p.program(s, at)
	for i := range s.Bent {
		p.bent(c, &s.Bent[i], at)
	}
	p.noteChange(c)
	argv.EachLoad(c.Name, c.Args, func(key string, how argv.Load, val shell.Word) {
		p.loaded(c.Name, how, val, at)
		if how == argv.LoadsFile && (key == "--rcfile" || key == "--init-file") {
			for _, path := range p.script(c, val, at, "what "+c.Name+" loads") {
				p.followSourced(path, nil, at)
			}
		}
	})
	switch {
	case c.Path == "." || c.Path == "source":
		p.source(c, s, at)
		return
	case facts.Shell(c.Name):
		p.shell(c, s, at)
		return
	}
	p.dashed(c, at)
	if p.addRunner(c, at) || p.interpreter(c, at) || p.byTable(c, at) {
		return
	}
	if c.Name == "git" {
		p.addGit(c, at)
	}
}

// program covers the program itself.
func (p *planner) program(s *resolve.Start, at spot) {
	c := s.Call
	switch {
	case !s.Word.Known():
		p.unsureAbout(s.Word, "which program runs")
		if !p.behindEnv { // of env $(cat .env) x it is most likely variables
			p.addSourcesOf(s.Word, at, func(path string, at spot) { p.followSourced(path, nil, at) })
		}
		// Whatever it is, it may run what it is given.
		for i := range c.Args {
			p.perhaps(c.Args[i], at)
		}
	case strings.Contains(c.Path, "/"):
		list, known := p.resolveWord(s.Word, at)
		if !known {
			p.unsureAbout(shell.Word{Text: c.Path}, "where "+visible(c.Path)+" lies")
		}
		p.runs(list, c.Args, at, known && !wrote(c, c.Path) && !p.foundDir && !p.unbuilt(c.Path, list))
		p.after(c.Path, list)
		p.made(c, c.Path, at)
	case !s.Own:
		if s.Search != nil {
			p.addFromPath(c.Path, s.Search.Text, at.dirs)
			p.subcommands(c, s.Search.Text, at.dirs)
		}
		for _, bin := range p.active {
			p.addFromPath(c.Path, bin, at.dirs)
		}
		if c.Wrapped && strings.HasSuffix(c.Path, ".py") { // uv run x.py
			p.script(c, s.Word, at, "")
		}
	}
	if p.isFoundInTree(s.Word) || p.foundDir && strings.Contains(c.Path, "/") && !isAbs(c.Path) {
		p.unsure("which files find starts is only known when it runs")
	}
}

// perhaps covers an argument that is a file of the repository.
func (p *planner) perhaps(w shell.Word, at spot) {
	list, _ := p.resolveWord(w, at)
	for _, path := range list {
		if p.inRepo(path) && p.disk.Kind(path) == Regular {
			p.addFile(path, false)
		}
	}
}

// runs covers programs by their paths. Of several that one word may mean, those that
// are there count; else the first does, when it must be there.
func (p *planner) runs(list []string, args []shell.Word, at spot, must bool) {
	found := false
	for _, path := range list {
		if isSystem(p.place.Root, path) {
			found = true
			p.starts(path)
		} else if p.disk.Kind(path) == Regular {
			found = true
			p.starts(path)
			if p.addFile(path, false) {
				p.followExecuted(path, args, at)
			}
		}
	}
	if !found && must && len(list) > 0 {
		p.starts(list[0])
		p.addFile(list[0], true)
	}
}

func (p *planner) starts(path string) {
	if p.started != nil && p.inside == 0 {
		p.started(path)
	}
}

// wrote reports whether the text itself made a file before it ran it.
func wrote(c *shell.Call, path string) bool {
	f := fileOf(c, path)
	return f != nil && (f.Made || f.Sure)
}

func fileOf(c *shell.Call, path string) *shell.File {
	for i := range c.Files {
		if c.Files[i].Path == path {
			return &c.Files[i]
		}
	}
	return nil
}

// after notes that something may have changed a file before it runs.
func (p *planner) after(name string, list []string) {
	if p.change != "" && slices.ContainsFunc(list, p.inRepo) {
		p.unsure(p.change + " may change " + visible(name) + " before it runs")
	}
}

// made covers what flowed into a file that the text made and now runs.
func (p *planner) made(c *shell.Call, path string, at spot) {
	if f := fileOf(c, path); f != nil && !f.Sure {
		p.addPrinted(f.From, "what is in "+visible(path), at, func(string, spot) {})
	}
}

// script covers a file that something reads as a program.
func (p *planner) script(c *shell.Call, w shell.Word, at spot, what string) (list []string) {
	if fd, ok := descriptor(w.Text); ok {
		return p.stream(c, w.Text, fd, at, what)
	}
	list, known := p.resolveWord(w, at)
	if !known {
		p.unsureAbout(w, what)
		p.addSourcesOf(w, at, func(string, spot) {})
	}
	if p.isFoundInTree(w) {
		p.unsure("which files find starts is only known when it runs")
	}
	for _, path := range list {
		p.addFile(path, false)
	}
	p.made(c, w.Text, at)
	p.after(w.Text, list)
	return list
}

// descriptor is the number of an open file that a path stands for.
func descriptor(path string) (string, bool) {
	for _, dir := range [...]string{"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"} {
		if fd, ok := strings.CutPrefix(path, dir); ok {
			return fd, true
		}
	}
	if path == "/dev/stdin" {
		return "0", true
	}
	return "", false
}

// stream covers what is read from a descriptor.
func (p *planner) stream(c *shell.Call, path, fd string, at spot, what string) (list []string) {
	told := slices.Contains(p.now.Streams, path)
	for _, opens := range [...][]shell.Redirect{p.now.Open, c.Redir} {
		for i := range opens {
			r := &opens[i]
			if r.Fd != fd && !(r.Fd == "" && fd == "0") || r.Op != "<" && r.Op != "<>" {
				continue
			}
			if _, again := descriptor(r.Target.Text); !again {
				told = true
				list = append(list, p.script(c, r.Target, at, what)...)
			}
		}
	}
	if fd == "0" && c.In != nil {
		told = true
	}
	if !told {
		p.unsure(what + " is what " + visible(path) + " holds")
	}
	return list
}

// source covers the file that a shell reads in.
func (p *planner) source(c *shell.Call, s *resolve.Start, at spot) {
	if len(c.Args) == 0 {
		return
	}
	w, args := c.Args[0], c.Args[1:]
	if len(args) == 0 {
		args = s.Args
	}
	for _, path := range p.script(c, w, at, "which file "+c.Path+" reads") {
		p.followSourced(path, args, at)
		if filepath.Base(path) == "activate" && !slices.Contains(p.active, filepath.Dir(path)) {
			p.active = append(p.active, filepath.Dir(path))
		}
	}
	if s.Search != nil {
		p.addFromPath(w.Text, s.Search.Text, at.dirs)
	}
}

// shell covers what a shell runs.
func (p *planner) shell(c *shell.Call, s *resolve.Start, at spot) {
	use := argv.UseOf(c.Args)
	defer func(was bool) { p.bash = was }(p.bash)
	p.bash = c.Name != "busybox" && facts.TongueOf(c.Name) != facts.Sh
	switch {
	case use.Input:
		p.input(c, c.Args[use.Rest:], at)
	case use.Script >= 0:
		w := c.Args[use.Script]
		for _, path := range p.script(c, w, at, "which file "+c.Name+" runs") {
			p.followSourced(path, c.Args[use.Rest:], at)
		}
		if s.Search != nil && !strings.Contains(w.Text, "/") {
			p.addFromPath(w.Text, s.Search.Text, at.dirs)
		}
	}
}

// input covers what flows into a program that runs it.
func (p *planner) input(c *shell.Call, args []shell.Word, at spot) {
	fed, reads := false, p.codeOf(c, args)
	for i := range c.Redir {
		r := &c.Redir[i]
		if r.Fd != "" && r.Fd != "0" {
			continue
		}
		switch r.Op {
		case "<", "<>":
			fed = true
			if _, stream := descriptor(r.Target.Text); stream && c.In != nil {
				continue // <(…), which is what flows in
			}
			for _, path := range p.script(c, r.Target, at, "what "+c.Name+" runs") {
				reads(path, at)
			}
		case "<<", "<<<":
			fed = true
		}
	}
	if c.In != nil {
		fed = true
		if !c.In.Sure {
			p.addPrinted(c.In.From, "what "+c.Name+" runs", at, reads)
		}
	}
	for i := range p.now.Open {
		if r := &p.now.Open[i]; !fed && r.Fd == "0" && r.Op[0] == '<' {
			fed = true
			for _, path := range p.script(c, r.Target, at, "what "+c.Name+" runs") {
				reads(path, at)
			}
		}
	}
	if !fed {
		p.unsure(c.Name + " runs what it is sent: the event")
	}
}

// codeOf is what is done with a file whose text flows into a program: a shell's is
// followed.
func (p *planner) codeOf(c *shell.Call, args []shell.Word) func(path string, at spot) {
	if !facts.Shell(c.Name) {
		return func(string, spot) {}
	}
	return func(path string, at spot) { p.followSourced(path, args, at) }
}

// interpreter covers what an interpreter of another language runs.
func (p *planner) interpreter(c *shell.Call, at spot) bool {
	use, ok := code.UseOf(c)
	if !ok {
		return false
	}
	if use.Idle {
		return true
	}
	for _, name := range use.Loads {
		p.loaded(c.Name, argv.LoadsFile, shell.Word{Text: name, Quoted: true}, at)
	}
	if slices.ContainsFunc(c.Args, func(w shell.Word) bool { return strings.HasPrefix(w.Text, "--env-file") }) {
		p.unsure(c.Name + " takes options from a file of variables, which is not read")
	}
	switch {
	case use.Module != "": // see python
	case use.File != "":
		w := argument(c, use.File)
		list := p.script(c, w, at, "which file "+c.Name+" runs")
		p.implied(c, w, list)
	case use.Input:
		p.input(c, nil, at)
		p.addInlineCode(c, "", at)
	default:
		p.addInlineCode(c, use.Code, at)
	}
	if isPython(c.Name) {
		p.addPythonModules(c, &use, at)
	}
	return true
}

// argument is the word of a call with a text.
func argument(c *shell.Call, text string) shell.Word {
	for i := range c.Args {
		if c.Args[i].Text == text {
			return c.Args[i]
		}
	}
	return shell.Word{Text: text, Quoted: true}
}

// implied covers what an interpreter runs when it is given a directory, or a name
// without its ending.
func (p *planner) implied(c *shell.Call, w shell.Word, list []string) {
	for _, path := range list {
		switch kind := p.disk.Kind(path); {
		case kind == Directory && isPython(c.Name):
			p.addFile(filepath.Join(path, "__main__.py"), false)
			p.unsure(c.Name + " runs the directory " + visible(w.Text))
		case kind == Directory:
			for _, name := range [...]string{"package.json", "index.js", "index.mjs", "index.ts"} {
				p.addFile(filepath.Join(path, name), false)
			}
			p.unsure(c.Name + " runs the directory " + visible(w.Text))
		case kind == Nothing:
			for _, end := range [...]string{".js", ".mjs", ".cjs", ".ts", ".json"} {
				p.addFile(path+end, false)
			}
		}
	}
}
