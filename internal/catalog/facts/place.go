package facts

import "strings"

// temps are the directories for temporary files. Of those of macOS the system makes
// some levels below.
var temps = [...]string{"/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/private/var/tmp", "/usr/tmp", "/var/folders", "/private/var/folders"}

// opens are further directories in which anybody can put files, or which others fill.
var opens = [...]string{"/dev/fd", "/dev/mqueue", "/run/user", "/run/shm", "/run/lock", "/var/lock", "/var/crash", "/proc", "/Users/Shared", "/mnt/c/Windows/Temp"}

// TempDirs are the directories for temporary files.
func TempDirs() []string { return temps[:] }

// Temp is the directory for temporary files that an absolute path is, or lies in; "" =
// none.
func Temp(path string) string { return top(path, temps[:]) }

// Open reports whether a path lies where anybody on the machine can put files: a
// directory for temporary ones, what another process has open, an address.
func Open(path string) bool {
	switch {
	case path == "":
		return false
	case path[0] != '/':
		return strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://") || strings.HasPrefix(path, "ftp://")
	}
	return path == "/dev/stdin" || top(path, temps[:]) != "" || top(path, opens[:]) != ""
}

func top(path string, dirs []string) string {
	for _, dir := range dirs {
		if rest, ok := strings.CutPrefix(path, dir); ok && (rest == "" || rest[0] == '/') {
			return dir
		}
	}
	return ""
}

// Endless reports whether a path is a device of which bytes come without end, and none
// of anybody's.
func Endless(path string) bool {
	switch path {
	case "/dev/zero", "/dev/urandom", "/dev/random", "/dev/full":
		return true
	}
	return false
}

// Sink reports whether what is written to a path is shown or dropped, and kept nowhere.
func Sink(path string) bool {
	switch path {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2":
		return true
	}
	return false
}
