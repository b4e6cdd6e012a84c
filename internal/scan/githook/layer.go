package githook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/process"
)

// This file describes the hooks that git itself runs in a repository: their directory, the
// hooks in it, and which of them git skips.

// ErrNoRepository means that git is not installed, or that a directory is not in a git repository.
var ErrNoRepository = errors.New("not in a git repository")

const (
	maxOutput = 16 << 20 // maximum bytes of git's output, mainly file names
	maxHead   = 8 << 10  // maximum bytes of a hook that are searched for checkrein
)

// A Layer describes the hooks that git runs in one repository.
type Layer struct {
	Top      string   `json:"top"`                       // the working tree; for a bare repository, its own directory
	Path     string   `json:"path"`                      // the directory in which git looks for hooks
	Setting  string   `json:"core_hooks_path,omitempty"` // its value as written; "" means that it is not set
	From     string   `json:"set_in,omitempty"`          // the file that sets it
	Missing  bool     `json:"missing,omitempty"`         // the directory does not exist, so git runs no hooks
	Hooks    []Hook   `json:"hooks"`
	Warnings []string `json:"warnings,omitempty"`
}

// A Hook is a file that git runs, or would run.
type Hook struct {
	Name       string `json:"name"` // such as pre-push
	Path       string `json:"path"`
	Executable bool   `json:"executable"`
	Tracked    bool   `json:"tracked"` // git tracks it
	Ours       bool   `json:"ours"`    // it calls checkrein
	Health     string `json:"health"`  // "ok", or the reason why git does not run it
}

// hookNames lists the names of git's hooks.
var hookNames = []string{
	"applypatch-msg", "commit-msg", "fsmonitor-watchman", "p4-changelist", "p4-post-changelist", "p4-pre-submit", "p4-prepare-changelist",
	"post-applypatch", "post-checkout", "post-commit", "post-index-change", "post-merge", "post-receive", "post-rewrite", "post-update",
	"pre-applypatch", "pre-auto-gc", "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase", "pre-receive", "prepare-commit-msg",
	"proc-receive", "push-to-checkout", "reference-transaction", "sendemail-validate", "update",
}

// ReadLayer returns a description of the hooks of the repository that contains dir. Linked worktrees
// share the hooks of their repository; submodules have their own. A nil environ means that of this
// process.
func ReadLayer(ctx context.Context, dir string, environ []string) (*Layer, error) {
	g := gitRunner{ctx, dir, cleanEnviron(environ)}
	l := &Layer{Hooks: []Hook{}}
	var err error
	if l.Top, err = g.gitOutputLine("rev-parse", "--show-toplevel"); err != nil || l.Top == "" {
		if l.Top, err = g.gitOutputLine("rev-parse", "--absolute-git-dir"); err != nil {
			return nil, err
		}
	}
	// A relative path is relative to the top, from which git runs its hooks.
	g.dir = filepath.FromSlash(l.Top)
	l.Top = g.dir
	path, err := g.gitOutputLine("rev-parse", "--git-path", "hooks")
	if err != nil {
		return nil, err
	}
	if l.Path = filepath.FromSlash(path); !filepath.IsAbs(l.Path) {
		l.Path = filepath.Join(l.Top, l.Path)
	}
	if set, err := g.gitOutput("config", "--show-origin", "-z", "--get", "core.hooksPath"); err == nil {
		from, value, _ := strings.Cut(string(set), "\x00")
		l.From, l.Setting = strings.TrimPrefix(from, "file:"), strings.TrimRight(value, "\x00")
		if !filepath.IsAbs(l.From) && strings.HasPrefix(from, "file:") {
			l.From = filepath.Join(l.Top, l.From)
		}
	}
	l.readHooks(g)
	return l, nil
}

// readHooks reads the hooks in l.Path.
func (l *Layer) readHooks(g gitRunner) {
	entries, err := os.ReadDir(l.Path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		l.Missing = true
		if l.Setting != "" {
			l.addWarning("core.hooksPath is %s (%s), but %s does not exist: git runs no hooks", l.Setting, l.From, l.Path)
		}
		return
	case err != nil:
		l.addWarning("%v", err)
		return
	}
	tracked := g.trackedFiles(l.Top, l.Path)
	for _, e := range entries { // sorted by ReadDir
		if !slices.Contains(hookNames, e.Name()) {
			continue // samples, or files of other tools
		}
		h := Hook{Name: e.Name(), Path: filepath.Join(l.Path, e.Name()), Health: "ok"}
		h.Tracked = tracked[h.Name]
		h.inspect()
		l.Hooks = append(l.Hooks, h)
	}
}

