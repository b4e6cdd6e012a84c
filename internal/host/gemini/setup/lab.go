package setup

import (
	"maps"
	"time"

	"github.com/checkrein/checkrein/internal/host/hostlab"
)

// Lab describes how Gemini CLI runs in the lab.
var Lab = hostlab.Recipe{
	Name: "gemini", Package: "@google/gemini-cli", Version: "0.61.0",
	DelegateArgs: map[string]any{"agent_name": "generalist"},
	Entry:        "@google/gemini-cli/bundle/gemini.js", Node: true, Timeout: 90 * time.Second,
	Args: labArgs, Driver: hostlab.ACPDriver("--acp", "-m", "gemini-2.5-pro", "--approval-mode", "yolo"), Env: labEnv, Settings: labSettings,
}

// labArgs returns the arguments of a run. It names a model, because a router would choose one
// otherwise, and sets yolo, because Gemini CLI offers no shell tool otherwise.
func labArgs(_ *hostlab.Space, r hostlab.Run) []string {
	return []string{"-p", r.Prompt, "-m", "gemini-2.5-pro", "--approval-mode", "yolo"}
}

func labEnv(s *hostlab.Space) map[string]string {
	return map[string]string{
		"GOOGLE_GEMINI_BASE_URL":     s.Model().URL(),
		"GEMINI_API_KEY":             hostlab.FakeKey,
		"GEMINI_CLI_TRUST_WORKSPACE": "true",
		"GEMINI_TELEMETRY_ENABLED":   "false",
		"GEMINI_CLI_NO_RELAUNCH":     "true",
	}
}

// labSettings returns the path and contents of the user's settings. They name the kind of account,
// because with a base URL Gemini CLI assumes one that headless runs do not accept. System settings
// would need root.
func labSettings(s *hostlab.Space) (string, map[string]any) {
	need := map[string]any{
		"general":  map[string]any{"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
		"privacy":  map[string]any{"usageStatisticsEnabled": false},
		"security": map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}},
	}
	if s.ToolsURL() != "" {
		maps.Copy(need, hostlab.MCPServers(map[string]any{"httpUrl": s.ToolsURL(), "trust": true}))
	}
	return ".gemini/settings.json", need
}
