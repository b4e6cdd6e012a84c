//go:build unix

package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestRunResult(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		spec Spec
		want Result
	}{
		{"nothing", shellSpec("true"), Result{}},
		{"outputs apart", shellSpec("echo out; echo err >&2"), Result{Stdout: []byte("out\n"), Stderr: []byte("err\n")}},
		{"exit code", shellSpec("echo no >&2; exit 3"), Result{Stderr: []byte("no\n"), Exit: 3}},
		{"exit 255", shellSpec("exit 255"), Result{Exit: 255}},
		{"killed", shellSpec("echo x; kill -KILL $$"), Result{Stdout: []byte("x\n"), Exit: -1, Signal: "SIGKILL"}},
		{"terminated", shellSpec("kill -TERM $$"), Result{Exit: -1, Signal: "SIGTERM"}},
		{"crashed", shellSpec("kill -SEGV $$"), Result{Exit: -1, Signal: "SIGSEGV"}},
		{"arguments are not shell", Spec{Argv: []string{"echo", "$HOME; *"}}, Result{Stdout: []byte("$HOME; *\n")}},
		{"directory", Spec{Argv: []string{"pwd"}, Dir: dir}, Result{Stdout: []byte(dir + "\n")}},
		{"environment", Spec{Argv: []string{"/usr/bin/env"}, Env: []string{"A=b"}}, Result{Stdout: []byte("A=b\n")}},
		{"no environment", Spec{Argv: []string{"/usr/bin/env"}, Env: []string{}}, Result{}},
		{"no input", Spec{Argv: []string{"cat"}}, Result{}},
		{"input", Spec{Argv: []string{"cat"}, Stdin: []byte("in")}, Result{Stdout: []byte("in")}},
		{"outputs closed early", shellSpec("exec >&- 2>&-; exit 4"), Result{Exit: 4}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := mustRun(t, tt.spec)
			wantBytes(t, "stdout", got.Stdout, tt.want.Stdout)
			wantBytes(t, "stderr", got.Stderr, tt.want.Stderr)
			if got.Exit != tt.want.Exit || got.Signal != tt.want.Signal || got.StderrTruncated {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestRunStartError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		spec Spec
		want error
	}{
		{"no argv", Spec{}, nil},
		{"empty name", Spec{Argv: []string{""}}, nil},
		{"not in path", Spec{Argv: []string{"no-such-program-anywhere"}}, nil},
		{"missing file", Spec{Argv: []string{filepath.Join(dir, "none")}}, fs.ErrNotExist},
		{"not executable", Spec{Argv: []string{plain}}, fs.ErrPermission},
		{"a directory", Spec{Argv: []string{dir}}, fs.ErrPermission},
		{"missing directory", Spec{Argv: []string{"true"}, Dir: filepath.Join(dir, "none")}, fs.ErrNotExist},
		{"NUL in an argument", Spec{Argv: []string{"echo", "a\x00b"}}, syscall.EINVAL},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.spec.Stdin = []byte("input")
			res, err := runWithin(t, patience, tt.spec)
			var start *StartError
			if !errors.As(err, &start) {
				t.Fatalf("error %v, want a *StartError", err)
			}
			if tt.want != nil {
				wantErr(t, err, tt.want)
			}
			if len(tt.spec.Argv) > 0 && start.Argv0 != tt.spec.Argv[0] || !strings.HasPrefix(err.Error(), "start ") {
				t.Errorf("error %q names %q", err, start.Argv0)
			}
			if res.Exit != -1 {
				t.Errorf("exit %d, want -1", res.Exit)
			}
		})
	}
}

func TestStartErrorNamesDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	none, plain := filepath.Join(dir, "none"), filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		spec Spec
		want string
	}{
		{"missing", Spec{Argv: ShellArgv("true"), Dir: none}, fmt.Sprintf("start \"/bin/sh\": working directory %q: no such file or directory", none)},
		{"a file", Spec{Argv: ShellArgv("true"), Dir: plain}, fmt.Sprintf("start \"/bin/sh\": working directory %q: not a directory", plain)},
		{"not to blame", Spec{Argv: []string{none}, Dir: dir}, fmt.Sprintf("start %q: fork/exec %s: no such file or directory", none, none)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := runWithin(t, patience, tt.spec)
			if err == nil || err.Error() != tt.want {
				t.Errorf("Run: error %v, want %s", err, tt.want)
			}
			if err := Detach(tt.spec, ""); err == nil || err.Error() != tt.want {
				t.Errorf("Detach: error %v, want %s", err, tt.want)
			}
		})
	}
}

func TestRunContextAlreadyEnded(t *testing.T) {
	t.Parallel()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	tests := []struct {
		name string
		ctx  context.Context
		want error
	}{
		{"canceled", canceled, ErrCanceled},
		{"past the deadline", late, ErrTimeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			mark := filepath.Join(t.TempDir(), "ran")
			res, err := Run(tt.ctx, Spec{Argv: []string{"touch", mark}})
			wantErr(t, err, tt.want)
			if res.Exit != -1 {
				t.Errorf("exit %d, want -1", res.Exit)
			}
			if _, err := os.Stat(mark); err == nil {
				t.Error("the program was started")
			}
		})
	}
}

