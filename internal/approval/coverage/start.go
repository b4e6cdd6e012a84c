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

// lookupEnv returns the value of name in env, or "" if it is unset.
func lookupEnv(env []string, name string) string {
	val, _ := environ.Lookup(env, name)
	return val
}

// addStart covers what s, a program started by a text that runs in dir, runs: the program itself, and
// the files that its arguments make it run.
func (p *planner) addStart(s *resolve.Start, dir string) {
	c := s.Call
	if c.Remote != "" {
		return // the program that starts it remotely is covered
	}
	at := p.spotOf(c, dir)
	vars, in := p.vars, p.in
	p.now, p.vars, p.in = s, s.Vars, p.stdinOf(s, at)
	defer func() { p.vars, p.in = vars, in }()
	p.addProgram(s, at)
	for i := range s.HijackVars {
		p.addHijackVar(c, &s.HijackVars[i], at)
	}
	p.noteChange(c)
	argv.EachLoad(c.Name, c.Args, func(key string, how argv.Load, val shell.Word) {
		p.addLoaded(c.Name, how, val, at)
		if how == argv.LoadsFile && (key == "--rcfile" || key == "--init-file") {
			for _, path := range p.addScript(c, val, at, "what "+c.Name+" loads") {
				p.followSourced(path, nil, at)
			}
		}
	})
	switch {
	case c.Path == "." || c.Path == "source":
		p.addSource(c, s, at)
		return
	case facts.IsShell(c.Name):
		p.addShell(c, s, at)
		return
	}
	p.noteNamesReadAsOptions(c, at)
	if p.addRunner(c, at) || p.addInterpreter(c, at) || p.addScriptProgram(c, at) {
		return
	}
	if c.Name == "git" {
		p.addGit(c, at)
	}
}

// addProgram covers the program of s itself.
func (p *planner) addProgram(s *resolve.Start, at spot) {
	c := s.Call
	switch {
	case !s.Word.IsKnown():
		p.noteUnknownWord(s.Word, "which program runs")
		if !p.behindEnv { // in env $(cat .env) x, the word most likely holds variables
			p.addSourcesOf(s.Word, at, func(path string, at spot) { p.followSourced(path, nil, at) })
		}
		// Whatever the program is, it may run its arguments.
		for i := range c.Args {
			p.addRepoFilesNamed(c.Args[i], at)
		}
	case strings.Contains(c.Path, "/"):
		list, known := p.resolveWord(s.Word, at)
		if !known {
			p.noteUnknownWord(shell.Word{Text: c.Path}, "where "+messageText(c.Path)+" lies")
		}
		p.addExecutables(list, c.Args, at, known && !isCreatedByText(c, c.Path) && !p.foundDir && !p.mayBeBuilt(c.Path, list))
		p.noteChangedFiles(c.Path, list)
		p.addCreatedFile(c, c.Path, at)
	case !s.Builtin:
		if s.Search != nil {
			p.addFromPath(c.Path, s.Search.Text, at.dirs)
			p.addSubcommands(c, s.Search.Text, at.dirs)
		}
		for _, bin := range p.active {
			p.addFromPath(c.Path, bin, at.dirs)
		}
		if c.Wrapped && strings.HasSuffix(c.Path, ".py") { // uv run x.py
			p.addScript(c, s.Word, at, "")
		}
	}
	if p.isFoundInTree(s.Word) || p.foundDir && strings.Contains(c.Path, "/") && !isAbs(c.Path) {
		p.noteUnsure("which files find starts is only known when it runs")
	}
}

// addRepoFilesNamed covers the regular files of the repository that w names.
func (p *planner) addRepoFilesNamed(w shell.Word, at spot) {
	list, _ := p.resolveWord(w, at)
	for _, path := range list {
		if p.inRepo(path) && p.disk.Kind(path) == Regular {
			p.addFile(path, false)
		}
	}
}

// addExecutables covers the existing programs in list, the paths that one word may name, and follows
// them with args. If none exists and must is set, it covers the first path.
func (p *planner) addExecutables(list []string, args []shell.Word, at spot, must bool) {
	found := false
	for _, path := range list {
		if isSystem(p.place.Root, path) {
			found = true
			p.noteStarted(path)
		} else if p.disk.Kind(path) == Regular {
			found = true
			p.noteStarted(path)
			if p.addFile(path, false) {
				p.followExecuted(path, args, at)
			}
		}
	}
	if !found && must && len(list) > 0 {
		p.noteStarted(list[0])
		p.addFile(list[0], true)
	}
}

