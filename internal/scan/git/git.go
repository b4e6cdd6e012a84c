// Package git lists what is about to be committed or pushed, and reads the contents.
//
// It runs the git program without the settings that could change its output or start
// another program. It refers to everything by object id, so each object is read once,
// however often it occurs.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/process"
)

var (
	// ErrNoRepository means that a directory is not in a git repository.
	ErrNoRepository = errors.New("not in a git repository")
	// ErrNoGit means that the git program was not found.
	ErrNoGit = errors.New("git is not installed, or not in PATH")
	// ErrPartial means that objects are missing because of a partial clone. They are not fetched,
	// because that would happen without the user's knowledge.
	ErrPartial = errors.New("this is a partial clone without all contents: choose a shorter range, or run 'git fetch --refetch --no-filter'")
)

const maxOutput = 1 << 30 // maximum bytes of git's output, which lists files and commits

// A Repo is a git repository, as seen from a directory. It is safe for concurrent use.
type Repo struct {
	dir     string
	environ []string

	// Top is the top directory of the working tree, or "" if there is none.
	Top string
	// GitDir is the git directory of this working tree.
	GitDir string
}

// OpenRepo returns the repository that contains dir. Environment variables about its location are
// respected, such as those that git sets for hooks. The error is an [ErrNoGit] or [ErrNoRepository] if
// there is none.
func OpenRepo(ctx context.Context, dir string, environ []string) (*Repo, error) {
	r := &Repo{dir: dir, environ: cleanEnviron(environ)}
	out, err := r.gitOutput(ctx, "rev-parse", "--is-inside-work-tree", "--show-cdup", "--absolute-git-dir")
	if err != nil {
		return nil, err
	}
	inside, rest, ok := strings.Cut(string(out), "\n")
	up := ""
	if inside == "true" { // otherwise git does not print the path to the top
		up, rest, ok = strings.Cut(rest, "\n")
	}
	if !ok {
		return nil, fmt.Errorf("%s: cannot parse git's answer: %q", dir, out)
	}
	r.GitDir = filepath.FromSlash(strings.TrimSuffix(rest, "\n"))
	if inside != "true" {
		return r, nil
	}
	if r.Top = filepath.FromSlash(up); !filepath.IsAbs(r.Top) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return nil, err
		}
		r.Top = filepath.Join(real, r.Top)
	}
	return r, nil
}

// CommonDir returns the git directory that all working trees of the repository share.
func (r *Repo) CommonDir(ctx context.Context) (string, error) {
	dir, err := r.gitOutputLine(ctx, "rev-parse", "--git-common-dir")
	if err != nil || filepath.IsAbs(dir) {
		return filepath.FromSlash(dir), err
	}
	return filepath.Join(r.dir, filepath.FromSlash(dir)), nil
}

// Ignores reports whether git ignores path. It reports false if git fails.
func (r *Repo) Ignores(ctx context.Context, path string) bool {
	_, err := r.gitOutput(ctx, "check-ignore", "--quiet", "--", path)
	return err == nil
}

// locationVars lists the variables that determine where a repository is and what its settings are. Git
// sets some of them for its hooks, such as the index of a partial commit.
var locationVars = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_QUARANTINE_PATH", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_NAMESPACE", "GIT_EXEC_PATH",
	"GIT_PREFIX", "GIT_SHALLOW_FILE",
}

// cleanEnviron returns environ with only those of git's variables that give locations or settings. It
// turns off replaced and grafted objects, because a push does not send them.
func cleanEnviron(environ []string) []string {
	if environ == nil {
		environ = os.Environ()
	}
	out := make([]string, 0, len(environ)+8)
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "GIT_CONFIG") || slices.Contains(locationVars, name) {
			out = append(out, entry)
		}
	}
	return append(out, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=(none)",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE="+os.DevNull, "LC_ALL=C")
}

// gitSpec returns a run of git with args in which no setting starts a program. The user's own settings
// stay in force, because they determine which repositories of other users are safe.
func (r *Repo) gitSpec(args ...string) process.Spec {
	argv := append([]string{"git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "advice.graftFileDeprecated=false"}, args...)
	return process.Spec{Argv: argv, Dir: r.dir, Env: r.environ, MaxOut: maxOutput}
}

// gitOutput runs git with args and returns its output.
func (r *Repo) gitOutput(ctx context.Context, args ...string) ([]byte, error) {
	return r.gitOutputWithInput(ctx, nil, args...)
}

// gitOutputLine runs git with args and returns its output, which is one line, without the newline.
func (r *Repo) gitOutputLine(ctx context.Context, args ...string) (string, error) {
	out, err := r.gitOutput(ctx, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// gitOutputWithInput runs git with args and stdin, and returns its output.
func (r *Repo) gitOutputWithInput(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	spec := r.gitSpec(args...)
	spec.Stdin = stdin
	res, err := process.Run(ctx, spec)
	return res.Stdout, r.runError(args[0], res, err)
}

// runError returns the error of a run of the git command what with the result res and the error err,
// or nil if it succeeded.
func (r *Repo) runError(what string, res process.Result, err error) error {
	var start *process.StartError
	said := string(bytes.TrimSpace(res.Stderr))
	switch {
	case errors.As(err, &start) && errors.Is(err, os.ErrNotExist) && !strings.Contains(start.Error(), "working directory"):
		return ErrNoGit
	case err != nil:
		return fmt.Errorf("git %s: %w", what, err)
	case res.Exit == 0:
		return nil
	case strings.Contains(said, "not a git repository"):
		return fmt.Errorf("%s: %w", r.dir, ErrNoRepository)
	case strings.Contains(said, "promisor"):
		return ErrPartial
	case res.Signal != "":
		return fmt.Errorf("git %s was ended by %s", what, res.Signal)
	}
	return &ExitError{Command: what, Code: res.Exit, Said: strings.TrimPrefix(said, "fatal: ")}
}

// An ExitError is the error if git exited with a code other than 0.
type ExitError struct {
	Command string
	Code    int
	Said    string // the text on stderr, without "fatal: "
}

// Error returns git's message.
func (e *ExitError) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("git %s exited with %d", e.Command, e.Code)
	}
	return fmt.Sprintf("git %s: %s", e.Command, e.Said)
}
