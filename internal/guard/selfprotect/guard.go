// Package selfprotect denies calls that would change checkrein's own files, or the
// settings that make a host call it, and asks before changes to what the machine runs by
// itself.
package selfprotect

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
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// A Env is what self-protection is given of checkrein.
type Env struct {
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

// A guard describes what is protected where a call would run.
type guard struct {
	place    shell.Place
	real     shell.Place // the same without links
	globs    []string    // a person's own
	strict   bool
	typing   bool              // the host lets models type into programs and asks nobody
	said     map[string][]byte // files with the text that a command puts there whole
	getenv   func(string) string
	hosts    func(pid int) bool // see [Env.Hosts]
	state    string             // checkrein's state directory
	programs []string           // ours, when we are one of them
	own      []string           // what variables put in other places than the usual ones, and our programs
	kept     []string           // the same, of what a person is asked about
	trees    *gitTrees
	beside   struct { // the last path that was asked about
		path string
		is   bool
	}
	roots   *[]transcript.Root // see [guard.keeps]; nil = not looked up yet
	aliases int                // how many of git's aliases led here
	looked  map[lookedAt]bool
	reads   map[*shell.Call]bool // see [study.Study.OnlyReads]
	seen    *checkrein.Seen
	ground  study.Ground
}

// lookedAt is a call of which it was asked whether it looks for something of ours:
// a thousand words may come out of one call.
type lookedAt struct {
	call  *shell.Call
	dir   string
	depth int
}

func newGuard(call *builtin.Call, env *Env, place shell.Place, globs []string, strict bool) *guard {
	k := &guard{place: place, globs: globs, strict: strict, trees: new(gitTrees), looked: map[lookedAt]bool{}, seen: call.Event.Seen, ground: study.GroundOf(call)}
	k.ground.Seen = k.seen
	k.real = k.place
	if k.real.Dir != "" {
		k.real.Dir = study.RealPath(k.place.Dir, true)
	}
	switch k.place.Root {
	case "":
	case k.place.Dir:
		k.real.Root = k.real.Dir
	default:
		k.real.Root = study.RealPath(k.place.Root, true)
	}
	if k.real.Home != "" {
		k.real.Home = study.RealPath(k.place.Home, true)
	}
	vars := call.Variables()
	k.getenv = func(name string) string { v, _ := environ.Lookup(vars, name); return v }
	k.state, k.hosts = env.State, env.Hosts
	k.own, k.kept = movedPlaces(ownPlaces[:], k.getenv), movedPlaces(keptPlaces[:], k.getenv)
	for _, dir := range env.Own {
		real := study.RealPath(dir, true)
		if !slices.Contains(k.own, real) {
			k.own = append(k.own, real)
		}
	}
	if program, err := build.Program(); err == nil {
		k.programs = study.OwnPrograms(program)
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
			out = append(out, study.RealPath(filepath.Join(v, p.below), true))
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
func (k *guard) touched(path string, c touch) finding {
	w := k.at(path, &k.place, c)
	if real := study.RealPath(k.absolute(path), c.follow); !k.isReal(path, real) {
		w.add(k.at(real, &k.real, c))
	}
	if !w.settled() && c.follow && !c.gone {
		w.add(k.linked(path))
	}
	return w
}

// isReal reports whether a path is what it is without links, and was judged as such.
func (k *guard) isReal(path, real string) bool {
	p, r := &k.place, &k.real
	return p.Dir == r.Dir && p.Root == r.Root && p.Home == r.Home && (p.Dir == p.Root || filepath.IsAbs(path)) &&
		study.FromRoot(path, p) == real && !study.GoesUp(path) && !readsAsGlob(path) && !strings.ContainsRune(path, shell.Hole)
}

// removed judges the deletion of a path with everything below it.
func (k *guard) removed(path string) finding {
	w := k.touched(path, touch{gone: true})
	w.add(k.holds(path))
	return w
}

func (k *guard) at(path string, p *shell.Place, c touch) finding {
	w := k.usual(path, p, c)
	if !w.settled() && slices.ContainsFunc(k.globs, func(glob string) bool { return study.Within(glob, path, p) }) {
		w.add(globFinding(path))
	}
	return w
}

// globFinding is what a person has named.
func globFinding(what string) finding {
	return finding{decision: checkrein.Deny, rule: "protect/glob", what: what, way: "the user's configuration protects it"}
}

// wiringFinding is a file in which a host is told to call us.
func wiringFinding(path, way string) finding {
	return finding{decision: checkrein.Deny, rule: "self/wiring", final: true, what: "checkrein's wiring in " + path, way: way}
}

// usual is at without what a person has named.
func (k *guard) usual(path string, p *shell.Place, c touch) finding {
	abs := study.FromRoot(path, p)
	if slices.ContainsFunc(k.own, func(dir string) bool {
		return study.InDir(abs, dir) || readsAsGlob(abs) && fitsName(filepath.Base(abs), filepath.Base(dir)) && filepath.Dir(abs) == filepath.Dir(dir)
	}) {
		return k.ownFinding(abs)
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
	w := findingOf(kind, abs, k)
	if w.decision == checkrein.NoOpinion && slices.ContainsFunc(k.kept, func(dir string) bool { return study.InDir(abs, dir) }) {
		w = k.asked("protect/settings", abs, "an environment variable makes programs use it")
	}
	return w
}

// wired judges a change of a file in which a host is told to call us.
func (k *guard) wired(abs string, p *shell.Place, c touch) finding {
	if strings.ContainsAny(abs, "*?[") {
		return finding{} // files.Protected knows patterns
	}
	f, near := hostfiles.Find(abs, p.Home, k.getenv, p.Root, p.Dir)
	if f == nil {
		return finding{}
	}
	before, read := study.ReadBounded(abs)
	ours := f.Wired(before)
	if !near && !ours && read {
		return finding{}
	}
	if !read && !c.gone {
		return unreadFinding(abs)
	}
	var texts [][]byte
	known := c.gone
	switch {
	case c.gone:
		texts = [][]byte{nil}
	case c.results != nil:
		texts, known = c.results()
	case c.git && !ours:
		return finding{}
	}
	if !known {
		return wiringFinding(abs, "the result cannot be predicted; change the file with the file edit tool, by exact string, and keep checkrein's hooks unchanged")
	}
	for _, text := range texts {
		if !read || len(text) > study.MaxSettings {
			return unreadFinding(abs)
		}
		if does := f.Change(before, text); does != "" {
			return wiringFinding(abs, "this "+does+"; edits that keep checkrein's hooks unchanged are allowed, and the user can run checkrein uninstall "+f.Host+" in a terminal outside the agent")
		}
	}
	return finding{}
}

// unreadFinding is a file of a host that is too big, or may not be read: whether it is
// wired, and stays so, cannot be told.
func unreadFinding(abs string) finding {
	return wiringFinding(abs, "the file is too big or cannot be read, so checkrein cannot tell whether its hooks would stay in it; the user can change it outside the agent")
}

// ownWhere returns the first of checkrein's own places that fits.
func (k *guard) ownWhere(fits func(path string) bool) (found string, ok bool) {
	keep := func(p string) bool {
		if ok = fits(p); ok {
			found = p
		}
		return ok
	}
	if !slices.ContainsFunc(k.own, keep) {
		files.Own(&k.place, keep)
	}
	return found, ok
}

// wiredWhere returns the finding for the first file that fits in which a host is, or may
// be, told to call checkrein.
func (k *guard) wiredWhere(fits func(path string, f *hostfiles.File) bool) (w finding) {
	hostfiles.Each(k.place.Home, k.getenv, []string{k.place.Root, k.place.Dir}, func(p string, f *hostfiles.File) bool {
		if fits(p, f) {
			w = wiringFinding(p, "the user can run checkrein uninstall "+f.Host+" in a terminal outside the agent")
		}
		return w.decision != checkrein.NoOpinion
	})
	return w
}

// holds judges taking away, moving or overwriting all below a path.
func (k *guard) holds(path string) finding {
	real := study.RealPath(k.absolute(path), false)
	abs := filepath.Clean(k.absolute(path))
	pattern := strings.ContainsAny(path, "*?[{") || strings.ContainsRune(path, shell.Hole)
	below := func(p string) bool {
		return study.InDir(p, real) || study.InDir(p, abs) || pattern && (files.Holds(path, p, &k.place) || files.Holds(real, p, &k.real))
	}
	if p, ok := k.ownWhere(func(p string) bool { return below(p) && exists(p) }); ok {
		return k.ownFinding(p).inside(real, p)
	}
	var dirs folders
	w := k.wiredWhere(func(p string, f *hostfiles.File) bool {
		return below(p) && dirs.have(filepath.Dir(p)) && (mayBeWired(f, p) || f.Form == hosts.Whole && exists(p))
	})
	for _, glob := range k.globs {
		fixed, _, _ := strings.Cut(study.FromRoot(glob, &k.place), "*")
		if study.InDir(filepath.Clean(fixed), real) {
			w.add(globFinding(glob))
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
func (k *guard) mentioned(words string) finding {
	var worst finding
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
func (k *guard) linked(path string) finding {
	info, err := os.Stat(k.absolute(path))
	if err != nil || !info.Mode().IsRegular() || study.LinkCount(info) < 2 {
		return finding{}
	}
	same := func(p string) bool {
		other, err := os.Stat(p)
		return err == nil && os.SameFile(info, other)
	}
	inside := func(dir string) bool {
		entries, err := os.ReadDir(dir)
		return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return same(filepath.Join(dir, e.Name())) }) || same(dir)
	}
	if p, ok := k.ownWhere(inside); ok {
		return k.ownFinding(p)
	}
	w := k.wiredWhere(func(p string, _ *hostfiles.File) bool { return same(p) })
	if w.decision != checkrein.NoOpinion {
		w.way = "this is the same file under another name; change it under its own name, with the file edit tool"
	}
	if !w.settled() && k.otherName(same) {
		return transcriptFinding
	}
	return w
}

// absolute is a path of a tool in full.
func (k *guard) absolute(path string) string {
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

// OfProcess is a path through what the system tells of a process, which is not this
// one: its working directory is the call's, and its root the machine's.
func (k *guard) ofProcess(path string) string { return study.OfProcess(path, k.place.Dir) }

// ReadScript is ReadScript that notes what was read.
func (k *guard) readScript(path string) (string, bool) {
	text, ok := study.ReadScript(path)
	if ok {
		k.seen.File(path, text)
	}
	return text, ok
}

// mayBeWired reports whether a file of a host has entries of ours, or cannot be
// read.
func mayBeWired(f *hostfiles.File, path string) bool {
	text, ok := study.ReadBounded(path)
	return !ok || text != nil && f.Wired(text)
}
