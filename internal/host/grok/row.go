package grok

import "github.com/checkrein/checkrein/internal/catalog/hosts"

// Row holds the facts about Grok that other packages need.
var Row = hosts.Row{
	Rank: 10, Name: "grok",
	Files: []hosts.File{
		{Path: ".grok/hooks/checkrein.json", Where: hosts.Home, Env: "GROK_HOME", Below: "hooks/checkrein.json"},
		{Path: ".grok/disabled-hooks", Where: hosts.Home, Form: hosts.Whole, Env: "GROK_HOME", Below: "disabled-hooks"},
		{Path: ".grok/requirements.toml", Where: hosts.Home, Form: hosts.TOML, Env: "GROK_HOME", Below: "requirements.toml", Switches: off},
		{Path: ".grok/managed_config.toml", Where: hosts.Home, Form: hosts.TOML, Env: "GROK_HOME", Below: "managed_config.toml", Switches: off},
		{Path: "/etc/grok/requirements.toml", Where: hosts.System, Form: hosts.TOML, Switches: off},
		{Path: "/etc/grok/managed_config.toml", Where: hosts.System, Form: hosts.TOML, Switches: off},
	},
	CommandFiles: []hosts.CommandFile{
		{Path: ".grok/hooks/*.json", Keys: "command"}, {Path: ".grok/config.toml", Form: hosts.TOML, Keys: "command"},
	},
	Starts: []hosts.Start{{
		Programs: "grok", Packages: "@xai-official/grok", Env: "GROK_HOME GROK_CONFIG GROK_CONFIG_PATH",
		Quiet: "completions doctor du export help inspect login logout mcp memory models plugin sessions trace update usage version",
	}},
	Given:        []string{"AGENTS.md", ".grok/AGENTS.md"},
	GivenFolders: []string{".grok/skills", ".grok/agents"},
	Secrets:      []hosts.Secret{{Path: ".grok/auth.json", At: hosts.InHome}},
	Tools: hosts.Tools{
		Shell: "run_terminal_command monitor", Read: "read_file", Write: "write", Edit: "search_replace",
		List: "list_dir", Search: "grep", Task: "spawn_subagent", Todo: "todo_write",
	},
}

var off = []hosts.Switch{{Path: "allow_managed_hooks_only", Off: hosts.True}, {Path: "allowManagedHooksOnly", Off: hosts.True}}
