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

// A place is a file to read, if it is there, or why nobody can tell.
type place struct {
	path  string
	scope checkrein.Scope
	err   error
	over  error // there are more than are read
}

// find lists the files of all scopes, in the order in which their hooks count.
func find(opts Options) []place {
	var out []place
	if !opts.alone {
		out = layer(out, opts.Managed, checkrein.ScopeManaged)
		out = layer(out, opts.User, checkrein.ScopeUser)
		out = append(out, folders(opts.Agents, checkrein.ScopeUser)...)
	}
	if opts.Root != "" {
		out = append(out, project(&opts)...)
	}
	return out
}

// file adds a file unless nothing is there, as in most places. That takes one look, and
// one more where there is a file.
func file(out []place, path string, scope checkrein.Scope) []place {
	if state.IsAbsent(path) {
		return out
	}
	return append(out, place{path: path, scope: scope})
}

// project lists a project's files. Where others may write, only those count from
// which a person approved hooks.
func project(opts *Options) []place {
	list := file(nil, filepath.Join(opts.Root, "checkrein.yaml"), checkrein.ScopeProject)
	if !opts.NoProject {
		list = append(list, foldersOf(opts)...)
		return file(list, filepath.Join(opts.Root, projectShell), checkrein.ScopeProject)
	}
	if !hasProjectFiles(opts.Root) {
		return nil
	}
	list = append(list, approvedIn(opts, filepath.Join(opts.Root, projectFolders))...)
	list = file(list, filepath.Join(opts.Root, projectShell), checkrein.ScopeProject)
	list = slices.DeleteFunc(list, func(p place) bool { return !slices.Contains(opts.Approved, p.path) })
	return append(list, place{path: opts.Root, over: errors.New("this directory is not a repository and other users can write to it, so only its approved hooks run")})
}

// approvedIn lists the hook folders of a directory from which hooks were approved.
func approvedIn(opts *Options, dir string) []place {
	var out []place
	for _, file := range opts.Approved {
		if filepath.Base(file) == folderFile && filepath.Dir(filepath.Dir(file)) == dir {
			out = append(out, place{path: file, scope: checkrein.ScopeProject})
		}
	}
	return out
}

// What a project may have beside checkrein's own file.
const (
	projectFolders = ".agents/hooks"
	projectShell   = "config/shell_hooks.yaml"
	folderFile     = "HOOK.md"
)

// folders lists the hook folders of a person's directory, sorted by name.
func folders(dir string, scope checkrein.Scope) []place {
	if dir == "" || state.IsAbsent(dir) {
		return nil
	}
	names, more, err := state.List(dir, maxOwnEntries)
	if more {
		err = errEntries
	}
	var out []place
	if err != nil && !gone(dir, err) {
		out = append(out, place{path: dir, scope: scope, err: err})
	}
	for _, name := range names {
		if file := filepath.Join(dir, name, folderFile); there(file) {
			out = append(out, place{path: file, scope: scope})
		}
	}
	return out
}

// foldersOf lists the hook folders of a project, sorted by name: those from which
// a person approved hooks, and the others unless there are too many.
func foldersOf(opts *Options) []place {
	dir := filepath.Join(opts.Root, projectFolders)
	if state.IsAbsent(dir) {
		return approvedIn(opts, dir)
	}
	most := opts.limits()
	names, more, err := state.List(dir, most.entries)
	var out []place
	var over error
	if more {
		names, over = nil, fmt.Errorf("the directory has more than %d entries, so only its approved hook folders are used", most.entries)
	}
	for _, name := range names {
		file := filepath.Join(dir, name, folderFile)
		if slices.Contains(opts.Approved, file) || !there(file) {
			continue
		}
		if len(out) == most.folders {
			out, over = nil, fmt.Errorf("this project has more than %d unapproved hook folders, so all of those are ignored", most.folders)
			break
		}
		out = append(out, place{path: file, scope: checkrein.ScopeProject})
	}
	out = append(out, approvedIn(opts, dir)...)
	slices.SortFunc(out, func(a, b place) int { return strings.Compare(filepath.Dir(a.path), filepath.Dir(b.path)) })
	switch {
	case over != nil:
		out = append(out, place{path: dir, over: over})
	case err != nil && !gone(dir, err):
		out = append(out, place{path: dir, scope: checkrein.ScopeProject, err: err})
	}
	return out
}

