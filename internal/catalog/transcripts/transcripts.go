// Package transcripts lists where hosts store their transcripts, for programs that read them and for
// self-protection, which needs only their paths.
package transcripts

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

// A Place is a location where a host stores transcripts.
type Place hosts.Transcript

// runtimePlace is where checkrein's own runtime stores its transcripts.
var runtimePlace = Place{
	Host: "native", Vars: []hosts.Moved{{Variable: "XDG_STATE_HOME", Below: "checkrein"}, {Variable: "LocalAppData", Below: "checkrein"}},
	Home: ".local/state/checkrein", Files: []string{"runs/*.jsonl"}, SameIDs: true, Starts: true, InLots: true,
}

// AllPlaces calls fn with the places of all hosts and of checkrein's runtime, until fn returns false.
func AllPlaces(fn func(*Place) bool) {
	for i := range hosts.Transcripts {
		if !fn((*Place)(&hosts.Transcripts[i])) {
			return
		}
	}
	fn(&runtimePlace)
}

// PlaceOf returns the place of a host's transcripts, or an empty one if it is unknown.
func PlaceOf(host string) *Place {
	for p := range AllPlaces {
		if p.Host == host {
			return p
		}
	}
	return &Place{}
}

// Dir returns the directory of the place: the one that the first environment variable with an absolute
// path sets, or else the one in the home directory. It returns "" if neither is known.
func (p *Place) Dir(home string, getenv func(string) string) string {
	for _, m := range p.Vars {
		if v := getenv(m.Variable); filepath.IsAbs(v) {
			return filepath.Join(v, m.Below)
		}
	}
	return p.defaultDir(home)
}

// defaultDir returns the directory of the place in the home directory, or "" if home is not an
// absolute path.
func (p *Place) defaultDir(home string) string {
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, filepath.FromSlash(p.Home))
}

// A Root is a possible directory of a place.
type Root struct {
	*Place
	Path string
}

// Roots returns all possible directories of the places. The process that wrote a transcript may have
// had other environment variables than this one.
func Roots(home string, getenv func(string) string) []Root {
	out := make([]Root, 0, len(hosts.Transcripts)+3)
	for p := range AllPlaces {
		if dir := p.defaultDir(home); dir != "" {
			out = append(out, Root{p, dir})
		}
		for _, m := range p.Vars {
			if v := getenv(m.Variable); filepath.IsAbs(v) && filepath.Dir(v) != v {
				out = append(out, Root{p, filepath.Join(v, m.Below)})
			}
		}
	}
	return out
}

// MayBeTranscript reports whether a transcript of some host can have this file name.
func MayBeTranscript(name string) bool {
	name = foldCase(name)
	for p := range AllPlaces {
		for _, list := range [...][]string{p.Files, p.Beside} {
			for _, f := range list {
				if ok, _ := path.Match(path.Base(f), name); ok {
					return true
				}
			}
		}
	}
	return false
}

// ProjectDirName returns the name under which a host stores the data of a directory. It stands for the
// * in [hosts.Transcript.Free].
func ProjectDirName(dir string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
			return r
		}
		return '-'
	}, dir)
}

// RelPath returns path relative to the root, with slashes, or "" for the root itself. It reports false
// if path is not in the root.
func (r *Root) RelPath(path string) (string, bool) {
	rest, ok := strings.CutPrefix(foldCase(filepath.ToSlash(path)), foldCase(filepath.ToSlash(r.Path)))
	switch {
	case !ok:
		return "", false
	case rest == "":
		return "", true
	}
	return filepath.ToSlash(path)[len(path)-len(rest)+1:], rest[0] == '/'
}

// IsTranscript reports whether below, a path relative to the root with slashes, is the path of a
// transcript.
func (r *Root) IsTranscript(below string) bool { return r.matchesAny(below, matchPath) }

// IsTranscriptDir reports whether below, a path relative to the root, is the root itself or a
// directory in which the host creates transcripts.
func (r *Root) IsTranscriptDir(below string) bool {
	if below == "" {
		return true
	}
	for _, free := range r.Free {
		if matchPath(strings.Split(free, "/"), strings.Split(foldCase(below), "/")) {
			return false
		}
	}
	return r.matchesAny(below, mayContainMatch)
}

// matchesAny reports whether test returns true for one of the file patterns and the elements of below.
func (r *Root) matchesAny(below string, test func(pattern, parts []string) bool) bool {
	parts := strings.Split(foldCase(below), "/")
	for _, list := range [...][]string{r.Files, r.Beside} {
		for _, f := range list {
			if test(strings.Split(f, "/"), parts) {
				return true
			}
		}
	}
	return false
}

// matchPath reports whether parts, the elements of a path, match pattern.
func matchPath(pattern, parts []string) bool {
	if len(pattern) == 0 {
		return len(parts) == 0
	}
	if pattern[0] == "**" && (matchPath(pattern[1:], parts) || len(parts) > 1 && matchPath(pattern, parts[1:])) {
		return true
	}
	return pattern[0] != "**" && len(parts) > 0 && matchName(pattern[0], parts[0]) && matchPath(pattern[1:], parts[1:])
}

// mayContainMatch reports whether pattern can match files in the directory with the elements parts.
func mayContainMatch(pattern, parts []string) bool {
	if len(parts) == 0 {
		return len(pattern) > 0
	}
	if len(pattern) < 2 { // the last element is the name of a file
		return false
	}
	return pattern[0] == "**" || matchName(pattern[0], parts[0]) && mayContainMatch(pattern[1:], parts[1:])
}

// matchName reports whether a name matches one element of a pattern.
func matchName(pattern, name string) bool { ok, _ := path.Match(pattern, name); return ok }

// foldCase returns s in lower case on systems that ignore the case of paths.
func foldCase(s string) string {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.ToLower(s)
	}
	return s
}

// Walk calls fn with the transcripts at or below dir, until fn returns false. If dir is not in the
// root, it visits the whole root. It returns false if it did not visit everything, because there are
// more than most files or deeper directories than maxDepth.
func (r *Root) Walk(dir string, most int, fn func(path string) bool) bool {
	below, ok := r.RelPath(filepath.Clean(dir))
	if !ok {
		below = ""
	}
	w := walk{root: r, left: most, fn: fn}
	w.visit(below, 0)
	return !w.cut
}

// A walk visits the transcripts of a root.
type walk struct {
	root      *Root
	left      int
	fn        func(string) bool
	cut, done bool
}

// maxDepth limits how deep in the root directories are visited.
const maxDepth = 16

// visit visits the file or directory at below, a path relative to the root.
func (w *walk) visit(below string, depth int) {
	full := filepath.Join(w.root.Path, filepath.FromSlash(below))
	if below != "" && w.root.IsTranscript(below) {
		if info, err := os.Lstat(full); err == nil && !info.IsDir() {
			w.done = !w.fn(full)
			return
		}
	}
	if !w.root.matchesAny(below, mayContainMatch) && below != "" {
		return
	}
	list, err := os.ReadDir(full)
	if err != nil {
		return
	}
	for _, e := range list {
		if w.left--; w.left < 0 || depth > maxDepth {
			w.cut = true
		}
		if w.cut || w.done {
			return
		}
		at := path.Join(below, e.Name())
		switch {
		case e.IsDir():
			w.visit(at, depth+1)
		case w.root.IsTranscript(at):
			w.done = !w.fn(filepath.Join(full, e.Name()))
		}
	}
}
