package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// TestFieldsReachHooksOfEveryDialect checks that fields which a host names differently, or which its
// event implies, reach hooks of every dialect under the dialect's names.
func TestFieldsReachHooksOfEveryDialect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		host, payload, dialect string
		kind                   checkrein.Kind
		want                   string // members that the payload must have
	}{
		{"claude", "SubagentStart", "hookmd", checkrein.SubagentStart, `{"subagent_name":"general-purpose","subagent_type":"general-purpose"}`},
		{"claude", "SubagentStop", "docker-agent", checkrein.SubagentStop, `{"agent_name":"general-purpose","parent_session_id":"00000000-0000-0000-0000-000000000000","stop_response":"Sub done."}`},
		{"claude", "Stop", "hookmd", checkrein.Stop, `{"stop_reason":"no_tool_calls","final_message":{"role":"assistant","content":"Finished."}}`},
		{"claude", "Stop", "starchild", checkrein.Stop, `{"response":"Finished.","stop_hook_active":false}`},
		{"claude", "Stop", "docker-agent", checkrein.TurnEnd, `{"reason":"normal"}`},
		{"claude", "StopFailure", "docker-agent", checkrein.OnError, `{"notification_level":"error","notification_message":"API Error: 400 mock bad request"}`},
		{"claude", "PermissionDenied", "docker-agent", checkrein.OnToolApprovalDecision, `{"tool_name":"shell","tool_use_id":"toolu_0001","approval_decision":"deny","approval_source":"auto_mode_deny"}`},
		{"claude", "PostCompact", "docker-agent", checkrein.AfterCompaction, `{"compaction_reason":"manual","summary":"<summary>SUMMARY</summary>"}`},
		{"claude", "SessionStart", "hookmd", checkrein.SessionStart, `{"args":{"ui":"claude"}}`},
		{"claude", "SessionStart", "starchild", checkrein.SessionStart, `{"status":"startup"}`},
		{"claude", "SessionEnd", "hookmd", checkrein.SessionEnd, `{"exit_reason":"other"}`},
		{"claude", "UserPromptSubmit", "starchild", checkrein.UserPromptSubmit, `{"channel":"claude"}`},
		{"claude", "PreToolUse.in-subagent", "docker-agent", checkrein.PreToolUse, `{"agent_name":"general-purpose"}`},
		{"codex", "SessionStart", "hookmd", checkrein.SessionStart, `{"model":"gpt-5","args":{"ui":"codex"}}`},
		{"codex", "PostModelRequest", "docker-agent", checkrein.AfterLLMCall, `{"model_id":"gpt-5","usage":{"input_tokens":100,"output_tokens":10,"cached_input_tokens":0,"cached_write_tokens":0,"reasoning_tokens":0}}`},
		{"codex", "PreModelRequest", "starchild", checkrein.BeforeLLMCall, `{"model":"gpt-5"}`},
		{"qwen", "SessionStart", "hookmd", checkrein.SessionStart, `{"model":"mock-model"}`},
		{"copilot", "subagentStart", "hookmd", checkrein.SubagentStart, `{"subagent_name":"general-purpose","subagent_type":"general-purpose"}`},
		{"copilot", "subagentStop", "docker-agent", checkrein.SubagentStop, `{"agent_name":"general-purpose","parent_session_id":"00000000-0000-4000-8000-000000000001","stop_response":"subdone"}`},
		{"copilot", "Stop", "hookmd", checkrein.Stop, `{"stop_reason":"no_tool_calls"}`},
		{"cursor", "stop", "starchild", checkrein.Stop, `{"stop_hook_active":false}`},
		{"cursor", "stop.aborted", "docker-agent", checkrein.TurnEnd, `{"reason":"canceled"}`},
		{"cursor", "sessionStart", "docker-agent", checkrein.SessionStart, `{"source":"startup"}`},
		{"cursor", "sessionEnd", "hookmd", checkrein.SessionEnd, `{"duration_seconds":1,"exit_reason":"completed"}`},
		{"cursor", "subagentStop", "hookmd", checkrein.SubagentStop, `{"subagent_name":"explore","subagent_type":"explore","task_description":"look around"}`},
		{"cursor", "afterAgentResponse", "docker-agent", checkrein.AfterLLMCall, `{"model_id":"model-x"}`},
		{"kimi", "SubagentStart", "hookmd", checkrein.SubagentStart, `{"subagent_name":"coder","subagent_type":"coder","task_description":"look"}`},
		{"kimi", "SubagentStop", "docker-agent", checkrein.SubagentStop, `{"agent_name":"coder","parent_session_id":"s-1","stop_response":"looked"}`},
		{"kimi", "StopFailure", "docker-agent", checkrein.OnError, `{"notification_level":"error"}`},
		{"hermes", "on_session_start", "hookmd", checkrein.SessionStart, `{"model":"model-x","args":{"ui":"cli","agent":"default"}}`},
		{"hermes", "on_session_start", "docker-agent", checkrein.SessionStart, `{"source":"startup"}`},
		{"hermes", "on_session_end", "starchild", checkrein.SessionEnd, `{"status":"completed"}`},
		{"hermes", "pre_llm_call", "starchild", checkrein.BeforeLLMCall, `{"model":"model-x","last_user_message":"do it"}`},
		{"hermes", "post_llm_call", "docker-agent", checkrein.AfterLLMCall, `{"model_id":"model-x","last_user_message":"do it","stop_response":"Done."}`},
		{"cline", "TaskStart", "hookmd", checkrein.SessionStart, `{"model":"some/model-x"}`},
		{"cline", "TaskStart", "docker-agent", checkrein.SessionStart, `{"source":"startup"}`},
		{"cline", "TaskCancel", "docker-agent", checkrein.TurnEnd, `{"reason":"canceled"}`},
		{"cline", "PreCompact", "docker-agent", checkrein.PreCompact, `{"source":"auto"}`},
		{"opencode", "chat.message@first", "hookmd", checkrein.SessionStart, `{"model":"mock/mock-model","args":{"ui":"opencode","agent":"build"}}`},
		{"opencode", "chat.message@sub-agent", "hookmd", checkrein.SubagentStart, `{"subagent_name":"build","subagent_type":"build"}`},
		{"openclaw", "before_prompt_build.first", "hookmd", checkrein.SessionStart, `{"model":"mock/mock-model","args":{"ui":"openclaw","agent":"main"}}`},
		{"openclaw", "agent_end", "docker-agent", checkrein.TurnEnd, `{"reason":"normal"}`},
		{"openclaw", "message_sending", "starchild", checkrein.OnOutboundMessage, `{"notification":"FINAL: hello","type":"message"}`},
		{"windsurf", "post_cascade_response", "starchild", checkrein.OnResponseEnd, `{"response":"Done.","model":"model-x"}`},
	} {
		t.Run(tt.host+"/"+tt.payload+"/"+tt.dialect, func(t *testing.T) {
			t.Parallel()
			h, _ := Find(tt.host)
			body, err := os.ReadFile(filepath.Join(strings.ReplaceAll(tt.host, "-", ""), "testdata", tt.payload+".json"))
			if err != nil {
				t.Fatal(err)
			}
			name := ""
			if h.OmitsEvent {
				name, _, _ = strings.Cut(tt.payload, ".")
			}
			d, _ := dialect.Lookup(tt.dialect)
			call := h.Read(h, body, name)
			for _, ev := range call.Events {
				if ev.Kind != tt.kind {
					continue
				}
				got, err := d.Encode(ev)
				if err != nil {
					t.Fatal(err)
				}
				rawjson.Each([]byte(tt.want), func(key string, want []byte) bool {
					if val, _ := rawjson.Get(got, key); !rawjson.Equal(val, want) {
						t.Errorf("%s is %s, want %s: %s", key, val, want, got)
					}
					return true
				})
				return
			}
			t.Errorf("%v: no %v", call.Events, tt.kind)
		})
	}
}
