package coverage

import (
	"path/filepath"
	"runtime"
	"strings"
)

// isSystem reports whether path lies in a directory of the operating system, which no repository can
// change. A project that lies in such a directory is not part of the system.
func isSystem(root, path string) bool {
	for _, dir := range [...]string{
		"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/lib", "/usr/libexec", "/usr/share", "/lib", "/lib64", "/etc",
		"/opt/homebrew", "/nix/store", "/dev", "/proc", "/sys",
	} {
		if isBelowFixed(dir, path) {
			return !isBelowFixed(dir, root)
		}
	}
	return runtime.GOOS == "windows" && isBelowFixed("c:/windows", path)
}

// isBelowFixed reports whether path is dir, a directory with a fixed lower-case name, or lies below
// it.
func isBelowFixed(dir, path string) bool {
	if runtime.GOOS == "windows" {
		path = strings.ToLower(filepath.ToSlash(path))
	}
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == '/')
}
