package openclaw

import "github.com/checkrein/checkrein/internal/catalog/hosts"

// Row holds the facts about OpenClaw that other packages need.
var Row = hosts.Row{
	Rank: 8, Name: "openclaw",
	Files: []hosts.File{
		{Path: ".openclaw/openclaw.json", Where: hosts.Home, Env: "OPENCLAW_STATE_DIR", Below: "openclaw.json", Plugins: plugins, Switches: off},
		{Path: ".openclaw/openclaw.json5", Where: hosts.Home, Env: "OPENCLAW_CONFIG_PATH", Plugins: plugins, Switches: off},
		{Path: ".openclaw/checkrein-plugin/*", Glob: true, Where: hosts.Home, Form: hosts.Whole, Env: "OPENCLAW_STATE_DIR", Below: "checkrein-plugin/*"},
	},
	CommandFiles: []hosts.CommandFile{{Path: ".openclaw/openclaw.json", Keys: "command"}, {Path: ".openclaw/openclaw.json5", Keys: "command"}},
	Starts: []hosts.Start{{
		Programs: "openclaw", Packages: "openclaw",
		Env:  "OPENCLAW_STATE_DIR OPENCLAW_CONFIG_PATH OPENCLAW_HOME OPENCLAW_PROFILE",
		Bare: "--dev", Moves: "--profile", Without: "agent/exec plugins/disable plugins/uninstall",
		Config: "config/set config/unset config/patch", Wires: "plugins.load.paths",
		Quiet: "status health doctor logs plugins skills models config",
	}},
	Variables: []hosts.Variable{{Path: ".env"}},
	Tools: hosts.Tools{
		Shell: "exec", Read: "read", Write: "write", Edit: "edit", Patch: "apply_patch", List: "ls",
	},
}

var plugins = []string{"/checkrein-plugin"}

var off = []hosts.Switch{
	{Path: "plugins.enabled", Off: hosts.False}, {Path: "plugins.deny", Off: hosts.Lists}, {Path: "plugins.allow", Off: hosts.Omits},
	{Path: "plugins.entries.checkrein", Off: hosts.Changed},
}
