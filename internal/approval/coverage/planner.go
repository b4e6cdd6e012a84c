package coverage

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/resolve"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// A planner builds one plan.
type planner struct {
	place       Place
	disk        *DiskView
	dir         string           // the directory that the hook starts in
	vars        []shell.Variable // the variables that are known
	in          *shell.Flow      // standard input, if its source is known
	unknownVars []string         // variables that the hook's text mentions and whose values are unknown
	plan        Plan
	now         *resolve.Start // the start that is being analysed
	behindEnv   bool           // the previous start is the env command
	found       bool           // find or a similar program starts the programs of the text
	foundDir    bool           // it starts them in the directories of the files that it finds
	change      string         // what may have changed files of the repository earlier
	builder     string         // what may have created files earlier
	hooksPath   string         // the directory that a call sets as git's hooks directory
	inside      int            // nesting depth of files around the text; 0 means the hook's own text
	own         int            // how many of these files are task files that the hook's own text names
	texts       int            // number of texts analysed
	bytes       int            // their total size
	realTop     string         // the repository with symlinks resolved; "" means not yet determined
	stack       []string       // the files that are being followed
	followed    []string       // files and texts that were followed
	path        []string       // the elements of PATH without the hook's changes; nil means not yet determined
	active      []string       // directories of virtual environments that a sourced file adds to PATH

	bash bool // the text is certainly not read by a plain POSIX shell

	started func(path string) // called with the programs that the hook's own text starts; may be nil
}

// newPlanner returns a planner for the hook that l starts in place. It knows the values of more,
// besides the variables that are always known.
func newPlanner(place Place, disk *DiskView, l *launch, more []shell.Variable) *planner {
	p := &planner{place: place, disk: disk, dir: l.dir}
	if p.dir == "" {
		p.dir = place.Root
	}
	for _, name := range l.mentioned {
		if isRootVar(name) {
			root := place.Root
			if name != l.rootVar { // l.rootVar is set when the hook runs
				root = canonicalRoot(place, lookupEnv(l.environ, name))
				p.dependOnVar(name)
			}
			p.vars = append(p.vars, shell.Variable{Name: name, Value: shell.Word{Text: root}})
		}
	}
	p.vars = append(p.vars, more...)
	if slices.ContainsFunc(l.own, func(v environ.Var) bool { return v.Name == "HOME" }) {
		p.place.Home, _ = environ.Lookup(l.environ, "HOME")
	}
	path, ok := environ.Lookup(l.environ, "PATH")
	if !ok {
		path = resolve.DefaultPATH
	}
	p.vars = append(p.vars, shell.Variable{Name: "PATH", Value: shell.Word{Text: path}})
	for i := range l.own {
		if name := l.own[i].Name; name != "PATH" {
			val, _ := environ.Lookup(l.environ, name)
			p.vars = append(p.vars, shell.Variable{Name: name, Value: shell.Word{Text: val}})
		}
	}
	p.addHijackVars(l)
	for _, name := range l.settingsVars {
		p.dependOnVar(name)
	}
	for _, name := range l.mentioned {
		if !slices.ContainsFunc(p.vars, func(v shell.Variable) bool { return v.Name == name }) && name != "HOME" && name != "PWD" {
			p.unknownVars = append(p.unknownVars, name)
		}
		if name == "HOME" {
			p.dependOnVar(name)
		}
	}
	return p
}

// addHijackVars adds the environment variables that make programs load code from the repository,
// unless the planner has them already.
func (p *planner) addHijackVars(l *launch) {
	for _, entry := range environOrDefault(l.environ) {
		name, val, _ := strings.Cut(entry, "=")
		if p.hasVar(name) || !p.varLoadsRepoCode(name, val) {
			continue
		}
		p.vars = append(p.vars, shell.Variable{Name: name, Value: shell.Word{Text: val}})
	}
}

// leadsIntoRepo reports whether the environment variable name, set to val, makes programs look for
// code in the repository.
func (p *planner) leadsIntoRepo(name, val string) bool {
	return name == "PYTHONPATH" && hasEmptyElement(val) || p.namesRepoPath(val)
}

// namesRepoPath reports whether one of the paths that val lists is in the repository, or begins with a
// dot.
func (p *planner) namesRepoPath(val string) bool {
	for part := range strings.FieldsFuncSeq(val, func(r rune) bool { return strings.ContainsRune(":;, \t=@", r) }) {
		if strings.HasPrefix(part, ".") || filepath.IsAbs(part) && p.inRepo(filepath.Clean(part)) {
			return true
		}
	}
	return false
}

