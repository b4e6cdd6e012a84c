package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestMovedBySession has one call of a session move files and a later one delete them at their new place,
// which counts like deleting them where they were.
// This host cannot ask here, so it denies.
func TestMovedBySession(t *testing.T) {
	t.Parallel()
	p := newVerdictPlace(t)
	config := filepath.Join(p.home, ".config", "checkrein", "checkrein.yaml")
	levels := "version: 1\npacks: [{name: filesystem, medium: ask}]\n" // otherwise the losses are saved
	if err := errors.Join(os.MkdirAll(filepath.Dir(config), 0o700), os.WriteFile(config, []byte(levels), 0o600)); err != nil {
		t.Fatal(err)
	}
	say := func(session, command string) (string, string) {
		input, _ := json.Marshal(map[string]any{"session_id": session, "cwd": p.project, "hook_event_name": "PreToolUse", "tool_name": "Bash",
			"tool_input": map[string]string{"command": command}}) // of strings
		return p.callHook("claude", input)
	}
	for _, tt := range []struct{ name, move, lose, want string }{
		{"the project's source", "mv src /tmp/src-moved", "rm -rf /tmp/src-moved", "deny"},
		{"through another call", "cd src && mv ../package.json /tmp/kept/", "rm -rf /tmp/kept", "deny"},
		{"from code", `python3 -c "import shutil; shutil.move('src', '/tmp/py-moved')"`, "find /tmp/py-moved -delete", "deny"},
		{"what was built", "mv dist /tmp/dist-moved", "rm -rf /tmp/dist-moved", "none"},
		{"something else", "mv src /tmp/src-moved", "rm -rf /tmp/other", "none"},
	} {
		for _, dir := range []string{"/tmp/src-moved", "/tmp/kept", "/tmp/py-moved"} { // what does not exist is not lost
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Remove(dir) })
		}
		session := "6f1d3c1e-8f0a-4f0e-9a57-" + tt.name
		if got, reply := say(session+"-other", tt.lose); got != "none" {
			t.Errorf("%s: %s in a session that moved nothing: %s\n%s", tt.name, tt.lose, got, reply)
		}
		if got, reply := say(session, tt.move); got != "none" {
			t.Errorf("%s: %s: %s\n%s", tt.name, tt.move, got, reply)
		}
		if got, reply := say(session, tt.lose); got != tt.want {
			t.Errorf("%s: %s after %s: %s, want %s\n%s", tt.name, tt.lose, tt.move, got, tt.want, reply)
		}
	}
}
