package cursor

import "github.com/checkrein/checkrein/internal/catalog/hosts"

// Row holds the facts about Cursor that other packages need.
var Row = hosts.Row{
	Rank: 6, Name: "cursor",
	Aliases:      "cursor-agent cursor-cli",
	Files:        []hosts.File{{Path: ".cursor/hooks.json", Where: hosts.Home | hosts.Project}, {Path: "/etc/cursor/hooks.json", Where: hosts.System}},
	ProjectVars:  []string{"CURSOR_PROJECT_DIR"},
	CommandFiles: []hosts.CommandFile{{Path: ".cursor/hooks.json", Keys: "command"}, {Path: ".cursor/mcp.json", Keys: "command"}},
	Starts: []hosts.Start{{
		Programs: "cursor-agent", Env: "CURSOR_CONFIG_DIR", Quiet: "login logout status update mcp ls",
	}},
	Given:        []string{".cursorrules"},
	GivenFolders: []string{".cursor/rules", ".cursor/commands"},
	Installers:   []hosts.Installer{{Domain: "cursor.com", Path: "/install"}},
	Folders:      []string{".cursor"},
	Secrets:      []hosts.Secret{{Path: ".cursor/mcp.json", At: hosts.InFolder}},
	Tools: hosts.Tools{
		Shell: "Shell run_terminal_cmd", Write: "Write", Edit: "edit_file", Search: "grep_search",
	},
}
