package coverage

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/resolve"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// A planner makes one plan.
type planner struct {
	place     Place
	look      *DiskView
	dir       string           // that the hook starts in
	vars      []shell.Variable // the environment, as far as it counts
	in        *shell.Flow      // standard input, when it is known where it comes from
	names     []string         // variables that the hook's words mention and that are not known
	plan      Plan
	now       *resolve.Start // the one that is looked at
	behindEnv bool           // the start before is env
	found     bool           // find starts programs
	there     bool           // it does so where it finds something
	change    string         // what may have changed files of the repository before
	builder   string         // what may have made files before
	hooks     string         // where git is told that its hooks are
	inside    int            // files around what is followed; 0 = the hook's own words
	own       int            // how much of that are files of runners that the hook's own words name
	texts     int            // that were followed
	bytes     int            // of them
	top       string         // the repository without links; "" = it was not asked for
	stack     []string       // those that are followed now
	ran       []string       // files that were followed
	path      []string       // PATH without the hook; nil = it was not looked at
	active    []string       // directories of virtual environments that a file which is read puts on PATH

	bash bool // what is followed is read by a shell that is surely not plain

	started func(path string) // is told of programs; nil = nobody asks
}

func newPlanner(place Place, look *DiskView, l *launch, more []shell.Variable) *planner {
	p := &planner{place: place, look: look, dir: l.dir}
	if p.dir == "" {
		p.dir = place.Root
	}
	for _, name := range l.names {
		if isRootVar(name) {
			root := place.Root
			if name != l.rootName { // else it is set when the hook runs
				root = resolveRoot(place, lookup(l.environ, name))
				p.use(name)
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
		path = resolve.BuiltInPath
	}
	p.vars = append(p.vars, shell.Variable{Name: "PATH", Value: shell.Word{Text: path}})
	for i := range l.own {
		if name := l.own[i].Name; name != "PATH" {
			val, _ := environ.Lookup(l.environ, name)
			p.vars = append(p.vars, shell.Variable{Name: name, Value: shell.Word{Text: val}})
		}
	}
	p.bentVars(l)
	for _, name := range l.filled {
		p.use(name)
	}
	for _, name := range l.names {
		if !slices.ContainsFunc(p.vars, func(v shell.Variable) bool { return v.Name == name }) && name != "HOME" && name != "PWD" {
			p.names = append(p.names, name)
		}
		if name == "HOME" {
			p.use(name)
		}
	}
	return p
}

// bentVars takes up the variables of the environment that lead programs to code in
// the repository.
func (p *planner) bentVars(l *launch) {
	for _, entry := range environOrOwn(l.environ) {
		name, val, _ := strings.Cut(entry, "=")
		if p.hasVar(name) || !p.isHijacked(name, val) {
			continue
		}
		p.vars = append(p.vars, shell.Variable{Name: name, Value: shell.Word{Text: val}})
	}
}

// leads reports whether a variable leads to code in the repository.
func (p *planner) leads(name, val string) bool {
	return name == "PYTHONPATH" && hasEmpty(val) || p.leadsHere(val)
}

// leadsHere reports whether a value names something in the repository.
func (p *planner) leadsHere(val string) bool {
	for part := range strings.FieldsFuncSeq(val, func(r rune) bool { return strings.ContainsRune(":;, \t=@", r) }) {
		if strings.HasPrefix(part, ".") || filepath.IsAbs(part) && p.brought(filepath.Clean(part)) {
			return true
		}
	}
	return false
}

// brought reports whether a path lies in the repository, by its name or by where links
// lead.
func (p *planner) brought(path string) bool {
	return p.named(path) || p.linked(path)
}

func (p *planner) named(path string) bool {
	return within(p.place.Top, path) || within(p.place.Root, path)
}

// linked reports whether links outside the repository lead into it.
func (p *planner) linked(path string) bool {
	if p.top == "" {
		if p.top = p.place.Top; p.top == "" {
			p.top = p.place.Root
		}
		if real, err := filepath.EvalSymlinks(p.top); err == nil {
			p.top = real
		}
	}
	real, err := filepath.EvalSymlinks(path)
	return err == nil && real != path && within(p.top, real)
}

// within reports whether a path is a directory or lies below it.
func within(dir, path string) bool {
	if dir == "" {
		return false
	}
	rest, ok := strings.CutPrefix(path, filepath.Clean(dir))
	return ok && (rest == "" || rest[0] == filepath.Separator || dir == string(filepath.Separator))
}

func (p *planner) done() Plan {
	if p.look.IsFull() {
		p.unsure("it looks at more files than are followed")
	}
	slices.Sort(p.plan.Vars)
	return p.plan
}

// use notes a variable that the plan was told by.
func (p *planner) use(name string) {
	if !slices.Contains(p.plan.Vars, name) {
		p.plan.Vars = append(p.plan.Vars, name)
	}
}

// unsure notes what cannot be told of the hook's own words.
func (p *planner) unsure(why string) {
	if p.inside > p.own || slices.Contains(p.plan.Unsure, why) {
		return
	}
	if len(p.plan.Unsure) < maxUnsure {
		p.plan.Unsure = append(p.plan.Unsure, why)
	}
}

// unknown notes words that decide what runs and are not known.
func (p *planner) unknown(w shell.Word, what string) {
	switch {
	case len(w.From) > 0 && w.From[0].Name != ":":
		p.unsure(what + " is told by what " + w.From[0].Name + " prints")
	case len(p.names) == 1:
		p.unsure("$" + p.names[0] + " is only known when it runs")
	case len(p.names) > 1 && len(p.names) <= 4:
		p.unsure("$" + strings.Join(p.names, ", $") + " are only known when it runs")
	default:
		if !w.Known() {
			what += ", " + visible(w.Text) + ","
		}
		p.unsure(what + " is only known when it runs")
	}
}

// visible is a word as people read it.
func visible(s string) string {
	s = strings.ReplaceAll(s, string(shell.Hole), "…")
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

// part adds a file that runs. must says that it counts even if it is not there. It
// reports whether there is a file.
func (p *planner) part(path string, must bool) bool {
	if isSystem(p.place.Top, path) || isSystem(p.place.Root, path) {
		return false
	}
	kind := p.look.Kind(path)
	there := kind == Regular
	// What a pipe will say cannot be told, so it counts, and cannot be approved.
	if !there && kind != Special && (!must || p.inside > 0) {
		return false
	}
	p.add(Part{Path: path})
	if isPython(filepath.Base(path)) && p.brought(path) {
		p.anywhere(filepath.Base(path) + " is of this repository, and so are its packages")
	}
	return there
}

func (p *planner) add(part Part) {
	same := func(q Part) bool { return q.Path == part.Path && q.Name == part.Name }
	if slices.ContainsFunc(p.plan.Parts, same) {
		return
	}
	if len(p.plan.Parts) == maxParts {
		p.anywhere("it runs more files than are looked at")
		return
	}
	if part.Name == "" {
		_, _ = p.look.Digest(part.Path)
	}
	p.plan.Parts = append(p.plan.Parts, part)
}

// anywhere notes what cannot be told and counts within scripts too: that files may be
// left out, and that a program runs the repository at large.
func (p *planner) anywhere(why string) {
	inside := p.inside
	p.inside = 0
	p.unsure(why)
	p.inside = inside
}

func (p *planner) shellPlace(dir string) shell.Place {
	return shell.Place{Dir: dir, Root: p.place.Root, Home: p.place.Home, Getenv: p.getenv, Kind: p.kind}
}

func (p *planner) getenv(name string) string {
	p.use(name)
	val, _ := environ.Lookup(p.place.Environ, name)
	return val
}

func (p *planner) kind(path string) shell.PathKind {
	switch p.look.Kind(filepath.Clean(path)) {
	case Regular:
		return shell.PathFile
	case Directory:
		return shell.PathDir
	}
	return shell.NoPath
}

func (p *planner) setting() *resolve.Setting {
	return &resolve.Setting{Vars: p.vars, In: p.in, Top: p.topOfRepo, Real: p.realPath}
}

// follow follows a text of a shell. script is what it is the text of; nil = it is no
// file's.
func (p *planner) follow(text, dir string, script *resolve.Setting) {
	p.texts++
	if p.bytes += len(text); p.texts > maxTexts || p.bytes > maxBytes {
		p.anywhere("it runs more than is followed")
		return
	}
	vars := p.vars
	defer func() { p.vars = vars }()
	p.addDefaultedVars(text)
	s := p.setting()
	if script != nil {
		s.Zero, s.Args = script.Zero, script.Args
	}
	p.visit(resolve.Follow(text, p.shellPlace(dir), s), dir)
	if !p.bash && p.readsOtherwise(text) {
		// Which shell sh is differs: what another one makes of it counts, if it is there.
		s.Vars, s.Plain = p.vars, true
		p.inside++
		p.visit(resolve.Follow(text, p.shellPlace(dir), s), dir)
		p.inside--
	}
}

// readsOtherwise reports whether a shell that knows no more than POSIX has may make
// something else of a text that leads to files.
func (p *planner) readsOtherwise(text string) bool {
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
	if !strings.Contains(text, "PATH") && !slices.ContainsFunc(filepath.SplitList(p.pathNow()), p.coversPathElement) {
		return false
	}
	for _, word := range [...]string{"[[", "let", "time", "coproc", "function", "select", "declare", "typeset"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// visit covers what a text starts.
func (p *planner) visit(t *resolve.Trace, dir string) {
	found, there, change, builder := p.found, p.there, p.change, p.builder
	for _, s := range t.Starts {
		finds, there := finds(s.Call)
		p.found, p.there = p.found || finds, p.there || there
		p.noteHooksPath(s.Call)
	}
	for i := range t.Starts {
		p.behindEnv = i > 0 && t.Starts[i-1].Call.Name == "env"
		p.start(&t.Starts[i], dir)
	}
	p.found, p.there = found, there
	if p.inside > 0 {
		p.change, p.builder = change, builder
	}
	for i := range t.Texts {
		p.addEvaluated(&t.Texts[i], dir)
	}
	for _, u := range t.Untold {
		if u.Words == "" {
			p.texts += maxTexts / 4
			p.anywhere(u.Reason)
		} else {
			p.unsure(visible(u.Words) + ": " + u.Reason)
		}
	}
}
