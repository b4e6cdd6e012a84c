package hostfiles

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

func TestStartsAreHosts(t *testing.T) {
	t.Parallel()
	for i := range hosts.Starts {
		s := (*Start)(&hosts.Starts[i])
		if !slices.ContainsFunc(hosts.Files[:], func(f hosts.File) bool { return f.Host == s.Host }) {
			t.Errorf("%s has no file", s.Host)
		}
		if s.Text != "" && s.settingsFile(hosts.JSON) == nil || s.Sets != "" && s.settingsFile(hosts.TOML) == nil {
			t.Errorf("%s has an option for settings, but no row that says what they mean", s.Host)
		}
		for _, f := range hosts.Files {
			if f.Host == s.Host && f.Env != "" && !strings.HasPrefix(f.Env, "XDG_") && !containsWord(s.Env, f.Env) {
				t.Errorf("%s moves %s of %s and is not in its row", f.Env, f.Path, s.Host)
			}
		}
	}
}

func TestResolveStart(t *testing.T) {
	t.Parallel()
	tests := []struct{ line, host, rest string }{
		{"claude -p x", "claude", "-p x"},
		{"npx -y @openai/codex@1.2 exec x", "codex", "exec x"},
		{"npx --package=@google/gemini-cli gemini -p x", "gemini", "gemini -p x"},
		{"npx -p opencode-ai opencode run", "opencode", "opencode run"},
		{"node ./node_modules/@qwen-code/qwen-code/cli.js -p x", "qwen", "-p x"},
		{"uvx kimi-cli --config x", "kimi", "--config x"},
		{"docker agent run x", "docker-agent", "run x"},
		{"docker run agent", "", ""},
		{"npx vitest run claude", "", ""},
		{"npm install -g typescript", "", ""},
		{"npx claude --bare", "claude", "--bare"},
		{"node server.js claude", "", ""},
		{"python3 manage.py test", "", ""},
	}
	for _, tt := range tests {
		words := strings.Fields(tt.line)
		s, rest := ResolveStart(words[0], words[1:])
		host := ""
		if s != nil {
			host = s.Host
		}
		if host != tt.host || strings.Join(rest, " ") != tt.rest {
			t.Errorf("%s: %q %q, want %q %q", tt.line, host, rest, tt.host, tt.rest)
		}
	}
}

func TestConfigBypass(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"claude config set disableAllHooks true": true, "claude config set -g disableAllHooks true": true, "claude config remove hooks": true,
		"claude config set hooks.PreToolUse []": true, "claude config set env.CLAUDE_CONFIG_DIR /x": true, "claude config set disableAllHooks \uFFFC": true,
		"claude config set \uFFFC true": true, "claude config set theme dark": false, "claude config set disableAllHooks false": false,
		"claude config get disableAllHooks": false, "claude config list": false, "claude -p config": false, "claude config set env.EDITOR vim": false,
		"copilot config disableAllHooks on": true, "copilot config --repo disableAllHooks true": true, "copilot config trusted_folders /x": true,
		"copilot config --rm trusted_folders /x": true, "copilot config disableAllHooks": false, "copilot config --list": false,
		"copilot config footer.showQuota true": false, "copilot config --rm theme": false,
		"openclaw config set plugins.enabled false": true, `openclaw config set plugins["enabled"] false`: true, "openclaw config set plugins {}": true,
		"openclaw config unset plugins.load": true, "openclaw config unset plugins.entries.checkrein": true, "openclaw config patch --stdin": true,
		"openclaw config set plugins.entries {checkrein:{enabled:false}}": true, "openclaw config set --batch-file x.json": true,
		"openclaw config set plugins.entries.other.enabled true": false, "openclaw config set gateway.port 1": false, "openclaw config get plugins": false,
		"hermes config set hooks.enabled off": true, "hermes config set hooks_auto_accept true": true, "hermes config unset hooks": true,
		"hermes config set model x/y": false, "hermes config get hooks": false, "npx @github/copilot config disableAllHooks true": true,
	} {
		words := strings.Fields(line)
		s, rest := ResolveStart(words[0], words[1:])
		if s == nil {
			t.Errorf("%s: no host", line)
			continue
		}
		if why := s.DescribeBypass(rest, func(string) ([]byte, bool) { return nil, true }); (why != "") != want {
			t.Errorf("%s: %q, want %v", line, why, want)
		}
	}
}

func TestIsAgent(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]bool{
		"claude": true, "/opt/bin/codex|exec": true, "node|/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js": true,
		"/usr/bin/node|--max-old-space-size=4096|/usr/local/bin/gemini": true, "python3|/home/u/.local/bin/hermes|chat": true,
		"node|/srv/app/server.js": false, "python3|-m|http.server": false, "python3|play.py|claude": false, "tmux|new|-s|claude": false,
		"vim|claude": false, "awk|-f|x.awk": false, "node": false, "": false,
	} {
		if got := IsAgent(strings.Split(args, "|")); got != want {
			t.Errorf("%s: %v", args, got)
		}
	}
}
