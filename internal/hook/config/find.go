package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A candidate is a file to load if it exists, or why files could not be found.
type candidate struct {
	path      string
	scope     checkrein.Scope
	err       error
	overLimit error // there are more files than are loaded
}

// findFiles returns the files of all scopes, in the order of their hooks.
func findFiles(opts Options) []candidate {
	var out []candidate
	if !opts.projectOnly {
		out = addLayer(out, opts.Managed, checkrein.ScopeManaged)
		out = addLayer(out, opts.User, checkrein.ScopeUser)
		out = append(out, userFolders(opts.Agents, checkrein.ScopeUser)...)
	}
	if opts.Root != "" {
		out = append(out, projectFiles(&opts)...)
	}
	return out
}

// addFile adds a file if it exists, which costs one system call.
func addFile(out []candidate, path string, scope checkrein.Scope) []candidate {
	if state.IsAbsent(path) {
		return out
	}
	return append(out, candidate{path: path, scope: scope})
}

// projectFiles returns a project's files. If other users may write to its directory, these are only
// files from which a person approved hooks.
func projectFiles(opts *Options) []candidate {
	list := addFile(nil, filepath.Join(opts.Root, "checkrein.yaml"), checkrein.ScopeProject)
	if !opts.NoProject {
		list = append(list, projectHookFolders(opts)...)
		return addFile(list, filepath.Join(opts.Root, projectShell), checkrein.ScopeProject)
	}
	if !hasProjectFiles(opts.Root) {
		return nil
	}
	list = append(list, approvedFolders(opts, filepath.Join(opts.Root, projectFolders))...)
	list = addFile(list, filepath.Join(opts.Root, projectShell), checkrein.ScopeProject)
	list = slices.DeleteFunc(list, func(p candidate) bool { return !slices.Contains(opts.Approved, p.path) })
	return append(list, candidate{path: opts.Root, overLimit: errors.New("this directory is not a repository and other users can write to it, so only its approved hooks run")})
}

// approvedFolders returns the hook folders in dir from which hooks were approved.
func approvedFolders(opts *Options, dir string) []candidate {
	var out []candidate
	for _, file := range opts.Approved {
		if filepath.Base(file) == folderFile && filepath.Dir(filepath.Dir(file)) == dir {
			out = append(out, candidate{path: file, scope: checkrein.ScopeProject})
		}
	}
	return out
}

// The hook files that a project may have besides checkrein's own.
const (
	projectFolders = ".agents/hooks"
	projectShell   = "config/shell_hooks.yaml"
	folderFile     = "HOOK.md"
)

// userFolders returns the hook folders of a person's directory, sorted by name.
func userFolders(dir string, scope checkrein.Scope) []candidate {
	if dir == "" || state.IsAbsent(dir) {
		return nil
	}
	names, more, err := state.List(dir, maxOwnEntries)
	if more {
		err = errEntries
	}
	var out []candidate
	if err != nil && !isGone(dir, err) {
		out = append(out, candidate{path: dir, scope: scope, err: err})
	}
	for _, name := range names {
		if file := filepath.Join(dir, name, folderFile); mayExist(file) {
			out = append(out, candidate{path: file, scope: scope})
		}
	}
	return out
}

// projectHookFolders returns the hook folders of a project, sorted by name: those from which a person
// approved hooks, and the others unless there are too many.
func projectHookFolders(opts *Options) []candidate {
	dir := filepath.Join(opts.Root, projectFolders)
	if state.IsAbsent(dir) {
		return approvedFolders(opts, dir)
	}
	most := opts.limits()
	names, more, err := state.List(dir, most.entries)
	var out []candidate
	var over error
	if more {
		names, over = nil, fmt.Errorf("the directory has more than %d entries, so only its approved hook folders are used", most.entries)
	}
	for _, name := range names {
		file := filepath.Join(dir, name, folderFile)
		if slices.Contains(opts.Approved, file) || !mayExist(file) {
			continue
		}
		if len(out) == most.folders {
			out, over = nil, fmt.Errorf("this project has more than %d unapproved hook folders, so all of those are ignored", most.folders)
			break
		}
		out = append(out, candidate{path: file, scope: checkrein.ScopeProject})
	}
	out = append(out, approvedFolders(opts, dir)...)
	slices.SortFunc(out, func(a, b candidate) int { return strings.Compare(filepath.Dir(a.path), filepath.Dir(b.path)) })
	switch {
	case over != nil:
		out = append(out, candidate{path: dir, overLimit: over})
	case err != nil && !isGone(dir, err):
		out = append(out, candidate{path: dir, scope: checkrein.ScopeProject, err: err})
	}
	return out
}

