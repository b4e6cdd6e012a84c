package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/built"
)

// A line without pins goes by the installation that is noted in the home of the user
// id, and not by HOME.
func TestNotedInstallation(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	account, other, project := filepath.Join(dir, "account"), filepath.Join(dir, "other"), filepath.Join(dir, "project")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "checkrein")
	if err := built.For(account, dir, "checkrein", "checkreind"); err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(account, "cfg", "checkrein.yaml"), "version: 1\nhooks:\n  pre_tool_use: [{type: command, command: \"echo noted >&2; exit 2\"}]\n")
	write(filepath.Join(other, ".config", "checkrein", "checkrein.yaml"), "version: 1\npacks: []\n")
	write(filepath.Join(project, "x"), "")
	hears := func() string {
		cmd := exec.Command(filepath.Join(programs, "ashost"), program, "hook", "claude")
		cmd.Dir, cmd.Env = project, []string{"HOME=" + other, "PATH=" + os.Getenv("PATH")}
		cmd.Stdin = strings.NewReader(`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`)
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	if got := hears(); strings.Contains(got, "deny") {
		t.Errorf("without a note HOME counts: %s", got)
	}
	note := filepath.Join(account, ".local", "state", "checkrein", "installed.json")
	write(note, `{"config":"`+filepath.Join(account, "cfg")+`","state":"`+filepath.Join(account, "st")+`"}`)
	if got := hears(); !strings.Contains(got, "noted") {
		t.Errorf("the noted directories do not count: %s", got)
	}
	if _, err := os.Stat(filepath.Join(account, "st", "ledger", "current.jsonl")); err != nil {
		t.Error(err)
	}
	// What an older version installed has records, and no note.
	if err := os.Rename(note, note+".away"); err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(filepath.Dir(note), "install", "claude-user.json"), "{}")
	write(filepath.Join(account, ".config", "checkrein", "checkrein.yaml"), "version: 1\nhooks:\n  pre_tool_use: [{type: command, command: \"echo older >&2; exit 2\"}]\n")
	if got := hears(); !strings.Contains(got, "older") {
		t.Errorf("an older installation does not count: %s", got)
	}
	// A note that leads into the project is not the person's, and shuts the gate.
	write(note, `{"config":"`+filepath.Join(project, "cfg")+`","state":"`+filepath.Join(account, "st")+`"}`)
	if got := hears(); !strings.Contains(got, "are ignored") || !strings.Contains(got, `"deny"`) {
		t.Errorf("a note into the project: %s", got)
	}
}

// startAgent has an agent that starts now call a hook in a directory. What the user's own
// file loosens counts from then on, since no agent was running when it was written.
func startAgent(t *testing.T, dir string, env []string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(programs, "ashost"), filepath.Join(programs, "checkrein"), "hook", "claude")
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdin = strings.NewReader(`{"session_id":"first","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
