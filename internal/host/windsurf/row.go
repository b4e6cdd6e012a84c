package windsurf

import "github.com/checkrein/checkrein/internal/catalog/hosts"

// Row holds the facts about Windsurf that other packages need.
var Row = hosts.Row{
	Rank: 16, Name: "windsurf",
	CommandFiles: []hosts.CommandFile{
		{Path: "windsurf/hooks.json", Keys: "command powershell"}, {Path: ".windsurf/hooks.json", Keys: "command powershell"},
		{Path: "windsurf/mcp_config.json", Keys: "command"},
	},
	Files: []hosts.File{
		{Path: ".codeium/windsurf/hooks.json", Where: hosts.Home},
		{Path: ".windsurf/hooks.json", Where: hosts.Project},
		{Path: "/etc/windsurf/hooks.json", Where: hosts.System},
	},
	Given:        []string{".windsurfrules"},
	GivenFolders: []string{".windsurf/rules"},
	Tools:        hosts.Tools{Shell: "run_command"},
}
