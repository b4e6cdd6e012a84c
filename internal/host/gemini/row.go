package gemini

import "github.com/checkrein/checkrein/internal/catalog/hosts"

// Row holds the facts about Gemini CLI that other packages need.
var Row = hosts.Row{
	Rank: 3, Name: "gemini",
	Aliases: "gemini-cli",
	Files: []hosts.File{
		{Path: ".gemini/settings.json", Where: hosts.Home | hosts.Project, Switches: off},
		{Path: ".gemini/trustedFolders.json", Where: hosts.Home, Form: hosts.Whole},
		{Path: "/etc/gemini-cli/settings.json", Where: hosts.System, Switches: off},
	},
	ProjectVars: []string{"GEMINI_PROJECT_DIR", "extensionPath", "workspacePath"},
	CommandFiles: []hosts.CommandFile{
		{Path: ".gemini/settings.json", Keys: "command discoveryCommand callCommand toolDiscoveryCommand toolCallCommand"},
		{Path: "gemini-cli/settings.json", Keys: "command discoveryCommand callCommand toolDiscoveryCommand toolCallCommand"},
		{Path: "gemini-extension.json", Keys: "command"},
	},
	Starts: []hosts.Start{{
		Programs: "gemini gemini-cli", Packages: "@google/gemini-cli",
		Env:     "GEMINI_CLI_HOME GEMINI_CLI_SYSTEM_SETTINGS_PATH GEMINI_CLI_SYSTEM_DEFAULTS_PATH GEMINI_CLI_TRUSTED_FOLDERS_PATH",
		Without: "hooks/disable", Quiet: "mcp extensions extension skills hooks",
	}},
	Variables: []hosts.Variable{{Path: ".env"}, {Path: ".gemini/.env"}},
	Transcripts: []hosts.Transcript{{
		Vars: []hosts.Moved{{Variable: "GEMINI_CLI_HOME", Below: ".gemini"}}, Home: ".gemini",
		Files:  []string{"tmp/*/chats/**/*.jsonl"},
		Beside: []string{"tmp/*/chats/**/*.json"},
		Starts: true,
	}},
	Given:        []string{"GEMINI.md", ".gemini/GEMINI.md"},
	GivenFolders: []string{".gemini/commands", ".gemini/agents", ".gemini/skills"},
	Secrets: []hosts.Secret{
		{Path: ".gemini/oauth_creds.json", At: hosts.InHome},
		{Path: ".gemini/oauth_creds.json", At: hosts.InFolder}, {Path: ".gemini/google_accounts.json", At: hosts.InFolder},
	},
	Tools: hosts.Tools{
		Shell: "run_shell_command", Read: "read_file read_many_files", Write: "write_file",
		Edit: "replace", List: "list_directory", Glob: "glob", Search: "grep_search search_file_content",
		Fetch: "web_fetch", WebSearch: "google_web_search", Task: "invoke_agent", Todo: "write_todos",
	},
}

var off = []hosts.Switch{
	{Path: "disableAllHooks", Off: hosts.True}, {Path: "hooksConfig.enabled", Off: hosts.False}, {Path: "hooksConfig.disabled", Off: hosts.Lists},
	{Path: "hooks.enabled", Off: hosts.False}, {Path: "hooks.disabled", Off: hosts.Lists},
	{Path: "tools.enableHooks", Off: hosts.False}, {Path: "experimental.enableHooks", Off: hosts.False},
	{Path: "env.*", Off: hosts.Steers},
}
