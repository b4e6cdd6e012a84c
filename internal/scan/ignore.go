package scan

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// OwnIgnoreFile is the name of the files that exclude paths from scans. They have the syntax of
// .gitignore.
const OwnIgnoreFile = ".checkreinignore"

const maxIgnoreFile = 1 << 20

// An ignores holds the rules of the ignore files below a directory. A file is read when a path first
// needs it.
type ignores struct {
	root  string   // the directory
	names []string // names of ignore files
	rules map[string][]ignoreRule
	dirs  map[string]bool // directories that were checked, and whether they are ignored
}

// newIgnores returns the rules of the ignore files called names below root.
func newIgnores(root string, names ...string) *ignores {
	return &ignores{root: root, names: names, rules: map[string][]ignoreRule{}, dirs: map[string]bool{".": false}}
}

// An ignoreRule is one line of an ignore file.
type ignoreRule struct {
	glob    string
	negate  bool
	dirOnly bool
}

// isIgnored reports whether the slash-separated path p below the root is excluded, by itself or with a
// parent directory. The parameter dir is set if p is a directory.
func (g *ignores) isIgnored(p string, dir bool) bool {
	if dir {
		if is, known := g.dirs[p]; known {
			return is
		}
	}
	is := g.isIgnored(path.Dir(p), true) || g.matches(p, dir)
	if dir {
		g.dirs[p] = is
	}
	return is
}

// matches reports whether the last matching rule excludes p. Files in deeper directories take
// precedence.
func (g *ignores) matches(p string, dir bool) bool {
	is := false
	for at := "."; ; {
		rest := p
		if at != "." {
			rest = p[len(at)+1:]
		}
		for _, r := range g.rulesIn(at) {
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

// rulesIn returns the rules of the ignore files in the directory dir.
func (g *ignores) rulesIn(dir string) []ignoreRule {
	list, known := g.rules[dir]
	if known {
		return list
	}
	for _, name := range g.names {
		src, err := state.ReadRegular(filepath.Join(g.root, filepath.FromSlash(dir), name), maxIgnoreFile)
		if err == nil {
			list = append(list, parseIgnoreFile(string(src))...)
		}
	}
	g.rules[dir] = list
	return list
}

// parseIgnoreFile returns the rules in src, the content of an ignore file as described in
// gitignore(5).
func parseIgnoreFile(src string) []ignoreRule {
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
