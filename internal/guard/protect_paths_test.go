package guard

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
)

func TestProtectPaths(t *testing.T) {
	t.Parallel()
	tool := func(name string, input map[string]string) checkrein.Event {
		ev := guardtest.ShellEvent(name, "x", "")
		ev.Tool.Input, _ = json.Marshal(input)
		return ev
	}
	sh := func(command string) checkrein.Event { return guardtest.ShellEvent("Bash", "command", command) }
	globs := []string{"contracts/**"}
	for want, list := range map[checkrein.Decision][]checkrein.Event{
		checkrein.Deny: {
			tool("mcp__fs__write_file", map[string]string{"path": "/home/u/.config/checkrein/checkrein.yaml"}),
			tool("Write", map[string]string{"file_path": "/home/u/.config/agents/hooks/x/HOOK.md"}),
			tool("Write", map[string]string{"file_path": "contracts/a/b.txt"}),
			tool("Write", map[string]string{"file_path": "/home/u/.claude/settings.json", "content": `{"disableAllHooks": true}`}),
			tool("mcp__fs__write_file", map[string]string{"path": ".gemini/settings.json", "content": `{"hooksConfig": {"enabled": false}}`}),
			sh("sed -i s/a/b/ ~/.claude/settings.json"), sh("tee ~/.config/checkrein/checkrein.yaml < x"), sh("rm contracts/x"), sh(`echo '{"disableAllHooks": true}' > .claude/settings.json`), sh("date > .claude/settings.json"),
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
			sh("echo '{}' > .claude/settings.json"), sh("cat > .gemini/settings.json <<'E'\n{\"theme\": 1}\nE"),
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

// TestProtectPathsGitSettings checks that the guard asks before settings that make Git run a program,
// and that common values pass.
func TestProtectPathsGitSettings(t *testing.T) {
	t.Parallel()
	for want, list := range map[checkrein.Decision][]string{
		checkrein.Ask: {
			"credential.helper ./x", "credential.helper '!f() { cat > /tmp/x; }; f'", "credential.https://github.com.helper /tmp/x", "credential.helper 'store; x'", "core.pager ./x", "core.pager 'less; x'", "core.pager 'less | sh'", "core.pager 'less -o x'", "core.pager 'delta --pager=x'",
			"pager.log 'sh -c x'", "core.editor ./x", "core.editor 'vim -c !x'", "core.editor 'code --wait; x'", "sequence.editor \"sed -i s/pick/drop/\"", "alias.x '!rm a'", "alias.x \"$(cat a)\"", "core.askPass ./x", "gpg.ssh.program ./x", "gpg.program ./x", "gpg.x509.program x",
			"remote.origin.uploadpack ./x", "remote.origin.receivepack 'x git-receive-pack'", "remote.origin.vcs ext", "difftool.x.cmd 'x $LOCAL'", "mergetool.x.cmd 'vim $LOCAL; x'", "mergetool.vim.path /tmp/vim", "core.fsmonitor ./x", "core.hooksPath x", "filter.x.clean x",
			"url.https://evil.example/.insteadOf https://github.com/", "url.\"git@evil.example:\".insteadOf https://gitlab.com/", "url.https://evil.example/.pushInsteadOf git@github.com:", "url.https://github.com.evil.example/.insteadOf https://github.com/", "url.https://github.com@evil.example/.insteadOf https://github.com/", "url.ext::x.insteadOf https://github.com/", "url.https://$A/.insteadOf https://$B/",
		},
		checkrein.NoOpinion: {
			"core.editor vim", "core.editor nano", "core.editor 'code --wait'", "core.editor true", "core.editor", "sequence.editor :", "core.pager cat", "core.pager less", "core.pager delta", "core.pager 'less -FRX'", "core.pager 'diff-so-fancy | less --tabs=4 -RFX'", "core.pager ''", "pager.branch false", "pager.log delta",
			"credential.helper store", "credential.helper cache", "credential.helper osxkeychain", "credential.helper manager", "credential.helper manager-core", "credential.helper libsecret", "credential.helper 'cache --timeout=3600'", "credential.helper ''", "credential.https://github.com.helper '!gh auth git-credential'",
			"alias.co checkout", "alias.lg 'log --oneline --graph'", "url.\"git@github.com:\".insteadOf \"https://github.com/\"", "url.ssh://git@gitlab.example.com/.insteadOf https://gitlab.example.com/", "url.https://github.com/.insteadOf git@github.com:", "url.https://x-access-token@github.com/.insteadOf https://github.com/", "url.https://github.com/.insteadOf gh:",
			"gpg.ssh.program ssh-keygen", "gpg.program gpg2", "gpg.format ssh", "core.fsmonitor true", "difftool.vscode.cmd 'code --wait --diff $LOCAL $REMOTE'", "mergetool.vscode.cmd 'code --wait $MERGED'", "merge.tool vimdiff", "http.proxy http://127.0.0.1:1", "--unset core.editor", "--get core.pager", "get alias.x", "--get-regexp alias", "remote.origin.url https://github.com/a/b", "core.autocrlf input",
		},
	} {
		for _, setting := range list {
			for _, scope := range []string{"", "--global "} {
				command := "git config " + scope + setting
				if strings.HasPrefix(setting, "get ") && scope != "" {
					continue
				}
				if v := verdictOf(t, "protect_paths", nil, guardtest.ShellEvent("Bash", "command", command)); v.Decision != want {
					t.Errorf("%s: %s %s, want %s", command, v.Decision, v.Reason, want)
				}
			}
		}
	}
}
