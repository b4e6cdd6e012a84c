package pi

import "github.com/checkrein/checkrein/internal/catalog/hosts"

// Row holds the facts about Pi that other packages need.
var Row = hosts.Row{
	Rank: 9, Name: "pi",
	Files: []hosts.File{
		{Path: ".pi/agent/extensions/checkrein.js", Where: hosts.Home, Form: hosts.Whole, Env: "PI_CODING_AGENT_DIR", Below: "extensions/checkrein.js"},
		{Path: ".pi/agent/settings.json", Where: hosts.Home, Env: "PI_CODING_AGENT_DIR", Below: "settings.json", Switches: off},
	},
	CommandFiles: []hosts.CommandFile{
		{Path: ".pi/agent/settings.json", Keys: "npmCommand shellPath shellCommandPrefix"}, {Path: ".pi/settings.json", Keys: "npmCommand shellPath shellCommandPrefix"},
	},
	Starts: []hosts.Start{{
		Programs: "pi", Packages: "@earendil-works/pi-coding-agent @mariozechner/pi-coding-agent",
		Env:  "PI_CODING_AGENT_DIR PI_PACKAGE_DIR",
		Bare: "--no-extensions -ne", Quiet: "install remove uninstall update list config auth",
	}},
	Transcripts: []hosts.Transcript{{
		Vars: []hosts.Moved{{Variable: "PI_CODING_AGENT_SESSION_DIR"}, {Variable: "PI_CODING_AGENT_DIR", Below: "sessions"}}, Home: ".pi/agent/sessions",
		Files:   []string{"**/*.jsonl"},
		SameIDs: true, Starts: true,
	}},
	Given:        []string{"AGENTS.md", ".pi/agent/AGENTS.md", ".pi/SYSTEM.md", ".pi/APPEND_SYSTEM.md"},
	GivenFolders: []string{".pi/skills", ".pi/prompts", ".pi/agent/skills", ".pi/agent/prompts"},
	Secrets:      []hosts.Secret{{Path: ".pi/agent/auth.json", At: hosts.InHome}},
	Tools: hosts.Tools{
		Shell: "bash powershell", Read: "read", Write: "write", Edit: "edit",
		List: "ls", Glob: "find", Search: "grep",
	},
}

// off has the setting that loads other extensions, which run after checkrein's, and that can exclude
// checkrein's.
var off = []hosts.Switch{{Path: "extensions", Off: hosts.Changed}}
