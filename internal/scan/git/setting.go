package git

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/process"
)

// Setting returns the effective value of the git setting name, wherever it is set. It reports false if
// it is not set.
func (r *Repo) Setting(ctx context.Context, name string) (value string, ok bool, err error) {
	return r.getConfig(ctx, "--type=path", "--get", name)
}

// LocalSetting returns the value of the setting name in this repository only. It reports false if it
// is not set there.
func (r *Repo) LocalSetting(ctx context.Context, name string) (value string, ok bool, err error) {
	return r.getConfig(ctx, "--local", "--get", name)
}

// getConfig returns the value that git config prints for args. It reports false if the setting is
// missing.
func (r *Repo) getConfig(ctx context.Context, args ...string) (string, bool, error) {
	out, err := r.runConfig(ctx, append([]string{"-z"}, args...)...)
	var exit *ExitError
	if errors.As(err, &exit) && exit.Code == 1 {
		return "", false, nil
	}
	return strings.TrimSuffix(string(out), "\x00"), err == nil, err
}

// SetLocalSetting sets the setting name of this repository to value.
func (r *Repo) SetLocalSetting(ctx context.Context, name, value string) error {
	_, err := r.runConfig(ctx, "--local", name, value)
	return err
}

// UnsetLocalSetting removes the setting name of this repository. It is no error if it is not set.
func (r *Repo) UnsetLocalSetting(ctx context.Context, name string) error {
	_, err := r.runConfig(ctx, "--local", "--unset-all", name)
	var exit *ExitError
	if errors.As(err, &exit) && exit.Code == 5 {
		return nil
	}
	return err
}

// runConfig runs git config with args, but without -c options, and returns its output.
func (r *Repo) runConfig(ctx context.Context, args ...string) ([]byte, error) {
	spec := process.Spec{Argv: append([]string{"git", "config"}, args...), Dir: r.dir, Env: r.environ, MaxOut: maxOutput}
	res, err := process.Run(ctx, spec)
	return res.Stdout, r.runError("config", res, err)
}

// ListWorktrees returns the directories of all working trees of the repository that exist.
func (r *Repo) ListWorktrees(ctx context.Context) ([]string, error) {
	out, err := r.gitOutput(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	var list []string
	for entry := range strings.SplitSeq(string(out), "\x00\x00") {
		fields := strings.Split(strings.Trim(entry, "\x00"), "\x00")
		path, ok := strings.CutPrefix(fields[0], "worktree ")
		bare := false
		for _, f := range fields[1:] {
			bare = bare || f == "bare" || strings.HasPrefix(f, "prunable")
		}
		if ok && !bare {
			list = append(list, filepath.FromSlash(path))
		}
	}
	return list, nil
}

// ListSubmodules returns the paths of the submodules, relative to the top of the working tree.
func (r *Repo) ListSubmodules(ctx context.Context) ([]string, error) {
	out, err := r.gitOutput(ctx, "-C", r.Top, "ls-files", "--stage", "-z")
	if err != nil {
		return nil, err
	}
	var list []string
	for entry := range strings.SplitSeq(string(out), "\x00") {
		if head, path, ok := strings.Cut(entry, "\t"); ok && strings.HasPrefix(head, "160000 ") {
			list = append(list, path)
		}
	}
	return list, nil
}
