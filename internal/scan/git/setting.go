package git

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/process"
)

// Setting returns a setting of git as it counts here, whoever made it. One that
// is not there is no error.
func (r *Repo) Setting(ctx context.Context, name string) (value string, ok bool, err error) {
	return r.setting(ctx, "--type=path", "--get", name)
}

// OwnSetting returns a setting of this repository alone.
func (r *Repo) OwnSetting(ctx context.Context, name string) (value string, ok bool, err error) {
	return r.setting(ctx, "--local", "--get", name)
}

func (r *Repo) setting(ctx context.Context, args ...string) (string, bool, error) {
	out, err := r.config(ctx, append([]string{"-z"}, args...)...)
	var exit *ExitError
	if errors.As(err, &exit) && exit.Code == 1 {
		return "", false, nil
	}
	return strings.TrimSuffix(string(out), "\x00"), err == nil, err
}

// Set makes a setting of this repository.
func (r *Repo) Set(ctx context.Context, name, value string) error {
	_, err := r.config(ctx, "--local", name, value)
	return err
}

// Unset removes a setting of this repository; one that is not there is no error.
func (r *Repo) Unset(ctx context.Context, name string) error {
	_, err := r.config(ctx, "--local", "--unset-all", name)
	var exit *ExitError
	if errors.As(err, &exit) && exit.Code == 5 {
		return nil
	}
	return err
}

// config runs git config, with no setting given beside those of the files.
func (r *Repo) config(ctx context.Context, args ...string) ([]byte, error) {
	spec := process.Spec{Argv: append([]string{"git", "config"}, args...), Dir: r.dir, Env: r.environ, MaxOut: maxOutput}
	res, err := process.Run(ctx, spec)
	return res.Stdout, r.problem("config", res, err)
}

// Worktrees lists the directories of all working trees of the repository.
func (r *Repo) Worktrees(ctx context.Context) ([]string, error) {
	out, err := r.git(ctx, "worktree", "list", "--porcelain", "-z")
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

// Submodules lists the paths of repositories inside the working tree, from its
// top.
func (r *Repo) Submodules(ctx context.Context) ([]string, error) {
	out, err := r.git(ctx, "-C", r.Top, "ls-files", "--stage", "-z")
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
