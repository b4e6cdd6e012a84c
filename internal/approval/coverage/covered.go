package coverage

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/resolve"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// What a plan may cost.
const (
	maxParts  = 64  // files, and parts of files
	maxDepth  = 16  // files that run files
	maxTexts  = 128 // texts that are followed; one that exceeds the budget of a walk counts for many
	maxBytes  = 512 << 10
	maxUnsure = 16
)

// Of returns what a hook would run in a place.
//
// Scripts of shells are followed: what they run is covered as well, as far as it can
// be told. What cannot be told within them adds nothing, for the script itself is
// covered. Of code in other languages it is told what it loads by plain words, not what
// it starts.
func Of(h *checkrein.Hook, p Place, look *Look) Plan { return of(h, p, look, nil) }

// of is [Of], and calls started, unless it is nil, with the programs that the hook's
// own words start by their paths.
func of(h *checkrein.Hook, p Place, look *Look, started func(path string)) Plan {
	if file := scriptOf(h); file != "" {
		played := newPlanner(p, look, &launch{}, nil)
		played.add(Part{Path: file})
		return played.done()
	}
	l := &launch{text: textOf(h), argv: argvOf(h), folder: folderOf(h), files: list(h.With, "files")}
	if l.empty() {
		return Plan{}
	}
	own, err := environ.Read(h.With)
	if err != nil {
		return Plan{Unsure: []string{"its settings cannot be read: " + err.Error()}}
	}
	if d, ok := dialect.Named(h.Dialect); ok && d.RootVar != "" {
		l.rootVar(d.RootVar, p.Root)
		l.root = d.RootVar
	}
	l.dir, l.environ, _ = own.Resolve(p.Root, p.Environ)
	l.own = own.Env
	l.names = l.mentions(own.Dir)
	l.filled = (&launch{own: own.Env}).mentions(own.Dir)
	first := newPlanner(p, look, l, nil)
	first.started = started
	first.hook(l)
	if len(first.plan.Unsure) == 0 {
		return first.done()
	}
	// What the environment says may tell more. Then it is one of the things that the
	// plan was told by.
	vars := l.known()
	if len(vars) == 0 {
		return first.done()
	}
	second := newPlanner(p, look, l, vars)
	second.started = started
	second.hook(l)
	if len(second.plan.Unsure) >= len(first.plan.Unsure) {
		return first.done()
	}
	for i := range vars {
		second.use(vars[i].Name)
	}
	return second.done()
}

// A launch is how a hook is started.
type launch struct {
	text    string   // for a shell
	argv    []string // a program without a shell
	folder  string   // with scripts
	files   []string // that the hook declares
	dir     string
	environ []string      // with the hook's own variables
	own     []environ.Var // which are these
	names   []string      // variables that are mentioned
	root    string        // the variable in which the project's directory is when it runs
	filled  []string      // those of them that its settings are filled in with
}

func (l *launch) empty() bool { return l.text == "" && len(l.argv) == 0 && l.folder == "" }

func folderOf(h *checkrein.Hook) string {
	if h.Run != "command" {
		return ""
	}
	return rawjson.GetText(h.With, "hook_folder")
}

// scriptOf is the file that speaks for the model of a hook, "" = none does: it lies
// beside the file that names it.
func scriptOf(h *checkrein.Hook) string {
	if h.Run != "model" {
		return ""
	}
	name, ok := strings.CutPrefix(rawjson.GetText(h.With, "model"), "scripted/")
	if !ok || name == "demo" || !filepath.IsLocal(name) { // another name plays nothing
		return ""
	}
	return filepath.Join(filepath.Dir(h.From.File), name)
}

// textOf is the text that a hook has a shell run.
func textOf(h *checkrein.Hook) string {
	switch h.Run {
	case "command":
		return rawjson.GetText(h.With, "command")
	case "builtin":
		if args := builtinCommand(h); len(args) == 1 {
			return args[0]
		}
	}
	return ""
}

// argvOf is the program that a hook starts without a shell.
func argvOf(h *checkrein.Hook) []string {
	switch h.Run {
	case "command":
		if rawjson.GetText(h.With, "command") == "" && folderOf(h) == "" {
			return list(h.With, "argv")
		}
	case "builtin":
		if args := builtinCommand(h); len(args) > 1 {
			return args
		}
	}
	return nil
}

