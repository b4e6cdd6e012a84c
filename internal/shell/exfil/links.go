package exfil

import (
	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// maxLinks is how many paths of one call are followed.
const maxLinks = 256

// A linkReader follows links to what they lead to, which is what a program reads.
type linkReader struct {
	place *shell.Place
	left  int
	real  *shell.Place // the place without links; nil = not needed so far
}

// private is [Private] for where a path leads to by links.
func (l *linkReader) private(text string) (path, what string, ok bool) {
	if l.place.Real == nil || text == "" || len(text) > facts.MaxPath || l.left == 0 {
		return "", "", false
	}
	abs := absolutePath(slashed(text), l.place)
	if abs == "" || abs[0] != '/' && (len(abs) < 2 || abs[1] != ':') {
		return "", "", false
	}
	l.left--
	to := slashed(l.follow(abs))
	if to == abs {
		return "", "", false
	}
	if l.real == nil {
		p := *l.place
		p.Dir, p.Root, p.Home = l.follow(p.Dir), l.follow(p.Root), l.follow(p.Home)
		l.real = &p
	}
	what, ok = Private(to, l.real)
	return to, what, ok
}

// follow is where a path leads, also where its end is a link.
func (l *linkReader) follow(path string) string {
	if path == "" {
		return ""
	}
	return l.place.Real(path + "/.")
}
