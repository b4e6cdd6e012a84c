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

// Limits of a plan.
const (
	maxParts  = 64        // files and parts of files
	maxDepth  = 16        // levels of files that run files
	maxTexts  = 128       // analysed texts; a text that was too long to analyse in full counts as several
	maxBytes  = 512 << 10 // total size of the analysed texts
	maxUnsure = 16        // entries of Plan.Unsure
)

// PlanFor returns what h would run in p.
//
// Shell scripts are followed: the files that they run are covered as well, as far as these can be
// determined. Commands of a script that cannot be determined add nothing to [Plan.Unsure], because the
// script itself is covered. For code in other languages, the plan includes the files that it loads by
// literal names, but not the programs that it starts.
func PlanFor(h *checkrein.Hook, p Place, disk *DiskView) Plan { return planHook(h, p, disk, nil) }

// planHook is [PlanFor]. It calls started, unless that is nil, with the path of each program that the
// hook's own text starts by path.
func planHook(h *checkrein.Hook, p Place, disk *DiskView, started func(path string)) Plan {
	if file := modelScript(h); file != "" {
		scripted := newPlanner(p, disk, &launch{}, nil)
		scripted.addPart(Part{Path: file})
		return scripted.finish()
	}
	l := &launch{text: shellText(h), argv: plainArgv(h), folder: hookFolder(h), files: stringList(h.With, "files")}
	if l.runsNothing() {
		return Plan{}
	}
	own, err := environ.ReadPlace(h.With)
	if err != nil {
		return Plan{Unsure: []string{"its settings cannot be read: " + err.Error()}}
	}
	if d, ok := dialect.Lookup(h.Dialect); ok && d.RootVar != "" {
		l.expandRoot(d.RootVar, p.Root)
		l.rootVar = d.RootVar
	}
	l.dir, l.environ, _ = own.Resolve(p.Root, p.Environ)
	l.own = own.Env
	l.mentioned = l.mentionedVars(own.Dir)
	l.settingsVars = (&launch{own: own.Env}).mentionedVars(own.Dir)
	first := newPlanner(p, disk, l, nil)
	first.started = started
	first.addHook(l)
	if len(first.plan.Unsure) == 0 {
		return first.finish()
	}
	// With the values of the environment, more may be determined. The plan then depends on them.
	vars := l.mentionedEnv()
	if len(vars) == 0 {
		return first.finish()
	}
	second := newPlanner(p, disk, l, vars)
	second.started = started
	second.addHook(l)
	if len(second.plan.Unsure) >= len(first.plan.Unsure) {
		return first.finish()
	}
	for i := range vars {
		second.dependOnVar(vars[i].Name)
	}
	return second.finish()
}

// A launch describes how a hook is started.
type launch struct {
	text         string   // shell text that the hook runs
	argv         []string // the program and arguments that the hook runs without a shell
	folder       string   // the directory of scripts that the hook runs
	files        []string // files that the hook declares
	dir          string
	environ      []string      // includes the hook's own variables
	own          []environ.Var // the hook's own variables
	mentioned    []string      // the variables that the hook's text mentions
	rootVar      string        // the variable that holds the project's directory when the hook runs
	settingsVars []string      // the variables that the hook's settings expand
}

func (l *launch) runsNothing() bool { return l.text == "" && len(l.argv) == 0 && l.folder == "" }

// hookFolder returns the directory of scripts that h runs, or "" if it has none.
func hookFolder(h *checkrein.Hook) string {
	if h.Run != "command" {
		return ""
	}
	return rawjson.GetText(h.With, "hook_folder")
}

// modelScript returns the path of the file whose scripted answers replace the model of h, or "" if h
// uses no such file. The file lies next to the one that declares the hook.
func modelScript(h *checkrein.Hook) string {
	if h.Run != "model" {
		return ""
	}
	name, ok := strings.CutPrefix(rawjson.GetText(h.With, "model"), "scripted/")
	if !ok || name == "demo" || !filepath.IsLocal(name) { // such names do not stand for a file
		return ""
	}
	return filepath.Join(filepath.Dir(h.From.File), name)
}

