// Package transcripts lists where hosts keep their transcripts, for those that read them
// and for self-protection, which only needs their paths.
package transcripts

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// A Place is where a host keeps transcripts.
type Place struct {
	Host string
	Vars []Moved // what the environment says first, the first one that is set counts
	Home string  // else below the home, with slashes
	// Files are below that, with slashes: * and ? are of a name, ** of any folders.
	Files []string
	// Beside are files that a database is read with.
	Beside []string
	// Free are folders in there that the host leaves to the model.
	Free []string
}

// A Moved folder is named by a variable.
type Moved struct{ Variable, Below string }

// Table has all the places, by the order of hosts.
var Table = [...]Place{
	{Host: "claude", Vars: []Moved{{"CLAUDE_CONFIG_DIR", ""}}, Home: ".claude", Files: []string{"projects/**/*.jsonl"}, Free: []string{"projects/*/memory"}},
	{Host: "codex", Vars: []Moved{{"CODEX_HOME", ""}}, Home: ".codex", Files: []string{"sessions/**/rollout-*.jsonl", "archived_sessions/**/rollout-*.jsonl"}},
	{Host: "gemini", Vars: []Moved{{"GEMINI_CLI_HOME", ".gemini"}}, Home: ".gemini", Files: []string{"tmp/*/chats/**/*.jsonl", "tmp/*/chats/**/*.json"}},
	{Host: "qwen", Vars: []Moved{{"QWEN_RUNTIME_DIR", ""}, {"QWEN_HOME", ""}}, Home: ".qwen", Files: []string{"projects/**/*.jsonl", "tmp/*/chats/*.jsonl"}},
	{Host: "copilot", Vars: []Moved{{"COPILOT_HOME", ""}}, Home: ".copilot", Files: []string{"session-state/*/events.jsonl", "session-state/*.jsonl"}},
	{Host: "opencode", Vars: []Moved{{"XDG_DATA_HOME", "opencode"}}, Home: ".local/share/opencode", Files: []string{"opencode*.db", "storage/part/**/*.json"}, Beside: []string{"opencode*.db-wal", "opencode*.db-journal", "opencode*.db-shm"}},
	{Host: "native", Vars: []Moved{{"XDG_STATE_HOME", "checkrein"}, {"LocalAppData", "checkrein"}}, Home: ".local/state/checkrein", Files: []string{"runs/*.jsonl"}},
}

// Of returns the places of a host.
func Of(host string) []Place {
	var out []Place
	for i := range Table {
		if Table[i].Host == host {
			out = append(out, Table[i])
		}
	}
	return out
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
	out := make([]Root, 0, len(Table)+2)
	for i := range Table {
		p := &Table[i]
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
	for i := range Table {
		for _, list := range [...][]string{Table[i].Files, Table[i].Beside} {
			for _, f := range list {
				if ok, _ := path.Match(path.Base(f), name); ok {
					return true
				}
			}
		}
	}
	return false
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