// builtinCommand is the command that a builtin is given to run: one line for a shell,
// or a program with its arguments.
func builtinCommand(h *checkrein.Hook) []string {
	switch rawjson.GetText(h.With, "name") {
	case "quality_gate":
		return list(h.With, "args")
	}
	return nil
}

func list(with []byte, key string) []string {
	val, ok := rawjson.Get(with, key)
	if !ok {
		return nil
	}
	var out []string
	rawjson.Elements(val, func(_ int, e []byte) bool {
		s, ok := rawjson.Text(e)
		if !ok {
			s = string(e) // a number, as it is spelt
		}
		out = append(out, s)
		return true
	})
	return out
}

// rootVar puts the project's directory into an argv, as the one who starts it does.
func (l *launch) rootVar(name, root string) {
	for i := range l.argv {
		l.argv[i] = strings.ReplaceAll(l.argv[i], "${"+name+"}", root)
	}
}

// mentions are the names of variables that the hook's words may use.
func (l *launch) mentions(more string) []string {
	var out []string
	add := func(s string) {
		for {
			i := strings.IndexByte(s, '$')
			if i < 0 {
				return
			}
			s = strings.TrimPrefix(s[i+1:], "{")
			s = strings.TrimLeft(strings.TrimPrefix(s, "env."), "!#")
			n := 0
			for n < len(s) && (s[n] == '_' || s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z' || n > 0 && s[n] >= '0' && s[n] <= '9') {
				n++
			}
			if n > 0 && !slices.Contains(out, s[:n]) && len(out) < 64 {
				out = append(out, s[:n])
			}
		}
	}
	add(l.text)
	add(more)
	for _, a := range l.argv {
		add(a)
	}
	for i := range l.own {
		add(l.own[i].Value)
	}
	return out
}

// known are the mentioned variables that the environment has, beside those that are
// always known.
func (l *launch) known() []shell.Variable {
	var out []shell.Variable
	for _, name := range l.names {
		if isRoot(name) || name == "PATH" || name == "PWD" || name == "HOME" || slices.ContainsFunc(l.own, func(v environ.Var) bool { return v.Name == name }) {
			continue
		}
		if val, ok := environ.Lookup(l.environ, name); ok {
			out = append(out, shell.Variable{Name: name, Value: shell.Word{Text: val}})
		}
	}
	return out
}

// isRoot reports whether a variable is one in which a host names the project.
func isRoot(name string) bool {
	return strings.HasSuffix(name, "_PROJECT_DIR") || strings.HasSuffix(name, "_PROJECT_ROOT")
}

// declared covers the files that the hook declares.
func (p *planner) declared(files []string) {
	for _, name := range files {
		paths, known := p.paths(shell.Word{Text: name, Glob: true}, spot{dirs: []string{p.place.Root}})
		if !known || len(paths) == 0 {
			p.unsure("which files its pattern " + visible(name) + " names")
		}
		for _, path := range paths {
			if p.look.Kind(path) == Directory {
				p.below(path, 0, func(path string) { p.part(path, true) })
			} else {
				p.part(path, true)
			}
		}
	}
}

// hook follows what the hook starts.
func (p *planner) hook(l *launch) {
	p.declared(l.files)
	switch {
	case l.folder != "":
		p.folder(l.folder)
	case l.text != "":
		p.follow(l.text, p.dir, nil)
	default:
		if path, ok := environ.Lookup(p.place.Environ, "PATH"); ok && runtime.GOOS == "windows" && !strings.Contains(l.argv[0], "/") {
			p.search(l.argv[0], path, []string{p.dir}) // see process.Find
		}
		p.visit(resolve.FollowWords(literal(l.argv), p.shellPlace(p.dir), p.setting()), p.dir)
	}
}

// folder covers the scripts of a hook's folder: each may run another.
func (p *planner) folder(folder string) {
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(p.place.Root, folder)
	}
	p.below(filepath.Join(folder, "scripts"), 0, func(path string) {
		if p.part(path, true) {
			p.executed(path, nil, spot{dirs: []string{p.dir}})
		}
	})
}

// below calls fn with the files below a directory.
func (p *planner) below(dir string, depth int, fn func(path string)) {
	names, err := p.look.Names(dir)
	if err != nil || depth > maxDepth {
		if p.look.Kind(dir) == Directory {
			p.unsure("the folder " + dir + " holds more than can be looked at")
		}
		return
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		switch p.look.Kind(path) {
		case Directory:
			p.below(path, depth+1, fn)
		default:
			fn(path)
		}
	}
}
