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

// A candidate is a file to load, or an error from the search for files.
type candidate struct {
	path      string
	scope     checkrein.Scope
	err       error
	overLimit error // set if there are files that are not loaded, and why
	trial     bool  // a bundle of a fleet on trial: nothing in it counts
}

// findFiles returns the files of all scopes in the order in which their hooks apply.
func findFiles(opts Options) []candidate {
	var out []candidate
	if !opts.projectOnly {
		if opts.Managed != "" {
			out = addConfigDir(out, opts.Managed, checkrein.ScopeManaged)
			out = addFleetFiles(out, opts.Managed, checkrein.ScopeManaged)
		}
		out = addUserFiles(out, &opts)
		out = append(out, hookFolders(opts.Agents, checkrein.ScopeUser)...)
	}
	if opts.Root != "" {
		out = append(out, projectFiles(&opts)...)
	}
	return out
}

// addUserFiles appends the user's own files to out, or those that stand in for them.
func addUserFiles(out []candidate, opts *Options) []candidate {
	switch info, err := os.Stat(opts.Policy); {
	case opts.Policy == "" && opts.User == "":
		return out
	case opts.Policy == "":
		return addFleetFiles(addConfigDir(out, opts.User, checkrein.ScopeUser), opts.User, checkrein.ScopeUser)
	case err == nil && info.IsDir():
		return addConfigDir(out, opts.Policy, checkrein.ScopeUser)
	}
	return append(out, candidate{path: opts.Policy, scope: checkrein.ScopeUser})
}

// addFile appends path to out if the file exists. The check is a single system call.
func addFile(out []candidate, path string, scope checkrein.Scope) []candidate {
	if state.IsAbsent(path) {
		return out
	}
	return append(out, candidate{path: path, scope: scope})
}

// projectFiles returns the files of the project at opts.Root. If other users may write to that
// directory, it returns only files from which a person has approved hooks.
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

// approvedFolders returns the HOOK.md files in subdirectories of dir from which a person has approved
// hooks.
func approvedFolders(opts *Options, dir string) []candidate {
	var out []candidate
	for _, file := range opts.Approved {
		if filepath.Base(file) == folderFile && filepath.Dir(filepath.Dir(file)) == dir {
			out = append(out, candidate{path: file, scope: checkrein.ScopeProject})
		}
	}
	return out
}

// Paths of hook files that a project may have besides checkrein.yaml.
const (
	projectFolders = ".agents/hooks"
	projectShell   = "config/shell_hooks.yaml"
	folderFile     = "HOOK.md"
)

// hookFolders returns the HOOK.md files in subdirectories of dir, a directory of the user or the
// administrator, sorted by name.
func hookFolders(dir string, scope checkrein.Scope) []candidate {
	if dir == "" || state.IsAbsent(dir) {
		return nil
	}
	names, more, err := state.ListDir(dir, maxOwnEntries)
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

// projectHookFolders returns the HOOK.md files of a project, sorted by name: those from which a person
// has approved hooks and, unless there are too many, the others.
func projectHookFolders(opts *Options) []candidate {
	dir := filepath.Join(opts.Root, projectFolders)
	if state.IsAbsent(dir) {
		return approvedFolders(opts, dir)
	}
	most := opts.unapprovedLimits()
	names, more, err := state.ListDir(dir, most.entries)
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

// isGone reports whether err means that there is nothing at path, not even a dangling symlink.
func isGone(path string, err error) bool { return state.IsMissing(err) && !exists(path) }

// mayExist reports whether file exists, or may exist in a directory that cannot be read.
func mayExist(file string) bool {
	_, err := os.Lstat(file)
	return err == nil || errors.Is(err, fs.ErrPermission)
}

// addConfigDir appends the checkrein.yaml of the configuration directory dir and its drop-ins, sorted
// by name.
func addConfigDir(out []candidate, dir string, scope checkrein.Scope) []candidate {
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

// dropIns returns the names of the YAML files in dir, a directory of drop-ins. If dir does not exist,
// there are none; if it cannot be read, that is an error, because it may contain gates.
func dropIns(dir string) ([]string, error) {
	if state.IsAbsent(dir) {
		return nil, nil
	}
	names, more, err := state.ListDir(dir, maxOwnEntries)
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

// ManagedDir returns the configuration directory of the machine's administrator. Environment variables
// do not change it.
func ManagedDir() string {
	switch runtime.GOOS {
	case "windows":
		return `C:\ProgramData\checkrein`
	case "darwin":
		return "/Library/Application Support/checkrein"
	}
	return "/etc/checkrein"
}

// ProjectRoot returns the directory whose project files apply to a session that started in dir. In a
// repository it is the topmost directory with project files, so that a file further down cannot
// replace them. Elsewhere it is the nearest one, going up, to which other users cannot write. If there
// are no project files, it is dir.
func ProjectRoot(dir string) string {
	if dir == "" {
		return ""
	}
	way := environ.FindParentDirs(dir)
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

// hasProjectFiles reports whether dir has hook files or hook folders of a project.
func hasProjectFiles(dir string) bool {
	for _, name := range [...]string{"checkrein.yaml", projectFolders, projectShell} {
		if exists(filepath.Join(dir, name)) {
			return true
		}
	}
	return false
}

// isInProject reports whether dir has project files or is in a repository.
func isInProject(dir string) bool {
	return dir != "" && (hasProjectFiles(dir) || exists(filepath.Join(environ.RepoTop(dir), ".git")))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// FlagHook returns the n-th hook from the command line, which runs command for every tool. It returns
// false if command is blank.
func FlagHook(kind checkrein.Kind, command string, n int) (checkrein.Hook, bool) {
	if strings.TrimSpace(command) == "" {
		return checkrein.Hook{}, false
	}
	with := append(append([]byte(`{"command":`), rawjson.Quote(command)...), '}')
	h := newHook(kind, "command", with)
	h.ID = fmt.Sprintf("flag#%d", n)
	return h, true
}

// snapshotHooks returns the hooks that the setting snapshot adds.
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
