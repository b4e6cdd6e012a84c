package guard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	transcript "github.com/checkrein/checkrein/internal/catalog/transcripts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// A SelfEnv is what self-protection is given of checkrein.
type SelfEnv struct {
	// State is checkrein's state directory, and Own are all directories of checkrein
	// and of the person that no agent changes, wherever variables lead.
	State string
	Own   []string
	// Account is the home directory that the system has on record for the user,
	// wherever variables say that it is; nil or "" = the machine's is it.
	Account func() string
	// Hosts reports whether a process, by its number, is a host that is alive or one
	// above us; nil knows of none.
	Hosts func(pid int) bool
	// Typing reports whether a host lets the model type into programs that run, and
	// asks no hook about that; nil knows of none.
	Typing func(host string) bool
}

// A keeper knows what is protected where a call would run.
type keeper struct {
	place    shell.Place
	real     shell.Place // the same without links
	globs    []string    // a person's own
	strict   bool
	typing   bool              // the host lets models type into programs and asks nobody
	said     map[string][]byte // files with the text that a command puts there whole
	getenv   func(string) string
	hosts    func(pid int) bool // see [SelfEnv.Hosts]
	state    string             // checkrein's state directory
	programs []string           // ours, when we are one of them
	own      []string           // what variables put in other places than the usual ones, and our programs
	kept     []string           // the same, of what a person is asked about
	trees    *gitTrees
	beside   struct { // the last path that was asked about
		path string
		is   bool
	}
	roots   *[]transcript.Root // see [keeper.keeps]; nil = not looked up yet
	aliases int                // how many of git's aliases led here
	looked  map[lookedAt]bool
	seen    *checkrein.Seen
	ground  Ground
}

// lookedAt is a call of which it was asked whether it looks for something of ours:
// a thousand words may come out of one call.
type lookedAt struct {
	call  *shell.Call
	dir   string
	depth int
}

func newKeeper(call *Call, env *SelfEnv, place shell.Place, globs []string, strict bool) *keeper {
	k := &keeper{place: place, globs: globs, strict: strict, trees: new(gitTrees), looked: map[lookedAt]bool{}, seen: call.Event.Seen, ground: groundOf(call)}
	k.ground.Seen = k.seen
	k.real = k.place
	if k.real.Dir != "" {
		k.real.Dir = realPath(k.place.Dir, true)
	}
	switch k.place.Root {
	case "":
	case k.place.Dir:
		k.real.Root = k.real.Dir
	default:
		k.real.Root = realPath(k.place.Root, true)
	}
	if k.real.Home != "" {
		k.real.Home = realPath(k.place.Home, true)
	}
	vars := call.environ()
	k.getenv = func(name string) string { v, _ := environ.Lookup(vars, name); return v }
	k.state, k.hosts = env.State, env.Hosts
	k.own, k.kept = movedPlaces(ownPlaces[:], k.getenv), movedPlaces(keptPlaces[:], k.getenv)
	for _, dir := range env.Own {
		real := realPath(dir, true)
		if !slices.Contains(k.own, real) {
			k.own = append(k.own, real)
		}
	}
	if program, err := build.Program(); err == nil {
		k.programs = ownPrograms(program)
		k.own = append(k.own, k.programs...)
	}
	return k
}

// A place is a variable that says where things lie which are protected, and what
// is below that; "" = all of it.
type place struct{ name, below string }

var ownPlaces = [...]place{
	{"XDG_STATE_HOME", "checkrein"}, {"XDG_CONFIG_HOME", "checkrein"}, {"XDG_CONFIG_HOME", "agents/hooks"}, {"XDG_CACHE_HOME", "checkrein"}, {"XDG_DATA_HOME", "checkrein"}, {"LocalAppData", "checkrein"},
}

