// Package selfprotect denies calls that would change checkrein's own files or the settings that make a
// host call it, and asks before changes to files that the machine runs by itself, such as start-up
// files.
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
	"github.com/checkrein/checkrein/internal/hook/seen"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// An Env provides information about the installation and the hosts.
type Env struct {
	// State is checkrein's state directory. Own lists all directories of checkrein and of the user
	// that no agent may change, whatever the environment variables are.
	State string
	Own   []string
	// Account returns the home directory that the system has on record for the user, whatever the
	// environment variables are. If it is nil or returns "", only the home directory from the
	// environment is protected.
	Account func() string
	// IsHost reports whether a process is a running host or an ancestor of this process; nil means
	// that no process is.
	IsHost func(pid int) bool
	// LetsType reports whether a host lets the model type into running programs without calling a
	// hook; nil means that no host does.
	LetsType func(host string) bool
}

// A guard holds what is protected at the place where a call would run.
type guard struct {
	place    shell.Place
	real     shell.Place // place with symlinks resolved
	globs    []string    // patterns of the user's configuration
	strict   bool
	typing   bool              // see [Env.LetsType]
	written  map[string][]byte // whole contents of files that a command writes, by path
	getenv   func(string) string
	isHost   func(pid int) bool // see [Env.IsHost]
	state    string             // checkrein's state directory
	programs []string           // checkrein's programs, if this process is one of them
	own      []string           // checkrein's own paths that environment variables name, and its programs
	before   []string           // see beforeCommands; they are also in own
	asked    []string           // paths that environment variables name and whose changes need permission
	trees    *gitHookCache
	beside   struct { // the last result of besideHooks
		path string
		is   bool
	}
	linked  *[]linkedDir         // see linkedSettings; nil until they are needed
	roots   *[]transcript.Root   // see transcriptRoots; nil until they are needed
	aliases int                  // the number of Git aliases expanded so far
	looked  map[lookupKey]bool   // results of findSearch
	reads   map[*shell.Call]bool // see [study.Study.OnlyReads]
	seen    *seen.Seen
	ground  study.CallEnv
}

// A lookupKey identifies a result of searchesOwn. Results are cached because a thousand words may come
// from the output of one call.
type lookupKey struct {
	call  *shell.Call
	dir   string
	depth int
}

// newGuard returns the guard for call at place.
func newGuard(call *builtin.Call, env *Env, place shell.Place, globs []string, strict bool) *guard {
	k := &guard{place: place, globs: globs, strict: strict, trees: new(gitHookCache), looked: map[lookupKey]bool{}, seen: seen.ForEvent(&call.Event), ground: study.NewCallEnv(call)}
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
	k.state, k.isHost = env.State, env.IsHost
	k.own, k.asked = resolveEnvPaths(ownEnvPaths[:], k.getenv), resolveEnvPaths(askedEnvPaths[:], k.getenv)
	for _, dir := range env.Own {
		real := study.RealPath(dir, true)
		if !slices.Contains(k.own, real) {
			k.own = append(k.own, real)
		}
	}
	k.before = beforeCommands(place.Home, k.getenv)
	k.own = append(k.own, k.before...)
	if program, err := build.ProgramPath(); err == nil {
		k.programs = study.OwnPrograms(program)
		k.own = append(k.own, k.programs...)
	}
	return k
}

// beforeCommands returns the files and directories whose text hosts run before each command of the
// agent, with symlinks resolved.
func beforeCommands(home string, getenv func(string) string) []string {
	var out []string
	for i := range hosts.Wrappers {
		for _, path := range hosts.Wrappers[i].Before {
			top, below, _ := strings.Cut(path, "/")
			dir := home
			if name, ok := strings.CutPrefix(top, "$"); ok {
				dir = getenv(name)
			}
			if !filepath.IsAbs(dir) || filepath.Dir(dir) == dir || dir == os.DevNull {
				continue
			}
			if real := study.RealPath(filepath.Join(dir, filepath.FromSlash(below)), true); !slices.Contains(out, real) {
				out = append(out, real)
			}
		}
	}
	return out
}

// An envPath is a protected path: the path below in the directory that the environment variable name
// holds, or that directory itself if below is "".
type envPath struct{ name, below string }

