package cline

import "github.com/checkrein/checkrein/internal/catalog/hosts"

// Row holds the facts about Cline that other packages need.
var Row = hosts.Row{
	Rank: 15, Name: "cline",
	Files: []hosts.File{
		{Path: "Documents/Cline/Hooks/*", Glob: true, Where: hosts.Home, Form: hosts.Lines},
		{Path: ".clinerules/hooks/*", Glob: true, Where: hosts.Project, Form: hosts.Lines},
	},
	CommandFiles: []hosts.CommandFile{{Path: "cline_mcp_settings.json", Keys: "command"}},
	Starts: []hosts.Start{{
		Programs: "cline", Packages: "cline", Env: "CLINE_DIR",
		Bare: "--setting=hooks-enabled=false -s=hooks-enabled=false", Moves: "--config", Quiet: "auth version config",
	}},
	GivenFolders: []string{".clinerules"},
	Tools: hosts.Tools{
		Shell: "execute_command", Read: "read_file", Write: "write_to_file", Edit: "replace_in_file",
	},
}
