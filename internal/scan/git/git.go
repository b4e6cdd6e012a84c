// Package git asks git what is about to be committed or pushed, and for the
// contents.
//
// It runs the git program, with the settings that could change an answer or
// start another program turned off. Everything it names, it names by object id,
// so that a content is read once however often it occurs.
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
	// ErrNoRepository reports that a directory lies in no repository.
	ErrNoRepository = errors.New("not in a git repository")
	// ErrNoGit reports that there is no git program.
	ErrNoGit = errors.New("git is not installed, or not in PATH")
	// ErrPartial reports that contents are not here: the clone left them where it
	// came from, and nothing is fetched behind the person's back.
	ErrPartial = errors.New("this is a partial clone without all contents: choose a shorter range, or run 'git fetch --refetch --no-filter'")
)

const maxOutput = 1 << 30 // names of files and commits

// A Repo is a repository, seen from a directory. It is safe for concurrent use.
type Repo struct {
	dir     string
	environ []string

	// Top is the directory of the working tree; "" when there is none.
	Top string
	// GitDir is git's own folder, of this working tree.
	GitDir string
}

// Open finds the repository of a directory. What the environment says about
// where it is, as that of a git hook does, counts.
func Open(ctx context.Context, dir string, environ []string) (*Repo, error) {
	r := &Repo{dir: dir, environ: clean(environ)}
	out, err := r.git(ctx, "rev-parse", "--is-inside-work-tree", "--show-cdup", "--absolute-git-dir")
	if err != nil {
		return nil, err
	}
	inside, rest, ok := strings.Cut(string(out), "\n")
	up := ""
	if inside == "true" { // or git prints no way up
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

// CommonDir is the git folder that all working trees of the repository share.
func (r *Repo) CommonDir(ctx context.Context) (string, error) {
	dir, err := r.line(ctx, "rev-parse", "--git-common-dir")
	if err != nil || filepath.IsAbs(dir) {
		return filepath.FromSlash(dir), err
	}
	return filepath.Join(r.dir, filepath.FromSlash(dir)), nil
}

// Ignores reports whether git leaves a file out of what it takes up: one that is
// tracked already is not.
func (r *Repo) Ignores(ctx context.Context, path string) bool {
	_, err := r.git(ctx, "check-ignore", "--quiet", "--", path)
	return err == nil
}

// places are the variables that say where a repository is and what its settings
// are. Git sets some of them for its hooks: the index of a partial commit is one.
var places = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_QUARANTINE_PATH", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_NAMESPACE", "GIT_EXEC_PATH",
	"GIT_PREFIX", "GIT_SHALLOW_FILE",
}

// clean keeps of git's variables those that say where things are. A replaced or
// grafted object is not what a push sends, so neither counts.
func clean(environ []string) []string {
	if environ == nil {
		environ = os.Environ()
	}
	out := make([]string, 0, len(environ)+8)
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "GIT_CONFIG") || slices.Contains(places, name) {
			out = append(out, entry)
		}
	}
	return append(out, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=(none)",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE="+os.DevNull, "LC_ALL=C")
}

// spec is a run of git in which no setting starts a program. The person's own
// settings stay, since they say which repositories of others are safe.
func (r *Repo) spec(args ...string) process.Spec {
	argv := append([]string{"git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "advice.graftFileDeprecated=false"}, args...)
	return process.Spec{Argv: argv, Dir: r.dir, Env: r.environ, MaxOut: maxOutput}
}

// git runs git and returns what it printed.
func (r *Repo) git(ctx context.Context, args ...string) ([]byte, error) {
	return r.feed(ctx, nil, args...)
}

// line is the one line that git prints.
func (r *Repo) line(ctx context.Context, args ...string) (string, error) {
	out, err := r.git(ctx, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// feed runs git with something to read.
func (r *Repo) feed(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	spec := r.spec(args...)
	spec.Stdin = stdin
	res, err := process.Run(ctx, spec)
	return res.Stdout, r.problem(args[0], res, err)
}

// problem returns what went wrong with a run, nil when nothing did.
func (r *Repo) problem(what string, res process.Result, err error) error {
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

// An ExitError records that git refused a question.
type ExitError struct {
	Command string
	Code    int
	Said    string // on stderr
}

// Error is what git said.
func (e *ExitError) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("git %s exited with %d", e.Command, e.Code)
	}
	return fmt.Sprintf("git %s: %s", e.Command, e.Said)
}
