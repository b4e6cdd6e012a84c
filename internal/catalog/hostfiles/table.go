package hostfiles

// Files are the files of all hosts, in the hosts' order of importance.
var Files = [...]File{
	{Host: "claude", Path: ".claude/settings.json", Where: Home | Project, Env: "CLAUDE_CONFIG_DIR", Below: "settings.json", Gate: "PreToolUse", Switches: claudeOff, Types: claudeTypes},
	{Host: "claude", Path: ".claude/settings.local.json", Where: Home | Project, Env: "CLAUDE_CONFIG_DIR", Below: "settings.local.json", Gate: "PreToolUse", Switches: claudeOff, Types: claudeTypes},
	{Host: "claude", Path: "/etc/claude-code/managed-settings.json", Where: System, Switches: claudeOff},
	{Host: "claude", Path: "/etc/claude-code/managed-settings.d/*", Glob: true, Where: System, Switches: claudeOff},
	{Host: "claude", Path: "/Library/Application Support/ClaudeCode/managed-settings.json", Where: System, Switches: claudeOff},
	{Host: "claude", Path: "C:/Program Files/ClaudeCode/managed-settings.json", Where: System, Switches: claudeOff},
	{Host: "claude", Path: "C:/ProgramData/ClaudeCode/managed-settings.json", Where: System, Switches: claudeOff},

	{Host: "codex", Path: ".codex/hooks.json", Where: Home | Project, Env: "CODEX_HOME", Below: "hooks.json", Placed: true, Types: codexTypes},
	{Host: "codex", Path: ".codex/config.toml", Where: Home | Project, Form: TOML, Env: "CODEX_HOME", Below: "config.toml", Placed: true, Switches: codexOff},
	{Host: "codex", Path: "/etc/codex/*", Glob: true, Where: System, Form: TOML, Switches: codexOff},

	{Host: "gemini", Path: ".gemini/settings.json", Where: Home | Project, Switches: geminiOff},
	{Host: "gemini", Path: ".gemini/trustedFolders.json", Where: Home, Form: Whole},
	{Host: "gemini", Path: "/etc/gemini-cli/settings.json", Where: System, Switches: geminiOff},

	{Host: "opencode", Path: ".config/opencode/opencode.json", Where: Home, Env: "XDG_CONFIG_HOME", Below: "opencode/opencode.json", Plugins: opencodePlugins, Last: true},
	{Host: "opencode", Path: ".config/opencode/opencode.jsonc", Where: Home, Env: "XDG_CONFIG_HOME", Below: "opencode/opencode.jsonc", Plugins: opencodePlugins, Last: true},
	{Host: "opencode", Path: ".config/opencode/config.json", Where: Home, Env: "OPENCODE_CONFIG", Plugins: opencodePlugins, Last: true},
	{Host: "opencode", Path: ".config/opencode/checkrein/plugin.js", Where: Home, Form: Whole, Env: "XDG_CONFIG_HOME", Below: "opencode/checkrein/plugin.js"},
	{Host: "opencode", Path: "opencode.json", Where: Project, Plugins: opencodePlugins, Last: true},
	{Host: "opencode", Path: "opencode.jsonc", Where: Project, Plugins: opencodePlugins, Last: true},
	{Host: "opencode", Path: ".opencode/opencode.json", Where: Project, Plugins: opencodePlugins, Last: true},
	{Host: "opencode", Path: ".opencode/opencode.jsonc", Where: Project, Plugins: opencodePlugins, Last: true},
	{Host: "opencode", Path: ".checkrein/opencode.js", Where: Project, Form: Whole},

	{Host: "copilot", Path: ".copilot/hooks/checkrein.json", Where: Home, Env: "COPILOT_HOME", Below: "hooks/checkrein.json"},
	{Host: "copilot", Path: ".copilot/settings.json", Where: Home | Project, Env: "COPILOT_HOME", Below: "settings.json", Switches: copilotOff},
	{Host: "copilot", Path: ".copilot/settings.local.json", Where: Home | Project, Env: "COPILOT_HOME", Below: "settings.local.json", Switches: copilotOff},
	{Host: "copilot", Path: ".copilot/config.json", Where: Home | Project, Env: "COPILOT_HOME", Below: "config.json", Switches: copilotOff},
	{Host: "copilot", Path: ".github/copilot/settings.json", Where: Project, Switches: copilotOff},
	{Host: "copilot", Path: ".github/copilot/settings.local.json", Where: Project, Switches: copilotOff},
	{Host: "copilot", Path: ".github/hooks/*.json", Glob: true, Where: Project, Switches: copilotOff},

	{Host: "cursor", Path: ".cursor/hooks.json", Where: Home | Project},

	{Host: "qwen", Path: ".qwen/settings.json", Where: Home | Project, Switches: geminiOff},
	{Host: "qwen", Path: ".qwen/trustedFolders.json", Where: Home, Form: Whole},

	{Host: "openclaw", Path: ".openclaw/openclaw.json", Where: Home, Env: "OPENCLAW_STATE_DIR", Below: "openclaw.json", Plugins: openclawPlugins, Switches: openclawOff},
	{Host: "openclaw", Path: ".openclaw/openclaw.json5", Where: Home, Env: "OPENCLAW_CONFIG_PATH", Plugins: openclawPlugins, Switches: openclawOff},
	{Host: "openclaw", Path: ".openclaw/checkrein-plugin/*", Glob: true, Where: Home, Form: Whole, Env: "OPENCLAW_STATE_DIR", Below: "checkrein-plugin/*"},

	{Host: "kimi", Path: ".kimi/config.toml", Where: Home, Form: TOML},
	{Host: "kimi", Path: ".kimi/hooks.toml", Where: Home, Form: TOML, Switches: kimiOff},

	{Host: "hermes", Path: ".hermes/config.yaml", Where: Home, Form: YAML, Env: "HERMES_HOME", Below: "config.yaml", Switches: hermesOff},
	{Host: "hermes", Path: ".hermes/shell-hooks-allowlist.json", Where: Home, Form: Whole, Env: "HERMES_HOME", Below: "shell-hooks-allowlist.json"},

	{Host: "docker-agent", Path: ".config/cagent/hooks.d/checkrein.yaml", Where: Home, Form: Whole, Env: "DOCKER_AGENT_CONFIG_DIR", Below: "hooks.d/checkrein.yaml"},
	{Host: "docker-agent", Path: ".cagent/hooks.d/checkrein.yaml", Where: Home, Form: Whole, Env: "CAGENT_CONFIG_DIR", Below: "hooks.d/checkrein.yaml"},

	{Host: "cline", Path: "Documents/Cline/Hooks/*", Glob: true, Where: Home, Form: Lines},
	{Host: "cline", Path: ".clinerules/hooks/*", Glob: true, Where: Project, Form: Lines},

	{Host: "windsurf", Path: ".codeium/windsurf/hooks.json", Where: Home},
	{Host: "windsurf", Path: ".windsurf/hooks.json", Where: Project},

	{Host: "kiro", Path: ".kiro/agents/*.json", Glob: true, Where: Home | Project},
}

