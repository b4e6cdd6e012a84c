package main

import (
	"os"
	"strings"
	"testing"
)

// managedFiles are the files of hosts that only root changes, below /etc.
var managedFiles = map[string]string{
	"claude": "claude-code/managed-settings.json", "codex": "codex/requirements.toml", "gemini": "gemini-cli/settings.json",
	"qwen": "qwen-code/settings.json", "cursor": "cursor/hooks.json", "windsurf": "windsurf/hooks.json",
}

// managedText is what the administrator had in some of them before.
var managedText = map[string]string{
	"claude": "{\n  // ours\n  \"cleanupPeriodDays\": 7\n}\n", "codex": "allowed_approval_policies = [\"on-request\"]\n",
}

func TestInstallMachine(t *testing.T) {
	t.Parallel()
	m := newManagedMachine(t, "version: 1\n")
	file := func(host string) string { return m.etc + "/" + managedFiles[host] }
	for host, text := range managedText {
		if err := os.MkdirAll(file(host)[:strings.LastIndex(file(host), "/")], 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file(host), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const install = "checkrein install --all --scope machine --program $(command -v checkrein)"
	m.checkOutput(install+" --dry-run", "exit 0")
	if _, err := os.Stat(file("gemini")); err == nil {
		t.Fatal("--dry-run wrote a file")
	}
	m.checkOutput(install, "exit 0")
	m.checkOutput(install, "already installed", "exit 0")
	for host := range managedFiles {
		text, err := os.ReadFile(file(host))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "hook "+host); n < 3 || strings.Contains(string(text), "--state") || strings.Contains(string(text), "--config") {
			t.Errorf("%s has %d lines, or names a user's directories:\n%s", host, n, text)
		}
		if info, err := os.Stat(file(host)); err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%s: %v, %v", host, info.Mode(), err)
		}
		m.checkOutput("checkrein status "+host, "machine")
	}
	// The line of the file decides, in the shell in which the host starts it.
	m.checkOutput(`line=$(sed -n 's/^command = //p' /etc/codex/requirements.toml | head -1 | python3 -c 'import json,sys; print(json.loads(sys.stdin.readline()))')
printf '{"session_id":"s","cwd":"%s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"mkfs.ext4 /dev/sda"}}' $PWD | sh -c "$line"`, "deny", "exit 0")
	m.checkOutput("checkrein install claude --program $(command -v checkrein)", "--scope machine", "exit 4")

	if err := os.Remove(file("gemini")); err != nil {
		t.Fatal(err)
	}
	m.checkOutput("checkrein install gemini --scope machine --program $(command -v checkrein)", "exit 0")
	if _, err := os.Stat(file("gemini")); err != nil {
		t.Error(err)
	}

	m.checkOutput("checkrein uninstall --all --scope machine", "exit 0")
	for host := range managedFiles {
		text, err := os.ReadFile(file(host))
		if managedText[host] == "" && err == nil || string(text) != managedText[host] {
			t.Errorf("%s: what remains is %q", host, text)
		}
	}
	m.checkOutput("checkrein install claude --scope machine --walls", "exit 2")
	m.checkOutput("mkdir -m 777 open && cp $(command -v checkrein) $(command -v checkreind) open/ && checkrein install claude --scope machine --program $PWD/open/checkrein", "install --system", "exit 4")
}

func TestInstallMachineNeedsRoot(t *testing.T) {
	t.Parallel()
	if out := systemScript(t, "as checkrein install claude --scope machine --program $old && echo PASSED || echo user $?"); !strings.Contains(out, "user 4\n") {
		t.Errorf("output:\n%s", out)
	}
}
