// Package faketest runs the agent of package fakehost in tests: it builds the program, seals it with a
// build, and gives it a home directory, a project and a scripted model.
//
//	program := faketest.Program(t)
//	space := faketest.New(t, program, fakehost.Build{Lies: []fakehost.Lie{fakehost.RunsDenied}})
//	space.Install(checkrein)
//	res := space.Run(faketest.Run{Prompt: "go", Script: mockmodel.Script{Turns: …}})
package faketest

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/lab/fakehost"
)

// Program builds the agent for a test and its subtests and returns its path. It skips the test on
// Windows, because hooks and tools are run by a POSIX shell.
func Program(t testing.TB) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the agent runs its hooks and tools with /bin/sh")
	}
	return filepath.Join(build(t, "fakehost"), "fakehost")
}

// Checkrein builds checkrein and checkreind for a test and its subtests, and returns the directory
// that they are in.
func Checkrein(t testing.TB) string {
	t.Helper()
	return build(t, "checkrein", "checkreind")
}

// build builds the named programs into a temporary directory and returns it.
func build(t testing.TB, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	if err := built.Put(dir, names...); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Put puts a program that Program built at a path, sealed with a build.
func Put(t testing.TB, program, path string, b fakehost.Build) {
	t.Helper()
	seal, err := fakehost.Seal(b)
	if err != nil {
		t.Fatal(err)
	}
	copyFile(t, program, path, seal)
}

func copyFile(t testing.TB, from, to string, more []byte) {
	t.Helper()
	if err := built.Copy(from, to, more); err != nil {
		t.Fatal(err)
	}
}

// A Space is an environment for the agent: a home directory, a project, a directory of programs and a
// model. It can be used for any number of runs, one at a time.
type Space struct {
	Home, Project string
	Bin           string // first in PATH; the agent is Bin/claude
	Model         *mockmodel.Server

	t testing.TB
}

// New returns a Space in which program, sealed with build b, is the claude command.
func New(t testing.TB, program string, b fakehost.Build) *Space {
	t.Helper()
	dir, err := os.MkdirTemp("", "fakehost-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { built.RemoveWhenIdle(dir) }) // the ledger's maintenance may still run
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	s := &Space{Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "project"), Bin: filepath.Join(dir, "bin"), t: t}
	for _, d := range []string{s.Home, s.Project, s.Bin, s.tmp()} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if s.Model, err = mockmodel.Start(mockmodel.Script{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Model.Close() })
	Put(t, program, filepath.Join(s.Bin, "claude"), b)
	return s
}

func (s *Space) tmp() string { return filepath.Join(filepath.Dir(s.Home), "tmp") }

// Install copies the programs from a directory that Checkrein returned into the space and runs
// `checkrein install claude`.
func (s *Space) Install(programs string) {
	s.t.Helper()
	for _, name := range []string{"checkrein", "checkreind"} {
		copyFile(s.t, filepath.Join(programs, name), filepath.Join(s.Bin, name), nil)
	}
	s.Checkrein("install", "claude", "--program", filepath.Join(s.Bin, "checkrein"))
}

// Checkrein runs checkrein in the space and returns its stdout. If it fails, the test fails.
func (s *Space) Checkrein(args ...string) string {
	s.t.Helper()
	out, errs, code := s.Try("checkrein", args...)
	if code != 0 {
		s.t.Fatalf("checkrein %s: exit %d\n%s%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

// Try runs a program of the space, however it ends.
func (s *Space) Try(program string, args ...string) (stdout, stderr string, exit int) {
	s.t.Helper()
	return s.run(program, args, nil)
}

func (s *Space) run(program string, args []string, env map[string]string) (stdout, stderr string, exit int) {
	s.t.Helper()
	cmd := s.Command(program, args, env)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	var end *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &end) {
		s.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// Write writes files below dir. The keys are slash-separated paths.
func (s *Space) Write(dir string, files map[string]string) {
	s.t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			s.t.Fatal(err)
		}
	}
}

// Exists reports whether the project has a file of that name.
func (s *Space) Exists(name string) bool {
	_, err := os.Lstat(filepath.Join(s.Project, filepath.FromSlash(name)))
	return err == nil
}

// Text is what a file below the project says; "" if there is none.
func (s *Space) Text(name string) string {
	b, err := os.ReadFile(filepath.Join(s.Project, filepath.FromSlash(name)))
	if err != nil {
		return ""
	}
	return string(b)
}

// Transcripts returns the paths of all sessions' transcripts, each followed by those of its
// sub-agents.
func (s *Space) Transcripts() []string {
	s.t.Helper()
	var out []string
	for _, pattern := range []string{"*.jsonl", "*/subagents/*.jsonl"} {
		found, err := filepath.Glob(filepath.Join(s.Home, ".claude", "projects", "*", pattern))
		if err != nil {
			s.t.Fatal(err)
		}
		out = append(out, found...)
	}
	slices.Sort(out)
	return out
}

// A Run is one run of the agent.
type Run struct {
	Prompt string
	Script mockmodel.Script
	Args   []string          // in addition to -p, the prompt and --allowedTools
	Env    map[string]string // overrides variables of the space
}

// A Result is the outcome of a Run.
type Result struct {
	Stdout, Stderr string
	Exit           int
	Record         mockmodel.Record // what the model saw
}

// allowedTools lists the tools that run without a question.
const allowedTools = "Bash,Read,Write,Edit,Agent"

// Run runs the agent once. The test fails if the model could not play the script.
func (s *Space) Run(r Run) Result {
	s.t.Helper()
	s.Model.Play(r.Script)
	args := append([]string{"-p", r.Prompt, "--allowedTools", allowedTools}, r.Args...)
	stdout, stderr, exit := s.run("claude", args, r.Env)
	for _, p := range s.Model.Problems() {
		s.t.Errorf("script: %s", p)
	}
	return Result{stdout, stderr, exit, s.Model.Record()}
}

// Command returns a command that runs a program of the space in its project and environment. The
// variables in more override those of the space.
func (s *Space) Command(program string, args []string, more map[string]string) *exec.Cmd {
	cmd := exec.CommandContext(s.t.Context(), filepath.Join(s.Bin, program), args...)
	cmd.Dir = s.Project
	vars := map[string]string{
		"PATH": s.Bin + ":/usr/local/bin:/usr/bin:/bin", "HOME": s.Home, "TMPDIR": s.tmp(), "TERM": "dumb", "LANG": "C.UTF-8",
		"SHELL": "/bin/sh", "NO_COLOR": "1", "ANTHROPIC_BASE_URL": s.Model.URL(), "ANTHROPIC_API_KEY": "not-a-key",
	}
	maps.Copy(vars, more)
	for k, v := range vars {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	slices.Sort(cmd.Env)
	return cmd
}
