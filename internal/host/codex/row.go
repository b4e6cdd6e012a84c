package codex

import "github.com/checkrein/checkrein/internal/catalog/hosts"

// Row holds the facts about Codex CLI that other packages need.
var Row = hosts.Row{
	Rank: 2, Name: "codex",
	Aliases: "codex-cli openai-codex",
	Files: []hosts.File{
		{Path: ".codex/hooks.json", Where: hosts.Home | hosts.Project, Env: "CODEX_HOME", Below: "hooks.json", Placed: true, Types: types},
		{Path: ".codex/config.toml", Where: hosts.Home | hosts.Project, Form: hosts.TOML, Env: "CODEX_HOME", Below: "config.toml", Placed: true, Switches: off},
		{Path: "/etc/codex/*", Glob: true, Where: hosts.System, Form: hosts.TOML, Switches: off},
	},
	CommandFiles: []hosts.CommandFile{
		{Path: ".codex/config.toml", Form: hosts.TOML, Keys: "command notify"}, {Path: ".codex/hooks.json", Keys: "command"},
		{Path: "codex/config.toml", Form: hosts.TOML, Keys: "command notify"},
	},
	Starts: []hosts.Start{{
		Programs: "codex", Packages: "@openai/codex", Env: "CODEX_HOME",
		Bare: "--ignore-user-config --disable=hooks --disable=codex_hooks", Sets: "-c --config",
		Without: "features/disable", Quiet: "login logout mcp completion sandbox debug features help apply",
	}},
	Transcripts: []hosts.Transcript{{
		Vars: []hosts.Moved{{Variable: "CODEX_HOME"}}, Home: ".codex",
		Files:   []string{"sessions/**/rollout-*.jsonl", "archived_sessions/**/rollout-*.jsonl"},
		SameIDs: true, Starts: true,
	}},
	Given:        []string{"AGENTS.md", "AGENTS.override.md", ".codex/AGENTS.md", ".codex/AGENTS.override.md"},
	GivenFolders: []string{".agents", ".codex/prompts", ".codex/skills", ".codex/memories"},
	Skills:       []hosts.Skill{{Path: ".codex/skills", Where: hosts.Home, Deep: true}},
	Harnesses:    []hosts.Harness{{Name: "codex"}},
	Secrets:      []hosts.Secret{{Path: ".codex/auth.json", At: hosts.InHome}},
	Tools: hosts.Tools{
		Shell: "Bash exec_command local_shell shell shell_command", Patch: "apply_patch",
	},
}

var off = []hosts.Switch{
	{Path: "features.hooks", Off: hosts.False}, {Path: "features.codex_hooks", Off: hosts.False},
	{Path: "profiles.*.features.hooks", Off: hosts.False}, {Path: "profiles.*.features.codex_hooks", Off: hosts.False},
	{Path: "allow_managed_hooks_only", Off: hosts.True}, {Path: "hooks.allow_managed_hooks_only", Off: hosts.True},
	{Path: "hooks.state", Off: hosts.Changed}, {Path: "hooks.enabled", Off: hosts.False},
	{Path: "bypass_hook_trust", Off: hosts.Set}, {Path: "projects.*.trust_level", Off: hosts.Refuses},
}

var types = []string{"command", "prompt", "agent", "mcp_tool"}
