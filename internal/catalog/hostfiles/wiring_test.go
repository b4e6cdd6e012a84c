package hostfiles

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

func findRow(t *testing.T, host, path string) *File {
	t.Helper()
	for i := range hosts.Files {
		if hosts.Files[i].Host == host && hosts.Files[i].Path == path {
			return (*File)(&hosts.Files[i])
		}
	}
	t.Fatalf("no row for %s %s", host, path)
	return nil
}

const claudeText = `{
  // mine
  "model": "opus",
  "permissions": {"allow": ["Bash(ls)"]},
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "lint.sh"}]},
      {"hooks": [{"type": "command", "command": "/opt/checkrein hook claude --within 590 || exit 2", "timeout": 600}]},
    ],
    "Stop": [{"hooks": [{"type": "command", "command": "/opt/checkrein hook claude --within 590", "timeout": 600}]}]
  }
}
`

const codexTrust = "model = \"gpt\"\n[features]\nweb = true\n[hooks.state.\"/h/.codex/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:aa\"\n"

const codexHooks = `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/opt/checkrein hook codex --within 590","timeout":600}]}]}}`

const opencodeText = `{"$schema": "x", "plugin": ["a", "./checkrein/plugin.js"]}`

// TestDescribeChange checks that only changes of checkrein's entries and of the settings that affect
// them are described.
func TestDescribeChange(t *testing.T) {
	t.Parallel()
	replace := func(text, old, to string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("%q is not in the text", old)
		}
		return strings.Replace(text, old, to, 1)
	}
	tests := []struct {
		host, path    string
		before, after string // "-" = no file
		want          string // a part of the description; "" if there is none
	}{
		{"claude", ".claude/settings.json", claudeText, claudeText, ""},
		{"claude", ".claude/settings.json", claudeText, replace(claudeText, `"Bash(ls)"`, `"Bash(ls)", "Bash(make)"`), ""},
		{"claude", ".claude/settings.json", claudeText, replace(claudeText, "// mine", "/* yours */"), ""},
		{"claude", ".claude/settings.json", claudeText, replace(claudeText, "lint.sh", "other.sh"), ""},
		{"claude", ".claude/settings.json", claudeText, replace(claudeText, `{"type": "command", "command": "/opt/checkrein hook claude --within 590 || exit 2", "timeout": 600}`, `{"timeout": 600, "command": "/opt/checkrein hook claude --within 590 || exit 2", "type": "command"}`), ""},
		{"claude", ".claude/settings.json", claudeText, replace(claudeText, `"Stop": [`, `"Stop": [{"hooks": [{"type": "command", "command": "say.sh"}]}, `), ""},
		{"claude", ".claude/settings.json", "-", `{"permissions": {}}`, ""},
		{"claude", ".claude/settings.json", claudeText, replace(claudeText, "// mine", `"env": {"LD_PRELOAD": "/tmp/x.so"},`), "env.LD_PRELOAD"},
		{"claude", ".claude/settings.json", "-", `{"env": {"BASH_ENV": "/tmp/x"}}`, "env.BASH_ENV"},
		{"claude", ".claude/settings.json", "-", `{"env": {"CLAUDE_CONFIG_DIR": "/tmp/x"}}`, "env.CLAUDE_CONFIG_DIR"},
		{"qwen", ".qwen/settings.json", "-", `{"env": {"DYLD_INSERT_LIBRARIES": "x"}}`, "env.DYLD_INSERT_LIBRARIES"},
		{"claude", ".claude/settings.json", "-", `{"env": {"EDITOR": "vi", "NODE_ENV": "test"}}`, ""},
		{"claude", ".claude/settings.json", `{"hooks": {}}`, "-", ""},
		{"claude", ".claude/settings.json", `{"disableAllHooks": true}`, `{"disableAllHooks": true, "model": "x"}`, ""},
		{"claude", ".claude/settings.json", claudeText, "-", "hooks.PreToolUse"},
		{"claude", ".claude/settings.json", claudeText, "{}", "hooks.PreToolUse"},
		{"claude", ".claude/settings.json", claudeText, "", "hooks.PreToolUse"},
		{"claude", ".claude/settings.json", claudeText, "{", "cannot read"},
		{"claude", ".claude/settings.json", claudeText, replace(claudeText, `"model"`, `"disableAllHooks": true, "model"`), "disableAllHooks"},
		{"claude", ".claude/settings.json", "-", `{"disableAllHooks": true}`, "disableAllHooks"},
		{"claude", ".claude/settings.json", "-", `{"disableAllHooks": "true"}`, "disableAllHooks"},
		{"claude", ".claude/settings.json", claudeText, replace(claudeText, "--within 590 || exit 2", "--within 590"), "hooks.PreToolUse"},
		{"claude", ".claude/settings.json", claudeText, replace(claudeText, "/opt/checkrein", "/tmp/checkrein"), "hooks.PreToolUse"},
		{"claude", ".claude/settings.json", claudeText, replace(claudeText, `{"hooks": [{"type": "command", "command": "/opt`, `{"matcher": "Never", "hooks": [{"type": "command", "command": "/opt`), "hooks.PreToolUse"},
		{"claude", ".claude/settings.json", claudeText, replace(claudeText, `"timeout": 600}`, `"timeout": 600, "async": true}`), "hooks.PreToolUse"},
		{"claude", ".claude/settings.json", replace(claudeText, `"timeout": 600}`, `"timeout": 600, "onFailure": "block"}`), claudeText, "hooks.PreToolUse"},
		{"claude", ".claude/settings.json", claudeText, replace(claudeText, `"PreToolUse"`, `"PreToolUsed"`), "hooks.PreToolUse"},
		{"claude", ".claude/settings.json", claudeText, replace(claudeText, `"hooks": {`, `"hooks": {}, "hooks": {`), "twice"},
		{"claude", ".claude/settings.json", claudeText, replace(claudeText, `"type": "command", "command": "lint.sh"`, `"type": "nonsense"`), "nonsense"},
		{"claude", ".claude/settings.json", claudeText, replace(claudeText, `"model"`, `"env": {"XDG_CONFIG_HOME": "/tmp"}, "model"`), "XDG_CONFIG_HOME"},
		{"codex", ".codex/config.toml", codexTrust, replace(codexTrust, `"gpt"`, `"other"`), ""},
		{"codex", ".codex/config.toml", codexTrust, codexTrust + "[mcp_servers.x]\ncommand = \"y\"\n", ""},
		{"codex", ".codex/config.toml", codexTrust, replace(codexTrust, "web = true", "hooks = false"), "features.hooks"},
		{"codex", ".codex/config.toml", codexTrust, "features = { hooks = false }\n" + codexTrust, "features.hooks"},
		{"codex", ".codex/config.toml", codexTrust, "profiles.x.features.hooks = false\n" + codexTrust, "profiles.x.features.hooks"},
		{"codex", ".codex/config.toml", codexTrust, replace(codexTrust, "sha256:aa", "sha256:bb"), "hooks.state"},
		{"codex", ".codex/config.toml", codexTrust, "-", "hooks.state"},
		{"codex", ".codex/config.toml", "-", "model = \"x\"\n", ""},
		{"codex", ".codex/hooks.json", codexHooks, replace(codexHooks, `]}]}}`, `]},{"hooks":[{"type":"command","command":"x"}]}]}}`), ""},
		{"codex", ".codex/hooks.json", codexHooks, replace(codexHooks, `"PreToolUse":[`, `"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]},`), "PreToolUse"},
		{"gemini", ".gemini/settings.json", "{}", `{"hooksConfig": {"disabled": ["checkrein"]}}`, "hooksConfig.disabled"},
		{"gemini", ".gemini/settings.json", "{}", `{"hooksConfig": {"disabled": ["other"]}}`, ""},
		{"gemini", ".gemini/settings.json", "{}", `{"hooksConfig": {"enabled": false}}`, "hooksConfig.enabled"},
		{"gemini", ".gemini/trustedFolders.json", "{}", `{"/x": "TRUST_FOLDER"}`, "dialog"},
		{"qwen", ".qwen/settings.json", "{}", `{"disableAllHooks": true}`, "disableAllHooks"},
		{"opencode", ".config/opencode/opencode.json", opencodeText, replace(opencodeText, `"a"`, `"a", "b"`), ""},
		{"opencode", ".config/opencode/opencode.json", opencodeText, replace(opencodeText, `"$schema"`, `"model": "m", "$schema"`), ""},
		{"opencode", ".config/opencode/opencode.json", opencodeText, replace(opencodeText, `js"`, `js", "b"`), "put it before"},
		{"opencode", ".config/opencode/opencode.json", opencodeText, replace(opencodeText, `, "./checkrein/plugin.js"`, ``), "plugin"},
		{"opencode", ".config/opencode/checkrein/plugin.js", "x", "y", "only checkrein"},
		{"copilot", ".copilot/config.json", `{"trusted_folders": ["/a"]}`, `{"trusted_folders": []}`, "trusted_folders"},
		{"copilot", ".copilot/config.json", `{"trusted_folders": ["/a"]}`, `{"trusted_folders": ["/a"], "model": "m"}`, ""},
		{"hermes", ".hermes/config.yaml", "hooks:\n  pre_tool_call:\n    - command: checkrein hook hermes\n      timeout: 3\n", "hooks: {}\n", "pre_tool_call"},
		{"hermes", ".hermes/config.yaml", "hooks:\n  pre_tool_call:\n    - command: checkrein hook hermes\n", "model: x\nhooks:\n  pre_tool_call:\n    - command: checkrein hook hermes\n", ""},
		{"kimi", ".kimi/config.toml", "[[hooks]]\nevent = \"a\"\ncommand = \"checkrein hook kimi\"\n", "x = 1\n", "hooks"},
		{"kimi", ".kimi/config.toml", "[[hooks]]\nevent = \"a\"\ncommand = \"checkrein hook kimi\"\n", "x = 1\n[[hooks]]\nevent = \"a\"\ncommand = \"checkrein hook kimi\"\n", ""},
		{"cursor", ".cursor/hooks.json", `{"hooks":{"a":[{"command":"checkrein hook cursor"}]}}`, `{"hooks":{"a":[{"command":"checkrein hook cursor"}],"b":[{"command":"x"}]}}`, ""},
		{"cline", ".clinerules/hooks/*", "#!/bin/sh\nexec checkrein hook cline\n", "#!/bin/sh\n", "checkrein's entry"},
		{"cline", ".clinerules/hooks/*", "-", "#!/bin/sh\n", ""},
	}
	for _, tt := range tests {
		text := func(s string) []byte {
			if s == "-" {
				return nil
			}
			return []byte(s)
		}
		got := findRow(t, tt.host, tt.path).DescribeChange(text(tt.before), text(tt.after))
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s %s:\n%s\n→\n%s\nsaid %q, want %q", tt.host, tt.path, tt.before, tt.after, got, tt.want)
		}
	}
}

