package hostlab

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"strconv"
	"time"
)

// A spec is how one host is installed and run, as data.
type spec struct {
	name, pkg, version string
	entry              string // below node_modules; may be a pattern
	node               bool   // Node.js runs the entry
	nodejs             string // the version of Node.js that it gets; "" = that of PATH
	silent             bool   // it does not tell its version
	// program is the name that people have it under, and places are folders below
	// their home where the host's own installer puts it.
	program string
	places  []string
	// delegate is what its tool for sub-agents takes beside a prompt; nil = it offers
	// no such tool.
	delegate map[string]any
	// bridge is a tool that calls those which the model is not offered from the start;
	// "" = there is none.
	bridge  string
	timeout time.Duration

	argv func(s *Space, r Run) []string
	// desk drives the host for a person; empty = nobody knows how.
	desk desk
	// stdin tells that the prompt goes there instead.
	stdin bool
	env   func(s *Space) map[string]string
	// files are those that the host's variables point to, by name in the
	// folder of the lab's own files.
	files func(s *Space) map[string]any
	// settings are what must stand in a file of the user, by its path below
	// the home: for a host that takes it from nowhere else.
	settings func(s *Space) (path string, settings map[string]any)
}

// fakeKey is what hosts take for a key: nobody would.
const fakeKey = "not-a-key"

func specs() []spec {
	return []spec{
		{
			name: "claude", pkg: "@anthropic-ai/claude-code", version: "2.1.325",
			program: "claude", places: []string{".claude/local"},
			delegate: map[string]any{"subagent_type": "general-purpose"},
			entry:    "@anthropic-ai/claude-code-*/claude", timeout: time.Minute,
			argv: claudeArgs, desk: claudeDesk, env: claudeEnv, files: claudeFiles,
		},
		{
			name: "codex", pkg: "@openai/codex", version: "0.166.0",
			program: "codex",
			entry:   "@openai/codex/bin/codex.js", node: true, timeout: time.Minute,
			argv: codexArgs, desk: codexDesk, env: codexEnv,
		},
		{
			name: "gemini", pkg: "@google/gemini-cli", version: "0.61.0",
			program:  "gemini",
			delegate: map[string]any{"agent_name": "generalist"},
			entry:    "@google/gemini-cli/bundle/gemini.js", node: true, timeout: 90 * time.Second,
			argv: geminiArgs, desk: acpDesk("--acp", "-m", "gemini-2.5-pro", "--approval-mode", "yolo"), env: geminiEnv, settings: geminiSettings,
		},
		{
			name: "qwen", pkg: "@qwen-code/qwen-code", version: "0.24.4",
			program:  "qwen",
			delegate: map[string]any{"subagent_type": "general-purpose"},
			bridge:   "tool_call",
			entry:    "@qwen-code/qwen-code/cli.js", node: true, nodejs: "24.9.0", timeout: 2 * time.Minute,
			argv: qwenArgs, desk: acpDesk("--acp", "--yolo"), env: qwenEnv, files: qwenFiles,
		},
		{
			name: "copilot", pkg: "@github/copilot", version: "1.0.102",
			program:  "copilot",
			delegate: map[string]any{"agent_type": "general-purpose", "mode": "sync"},
			entry:    "@github/copilot-*/copilot", timeout: time.Minute,
			argv: copilotArgs, desk: acpDesk("--acp", "--allow-all-tools", "--no-auto-update"), env: copilotEnv, files: copilotFiles,
		},
		{
			name: "opencode", pkg: "opencode-ai", version: "1.18.33",
			program: "opencode", places: []string{".opencode/bin"},
			delegate: map[string]any{"subagent_type": "general"},
			entry:    "opencode-*-*/bin/opencode", timeout: 2 * time.Minute,
			argv: opencodeArgs, desk: acpDesk("acp"), stdin: true, env: opencodeEnv, files: opencodeFiles,
		},
	}
}

