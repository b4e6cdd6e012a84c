package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// policyPlace creates a directory with a rule and a case about it, and returns a command there.
func policyPlace(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"home/.keep":          "",
		"checkrein.yaml":      "version: 1\nhooks:\n  pre_tool_use:\n    - {name: no-ls, if: {command: {is: ls}}, decision: deny, reason: no}\n",
		"checkrein_test.yaml": "cases:\n  - {command: ls, expect: {answer: denied}}\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(filepath.Join(programs, "checkreind"), args...)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH")}
	return cmd
}

// With --watch, a change of the policy or of the test file is tested at once, a file that is not valid does
// not end it, and Ctrl-C does.
func TestWatchTestsAgain(t *testing.T) {
	t.Parallel()
	cmd := policyPlace(t, "test", "--watch")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	lines := bufio.NewScanner(pipe)
	until := func(word string) (seen string) {
		t.Helper()
		for lines.Scan() {
			seen += lines.Text() + "\n"
			if strings.Contains(lines.Text(), word) {
				return seen
			}
		}
		t.Fatalf("no line with %q in\n%s", word, seen)
		return ""
	}
	change := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(cmd.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := until("watching 1 test file"); !strings.Contains(got, "1 passed") {
		t.Error(got)
	}
	change("checkrein.yaml", "version: 1\nhooks:\n  pre_tool_use:\n    - {name: no-ls, if: {command: {is: ls -la}}, decision: deny, reason: no}\n")
	if got := until("watching 1 test file"); !strings.Contains(got, "1 failed") {
		t.Error(got)
	}
	change("checkrein_test.yaml", "cases: 7\n")
	if got := until("watching 1 test file"); !strings.Contains(got, "1 invalid file") {
		t.Error(got)
	}
	change("checkrein_test.yaml", "cases:\n  - {command: ls -la, expect: {answer: denied}}\n")
	if got := until("watching 1 test file"); !strings.Contains(got, "1 passed") {
		t.Error(got)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// Ctrl-C ends a replay without a report, which would be one of a part of the calls.
func TestReplayInterrupted(t *testing.T) {
	t.Parallel()
	cmd := policyPlace(t, "replay", "--policy", "checkrein.yaml", "--json", "calls.jsonl")
	source := filepath.Join(cmd.Dir, "calls.jsonl")
	var calls bytes.Buffer
	for i := range 100_000 {
		fmt.Fprintf(&calls, `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"cp a-%d b && sh run-%d.sh"}}`+"\n", i, i)
	}
	if err := os.WriteFile(source, calls.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for reads := false; !reads; time.Sleep(time.Millisecond) {
		open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", cmd.Process.Pid))
		if err != nil || cmd.Process.Signal(syscall.Signal(0)) != nil {
			t.Fatal("it ended: ", complaint.String())
		}
		reads = slices.ContainsFunc(open, func(fd string) bool { to, _ := os.Readlink(fd); return to == source })
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if err == nil || out.Len() > 0 || !strings.Contains(complaint.String(), "interrupted") {
		t.Errorf("%v: stdout %q, stderr %q", err, out.String(), complaint.String())
	}
}
