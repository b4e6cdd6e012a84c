package builtin

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/workplace"
)

// A keeper knows what is protected where a call would run.
type keeper struct {
	place    shell.Place
	real     shell.Place // the same without links
	patterns []string    // a person's own
	moved    []string    // what variables put in other places than the usual ones, and our programs
}

func newKeeper(call *Call, ev *checkrein.Event, patterns []string) *keeper {
	k := &keeper{place: placeOf(ev, call.ground()), patterns: patterns}
	k.real = k.place
	for _, dir := range [...]*string{&k.real.Dir, &k.real.Root, &k.real.Home} {
		if *dir != "" {
			*dir = realPath(*dir, true)
		}
	}
	environ := call.Environ
	if environ == nil {
		environ = call.Env.Environ
	}
	k.moved = movedPlaces(environ)
	if program, err := os.Executable(); err == nil {
		k.moved = append(k.moved, ownPrograms(program)...)
	}
	return k
}

// places are variables that say where things lie which are protected, and what is
// below that; "" = all of it.
var places = [...]struct{ name, below string }{
	{"XDG_STATE_HOME", "checkrein"}, {"XDG_CONFIG_HOME", "checkrein"}, {"XDG_CONFIG_HOME", "opencode"}, {"XDG_CONFIG_HOME", "agents"},
	{"XDG_CONFIG_HOME", "git"}, {"XDG_CONFIG_HOME", "fish"}, {"LocalAppData", "checkrein"},
	{"CLAUDE_CONFIG_DIR", ""}, {"CODEX_HOME", ""}, {"COPILOT_HOME", ""}, {"OPENCODE_CONFIG", ""}, {"OPENCODE_CONFIG_DIR", ""},
	{"OPENCLAW_STATE_DIR", ""}, {"OPENCLAW_CONFIG_PATH", ""}, {"OPENCLAW_HOME", ""},
	{"GNUPGHOME", ""}, {"ZDOTDIR", ".zshrc"}, {"ZDOTDIR", ".zshenv"}, {"ZDOTDIR", ".zprofile"}, {"BASH_ENV", ""}, {"GIT_CONFIG_GLOBAL", ""},
	{"AWS_SHARED_CREDENTIALS_FILE", ""}, {"AWS_CONFIG_FILE", ""}, {"KUBECONFIG", ""}, {"CLOUDSDK_CONFIG", ""}, {"GOOGLE_APPLICATION_CREDENTIALS", ""}, {"AZURE_CONFIG_DIR", ""},
	{"DOCKER_CONFIG", "config.json"}, {"NETRC", ""}, {"NPM_CONFIG_USERCONFIG", ""},
}

func movedPlaces(environ []string) []string {
	var out []string
	for _, p := range places {
		v, _ := workplace.Lookup(environ, p.name)
		if v = filepath.Clean(v); filepath.IsAbs(v) && filepath.Dir(v) != v && v != os.DevNull {
			out = append(out, realPath(filepath.Join(v, p.below), true))
		}
	}
	return out
}

// ownPrograms are the programs that hosts call, when we are one of them.
func ownPrograms(program string) []string {
	ext := filepath.Ext(program)
	if base := strings.TrimSuffix(filepath.Base(program), ext); base != "checkrein" && base != "checkreind" {
		return nil
	}
	dir := filepath.Dir(realPath(program, true))
	return []string{filepath.Join(dir, "checkrein"+ext), filepath.Join(dir, "checkreind"+ext)}
}

// touches says what a path is, if nobody but a person may change it. Follow says
// that a change goes through a link at its end.
func (k *keeper) touches(path string, follow bool) (string, bool) {
	if what, ok := k.is(path, &k.place); ok {
		return what, true
	}
	return k.is(realPath(k.absolute(path), follow), &k.real)
}

func (k *keeper) is(path string, p *shell.Place) (string, bool) {
	if what, ok := files.Protected(path, &shell.Call{}, p); ok {
		return what, true
	}
	if slices.ContainsFunc(k.patterns, func(pattern string) bool { return within(pattern, path, p) }) ||
		slices.ContainsFunc(k.moved, func(dir string) bool { return inDir(path, dir) }) {
		return path, true
	}
	return "", false
}

// holds says what protected thing lies below a path.
func (k *keeper) holds(path string, project bool) (what string, ok bool) {
	there := func(p string) bool {
		_, err := os.Lstat(p)
		what = p
		return err == nil
	}
	real := realPath(k.absolute(path), false)
	if files.Below(path, project, &k.place, there) || files.Below(real, project, &k.real, there) {
		return what, true
	}
	for _, dir := range k.moved {
		if inDir(dir, real) {
			return dir, true
		}
	}
	for _, pattern := range k.patterns {
		fixed, _, _ := strings.Cut(absolute(pattern, &k.place), "*")
		if inDir(filepath.Clean(fixed), real) {
			return pattern, true
		}
	}
	return "", false
}

// mentioned says which protected thing the words of a program name of which
// nobody knows what it does with it.
func (k *keeper) mentioned(words string) (string, bool) {
	for _, w := range strings.FieldsFunc(words, func(r rune) bool { return strings.ContainsRune(" \t\n=:,;|&<>(){}'\"`", r) }) {
		if !strings.Contains(w, "/") {
			continue
		}
		w = strings.Replace(w, "$HOME", k.place.Home, 1)
		if what, ok := k.touches(w, true); ok && (what == "checkrein" || what == "agent-host" || filepath.IsAbs(what)) {
			return what, true
		}
	}
	return "", false
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
func (k *keeper) ofProcess(path string) string {
	rest, ok := strings.CutPrefix(path, "/proc/")
	if !ok {
		return path
	}
	_, rest, _ = strings.Cut(rest, "/")
	if i := strings.Index(rest, "cwd/"); i == 0 || i > 0 && strings.HasPrefix(rest, "task/") {
		return k.place.Dir + "/" + rest[i+len("cwd/"):]
	}
	if i := strings.Index(rest, "root/"); i == 0 || i > 0 && strings.HasPrefix(rest, "task/") {
		return "/" + rest[i+len("root/"):]
	}
	return path
}

func inDir(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || os.IsPathSeparator(rest[0]))
}

// maxLinks is how many links are followed, as systems do.
const maxLinks = 40

// realPath goes along the links in an absolute path, also to what is not there
// yet. Follow says whether a link at its end counts.
func realPath(path string, follow bool) string {
	if !filepath.IsAbs(path) {
		return path
	}
	sep := string(filepath.Separator)
	done := filepath.VolumeName(path) + sep
	rest := strings.FieldsFunc(path[len(done):], func(r rune) bool { return r < 128 && os.IsPathSeparator(uint8(r)) })
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, part)
		to, err := "", os.ErrNotExist
		if len(rest) > 0 || follow {
			to, err = os.Readlink(next)
		}
		if err != nil {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return filepath.Join(next, filepath.Join(rest...))
		}
		if filepath.IsAbs(to) {
			done = filepath.VolumeName(to) + sep
			to = to[len(filepath.VolumeName(to)):]
		}
		rest = append(strings.FieldsFunc(to, func(r rune) bool { return r < 128 && os.IsPathSeparator(uint8(r)) }), rest...)
	}
	return done
}

// maxScript is how long a script may be that is read: longer ones are programs
// that somebody made.
const maxScript = 64 << 10

// readScript returns the text of a script that a command may run.
func readScript(path string) (string, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxScript {
		return "", false
	}
	text, err := os.ReadFile(path)
	if err != nil || len(text) > maxScript || slices.Contains(text, 0) {
		return "", false
	}
	return string(text), true
}