var keptPlaces = [...]place{
	{"XDG_CONFIG_HOME", "git/config"}, {"XDG_CONFIG_HOME", "fish"}, {"GNUPGHOME", ""}, {"ZDOTDIR", ".zshrc"}, {"ZDOTDIR", ".zshenv"}, {"ZDOTDIR", ".zprofile"}, {"BASH_ENV", ""}, {"GIT_CONFIG_GLOBAL", ""},
	{"AWS_SHARED_CREDENTIALS_FILE", ""}, {"AWS_CONFIG_FILE", ""}, {"KUBECONFIG", ""}, {"CLOUDSDK_CONFIG", ""}, {"GOOGLE_APPLICATION_CREDENTIALS", ""}, {"AZURE_CONFIG_DIR", ""},
	{"DOCKER_CONFIG", "config.json"}, {"NETRC", ""}, {"NPM_CONFIG_USERCONFIG", ""},
}

func movedPlaces(list []place, getenv func(string) string) []string {
	var out []string
	for _, p := range list {
		if v := filepath.Clean(getenv(p.name)); filepath.IsAbs(v) && filepath.Dir(v) != v && v != os.DevNull {
			out = append(out, realPath(filepath.Join(v, p.below), true))
		}
	}
	return out
}

// A touch is what would happen to a path.
type touch struct {
	follow bool // it goes through a link at the path's end
	gone   bool // nothing is left there
	git    bool // git puts another version there
	// results are the texts that the file may have then; nil = nobody can tell.
	results func() ([][]byte, bool)
}

// touched judges a change of what lies at a path.
func (k *keeper) touched(path string, c touch) ward {
	w := k.at(path, &k.place, c)
	if real := realPath(k.absolute(path), c.follow); !k.isReal(path, real) {
		w.add(k.at(real, &k.real, c))
	}
	if !w.settled() && c.follow && !c.gone {
		w.add(k.linked(path))
	}
	return w
}

// isReal reports whether a path is what it is without links, and was judged as such.
func (k *keeper) isReal(path, real string) bool {
	p, r := &k.place, &k.real
	return p.Dir == r.Dir && p.Root == r.Root && p.Home == r.Home && (p.Dir == p.Root || filepath.IsAbs(path)) &&
		absolute(path, p) == real && !goesUp(path) && !readsAsGlob(path) && !strings.ContainsRune(path, shell.Hole)
}

// removed judges the deletion of a path with everything below it.
func (k *keeper) removed(path string) ward {
	w := k.touched(path, touch{gone: true})
	w.add(k.holds(path))
	return w
}

func (k *keeper) at(path string, p *shell.Place, c touch) ward {
	w := k.usual(path, p, c)
	if !w.settled() && slices.ContainsFunc(k.globs, func(glob string) bool { return within(glob, path, p) }) {
		w.add(globWard(path))
	}
	return w
}

// globWard is what a person has named.
func globWard(what string) ward {
	return ward{decision: checkrein.Deny, rule: "protect/glob", what: what, way: "the user's configuration protects it"}
}

// wiringWard is a file in which a host is told to call us.
func wiringWard(path, way string) ward {
	return ward{decision: checkrein.Deny, rule: "self/wiring", final: true, what: "checkrein's wiring in " + path, way: way}
}

// usual is at without what a person has named.
func (k *keeper) usual(path string, p *shell.Place, c touch) ward {
	abs := absolute(path, p)
	if slices.ContainsFunc(k.own, func(dir string) bool {
		return inDir(abs, dir) || readsAsGlob(abs) && fitsName(filepath.Base(abs), filepath.Base(dir)) && filepath.Dir(abs) == filepath.Dir(dir)
	}) {
		return k.ownWard(abs)
	}
	if w := k.wired(abs, p, c); w.decision != checkrein.NoOpinion {
		return w
	}
	if w := k.hookKept(filepath.Clean(abs)); w.decision != checkrein.NoOpinion {
		return w
	}
	kind, _ := files.Protected(path, &shell.Call{}, p)
	if k.isTranscript(abs) {
		kind = kindTranscript
	}
	w := wardOf(kind, abs, k)
	if w.decision == checkrein.NoOpinion && slices.ContainsFunc(k.kept, func(dir string) bool { return inDir(abs, dir) }) {
		w = k.asked("protect/settings", abs, "an environment variable makes programs use it")
	}
	return w
}

