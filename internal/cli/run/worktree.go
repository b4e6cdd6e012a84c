package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// addWorktree creates a new worktree of the repository for the session, and runs the hooks that
// prepare it. If a hook refuses, it removes the worktree and returns an error.
func (r *run) addWorktree(ctx context.Context) error {
	source := environ.RepoTop(r.dir)
	if _, err := os.Lstat(filepath.Join(source, ".git")); err != nil {
		return base.AsRefusal(fmt.Errorf("--worktree: %s is not in a git repository", r.dir))
	}
	name := strings.TrimSpace(r.worktree)
	if name == "" {
		name = r.id
	}
	if strings.ContainsFunc(name, func(c rune) bool {
		return c != '-' && c != '_' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	}) || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "-") {
		return fmt.Errorf("--worktree: %q is not a valid name: use only letters, digits, dots, - and _", name)
	}
	dir, err := base.StateDir(r.env)
	if err != nil {
		return &base.Exit{Code: console.Bug, Err: err}
	}
	sum := sha256.Sum256([]byte(source))
	// The worktree is beside the state directory, because the agent may not change files in it.
	above := filepath.Join(dir.Path()+"-worktrees", hex.EncodeToString(sum[:6]))
	if err := os.MkdirAll(above, 0o700); err != nil {
		return base.AsRefusal(fmt.Errorf("--worktree: %w", err))
	}
	path, branch := filepath.Join(above, name), "checkrein/"+name
	if err := r.runGit(ctx, source, "worktree", "add", "-q", "-b", branch, path, "HEAD"); err != nil {
		if r.runGit(ctx, source, "rev-parse", "-q", "--verify", "HEAD") != nil {
			err = fmt.Errorf("%s has no commit to start from: make one first, for example git commit --allow-empty -m start", source)
		}
		return base.AsRefusal(fmt.Errorf("--worktree: %w", err))
	}
	r.dir = path
	if err := r.prepareWorktree(ctx, source, branch); err != nil {
		undo := errors.Join(r.runGit(ctx, source, "worktree", "remove", "--force", path), r.runGit(ctx, source, "branch", "-q", "-D", branch))
		return base.AsRefusal(errors.Join(err, undo))
	}
	fmt.Fprintf(r.env.Stderr, "working in %s on branch %s\n", path, branch)
	return nil
}

// prepareWorktree runs the hooks on worktree_create. It returns an error if one of them denies.
func (r *run) prepareWorktree(ctx context.Context, source, branch string) error {
	// Open a separate kit, whose hooks run in the worktree and so use the files in it.
	k, err := base.OpenKit(r.env, app.Options{Dir: r.dir, Agent: r.firstAgent(), AgentFile: r.file, CheckoutOf: source, Hooks: r.hooks, Program: base.HotProgram(r.env), Companion: r.env.Program})
	if err != nil {
		return err
	}
	ev := checkrein.Event{Kind: checkrein.WorktreeCreate, Session: checkrein.Session{Dir: r.dir, Root: r.dir}}
	for _, d := range [...][2]string{{"worktree_path", r.dir}, {"worktree_branch", branch}, {"worktree_source_dir", source}} {
		value, _ := json.Marshal(d[1])
		ev.Details = append(ev.Details, checkrein.Detail{Name: d[0], Value: value})
	}
	out := k.Serve(ctx, ev)
	for _, line := range append(out.Verdict.Notice, out.Verdict.Context...) {
		fmt.Fprintln(r.env.Stderr, visible.EscapeText(strings.TrimRight(line, "\n")))
	}
	if out.Verdict.Decision == checkrein.Deny {
		return fmt.Errorf("a hook refused the worktree: %s", out.Verdict.Reason)
	}
	return nil
}

// firstAgent returns the name of the agent that starts the session.
func (r *run) firstAgent() string {
	if r.agent != "" {
		return r.agent
	}
	return r.team.DefaultAgent().Name
}

// runGit runs a git command in dir. If git fails, the error has its error output.
func (r *run) runGit(ctx context.Context, dir string, args ...string) error {
	res, err := process.Run(ctx, process.Spec{Argv: append([]string{"git", "-C", dir}, args...), Env: r.env.Environ})
	if err == nil && res.Exit != 0 {
		err = fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(res.Stderr)))
	}
	return err
}
