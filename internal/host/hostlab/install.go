package hostlab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// An installation is what the marker of an installed host says. The marker is
// written last, so a folder without one is the rest of a failure.
type installation struct {
	Version string `json:"version"`
	Entry   string `json:"entry"` // what starts it, relative to its folder
}

const marker = "checkrein.json"

// dir is where a host is installed.
func (l *Lab) dir(s Recipe) string { return filepath.Join(l.cache, s.Name+"@"+s.Version) }

// install returns the installed host, and installs it first if need be. One
// process at a time does that; the others wait.
func (l *Lab) install(ctx context.Context, s Recipe) (installation, error) {
	if in, ok := l.installed(s); ok {
		return in, nil
	}
	unlock, err := l.lock(ctx, s.Name+"@"+s.Version)
	if err != nil {
		return installation{}, err
	}
	defer unlock()
	if in, ok := l.installed(s); ok {
		return in, nil
	}
	l.logf("installing %s@%s, once", s.Package, s.Version)
	return l.fetch(ctx, s)
}

func (l *Lab) installed(s Recipe) (installation, bool) {
	var in installation
	b, err := os.ReadFile(filepath.Join(l.dir(s), marker))
	if err != nil || json.Unmarshal(b, &in) != nil {
		return in, false
	}
	_, err = os.Stat(filepath.Join(l.dir(s), filepath.FromSlash(in.Entry)))
	return in, err == nil
}

func (l *Lab) lock(ctx context.Context, name string) (unlock func(), err error) {
	for {
		unlock, err := state.At(l.cache).Lock(name)
		if !errors.Is(err, state.ErrBusy) {
			return unlock, err
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("another process has been installing it: %w", ctx.Err())
		}
	}
}

// fetch installs a host beside its place and moves it there when it works.
func (l *Lab) fetch(ctx context.Context, s Recipe) (installation, error) {
	stage, err := os.MkdirTemp(l.cache, "."+s.Name+"-*")
	if err != nil {
		return installation{}, err
	}
	defer os.RemoveAll(stage)
	version, err := l.npmInstall(ctx, s, stage)
	if err != nil {
		return installation{}, err
	}
	in := installation{Version: version}
	if in.Entry, err = l.entry(ctx, s, stage); err != nil {
		return installation{}, err
	}
	b, err := json.Marshal(in)
	if err != nil {
		return installation{}, err
	}
	if err := os.WriteFile(filepath.Join(stage, marker), b, 0o600); err != nil {
		return installation{}, err
	}
	if err := os.RemoveAll(l.dir(s)); err != nil {
		return installation{}, err
	}
	return in, os.Rename(stage, l.dir(s))
}

// npmInstall installs the wanted version, or the nearest one that npm has.
func (l *Lab) npmInstall(ctx context.Context, s Recipe, stage string) (string, error) {
	err := l.npmAdd(ctx, stage, s.Package+"@"+s.Version)
	if err == nil || !strings.Contains(err.Error(), "ETARGET") {
		return s.Version, err
	}
	res, viewErr := l.runNpm(ctx, stage, "view", s.Package, "versions", "--json")
	if viewErr != nil {
		return "", viewErr
	}
	var served []string
	if err := json.Unmarshal(res.Stdout, &served); err != nil {
		return "", fmt.Errorf("reading the versions of %s: %w", s.Package, err)
	}
	near, ok := nearest(s.Version, served)
	if !ok {
		return "", err
	}
	l.logf("npm has no %s@%s, taking %s", s.Package, s.Version, near)
	return near, l.npmAdd(ctx, stage, s.Package+"@"+near)
}

// npmAdd runs no install scripts: what a host needs of them, it is started
// without. Programs for this system come as optional dependencies.
func (l *Lab) npmAdd(ctx context.Context, stage, what string) error {
	if err := os.WriteFile(filepath.Join(stage, "package.json"), []byte(`{"private":true}`), 0o600); err != nil {
		return err
	}
	_, err := l.runNpm(ctx, stage, "install", "--ignore-scripts", "--include=optional", "--global=false",
		"--no-package-lock", "--no-audit", "--no-fund", "--no-update-notifier",
		"--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=60000", what)
	return err
}

// runNpm runs npm in the caller's environment: only that knows the way to a
// registry.
func (l *Lab) runNpm(ctx context.Context, stage string, args ...string) (process.Result, error) {
	argv := append([]string{l.npm, "--prefix", stage}, args...)
	res, err := process.Run(ctx, process.Spec{Argv: argv, Dir: stage, MaxOut: 8 << 20})
	if err != nil {
		return res, fmt.Errorf("npm %s: %w", args[0], err)
	}
	if res.Exit != 0 {
		return res, fmt.Errorf("npm %s ended with %d: %s", args[0], res.Exit, npmReason(string(res.Stderr)))
	}
	return res, nil
}

// npmReason returns the first lines of npm's complaint: the code and what it
// means. Advice follows them, and warnings may come before.
func npmReason(stderr string) string {
	var lines []string
	for line := range strings.Lines(stderr) {
		if msg, ok := strings.CutPrefix(strings.TrimSpace(line), "npm error "); ok && len(lines) < 5 {
			lines = append(lines, strings.TrimSpace(msg))
		}
	}
	if len(lines) == 0 {
		return lastLines(stderr, 5)
	}
	return strings.Join(lines, "; ")
}

// entry returns what starts the host: the first candidate that can tell its
// version here. Some packages bring a program for old processors, too.
func (l *Lab) entry(ctx context.Context, s Recipe, stage string) (string, error) {
	found, err := filepath.Glob(filepath.Join(stage, "node_modules", filepath.FromSlash(s.Entry)))
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("the package has no %s: it is not made for this system, or has changed", s.Entry)
	}
	slices.SortFunc(found, func(a, b string) int { return len(a) - len(b) })
	var last error
	for _, path := range found {
		if last = l.try(ctx, s, stage, path); last == nil {
			rel, err := filepath.Rel(stage, path)
			return filepath.ToSlash(rel), err
		}
	}
	return "", last
}

func (l *Lab) try(ctx context.Context, s Recipe, stage, path string) error {
	if s.silent {
		return nil
	}
	argv := []string{path, "--version"}
	if s.Node {
		argv = append([]string{l.node}, argv...)
	}
	home := filepath.Join(stage, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	defer os.RemoveAll(home)
	env := []string{"PATH=" + systemPath(filepath.Dir(l.node)), "HOME=" + home, "TERM=dumb", "NO_COLOR=1", "npm_config_offline=true"}
	res, err := process.Run(ctx, process.Spec{Argv: argv, Dir: home, Env: env})
	if err == nil && res.Exit != 0 {
		err = fmt.Errorf("--version ended with %d%s: %s", res.Exit, res.Signal, lastLines(string(res.Stderr), 3))
	}
	return err
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