// Without an approval in advance a headless Claude Code refuses most calls,
// which would look like a hook's doing.
func claudeArgs(s *Space, r Run) []string {
	args := []string{"-p", r.Prompt, "--allowedTools", "Bash,Read,Write,Edit,Glob,Grep,WebFetch,Agent"}
	if s.tools != nil {
		args[3] += ",mcp__" + ToolServer
		args = append(args, "--mcp-config", s.labFile("mcp.json"), "--strict-mcp-config")
	}
	return args
}

func claudeFiles(s *Space) map[string]any {
	if s.tools == nil {
		return nil
	}
	return map[string]any{"mcp.json": servers(map[string]any{"type": "http", "url": s.tools.url()})}
}

// servers are the settings of the MCP server, as most hosts write them.
func servers(one map[string]any) map[string]any {
	return map[string]any{"mcpServers": map[string]any{ToolServer: one}}
}

// Newer builds have the model search for tools of MCP servers, unless told otherwise; a
// scripted model calls only what it is offered.
func claudeEnv(s *Space) map[string]string {
	return map[string]string{
		"CLAUDE_CONFIG_DIR":                        filepath.Join(s.Home, ".claude"),
		"ANTHROPIC_BASE_URL":                       s.model.URL(),
		"ANTHROPIC_API_KEY":                        fakeKey,
		"ENABLE_TOOL_SEARCH":                       "false",
		"DISABLE_AUTOUPDATER":                      "1",
		"DISABLE_TELEMETRY":                        "1",
		"DISABLE_ERROR_REPORTING":                  "1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
	}
}

// What Codex needs to know goes in as flags, so that the user's configuration
// stays the test's. Its own sandbox cannot start everywhere.
func codexArgs(s *Space, r Run) []string {
	args := []string{"exec", "--skip-git-repo-check", "-s", "danger-full-access"}
	args = append(args, codexConfig(s, r.Untrusted)...)
	if r.Unapproved {
		args = append(args, "--dangerously-bypass-hook-trust")
	}
	return append(args, r.Prompt)
}

// The model is one that this version knows, and offers its patch tool to.
func codexConfig(s *Space, untrusted bool) []string {
	level := "trusted"
	if untrusted {
		level = "untrusted"
	}
	args := []string{
		"-c", `model="gpt-5.5"`,
		"-c", `model_provider="mock"`,
		"-c", `model_providers.mock={name="mock",base_url=` + strconv.Quote(s.model.URL()+"/v1") +
			`,wire_api="responses",env_key="MOCK_KEY",request_max_retries=0,stream_max_retries=0}`,
		"-c", `projects={` + strconv.Quote(s.Project) + `={trust_level="` + level + `"}}`,
		"-c", "analytics.enabled=false",
		"-c", `otel.metrics_exporter="none"`,
		"-c", "features.plugins=false", // it fetches a list of them
		"-c", "check_for_update_on_startup=false",
	}
	if s.tools != nil {
		args = append(args, "-c", "mcp_servers."+ToolServer+"={url="+strconv.Quote(s.tools.url())+"}")
	}
	return args
}

func codexEnv(s *Space) map[string]string {
	return map[string]string{"CODEX_HOME": filepath.Join(s.Home, ".codex"), "MOCK_KEY": fakeKey}
}

// Without a model a router asks first; without yolo there is no shell tool.
func geminiArgs(_ *Space, r Run) []string {
	return []string{"-p", r.Prompt, "-m", "gemini-2.5-pro", "--approval-mode", "yolo"}
}

func geminiEnv(s *Space) map[string]string {
	return map[string]string{
		"GOOGLE_GEMINI_BASE_URL":     s.model.URL(),
		"GEMINI_API_KEY":             fakeKey,
		"GEMINI_CLI_TRUST_WORKSPACE": "true",
		"GEMINI_TELEMETRY_ENABLED":   "false",
		"GEMINI_CLI_NO_RELAUNCH":     "true",
	}
}

