package app_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
)

// Without any configuration, secrets are redacted from everything that is shown to the model or leaves
// as text. A tool's input is never changed.
func TestDefaultPacksRedact(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k, err := app.Open(app.Options{Dir: dir, State: filepath.Join(dir, "state"), Managed: app.NoManaged, Environ: []string{"HOME=" + dir, "PATH=/usr/bin:/bin"}})
	if err != nil {
		t.Fatal(err)
	}
	token := "gh" + "p_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	quoted, _ := json.Marshal("use " + token)
	for _, kind := range []checkrein.Kind{checkrein.PreToolUse, checkrein.BeforeLLMCall, checkrein.ToolResponseTransform, checkrein.OnResponseEnd, checkrein.AfterLLMCall, checkrein.OnOutboundMessage} {
		ev := checkrein.Event{Kind: kind, Text: "use " + token}
		switch kind {
		case checkrein.PreToolUse:
			ev.Tool = &checkrein.Tool{Name: "write_file", Input: json.RawMessage(`{"path":"x","content":` + string(quoted) + `}`)}
		case checkrein.ToolResponseTransform:
			ev.Tool = &checkrein.Tool{Name: "shell", Output: quoted}
		case checkrein.BeforeLLMCall:
			ev.Messages = json.RawMessage(`[{"role":"user","content":` + string(quoted) + `}]`)
		}
		v := k.Decide(t.Context(), ev).Verdict
		got := string(v.Input) + string(v.Output) + string(v.Messages)
		if kind == checkrein.PreToolUse {
			if got != "" {
				t.Errorf("%s: %q", kind, got)
			}
			continue
		}
		if !strings.Contains(got, "[REDACTED") || strings.Contains(got, token) {
			t.Errorf("%s: %q", kind, got)
		}
	}
}
