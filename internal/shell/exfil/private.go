package exfil

import (
	pathpkg "path"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// PrivateKind describes the content of path if it grants access to something, such as a private key,
// stored credentials, a password store or a browser profile. It reports false for other paths and for
// files of the project, because its .env file is part of the work and secrets that are read from it
// are redacted. The path may be relative to the directory of p, and may be a shell pattern.
func PrivateKind(path string, p *shell.Place) (what string, ok bool) {
	if path == "" || len(path) > facts.MaxPath || strings.ContainsRune(path, shell.Placeholder) && !strings.HasPrefix(path, "~") {
		return "", false
	}
	abs, home, root := "", "", ""
	if p != nil {
		home, root = strings.ToLower(toSlash(p.Home)), strings.ToLower(toSlash(p.Root))
	}
	abs = strings.ToLower(absolutePath(toSlash(path), p))
	if strings.HasSuffix(abs, ".pub") {
		return "", false
	}
	if root != "" && root != "/" && !isWithin(home, root) && isWithin(abs, root) {
		return "", false
	}
	rest, inHome := trimHome(abs, home)
	return facts.PrivateContent(abs, rest, inHome)
}

// trimHome returns the part of abs after a home directory, which is home or any user's. It reports
// false if abs is not in one. Both paths must be in lower case.
func trimHome(abs, home string) (string, bool) {
	if rest, ok := strings.CutPrefix(abs, "~"); ok {
		_, rest, _ = strings.Cut(rest, "/")
		return rest, true
	}
	if home != "" && isWithin(abs, home) {
		return strings.TrimPrefix(abs[len(home):], "/"), true
	}
	if rest, ok := strings.CutPrefix(abs, "/root/"); ok {
		return rest, true
	}
	for _, top := range [...]string{"/home/", "/users/", "c:/users/", "/c/users/", "/mnt/c/users/", "/var/home/"} {
		if rest, ok := strings.CutPrefix(abs, top); ok {
			_, rest, ok = strings.Cut(rest, "/")
			return rest, ok
		}
	}
	return "", false
}

// isWithin reports whether path is dir or lies in it. It reports false if dir is empty.
func isWithin(path, dir string) bool {
	return dir != "" && strings.HasPrefix(path, dir) && (len(path) == len(dir) || path[len(dir)] == '/' || strings.HasSuffix(dir, "/"))
}

// toSlash returns path with slashes instead of backslashes.
func toSlash(path string) string {
	if strings.IndexByte(path, '\\') >= 0 {
		return strings.ReplaceAll(path, `\`, "/")
	}
	return path
}

// absolutePath returns path as a clean absolute path, as far as the directories in p are known.
func absolutePath(path string, p *shell.Place) string {
	path = strings.TrimPrefix(path, "file://")
	drive := len(path) > 2 && path[1] == ':' && path[2] == '/'
	switch {
	case path == "":
		return "."
	case path == "~" || strings.HasPrefix(path, "~/"):
		if p != nil && p.Home != "" {
			return pathpkg.Join(toSlash(p.Home), path[1:])
		}
		return pathpkg.Clean(path)
	case path[0] != '/' && path[0] != '~' && !drive && p != nil && p.Dir != "":
		return pathpkg.Join(toSlash(p.Dir), path)
	}
	return pathpkg.Clean(path)
}
