package coverage

import (
	"path/filepath"
	"runtime"
	"strings"
)

// isSystem reports whether a path lies in a directory of the machine's own,
// which no repository can change. A project that lies there itself is no part
// of the system.
func isSystem(root, path string) bool {
	for _, dir := range [...]string{
		"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/lib", "/usr/libexec", "/usr/share", "/lib", "/lib64", "/etc",
		"/opt/homebrew", "/nix/store", "/dev", "/proc", "/sys",
	} {
		if isBelow(dir, path) {
			return !isBelow(dir, root)
		}
	}
	return runtime.GOOS == "windows" && isBelow("c:/windows", path)
}

// isBelow is within for a directory of a fixed name.
func isBelow(dir, path string) bool {
	if runtime.GOOS == "windows" {
		path = strings.ToLower(filepath.ToSlash(path))
	}
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == '/')
}
