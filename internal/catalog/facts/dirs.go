package facts

import "strings"

// tempDirs lists the directories for temporary files. On macOS the system creates further levels in some
// of them.
var tempDirs = [...]string{"/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/private/var/tmp", "/usr/tmp", "/var/folders", "/private/var/folders"}

// openDirs lists other directories in which anyone can create files.
var openDirs = [...]string{"/dev/fd", "/dev/mqueue", "/run/user", "/run/shm", "/run/lock", "/var/lock", "/var/crash", "/proc", "/Users/Shared", "/mnt/c/Windows/Temp"}

// TempDirs returns the directories for temporary files.
func TempDirs() []string { return tempDirs[:] }

// TempDirOf returns the directory for temporary files that is or contains path, or "" if none does.
func TempDirOf(path string) string { return dirContaining(path, tempDirs[:]) }

// IsOpenToAll reports whether anyone may determine what is at path: because it is in a directory in
// which anyone on the machine can create files, is standard input, or is a URL.
func IsOpenToAll(path string) bool {
	switch {
	case path == "":
		return false
	case path[0] != '/':
		return strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://") || strings.HasPrefix(path, "ftp://")
	}
	return path == "/dev/stdin" || dirContaining(path, tempDirs[:]) != "" || dirContaining(path, openDirs[:]) != ""
}

// dirContaining returns the first of dirs that is or contains path, or "" if none does.
func dirContaining(path string, dirs []string) string {
	for _, dir := range dirs {
		if rest, ok := strings.CutPrefix(path, dir); ok && (rest == "" || rest[0] == '/') {
			return dir
		}
	}
	return ""
}

// IsEndlessDevice reports whether path is a device that returns endless bytes, which are not anyone's
// data.
func IsEndlessDevice(path string) bool {
	switch path {
	case "/dev/zero", "/dev/urandom", "/dev/random", "/dev/full":
		return true
	}
	return false
}

// IsOutputDevice reports whether data written to path is only shown or discarded, and not stored.
func IsOutputDevice(path string) bool {
	switch path {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2":
		return true
	}
	return false
}