// ownEnvPaths lists the paths where checkrein keeps its files.
var ownEnvPaths = [...]envPath{
	{"XDG_STATE_HOME", "checkrein"}, {"XDG_CONFIG_HOME", "checkrein"}, {"XDG_CONFIG_HOME", "agents/hooks"}, {"XDG_CACHE_HOME", "checkrein"}, {"XDG_DATA_HOME", "checkrein"}, {"LocalAppData", "checkrein"},
}

// askedEnvPaths lists settings and credentials of other programs, whose changes need the user's
// permission.
var askedEnvPaths = [...]envPath{
	{"XDG_CONFIG_HOME", "git/config"}, {"XDG_CONFIG_HOME", "fish"}, {"GNUPGHOME", ""}, {"ZDOTDIR", ".zshrc"}, {"ZDOTDIR", ".zshenv"}, {"ZDOTDIR", ".zprofile"}, {"BASH_ENV", ""}, {"GIT_CONFIG_GLOBAL", ""},
	{"AWS_SHARED_CREDENTIALS_FILE", ""}, {"AWS_CONFIG_FILE", ""}, {"KUBECONFIG", ""}, {"CLOUDSDK_CONFIG", ""}, {"GOOGLE_APPLICATION_CREDENTIALS", ""}, {"AZURE_CONFIG_DIR", ""},
	{"DOCKER_CONFIG", "config.json"}, {"NETRC", ""}, {"NPM_CONFIG_USERCONFIG", ""},
}

// resolveEnvPaths returns the paths of list whose variables are set, with symlinks resolved.
func resolveEnvPaths(list []envPath, getenv func(string) string) []string {
	var out []string
	for _, p := range list {
		if v := filepath.Clean(getenv(p.name)); filepath.IsAbs(v) && filepath.Dir(v) != v && v != os.DevNull {
			out = append(out, study.RealPath(filepath.Join(v, p.below), true))
		}
	}
	return out
}

// A pathChange describes how a call changes a path.
type pathChange struct {
	follow bool // a symlink at the end of the path is followed
	gone   bool // the path is removed
	git    bool // Git writes another version of the file, which it can undo
	// results returns the possible new contents of the file, and whether they are known;
	// nil means that they are not.
	results func() ([][]byte, bool)
}

// ruleAgentCommands is the rule for changes of files with commands of agents whose result is unknown.
const ruleAgentCommands = "protect/agent-commands"

// texts returns the possible new contents of the file, and whether they are known. A file that is removed, or that Git
// restores, has none.
func (c *pathChange) texts() ([][]byte, bool) {
	if c.results == nil {
		return nil, c.gone || c.git
	}
	return c.results()
}

// checkChange returns the finding for the change c of path, as written and with symlinks resolved.
func (k *guard) checkChange(path string, c pathChange) finding {
	w := k.checkPath(path, &k.place, c)
	real := study.RealPath(k.absPath(path), c.follow)
	if !k.resolvesToItself(path, real) {
		w.merge(k.checkPath(real, &k.real, c))
	}
	for _, d := range k.linkedSettings() {
		if study.InDir(real, d.to) {
			w.merge(k.checkPath(d.link+real[len(d.to):], &k.place, c))
		}
	}
	if !w.isStrictest() && c.follow && !c.gone {
		w.merge(k.checkHardLinks(path))
	}
	return w
}

// resolvesToItself reports whether real, which is path with symlinks resolved, need not be checked
// because it is the path that was checked as path.
func (k *guard) resolvesToItself(path, real string) bool {
	p, r := &k.place, &k.real
	return p.Dir == r.Dir && p.Root == r.Root && p.Home == r.Home && (p.Dir == p.Root || filepath.IsAbs(path)) &&
		study.AbsFromRoot(path, p) == real && !study.HasDotDot(path) && !hasGlob(path) && !strings.ContainsRune(path, shell.Placeholder)
}

// checkRemoval returns the finding for deleting path with everything below it.
func (k *guard) checkRemoval(path string) finding {
	w := k.checkChange(path, pathChange{gone: true})
	w.merge(k.checkTree(path))
	return w
}

// checkPath returns the finding for the change c of path at the place p, by the default rules and the
// user's patterns.
func (k *guard) checkPath(path string, p *shell.Place, c pathChange) finding {
	w := k.checkDefaults(path, p, c)
	if !w.isStrictest() && slices.ContainsFunc(k.globs, func(glob string) bool { return study.MatchesGlob(glob, path, p) }) {
		w.merge(globFinding(path))
	}
	return w
}