func TestFindFile(t *testing.T) {
	t.Parallel()
	getenv := func(name string) string {
		if name == "CODEX_HOME" {
			return "/srv/codex"
		}
		return ""
	}
	for _, tt := range []struct {
		path, host string
		near       bool
	}{
		{"/home/u/.claude/settings.json", "claude", true}, {"/w/p/.claude/settings.json", "claude", true}, {"/w/p/test/.claude/settings.json", "claude", false},
		{"/w/p/.claude/plans/settings.json", "", false}, {"/srv/codex/config.toml", "codex", true}, {"/home/u/.openclaw/checkrein-plugin/index.js", "openclaw", true},
		{"/home/u/.openclaw/other/index.js", "", false}, {"/etc/claude-code/managed-settings.json", "claude", true}, {"/w/p/opencode.json", "opencode", true},
		{"/w/p/.github/hooks/checkrein.json", "copilot", true}, {"/home/u/.claude/CLAUDE.md", "", false}, {"/w/p/.kiro/agents/a.json", "kiro", true},
	} {
		f, near := FindFile(tt.path, "/home/u", getenv, "/w/p")
		host := ""
		if f != nil {
			host = f.Host
		}
		if host != tt.host || near != tt.near {
			t.Errorf("%s: %q %v, want %q %v", tt.path, host, near, tt.host, tt.near)
		}
	}
}

