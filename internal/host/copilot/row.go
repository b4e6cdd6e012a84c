package copilot

import "github.com/checkrein/checkrein/internal/catalog/hosts"

// Row holds the facts about Copilot CLI that other packages need.
var Row = hosts.Row{
	Rank: 5, Name: "copilot",
	Aliases: "github-copilot copilot-cli",
	Files: []hosts.File{
		{Path: ".copilot/hooks/checkrein.json", Where: hosts.Home, Env: "COPILOT_HOME", Below: "hooks/checkrein.json"},
		{Path: ".copilot/settings.json", Where: hosts.Home | hosts.Project, Env: "COPILOT_HOME", Below: "settings.json", Switches: off},
		{Path: ".copilot/settings.local.json", Where: hosts.Home | hosts.Project, Env: "COPILOT_HOME", Below: "settings.local.json", Switches: off},
		{Path: ".copilot/config.json", Where: hosts.Home | hosts.Project, Env: "COPILOT_HOME", Below: "config.json", Switches: off},
		{Path: ".github/copilot/settings.json", Where: hosts.Project, Switches: off},
		{Path: ".github/copilot/settings.local.json", Where: hosts.Project, Switches: off},
		{Path: ".github/hooks/*.json", Glob: true, Where: hosts.Project, Switches: off},
	},
	CommandFiles: []hosts.CommandFile{
		{Path: ".copilot/settings.json", Keys: "command bash powershell"}, {Path: ".copilot/config.json", Keys: "command bash powershell"},
		{Path: ".copilot/hooks/*.json", Keys: "command bash powershell"}, {Path: ".github/hooks/*.json", Keys: "command bash powershell"},
		{Path: ".copilot/mcp-config.json", Keys: "command"}, {Path: ".vscode/mcp.json", Keys: "command"},
	},
	Starts: []hosts.Start{{
		Programs: "copilot", Packages: "@github/copilot", Env: "COPILOT_HOME", Moves: "--config-dir",
		Config: "config", Quiet: "login help update version plugin config",
	}},
	Transcripts: []hosts.Transcript{{
		Vars: []hosts.Moved{{Variable: "COPILOT_HOME"}}, Home: ".copilot",
		Files:  []string{"session-state/*/events.jsonl", "session-state/*.jsonl"},
		Starts: true,
	}},
	Given:        []string{".github/copilot-instructions.md", ".copilot/copilot-instructions.md"},
	GivenFolders: []string{".github/instructions", ".github/prompts", ".github/agents", ".copilot/agents"},
	Installers:   []hosts.Installer{{Domain: "gh.io", Path: "/copilot-install"}},
	Secrets:      []hosts.Secret{{Path: ".config/github-copilot/", At: hosts.InHome}, {Path: ".config/github-copilot", At: hosts.Folder}},
	Tools: hosts.Tools{
		Shell: "bash powershell run_in_terminal", Read: "read_file view", Write: "create create_file",
		Edit: "edit insert_edit_into_file multi_replace_string_in_file replace_string_in_file",
		Glob: "glob", Search: "grep", Fetch: "fetch web_fetch", Task: "task",
	},
}

var off = []hosts.Switch{
	{Path: "disableAllHooks", Off: hosts.True}, {Path: "allowManagedHooksOnly", Off: hosts.True},
	{Path: "trusted_folders", Off: hosts.Changed}, {Path: "trustedFolders", Off: hosts.Changed},
}
