package setup

import (
	"encoding/json"
	"time"

	"github.com/checkrein/checkrein/internal/host/hostlab"
)

// Lab describes how Grok runs in the lab.
var Lab = hostlab.Recipe{
	Name: "grok", Package: "@xai-official/grok", Version: "1.0.41",
	InstallDirs:  []string{".grok/bin"},
	DelegateArgs: map[string]any{"description": "sub", "background": false},
	Entry:        "@xai-official/grok/bin/grok", Node: true, Timeout: time.Minute,
	Args: labArgs, Driver: hostlab.ACPDriver("agent", "stdio"), Env: labEnv,
}

func labArgs(_ *hostlab.Space, r hostlab.Run) []string {
	return []string{"--always-approve", "-p", r.Prompt}
}

func labEnv(s *hostlab.Space) map[string]string {
	config := map[string]any{
		"models": map[string]any{"default": "mock", "session_summary": "mock"},
		"model": map[string]any{"mock": map[string]any{
			"model": "mock-model", "name": "Mock", "base_url": s.Model().URL() + "/v1", "context_window": 200000,
		}},
	}
	text, _ := json.Marshal(config) // it has only texts, numbers and maps
	return map[string]string{
		"GROK_CONFIG": string(text), "XAI_API_KEY": hostlab.FakeKey,
		"GROK_MODELS_BASE_URL": s.Model().URL() + "/v1", "GROK_XAI_API_BASE_URL": s.Model().URL() + "/v1",
		"GROK_TELEMETRY_ENABLED": "false", "GROK_DISABLE_AUTOUPDATER": "1", "GROK_FEEDBACK_ENABLED": "false", "GROK_TURN_SUMMARY": "0", "GROK_SESSION_RECAP": "0",
	}
}
