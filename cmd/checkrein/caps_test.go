package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A host gets another verdict once its build was seen not to ask, and a notice appears after an
// update; status and doctor agree. A changed file changes nothing.
func TestProofsChangeVerdicts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := built.WriteScript(path, text); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("home/.config/checkrein/checkrein.yaml", "version: 1\npacks: []\nhooks:\n  pre_tool_use: [{type: rule, if: {command: {prefix: make}}, decision: deny, reason: No.}]\n")
	write("work/x", "")
	agent := write("bin/claude", "#!/bin/sh\n")
	write("bin/package.json", `{"name":"agent","version":"2.1.197"}`)
	checkrein := func(stdin string, args ...string) (string, int) {
		t.Helper()
		cmd := exec.Command(filepath.Join(programs, "checkrein"), args...)
		cmd.Dir, cmd.Stdin = filepath.Join(dir, "work"), strings.NewReader(stdin)
		cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + filepath.Dir(agent) + string(os.PathListSeparator) + os.Getenv("PATH"), "COLUMNS=300"}
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	has := func(what, text string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in\n%s", what, w, text)
			}
		}
	}
	call := func(session string) string {
		out, _ := checkrein(`{"session_id":"`+session+`","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make x"}}`, "hook", "claude")
		return out
	}
	if out, code := checkrein("", "install", "claude", "--program", filepath.Join(programs, "checkrein")); code != 0 {
		t.Fatal(out)
	}
	at := state.NewDir(filepath.Join(dir, "home", ".local", "state", "checkrein"))
	book := capability.Book{Dir: at, Secret: ledger.Open(ledger.Options{Dir: at}).SecretFunc(ledger.LabelCaps)}
	known, err := book.Load("claude")
	if err != nil || known.Program.Path != agent || known.Program.Version != "2.1.197" {
		t.Fatalf("install notes %+v, %v", known, err)
	}
	heard := call("a")
	has("before", heard, `"permissionDecision":"deny"`)
	if strings.Contains(heard, "do not rely") {
		t.Errorf("nothing was proven: %s", heard)
	}
	if err := book.Change("claude", func(l *capability.Ledger) {
		l.AddProof(capability.Build{Version: "2.1.197", Program: l.Program, Mode: "headless", Proven: time.Now(), Checkrein: "v1", Rows: map[capability.Row]capability.Result{capability.DenyShell: capability.NotHonoured, capability.Rewrite: capability.Honoured}})
	}); err != nil {
		t.Fatal(err)
	}
	has("a build that does not obey", call("b"), `"permissionDecision":"deny"`, "Claude Code 2.1.197 ran a shell command that was denied when it was proven on", "checkrein prove claude")
	out, code := checkrein("", "status", "claude")
	has("status", out, "✗ Claude Code", "tested", "2.1.197 (headless) on", "1 honoured, 1 not honoured", "ran a shell command that was denied", "passes checkrein prove")
	if code != 1 {
		t.Errorf("status ends with %d", code)
	}
	out, _ = checkrein("", "doctor", "--no-run")
	has("doctor", out, "Claude Code 2.1.197 ran a shell command that was denied, as checkrein prove showed on")
	out, _ = checkrein("", "audit", "query", "--json", "--host", "claude")
	has("the ledger", out, `"dropped":[{`, "ran a shell command that was denied")

	write("bin/package.json", `{"name":"agent","version":"2.1.325"}`)
	start := func(session string) string {
		out, _ := checkrein(`{"session_id":"`+session+`","hook_event_name":"SessionStart","source":"startup"}`, "hook", "claude")
		return out
	}
	has("a session after an update", start("c"), "Claude Code is not proven for this build (proven for 2.1.197, 2.1.325 runs now)")
	if again := start("d"); strings.Contains(again, "not proven") {
		t.Errorf("it is told twice: %s", again)
	}
	if heard := call("e"); strings.Contains(heard, "do not rely") {
		t.Errorf("another build: %s", heard)
	}
	out, code = checkrein("", "status", "claude")
	has("status after an update", out, "proven for 2.1.197, 2.1.325 runs now")
	if code != 0 {
		t.Errorf("status ends with %d after an update", code)
	}
	out, _ = checkrein("", "doctor", "--no-run")
	has("doctor after an update", out, "proven for 2.1.197, 2.1.325 runs now")

	write("home/.local/state/checkrein/caps/claude.json", `{"sum":"00","body":{"host":"claude"}}`)
	has("a forged file", call("f"), `"permissionDecision":"deny"`, "claude.json is not used: it is not as checkrein wrote it on this machine")
	out, _ = checkrein("", "status", "claude")
	has("status with a forged file", out, "claude.json is not used")
}
