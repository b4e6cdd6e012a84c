package setup

import (
	"time"

	"github.com/checkrein/checkrein/internal/host/hostlab"
)

// Lab describes how Droid runs in the lab.
var Lab = hostlab.Recipe{
	Name: "droid", Package: "droid", Version: "0.215.0",
	InstallDirs:  []string{".local/bin"},
	DelegateArgs: map[string]any{"subagent_type": "worker", "description": "sub", "await": true},
	Entry:        "@factory/cli-*/bin/droid", Timeout: time.Minute,
	Args: labArgs, Driver: hostlab.Driver{Args: driverArgs, Talk: hostlab.ACPDriver().Talk}, Env: labEnv, Files: labFiles,
}

const settingsName = "droid.json"

func labArgs(s *hostlab.Space, r hostlab.Run) []string {
	return []string{"--settings", s.LabFile(settingsName), "exec", "--skip-permissions-unsafe", "--", r.Prompt}
}

func driverArgs(s *hostlab.Space, _ hostlab.Run) []string {
	return []string{"--settings", s.LabFile(settingsName), "exec", "--output-format", "acp"}
}

func labEnv(*hostlab.Space) map[string]string {
	return map[string]string{"FACTORY_API_KEY": hostlab.FakeKey, "FACTORY_AIRGAP_ENABLED": "true", "FACTORY_DROID_AUTO_UPDATE_ENABLED": "false"}
}

func labFiles(s *hostlab.Space) map[string]any {
	return map[string]any{settingsName: map[string]any{
		"customModels": []any{map[string]any{
			"model": "mock-model", "displayName": "mock", "provider": "generic-chat-completion-api", "maxOutputTokens": 8000,
			"baseUrl": s.Model().URL() + "/v1", "apiKey": hostlab.FakeKey,
		}},
		"sessionDefaultSettings": map[string]any{"model": "custom:mock-model"},
		"enableDroidShield":      false,
	}}
}
