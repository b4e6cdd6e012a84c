package hostlab

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// CacheVar is the environment variable that says where hosts are installed.
const CacheVar = "CHECKREIN_HOSTS_CACHE"

// BuildsVar is the environment variable that names builds in place of the pinned ones,
// with spaces between: claude@2.1.197 qwen@0.15.10.
const BuildsVar = "CHECKREIN_HOSTS_BUILDS"

// Options say how to open a lab.
type Options struct {
	Recipes Recipes // of the hosts that it can run
	// Cache is where hosts are installed, each in a folder of its own; "" is
	// CacheVar, or else a folder below the user's cache directory.
	Cache string
	// Root is where spaces are made; "" is a folder of the cache. Codex does
	// not like one below the system's folder for temporary files.
	Root string
	// Logf, if set, is told of what takes long.
	Logf func(format string, args ...any)
}

// A Lab knows where hosts are installed. It may be used from several
// goroutines at once, and several labs may share a cache.
type Lab struct {
	recipes                Recipes
	cache, root, node, npm string
	logf                   func(format string, args ...any)
}

// Open opens a lab. It needs Node.js and npm in PATH.
func Open(o Options) (*Lab, error) {
	l := &Lab{recipes: o.Recipes, cache: o.Cache, root: o.Root, logf: o.Logf}
	if l.logf == nil {
		l.logf = func(string, ...any) {}
	}
	if l.cache == "" {
		l.cache = os.Getenv(CacheVar)
	}
	if l.cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no place to install hosts, set %s: %w", CacheVar, err)
		}
		l.cache = filepath.Join(dir, "checkrein", "hosts")
	}
	if l.root == "" {
		l.root = filepath.Join(l.cache, "spaces")
	}
	var err error
	for _, dir := range []*string{&l.cache, &l.root} {
		if *dir, err = filepath.Abs(*dir); err != nil {
			return nil, fmt.Errorf("finding the cache of hosts: %w", err)
		}
		if err := os.MkdirAll(*dir, 0o700); err != nil {
			return nil, fmt.Errorf("making the cache of hosts: %w", err)
		}
	}
	if l.node, err = program("node"); err != nil {
		return nil, err
	}
	l.npm, err = program("npm")
	return l, err
}

func program(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", &InstallError{What: name, Err: fmt.Errorf("install Node.js with npm: %w", err)}
	}
	return filepath.Abs(path)
}

// A Host is an installed agent.
type Host struct {
	Name    string
	Package string // of npm
	Version string // what is installed
	Wanted  string // what was asked for; another one only if npm has it no more
	// Patience is how much longer than on a quiet machine a run may take; 0 = not at all.
	Patience int

	recipe Recipe
	argv   []string // starts it
	node   string   // the Node.js that its PATH has; "" = none
	root   string   // where its spaces are made
}

// Host installs a host if it is not there yet. An *InstallError says that it
// could not be had here, which is no fault of what is to be tested.
func (l *Lab) Host(ctx context.Context, name string) (*Host, error) {
	return l.Build(ctx, name, wanted(os.Getenv(BuildsVar), name))
}

// Build is Host for one version; "" is the pinned one.
func (l *Lab) Build(ctx context.Context, name, version string) (*Host, error) {
	s, ok := l.recipes.named(name)
	if !ok {
		return nil, fmt.Errorf("no host %q, only %s", name, strings.Join(l.recipes.Hosts(), ", "))
	}
	if version != "" {
		s.Version = version
	}
	l, err := l.withNode(ctx, s.NodeJS)
	if err != nil {
		return nil, err
	}
	in, err := l.install(ctx, s)
	if err != nil {
		return nil, &InstallError{What: s.Package + "@" + s.Version, Err: err}
	}
	h := &Host{Name: s.Name, Package: s.Package, Version: in.Version, Wanted: s.Version, recipe: s, node: l.node, root: l.root}
	h.argv = []string{filepath.Join(l.dir(s), filepath.FromSlash(in.Entry))}
	if s.Node {
		h.argv = append([]string{l.node}, h.argv...)
	}
	return h, nil
}

// wanted is the version that a list of builds has of a host; "" = none.
func wanted(builds, name string) string {
	for _, b := range strings.Fields(builds) {
		if version, ok := strings.CutPrefix(b, name+"@"); ok {
			return version
		}
	}
	return ""
}

// An InstallError says that a host could not be installed.
type InstallError struct {
	What string
	Err  error
}

// Error names what was to be installed and why it was not.
func (e *InstallError) Error() string { return fmt.Sprintf("installing %s: %v", e.What, e.Err) }

// Unwrap returns the reason.
func (e *InstallError) Unwrap() error { return e.Err }