// inRepo reports whether path lies in the repository, by its name or after resolving symlinks.
func (p *planner) inRepo(path string) bool {
	return p.nameInRepo(path) || p.linksIntoRepo(path)
}

// nameInRepo reports whether path lies in the repository by its name, without resolving symlinks.
func (p *planner) nameInRepo(path string) bool {
	return isWithin(p.place.Top, path) || isWithin(p.place.Root, path)
}

// linksIntoRepo reports whether symlinks outside the repository lead path into it.
func (p *planner) linksIntoRepo(path string) bool {
	if p.realTop == "" {
		if p.realTop = p.place.Top; p.realTop == "" {
			p.realTop = p.place.Root
		}
		if real, err := filepath.EvalSymlinks(p.realTop); err == nil {
			p.realTop = real
		}
	}
	real, err := filepath.EvalSymlinks(path)
	return err == nil && real != path && isWithin(p.realTop, real)
}

// isWithin reports whether path is dir or lies below it. It returns false if dir is "".
func isWithin(dir, path string) bool {
	if dir == "" {
		return false
	}
	rest, ok := strings.CutPrefix(path, filepath.Clean(dir))
	return ok && (rest == "" || rest[0] == filepath.Separator || dir == string(filepath.Separator))
}

// finish completes the plan and returns it.
func (p *planner) finish() Plan {
	if p.disk.IsFull() {
		p.noteUnsure("it depends on more files than checkrein follows")
	}
	slices.Sort(p.plan.Vars)
	return p.plan
}

// dependOnVar records that the plan depends on the variable name.
func (p *planner) dependOnVar(name string) {
	if !slices.Contains(p.plan.Vars, name) {
		p.plan.Vars = append(p.plan.Vars, name)
	}
}

// noteUnsure adds why to Plan.Unsure, unless the text being analysed is that of a script, which is
// covered itself.
func (p *planner) noteUnsure(why string) {
	if p.inside > p.own || slices.Contains(p.plan.Unsure, why) {
		return
	}
	if len(p.plan.Unsure) < maxUnsure {
		p.plan.Unsure = append(p.plan.Unsure, why)
	}
}

// noteUnknownWord records that w, a word that decides what runs, is unknown. what describes its
// meaning in the message.
func (p *planner) noteUnknownWord(w shell.Word, what string) {
	switch {
	case len(w.From) > 0 && w.From[0].Name != ":":
		p.noteUnsure(what + " depends on the output of " + w.From[0].Name)
	case len(p.unknownVars) == 1:
		p.noteUnsure("$" + p.unknownVars[0] + " is only known when it runs")
	case len(p.unknownVars) > 1 && len(p.unknownVars) <= 4:
		p.noteUnsure("$" + strings.Join(p.unknownVars, ", $") + " are only known when it runs")
	default:
		if !w.IsKnown() {
			what += ", " + messageText(w.Text) + ","
		}
		p.noteUnsure(what + " is only known when it runs")
	}
}

// messageText returns s without control characters and shortened, for messages.
func messageText(s string) string {
	s = strings.ReplaceAll(s, string(shell.Placeholder), "…")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}

// addFile covers the file at path, which runs, and reports whether it exists as a regular file. If
// must is set, the hook's own text covers even a missing file. Files of the operating system are not
// covered.
func (p *planner) addFile(path string, must bool) bool {
	if isSystem(p.place.Top, path) || isSystem(p.place.Root, path) {
		return false
	}
	kind := p.disk.Kind(path)
	there := kind == Regular
	// The contents of a pipe are unknown, so it is covered and cannot be approved.
	if !there && kind != Special && (!must || p.inside > 0) {
		return false
	}
	p.addPart(Part{Path: path})
	if isPython(filepath.Base(path)) && p.inRepo(path) {
		p.noteUnsureAnywhere(filepath.Base(path) + " belongs to this repository, and so do its packages")
	}
	return there
}

// addPart adds part to the plan unless the plan contains it or is full.
func (p *planner) addPart(part Part) {
	same := func(q Part) bool { return q.Path == part.Path && q.Name == part.Name }
	if slices.ContainsFunc(p.plan.Parts, same) {
		return
	}
	if len(p.plan.Parts) == maxParts {
		p.noteUnsureAnywhere("it runs more files than checkrein follows")
		return
	}
	if part.Name == "" {
		_, _ = p.disk.Digest(part.Path)
	}
	p.plan.Parts = append(p.plan.Parts, part)
}