// globFinding returns the finding for what, a path that matches one of the user's patterns.
func globFinding(what string) finding {
	return finding{decision: checkrein.Deny, rule: "protect/glob", what: what, advice: "the user's configuration protects it"}
}

// wiringFinding returns the finding for path, a settings file that makes a host call checkrein, with
// the advice way.
func wiringFinding(path, way string) finding {
	return finding{decision: checkrein.Deny, rule: "self/wiring", final: true, what: "checkrein's wiring in " + path, advice: way}
}

// checkDefaults is like checkPath, but ignores the user's patterns.
func (k *guard) checkDefaults(path string, p *shell.Place, c pathChange) finding {
	abs := study.AbsFromRoot(path, p)
	if slices.ContainsFunc(k.own, func(dir string) bool {
		return study.InDir(abs, dir) || hasGlob(abs) && matchesName(filepath.Base(abs), filepath.Base(dir)) && filepath.Dir(abs) == filepath.Dir(dir)
	}) {
		return k.ownFinding(abs)
	}
	if w := k.checkWiring(abs, p, c); w.decision != checkrein.NoOpinion {
		return w
	}
	if _, known := c.texts(); !known && hostfiles.FindCommandFile(abs) != nil {
		return k.askFinding(ruleAgentCommands, "a file with commands that agents run by themselves", "the result cannot be predicted")
	}
	if w := k.checkHookChange(filepath.Clean(abs)); w.decision != checkrein.NoOpinion {
		return w
	}
	kind, _ := files.ProtectedKind(path, &shell.Call{}, p)
	if k.isTranscript(abs) {
		kind = kindTranscript
	}
	w := kindFinding(kind, abs, k)
	if w.decision == checkrein.NoOpinion {
		w = k.checkRunLater(filepath.Clean(abs), &c)
	}
	if w.decision == checkrein.NoOpinion && slices.ContainsFunc(k.asked, func(dir string) bool { return study.InDir(abs, dir) }) {
		w = k.askFinding("protect/settings", abs, "an environment variable makes programs use it")
	}
	return w
}

// checkWiring returns the finding for the change c of abs if that is a settings file that makes a host
// call checkrein and the change could remove checkrein's hooks.
func (k *guard) checkWiring(abs string, p *shell.Place, c pathChange) finding {
	if strings.ContainsAny(abs, "*?[") {
		return finding{} // files.Protected handles patterns
	}
	f, near := hostfiles.FindFile(abs, p.Home, k.getenv, p.Root, p.Dir)
	if f == nil {
		return finding{}
	}
	before, read := study.ReadBounded(abs)
	ours := f.HasEntries(before)
	if !near && !ours && read {
		return finding{}
	}
	if !read && !c.gone {
		return unreadableFinding(abs)
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
			return unreadableFinding(abs)
		}
		if does := f.DescribeChange(before, text); does != "" {
			return wiringFinding(abs, "this "+does+"; edits that keep checkrein's hooks unchanged are allowed, and the user can run checkrein uninstall "+f.Host+" in a terminal outside the agent")
		}
	}
	return finding{}
}

// unreadableFinding returns the finding for a settings file that is too big or cannot be read, so that
// it is unknown whether checkrein's hooks would stay in it.
func unreadableFinding(abs string) finding {
	return wiringFinding(abs, "the file is too big or cannot be read, so checkrein cannot tell whether its hooks would stay in it; the user can change it outside the agent")
}

// findOwn returns the first of checkrein's own paths for which fits returns true, or false if there is
// none.
func (k *guard) findOwn(fits func(path string) bool) (found string, ok bool) {
	keep := func(p string) bool {
		if ok = fits(p); ok {
			found = p
		}
		return ok
	}
	if !slices.ContainsFunc(k.own, keep) {
		files.EachOwnPath(&k.place, keep)
	}
	return found, ok
}

// findWired returns the finding for the first settings file of a host for which fits returns true. It
// has no decision if there is none.
func (k *guard) findWired(fits func(path string, f *hostfiles.File) bool) (w finding) {
	hostfiles.EachPath(k.place.Home, k.getenv, []string{k.place.Root, k.place.Dir}, func(p string, f *hostfiles.File) bool {
		if fits(p, f) {
			w = wiringFinding(p, "the user can run checkrein uninstall "+f.Host+" in a terminal outside the agent")
		}
		return w.decision != checkrein.NoOpinion
	})
	return w
}