// wired judges a change of a file in which a host is told to call us.
func (k *keeper) wired(abs string, p *shell.Place, c touch) ward {
	if strings.ContainsAny(abs, "*?[") {
		return ward{} // files.Protected knows patterns
	}
	f, near := hostfiles.Find(abs, p.Home, k.getenv, p.Root, p.Dir)
	if f == nil {
		return ward{}
	}
	before, read := readFile(abs)
	ours := f.Wired(before)
	if !near && !ours && read {
		return ward{}
	}
	if !read && !c.gone {
		return unreadWard(abs)
	}
	var texts [][]byte
	known := c.gone
	switch {
	case c.gone:
		texts = [][]byte{nil}
	case c.results != nil:
		texts, known = c.results()
	case c.git && !ours:
		return ward{}
	}
	if !known {
		return wiringWard(abs, "the result cannot be predicted; change the file with the file edit tool, by exact string, and keep checkrein's hooks unchanged")
	}
	for _, text := range texts {
		if !read || len(text) > maxSettings {
			return unreadWard(abs)
		}
		if does := f.Change(before, text); does != "" {
			return wiringWard(abs, "this "+does+"; edits that keep checkrein's hooks unchanged are allowed, and the user can run checkrein uninstall "+f.Host+" in a terminal outside the agent")
		}
	}
	return ward{}
}

// unreadWard is a file of a host that is too big, or may not be read: whether it is
// wired, and stays so, cannot be told.
func unreadWard(abs string) ward {
	return wiringWard(abs, "the file is too big or cannot be read, so checkrein cannot tell whether its hooks would stay in it; the user can change it outside the agent")
}

// holds judges taking away, moving or overwriting all below a path.
func (k *keeper) holds(path string) ward {
	real := realPath(k.absolute(path), false)
	abs := filepath.Clean(k.absolute(path))
	pattern := strings.ContainsAny(path, "*?[{") || strings.ContainsRune(path, shell.Hole)
	below := func(p string) bool {
		return inDir(p, real) || inDir(p, abs) || pattern && (files.Holds(path, p, &k.place) || files.Holds(real, p, &k.real))
	}
	there := func(p string) bool { _, err := os.Lstat(p); return err == nil }
	for _, dir := range k.own {
		if below(dir) && there(dir) {
			return k.ownWard(dir).inside(real, dir)
		}
	}
	var w ward
	if files.Own(&k.place, func(p string) bool {
		if below(p) && there(p) {
			w = k.ownWard(p).inside(real, p)
		}
		return w.final
	}) {
		return w
	}
	var dirs folders
	hostfiles.Each(k.place.Home, k.getenv, []string{k.place.Root, k.place.Dir}, func(p string, f *hostfiles.File) bool {
		if below(p) && dirs.have(filepath.Dir(p)) && (mayBeWired(f, p) || f.Form == hosts.Whole && there(p)) {
			w = wiringWard(p, "the user can run checkrein uninstall "+f.Host+" in a terminal outside the agent")
		}
		return w.decision != checkrein.NoOpinion
	})
	for _, glob := range k.globs {
		fixed, _, _ := strings.Cut(absolute(glob, &k.place), "*")
		if inDir(filepath.Clean(fixed), real) {
			w.add(globWard(glob))
		}
	}
	w.add(k.hooksBelow(abs, below))
	if !w.settled() {
		w.add(k.transcriptsBelow(abs, real, below))
	}
	return w
}

// folders remembers which directories are there: hosts have several files in one.
type folders []struct {
	path  string
	there bool
}

