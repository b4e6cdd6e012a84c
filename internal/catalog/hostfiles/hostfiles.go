// Package hostfiles lists the files that determine whether hosts call checkrein, and reports whether a
// change of such a file affects that. It examines checkrein's entries, the settings that turn hooks
// off, and those that determine whose hooks a host trusts. Other content of these files does not
// matter.
//
// The installer and self-protection use it.
package hostfiles

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

// A File is a file that determines whether a host calls checkrein.
type File hosts.File

// FindFile returns the row of the file at the absolute path, or nil if no host has such a file. near
// is set if a host reads the file from there in this session: a file of a project must be in one of
// the roots. Otherwise only the name matches.
func FindFile(path, home string, getenv func(string) string, roots ...string) (f *File, near bool) {
	path = canonicalPath(path)
	below, inHome := "", false // below is the path relative to the home directory
	if home != "" {
		below, inHome = strings.CutPrefix(path, canonicalPath(home)+"/")
	}
	for i := range hosts.Files {
		if row := (*File)(&hosts.Files[i]); row.isHomeOrSystemFile(path, below, inHome, getenv) {
			return row, true
		}
	}
	for i := range hosts.Files {
		row := (*File)(&hosts.Files[i])
		if row.Where&hosts.Project == 0 || !row.isSuffixOf(path) {
			continue
		}
		for _, root := range roots {
			if root != "" && row.matches(path, canonicalPath(root)+"/"+canonicalPath(row.Path)) {
				return row, true
			}
		}
		f = row
	}
	return f, false
}

// maxSymlinks limits how many symlinks are followed from one path.
const maxSymlinks = 40

// FindSymlinked is FindFile for a path that may be a symlink to one of the files.
func FindSymlinked(path, home string, getenv func(string) string, roots ...string) (*File, bool) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, false
	}
	at := path
	for range maxSymlinks {
		if f, near := FindFile(filepath.Clean(at), home, getenv, roots...); near && sameFile(at, real) {
			return f, true
		}
		to, err := os.Readlink(at)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(at), to)
		}
		at = to
	}
	roots = slices.Clone(roots)
	for i, root := range roots {
		roots[i] = resolveSymlinks(root)
	}
	return FindFile(real, resolveSymlinks(home), getenv, roots...)
}

// sameFile reports whether a and b lead to the same file.
func sameFile(a, b string) bool {
	is, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(is, other)
}

// resolveSymlinks returns path without symlinks, or path itself if it does not exist.
func resolveSymlinks(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil && path != "" {
		return real
	}
	return path
}

// isHomeOrSystemFile reports whether f is a file of the home directory or the system and has this
// path. If inHome is set, below is the path relative to the home directory.
func (f *File) isHomeOrSystemFile(path, below string, inHome bool, getenv func(string) string) bool {
	switch {
	case f.Where&hosts.System != 0:
		return f.matches(path, canonicalPath(f.Path))
	case f.Where&hosts.Home == 0:
		return false
	}
	if inHome && f.matches(below, canonicalPath(f.Path)) {
		return true
	}
	if !f.Glob && !strings.HasSuffix(path, canonicalPath(f.Below)) {
		return false // it cannot match, whatever the variable's value; looking that up is more expensive
	}
	at := f.pathFromEnv(getenv)
	return at != "" && f.matches(path, canonicalPath(at))
}

// pathFromEnv returns the path of the file according to the environment variable that moves it, or ""
// if that is not set.
func (f *File) pathFromEnv(getenv func(string) string) string {
	if f.Env == "" || getenv == nil {
		return ""
	}
	dir := getenv(f.Env)
	if !filepath.IsAbs(dir) {
		return ""
	}
	dir = filepath.Clean(dir)
	if f.Below == "" {
		return filepath.ToSlash(dir)
	}
	return filepath.ToSlash(dir) + "/" + f.Below
}

// EachPath calls fn with each path at which a host may have one of the files, until fn returns true,
// and reports whether it did. A path with a * is passed without the * and what follows it.
func EachPath(home string, getenv func(string) string, roots []string, fn func(path string, f *File) bool) bool {
	for i := range hosts.Files {
		f := (*File)(&hosts.Files[i])
		name, _, _ := strings.Cut(f.Path, "*")
		switch {
		case f.Where&hosts.System != 0:
			if fn(name, f) {
				return true
			}
			continue
		case f.Where&hosts.Home != 0 && home != "":
			if fn(filepath.ToSlash(home)+"/"+name, f) {
				return true
			}
			if at, _, _ := strings.Cut(f.pathFromEnv(getenv), "*"); at != "" && fn(at, f) {
				return true
			}
		}
		if f.Where&hosts.Project == 0 {
			continue
		}
		for i, root := range roots {
			if root != "" && !slices.Contains(roots[:i], root) && fn(filepath.ToSlash(root)+"/"+name, f) {
				return true
			}
		}
	}
	return false
}

// IsHostDir reports whether name is the name of a host's directory in a home directory.
func IsHostDir(name string) bool {
	for i := range hosts.Files {
		rest, ok := strings.CutPrefix(hosts.Files[i].Path, name)
		if ok && hosts.Files[i].Where&hosts.Home != 0 && strings.HasPrefix(rest, "/") {
			return true
		}
	}
	return false
}

// isSuffixOf reports whether path ends with the path of f.
func (f *File) isSuffixOf(path string) bool {
	tail := canonicalPath(f.Path)
	if !f.Glob {
		rest, ok := strings.CutSuffix(path, tail)
		return ok && (rest == "" || strings.HasSuffix(rest, "/"))
	}
	for range strings.Count(path, "/") - strings.Count(tail, "/") {
		_, path, _ = strings.Cut(path, "/")
	}
	return f.matches(path, tail)
}

// matches reports whether path matches want, in which a * in the last element stands for any text if
// f.Glob is set.
func (f *File) matches(path, want string) bool {
	before, after, glob := strings.Cut(want, "*")
	if !f.Glob || !glob {
		return path == want
	}
	if len(path) < len(before)+len(after) || !strings.HasPrefix(path, before) || !strings.HasSuffix(path, after) {
		return false
	}
	return !strings.Contains(path[len(before):len(path)-len(after)], "/")
}

// canonicalPath returns path with slashes, and in lower case on systems that ignore case.
func canonicalPath(path string) string {
	path = filepath.ToSlash(path)
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return strings.ToLower(path)
	}
	return path
}
