//go:build unix

package hostlab

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/sys/process"
)

// fakeSpace returns a space for a host that is a shell script.
func fakeSpace(t *testing.T, script string) *Space {
	t.Helper()
	h := &Host{Name: "fake", Version: "1", root: t.TempDir(), node: "/bin/sh", recipe: Recipe{
		Name: "fake", Package: "fake-host", Version: "1", Timeout: time.Minute,
		Args: func(_ *Space, r Run) []string { return []string{"-p", r.Prompt} },
		Env:  func(s *Space) map[string]string { return map[string]string{"MODEL": s.model.URL()} },
	}}
	h.argv = []string{"/bin/sh", "-c", script, "fake"}
	s, err := h.NewSpace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(s.Dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the space is still there: %v", err)
		}
	})
	return s
}

func TestRun(t *testing.T) {
	t.Parallel()
	s := fakeSpace(t, `echo "$1 $2 $3"; pwd; cat "$HOME/.conf/a"; ./tool; cat; echo trouble >&2; exit 3`)
	res, err := s.Run(t.Context(), Run{
		Prompt: "hello", Args: []string{"--more"},
		Home:    map[string]string{".conf/a": "config\n"},
		Project: map[string]string{"tool": "#!/bin/sh\necho tool\n"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "-p hello --more\n" + s.Project + "\nconfig\ntool\n"
	if res.Stdout != want || res.Stderr != "trouble\n" || res.Exit != 3 || res.TimedOut {
		t.Errorf("%+v, want %q", res, want)
	}
}

// TestEnvironment checks that no variable of the caller reaches a host.
func TestEnvironment(t *testing.T) {
	t.Setenv("SOME_TOKEN", "of ours")
	s := fakeSpace(t, "env")
	res, err := s.Run(t.Context(), Run{Env: map[string]string{"MORE": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.SplitSeq(strings.TrimSpace(res.Stdout), "\n") {
		name, value, _ := strings.Cut(line, "=")
		switch name {
		case "PWD", "SHLVL", "_", "OLDPWD": // set by the shell itself
			continue
		case "HOME":
			if value != s.Home {
				t.Errorf("HOME is %s", value)
			}
		}
		names = append(names, name)
	}
	slices.Sort(names)
	want := "HOME HTTPS_PROXY HTTP_PROXY LANG MODEL MORE NO_COLOR NO_PROXY PATH SHELL TERM TMPDIR http_proxy https_proxy no_proxy"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("environment: %s\nwant: %s", got, want)
	}
}

func TestRunRefuses(t *testing.T) {
	t.Parallel()
	s := fakeSpace(t, "echo ran")
	tests := []struct {
		name string
		run  Run
	}{
		{"another home", Run{Env: map[string]string{"HOME": "/"}}},
		{"a file outside", Run{Project: map[string]string{"../x": ""}}},
		{"a file anywhere", Run{Home: map[string]string{"/x": ""}}},
	}
	for _, tt := range tests {
		if res, err := s.Run(t.Context(), tt.run); err == nil || res.Stdout != "" {
			t.Errorf("%s: %+v, %v", tt.name, res, err)
		}
	}
}

func TestRunTimesOut(t *testing.T) {
	t.Parallel()
	s := fakeSpace(t, "echo begun; exec sleep 1000")
	res, err := s.Run(t.Context(), Run{Timeout: 100 * time.Millisecond})
	if err != nil || !res.TimedOut || res.Exit == 0 {
		t.Errorf("%+v, %v", res, err)
	}
}

// TestCancelKillsChildren cancels a run whose host has a child process.
func TestCancelKillsChildren(t *testing.T) {
	t.Parallel()
	s := fakeSpace(t, `sleep 1000 & echo $! >"$HOME/pid"; wait`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := s.Run(ctx, Run{})
		done <- err
	}()
	waitFor(t, func() bool { return len(readFile(s.Home, "pid")) > 0 })
	cancel()
	if err := <-done; !errors.Is(err, process.ErrCanceled) {
		t.Errorf("%v, want canceled", err)
	}
	waitFor(t, func() bool { return !isAlive(readFile(s.Home, "pid")) })
}

// waitFor polls until done returns true. It has no deadline.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for !done() {
		if t.Context().Err() != nil {
			t.Fatal("the test ended first")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func readFile(dir, name string) string {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil || !strings.HasSuffix(string(b), "\n") { // not yet complete
		return ""
	}
	return strings.TrimSpace(string(b))
}

func TestAddSettings(t *testing.T) {
	t.Parallel()
	s := fakeSpace(t, "true")
	s.Host.recipe.Settings = func(*Space) (string, map[string]any) {
		return ".fake/settings.json", map[string]any{"a": map[string]any{"b": "ours", "c": 1}, "d": false}
	}
	tests := []struct{ name, have, want string }{
		{"nothing there", "", `{"a":{"b":"ours","c":1},"d":false}`},
		{"theirs stays", `{"a":{"b":"theirs"},"e":[1]}`, `{"a":{"b":"theirs","c":1},"d":false,"e":[1]}`},
		{"nothing missing", "{\"d\":1,\n\n\"a\":{\"c\":2,\"b\":3}}", "{\"d\":1,\n\n\"a\":{\"c\":2,\"b\":3}}"},
		{"another form", `{"a":7}`, `{"a":7,"d":false}`},
		{"broken", `{"a":`, `{"a":`},
	}
	for _, tt := range tests {
		path := filepath.Join(s.Home, ".fake", "settings.json")
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if tt.have != "" {
			if err := s.Write(s.Home, map[string]string{".fake/settings.json": tt.have}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.addSettings(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		got := string(b)
		if strings.HasPrefix(got, "{\n  ") { // written by the lab: compare without layout
			got = strings.NewReplacer("\n", "", " ", "").Replace(got)
		}
		if got != tt.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}
