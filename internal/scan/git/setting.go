package git

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/process"
)

// Setting returns the effective value of a git setting, wherever it is set. A missing setting is no
// error.
func (r *Repo) Setting(ctx context.Context, name string) (value string, ok bool, err error) {
	return r.getConfig(ctx, "--type=path", "--get", name)
}

// OwnSetting returns a setting of this repository only.
func (r *Repo) OwnSetting(ctx context.Context, name string) (value string, ok bool, err error) {
	return r.getConfig(ctx, "--local", "--get", name)
}

func (r *Repo) getConfig(ctx context.Context, args ...string) (string, bool, error) {
	out, err := r.runConfig(ctx, append([]string{"-z"}, args...)...)
	var exit *ExitError
	if errors.As(err, &exit) && exit.Code == 1 {
		return "", false, nil
	}
	return strings.TrimSuffix(string(out), "\x00"), err == nil, err
}

// Set sets a setting of this repository.
func (r *Repo) Set(ctx context.Context, name, value string) error {
	_, err := r.runConfig(ctx, "--local", name, value)
	return err
}

// Unset removes a setting of this repository; a missing one is no error.
func (r *Repo) Unset(ctx context.Context, name string) error {
	_, err := r.runConfig(ctx, "--local", "--unset-all", name)
	var exit *ExitError
	if errors.As(err, &exit) && exit.Code == 5 {
		return nil
	}
	return err
}

// runConfig runs git config, with no settings other than those in files.
func (r *Repo) runConfig(ctx context.Context, args ...string) ([]byte, error) {
	spec := process.Spec{Argv: append([]string{"git", "config"}, args...), Dir: r.dir, Env: r.environ, MaxOut: maxOutput}
	res, err := process.Run(ctx, spec)
	return res.Stdout, r.runError("config", res, err)
}

// Worktrees returns the directories of all working trees of the repository.
func (r *Repo) Worktrees(ctx context.Context) ([]string, error) {
	out, err := r.output(ctx, "worktree", "list", "--porcelain", "-z")
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

// Submodules returns the paths of submodules, relative to the top of the working tree.
func (r *Repo) Submodules(ctx context.Context) ([]string, error) {
	out, err := r.output(ctx, "-C", r.Top, "ls-files", "--stage", "-z")
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