// checkTree returns the finding for removing, moving or overwriting everything below path.
func (k *guard) checkTree(path string) finding {
	real := study.RealPath(k.absPath(path), false)
	abs := filepath.Clean(k.absPath(path))
	pattern := strings.ContainsAny(path, "*?[{") || strings.ContainsRune(path, shell.Placeholder)
	below := func(p string) bool {
		return study.InDir(p, real) || study.InDir(p, abs) || pattern && (files.DirContains(path, p, &k.place) || files.DirContains(real, p, &k.real))
	}
	if p, ok := k.findOwn(func(p string) bool { return below(p) && exists(p) }); ok {
		return k.ownFinding(p).forTree(real, p)
	}
	var dirs dirCache
	w := k.findWired(func(p string, f *hostfiles.File) bool {
		return below(p) && dirs.exists(filepath.Dir(p)) && (mayBeWired(f, p) || f.Form == hosts.Whole && exists(p))
	})
	for _, glob := range k.globs {
		fixed, _, _ := strings.Cut(study.AbsFromRoot(glob, &k.place), "*")
		if study.InDir(filepath.Clean(fixed), real) {
			w.merge(globFinding(glob))
		}
	}
	w.merge(k.checkHooksBelow(abs, below))
	if !w.isStrictest() {
		w.merge(k.checkTranscriptsBelow(abs, real, below))
	}
	return w
}

// A dirCache caches which directories exist, because several settings files of hosts share one.
type dirCache []struct {
	path  string
	there bool
}

// exists reports whether the directory path exists, or may exist but is not accessible.
func (d *dirCache) exists(path string) bool {
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

// checkMentions returns the finding for paths in words, the words of a program whose effects are
// unknown. Only denied changes count, and settings files only if they have entries of checkrein.
func (k *guard) checkMentions(words string) finding {
	var worst finding
	if looksUpOwnProgram(words) {
		return searchFinding // the effects of the program that uses the result are unknown
	}
	seen := map[string]bool{}
	for _, w := range strings.FieldsFunc(words, func(r rune) bool { return strings.ContainsRune(" \t\n=:,;|&<>(){}'\"`", r) }) {
		if !strings.Contains(w, "/") || seen[w] {
			continue
		}
		seen[w] = true
		w = strings.Replace(w, "$HOME", k.place.Home, 1)
		abs := k.absPath(w)
		if f, _ := hostfiles.FindFile(abs, k.place.Home, k.getenv, k.place.Root, k.place.Dir); f != nil && !mayBeWired(f, abs) {
			continue
		}
		if found := k.checkChange(w, pathChange{follow: true}); found.decision == checkrein.Deny {
			worst.merge(found)
		}
	}
	return worst
}

// looksUpOwnProgram reports whether code looks up the path of one of checkrein's programs.
func looksUpOwnProgram(code string) bool {
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

// checkHardLinks returns the finding for a change of path if it is a file with several hard links, one
// of which is protected.
func (k *guard) checkHardLinks(path string) finding {
	info, err := os.Stat(k.absPath(path))
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
	if p, ok := k.findOwn(inside); ok {
		return k.ownFinding(p)
	}
	w := k.findWired(func(p string, _ *hostfiles.File) bool { return same(p) })
	if w.decision != checkrein.NoOpinion {
		w.advice = "this is the same file under another name; change it under its own name, with the file edit tool"
	}
	if !w.isStrictest() && k.anyTranscriptFile(same) {
		return transcriptFinding
	}
	return w
}

// absPath returns path as an absolute path with ~ expanded. It does not clean relative paths.
func (k *guard) absPath(path string) string {
	if path == "~" {
		return k.place.Home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(k.place.Home, rest)
	}
	if filepath.IsAbs(path) {
		return k.procPath(path)
	}
	return k.place.Dir + string(filepath.Separator) + path // not cleaned, because of symlinks before ..
}

// procPath resolves a path through /proc/self/cwd for the process of the call, which runs in the
// guard's directory.
func (k *guard) procPath(path string) string { return study.ResolveProc(path, k.place.Dir) }

// readScript is like [study.ReadScript], and records that the file was read.
func (k *guard) readScript(path string) (string, bool) {
	text, ok := study.ReadScript(path)
	if ok {
		k.seen.AddFile(path, text)
	}
	return text, ok
}

// mayBeWired reports whether path, a settings file f of a host, has entries of checkrein or cannot be
// read.
func mayBeWired(f *hostfiles.File, path string) bool {
	text, ok := study.ReadBounded(path)
	return !ok || text != nil && f.HasEntries(text)
}
