package droid

import "github.com/checkrein/checkrein/internal/catalog/hosts"

// Row holds the facts about Droid that other packages need.
var Row = hosts.Row{
	Rank: 11, Name: "droid",
	Aliases: "factory factory-droid",
	Files: []hosts.File{
		{Path: ".factory/settings.json", Where: hosts.Home, Env: "FACTORY_HOME_OVERRIDE", Below: ".factory/settings.json", Switches: off},
		{Path: ".factory/settings.local.json", Where: hosts.Home, Env: "FACTORY_HOME_OVERRIDE", Below: ".factory/settings.local.json", Switches: off},
		{Path: ".factory/settings.json", Where: hosts.Project, Switches: off},
		{Path: ".factory/settings.local.json", Where: hosts.Project, Switches: off},
		{Path: ".factory/hooks.json", Where: hosts.Home, Form: hosts.Whole, Env: "FACTORY_HOME_OVERRIDE", Below: ".factory/hooks.json"},
		{Path: ".factory/hooks/hooks.json", Where: hosts.Home, Form: hosts.Whole, Env: "FACTORY_HOME_OVERRIDE", Below: ".factory/hooks/hooks.json"},
		{Path: ".factory/cache/org-managed-settings.json", Where: hosts.Home, Form: hosts.Whole, Env: "FACTORY_HOME_OVERRIDE", Below: ".factory/cache/org-managed-settings.json"},
		{Path: "/etc/factory/settings.json", Where: hosts.System, Switches: off},
		{Path: "/Library/Application Support/Factory/settings.json", Where: hosts.System, Switches: off},
	},
	ProjectVars: []string{"FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR", "DROID_PLUGIN_ROOT"},
	CommandFiles: []hosts.CommandFile{
		{Path: ".factory/settings.json", Keys: "command"}, {Path: ".factory/settings.local.json", Keys: "command"},
		{Path: ".factory/hooks.json", Keys: "command"}, {Path: ".factory/mcp.json", Keys: "command"},
	},
	Starts: []hosts.Start{{
		Programs: "droid", Packages: "droid", Env: "FACTORY_HOME_OVERRIDE FACTORY_RUNTIME_SETTINGS_PATH",
		Text: "--settings", Wires: "hooks", Quiet: "search find update mcp plugin computer doctor help",
	}},
	Transcripts: []hosts.Transcript{{
		Vars: []hosts.Moved{{Variable: "FACTORY_HOME_OVERRIDE", Below: ".factory"}}, Home: ".factory",
		Files:  []string{"sessions/**/*.jsonl"},
		Starts: true,
	}},
	Given:        []string{"AGENTS.md", ".factory/AGENTS.md"},
	GivenFolders: []string{".factory/skills", ".factory/droids", ".factory/commands"},
	Folders:      []string{".factory"},
	Secrets:      []hosts.Secret{{Path: ".factory/auth.v2.file", At: hosts.InHome}, {Path: ".factory/auth.v2.key", At: hosts.InHome}, {Path: ".factory/auth.encrypted", At: hosts.InHome}},
	Tools: hosts.Tools{
		Shell: "Execute", Read: "Read", Write: "Create", Edit: "Edit MultiEdit", Patch: "ApplyPatch", List: "LS", Glob: "Glob",
		Search: "Grep", Fetch: "FetchUrl", WebSearch: "WebSearch", Task: "Task", Todo: "TodoWrite",
	},
}

var off = []hosts.Switch{
	{Path: "hooks.hooksDisabled", Off: hosts.True}, {Path: "hooksDisabled", Off: hosts.True}, {Path: "allowManagedHooksOnly", Off: hosts.True},
}
