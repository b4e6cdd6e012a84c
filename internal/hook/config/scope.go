package config

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// ScopeOf returns the scope of a file that the user named, by its directory and by that of its target
// if it is a symlink:
//
//   - a file in the user's own directories, or the administrator's, belongs to the user;
//   - a file in a repository, or one that a project loads by itself, belongs to the project;
//   - any other file belongs to the user.
//
// All commands that take a file use it, except those for which the user vouches for the file; see
// [Options.ByPlace].
func (o *Options) ScopeOf(file string) checkrein.Scope {
	if slices.ContainsFunc(withTarget(file), func(f string) bool { return isBelow(f, o.User) || isBelow(f, o.Agents) || isBelow(f, o.Managed) }) {
		return checkrein.ScopeUser
	}
	if _, read := o.ProjectOf(file); read || InRepository(file) {
		return checkrein.ScopeProject
	}
	return checkrein.ScopeUser
}

// ProjectOf returns the root of the project that loads file by itself, because the file is in a place
// that Load searches or another file includes it. It returns false if there is none.
func (o *Options) ProjectOf(file string) (root string, ok bool) {
	for _, f := range withTarget(file) {
		root := ProjectRoot(filepath.Dir(f))
		if !hasProjectFiles(root) {
			continue
		}
		way := environ.FindParentDirs(root)
		c := Load(Options{Root: root, User: o.User, Managed: o.Managed, NoProject: !slices.Contains(way.ProjectDirs(), root), projectOnly: true,
			Approved: o.Approved, Doubt: o.Doubt, Guess: true, Dialect: o.Dialect})
		if slices.ContainsFunc(c.Files, func(read File) bool { return read.Path == f }) {
			return root, true
		}
	}
	return "", false
}

// InRepository reports whether file, or its target if it is a symlink, is in a repository.
func InRepository(file string) bool {
	return slices.ContainsFunc(withTarget(file), func(f string) bool {
		return exists(filepath.Join(environ.RepoTop(filepath.Dir(f)), ".git"))
	})
}

// withTarget returns the absolute path of file and, if it differs, the path with symlinks resolved.
func withTarget(file string) []string {
	file = absolute(file)
	if real, err := filepath.EvalSymlinks(file); err == nil && real != file {
		return []string{file, real}
	}
	return []string{file}
}

// HookFiles returns the files for which path stands: for a directory its own HOOK.md and those of its
// subdirectories, otherwise path itself.
func HookFiles(path string) []string {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}
	}
	found, _ := filepath.Glob(filepath.Join(path, "*", folderFile))
	if one := filepath.Join(path, folderFile); exists(one) || len(found) == 0 {
		found = append(found, one) // if it is missing, loading it reports the error
	}
	return found
}
