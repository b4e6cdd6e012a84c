package setup

import (
	"maps"
	"time"

	"github.com/checkrein/checkrein/internal/host/hostlab"
)

// Lab describes how Qwen Code runs in the lab.
var Lab = hostlab.Recipe{
	Name: "qwen", Package: "@qwen-code/qwen-code", Version: "0.24.4",
	DelegateArgs: map[string]any{"subagent_type": "general-purpose"},
	CallerTool:   "tool_call",
	Entry:        "@qwen-code/qwen-code/cli.js", Node: true, NodeJS: "24.9.0", Timeout: 2 * time.Minute,
	Args: labArgs, Driver: hostlab.ACPDriver("--acp", "--yolo"), Env: labEnv, Files: labFiles,
}

func labArgs(_ *hostlab.Space, r hostlab.Run) []string { return []string{"-p", r.Prompt, "--yolo"} }

func labEnv(s *hostlab.Space) map[string]string {
	return map[string]string{
		"OPENAI_BASE_URL":                s.Model().URL() + "/v1",
		"OPENAI_API_KEY":                 hostlab.FakeKey,
		"OPENAI_MODEL":                   "mock-model",
		"QWEN_CODE_NO_RELAUNCH":          "true",
		"QWEN_CODE_SYSTEM_DEFAULTS_PATH": s.LabFile("qwen.json"),
	}
}

func labFiles(s *hostlab.Space) map[string]any {
	defaults := map[string]any{
		"general":   map[string]any{"disableAutoUpdate": true, "enableAutoUpdate": false},
		"privacy":   map[string]any{"usageStatisticsEnabled": false},
		"telemetry": map[string]any{"enabled": false},
		"security":  map[string]any{"auth": map[string]any{"selectedType": "openai"}},
	}
	if s.ToolsURL() != "" {
		maps.Copy(defaults, hostlab.MCPServers(map[string]any{"httpUrl": s.ToolsURL(), "trust": true}))
	}
	return map[string]any{"qwen.json": defaults}
}
