package setup

import (
	"time"

	"github.com/checkrein/checkrein/internal/host/hostlab"
)

// Lab describes how GitHub Copilot CLI runs in the lab.
var Lab = hostlab.Recipe{
	Name: "copilot", Package: "@github/copilot", Version: "1.0.102",
	DelegateArgs: map[string]any{"agent_type": "general-purpose", "mode": "sync"},
	Entry:        "@github/copilot-*/copilot", Timeout: time.Minute,
	Args: labArgs, Driver: hostlab.ACPDriver("--acp", "--allow-all-tools", "--no-auto-update"), Env: labEnv, Files: labFiles,
}

func labArgs(s *hostlab.Space, r hostlab.Run) []string {
	args := []string{"-p", r.Prompt, "--allow-all-tools", "--no-auto-update", "--no-color"}
	if !r.Untrusted {
		args = append(args, "--trust-folder")
	}
	if s.ToolsURL() != "" {
		args = append(args, "--additional-mcp-config", "@"+s.LabFile("mcp.json"))
	}
	return args
}

func labEnv(s *hostlab.Space) map[string]string {
	return map[string]string{
		"COPILOT_PROVIDER_BASE_URL": s.Model().URL() + "/v1",
		"COPILOT_PROVIDER_API_KEY":  hostlab.FakeKey,
		"COPILOT_MODEL":             "mock-model",
		"COPILOT_OFFLINE":           "true",
		"COPILOT_AUTO_UPDATE":       "false",
	}
}

func labFiles(s *hostlab.Space) map[string]any {
	if s.ToolsURL() == "" {
		return nil
	}
	return map[string]any{"mcp.json": hostlab.MCPServers(map[string]any{"type": "http", "url": s.ToolsURL(), "tools": []string{"*"}})}
}
