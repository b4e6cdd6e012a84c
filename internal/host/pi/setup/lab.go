package setup

import (
	"encoding/json"
	"time"

	"github.com/checkrein/checkrein/internal/host/hostlab"
)

// Lab describes how Pi runs in the lab.
var Lab = hostlab.Recipe{
	Name: "pi", Package: "@earendil-works/pi-coding-agent", Version: "0.87.1",
	Entry: "@earendil-works/pi-coding-agent/dist/bundle/cli.js", Node: true, NodeJS: "24.9.0", Timeout: time.Minute,
	Args: labArgs, Driver: hostlab.Driver{Args: driverArgs, Talk: talk}, Env: labEnv, Settings: labSettings,
}

const model = "mock/mock-model"

func labArgs(_ *hostlab.Space, r hostlab.Run) []string {
	return []string{"--model", model, "-p", "--", r.Prompt}
}

func driverArgs(*hostlab.Space, hostlab.Run) []string {
	return []string{"--mode", "rpc", "--model", model}
}

func labEnv(*hostlab.Space) map[string]string {
	return map[string]string{"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"}
}

// labSettings returns the definition of the model, which Pi reads nowhere else.
func labSettings(s *hostlab.Space) (path string, settings map[string]any) {
	return ".pi/agent/models.json", map[string]any{"providers": map[string]any{"mock": map[string]any{
		"baseUrl": s.Model().URL() + "/v1", "api": "openai-completions", "apiKey": hostlab.FakeKey,
		"models": []any{map[string]any{"id": "mock-model"}},
	}}}
}

// talk sends the prompt over Pi's RPC mode and answers the dialogs of extensions until the turn ends.
func talk(t *hostlab.Talk, _ *hostlab.Space, r hostlab.Run) error {
	if err := t.Send(map[string]any{"type": "prompt", "message": r.Prompt}); err != nil {
		return err
	}
	for {
		var line json.RawMessage
		if err := t.ReadNext(&line); err != nil {
			return err
		}
		var m struct{ Type, ID, Method string }
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		switch {
		case m.Type == "agent_settled":
			return nil
		case m.Type == "extension_ui_request" && m.Method == "confirm":
			if err := t.Send(map[string]any{"type": "extension_ui_response", "id": m.ID, "confirmed": t.Ask(line)}); err != nil {
				return err
			}
		}
	}
}