// shellText returns the text that h runs in a shell, or "" if there is none.
func shellText(h *checkrein.Hook) string {
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

// plainArgv returns the program and arguments that h starts without a shell, or nil if there are none.
func plainArgv(h *checkrein.Hook) []string {
	switch h.Run {
	case "command":
		if rawjson.GetText(h.With, "command") == "" && hookFolder(h) == "" {
			return stringList(h.With, "argv")
		}
	case "builtin":
		if args := builtinCommand(h); len(args) > 1 {
			return args
		}
	}
	return nil
}

// builtinCommand returns the command that a builtin hook is configured to run: one element holds shell
// text, several are a program with its arguments. It returns nil if there is none.
func builtinCommand(h *checkrein.Hook) []string {
	switch rawjson.GetText(h.With, "name") {
	case "quality_gate":
		return stringList(h.With, "args")
	}
	return nil
}

// stringList returns the elements of the array at key in with, or nil if there is no such key. Numbers
// keep their spelling.
func stringList(with []byte, key string) []string {
	val, ok := rawjson.Get(with, key)
	if !ok {
		return nil
	}
	var out []string
	rawjson.Elements(val, func(_ int, e []byte) bool {
		s, ok := rawjson.Text(e)
		if !ok {
			s = string(e) // a number
		}
		out = append(out, s)
		return true
	})
	return out
}

// expandRoot replaces ${name} in the arguments with root, as the runner of the hook does.
func (l *launch) expandRoot(name, root string) {
	for i := range l.argv {
		l.argv[i] = strings.ReplaceAll(l.argv[i], "${"+name+"}", root)
	}
}

// mentionedVars returns the names of at most 64 variables that occur after a $ in the text more, or in the
// hook's text, arguments or values of its own variables.
func (l *launch) mentionedVars(more string) []string {
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

// mentionedEnv returns the mentioned variables that are set in the environment, without the hook's own
// and those that are always set.
func (l *launch) mentionedEnv() []shell.Variable {
	var out []shell.Variable
	for _, name := range l.mentioned {
		if isRootVar(name) || name == "PATH" || name == "PWD" || name == "HOME" || slices.ContainsFunc(l.own, func(v environ.Var) bool { return v.Name == name }) {
			continue
		}
		if val, ok := environ.Lookup(l.environ, name); ok {
			out = append(out, shell.Variable{Name: name, Value: shell.Word{Text: val}})
		}
	}
	return out
}

// isRootVar reports whether name is a variable in which hosts pass the project's directory.
func isRootVar(name string) bool {
	return strings.HasSuffix(name, "_PROJECT_DIR") || strings.HasSuffix(name, "_PROJECT_ROOT")
}

// addDeclaredFiles covers files, the patterns of files that the hook declares. For a directory, it
// covers all files below it.
func (p *planner) addDeclaredFiles(files []string) {
	for _, name := range files {
		paths, known := p.resolveWord(shell.Word{Text: name, Glob: true}, spot{dirs: []string{p.place.Root}})
		if !known || len(paths) == 0 {
			p.noteUnsure("which files its pattern " + messageText(name) + " names")
		}
		for _, path := range paths {
			if p.disk.Kind(path) == Directory {
				p.eachFileBelow(path, 0, func(path string) { p.addFile(path, true) })
			} else {
				p.addFile(path, true)
			}
		}
	}
}

// addHook covers the files that the hook declares and those that it starts.
func (p *planner) addHook(l *launch) {
	p.addDeclaredFiles(l.files)
	switch {
	case l.folder != "":
		p.addFolder(l.folder)
	case l.text != "":
		p.followText(l.text, p.dir, nil)
	default:
		if path, ok := environ.Lookup(p.place.Environ, "PATH"); ok && runtime.GOOS == "windows" && !strings.Contains(l.argv[0], "/") {
			p.addFromPath(l.argv[0], path, []string{p.dir}) // see process.FindProgram
		}
		p.addTrace(resolve.TraceWords(quotedWords(l.argv), p.shellPlace(p.dir), p.initialState()), p.dir)
	}
}

// addFolder covers all scripts in the scripts directory of folder, since each of them may run another.
func (p *planner) addFolder(folder string) {
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(p.place.Root, folder)
	}
	p.eachFileBelow(filepath.Join(folder, "scripts"), 0, func(path string) {
		if p.addFile(path, true) {
			p.followExecuted(path, nil, spot{dirs: []string{p.dir}})
		}
	})
}

// eachFileBelow calls fn with the path of each file below dir. depth counts the directories above dir
// that were entered.
func (p *planner) eachFileBelow(dir string, depth int, fn func(path string)) {
	names, err := p.disk.Names(dir)
	if err != nil || depth > maxDepth {
		if p.disk.Kind(dir) == Directory {
			p.noteUnsure("the folder " + dir + " has more files than checkrein reads")
		}
		return
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		switch p.disk.Kind(path) {
		case Directory:
			p.eachFileBelow(path, depth+1, fn)
		default:
			fn(path)
		}
	}
}