func TestRunLimits(t *testing.T) {
	t.Parallel()
	zeros := func(n int) []byte { return make([]byte, n) }
	tests := []struct {
		name    string
		spec    Spec
		err     error
		out     []byte
		errLen  int
		cut     bool
		anyExit bool
	}{
		{name: "stdout at its limit", spec: Spec{Argv: ShellArgv("head -c 5000 /dev/zero"), MaxOut: 5000}, out: zeros(5000)},
		{name: "stdout one past it", spec: Spec{Argv: ShellArgv("head -c 5001 /dev/zero"), MaxOut: 5000}, err: ErrTooMuchOutput, out: zeros(5000), anyExit: true},
		{name: "stdout at the default", spec: shellSpec("head -c 1048576 /dev/zero"), out: zeros(1 << 20)},
		{name: "flood of lines", spec: Spec{Argv: []string{"yes"}, MaxOut: 1000}, err: ErrTooMuchOutput, out: bytes.Repeat([]byte("y\n"), 500), anyExit: true},
		{name: "flood of zeros", spec: Spec{Argv: []string{"cat", "/dev/zero"}}, err: ErrTooMuchOutput, out: zeros(1 << 20), anyExit: true},
		{name: "flood by a child", spec: shellSpec("cat /dev/zero; true"), err: ErrTooMuchOutput, out: zeros(1 << 20), anyExit: true},
		{name: "flood deaf to TERM", spec: shellSpec("trap '' TERM; cat /dev/zero; sleep 300"), err: ErrTooMuchOutput, out: zeros(1 << 20), anyExit: true},
		{name: "stderr at its limit", spec: Spec{Argv: ShellArgv("head -c 700 /dev/zero >&2"), MaxErr: 700}, errLen: 700},
		{name: "stderr one past it", spec: Spec{Argv: ShellArgv("head -c 701 /dev/zero >&2"), MaxErr: 700}, errLen: 700, cut: true},
		{name: "flood of stderr", spec: shellSpec("head -c 30000000 /dev/zero >&2; echo done"), out: []byte("done\n"), errLen: 64 << 10, cut: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			res, err := runWithin(t, patience, tt.spec)
			wantErr(t, err, tt.err)
			wantBytes(t, "stdout", res.Stdout, tt.out)
			if cap(res.Stdout) > orDefault(tt.spec.MaxOut, defaultMaxOut) {
				t.Errorf("stdout takes %d bytes of memory", cap(res.Stdout))
			}
			if len(res.Stderr) != tt.errLen || res.StderrTruncated != tt.cut {
				t.Errorf("stderr %d bytes, cut %v; want %d, %v", len(res.Stderr), res.StderrTruncated, tt.errLen, tt.cut)
			}
			if res.Exit != 0 && !tt.anyExit {
				t.Errorf("exit %d", res.Exit)
			}
		})
	}
}

func TestRunStdin(t *testing.T) {
	t.Parallel()
	scripts := []struct {
		name   string
		script string
		want   func(in []byte) []byte
	}{
		{"read whole", "cat", func(in []byte) []byte { return in }},
		{"never read", "sleep 0.05; echo ok", func([]byte) []byte { return []byte("ok\n") }},
		{"exit at once", "exit 0", func([]byte) []byte { return nil }},
		{"closed early", "exec <&-; sleep 0.05; echo ok", func([]byte) []byte { return []byte("ok\n") }},
		{"read in part", "head -c 3", func(in []byte) []byte { return in[:3] }},
	}
	for _, size := range []int{3, 4096, 65535, 65536, 65537, 900_000} {
		in := bytes.Repeat([]byte("0123456789abcdef!"), size/17+1)[:size]
		for _, tt := range scripts {
			t.Run(fmt.Sprintf("%s/%d", tt.name, size), func(t *testing.T) {
				t.Parallel()
				s := shellSpec(tt.script)
				s.Stdin = in
				res := mustRun(t, s)
				wantBytes(t, "stdout", res.Stdout, tt.want(in))
				if res.Exit != 0 {
					t.Errorf("exit %d", res.Exit)
				}
			})
		}
	}
}

// TestRunStdinHeldByOrphan checks a process that outlives the leader and holds a full input pipe
// without reading it.
func TestRunStdinHeldByOrphan(t *testing.T) {
	t.Parallel()
	s := shellSpec("{ sleep 300 <&3 >/dev/null 2>&1 & } 3<&0; echo $!")
	s.Stdin = make([]byte, 1<<20)
	began := time.Now()
	res := mustRun(t, s)
	if took := time.Since(began); took > patience/2 {
		t.Errorf("took %v", took)
	}
	parsePIDs(t, res.Stdout, 1)
}

func TestRunConcurrent(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			in := bytes.Repeat(fmt.Appendf(nil, "%d,", i), 1000*(i%40))
			s := shellSpec(fmt.Sprintf("cat; echo %d >&2; exit %d", i, i))
			s.Stdin = in
			ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
			defer cancel()
			res, err := Run(ctx, s)
			if err != nil || res.Exit != i || string(res.Stderr) != fmt.Sprintln(i) {
				t.Errorf("run %d: exit %d, stderr %q, %v", i, res.Exit, res.Stderr, err)
			}
			wantBytes(t, "stdout", res.Stdout, in)
		})
	}
	wg.Wait()
}

func TestShell(t *testing.T) {
	t.Parallel()
	res := mustRun(t, Spec{Argv: ShellArgv(`echo "a  b" | tr a-z A-Z`)})
	wantBytes(t, "stdout", res.Stdout, []byte("A  B\n"))
}