var claudeOff = []Switch{
	{"disableAllHooks", True}, {"allowManagedHooksOnly", True}, {"strictPluginOnlyCustomization", Set},
	{"env.*", Steers}, // what hooks and the shell that starts them run with
}

var claudeTypes = []string{"command", "http", "prompt", "agent", "mcp_tool"}

var codexOff = []Switch{
	{"features.hooks", False}, {"features.codex_hooks", False}, {"profiles.*.features.hooks", False}, {"profiles.*.features.codex_hooks", False},
	{"allow_managed_hooks_only", True}, {"hooks.allow_managed_hooks_only", True}, {"hooks.state", Changed}, {"hooks.enabled", False},
	{"bypass_hook_trust", Set}, {"projects.*.trust_level", Refuses},
}

var codexTypes = []string{"command", "prompt", "agent", "mcp_tool"}

var geminiOff = []Switch{
	{"disableAllHooks", True}, {"hooksConfig.enabled", False}, {"hooksConfig.disabled", Lists}, {"hooks.enabled", False}, {"hooks.disabled", Lists},
	{"tools.enableHooks", False}, {"experimental.enableHooks", False},
	{"env.*", Steers},
}

var opencodePlugins = []string{"/checkrein/plugin.js", "/.checkrein/opencode.js"}

var copilotOff = []Switch{{"disableAllHooks", True}, {"allowManagedHooksOnly", True}, {"trusted_folders", Changed}, {"trustedFolders", Changed}}

var openclawPlugins = []string{"/checkrein-plugin"}

var openclawOff = []Switch{
	{"plugins.enabled", False}, {"plugins.deny", Lists}, {"plugins.allow", Omits}, {"plugins.entries.checkrein", Changed},
}

var kimiOff = []Switch{{"*.enabled", False}, {"*.disabled", Set}, {"disabled", Set}, {"enabled", False}, {"hooks.*.enabled", False}, {"hooks.*.disabled", Set}}

var hermesOff = []Switch{{"hooks_auto_accept", Changed}, {"hooks_enabled", False}, {"hooks.enabled", False}}
