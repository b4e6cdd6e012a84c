//go:build unix

package command_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/handler/command"
	"github.com/checkrein/checkrein/internal/hook/reentry"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// patience is how long tests wait for something that must happen.
const patience = 2 * time.Minute

func environ(more ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=/home/dev"}, more...)
}

// hook is a command hook; with is its settings.
func hook(with string) checkrein.Hook {
	return checkrein.Hook{ID: "guard#1", Name: "guard", On: checkrein.PreToolUse, Run: "command", With: json.RawMessage(with), From: checkrein.Origin{File: "/f"}}
}

// shell is a hook that runs a script.
func shell(script string) checkrein.Hook { return hook(fmt.Sprintf(`{"command":%q}`, script)) }

// build makes a handler, whose seal nothing else shares.
func build(t *testing.T, h checkrein.Hook, env []string) (checkrein.Handler, error) {
	return command.Type(command.Options{Environ: env, Dialect: dialect.Lookup, Seal: reentry.NewSeal(state.NewDir(t.TempDir()))}).New(h)
}

func handle(t *testing.T, ctx context.Context, h checkrein.Hook, ev checkrein.Event, env ...string) (checkrein.Answer, error) {
	t.Helper()
	handler, err := build(t, h, environ(env...))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return handler.Handle(ctx, ev)
}

// run runs a hook that does what it should.
func run(t *testing.T, h checkrein.Hook, ev checkrein.Event, env ...string) checkrein.Answer {
	t.Helper()
	ans, err := handle(t, t.Context(), h, ev, env...)
	if err != nil {
		t.Fatalf("%v (log %q)", err, ans.Log)
	}
	return ans
}

func bash(cmd string) checkrein.Event {
	return checkrein.Event{
		Kind: checkrein.PreToolUse, Host: "claude", Native: "PreToolUse", Session: checkrein.Session{ID: "s1", Dir: "/"},
		Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", CallID: "c1", Input: json.RawMessage(fmt.Sprintf(`{"command":%q,"description":"d"}`, cmd))},
	}
}

func TestAnswersOfRealPrograms(t *testing.T) {
	t.Parallel()
	deny := func(reason string) checkrein.Verdict {
		return checkrein.Verdict{Decision: checkrein.Deny, Reason: reason}
	}
	tests := []struct {
		name, script string
		want         checkrein.Verdict
	}{
		{"content", `exit 0`, checkrein.Verdict{}},
		{"does not read its input", `exec true`, checkrein.Verdict{}},
		{"exit 2", `echo no way >&2; exit 2`, deny("no way")},
		{"exit 2, nothing said", `exit 2`, deny(`blocked by hook "guard"`)},
		{"JSON", `echo '{"decision":"block","reason":"no"}'`, deny("no")},
		{"JSON in pieces", `printf '{"decision":'; printf '"block","reason":"no"}'`, deny("no")},
		{"judges its input", `if grep -q "rm -rf"; then echo '{"decision":"block","reason":"rm"}'; fi`, deny("rm")},
		{"ask", `echo '{"hook_specific_output":{"permission_decision":"ask","permission_decision_reason":"sure?"}}'`, checkrein.Verdict{Decision: checkrein.Ask, Reason: "sure?"}},
		{"rewrite", `echo '{"updated_input":{"command":"ls"}}'`, checkrein.Verdict{Input: json.RawMessage(`{"command":"ls"}`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := run(t, shell(tt.script), bash("rm -rf /"))
			if diff := cmp.Diff(tt.want, got.Verdict, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("verdict (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFaultsOfRealPrograms(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing")
	notExecutable := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(notExecutable, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		hook checkrein.Hook
		want string
	}{
		{"exit 1", shell(`echo broken >&2; exit 1`), "exit code 1: broken"},
		{"exit 3 with a denial", shell(`echo '{"decision":"block"}'; exit 3`), "exit code 3"},
		{"missing in a script", shell(missing), "exit code 127"},
		{"not executable in a script", shell(notExecutable), "exit code 126"},
		{"missing program", hook(fmt.Sprintf(`{"argv":[%q]}`, missing)), "no such file"},
		{"missing in PATH", hook(`{"argv":["no-such-program-anywhere"]}`), "not found"},
		{"not executable", hook(fmt.Sprintf(`{"argv":[%q]}`, notExecutable)), "permission denied"},
		{"missing directory", hook(fmt.Sprintf(`{"argv":["true"],"working_dir":%q}`, missing)), "no such file"},
		{"killed", shell(`kill -KILL $$`), "signal SIGKILL"},
		{"crashed", shell(`kill -SEGV $$`), "signal SIGSEGV"},
		{"broken JSON", shell(`echo '{"decision":'`), "not one JSON object"},
		{"two answers", shell(`echo '{}'; echo '{}'`), "not one JSON object"},
		{"not text", shell(`printf '\377\376'`), "not UTF-8"},
		{"unknown word", shell(`echo '{"decision":"maybe"}'`), "decision must be one of"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ans, err := handle(t, t.Context(), tt.hook, bash("ls"))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("fault %v, want %q in it", err, tt.want)
			}
			if !ans.Verdict.IsZero() {
				t.Errorf("beside the fault the verdict is %+v", ans.Verdict)
			}
		})
	}
}

func TestMissingProgramIsNotStarted(t *testing.T) {
	t.Parallel()
	_, err := handle(t, t.Context(), hook(`{"argv":["/no/such/program"]}`), bash("ls"))
	var start *process.StartError
	if !errors.As(err, &start) {
		t.Errorf("fault %v, want a start error", err)
	}
}

func TestFloodIsAFault(t *testing.T) {
	t.Parallel()
	_, err := handle(t, t.Context(), shell(`yes '{"decision":"allow"}'`), bash("ls"))
	if !errors.Is(err, process.ErrTooMuchOutput) {
		t.Errorf("fault %v, want %v", err, process.ErrTooMuchOutput)
	}
}

// TestLongStderrIsShortened checks that much output on stderr only makes the reason long.
func TestLongStderrIsShortened(t *testing.T) {
	t.Parallel()
	got := run(t, shell(`head -c 3000000 /dev/zero | tr '\0' x >&2; exit 2`), bash("ls"))
	if got.Decision != checkrein.Deny || len(got.Reason) == 0 || len(got.Reason) > 64<<10 {
		t.Errorf("%v with a reason of %d bytes", got.Decision, len(got.Reason))
	}
}

func TestDeadlineAndCancellationEndTheProgram(t *testing.T) {
	t.Parallel()
	// The grandchild holds the pipe; waiting for it would take a minute.
	h := shell(`sleep 600 & echo '{"decision":"allow"}'; sleep 600`)
	t.Run("deadline", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		ans, err := handle(t, ctx, h, bash("ls"))
		if !errors.Is(err, process.ErrTimeout) || !ans.Verdict.IsZero() {
			t.Errorf("%+v, %v, want %v", ans.Verdict, err, process.ErrTimeout)
		}
	})
	t.Run("cancelled before", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := handle(t, ctx, h, bash("ls")); !errors.Is(err, process.ErrCanceled) {
			t.Errorf("%v, want %v", err, process.ErrCanceled)
		}
	})
	t.Run("cancelled meanwhile", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ready := filepath.Join(t.TempDir(), "fifo")
		if err := syscall.Mkfifo(ready, 0o600); err != nil {
			t.Skip(err)
		}
		go func() {
			_, _ = os.ReadFile(ready) // until the program is up
			cancel()
		}()
		if _, err := handle(t, ctx, shell(fmt.Sprintf(`echo up > %q; sleep 600`, ready)), bash("ls")); !errors.Is(err, process.ErrCanceled) {
			t.Errorf("%v, want %v", err, process.ErrCanceled)
		}
	})
}