func (d *folders) have(path string) bool {
	for i := range *d {
		if (*d)[i].path == path {
			return (*d)[i].there
		}
	}
	_, err := os.Stat(path)
	there := err == nil || errors.Is(err, fs.ErrPermission)
	*d = append(*d, struct {
		path  string
		there bool
	}{path, there})
	return there
}

// mentioned judges the words of a program of which nobody knows what it does with
// what they name: only what is denied, and is really there to lose, counts.
func (k *keeper) mentioned(words string) ward {
	var worst ward
	if looksUp(words) {
		return ownWays // only what is not understood comes here
	}
	seen := map[string]bool{}
	for _, w := range strings.FieldsFunc(words, func(r rune) bool { return strings.ContainsRune(" \t\n=:,;|&<>(){}'\"`", r) }) {
		if !strings.Contains(w, "/") || seen[w] {
			continue
		}
		seen[w] = true
		w = strings.Replace(w, "$HOME", k.place.Home, 1)
		abs := k.absolute(w)
		if f, _ := hostfiles.Find(abs, k.place.Home, k.getenv, k.place.Root, k.place.Dir); f != nil && !mayBeWired(f, abs) {
			continue
		}
		if found := k.touched(w, touch{follow: true}); found.decision == checkrein.Deny {
			worst.add(found)
		}
	}
	return worst
}

// looksUp reports whether code asks where one of our programs lies.
func looksUp(code string) bool {
	for _, verb := range [...]string{"which", "command -v", "type -p", "LookPath", "find_executable"} {
		rest := code
		for {
			_, after, ok := strings.Cut(rest, verb)
			if !ok {
				break
			}
			if strings.HasPrefix(strings.TrimLeft(after, " ('\"`["), "checkrein") {
				return true
			}
			rest = after
		}
	}
	return false
}

// linked judges a change of a file that has several names: one of them may be that
// of something of ours.
func (k *keeper) linked(path string) ward {
	info, err := os.Stat(k.absolute(path))
	if err != nil || !info.Mode().IsRegular() || names(info) < 2 {
		return ward{}
	}
	same := func(p string) bool {
		other, err := os.Stat(p)
		return err == nil && os.SameFile(info, other)
	}
	inside := func(dir string) bool {
		entries, err := os.ReadDir(dir)
		return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return same(filepath.Join(dir, e.Name())) }) || same(dir)
	}
	if i := slices.IndexFunc(k.own, inside); i >= 0 {
		return k.ownWard(k.own[i])
	}
	var w ward
	if files.Own(&k.place, func(dir string) bool {
		if inside(dir) {
			w = k.ownWard(dir)
		}
		return w.final
	}) {
		return w
	}
	hostfiles.Each(k.place.Home, k.getenv, []string{k.place.Root}, func(p string, f *hostfiles.File) bool {
		if same(p) {
			w = wiringWard(p, "this is the same file under another name; change it under its own name, with the file edit tool")
		}
		return w.decision != checkrein.NoOpinion
	})
	if !w.settled() && k.otherName(same) {
		return transcriptWard
	}
	return w
}

// absolute is a path of a tool in full.
func (k *keeper) absolute(path string) string {
	if path == "~" {
		return k.place.Home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(k.place.Home, rest)
	}
	if filepath.IsAbs(path) {
		return k.ofProcess(path)
	}
	return k.place.Dir + string(filepath.Separator) + path // not cleaned: link/.. is not where the link is
}

// ofProcess is a path through what the system tells of a process, which is not this
// one: its working directory is the call's, and its root the machine's.
func (k *keeper) ofProcess(path string) string { return ofProcess(path, k.place.Dir) }

// readScript is readScript that notes what was read.
func (k *keeper) readScript(path string) (string, bool) {
	text, ok := readScript(path)
	if ok {
		k.seen.File(path, text)
	}
	return text, ok
}

// mayBeWired reports whether a file of a host has entries of ours, or cannot be
// read.
func mayBeWired(f *hostfiles.File, path string) bool {
	text, ok := readFile(path)
	return !ok || text != nil && f.Wired(text)
}
