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
	globs := []string{"contracts/**"}
	for want, list := range map[checkrein.Decision][]checkrein.Event{
		checkrein.Deny: {
			tool("mcp__fs__write_file", map[string]string{"path": "/home/u/.config/checkrein/checkrein.yaml"}),
			tool("Write", map[string]string{"file_path": "/home/u/.config/agents/hooks/x/HOOK.md"}),
			tool("Write", map[string]string{"file_path": "contracts/a/b.txt"}),
			tool("Write", map[string]string{"file_path": "/home/u/.claude/settings.json", "content": `{"disableAllHooks": true}`}),
			tool("mcp__fs__write_file", map[string]string{"path": ".gemini/settings.json", "content": `{"hooksConfig": {"enabled": false}}`}),
			sh("sed -i s/a/b/ ~/.claude/settings.json"), sh("tee ~/.config/checkrein/checkrein.yaml < x"), sh("rm contracts/x"), sh("echo '{}' > .claude/settings.json"),
		},
		checkrein.Ask: {
			tool("Write", map[string]string{"file_path": "/home/u/.ssh/authorized_keys"}),
			tool("Edit", map[string]string{"file_path": ".git/hooks/pre-commit"}),
			tool("write_file", map[string]string{"path": "~/.bashrc"}),
			tool("mcp__fs__move_file", map[string]string{"source": "a", "destination": "/home/u/.ssh/config"}),
			tool("apply_patch", map[string]string{"input": "*** Begin Patch\n*** Update File: .git/hooks/pre-push\n+x\n*** End Patch"}),
			tool("Write", map[string]string{"file_path": "/etc/hosts", "content": "x"}), tool("Write", map[string]string{"file_path": "/etc/cron.d/x", "content": "x"}),
			tool("Write", map[string]string{"file_path": "/home/u/.config/systemd/user/x.service", "content": "x"}), tool("Write", map[string]string{"file_path": "~/.gitconfig", "content": "x"}),
			sh("echo x >> ~/.zshrc"), sh("bash -c 'cp x .git/hooks/pre-push'"), sh("ln -sf x ~/.profile"), sh("echo x > /etc/hosts"), sh("git config core.sshCommand ./x"),
		},
		checkrein.NoOpinion: {
			tool("Write", map[string]string{"file_path": "/home/u/.claude/settings.json", "content": `{"permissions": {"allow": ["Bash"]}}`}),
			tool("Write", map[string]string{"file_path": "/home/u/.claude/plans/x.md"}), tool("Write", map[string]string{"file_path": "~/.claude/CLAUDE.md"}), tool("Write", map[string]string{"file_path": "~/.codex/prompts/x.md"}),
			tool("Write", map[string]string{"file_path": "checkrein.yaml"}), tool("Write", map[string]string{"file_path": ".agents/hooks/x/HOOK.md"}), tool("Write", map[string]string{"file_path": ".husky/pre-commit"}),
			tool("Write", map[string]string{"file_path": "testdata/.claude/settings.json", "content": `{"disableAllHooks": true}`}),
			tool("Write", map[string]string{"file_path": "~/.aws/credentials", "content": "x"}), // there are none to lose
			sh("echo '{}' > testdata/.claude/settings.json"), sh("cat > ~/.claude/plans/x.md"), sh("python3"), sh("chmod 600 ~/.ssh/id_ed25519"), sh("git config user.name x"), sh("git config alias.co checkout"),
		},
	} {
		for _, ev := range list {
			if v := verdictOf(t, "protect_paths", globs, ev); v.Decision != want {
				t.Errorf("%s %s: %s %s, want %s", ev.Tool.Name, ev.Tool.Input, v.Decision, v.Reason, want)
			}
		}
	}
	free := []checkrein.Event{
		tool("Read", map[string]string{"file_path": "/home/u/.ssh/config"}),
		tool("Write", map[string]string{"file_path": "src/main.go"}),
		tool("mcp__fs__read_file", map[string]string{"path": "/home/u/.ssh/config"}),
		sh("cat ~/.bashrc"), sh("ls -la ~/.ssh"), sh("grep x ~/.claude/settings.json"), sh("echo hi > notes.txt"), sh("git commit -m 'edit ~/.bashrc'"),
		{Kind: checkrein.PreToolUse}, {Kind: checkrein.PostToolUse, Tool: sh("rm contracts/x").Tool},
	}
	for _, ev := range free {
		if v := verdictOf(t, "protect_paths", globs, ev); v.Decision != checkrein.NoOpinion {
			t.Errorf("%+v: %s %s", ev.Tool, v.Decision, v.Reason)
		}
	}
}
