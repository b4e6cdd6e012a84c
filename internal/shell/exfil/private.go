package exfil

import (
	pathpkg "path"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// Private returns what a path holds that opens other doors: a private key, stored
// credentials, a password store, a browser's profile. What lies in the project is
// not meant: its .env is part of the work, and what is read of it is redacted. The
// path may be relative to the place's directory, and a shell's pattern.
func Private(path string, p *shell.Place) (what string, ok bool) {
	if path == "" || len(path) > facts.MaxPath || strings.ContainsRune(path, shell.Hole) && !strings.HasPrefix(path, "~") {
		return "", false
	}
	abs, home, root := "", "", ""
	if p != nil {
		home, root = strings.ToLower(slashed(p.Home)), strings.ToLower(slashed(p.Root))
	}
	abs = strings.ToLower(absolutePath(slashed(path), p))
	if strings.HasSuffix(abs, ".pub") {
		return "", false
	}
	if root != "" && root != "/" && !lies(home, root) && lies(abs, root) {
		return "", false
	}
	rest, inHome := homeRest(abs, home)
	return facts.Kept(abs, rest, inHome)
}

// homeRest is what follows a home directory in a path.
func homeRest(abs, home string) (string, bool) {
	if rest, ok := strings.CutPrefix(abs, "~"); ok {
		_, rest, _ = strings.Cut(rest, "/")
		return rest, true
	}
	if home != "" && lies(abs, home) {
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

// lies reports whether a path is a directory or lies in it.
func lies(path, dir string) bool {
	return dir != "" && strings.HasPrefix(path, dir) && (len(path) == len(dir) || path[len(dir)] == '/' || strings.HasSuffix(dir, "/"))
}

func slashed(path string) string {
	if strings.IndexByte(path, '\\') >= 0 {
		return strings.ReplaceAll(path, `\`, "/")
	}
	return path
}

// absolutePath makes a path absolute as far as the place says.
func absolutePath(path string, p *shell.Place) string {
	path = strings.TrimPrefix(path, "file://")
	drive := len(path) > 2 && path[1] == ':' && path[2] == '/'
	switch {
	case path == "":
		return "."
	case path == "~" || strings.HasPrefix(path, "~/"):
		if p != nil && p.Home != "" {
			return pathpkg.Join(slashed(p.Home), path[1:])
		}
		return pathpkg.Clean(path)
	case path[0] != '/' && path[0] != '~' && !drive && p != nil && p.Dir != "":
		return pathpkg.Join(slashed(p.Dir), path)
	}
	return pathpkg.Clean(path)
}
