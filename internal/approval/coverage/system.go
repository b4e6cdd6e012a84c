package coverage

import (
	"path/filepath"
	"runtime"
	"strings"
)

// isSystem reports whether path lies in a directory of the operating system, which no repository can
// change. It is false if root, the project, lies in the same directory.
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

// isBelowFixed reports whether path is dir or lies below it. dir must be lower-case with slashes.
func isBelowFixed(dir, path string) bool {
	if runtime.GOOS == "windows" {
		path = strings.ToLower(filepath.ToSlash(path))
	}
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == '/')
}