// addWarning adds a warning to l.
func (l *Layer) addWarning(format string, args ...any) {
	l.Warnings = append(l.Warnings, fmt.Sprintf(format, args...))
}

// inspect reads the file of the hook, and sets the fields that depend on it.
func (h *Hook) inspect() {
	info, err := os.Stat(h.Path)
	switch {
	case err != nil:
		h.Health = "cannot be examined: " + err.Error()
		return
	case !info.Mode().IsRegular():
		h.Health = "is not a file: git does not run it"
		return
	}
	h.Executable = runtime.GOOS == "windows" || info.Mode()&0o111 != 0
	if !h.Executable {
		h.Health = "is not executable: git does not run it (chmod +x " + h.Path + ")"
	}
	f, err := os.Open(h.Path)
	if err != nil {
		h.Health = "cannot be read: " + err.Error()
		return
	}
	defer f.Close()
	var head [maxHead]byte
	n, _ := f.Read(head[:])
	h.Ours = callsCheckrein(head[:n])
}

// callsCheckrein reports whether script has a line that names checkrein and is not a comment.
func callsCheckrein(script []byte) bool {
	for line := range bytes.Lines(script) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' && bytes.Contains(line, []byte("checkrein")) {
			return true
		}
	}
	return false
}

// A gitRunner runs git in a directory.
type gitRunner struct {
	ctx     context.Context
	dir     string
	environ []string
}

// cleanEnviron returns environ without the variables that would make git use another repository, and
// with ones that keep git from prompting, fetching and locking.
func cleanEnviron(environ []string) []string {
	if environ == nil {
		environ = os.Environ()
	}
	environ = slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "GIT_CONFIG_")
	})
	return append(environ, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=(none)", "LC_ALL=C")
}

// gitOutput runs git with args and returns its output. None of the commands used here makes git start
// a program.
func (g gitRunner) gitOutput(args ...string) ([]byte, error) {
	argv := append([]string{"git", "-C", g.dir, "-c", "core.fsmonitor=false"}, args...)
	res, err := process.Run(g.ctx, process.Spec{Argv: argv, Env: g.environ, MaxOut: maxOutput})
	var start *process.StartError
	said := string(bytes.TrimSpace(res.Stderr))
	switch {
	case errors.As(err, &start):
		return nil, fmt.Errorf("%w: %w", ErrNoRepository, err)
	case err != nil:
		return nil, err
	case res.Exit != 0 && strings.Contains(said, "not a git repository"):
		return nil, fmt.Errorf("%s: %w", g.dir, ErrNoRepository)
	case res.Exit != 0:
		return nil, fmt.Errorf("git: %s", said)
	}
	return res.Stdout, nil
}

// gitOutputLine is gitOutput without the newline at its end.
func (g gitRunner) gitOutputLine(args ...string) (string, error) {
	out, err := g.gitOutput(args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// trackedFiles returns the names of the files in dir that git tracks. It returns nil if dir is outside
// top or in its .git.
func (g gitRunner) trackedFiles(top, dir string) map[string]bool {
	rel, err := filepath.Rel(realPath(top), realPath(dir))
	if err != nil || !filepath.IsLocal(rel) || rel == ".git" || strings.HasPrefix(rel, ".git"+string(filepath.Separator)) {
		return nil
	}
	out, err := g.gitOutput("--literal-pathspecs", "ls-files", "-z", "--", filepath.ToSlash(rel))
	if err != nil {
		return nil
	}
	files := make(map[string]bool)
	for name := range strings.SplitSeq(string(out), "\x00") {
		if slashed := filepath.ToSlash(rel) + "/"; rel == "." {
			files[name] = true
		} else if base, ok := strings.CutPrefix(name, slashed); ok {
			files[base] = true
		}
	}
	return files
}

// realPath returns path without symlinks, or path itself if it cannot be resolved.
func realPath(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return path
}
