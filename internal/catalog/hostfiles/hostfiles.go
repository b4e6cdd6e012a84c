// Package hostfiles lists the files of hosts that decide whether they call
// checkrein, and reports whether a change of such a file leaves that as it is: our entries,
// the switches that turn hooks off, and whose hooks a host trusts.
//
// The installer and self-protection go by it; everything else in these files is
// none of our business.
package hostfiles

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

// A File is one of a host's files that decide whether checkrein is called.
type File hosts.File

// Find returns the row of the file at an absolute path, nil if it is none. Near
// says that a host reads it from there in this session: a project's file counts in
// one of the roots, and elsewhere only by its name.
func Find(path, home string, getenv func(string) string, roots ...string) (f *File, near bool) {
	path = canonical(path)
	below, inHome := "", false // the part of the path below the home
	if home != "" {
		below, inHome = strings.CutPrefix(path, canonical(home)+"/")
	}
	for i := range hosts.Files {
		if row := (*File)(&hosts.Files[i]); row.at(path, below, inHome, getenv) {
			return row, true
		}
	}
	for i := range hosts.Files {
		row := (*File)(&hosts.Files[i])
		if row.Where&hosts.Project == 0 || !row.ends(path) {
			continue
		}
		for _, root := range roots {
			if root != "" && row.matches(path, canonical(root)+"/"+canonical(row.Path)) {
				return row, true
			}
		}
		f = row
	}
	return f, false
}

// maxLinks is how many symlinks are followed from one path.
const maxLinks = 40

// FindLinked is Find for a path that may be a symlink to one of the files.
func FindLinked(path, home string, getenv func(string) string, roots ...string) (*File, bool) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, false
	}
	at := path
	for range maxLinks {
		if f, near := Find(filepath.Clean(at), home, getenv, roots...); near && sameFile(at, real) {
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
		roots[i] = resolveLinks(root)
	}
	return Find(real, resolveLinks(home), getenv, roots...)
}

// sameFile reports whether two paths lead to the same file.
func sameFile(a, b string) bool {
	is, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(is, other)
}

// resolveLinks returns a path without symlinks, or as it is if there is no such file.
func resolveLinks(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil && path != "" {
		return real
	}
	return path
}

// at reports whether a file of the home or the system lies at a path.
func (f *File) at(path, below string, inHome bool, getenv func(string) string) bool {
	switch {
	case f.Where&hosts.System != 0:
		return f.matches(path, canonical(f.Path))
	case f.Where&hosts.Home == 0:
		return false
	}
	if inHome && f.matches(below, canonical(f.Path)) {
		return true
	}
	if !f.Glob && !strings.HasSuffix(path, canonical(f.Below)) {
		return false // whatever the variable says, and to look it up costs more than this
	}
	at := f.moved(getenv)
	return at != "" && f.matches(path, canonical(at))
}

// moved is where a variable puts the file, "" = nowhere else.
func (f *File) moved(getenv func(string) string) string {
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

// Each calls fn with the paths at which hosts may have a file of ours or about us,
// until it returns true; those with a * in them end before it.
func Each(home string, getenv func(string) string, roots []string, fn func(path string, f *File) bool) bool {
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
			if at, _, _ := strings.Cut(f.moved(getenv), "*"); at != "" && fn(at, f) {
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

// Folder reports whether a name is that of a host's folder in a home directory.
func Folder(name string) bool {
	for i := range hosts.Files {
		rest, ok := strings.CutPrefix(hosts.Files[i].Path, name)
		if ok && hosts.Files[i].Where&hosts.Home != 0 && strings.HasPrefix(rest, "/") {
			return true
		}
	}
	return false
}

// ends reports whether a path ends with the parts of the file's.
func (f *File) ends(path string) bool {
	tail := canonical(f.Path)
	if !f.Glob {
		rest, ok := strings.CutSuffix(path, tail)
		return ok && (rest == "" || strings.HasSuffix(rest, "/"))
	}
	for range strings.Count(path, "/") - strings.Count(tail, "/") {
		_, path, _ = strings.Cut(path, "/")
	}
	return f.matches(path, tail)
}

// matches holds a path against one of the file's, which may have a * in its last part.
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

// canonical is a path with slashes, as systems compare it: two of them do not
// mind the case.
func canonical(path string) string {
	path = filepath.ToSlash(path)
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return strings.ToLower(path)
	}
	return path
}
