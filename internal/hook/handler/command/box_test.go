//go:build unix

package command_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/coverage"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/handler/command"
	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
)

// TestMain makes the test binary the program that enters sandboxes.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sandbox.CommandName {
		_, err := process.AcceptTicket(os.Args[1:])
		if err == nil {
			err = sandbox.RunTrampoline(os.Args[3:], os.Environ())
		}
		fmt.Fprintln(os.Stderr, "checkrein:", sandbox.RefusedError(err))
		os.Exit(sandbox.RefusedExitCode)
	}
	os.Exit(m.Run())
}

// A sandboxProject is a project next to a file that no hook may read.
type sandboxProject struct {
	t            *testing.T
	root, secret string
	program      string
}

func newSandboxProject(t *testing.T) sandboxProject {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	y := sandboxProject{t, filepath.Join(dir, "project"), filepath.Join(dir, "secret"), self}
	y.file("project/data", "shown")
	y.file("secret", "hidden")
	y.file("project/hooks/guard.sh", "#!/bin/sh\ncat \"$@\" || exit 1\n")
	return y
}

func (y sandboxProject) file(name, text string) {
	y.t.Helper()
	path := filepath.Join(filepath.Dir(y.root), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		y.t.Fatal(err)
	}
	if err := built.WriteScript(path, text); err != nil {
		y.t.Fatal(err)
	}
}

// newHook returns a hook that runs script in a sandbox. The script may contain ROOT and SECRET.
func (y sandboxProject) newHook(script, box string) checkrein.Hook {
	script = strings.NewReplacer("ROOT", y.root, "SECRET", y.secret).Replace(script)
	return hook(fmt.Sprintf(`{"command":%q,"sandbox":%s}`, script, box))
}

func (y sandboxProject) handle(ctx context.Context, h checkrein.Hook) (checkrein.Answer, error) {
	y.t.Helper()
	handler, err := command.Type(command.Options{Environ: environ(), Dialect: dialect.Lookup, Program: y.program, Runs: coverage.FilesInProject}).New(h)
	if err != nil {
		y.t.Fatal(err)
	}
	ev := bash("ls")
	ev.Session.Dir = y.root
	return handler.Handle(ctx, ev)
}

// skipWithoutSandbox skips the test if the system has no sandboxes.
func (y sandboxProject) skipWithoutSandbox() {
	y.t.Helper()
	if _, err := y.handle(y.t.Context(), y.newHook("true", `{"network":false}`)); err != nil {
		y.t.Skipf("SKIPPED, NOTHING WAS PROVEN: this machine cannot have sandboxes: %v", err)
	}
}

func TestSandbox(t *testing.T) {
	t.Parallel()
	y := newSandboxProject(t)
	y.skipWithoutSandbox()
	for _, tt := range []struct {
		name, script, box string
		says              string // stderr, by which it blocks
		fault             string
	}{
		{"the payload", `cat >&2; exit 2`, `{}`, `"command":"ls"`, ""},
		{"the project", `cat data >&2; exit 2`, `{"read":["."]}`, "shown", ""},
		{"the project unless named", `cat data`, `{}`, "", "Permission denied"},
		{"what lies outside", `cat SECRET`, `{"read":["."],"write":["."]}`, "", "Permission denied"},
		{"its own script", `hooks/guard.sh - >&2; exit 2`, `{}`, `"command":"ls"`, ""},
		{"its own script, by a shell", `sh ./hooks/guard.sh - >&2; exit 2`, `{}`, `"command":"ls"`, ""},
		{"an argument is no script", `sh hooks/guard.sh SECRET`, `{}`, "", "Permission denied"},
		{"writing", `echo x > made && cat made >&2; exit 2`, `{"write":["."]}`, "x", ""},
		{"writing what may be read", `echo x > data`, `{"read":["."]}`, "ermission denied", ""}, // by which a shell exits with 2
		{"temporary files", `f=$(mktemp) && echo tmp > $f && cat $f >&2; exit 2`, `{}`, "tmp", ""},
		{"a network", `bash -c 'exec 3<>/dev/udp/127.0.0.1/9' && echo on >&2; exit 2`, `{"network":true}`, "on", ""},
		{"no network", `bash -c 'exec 3<>/dev/udp/127.0.0.1/9' && echo on >&2; exit 2`, `{"network":false}`, "ermission denied", ""},
		{"no network, for the children", `sh -c 'sh -c "bash -c \"exec 3<>/dev/udp/127.0.0.1/9\"" && echo on >&2'; exit 2`, `{"network":false}`, "ermission denied", ""},
		{"nothing to write to", `true`, `{"write":["none"]}`, "", "the sandbox was refused: write"},
		{"a link out of the project", `true`, `{"read":["out"]}`, "", "leads out of the project"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			y := newSandboxProject(t)
			if err := os.Symlink(y.secret, y.root+"/out"); err != nil {
				t.Fatal(err)
			}
			ans, err := y.handle(t.Context(), y.newHook(tt.script, tt.box))
			switch {
			case tt.fault != "" && (err == nil || !strings.Contains(err.Error(), tt.fault)):
				t.Errorf("fault %v, want %q; log %q", err, tt.fault, ans.Log)
			case tt.fault == "" && (err != nil || ans.Decision != checkrein.Deny || !strings.Contains(ans.Reason, tt.says)):
				t.Errorf("got %v %q, %v; log %q", ans.Decision, ans.Reason, err, ans.Log)
			}
		})
	}
}

