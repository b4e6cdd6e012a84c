package files

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// unknownHome stands for a home directory whose path is unknown. It is below /home so that ~/..
// resolves to /home.
const unknownHome = "/home/~"

// A base holds the directory in which the relative paths of a call start, and what else the place
// determines.
type base struct {
	dir         string // "" = unknown
	root        string // the project; "" = unknown
	home        string
	fromCommand bool   // a cd or a wrapper in the command set dir
	rel         string // without a project: the path from the place's directory to dir, if the command changed it
	remote      bool
	backslash   bool                // \ separates path elements, as in cmd.exe
	real        func(string) string // resolves symlinks; nil = they are not resolved
}

// newBase returns the base for paths of c at p. Either may be nil.
func newBase(c *shell.Call, p *shell.Place) base {
	b := base{home: unknownHome}
	if c != nil && c.Remote != "" {
		b.remote = true
	} else if p != nil {
		if p.Home != "" {
			b.home = path.Clean(p.Home)
		}
		b.backslash, b.real = p.Dialect != shell.Bash, p.Real
		b.dir = cleanDir(p.Dir)
		b.root = cleanDir(p.Root)
		if b.root == "" {
			b.root = b.dir
		}
		if !canBeProject(b.root, b.home) {
			b.root = ""
		}
	}
	if c != nil && c.Dir != "" {
		b.changeDir(c.Dir)
	}
	return b
}

// changeDir changes the directory to the path to, as a cd before the call does.
func (b *base) changeDir(to string) {
	from := b.dir
	b.dir = b.absolutePath(to)
	b.fromCommand = true
	if b.root != "" || b.remote {
		return
	}
	switch {
	case from != "" && isBelow(b.dir, from):
		// After cd src in /tmp, relative paths are judged as if the command had started in src.
		b.fromCommand, b.rel = false, b.dir[len(from)+1:]
	case from == "" && b.dir[0] != '/' && !hasDrive(b.dir) && !strings.HasPrefix(b.dir, placeholder):
		b.fromCommand, b.rel = false, b.dir
	}
}

// cleanDir returns dir in its shortest form, or "" if dir is empty.
func cleanDir(dir string) string {
	if dir == "" {
		return ""
	}
	if d, ok := drivePath(dir); ok {
		return d
	}
	return path.Clean(dir)
}

// canBeProject reports whether root can be the directory of a project. /, home directories and /tmp
// cannot.
func canBeProject(root, home string) bool {
	if root == "" || root == "/" || root == home || isBelow(home, root) {
		return false
	}
	if rest, ok := homeRest(root, home); ok && rest == "" {
		return false
	}
	return !isTempRoot(root) && !(strings.Count(root, "/") == 1 && systemKindOf(root) != notSystem)
}

// isBelow reports whether p is below dir. dir is not below itself.
func isBelow(p, dir string) bool {
	return len(p) > len(dir) && p[len(dir)] == '/' && p[:len(dir)] == dir
}

// absolutePath returns text as a cleaned absolute path. If the working directory is unknown, the
// result of a relative path is relative.
func (b *base) absolutePath(text string) string {
	if b.backslash || strings.IndexByte(text, '\\') >= 0 {
		text = b.cleanWindowsPath(text)
	}
	if d, ok := drivePath(text); ok {
		return d
	}
	switch {
	case text[0] == '/' && b.real != nil && strings.Contains(text, ".."):
		return path.Clean(b.real(text))
	case text[0] == '/' || strings.HasPrefix(text, placeholder):
		return path.Clean(text)
	case text[0] == '~':
		return b.expandTilde(text)
	case b.dir == "":
		return path.Clean(text)
	case text == ".":
		return b.dir
	case b.real != nil && b.dir[0] == '/' && strings.Contains(text, ".."):
		return path.Clean(b.real(b.dir + "/" + text))
	}
	return path.Join(b.dir, text)
}

// expandTilde returns text, which begins with ~, as a cleaned path. It expands ~, ~/x, ~name/x, ~+ and
// ~-, whose directory is unknown.
func (b *base) expandTilde(text string) string {
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
		return path.Clean(placeholder + rest)
	case "+":
		if b.dir == "" {
			return path.Clean("." + rest)
		}
		return path.Clean(b.dir + rest)
	}
	return path.Clean("/home/" + name + rest)
}