// noteStarted calls p.started, unless that is nil, if the hook's own text starts path.
func (p *planner) noteStarted(path string) {
	if p.started != nil && p.inside == 0 {
		p.started(path)
	}
}

// isCreatedByText reports whether the text of c creates the file at path before c runs it.
func isCreatedByText(c *shell.Call, path string) bool {
	f := createdFile(c, path)
	return f != nil && (f.Created || f.Complete)
}

// createdFile returns the file at path that the text created before c, or nil if there is none.
func createdFile(c *shell.Call, path string) *shell.File {
	for i := range c.Files {
		if c.Files[i].Path == path {
			return &c.Files[i]
		}
	}
	return nil
}

// noteChangedFiles records that an earlier program may change the files in list, which the text calls
// name, before they run.
func (p *planner) noteChangedFiles(name string, list []string) {
	if p.change != "" && slices.ContainsFunc(list, p.inRepo) {
		p.noteUnsure(p.change + " may change " + messageText(name) + " before it runs")
	}
}

// addCreatedFile covers the files from which the text created the file at path, which c runs.
func (p *planner) addCreatedFile(c *shell.Call, path string, at spot) {
	if f := createdFile(c, path); f != nil && !f.Complete {
		p.addPrintedFiles(f.From, "what is in "+messageText(path), at, func(string, spot) {})
	}
}

// addScript covers the files named by w, which c reads as programs, and returns their paths. what
// describes them in messages.
func (p *planner) addScript(c *shell.Call, w shell.Word, at spot, what string) (list []string) {
	if fd, ok := fdOf(w.Text); ok {
		return p.addStream(c, w.Text, fd, at, what)
	}
	list, known := p.resolveWord(w, at)
	if !known {
		p.noteUnknownWord(w, what)
		p.addSourcesOf(w, at, func(string, spot) {})
	}
	if p.isFoundInTree(w) {
		p.noteUnsure("which files find starts is only known when it runs")
	}
	for _, path := range list {
		p.addFile(path, false)
	}
	p.addCreatedFile(c, w.Text, at)
	p.noteChangedFiles(w.Text, list)
	return list
}

