package files

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// homeless is the home directory of someone whose home is not known. It lies
// where homes lie, so that ~/.. comes out right.
const homeless = "/home/~"

// A base is where relative paths of a call start, and what else the place says.
type base struct {
	dir    string // "" = not known
	root   string // the project; "" = not known
	home   string
	given  bool   // the command itself names dir
	rel    string // without a project: how the command goes on from the place's directory
	remote bool
	slash  bool                // \ separates, as in cmd.exe
	real   func(string) string // follows links; nil = nobody does
}

func baseOf(c *shell.Call, p *shell.Place) base {
	b := base{home: homeless}
	if c != nil && c.Remote != "" {
		b.remote = true
	} else if p != nil {
		if p.Home != "" {
			b.home = path.Clean(p.Home)
		}
		b.slash, b.real = p.Dialect != shell.Bash, p.Real
		b.dir = unixed(p.Dir)
		b.root = unixed(p.Root)
		if b.root == "" {
			b.root = b.dir
		}
		if !plausible(b.root, b.home) {
			b.root = ""
		}
	}
	if c != nil && c.Dir != "" {
		b.enter(c.Dir)
	}
	return b
}

// enter goes to the directory that a cd before the call names.
func (b *base) enter(to string) {
	from := b.dir
	b.dir = b.absolute(to)
	b.given = true
	if b.root != "" || b.remote {
		return
	}
	switch {
	case from != "" && within(b.dir, from):
		// Someone in /tmp who goes to src is as loose as someone in src.
		b.given, b.rel = false, b.dir[len(from)+1:]
	case from == "" && b.dir[0] != '/' && !driveRoot(b.dir) && !strings.HasPrefix(b.dir, holeText):
		b.given, b.rel = false, b.dir
	}
}

// unixed cleans a directory of the place.
func unixed(dir string) string {
	if dir == "" {
		return ""
	}
	if d, ok := drive(dir); ok {
		return d
	}
	return path.Clean(dir)
}

// plausible reports whether a directory can be a project's. Someone who works in
// /, in a home directory or in /tmp has no project there.
func plausible(root, home string) bool {
	if root == "" || root == "/" || root == home || within(home, root) {
		return false
	}
	if rest, ok := homeRest(root, home); ok && rest == "" {
		return false
	}
	return !tempRoot(root) && !(strings.Count(root, "/") == 1 && systemDir(root) != notSystem)
}

// within reports whether a path lies below a directory.
func within(p, dir string) bool {
	return len(p) > len(dir) && p[len(dir)] == '/' && p[:len(dir)] == dir
}

// absolute makes a path absolute where that can be done, and cleans it. The
// result does not begin with / when the directory is not known.
func (b *base) absolute(text string) string {
	if b.slash || strings.IndexByte(text, '\\') >= 0 {
		text = b.foreign(text)
	}
	if d, ok := drive(text); ok {
		return d
	}
	switch {
	case text[0] == '/' && b.real != nil && strings.Contains(text, ".."):
		return path.Clean(b.real(text))
	case text[0] == '/' || strings.HasPrefix(text, holeText):
		return path.Clean(text)
	case text[0] == '~':
		return b.tilde(text)
	case b.dir == "":
		return path.Clean(text)
	case text == ".":
		return b.dir
	case b.real != nil && b.dir[0] == '/' && strings.Contains(text, ".."):
		return path.Clean(b.real(b.dir + "/" + text))
	}
	return path.Join(b.dir, text)
}

// tilde resolves ~, ~/x, ~name/x and ~+.
func (b *base) tilde(text string) string {
	name, rest := text[1:], ""
	if i := strings.IndexByte(text, '/'); i >= 0 {
		name, rest = text[1:i], text[i:]
	}
	switch name {
	case "":
		return path.Clean(b.home + rest)
	case "root":
		return path.Clean("/root" + rest)
	case "-":
		return path.Clean(holeText + rest)
	case "+":
		if b.dir == "" {
			return path.Clean("." + rest)
		}
		return path.Clean(b.dir + rest)
	}
	return path.Clean("/home/" + name + rest)
}
