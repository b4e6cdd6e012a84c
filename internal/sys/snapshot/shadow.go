// Package snapshot stores the state of the files of a working tree in a separate git
// repository, the shadow. It stores trees, never commits. It writes nothing to the user's
// repository, whose ignore rules apply.
package snapshot

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// ErrNoRepository is the error if git is not installed, or the directory is not in a working tree.
var ErrNoRepository = errors.New("not in a git working tree")

const (
	folder    = "snapshots" // in the state directory
	maxOutput = 256 << 20   // maximum bytes of git's output, mainly file names
)

// A Shadow holds the snapshots of one working tree, limited to the files below a directory of it. It
// is safe for concurrent use by goroutines and processes.
type Shadow struct {
	state   state.Dir
	name    string // name of its directory in the state directory
	top     string // top directory of the working tree
	scope   string // the directory it is limited to, relative to top, with slashes; "" for all
	environ []string
	now     func() time.Time
}

// OpenShadow returns the shadow of the working tree that contains dir, limited to dir. It creates
// nothing. The error is an [ErrNoRepository] if dir is not in a working tree.
func OpenShadow(ctx context.Context, dir string, st state.Dir, environ []string, now func() time.Time) (*Shadow, error) {
	if st.Path() == "" {
		return nil, state.ErrNoState
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRepository, err)
	}
	s := &Shadow{state: st, environ: cleanEnviron(environ), now: now}
	out, err := s.runSourceGit(ctx, dir, "rev-parse", "--show-toplevel", "--show-prefix")
	lines := strings.Split(string(out), "\n")
	if err != nil || len(lines) < 2 || lines[0] == "" {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoRepository)
	}
	s.top, s.scope = filepath.FromSlash(lines[0]), strings.TrimSuffix(lines[1], "/")
	// The settings of a repository can claim any directory as its working tree.
	if real, err := filepath.EvalSymlinks(s.top); err != nil || filepath.Join(real, filepath.FromSlash(s.scope)) != dir {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoRepository)
	}
	s.name = folder + "/" + shortDigest(s.top)
	return s, nil
}

// TopDir returns the top directory of the working tree.
func (s *Shadow) TopDir() string { return s.top }

// cleanEnviron returns environ without the variables that would lead git to another repository, and
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

// runSourceGit runs git in dir on the user's repository and returns its output.
func (s *Shadow) runSourceGit(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return Source{Environ: s.environ, Dir: dir}.Run(ctx, args...)
}

// A Source is a repository of the user's, in which git is run.
type Source struct {
	Environ []string // the environment; nil means that of this process
	Dir     string   // a directory of its working tree
	Index   string   // the index to use; "" means its own
	Stdin   []byte
}

// Run runs git with settings that keep it from starting other programs, and returns its output.
func (r Source) Run(ctx context.Context, args ...string) ([]byte, error) {
	argv := append([]string{"git", "-C", r.Dir, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"}, args...)
	env := cleanEnviron(r.Environ)
	if r.Index != "" {
		env = append(env, "GIT_INDEX_FILE="+r.Index)
	}
	return RunGit(ctx, process.Spec{Argv: argv, Env: env, Stdin: r.Stdin, MaxOut: maxOutput})
}

// runShadowGit runs git on the shadow, with no settings other than these, and returns its output.
func (s *Shadow) runShadowGit(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	argv := append([]string{"git", "--git-dir=" + s.path("git"), "--work-tree=" + s.top,
		"-c", "core.bare=false", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.autocrlf=false", "-c", "core.safecrlf=false", "-c", "core.logAllRefUpdates=false", "-c", "gc.auto=0"}, args...)
	return RunGit(ctx, process.Spec{Argv: argv, Dir: s.top, Env: s.shadowEnviron(), Stdin: stdin, MaxOut: maxOutput})
}

// shadowEnviron returns the environment for git on the shadow, without the user's git settings.
func (s *Shadow) shadowEnviron() []string {
	return append(IsolatedEnviron(s.environ), "GIT_INDEX_FILE="+s.indexFile())
}

// IsolatedEnviron returns an environment for git without the settings of the user and the system.
func IsolatedEnviron(environ []string) []string {
	env := slices.DeleteFunc(cleanEnviron(environ), func(entry string) bool { return strings.HasPrefix(entry, "GIT_CONFIG_") })
	return append(env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_LITERAL_PATHSPECS=1")
}

// RunGit runs the git command of spec and returns its output. A non-zero exit is an error.
func RunGit(ctx context.Context, spec process.Spec) ([]byte, error) {
	res, err := process.Run(ctx, spec)
	if err == nil && res.Exit != 0 {
		err = fmt.Errorf("git exited with %d: %s", res.Exit, bytes.TrimSpace(res.Stderr))
	}
	return res.Stdout, err
}

// indexFile returns the path of the index file of the scope. If scopes shared one, the files of
// another scope would count as deleted.
func (s *Shadow) indexFile() string { return s.path("git", "index-"+shortDigest(s.scope)) }

// path returns the path of elem in the directory of the shadow.
func (s *Shadow) path(elem ...string) string {
	return s.state.Path(append([]string{filepath.FromSlash(s.name)}, elem...)...)
}

// lock locks the shadow, and creates it if it does not exist.
func (s *Shadow) lock(ctx context.Context) (unlock func(), err error) {
	if unlock, err = s.state.Lock(s.name + "/shadow"); err != nil {
		return nil, err
	}
	if err = s.ensureCreated(ctx); err != nil {
		unlock()
		return nil, fmt.Errorf("the shadow repository: %w", err)
	}
	return unlock, nil
}

// ensureCreated creates the repository of the shadow if it does not exist. The caller holds the lock.
func (s *Shadow) ensureCreated(ctx context.Context) error {
	// This process holds the shadow's lock, so git's own locks are left over from killed processes.
	stale, _ := filepath.Glob(s.path("git", "index-*.lock"))
	for _, f := range stale {
		_ = os.Remove(f) // if that fails, git reports it
	}
	marker := s.path("git", "info", "attributes")
	if _, err := os.Stat(marker); err == nil {
		return nil
	}
	if _, err := RunGit(ctx, process.Spec{Argv: []string{"git", "init", "-q", "--bare", "--template=", s.path("git")}, Env: s.shadowEnviron()}); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(marker), 0o700); err != nil {
		return err
	}
	return os.WriteFile(marker, []byte(PlainAttributes), 0o600)
}

// PlainAttributes are attributes with which git stores files byte for byte and runs no filter.
const PlainAttributes = "* -text -eol -ident -filter -working-tree-encoding\n"

// shortDigest returns 16 hexadecimal digits of the SHA-256 of s.
func shortDigest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}
