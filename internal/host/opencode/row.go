package opencode

import "github.com/checkrein/checkrein/internal/catalog/hosts"

// Row holds the facts about OpenCode that other packages need.
var Row = hosts.Row{
	Rank: 4, Name: "opencode",
	Files: []hosts.File{
		{Path: ".config/opencode/opencode.json", Where: hosts.Home, Env: "XDG_CONFIG_HOME", Below: "opencode/opencode.json", Plugins: plugins, Last: true},
		{Path: ".config/opencode/opencode.jsonc", Where: hosts.Home, Env: "XDG_CONFIG_HOME", Below: "opencode/opencode.jsonc", Plugins: plugins, Last: true},
		{Path: ".config/opencode/config.json", Where: hosts.Home, Env: "OPENCODE_CONFIG", Plugins: plugins, Last: true},
		{Path: ".config/opencode/checkrein/plugin.js", Where: hosts.Home, Form: hosts.Whole, Env: "XDG_CONFIG_HOME", Below: "opencode/checkrein/plugin.js"},
		{Path: "opencode.json", Where: hosts.Project, Plugins: plugins, Last: true},
		{Path: "opencode.jsonc", Where: hosts.Project, Plugins: plugins, Last: true},
		{Path: ".opencode/opencode.json", Where: hosts.Project, Plugins: plugins, Last: true},
		{Path: ".opencode/opencode.jsonc", Where: hosts.Project, Plugins: plugins, Last: true},
		{Path: ".checkrein/opencode.js", Where: hosts.Project, Form: hosts.Whole},
	},
	CommandFiles: []hosts.CommandFile{
		{Path: "opencode.json", Keys: "command"}, {Path: "opencode.jsonc", Keys: "command"}, {Path: "opencode/config.json", Keys: "command"},
	},
	Starts: []hosts.Start{{
		Programs: "opencode", Packages: "opencode-ai",
		Env:  "OPENCODE_CONFIG OPENCODE_CONFIG_DIR OPENCODE_CONFIG_CONTENT OPENCODE_PURE OPENCODE_DISABLE_PROJECT_CONFIG",
		Bare: "--pure", Quiet: "auth models upgrade uninstall stats export import debug mcp",
	}},
	Variables: []hosts.Variable{{Path: ".env"}},
	Transcripts: []hosts.Transcript{{
		Vars: []hosts.Moved{{Variable: "XDG_DATA_HOME", Below: "opencode"}}, Home: ".local/share/opencode",
		Files:   []string{"opencode*.db"},
		Beside:  []string{"opencode*.db-wal", "opencode*.db-journal", "opencode*.db-shm", "storage/part/**/*.json"},
		SameIDs: true,
	}},
	Given: []string{"AGENTS.md", ".config/opencode/AGENTS.md"},
	GivenFolders: []string{
		".opencode/command", ".opencode/agent", ".config/opencode/command", ".config/opencode/agent",
	},
	Installers: []hosts.Installer{{Domain: "opencode.ai", Path: "/install"}},
	Hints:      []string{"opencode"},
	Wrappers:   []hosts.Wrapper{{Member: "shell", Session: "CHECKREIN_SESSION", Call: "CHECKREIN_CALL", Own: "OPENCODE_TERMINAL"}},
	Secrets:    []hosts.Secret{{Path: ".local/share/opencode/auth.json", At: hosts.InHome}, {Path: ".config/opencode", At: hosts.Folder}},
	Tools: hosts.Tools{
		Shell: "bash", Read: "read", Write: "write", Edit: "edit", Patch: "apply_patch patch",
		List: "list", Glob: "glob", Search: "grep", Fetch: "webfetch", WebSearch: "websearch",
		Task: "task", Todo: "todowrite",
	},
}

var plugins = []string{"/checkrein/plugin.js", "/.checkrein/opencode.js"}
