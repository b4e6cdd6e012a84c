package qwen

import "github.com/checkrein/checkrein/internal/catalog/hosts"

// Row holds the facts about Qwen Code that other packages need.
var Row = hosts.Row{
	Rank: 7, Name: "qwen",
	Aliases: "qwen-code",
	Files: []hosts.File{
		{Path: ".qwen/settings.json", Where: hosts.Home | hosts.Project, Switches: off},
		{Path: ".qwen/trustedFolders.json", Where: hosts.Home, Form: hosts.Whole},
		{Path: "/etc/qwen-code/settings.json", Where: hosts.System, Switches: off},
	},
	ProjectVars: []string{"QWEN_PROJECT_DIR"},
	CommandFiles: []hosts.CommandFile{
		{Path: ".qwen/settings.json", Keys: "command discoveryCommand callCommand toolDiscoveryCommand toolCallCommand"},
		{Path: "qwen-extension.json", Keys: "command"},
	},
	Starts: []hosts.Start{{
		Programs: "qwen", Packages: "@qwen-code/qwen-code",
		Env:  "QWEN_HOME QWEN_CODE_SYSTEM_SETTINGS_PATH QWEN_CODE_SYSTEM_DEFAULTS_PATH QWEN_CODE_TRUSTED_FOLDERS_PATH",
		Bare: "--bare --safe-mode", Without: "hooks/disable", Quiet: "mcp extensions auth hooks", Starting: "-v",
	}},
	Variables: []hosts.Variable{{Path: ".env"}, {Path: ".qwen/.env"}},
	Transcripts: []hosts.Transcript{{
		Vars: []hosts.Moved{{Variable: "QWEN_RUNTIME_DIR"}, {Variable: "QWEN_HOME"}}, Home: ".qwen",
		Files: []string{"projects/**/*.jsonl", "tmp/*/chats/*.jsonl"},
	}},
	Given:        []string{"QWEN.md", ".qwen/QWEN.md"},
	GivenFolders: []string{".qwen/commands", ".qwen/agents", ".qwen/skills"},
	Secrets:      []hosts.Secret{{Path: ".qwen/oauth_creds.json", At: hosts.InHome}},
	Tools: hosts.Tools{
		Shell: "run_shell_command", Read: "read_file read_many_files", Write: "write_file", Edit: "edit",
		List: "list_directory", Glob: "glob", Search: "grep_search search_file_content",
		Fetch: "web_fetch", Task: "agent task", Todo: "todo_write",
	},
}

var off = []hosts.Switch{
	{Path: "disableAllHooks", Off: hosts.True}, {Path: "hooksConfig.enabled", Off: hosts.False}, {Path: "hooksConfig.disabled", Off: hosts.Lists},
	{Path: "hooks.enabled", Off: hosts.False}, {Path: "hooks.disabled", Off: hosts.Lists},
	{Path: "tools.enableHooks", Off: hosts.False}, {Path: "experimental.enableHooks", Off: hosts.False},
	{Path: "env.*", Off: hosts.Steers},
}
