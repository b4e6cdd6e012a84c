package hostlab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/sys/process"
)

// A Space is an isolated environment for one host: a home directory, a project and a model. Its runs
// share home and project, and must not overlap.
type Space struct {
	Host    *Host
	Dir     string // contains the directories Home, Project and Bin
	Home    string
	Project string // a Git repository with one commit, if Git is installed
	Bin     string // first in the host's PATH

	model *mockmodel.Server
	tools *toolServer // the MCP server; nil = none
}

// NewSpace returns a new space, which the caller must close.
func (h *Host) NewSpace(ctx context.Context) (*Space, error) {
	dir, err := os.MkdirTemp(h.root, h.Name+"-*")
	if err != nil {
		return nil, fmt.Errorf("creating a space for %s: %w", h.Name, err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil { // hosts compare paths
		return nil, fmt.Errorf("creating a space for %s: %w", h.Name, err)
	}
	s := &Space{
		Host: h, Dir: dir,
		Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "project"), Bin: filepath.Join(dir, "bin"),
	}
	if err := s.create(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("creating a space for %s: %w", h.Name, err), s.Close())
	}
	return s, nil
}

// create starts the model and creates the directories and files of the space.
func (s *Space) create(ctx context.Context) error {
	var err error
	if s.model, err = mockmodel.Start(mockmodel.Script{}); err != nil {
		return err
	}
	for _, dir := range []string{s.Home, s.Project, s.Bin, s.tempDir(), s.LabFile("")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	for _, dir := range s.Host.recipe.Folders {
		if err := os.Mkdir(filepath.Join(s.Home, filepath.FromSlash(dir)), 0o700); err != nil {
			return err
		}
	}
	if err := errors.Join(s.writeFiles(), s.addSettings(), s.linkNode()); err != nil {
		return err
	}
	return s.gitInit(ctx)
}

// writeFiles writes the files that the host's variables and flags refer to.
func (s *Space) writeFiles() error {
	if s.Host.recipe.Files == nil {
		return nil
	}
	for name, v := range s.Host.recipe.Files(s) {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if err := os.WriteFile(s.LabFile(name), b, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (s *Space) tempDir() string { return filepath.Join(s.Dir, "tmp") }

// LabFile returns the path of the lab's own file called name.
func (s *Space) LabFile(name string) string { return filepath.Join(s.Dir, "lab", name) }

// linkNode creates a symlink to Node.js in Bin, because the directory of Node.js may have other
// programs.
func (s *Space) linkNode() error {
	if runtime.GOOS == "windows" || s.Host.node == "" {
		return nil
	}
	return os.Symlink(s.Host.node, filepath.Join(s.Bin, "node"))
}

func (s *Space) gitInit(ctx context.Context) error {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"-c", "user.name=nobody", "-c", "user.email=nobody@example.invalid", "commit", "-q", "--allow-empty", "-m", "start"},
	} {
		res, err := process.Run(ctx, process.Spec{Argv: append([]string{git}, args...), Dir: s.Project, Env: s.Environ(nil)})
		if err != nil {
			return fmt.Errorf("git %s: %w", args[0], err)
		}
		if res.Exit != 0 {
			return fmt.Errorf("git %s exited with %d: %s", args[0], res.Exit, lastLines(string(res.Stderr), 3))
		}
	}
	return nil
}

// Close kills the remaining processes of the space and removes it.
func (s *Space) Close() error {
	return errors.Join(s.CloseKeepingFiles(), os.RemoveAll(s.Dir))
}

// CloseKeepingFiles is Close, except that it keeps the files for inspection.
func (s *Space) CloseKeepingFiles() error {
	killProcesses(s.Home)
	var err error
	if s.tools != nil {
		err = s.tools.close()
	}
	if s.model != nil {
		err = errors.Join(err, s.model.Close())
	}
	return err
}

// Model returns the model of the space.
func (s *Space) Model() *mockmodel.Server { return s.model }

// Environ returns the environment of the host with the variables in extra, sorted. It has no variables
// of the caller.
func (s *Space) Environ(extra map[string]string) []string {
	vars := map[string]string{
		"PATH": systemPath(s.Bin), "HOME": s.Home, "TMPDIR": s.tempDir(), "TERM": "dumb",
		"LANG": "C.UTF-8", "SHELL": "/bin/bash", "NO_COLOR": "1",
	}
	if s.model != nil { // the model is a proxy that blocks other hosts
		for _, k := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
			vars[k] = s.model.URL()
		}
		vars["NO_PROXY"], vars["no_proxy"] = "127.0.0.1,localhost", "127.0.0.1,localhost"
	}
	if runtime.GOOS == "windows" {
		vars["USERPROFILE"], vars["TEMP"], vars["SystemRoot"] = s.Home, s.tempDir(), os.Getenv("SystemRoot")
	}
	for _, layer := range []map[string]string{s.Host.recipe.Env(s), extra} {
		for k, v := range layer {
			vars[k] = v
		}
	}
	env := make([]string, 0, len(vars))
	for k, v := range vars {
		env = append(env, k+"="+v)
	}
	slices.Sort(env)
	return env
}

// systemPath returns a PATH of the directory first and the system's directories.
func systemPath(first string) string {
	dirs := []string{first, "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"}
	if runtime.GOOS == "windows" {
		root := os.Getenv("SystemRoot")
		dirs = []string{first, filepath.Join(root, "System32"), root}
	}
	return strings.Join(dirs, string(os.PathListSeparator))
}

// Write writes files to dir, which is Home or Project. The names have slashes. A file that begins with
// #! becomes executable.
func (s *Space) Write(dir string, files map[string]string) error {
	for name, content := range files {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("writing %q: the path is not in %s", name, dir)
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		mode := os.FileMode(0o600)
		if strings.HasPrefix(content, "#!") {
			mode = 0o700
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			return err
		}
		if err := os.Chmod(path, mode); err != nil { // the file may have existed with another mode
			return err
		}
	}
	return nil
}
