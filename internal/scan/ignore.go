package scan

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// OwnIgnoreFile names files that leave out what a scan need not look at, in the
// syntax of .gitignore.
const OwnIgnoreFile = ".checkreinignore"

const maxIgnoreFile = 1 << 20

// ignores are the ignore files below a directory. They are read when a path
// first needs them.
type ignores struct {
	root  string   // the directory, as the system knows it
	names []string // of the files
	rules map[string][]ignoreRule
	dirs  map[string]bool // directories that are ignored, or not
}

func newIgnores(root string, names ...string) *ignores {
	return &ignores{root: root, names: names, rules: map[string][]ignoreRule{}, dirs: map[string]bool{".": false}}
}

// An ignoreRule is one line of an ignore file.
type ignoreRule struct {
	glob    string
	negate  bool
	dirOnly bool
}

// ignored reports whether a path below the root, with slashes, is left out, by
// itself or with a directory that it is in.
func (g *ignores) ignored(p string, dir bool) bool {
	if dir {
		if is, known := g.dirs[p]; known {
			return is
		}
	}
	is := g.ignored(path.Dir(p), true) || g.matches(p, dir)
	if dir {
		g.dirs[p] = is
	}
	return is
}

// matches reports what the last rule that fits says; files further down count
// more.
func (g *ignores) matches(p string, dir bool) bool {
	is := false
	for at := "."; ; {
		rest := p
		if at != "." {
			rest = p[len(at)+1:]
		}
		for _, r := range g.in(at) {
			if (dir || !r.dirOnly) && match.MatchPathGlob(r.glob, rest) {
				is = !r.negate
			}
		}
		next, _, more := strings.Cut(rest, "/")
		if !more {
			return is
		}
		at = path.Join(at, next)
	}
}

// in returns the rules that stand in a directory.
func (g *ignores) in(dir string) []ignoreRule {
	list, known := g.rules[dir]
	if known {
		return list
	}
	for _, name := range g.names {
		src, err := state.ReadRegular(filepath.Join(g.root, filepath.FromSlash(dir), name), maxIgnoreFile)
		if err == nil {
			list = append(list, parseIgnore(string(src))...)
		}
	}
	g.rules[dir] = list
	return list
}

// parseIgnore reads an ignore file, as gitignore(5) has it.
func parseIgnore(src string) []ignoreRule {
	var list []ignoreRule
	for line := range strings.Lines(src) {
		line = strings.TrimRight(line, "\r\n")
		for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
			line = line[:len(line)-1]
		}
		if line == "" || line[0] == '#' {
			continue
		}
		var r ignoreRule
		if line[0] == '!' {
			r.negate, line = true, line[1:]
		}
		line, r.dirOnly = strings.CutSuffix(line, "/")
		if line == "" {
			continue
		}
		if rest, anchored := strings.CutPrefix(line, "/"); anchored {
			line = rest
		} else if !strings.Contains(line, "/") {
			line = "**/" + line
		}
		r.glob = line
		list = append(list, r)
	}
	return list
}
