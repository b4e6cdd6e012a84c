// Package hosttest runs real agents in tests: package hostlab with skips,
// clean-up and a log.
//
//	func TestHostDeny(t *testing.T) {
//		host := hosttest.New(t).Host("claude")
//		res := host.Run(hostlab.Run{Prompt: "go", Script: …})
//		…
//	}
//
// Such tests take seconds to minutes and install packages, so they run only
// when the environment says so: see Var.
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

// Var is the environment variable that turns these tests on. "1" skips a host
// that cannot be installed here, and says so; "required" fails then.
const Var = "CHECKREIN_HOSTS"

const required = "required"

// installTime is for a slow line: hosts have up to 150 MB.
const installTime = 10 * time.Minute

// patience is how much longer than on a quiet machine a run may take: tests share theirs
// with others. A host that hangs is noticed all the same.
const patience = 5

// A Lab installs real hosts for a test.
type Lab struct {
	t     testing.TB
	cache string
}

// New opens a lab, or skips the test if nobody asked for real hosts.
func New(t testing.TB) *Lab {
	t.Helper()
	if os.Getenv(Var) == "" {
		t.Skipf("real hosts are not asked for: set %s=1", Var)
	}
	cache, err := cacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return &Lab{t: t, cache: cache}
}

// unavailable ends a test whose host is not to be had.
func unavailable(t testing.TB, err error) {
	t.Helper()
	if os.Getenv(Var) == required {
		t.Fatal(err)
	}
	// Also past the test log, which shows only with -v.
	fmt.Fprintf(os.Stderr, "SKIPPED %s: %v\n", t.Name(), err)
	t.Skipf("NOT RUN: %v", err)
}

// A Host is a hostlab.Host in a test.
type Host struct {
	*hostlab.Host
	t testing.TB
}

// Host installs a host, or skips the test and says why.
func (l *Lab) Host(name string) *Host {
	l.t.Helper()
	return l.Build(name, versionIn(os.Getenv(BuildsVar), name))
}

// Build is Host for one version; "" is the pinned one.
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
		unavailable(l.t, err)
	}
	h.Patience = patience
	return &Host{Host: h, t: l.t}
}

// Program installs a package that is no host, or skips the test and says why. It returns what
// starts its entry, a script of Node.js below the package's folder.
func (l *Lab) Program(pkg, version, entry string) []string {
	l.t.Helper()
	modules, node := l.install(pkg, version, "")
	return []string{node, filepath.Join(modules, filepath.FromSlash(pkg), filepath.FromSlash(entry))}
}

// install returns the folder of modules that has a package, and a Node.js.
func (l *Lab) install(pkg, version, nodeVersion string) (modules, program string) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), installTime)
	defer cancel()
	program, err := node(ctx, l.cache, nodeVersion)
	if err == nil {
		modules, err = install(ctx, l.cache, pkg, version)
	}
	if err != nil {
		unavailable(l.t, err)
	}
	return modules, program
}

// A Space is a hostlab.Space in a test.
type Space struct {
	*hostlab.Space
	t testing.TB
}

// Space makes a space that is removed after the test, unless the test failed.
func (h *Host) Space() *Space {
	h.t.Helper()
	s, err := h.NewSpace(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		end := s.Close
		if h.t.Failed() {
			end = s.CloseKeepingFiles
			h.t.Logf("kept for you to look at: %s", s.Dir)
		}
		if err := end(); err != nil {
			h.t.Errorf("leaving the space of %s: %v", h.Name, err)
		}
	})
	return &Space{Space: s, t: h.t}
}

// Run runs the host once in a space of its own, which is in the result.
func (h *Host) Run(r hostlab.Run) hostlab.Result {
	h.t.Helper()
	return h.Space().Run(r)
}

// Run runs the host once. A timeout, a script that could not be played and an
// attempt to talk to anybody but the model are failures of the test; any other
// end is for the test to judge.
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
