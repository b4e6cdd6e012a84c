package exfil

import (
	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// maxSymlinks is the largest number of paths of one call whose symlinks are followed.
const maxSymlinks = 256

// A symlinkReader resolves symlinks in paths and checks whether they lead to private files.
type symlinkReader struct {
	place *shell.Place
	left  int          // how many more paths may be resolved
	real  *shell.Place // place with symlinks resolved; nil until it is needed
}

// privateTarget returns the path that text leads to through symlinks and, from [PrivateKind], what it
// contains. It reports false if text has no symlinks or the target is not private.
func (l *symlinkReader) privateTarget(text string) (path, what string, ok bool) {
	if l.place.Real == nil || text == "" || len(text) > facts.MaxPath || l.left == 0 {
		return "", "", false
	}
	abs := absolutePath(toSlash(text), l.place)
	if abs == "" || abs[0] != '/' && (len(abs) < 2 || abs[1] != ':') {
		return "", "", false
	}
	l.left--
	to := toSlash(l.resolve(abs))
	if to == abs {
		return "", "", false
	}
	if l.real == nil {
		p := *l.place
		p.Dir, p.Root, p.Home = l.resolve(p.Dir), l.resolve(p.Root), l.resolve(p.Home)
		l.real = &p
	}
	what, ok = PrivateKind(to, l.real)
	return to, what, ok
}

// resolve returns path with all symlinks resolved, including one in its last element.
func (l *symlinkReader) resolve(path string) string {
	if path == "" {
		return ""
	}
	return l.place.Real(path + "/.")
}
