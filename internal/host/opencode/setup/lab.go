package setup

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/checkrein/checkrein/internal/host/hostlab"
)

// Lab describes how OpenCode runs in the lab.
var Lab = hostlab.Recipe{
	Name: "opencode", Package: "opencode-ai", Version: "1.18.33",
	InstallDirs:  []string{".opencode/bin"},
	DelegateArgs: map[string]any{"subagent_type": "general"},
	Entry:        "opencode-*-*/bin/opencode", Timeout: 2 * time.Minute,
	Args: labArgs, Driver: hostlab.ACPDriver("acp"), Stdin: true, Env: labEnv, Files: labFiles,
}

// labArgs returns the arguments of a run. They do not include the prompt, because OpenCode would quote
// it; it is passed on standard input.
func labArgs(*hostlab.Space, hostlab.Run) []string { return []string{"run"} }

func labEnv(s *hostlab.Space) map[string]string {
	return map[string]string{
		"OPENCODE_CONFIG":               s.LabFile("opencode.json"),
		"OPENCODE_DISABLE_MODELS_FETCH": "1",
		"OPENCODE_DISABLE_AUTOUPDATE":   "1",
		"OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
		"npm_config_offline":            "true", // otherwise it installs a package at start
	}
}

func labFiles(s *hostlab.Space) map[string]any {
	remote := ""
	if s.ToolsURL() != "" {
		remote = `"mcp": {"` + hostlab.ToolServer + `": {"type": "remote", "enabled": true, "url": ` + strconv.Quote(s.ToolsURL()) + `}},`
	}
	return map[string]any{"opencode.json": json.RawMessage(`{` + remote + `
		"model": "mock/mock-model", "small_model": "mock/mock-model", "autoupdate": false, "share": "disabled",
		"provider": {"mock": {
			"npm": "@ai-sdk/openai-compatible", "name": "Mock",
			"options": {"baseURL": ` + strconv.Quote(s.Model().URL()+"/v1") + `, "apiKey": "` + hostlab.FakeKey + `"},
			"models": {"mock-model": {"name": "Mock", "limit": {"context": 200000, "output": 8000}}}
		}}
	}`)}
}