// gone reports whether an error says that nothing is there, not even a link.
func gone(path string, err error) bool { return state.IsMissing(err) && !exists(path) }

// there reports whether a file is there, or may be: nobody can tell what a folder
// holds that must not be looked into.
func there(file string) bool {
	_, err := os.Lstat(file)
	return err == nil || errors.Is(err, fs.ErrPermission)
}

// layer adds a directory's own file and its drop-ins, sorted by name.
func layer(out []place, dir string, scope checkrein.Scope) []place {
	if dir == "" {
		return out
	}
	out = file(out, filepath.Join(dir, "checkrein.yaml"), scope)
	drops := filepath.Join(dir, "hooks.d")
	names, err := dropIns(drops)
	for _, name := range names {
		out = append(out, place{path: filepath.Join(drops, name), scope: scope})
	}
	if err != nil {
		out = append(out, place{path: drops, scope: scope, err: err})
	}
	return out
}

// dropIns lists a directory's files. One that is not there has none; one that
// cannot be read may have held gates.
func dropIns(dir string) ([]string, error) {
	if state.IsAbsent(dir) {
		return nil, nil
	}
	names, more, err := state.List(dir, maxOwnEntries)
	switch {
	case more:
		err = errEntries
	case err != nil && gone(dir, err):
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

// ManagedDir is where the machine's administrator puts files. No variable
// moves it.
func ManagedDir() string {
	switch runtime.GOOS {
	case "windows":
		return `C:\ProgramData\checkrein`
	case "darwin":
		return "/Library/Application Support/checkrein"
	}
	return "/etc/checkrein"
}

// ProjectRoot is the directory whose project files count for a session that
// began in dir. In a repository it is the uppermost that has some: a file
// further down cannot take its place. Elsewhere it is the nearest one upwards that
// others cannot write to.
func ProjectRoot(dir string) string {
	if dir == "" {
		return ""
	}
	way := environ.Up(dir)
	root := ""
	for _, d := range way.Files() {
		if hasProjectFiles(d) {
			if root = d; !way.Repo {
				break
			}
		}
	}
	if root == "" {
		return dir
	}
	return root
}

func hasProjectFiles(dir string) bool {
	for _, name := range [...]string{"checkrein.yaml", projectFolders, projectShell} {
		if exists(filepath.Join(dir, name)) {
			return true
		}
	}
	return false
}

// isProject reports whether a directory is a project's: it has project files, or
// it lies in a repository.
func isProject(dir string) bool {
	return dir != "" && (hasProjectFiles(dir) || exists(filepath.Join(environ.Top(dir), ".git")))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// FlagHook is a command hook from the command line, for every tool.
func FlagHook(kind checkrein.Kind, command string, n int) (checkrein.Hook, bool) {
	if strings.TrimSpace(command) == "" {
		return checkrein.Hook{}, false
	}
	with := append(append([]byte(`{"command":`), rawjson.Quote(command)...), '}')
	h := hook(kind, "command", with)
	h.ID = fmt.Sprintf("flag#%d", n)
	return h, true
}

// snapshotHooks are what settings.snapshot stands for.
func snapshotHooks() []checkrein.Hook {
	var out []checkrein.Hook
	for _, k := range [...]checkrein.Kind{checkrein.SessionStart, checkrein.TurnStart, checkrein.TurnEnd, checkrein.SessionEnd} {
		h := hook(k, "builtin", []byte(`{"name":"snapshot"}`))
		h.Name, h.ID = "snapshot", "snapshot"
		h.From.Scope = checkrein.ScopeUser
		out = append(out, h)
	}
	return out
}

func hook(kind checkrein.Kind, run string, with json.RawMessage) checkrein.Hook {
	return checkrein.Hook{On: kind, Run: run, With: with, Priority: hookfile.DefaultPriority, Rewrites: true,
		Dialect: "native", From: checkrein.Origin{Scope: checkrein.ScopeFlag}}
}