func FuzzDescribeChange(f *testing.F) {
	f.Add([]byte(claudeText), []byte("{}"))
	f.Add([]byte(codexTrust), []byte("x = 1"))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		for i := range hosts.Files {
			(*File)(&hosts.Files[i]).DescribeChange(before, after)
			if got := (*File)(&hosts.Files[i]).DescribeChange(before, before); got != "" && before != nil {
				t.Errorf("%s: the same text %s", hosts.Files[i].Path, got)
			}
		}
	})
}

func TestOwnProgram(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		UnsetPrefix() + "/opt/checkrein hook claude --within 5 --config /c --state /s; exit $?": true,
		"checkrein hook claude": true,
		"'/opt/a b/checkrein' hook codex --within 5 || { echo x >&2; exit 2; }": true,
		"exec /opt/checkrein hook gemini":                                       true,
		"/opt/renamed hook qwen --within 5":                                     true,
		"./hook claude":                                                         false, "git hook run x": false, "echo checkrein hook claude": false, "checkrein hook": false,
		"checkrein scan -": false, "hook hook": false, "": false, "sh -c 'checkrein hook claude'": false,
	} {
		if got := IsOwnCommand(line); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

// TestChangedHookCommand checks that a hook command counts as changed if it has other directories, or
// lacks its end or its variables.
func TestChangedHookCommand(t *testing.T) {
	t.Parallel()
	line := UnsetPrefix() + "/b/checkrein hook %s --within 590 --config /home/pat/.config/checkrein --state /home/pat/.local/state/checkrein && exit; echo x >&2; exit 2"
	files := []struct{ host, path, text string }{
		{"claude", ".claude/settings.local.json", `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"LINE"}]}]}}`},
		{"codex", ".codex/hooks.json", `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"LINE"}]}]}}`},
		{"kimi", ".kimi/config.toml", "[[hooks]]\nevent = \"PreToolUse\"\ncommand = \"LINE\"\n"},
		{"hermes", ".hermes/config.yaml", "hooks:\n  pre_tool_call:\n    - command: \"LINE\"\n"},
		{"cline", ".clinerules/hooks/*", "#!/bin/sh\nLINE\n"},
	}
	for _, f := range files {
		row := findRow(t, f.host, f.path)
		with := func(line string) []byte {
			return []byte(strings.Replace(f.text, "LINE", strings.Replace(line, "%s", f.host, 1), 1))
		}
		if !row.HasEntries(with(line)) || row.DescribeChange(with(line), with(line)) != "" {
			t.Errorf("%s: the line is not ours", f.host)
		}
		for _, change := range [][2]string{{"--config /home/pat/.config", "--config /tmp"}, {"--state /home/pat", "--state /tmp"}, {"exit 2", "exit 0"}, {"&& exit; echo x >&2; exit 2", "|| true"}, {UnsetPrefix(), "GOMAXPROCS=1 "}, {UnsetPrefix(), ""}} {
			if got := row.DescribeChange(with(line), with(strings.Replace(line, change[0], change[1], 1))); !strings.Contains(got, "removes or changes checkrein's entry") {
				t.Errorf("%s, %q for %q: %q", f.host, change[1], change[0], got)
			}
		}
	}
}

// TestGlobIsSet checks that Glob is set for paths with a *, so that callers need not search each path.
func TestGlobIsSet(t *testing.T) {
	t.Parallel()
	for i := range hosts.Files {
		f := &hosts.Files[i]
		if f.Glob != strings.Contains(f.Path, "*") || f.Below != "" && f.Glob != strings.Contains(f.Below, "*") {
			t.Errorf("%s: Glob is %v", f.Path, f.Glob)
		}
	}
}