// An address of one's own means an account that headless runs do not take,
// unless the settings name another; and settings of the system must be root's.
func geminiSettings(s *Space) (string, map[string]any) {
	need := map[string]any{
		"general":  map[string]any{"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
		"privacy":  map[string]any{"usageStatisticsEnabled": false},
		"security": map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}},
	}
	if s.tools != nil {
		maps.Copy(need, servers(map[string]any{"httpUrl": s.tools.url(), "trust": true}))
	}
	return ".gemini/settings.json", need
}

func qwenArgs(_ *Space, r Run) []string { return []string{"-p", r.Prompt, "--yolo"} }

func qwenEnv(s *Space) map[string]string {
	return map[string]string{
		"OPENAI_BASE_URL":                s.model.URL() + "/v1",
		"OPENAI_API_KEY":                 fakeKey,
		"OPENAI_MODEL":                   "mock-model",
		"QWEN_CODE_NO_RELAUNCH":          "true",
		"QWEN_CODE_SYSTEM_DEFAULTS_PATH": s.labFile("qwen.json"),
	}
}

func qwenFiles(s *Space) map[string]any {
	defaults := map[string]any{
		"general":   map[string]any{"disableAutoUpdate": true, "enableAutoUpdate": false},
		"privacy":   map[string]any{"usageStatisticsEnabled": false},
		"telemetry": map[string]any{"enabled": false},
		"security":  map[string]any{"auth": map[string]any{"selectedType": "openai"}},
	}
	if s.tools != nil {
		maps.Copy(defaults, servers(map[string]any{"httpUrl": s.tools.url(), "trust": true}))
	}
	return map[string]any{"qwen.json": defaults}
}

func copilotArgs(s *Space, r Run) []string {
	args := []string{"-p", r.Prompt, "--allow-all-tools", "--no-auto-update", "--no-color"}
	if !r.Untrusted {
		args = append(args, "--trust-folder")
	}
	if s.tools != nil {
		args = append(args, "--additional-mcp-config", "@"+s.labFile("mcp.json"))
	}
	return args
}

func copilotFiles(s *Space) map[string]any {
	if s.tools == nil {
		return nil
	}
	return map[string]any{"mcp.json": servers(map[string]any{"type": "http", "url": s.tools.url(), "tools": []string{"*"}})}
}

func copilotEnv(s *Space) map[string]string {
	return map[string]string{
		"COPILOT_PROVIDER_BASE_URL": s.model.URL() + "/v1",
		"COPILOT_PROVIDER_API_KEY":  fakeKey,
		"COPILOT_MODEL":             "mock-model",
		"COPILOT_OFFLINE":           "true",
		"COPILOT_AUTO_UPDATE":       "false",
	}
}

// opencode takes the prompt on stdin; it would quote an argument.
func opencodeArgs(*Space, Run) []string { return []string{"run"} }

func opencodeEnv(s *Space) map[string]string {
	return map[string]string{
		"OPENCODE_CONFIG":               s.labFile("opencode.json"),
		"OPENCODE_DISABLE_MODELS_FETCH": "1",
		"OPENCODE_DISABLE_AUTOUPDATE":   "1",
		"OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
		"npm_config_offline":            "true", // else it installs a package at start
	}
}

func opencodeFiles(s *Space) map[string]any {
	remote := ""
	if s.tools != nil {
		remote = `"mcp": {"` + ToolServer + `": {"type": "remote", "enabled": true, "url": ` + strconv.Quote(s.tools.url()) + `}},`
	}
	return map[string]any{"opencode.json": json.RawMessage(`{` + remote + `
		"model": "mock/mock-model", "small_model": "mock/mock-model", "autoupdate": false, "share": "disabled",
		"provider": {"mock": {
			"npm": "@ai-sdk/openai-compatible", "name": "Mock",
			"options": {"baseURL": ` + strconv.Quote(s.model.URL()+"/v1") + `, "apiKey": "` + fakeKey + `"},
			"models": {"mock-model": {"name": "Mock", "limit": {"context": 200000, "output": 8000}}}
		}}
	}`)}
}
