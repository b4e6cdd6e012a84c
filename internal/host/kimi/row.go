package kimi

import "github.com/checkrein/checkrein/internal/catalog/hosts"

// Row holds the facts about Kimi Code CLI that other packages need.
var Row = hosts.Row{
	Rank: 12, Name: "kimi",
	Aliases: "kimi-cli kimi-code",
	Files: []hosts.File{
		{Path: ".kimi/config.toml", Where: hosts.Home, Form: hosts.TOML},
		{Path: ".kimi/hooks.toml", Where: hosts.Home, Form: hosts.TOML, Switches: off},
	},
	CommandFiles: []hosts.CommandFile{
		{Path: ".kimi/config.toml", Form: hosts.TOML, Keys: "command"}, {Path: ".kimi/hooks.toml", Form: hosts.TOML, Keys: "command"},
		{Path: ".kimi/mcp.json", Keys: "command"},
	},
	Starts: []hosts.Start{{
		Programs: "kimi kimi-cli", Packages: "kimi-cli", Env: "KIMI_SHARE_DIR KIMI_CODE_HOME",
		Moves: "--config --config-file", Quiet: "info mcp login logout",
	}},
	Tools: hosts.Tools{
		Shell: "Shell", Read: "ReadFile", Write: "WriteFile", Edit: "StrReplaceFile", Glob: "Glob",
		Search: "Grep",
	},
}

var off = []hosts.Switch{
	{Path: "*.enabled", Off: hosts.False}, {Path: "*.disabled", Off: hosts.Set}, {Path: "disabled", Off: hosts.Set}, {Path: "enabled", Off: hosts.False},
	{Path: "hooks.*.enabled", Off: hosts.False}, {Path: "hooks.*.disabled", Off: hosts.Set},
}
