package claude

import "github.com/checkrein/checkrein/internal/catalog/hosts"

// Row holds the facts about Claude Code that other packages need.
var Row = hosts.Row{
	Rank: 1, Name: "claude",
	Aliases: "claude-code claudecode",
	Files: []hosts.File{
		{Path: ".claude/settings.json", Where: hosts.Home | hosts.Project, Env: "CLAUDE_CONFIG_DIR", Below: "settings.json", Dialect: "claude", Gate: "PreToolUse", Switches: off, Types: types},
		{Path: ".claude/settings.local.json", Where: hosts.Home | hosts.Project, Env: "CLAUDE_CONFIG_DIR", Below: "settings.local.json", Dialect: "claude", Gate: "PreToolUse", Switches: off, Types: types},
		{Path: "/etc/claude-code/managed-settings.json", Where: hosts.System, Switches: off},
		{Path: "/etc/claude-code/managed-settings.d/*", Glob: true, Where: hosts.System, Switches: off},
		{Path: "/Library/Application Support/ClaudeCode/managed-settings.json", Where: hosts.System, Switches: off},
		{Path: "C:/Program Files/ClaudeCode/managed-settings.json", Where: hosts.System, Switches: off},
		{Path: "C:/ProgramData/ClaudeCode/managed-settings.json", Where: hosts.System, Switches: off},
	},
	ProjectVars: []string{"CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT"},
	CommandFiles: []hosts.CommandFile{
		{Path: ".claude/settings.json", Keys: "command apiKeyHelper awsAuthRefresh awsCredentialExport gcpAuthRefresh otelHeadersHelper headersHelper"},
		{Path: ".claude/settings.local.json", Keys: "command apiKeyHelper awsAuthRefresh awsCredentialExport gcpAuthRefresh otelHeadersHelper headersHelper"},
		{Path: "claude-code/managed-settings.json", Keys: "command apiKeyHelper awsAuthRefresh awsCredentialExport gcpAuthRefresh otelHeadersHelper headersHelper"},
		{Path: ".claude.json", Keys: "command apiKeyHelper awsAuthRefresh awsCredentialExport gcpAuthRefresh otelHeadersHelper headersHelper"},
		{Path: ".mcp.json", Keys: "command apiKeyHelper awsAuthRefresh awsCredentialExport gcpAuthRefresh otelHeadersHelper headersHelper"},
		{Path: "claude_desktop_config.json", Keys: "command"},
		{Path: "hooks/hooks.json", Keys: "command"}, {Path: ".claude-plugin/plugin.json", Keys: "command"},
	},
	Starts: []hosts.Start{{
		Programs: "claude", Packages: "@anthropic-ai/claude-code",
		Env:  "CLAUDE_CONFIG_DIR CLAUDE_CODE_SIMPLE CLAUDE_CODE_SAFE_MODE CLAUDE_CODE_MANAGED_SETTINGS_PATH",
		Bare: "--bare --safe-mode", Text: "--settings", Sources: "--setting-sources",
		Config: "config/set config/add config/remove config/rm", Wires: "hooks",
		Quiet: "mcp plugin plugins update upgrade doctor install setup-token auth config",
	}},
	Transcripts: []hosts.Transcript{{
		Vars: []hosts.Moved{{Variable: "CLAUDE_CONFIG_DIR"}}, Home: ".claude",
		Files: []string{"projects/**/*.jsonl"}, Free: []string{"projects/*/memory"},
		SameIDs: true, Starts: true,
	}},
	Given: []string{"CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"},
	GivenFolders: []string{
		".claude/rules", ".claude/commands", ".claude/skills", ".claude/agents", ".claude/output-styles",
		".claude/agent-memory", ".claude/plugins",
	},
	HookFiles: []hosts.HookFile{
		{Path: ".claude/settings.json", Where: hosts.Home | hosts.Project},
		{Path: ".claude/settings.local.json", Where: hosts.Project},
		{Path: "hooks/hooks.json", Where: hosts.Project}, // of a plugin
	},
	Skills:     []hosts.Skill{{Path: ".claude/skills", Where: hosts.Home | hosts.Project}},
	Installers: []hosts.Installer{{Domain: "claude.ai", Path: "/install.sh"}, {Domain: "claude.ai", Path: "/install.ps1"}},
	Harnesses:  []hosts.Harness{{Name: "claude-code"}},
	Wrappers: []hosts.Wrapper{{
		Variable: "CLAUDE_CODE_SHELL_PREFIX", Session: "CLAUDE_CODE_SESSION_ID", Own: "CLAUDE_PROJECT_DIR", Evals: true, Nul: true,
		Before: []string{"~/.claude/shell-snapshots", "~/.claude/session-env", "$CLAUDE_CONFIG_DIR/shell-snapshots", "$CLAUDE_CONFIG_DIR/session-env", "$CLAUDE_ENV_FILE"},
	}},
	Folders: []string{".claude"},
	Secrets: []hosts.Secret{{Path: ".claude/.credentials.json", At: hosts.InHome},
		{Path: ".claude.json", At: hosts.Named}},
	Tools: hosts.Tools{
		Shell: "Bash PowerShell", Read: "Read", Write: "Write", Edit: "Edit MultiEdit NotebookEdit",
		List: "LS", Glob: "Glob", Search: "Grep", Fetch: "WebFetch", WebSearch: "WebSearch",
		Task: "Agent Task", Todo: "TodoWrite",
	},
}

var off = []hosts.Switch{
	{Path: "disableAllHooks", Off: hosts.True}, {Path: "allowManagedHooksOnly", Off: hosts.True}, {Path: "strictPluginOnlyCustomization", Off: hosts.Set},
	{Path: "env.*", Off: hosts.Steers}, // the environment of hooks and of the shell that starts them
}

var types = []string{"command", "http", "prompt", "agent", "mcp_tool"}
