// Package hosttest runs real agents in tests. It adds skips, cleanup and logging to package hostlab.
//
//	func TestHostDeny(t *testing.T) {
//		host := hosttest.New(t).Host("claude")
//		res := host.Run(hostlab.Run{Prompt: "go", Script: …})
//		…
//	}
//
// Such tests take seconds to minutes and install packages, so they only run if the environment
// variable [Var] is set.
package hosttest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/setups"
)

// Var is the environment variable that enables these tests. With "1", tests of hosts that cannot be
// installed are skipped with a message; with "required" they fail.
const Var = "CHECKREIN_HOSTS"

const required = "required"

// installTimeout is long enough for a slow connection, because hosts have up to 150 MB.
const installTimeout = 10 * time.Minute

// timeoutFactor multiplies the time limits of runs, because the machine may be busy with other tests.
// A host that hangs is still noticed.
const timeoutFactor = 5

// A Lab installs real hosts for a test.
type Lab struct {
	t     testing.TB
	cache string
}

// New returns a lab. It skips the test if Var is not set.
func New(t testing.TB) *Lab {
	t.Helper()
	if os.Getenv(Var) == "" {
		t.Skipf("set %s=1 to run tests with real hosts", Var)
	}
	cache, err := cacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return &Lab{t: t, cache: cache}
}

// skipOrFail ends a test whose host cannot be installed: it skips the test, or fails it if hosts are
// required.
func skipOrFail(t testing.TB, err error) {
	t.Helper()
	if os.Getenv(Var) == required {
		t.Fatal(err)
	}
	// Print it as well, because skips are logged only with -v.
	fmt.Fprintf(os.Stderr, "SKIPPED %s: %v\n", t.Name(), err)
	t.Skipf("NOT RUN: %v", err)
}

// A Host is a hostlab.Host in a test.
type Host struct {
	*hostlab.Host
	t testing.TB
}

// Host installs a host. It skips the test, with a message, if that fails.
func (l *Lab) Host(name string) *Host {
	l.t.Helper()
	return l.Build(name, versionInBuilds(os.Getenv(BuildsVar), name))
}

// Build is like Host, but for a given version; "" means the pinned one.
func (l *Lab) Build(name, version string) *Host {
	l.t.Helper()
	recipe := setups.Labs().ForHost(name)
	if recipe == nil {
		l.t.Fatalf("no host %q, only %s", name, strings.Join(setups.Labs().Hosts(), ", "))
	}
	if version == "" {
		version = recipe.Version
	}
	modules, node := l.install(recipe.Package, version, recipe.NodeJS)
	h, err := recipe.NewHost(version, modules, node, filepath.Join(l.cache, "spaces"))
	if err != nil {
		skipOrFail(l.t, err)
	}
	h.Patience = timeoutFactor
	return &Host{Host: h, t: l.t}
}

// Program installs a package that is not a host and returns the command that runs entry, a Node.js
// script in the package's directory. It skips the test, with a message, if that fails.
func (l *Lab) Program(pkg, version, entry string) []string {
	l.t.Helper()
	modules, node := l.install(pkg, version, "")
	return []string{node, filepath.Join(modules, filepath.FromSlash(pkg), filepath.FromSlash(entry))}
}

// install installs a package and Node.js, and returns the directory node_modules and the path of node.
func (l *Lab) install(pkg, version, nodeVersion string) (modules, program string) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), installTimeout)
	defer cancel()
	program, err := nodePath(ctx, l.cache, nodeVersion)
	if err == nil {
		modules, err = install(ctx, l.cache, pkg, version)
	}
	if err != nil {
		skipOrFail(l.t, err)
	}
	return modules, program
}

// A Space is a hostlab.Space in a test.
type Space struct {
	*hostlab.Space
	t testing.TB
}

// OpenSpace returns a new space. It is removed after the test, unless the test failed.
func (h *Host) OpenSpace() *Space {
	h.t.Helper()
	s, err := h.NewSpace(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		end := s.Close
		if h.t.Failed() {
			end = s.CloseKeepingFiles
			h.t.Logf("the files of the failed test are in %s", s.Dir)
		}
		if err := end(); err != nil {
			h.t.Errorf("closing the space of %s: %v", h.Name, err)
		}
	})
	return &Space{Space: s, t: h.t}
}

// Run runs the host once in a new space, which is in the result.
func (h *Host) Run(r hostlab.Run) hostlab.Result {
	h.t.Helper()
	return h.OpenSpace().Run(r)
}

// Run runs the host once. The test fails if the run times out, the script could not be played, or the
// host tried to connect to anything but the model. The test itself must check the exit code.
func (s *Space) Run(r hostlab.Run) hostlab.Result {
	s.t.Helper()
	res, err := s.Space.Run(s.t.Context(), r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Logf("%s %s: exit %d after %s, %d requests, %d turns", s.Host.Name, s.Host.Version, res.Exit,
		res.Took.Round(10*time.Millisecond), len(res.Record), len(res.Record.Turns()))
	if res.TimedOut {
		s.t.Errorf("%s did not end in time\nstdout: %s\nstderr: %s", s.Host.Name, res.Stdout, res.Stderr)
	}
	for _, p := range res.Problems {
		s.t.Errorf("script: %s", p)
	}
	for _, target := range res.Record.OutsideTargets() {
		s.t.Errorf("%s tried to reach %s", s.Host.Name, target)
	}
	return res
}
