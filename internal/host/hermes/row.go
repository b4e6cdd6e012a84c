package hermes

import "github.com/checkrein/checkrein/internal/catalog/hosts"

// Row holds the facts about Hermes Agent that other packages need.
var Row = hosts.Row{
	Rank: 13, Name: "hermes",
	Files: []hosts.File{
		{Path: ".hermes/config.yaml", Where: hosts.Home, Form: hosts.YAML, Env: "HERMES_HOME", Below: "config.yaml", Switches: off},
		{Path: ".hermes/shell-hooks-allowlist.json", Where: hosts.Home, Form: hosts.Whole, Env: "HERMES_HOME", Below: "shell-hooks-allowlist.json"},
	},
	CommandFiles: []hosts.CommandFile{{Path: ".hermes/config.yaml", Form: hosts.YAML, Keys: "command"}},
	Starts: []hosts.Start{{
		Programs: "hermes", Packages: "hermes-agent", Env: "HERMES_HOME", Moves: "--profile", Without: "hooks/revoke",
		Config: "config/set config/unset", Wires: "hooks",
		Quiet: "doctor status update version config model skills hooks",
	}},
	Tools: hosts.Tools{
		Shell: "terminal", Read: "read_file", Write: "write_file", Patch: "patch", Todo: "todo",
	},
}

var off = []hosts.Switch{{Path: "hooks_auto_accept", Off: hosts.Changed}, {Path: "hooks_enabled", Off: hosts.False}, {Path: "hooks.enabled", Off: hosts.False}}