// noteUnsureAnywhere is noteUnsure for reasons that count within scripts too, because files may be
// missing from the plan or a program may run anything in the repository.
func (p *planner) noteUnsureAnywhere(why string) {
	inside := p.inside
	p.inside = 0
	p.noteUnsure(why)
	p.inside = inside
}

// shellPlace returns the place for analysing text that runs in dir.
func (p *planner) shellPlace(dir string) shell.Place {
	return shell.Place{Dir: dir, Root: p.place.Root, Home: p.place.Home, Getenv: p.getenv, Kind: p.pathKind}
}

// getenv returns the value of name in the environment and records that the plan depends on it.
func (p *planner) getenv(name string) string {
	p.dependOnVar(name)
	val, _ := environ.Lookup(p.place.Environ, name)
	return val
}

func (p *planner) pathKind(path string) shell.PathKind {
	switch p.disk.Kind(filepath.Clean(path)) {
	case Regular:
		return shell.PathFile
	case Directory:
		return shell.PathDir
	}
	return shell.NoPath
}

// initialState returns the state in which the analysis of a text begins.
func (p *planner) initialState() *resolve.InitialState {
	return &resolve.InitialState{Vars: p.vars, In: p.in, RepoTop: p.topOfRepo, RealPath: p.realPath}
}

// followText covers what text, which a shell runs in dir, starts. script holds the name and arguments
// of the file that text comes from, and is nil if it does not come from a file.
func (p *planner) followText(text, dir string, script *resolve.InitialState) {
	p.texts++
	if p.bytes += len(text); p.texts > maxTexts || p.bytes > maxBytes {
		p.noteUnsureAnywhere("it runs more code than checkrein follows")
		return
	}
	vars := p.vars
	defer func() { p.vars = vars }()
	p.addDefaultedVars(text)
	s := p.initialState()
	if script != nil {
		s.Zero, s.Args = script.Zero, script.Args
	}
	p.addTrace(resolve.TraceText(text, p.shellPlace(dir), s), dir)
	if !p.bash && p.dependsOnShell(text) {
		// On some systems sh is another shell. Files that only such a shell would run are covered if they exist.
		s.Vars, s.POSIX = p.vars, true
		p.inside++
		p.addTrace(resolve.TraceText(text, p.shellPlace(dir), s), dir)
		p.inside--
	}
}

// dependsOnShell reports whether a plain POSIX shell may run other files for text than bash does.
func (p *planner) dependsOnShell(text string) bool {
	for _, mark := range [...]string{"$'", "$\"", "~+", "~-"} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	for i := range len(text) {
		if text[i] == '{' && (i == 0 || text[i-1] != '$') {
			if inner, _, ok := strings.Cut(text[i:], "}"); ok && (strings.Contains(inner, ",") || strings.Contains(inner, "..")) {
				return true
			}
		}
	}
	if !strings.Contains(text, "PATH") && !slices.ContainsFunc(filepath.SplitList(p.pathVar()), p.belongsToHook) {
		return false
	}
	for _, word := range [...]string{"[[", "let", "time", "coproc", "function", "select", "declare", "typeset"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// addTrace covers what t, the trace of a text that runs in dir, starts.
func (p *planner) addTrace(t *resolve.Trace, dir string) {
	found, there, change, builder := p.found, p.foundDir, p.change, p.builder
	for _, s := range t.Starts {
		finds, there := finderStarts(s.Call)
		p.found, p.foundDir = p.found || finds, p.foundDir || there
		p.noteHooksPath(s.Call)
	}
	for i := range t.Starts {
		p.behindEnv = i > 0 && t.Starts[i-1].Call.Name == "env"
		p.addStart(&t.Starts[i], dir)
	}
	p.found, p.foundDir = found, there
	if p.inside > 0 {
		p.change, p.builder = change, builder
	}
	for i := range t.Texts {
		p.addEvaluated(&t.Texts[i], dir)
	}
	for _, u := range t.Gaps {
		if u.Words == "" {
			p.texts += maxTexts / 4
			p.noteUnsureAnywhere(u.Reason)
		} else {
			p.noteUnsure(messageText(u.Words) + ": " + u.Reason)
		}
	}
}
