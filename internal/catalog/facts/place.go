package facts

import "strings"

// temps are the directories for temporary files. On macOS the system creates further levels below
// some.
var temps = [...]string{"/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/private/var/tmp", "/usr/tmp", "/var/folders", "/private/var/folders"}

// opens are further directories in which anyone can put files.
var opens = [...]string{"/dev/fd", "/dev/mqueue", "/run/user", "/run/shm", "/run/lock", "/var/lock", "/var/crash", "/proc", "/Users/Shared", "/mnt/c/Windows/Temp"}

// TempDirs returns the directories for temporary files.
func TempDirs() []string { return temps[:] }

// TempDirOf returns the directory for temporary files that an absolute path is or lies in, or "".
func TempDirOf(path string) string { return dirOf(path, temps[:]) }

// IsOpenToAll reports whether anyone on the machine can put files at a path: in a directory for
// temporary files, in a file that another process has open, at a URL.
func IsOpenToAll(path string) bool {
	switch {
	case path == "":
		return false
	case path[0] != '/':
		return strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://") || strings.HasPrefix(path, "ftp://")
	}
	return path == "/dev/stdin" || dirOf(path, temps[:]) != "" || dirOf(path, opens[:]) != ""
}

// dirOf returns the first of dirs that path is or lies in, or "".
func dirOf(path string, dirs []string) string {
	for _, dir := range dirs {
		if rest, ok := strings.CutPrefix(path, dir); ok && (rest == "" || rest[0] == '/') {
			return dir
		}
	}
	return ""
}

// IsEndlessDevice reports whether a path is a device that provides bytes without end and no data of
// anyone.
func IsEndlessDevice(path string) bool {
	switch path {
	case "/dev/zero", "/dev/urandom", "/dev/random", "/dev/full":
		return true
	}
	return false
}

// IsOutputDevice reports whether data written to a path is shown or discarded, and stored nowhere.
func IsOutputDevice(path string) bool {
	switch path {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2":
		return true
	}
	return false
}
