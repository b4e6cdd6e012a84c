package kiro

import "github.com/checkrein/checkrein/internal/catalog/hosts"

// Row holds the facts about Kiro CLI that other packages need.
var Row = hosts.Row{
	Rank: 17, Name: "kiro",
	Aliases:      "kiro-cli",
	Files:        []hosts.File{{Path: ".kiro/agents/*.json", Glob: true, Where: hosts.Home | hosts.Project}},
	CommandFiles: []hosts.CommandFile{{Path: ".kiro/agents/*.json", Keys: "command"}, {Path: ".kiro/settings/mcp.json", Keys: "command"}},
	Starts: []hosts.Start{{
		Programs: "kiro-cli", Env: "KIRO_HOME", Quiet: "login logout whoami doctor update settings mcp",
	}},
	Tools: hosts.Tools{Shell: "execute_bash", Read: "fs_read", Write: "fs_write"},
}
