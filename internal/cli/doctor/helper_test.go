//go:build unix

package doctor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/host"
)

// A testMachine is a temporary machine: a home directory with the user's files, and a project.
type testMachine struct {
	t    *testing.T
	root string
}

func newTestMachine(t *testing.T, files map[string]string) testMachine {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := testMachine{t, root}
	for name, text := range files {
		p.write(name, text)
	}
	for _, dir := range []string{"home", "project", "scratch"} {
		if err := os.MkdirAll(p.path(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p testMachine) path(elem ...string) string {
	return filepath.Join(append([]string{p.root}, elem...)...)
}

// write writes a file. Files that begin with #! are executable; $ROOT is the place.
func (p testMachine) write(name, text string) {
	p.t.Helper()
	path := p.path(filepath.FromSlash(name))
	mode := os.FileMode(0o600)
	if strings.HasPrefix(text, "#!") {
		mode = 0o700
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "$ROOT", p.root)), mode); err != nil {
		p.t.Fatal(err)
	}
}

func (p testMachine) environ() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.path("home"), "XDG_CONFIG_HOME=" + p.path("config")}
}

func (p testMachine) kit(files ...string) *app.Kit {
	p.t.Helper()
	opts := app.Options{Dir: p.path("project"), State: p.path("state"), Managed: p.path("managed"), Environ: p.environ()}
	for _, f := range files {
		opts.Files = append(opts.Files, p.path(f))
	}
	k, err := app.Open(opts)
	if err != nil {
		p.t.Fatal(err)
	}
	return k
}

// approve approves all hooks as they are.
func (p testMachine) approve(files ...string) {
	p.t.Helper()
	if _, err := p.kit(files...).Approve(nil); err != nil {
		p.t.Fatal(err)
	}
}

func (p testMachine) options(files ...string) Options {
	return Options{Kit: p.kit(files...), Named: len(files) > 0, Scratch: p.path("scratch"), Environ: p.environ(), Now: time.Now, Slow: 5 * time.Minute}
}

func (p testMachine) checkHooks(change func(*Options), files ...string) *Report {
	p.t.Helper()
	o := p.options(files...)
	if change != nil {
		change(&o)
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), 5*time.Minute)
	defer cancel()
	return CheckHooks(ctx, o)
}

// installedHosts returns hosts with all of their events wired.
func installedHosts(t *testing.T, names ...string) []Host {
	t.Helper()
	var out []Host
	for _, name := range names {
		h, ok := host.Find(name)
		if !ok {
			t.Fatalf("no host %q", name)
		}
		on := Host{Host: h}
		for _, e := range h.Events {
			if e.Wired {
				on.Wired = append(on.Wired, e.Native)
			}
		}
		out = append(out, on)
	}
	return out
}

// findingOf returns the finding of the check id.
func findingOf(r *Report, id string) (Finding, bool) {
	i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Check == id })
	if i < 0 {
		return Finding{}, false
	}
	return r.Findings[i], true
}

// wantFinding fails the test unless the report has a finding of a check with this level, whose text
// contains part.
func wantFinding(t *testing.T, r *Report, id string, level Level, part string) {
	t.Helper()
	for _, f := range r.Findings {
		if f.Check == id && f.Level == level && strings.Contains(f.Message.String(), part) {
			return
		}
	}
	t.Errorf("no %v %s with %q in\n%+v", level, id, part, r.Findings)
}

// wantNone fails the test if the report has findings of other checks than those in but.
func wantNone(t *testing.T, r *Report, but ...string) {
	t.Helper()
	for _, f := range r.Findings {
		if !slices.Contains(but, f.Check) {
			t.Errorf("found %+v", f)
		}
	}
}

// nativeFile returns a native file with one hook on an event.
func nativeFile(event, entry string) string {
	return "version: 1\nhooks:\n  " + event + ":\n    - " + entry + "\n"
}

// user is the name of the person's own file.
const user = "config/checkrein/checkrein.yaml"