// TestSandboxTempIsRemoved checks that the directory for temporary files is removed after the run.
func TestSandboxTempIsRemoved(t *testing.T) {
	y := newSandboxProject(t)
	y.skipWithoutSandbox()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	ans, err := y.handle(t.Context(), y.newHook(`mkdir -p $TMPDIR/a/b && : > $TMPDIR/a/b/c && echo $TMPDIR >&2; exit 2`, `{}`))
	if err != nil || !strings.HasPrefix(ans.Reason, dir) {
		t.Errorf("got %q, %v", ans.Reason, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("it stays behind: %v, %v", left, err)
	}
}

// TestSandboxNamespace checks that a hook also gets an empty network namespace if the system permits
// that.
func TestSandboxNamespace(t *testing.T) {
	t.Parallel()
	y := newSandboxProject(t)
	y.skipWithoutSandbox()
	if _, err := process.Run(t.Context(), process.Spec{Argv: []string{"true"}, Offline: true}); err != nil {
		t.Skipf("SKIPPED, NOTHING WAS PROVEN: this system gives nobody a network of his own: %v", err)
	}
	ours, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	for box, same := range map[string]bool{`{"network":false}`: false, `{}`: true} {
		ans, err := y.handle(t.Context(), y.newHook(`readlink /proc/self/ns/net >&2; exit 2`, box))
		if err != nil || !strings.HasPrefix(ans.Reason, "net:") || (ans.Reason == ours) != same {
			t.Errorf("%s: %q, %v; ours is %s", box, ans.Reason, err, ours)
		}
	}
}

// TestSandboxArgv checks that programs are looked up in PATH and that arguments are passed unchanged.
func TestSandboxArgv(t *testing.T) {
	t.Parallel()
	y := newSandboxProject(t)
	y.skipWithoutSandbox()
	ans, err := y.handle(t.Context(), hook(`{"argv":["sh","-c","echo \"$0 $1\" >&2; exit 2","a  b","--"],"sandbox":{}}`))
	if err != nil || ans.Reason != "a  b --" {
		t.Errorf("got %q, %v", ans.Reason, err)
	}
	var start *process.StartError
	if _, err := y.handle(t.Context(), hook(`{"argv":["no-such-program"],"sandbox":{}}`)); !errors.As(err, &start) {
		t.Errorf("got %v", err)
	}
}

// TestSandboxDeadline checks that a deadline ends the hook and the processes that it started, even in
// a sandbox with another network.
func TestSandboxDeadline(t *testing.T) {
	t.Parallel()
	y := newSandboxProject(t)
	y.skipWithoutSandbox()
	for _, box := range []string{`{"write":["."]}`, `{"write":["."],"network":false}`} {
		pids := filepath.Join(y.root, "pids")
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			defer cancel()
			for range int(patience / time.Millisecond) {
				if b, _ := os.ReadFile(pids); strings.Count(string(b), "\n") == 2 {
					return
				}
				time.Sleep(time.Millisecond)
			}
		}()
		_, err := y.handle(ctx, y.newHook(`setsid sleep 600 & echo $! > new; echo $$ >> new; mv new pids; sleep 600`, box))
		if !errors.Is(err, process.ErrCanceled) {
			t.Fatalf("%s: %v", box, err)
		}
		b, err := os.ReadFile(pids)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range strings.Fields(string(b)) {
			pid, _ := strconv.Atoi(word)
			wantEnd(t, pid)
		}
		if err := os.Remove(pids); err != nil {
			t.Fatal(err)
		}
	}
}

