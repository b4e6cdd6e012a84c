// Package codex implements the wire of Codex CLI.
//
// Codex discards a whole answer, and runs the tool, if the answer has a single key that Codex does not
// know on the event, a denial without a reason, or an unknown decision. So each event has its own list
// of keys, and encode writes no others.
package codex

import (
	"encoding/json"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Host is Codex CLI.
var Host = wire.Host{
	Name: "codex", Title: "Codex CLI", Version: "0.166.0", Mark: wire.Observed,
	CommandVars: []string{"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"}, // documented; the first two are set only in its sandbox
	About:       "Hooks go in hooks.json or config.toml. Codex silently skips a hook until the user has trusted that exact command line.",
	Dirs:        []string{"workdir"}, PatchTool: "apply_patch",
	TypesUnchecked: true, // write_stdin
	Waits:          600 * time.Second,
	Events:         events, Quirks: quirks,
	Read: read, Encode: encode,
	ReportsRunInput: true, // observed
	HidesRewrites:   true, // see rewrite-stays-hidden
	HookCalls: &wire.HookCalls{
		Event: "PreToolUse", Shell: "Bash", Write: "apply_patch", Patch: true, Unit: time.Second,
		Payload: `{"session_id":"","turn_id":"00000000-0000-0000-0000-000000000001","transcript_path":"","cwd":"","hook_event_name":"",` +
			`"model":"gpt-5.5","permission_mode":"default","tool_name":"","tool_input":{},"tool_use_id":""}`,
	},
}

// read reads a payload. It adds the model and the usage of model requests under the names that
// docker-agent uses.
func read(h *wire.Host, body []byte, name string) wire.Call {
	c := wire.Read(h, body, name)
	if c.Native != "PreModelRequest" && c.Native != "PostModelRequest" || c.Err != nil {
		return c
	}
	ev := &c.Events[0]
	c.AddDetail(ev.Kind, "model_id", rawjson.GetText(body, "model"))
	if took, ok := rawjson.Get(body, "token_usage"); ok && rawjson.Kind(took) == '{' {
		usage := rawjson.Object{'{'}
		for _, k := range [...][2]string{{"input_tokens", "input_tokens"}, {"output_tokens", "output_tokens"}, {"cached_input_tokens", "cached_input_tokens"},
			{"cache_write_input_tokens", "cached_write_tokens"}, {"reasoning_output_tokens", "reasoning_tokens"}} {
			if n, ok := rawjson.Get(took, k[0]); ok {
				usage.Raw(k[1], n)
			}
		}
		usage.Close()
		ev.Details = append(ev.Details, checkrein.Detail{Name: "usage", Value: json.RawMessage(usage)})
	}
	return c
}
