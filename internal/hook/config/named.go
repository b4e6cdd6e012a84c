package config

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// ScopeOf is whose a file is that a person named, by the place it lies in, and by the
// one that it links to:
//
//   - what lies in the person's own directory, or the administrator's, is the person's;
//   - what lies in a repository came with it, and so did what a project reads by itself;
//   - everything else is the person's.
//
// Every command that is about a file goes by it, apart from those that take the
// person's word for it: see [Options.ByPlace].
func (o *Options) ScopeOf(file string) checkrein.Scope {
	if slices.ContainsFunc(spellings(file), func(f string) bool { return below(f, o.User) || below(f, o.Agents) || below(f, o.Managed) }) {
		return checkrein.ScopeUser
	}
	if _, read := o.ReadBy(file); read || InRepository(file) {
		return checkrein.ScopeProject
	}
	return checkrein.ScopeUser
}

// ReadBy is the root of the project that reads a file by itself, without anybody
// naming it: it lies where such files are looked for, or another one includes it.
func (o *Options) ReadBy(file string) (root string, ok bool) {
	for _, f := range spellings(file) {
		root := ProjectRoot(filepath.Dir(f))
		if !hasProjectFiles(root) {
			continue
		}
		way := environ.Up(root)
		c := Load(Options{Root: root, User: o.User, Managed: o.Managed, NoProject: !slices.Contains(way.Files(), root), alone: true,
			Approved: o.Approved, Doubt: o.Doubt, Guess: true, Dialect: o.Dialect})
		if slices.ContainsFunc(c.Files, func(read File) bool { return read.Path == f }) {
			return root, true
		}
	}
	return "", false
}

// InRepository reports whether a file lies in a repository, by its own place or by
// the one that it links to.
func InRepository(file string) bool {
	return slices.ContainsFunc(spellings(file), func(f string) bool {
		return exists(filepath.Join(environ.Top(filepath.Dir(f)), ".git"))
	})
}

// spellings are a file's absolute path, and the one that it links to.
func spellings(file string) []string {
	file = absolute(file)
	if real, err := filepath.EvalSymlinks(file); err == nil && real != file {
		return []string{file, real}
	}
	return []string{file}
}

// HookFiles lists the files that a person means by a path: of a directory, the hook
// folder that it is and those in it; anything else is itself.
func HookFiles(path string) []string {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}
	}
	found, _ := filepath.Glob(filepath.Join(path, "*", folderFile))
	if one := filepath.Join(path, folderFile); exists(one) || len(found) == 0 {
		found = append(found, one) // whose absence is then reported
	}
	return found
}
