package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// playHost, in the environment of the test binary, makes it a host: it answers
// one event by `checkrein hook NAME`, as a child that has no terminal of its own.
const playHost = "CHECKREIN_TEST_PLAY_HOST"

func asHost(name string) error {
	event, err := os.Open(os.Getenv("EVENT"))
	if err != nil {
		return err
	}
	reply, err := os.Create(os.Getenv("REPLY"))
	if err != nil {
		return err
	}
	cmd := exec.Command("checkrein", "hook", name)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = event, reply, reply
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	_ = cmd.Run() // the reply is all that counts
	return reply.Close()
}

// An ask is sent as one only to a host whose process has a terminal and was not
// told to work alone; for all others checkrein denies instead, and says so.
func TestAskNeedsATerminal(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const (
		why    = "checkrein blocked make deploy: deploys [sure]. "
		remedy = ", so the user was not asked and this is denied. A person can allow it in another terminal: checkrein allow "
	)
	tests := []struct {
		name, host string
		terminal   bool
		args       []string
		mode       string
		want, not  []string
	}{
		{"at a terminal", "claude", true, nil, "default", []string{`"permissionDecision":"ask"`, "checkrein asks about make deploy: deploys [sure]. "}, []string{"blocked", "the user was not asked"}},
		{"without one", "claude", false, nil, "default", []string{`"permissionDecision":"deny"`, why, "Claude Code cannot ask without a terminal", remedy}, nil},
		{"told to print", "claude", true, []string{"-p", "x"}, "default", []string{`"permissionDecision":"deny"`, why, "started with -p", remedy}, nil},
		{"in a mode that asks nothing of its own", "claude", true, nil, "dontAsk", []string{`"permissionDecision":"ask"`, "checkrein asks about make deploy: deploys [sure]. "}, []string{"blocked", "the user was not asked"}},
		{"a host that cannot", "codex", true, nil, "default", []string{`"permissionDecision":"deny"`, why + "Codex CLI cannot ask from a hook" + remedy}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			event, reply := filepath.Join(dir, "event.json"), filepath.Join(dir, "reply")
			rule := "version: 1\nhooks:\n  pre_tool_use:\n    - {name: sure, type: rule, if: {command: {contains: deploy}}, decision: ask, reason: deploys}\n"
			payload := `{"session_id":"s","cwd":"` + filepath.Join(dir, "project") + `","hook_event_name":"PreToolUse","permission_mode":"` + tt.mode + `","tool_name":"Bash","tool_input":{"command":"make deploy"}}`
			for path, text := range map[string]string{event: payload, filepath.Join(dir, ".config", "checkrein", "checkrein.yaml"): rule} {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			host := exec.Command(self, tt.args...)
			host.Dir = dir
			host.Env = []string{"HOME=" + dir, "PATH=" + programs, playHost + "=" + tt.host, "EVENT=" + event, "REPLY=" + reply}
			if tt.terminal {
				startInTerminal(t, host)
			} else {
				host.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
				if err := host.Start(); err != nil {
					t.Fatal(err)
				}
			}
			if err := host.Wait(); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(reply)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if !strings.Contains(string(got), want) {
					t.Errorf("not said: %s\n%s", want, got)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(string(got), not) {
					t.Errorf("said: %s\n%s", not, got)
				}
			}
		})
	}
}