func wantEnd(t *testing.T, pid int) {
	t.Helper()
	for range int(patience / time.Millisecond) {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if syscall.Kill(pid, 0) != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("process %d lives on", pid)
}

// TestSandboxRefused checks that a hook does not run if there is no sandbox, and that the fault
// explains why. It needs no kernel support.
func TestSandboxRefused(t *testing.T) {
	t.Parallel()
	y := newSandboxProject(t)
	y.file("refuses", "#!/bin/sh\necho 'checkrein: the sandbox was refused: this kernel has no Landlock' >&2; exit 4\n")
	refuses := filepath.Join(filepath.Dir(y.root), "refuses")
	for _, tt := range []struct{ name, program, want string }{
		{"by the kernel", refuses, "the sandbox was refused: this kernel has no Landlock"},
		{"no program is known", "", "set kit.Options.Program"},
		{"the program is gone", "/nowhere/checkrein", "no such file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			y := y
			y.program = tt.program
			if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
				tt.want = "sandboxes do not work on " + runtime.GOOS
			}
			for _, box := range []string{`{}`, `{"write":["."],"network":false}`} {
				_, err := y.handle(t.Context(), y.newHook("touch ROOT/ran", box))
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s: got %v, want %q", box, err, tt.want)
				}
			}
			if _, err := os.Stat(y.root + "/ran"); err == nil {
				t.Error("the hook ran")
			}
		})
	}
}

func TestSandboxMistakes(t *testing.T) {
	t.Parallel()
	_, err := command.Type(command.Options{Dialect: dialect.Lookup}).New(hook(`{"command":"x","sandbox":{"read":["$HOME"]}}`))
	if err == nil || !strings.Contains(err.Error(), "variables do not work here") {
		t.Errorf("got %v", err)
	}
}

// TestSandboxWithoutNamespaces checks that the filter alone blocks all networks if network namespaces
// are not permitted.
func TestSandboxWithoutNamespaces(t *testing.T) {
	t.Parallel()
	const inside = "CHECKREIN_TEST_NO_NAMESPACES"
	y := newSandboxProject(t)
	y.skipWithoutSandbox()
	if os.Getenv(inside) == "" {
		cmd := exec.Command("unshare", "-Ur", "sh", "-c", `echo 0 > /proc/sys/user/max_net_namespaces && exec "$0" -test.run='^TestSandboxWithoutNamespaces$' -test.v`, y.program)
		cmd.Env = append(os.Environ(), inside+"=1")
		out, err := cmd.CombinedOutput()
		if err != nil && !strings.Contains(string(out), "=== RUN") {
			t.Skipf("SKIPPED, NOTHING WAS PROVEN: no namespace to test in: %s", out)
		}
		if err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	var start *process.StartError
	if _, err := process.Run(t.Context(), process.Spec{Argv: []string{"true"}, Offline: true}); !errors.As(err, &start) {
		t.Fatalf("there is a network to have: %v", err)
	}
	bashNet := `command -v bash >/dev/null || exit 4; bash -c 'exec 3<>/dev/udp/127.0.0.1/9' && exit 3; exit 2`
	for box, want := range map[string]checkrein.Decision{`{"network":false}`: checkrein.Deny} {
		ans, err := y.handle(t.Context(), y.newHook(bashNet, box))
		if err != nil || ans.Decision != want || !strings.Contains(ans.Reason, "ermission denied") {
			t.Errorf("%s: %v %q, %v", box, ans.Decision, ans.Reason, err)
		}
	}
	if ans, err := y.handle(t.Context(), y.newHook(bashNet, `{"network":true}`)); err == nil || !strings.Contains(err.Error(), "exit code 3") {
		t.Errorf("it is not the sandbox that keeps it: %+v, %v", ans, err)
	}
}
