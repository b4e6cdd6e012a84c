// Package transcripts lists where hosts keep their transcripts, for those that read them
// and for self-protection, which only needs their paths.
package transcripts

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

// A Place is where a host keeps transcripts.
type Place hosts.Transcript

// own is where checkrein's runtime keeps its transcripts.
var own = Place{
	Host: "native", Vars: []hosts.Moved{{Variable: "XDG_STATE_HOME", Below: "checkrein"}, {Variable: "LocalAppData", Below: "checkrein"}},
	Home: ".local/state/checkrein", Files: []string{"runs/*.jsonl"}, SameIDs: true, Starts: true, InLots: true,
}

// All calls fn with the places of all hosts and of checkrein's runtime, until it returns false.
func All(fn func(*Place) bool) {
	for i := range hosts.Transcripts {
		if !fn((*Place)(&hosts.Transcripts[i])) {
			return
		}
	}
	fn(&own)
}

// Of returns the place of a host's transcripts, an empty one for a host without any.
func Of(host string) *Place {
	for p := range All {
		if p.Host == host {
			return p
		}
	}
	return &Place{}
}

// Dir is where the place is: where the first variable that is set says, or else below
// the home. It is "" where neither is known.
func (p *Place) Dir(home string, getenv func(string) string) string {
	for _, m := range p.Vars {
		if v := getenv(m.Variable); filepath.IsAbs(v) {
			return filepath.Join(v, m.Below)
		}
	}
	return p.usual(home)
}

func (p *Place) usual(home string) string {
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, filepath.FromSlash(p.Home))
}

// A Root is a folder in which a place is, or may be.
type Root struct {
	*Place
	Path string
}

// Roots are all the folders in which places may be: who reads transcripts may have
// other variables than who writes them, or none.
func Roots(home string, getenv func(string) string) []Root {
	out := make([]Root, 0, len(hosts.Transcripts)+3)
	for p := range All {
		if dir := p.usual(home); dir != "" {
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

// Called reports whether a file of some place may have a name.
func Called(name string) bool {
	name = fold(name)
	for p := range All {
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

// FolderOf returns the name under which a host keeps what belongs to a directory: the * in
// [hosts.Transcript.Free].
func FolderOf(dir string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
			return r
		}
		return '-'
	}, dir)
}

// Below is the part of a path below the root, with slashes; "" = it is the root.
func (r *Root) Below(path string) (string, bool) {
	rest, ok := strings.CutPrefix(fold(filepath.ToSlash(path)), fold(filepath.ToSlash(r.Path)))
	switch {
	case !ok:
		return "", false
	case rest == "":
		return "", true
	}
	return filepath.ToSlash(path)[len(path)-len(rest)+1:], rest[0] == '/'
}

// Holds reports whether a path below the root, with slashes, is a transcript's.
func (r *Root) Holds(below string) bool { return r.any(below, fits) }

// Leads reports whether a path below the root is a folder in which transcripts come to
// lie, or the root itself.
func (r *Root) Leads(below string) bool {
	if below == "" {
		return true
	}
	for _, free := range r.Free {
		if fits(strings.Split(free, "/"), strings.Split(fold(below), "/")) {
			return false
		}
	}
	return r.any(below, leads)
}

func (r *Root) any(below string, how func(pattern, parts []string) bool) bool {
	parts := strings.Split(fold(below), "/")
	for _, list := range [...][]string{r.Files, r.Beside} {
		for _, f := range list {
			if how(strings.Split(f, "/"), parts) {
				return true
			}
		}
	}
	return false
}

// fits reports whether the parts of a path are those of a pattern.
func fits(pattern, parts []string) bool {
	if len(pattern) == 0 {
		return len(parts) == 0
	}
	if pattern[0] == "**" && (fits(pattern[1:], parts) || len(parts) > 1 && fits(pattern, parts[1:])) {
		return true
	}
	return pattern[0] != "**" && len(parts) > 0 && match(pattern[0], parts[0]) && fits(pattern[1:], parts[1:])
}

// leads reports whether a pattern goes through a folder.
func leads(pattern, parts []string) bool {
	if len(parts) == 0 {
		return len(pattern) > 0
	}
	if len(pattern) < 2 { // the last part is a file's
		return false
	}
	return pattern[0] == "**" || match(pattern[0], parts[0]) && leads(pattern[1:], parts[1:])
}

func match(pattern, name string) bool { ok, _ := path.Match(pattern, name); return ok }

// fold is a path as systems compare it that do not tell capitals apart.
func fold(s string) string {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.ToLower(s)
	}
	return s
}

// Walk calls fn with the transcripts at or below a folder, which may lie in the root or
// above it, until fn returns false. It reports false where there is more than it looks
// at: more than most files, or deeper folders.
func (r *Root) Walk(dir string, most int, fn func(path string) bool) bool {
	below, ok := r.Below(filepath.Clean(dir))
	if !ok {
		below = ""
	}
	w := walk{root: r, left: most, fn: fn}
	w.into(below, 0)
	return !w.cut
}

type walk struct {
	root      *Root
	left      int
	fn        func(string) bool
	cut, done bool
}

// deepest is how many folders below each other hold transcripts.
const deepest = 16

func (w *walk) into(below string, depth int) {
	full := filepath.Join(w.root.Path, filepath.FromSlash(below))
	if below != "" && w.root.Holds(below) {
		if info, err := os.Lstat(full); err == nil && !info.IsDir() {
			w.done = !w.fn(full)
			return
		}
	}
	if !w.root.any(below, leads) && below != "" {
		return
	}
	list, err := os.ReadDir(full)
	if err != nil {
		return
	}
	for _, e := range list {
		if w.left--; w.left < 0 || depth > deepest {
			w.cut = true
		}
		if w.cut || w.done {
			return
		}
		at := path.Join(below, e.Name())
		switch {
		case e.IsDir():
			w.into(at, depth+1)
		case w.root.Holds(at):
			w.done = !w.fn(filepath.Join(full, e.Name()))
		}
	}
}