func TestProgramsAreStartedAsDeclared(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	// Plain text on this event comes back as context.
	ev := checkrein.Event{Kind: checkrein.SessionStart, Session: checkrein.Session{Dir: "/", Root: root}}
	tests := []struct{ name, with, want string }{
		{"directory is the session's root", `{"command":"pwd"}`, root},
		{"own directory, relative to it", `{"command":"pwd","working_dir":"sub"}`, filepath.Join(root, "sub")},
		{"own directory, absolute", `{"command":"pwd","working_dir":"/"}`, "/"},
		{"own directory from the environment", `{"command":"pwd","working_dir":"${env.PLACE}/sub"}`, filepath.Join(root, "sub")},
		{"directory that comes to nothing", `{"command":"pwd","working_dir":"$UNSET"}`, root},
		{"inherited variable", `{"command":"echo $OUTER"}`, "outer"},
		{"own variable", `{"command":"echo $INNER","env":{"INNER":"inner"}}`, "inner"},
		{"own variable wins", `{"command":"echo $OUTER","env":{"OUTER":"mine"}}`, "mine"},
		{"variable from another", `{"command":"echo \"$INNER\"","env":{"INNER":"<${env.OUTER} $OUTER>"}}`, "<outer $OUTER>"},
		{"the environment given, not ours", `{"command":"echo $HOME"}`, "/home/dev"},
		{"a list passes no shell", `{"argv":["echo","$OUTER;","*"]}`, "$OUTER; *"},
		{"a command beats a list", `{"command":"echo a","argv":["echo","b"]}`, "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := hook(tt.with)
			h.On = checkrein.SessionStart
			got := run(t, h, ev, "OUTER=outer", "PLACE="+root)
			if len(got.Context) != 1 || got.Context[0] != tt.want {
				t.Errorf("said %q, want %q", got.Context, tt.want)
			}
		})
	}
}

func TestWithoutARootTheDirectoryIsTheSessions(t *testing.T) {
	t.Parallel()
	h := hook(`{"command":"pwd"}`)
	h.On = checkrein.SessionStart
	if got := run(t, h, checkrein.Event{Kind: checkrein.SessionStart, Session: checkrein.Session{Dir: "/"}}); len(got.Context) != 1 || got.Context[0] != "/" {
		t.Errorf("said %q, want /", got.Context)
	}
}

