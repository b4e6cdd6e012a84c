package approval

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/nolink"
)

// RealPath returns the absolute path cleaned and with symlinks resolved. The part of it that does not
// exist stays as it is.
func RealPath(path string) string {
	path = filepath.Clean(path)
	if nolink.HasNoLink(path) {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(RealPath(dir), filepath.Base(path))
}

// IsBelow reports whether path, which must be clean, lies below dir by its name. Symlinks are not
// resolved.
func IsBelow(dir, path string) bool {
	dir = filepath.Clean(dir)
	rest, ok := strings.CutPrefix(path, dir)
	return ok && rest != "" && (os.IsPathSeparator(rest[0]) || os.IsPathSeparator(dir[len(dir)-1]))
}

// CanonicalFile returns the name under which approvals store file, a configuration file of the project
// at root; see [Approval].
func CanonicalFile(root, file string) string {
	n := newFileNames(root)
	return n.name(file)
}

// A fileNames determines the names under which approvals store configuration files. They are real
// paths, so that it does not matter through which symlink a person reached the project.
//
// For a file below the project's root, only the root is resolved. A symlink in a repository thus
// remains a file of that repository, and cannot use what was approved in another one.
type fileNames struct {
	spelt, root string // the project's root, as given and resolved; "" means the directory of each file
	known       map[string]string
}

func newFileNames(root string) fileNames {
	n := fileNames{spelt: root}
	if root != "" {
		n.spelt, n.root = filepath.Clean(root), RealPath(root)
	}
	return n
}

// name returns the name of file in approvals. It does not change n.
func (n *fileNames) name(file string) string {
	if name, ok := n.known[file]; ok {
		return name
	}
	clean := filepath.Clean(file)
	for _, root := range [...]string{n.spelt, n.root} {
		if root != "" && IsBelow(root, clean) {
			return filepath.Join(n.root, clean[len(root):])
		}
	}
	if n.root == "" {
		return filepath.Join(RealPath(filepath.Dir(clean)), filepath.Base(clean))
	}
	return RealPath(clean)
}

// nameCached is name, but caches the result.
func (n *fileNames) nameCached(file string) string {
	name := n.name(file)
	if n.known == nil {
		n.known = make(map[string]string)
	}
	n.known[file] = name
	return name
}
