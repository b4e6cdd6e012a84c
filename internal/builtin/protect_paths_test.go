package builtin

import (
	"encoding/json"
	"testing"

	"github.com/checkrein/checkrein"
)

func TestProtectPaths(t *testing.T) {
	t.Parallel()
	tool := func(name string, input map[string]string) checkrein.Event {
		ev := shellEvent(name, "x", "")
		ev.Tool.Input, _ = json.Marshal(input)
		return ev
	}
	sh := func(command string) checkrein.Event { return shellEvent("Bash", "command", command) }
	denied := []checkrein.Event{
		tool("Write", map[string]string{"file_path": "/home/u/.ssh/authorized_keys"}),
		tool("Edit", map[string]string{"file_path": ".git/hooks/pre-commit"}),
		tool("write_file", map[string]string{"path": "~/.bashrc"}),
		tool("mcp__fs__write_file", map[string]string{"path": "/home/u/.config/checkrein/checkrein.yaml"}),
		tool("mcp__fs__move_file", map[string]string{"source": "a", "destination": "/home/u/.ssh/config"}),
		tool("Write", map[string]string{"file_path": "contracts/a/b.txt"}),
		tool("apply_patch", map[string]string{"input": "*** Begin Patch\n*** Update File: .git/hooks/pre-push\n+x\n*** End Patch"}),
		sh("echo x >> ~/.zshrc"), sh("rm -rf ~/.ssh"), sh("mv k ~/.ssh/id_rsa"), sh("chmod 644 ~/.ssh/id_ed25519"),
		sh("sed -i s/a/b/ ~/.claude/settings.json"), sh("tee ~/.config/checkrein/checkrein.yaml < x"),
		sh("bash -c 'cp x .git/hooks/pre-push'"), sh("ln -sf x ~/.profile"), sh("rm contracts/x"),
	}
	for _, ev := range denied {
		if v := verdictOf(t, "protect_paths", []string{"contracts/**"}, ev); v.Decision != checkrein.Deny {
			t.Errorf("%s %s: %s", ev.Tool.Name, ev.Tool.Input, v.Decision)
		}
	}
	free := []checkrein.Event{
		tool("Read", map[string]string{"file_path": "/home/u/.ssh/config"}),
		tool("Write", map[string]string{"file_path": "src/main.go"}),
		tool("mcp__fs__read_file", map[string]string{"path": "/home/u/.ssh/config"}),
		sh("cat ~/.bashrc"), sh("ls -la ~/.ssh"), sh("grep x ~/.claude/settings.json"), sh("echo hi > notes.txt"), sh("git commit -m 'edit ~/.bashrc'"),
		{Kind: checkrein.PreToolUse}, {Kind: checkrein.PostToolUse, Tool: denied[0].Tool},
	}
	for _, ev := range free {
		if v := verdictOf(t, "protect_paths", []string{"contracts/**"}, ev); v.Decision != checkrein.NoOpinion {
			t.Errorf("%+v: %s %s", ev.Tool, v.Decision, v.Reason)
		}
	}
}