func TestWarningOfAPlaceIsLogged(t *testing.T) {
	t.Parallel()
	got := run(t, hook(`{"command":"echo said >&2","working_dir":"$UNSET"}`), bash("ls"))
	if !strings.Contains(got.Log, "$UNSET") || !strings.Contains(got.Log, "said") {
		t.Errorf("log %q", got.Log)
	}
}

// receivedPayload returns the payload that a hook of the given dialect gets.
func receivedPayload(t *testing.T, dialect string, ev checkrein.Event) map[string]any {
	t.Helper()
	h := shell(`printf '{"log":'; sed 's/["\\]/\\&/g; s/.*/"&"/'; printf '}'`)
	h.Dialect = dialect
	ans := run(t, h, ev)
	var got map[string]any
	if err := json.Unmarshal([]byte(ans.Log), &got); err != nil {
		t.Fatalf("heard %q: %v", ans.Log, err)
	}
	return got
}

func TestNativeHookGetsHostNames(t *testing.T) {
	t.Parallel()
	want := map[string]any{
		"session_id": "s1", "cwd": "/", "hook_event_name": "pre_tool_use", "tool_name": "Bash", "tool_use_id": "c1",
		"tool_input": map[string]any{"command": "echo \"hi\"", "description": "d"}, "tool": "shell", "host": "claude",
	}
	for _, dialect := range []string{"", "native"} {
		if diff := cmp.Diff(want, receivedPayload(t, dialect, bash(`echo "hi"`))); diff != "" {
			t.Errorf("payload (-want +got):\n%s", diff)
		}
	}
}

func TestDockerAgentHookGetsItsNames(t *testing.T) {
	t.Parallel()
	got := receivedPayload(t, "docker-agent", bash("ls"))
	if got["tool_name"] != "shell" || got["hook_event_name"] != "pre_tool_use" {
		t.Errorf("heard of %v on %v", got["tool_name"], got["hook_event_name"])
	}
	if diff := cmp.Diff(map[string]any{"cmd": "ls", "description": "d"}, got["tool_input"]); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	native := map[string]any{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": "ls", "description": "d"}}
	if diff := cmp.Diff(native, got["native"]); diff != "" {
		t.Errorf("native (-want +got):\n%s", diff)
	}
}

func TestRewriteOfADockerAgentHookMapsBack(t *testing.T) {
	t.Parallel()
	h := shell(`echo '{"hook_specific_output":{"updated_input":{"cmd":"ls -a","description":null,"n":1.0}}}'`)
	h.Dialect = "docker-agent"
	ev := bash("ls")
	got := run(t, h, ev)
	after, changed, err := checkrein.Apply(ev, &got.Verdict)
	if err != nil || !changed {
		t.Fatalf("changed %v, %v", changed, err)
	}
	if want := `{"command":"ls -a","n":1.0}`; string(after.Tool.Input) != want {
		t.Errorf("arguments %s, want %s", after.Tool.Input, want)
	}
}

func TestRewriteThatCannotBeMappedBackIsAFault(t *testing.T) {
	t.Parallel()
	h := shell(`echo '{"updated_input":{"cmd":"a","command":"b"}}'`)
	h.Dialect = "docker-agent"
	if _, err := handle(t, t.Context(), h, bash("ls")); err == nil {
		t.Error("no fault")
	}
}

func TestProgramGetsMark(t *testing.T) {
	t.Parallel()
	h := hook(`{"command":"echo $` + reentry.Variable + `"}`)
	h.On = checkrein.SessionStart
	got := run(t, h, checkrein.Event{Kind: checkrein.SessionStart, Session: checkrein.Session{Dir: "/"}}, reentry.Variable+"=1:1/outer")
	self, err := process.SelfID()
	if err != nil {
		t.Skip(err)
	}
	marks := strings.Fields(strings.Join(got.Context, " "))
	if len(marks) != 2 || marks[0] != "1:1/outer" || !strings.HasPrefix(marks[1], self.String()+"/") {
		t.Errorf("marks %q", marks)
	}
}

func TestSettingsMistakes(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, with, dialect string }{
		{"nothing to run", `{}`, ""},
		{"no settings", ``, ""},
		{"blank command", `{"command":"  "}`, ""},
		{"command is a number", `{"command":5}`, ""},
		{"empty list", `{"argv":[]}`, ""},
		{"empty program", `{"argv":["","x"]}`, ""},
		{"argument is a number", `{"argv":["echo",5]}`, ""},
		{"argument is null", `{"argv":["echo",null]}`, ""},
		{"env is a list", `{"command":"x","env":[]}`, ""},
		{"env holds a number", `{"command":"x","env":{"A":5}}`, ""},
		{"directory is a number", `{"command":"x","working_dir":5}`, ""},
		{"unknown dialect", `{"command":"x"}`, "klingon"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := hook(tt.with)
			h.Dialect = tt.dialect
			if _, err := build(t, h, nil); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestTraits(t *testing.T) {
	t.Parallel()
	h := shell("true")
	if got, want := command.Type(command.Options{}).Traits(&h), (checkrein.Traits{Rewrites: true}); got != want {
		t.Errorf("traits %+v, want %+v", got, want)
	}
}