// isGone reports whether err means that nothing is at path, not even a symlink.
func isGone(path string, err error) bool { return state.IsMissing(err) && !exists(path) }

// mayExist reports whether a file exists, or may exist in a folder that cannot be read.
func mayExist(file string) bool {
	_, err := os.Lstat(file)
	return err == nil || errors.Is(err, fs.ErrPermission)
}

// addLayer adds a directory's own file and its drop-ins, sorted by name.
func addLayer(out []candidate, dir string, scope checkrein.Scope) []candidate {
	if dir == "" {
		return out
	}
	out = addFile(out, filepath.Join(dir, "checkrein.yaml"), scope)
	drops := filepath.Join(dir, "hooks.d")
	names, err := dropIns(drops)
	for _, name := range names {
		out = append(out, candidate{path: filepath.Join(drops, name), scope: scope})
	}
	if err != nil {
		out = append(out, candidate{path: drops, scope: scope, err: err})
	}
	return out
}

// dropIns returns the files in a directory of drop-ins. A missing directory has none; one that cannot
// be read is an error, because it may contain gates.
func dropIns(dir string) ([]string, error) {
	if state.IsAbsent(dir) {
		return nil, nil
	}
	names, more, err := state.List(dir, maxOwnEntries)
	switch {
	case more:
		err = errEntries
	case err != nil && isGone(dir, err):
		err = nil
	}
	return slices.DeleteFunc(names, func(name string) bool {
		if ext := filepath.Ext(name); ext != ".yaml" && ext != ".yml" {
			return true
		}
		info, err := os.Lstat(filepath.Join(dir, name))
		return err == nil && info.IsDir()
	}), err
}

// ManagedDir returns the directory of the machine's administrator. No environment variable changes it.
func ManagedDir() string {
	switch runtime.GOOS {
	case "windows":
		return `C:\ProgramData\checkrein`
	case "darwin":
		return "/Library/Application Support/checkrein"
	}
	return "/etc/checkrein"
}

// ProjectRoot returns the directory whose project files count for a session that began in dir. In a
// repository it is the uppermost one that has such files: a file further down cannot replace them.
// Elsewhere it is the nearest one upwards that other users cannot write to. Without project files it
// is dir.
func ProjectRoot(dir string) string {
	if dir == "" {
		return ""
	}
	way := environ.ParentsOf(dir)
	root := ""
	for _, d := range way.ProjectDirs() {
		if hasProjectFiles(d) {
			if root = d; !way.InRepo {
				break
			}
		}
	}
	if root == "" {
		return dir
	}
	return root
}

// hasProjectFiles reports whether a directory has files or folders with hooks.
func hasProjectFiles(dir string) bool {
	for _, name := range [...]string{"checkrein.yaml", projectFolders, projectShell} {
		if exists(filepath.Join(dir, name)) {
			return true
		}
	}
	return false
}

// isProject reports whether a directory belongs to a project: it has project files, or it is in a
// repository.
func isProject(dir string) bool {
	return dir != "" && (hasProjectFiles(dir) || exists(filepath.Join(environ.RepoTop(dir), ".git")))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// FlagHook returns a command hook from the command line, for every tool; false if command is empty.
func FlagHook(kind checkrein.Kind, command string, n int) (checkrein.Hook, bool) {
	if strings.TrimSpace(command) == "" {
		return checkrein.Hook{}, false
	}
	with := append(append([]byte(`{"command":`), rawjson.Quote(command)...), '}')
	h := newHook(kind, "command", with)
	h.ID = fmt.Sprintf("flag#%d", n)
	return h, true
}

// snapshotHooks returns the hooks that settings.snapshot stands for.
func snapshotHooks() []checkrein.Hook {
	var out []checkrein.Hook
	for _, k := range [...]checkrein.Kind{checkrein.SessionStart, checkrein.TurnStart, checkrein.TurnEnd, checkrein.SessionEnd} {
		h := newHook(k, "builtin", []byte(`{"name":"snapshot"}`))
		h.Name, h.ID = "snapshot", "snapshot"
		h.From.Scope = checkrein.ScopeUser
		out = append(out, h)
	}
	return out
}

func newHook(kind checkrein.Kind, run string, with json.RawMessage) checkrein.Hook {
	return checkrein.Hook{On: kind, Run: run, With: with, Priority: hookfile.DefaultPriority, Rewrites: true,
		Dialect: "native", From: checkrein.Origin{Scope: checkrein.ScopeFlag}}
}