// fdOf returns the file descriptor that path stands for, such as "0" for /dev/stdin. It reports false
// if path is not a file descriptor.
func fdOf(path string) (string, bool) {
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

// addStream covers the files that c reads through the file descriptor fd, which it calls path, and
// returns their paths.
func (p *planner) addStream(c *shell.Call, path, fd string, at spot, what string) (list []string) {
	known := slices.Contains(p.now.Streams, path)
	for _, opens := range [...][]shell.Redirect{p.now.Open, c.Redir} {
		for i := range opens {
			r := &opens[i]
			if r.Fd != fd && !(r.Fd == "" && fd == "0") || r.Op != "<" && r.Op != "<>" {
				continue
			}
			if _, again := fdOf(r.Target.Text); !again {
				known = true
				list = append(list, p.addScript(c, r.Target, at, what)...)
			}
		}
	}
	if fd == "0" && c.In != nil {
		known = true
	}
	if !known {
		p.noteUnsure(what + " depends on the contents of " + messageText(path))
	}
	return list
}

// addSource covers the file that c, a source or "." command, reads.
func (p *planner) addSource(c *shell.Call, s *resolve.Start, at spot) {
	if len(c.Args) == 0 {
		return
	}
	w, args := c.Args[0], c.Args[1:]
	if len(args) == 0 {
		args = s.Args
	}
	for _, path := range p.addScript(c, w, at, "which file "+c.Path+" reads") {
		p.followSourced(path, args, at)
		if filepath.Base(path) == "activate" && !slices.Contains(p.active, filepath.Dir(path)) {
			p.active = append(p.active, filepath.Dir(path))
		}
	}
	if s.Search != nil {
		p.addFromPath(w.Text, s.Search.Text, at.dirs)
	}
}

// addShell covers what c, a call of a shell, runs: its standard input or a script.
func (p *planner) addShell(c *shell.Call, s *resolve.Start, at spot) {
	use := argv.ParseShellSource(c.Args)
	defer func(was bool) { p.bash = was }(p.bash)
	p.bash = c.Name != "busybox" && facts.LanguageOf(c.Name) != facts.Sh
	switch {
	case use.Stdin:
		p.addStdin(c, c.Args[use.Rest:], at)
	case use.Script >= 0:
		w := c.Args[use.Script]
		for _, path := range p.addScript(c, w, at, "which file "+c.Name+" runs") {
			p.followSourced(path, c.Args[use.Rest:], at)
		}
		if s.Search != nil && !strings.Contains(w.Text, "/") {
			p.addFromPath(w.Text, s.Search.Text, at.dirs)
		}
	}
}

// addStdin covers what c runs from its standard input with args.
func (p *planner) addStdin(c *shell.Call, args []shell.Word, at spot) {
	fed, reads := false, p.inputFollower(c, args)
	for i := range c.Redir {
		r := &c.Redir[i]
		if r.Fd != "" && r.Fd != "0" {
			continue
		}
		switch r.Op {
		case "<", "<>":
			fed = true
			if _, stream := fdOf(r.Target.Text); stream && c.In != nil {
				continue // <(…), whose output is c.In
			}
			for _, path := range p.addScript(c, r.Target, at, "what "+c.Name+" runs") {
				reads(path, at)
			}
		case "<<", "<<<":
			fed = true
		}
	}
	if c.In != nil {
		fed = true
		if !c.In.Complete {
			p.addPrintedFiles(c.In.From, "what "+c.Name+" runs", at, reads)
		}
	}
	for i := range p.now.Open {
		if r := &p.now.Open[i]; !fed && r.Fd == "0" && r.Op[0] == '<' {
			fed = true
			for _, path := range p.addScript(c, r.Target, at, "what "+c.Name+" runs") {
				reads(path, at)
			}
		}
	}
	if !fed {
		p.noteUnsure(c.Name + " runs its standard input, which is the event")
	}
}

// inputFollower returns the function for files whose text flows into c. It follows them if c is a
// shell, and otherwise does nothing.
func (p *planner) inputFollower(c *shell.Call, args []shell.Word) func(path string, at spot) {
	if !facts.IsShell(c.Name) {
		return func(string, spot) {}
	}
	return func(path string, at spot) { p.followSourced(path, args, at) }
}

// addInterpreter covers what c runs if it calls an interpreter of another language. It reports whether
// it does.
func (p *planner) addInterpreter(c *shell.Call, at spot) bool {
	use, ok := code.ParseInvocation(c)
	if !ok {
		return false
	}
	if use.RunsNothing {
		return true
	}
	for _, name := range use.Preloads {
		p.addLoaded(c.Name, argv.LoadsFile, shell.Word{Text: name, Quoted: true}, at)
	}
	if slices.ContainsFunc(c.Args, func(w shell.Word) bool { return strings.HasPrefix(w.Text, "--env-file") }) {
		p.noteUnsure(c.Name + " takes options from an environment file, which checkrein does not read")
	}
	switch {
	case use.Module != "": // see addPythonModules
	case use.File != "":
		w := argumentWord(c, use.File)
		list := p.addScript(c, w, at, "which file "+c.Name+" runs")
		p.addImpliedFiles(c, w, list)
	case use.ReadsStdin:
		p.addStdin(c, nil, at)
		p.addInlineCode(c, "", at)
	default:
		p.addInlineCode(c, use.Code, at)
	}
	if isPython(c.Name) {
		p.addPythonModules(c, &use, at)
	}
	return true
}

// argumentWord returns the argument of c whose text is text, or text as a quoted word if there is
// none.
func argumentWord(c *shell.Call, text string) shell.Word {
	for i := range c.Args {
		if c.Args[i].Text == text {
			return c.Args[i]
		}
	}
	return shell.Word{Text: text, Quoted: true}
}

// addImpliedFiles covers what the interpreter c runs if w, which names the paths in list, is a
// directory or lacks its extension.
func (p *planner) addImpliedFiles(c *shell.Call, w shell.Word, list []string) {
	for _, path := range list {
		switch kind := p.disk.Kind(path); {
		case kind == Directory && isPython(c.Name):
			p.addFile(filepath.Join(path, "__main__.py"), false)
			p.noteUnsure(c.Name + " runs the directory " + messageText(w.Text))
		case kind == Directory:
			for _, name := range [...]string{"package.json", "index.js", "index.mjs", "index.ts"} {
				p.addFile(filepath.Join(path, name), false)
			}
			p.noteUnsure(c.Name + " runs the directory " + messageText(w.Text))
		case kind == Nothing:
			for _, end := range [...]string{".js", ".mjs", ".cjs", ".ts", ".json"} {
				p.addFile(path+end, false)
			}
		}
	}
}
