package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/built"
)

// A HOME that a host was started with removes no protection from the home that the system has on
// record.
func TestAccountHome(t *testing.T) {
	p := newVerdictPlace(t)
	account := filepath.Join(filepath.Dir(p.home), "account")
	wired := `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/b/checkrein hook claude --within 590"}]}]}}`
	for name, text := range map[string]string{".bashrc": "x\n", ".ssh/authorized_keys": "x\n", ".claude/settings.json": wired, "notes.txt": "x\n"} {
		file := filepath.Join(account, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bin := t.TempDir()
	if err := built.For(account, bin, "checkrein"); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(bin, "checkrein")
	hear := func(tool string, input map[string]any) (string, string) {
		payload, _ := json.Marshal(map[string]any{"session_id": "s", "cwd": p.project, "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input})
		cmd := exec.Command(program, "hook", "claude")
		cmd.Dir, cmd.Env, cmd.Stdin = p.project, p.env(), strings.NewReader(string(payload))
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return heardIn(out), string(out)
	}
	for _, tt := range []struct{ name, text, want, rule string }{
		{".bashrc", "x", "stopped", "protect/startup-files"},
		{".ssh/authorized_keys", "x", "stopped", "protect/login"},
		{".claude/settings.json", "{}", "stopped", "self/wiring"},
		{".config/checkrein/checkrein.yaml", "x", "stopped", "self/config"},
		{"notes.txt", "x", "none", ""},
	} {
		got, reply := hear("Write", map[string]any{"file_path": filepath.Join(account, tt.name), "content": tt.text})
		if (got == "none") != (tt.want == "none") || !strings.Contains(reply, tt.rule) {
			t.Errorf("write %s: %s, want %s by %s\n%s", tt.name, got, tt.want, tt.rule, reply)
		}
	}
	for command, rule := range map[string]string{
		"cp x " + account + "/.claude/settings.json":           "self/wiring",
		"rm -rf " + account + "/.claude":                       "self/wiring",
		"echo x >> " + account + "/.bashrc":                    "protect/startup-files",
		"cd " + account + " && sed -i d .claude/settings.json": "self/wiring",
	} {
		if got, reply := hear("Bash", map[string]any{"command": command}); got == "none" || !strings.Contains(reply, rule) {
			t.Errorf("%s: %s, want it stopped by %s\n%s", command, got, rule, reply)
		}
	}
}
