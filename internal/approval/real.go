package approval

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/nolink"
)

// Real returns an absolute path with the symbolic links in it resolved, as far
// as there is something to resolve.
func Real(path string) string {
	path = filepath.Clean(path)
	if nolink.Path(path) {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(Real(dir), filepath.Base(path))
}

// Within reports whether path, which is clean, lies below dir by its name.
func Within(dir, path string) bool {
	dir = filepath.Clean(dir)
	rest, ok := strings.CutPrefix(path, dir)
	return ok && rest != "" && (os.IsPathSeparator(rest[0]) || os.IsPathSeparator(dir[len(dir)-1]))
}

// FileName is what a configuration file of the project at root is called in
// approvals; see [Approval].
func FileName(root, file string) string {
	n := newNames(root)
	return n.of(file)
}

// names are what configuration files are called in approvals: by their real
// path, so that it does not matter through which link a person reached the
// project.
//
// Of a file below the project's root only the root is resolved. A link that
// came with a repository thus stays a file of that repository: it cannot borrow
// what was approved in another one.
type names struct {
	spelt, root string // the project's root, as given and as it is; "" = each file's directory
	known       map[string]string
}

func newNames(root string) names {
	n := names{spelt: root}
	if root != "" {
		n.spelt, n.root = filepath.Clean(root), Real(root)
	}
	return n
}

// of is what a file is called. It only reads n.
func (n *names) of(file string) string {
	if name, ok := n.known[file]; ok {
		return name
	}
	clean := filepath.Clean(file)
	for _, root := range [...]string{n.spelt, n.root} {
		if root != "" && Within(root, clean) {
			return filepath.Join(n.root, clean[len(root):])
		}
	}
	if n.root == "" {
		return filepath.Join(Real(filepath.Dir(clean)), filepath.Base(clean))
	}
	return Real(clean)
}

// learn is of, and remembers it.
func (n *names) learn(file string) string {
	name := n.of(file)
	if n.known == nil {
		n.known = make(map[string]string)
	}
	n.known[file] = name
	return name
}
