package starchild

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/payload"
)

var session = checkrein.Session{ID: "s", Dir: "/w", Agent: "a"}

// call is a tool call of some host.
func call(name, input string) checkrein.Event {
	t := &checkrein.Tool{Name: name, Canonical: tools.CanonicalTool(name)}
	if input != "" {
		t.Input = json.RawMessage(input)
	}
	return checkrein.Event{Kind: checkrein.PreToolUse, Session: session, Tool: t}
}

// eventWith returns an event with details.
func eventWith(kind checkrein.Kind, text string, details ...string) checkrein.Event {
	ev := checkrein.Event{Kind: kind, Session: session, Text: text}
	for i := 0; i < len(details); i += 2 {
		ev.Details = append(ev.Details, checkrein.Detail{Name: details[i], Value: json.RawMessage(details[i+1])})
	}
	return ev
}

func payloadOf(event, rest string) string {
	return `{"event":"` + event + `","session_id":"s","agent_id":"a","cwd":"/w"` + rest + `}`
}

// TestEncodeEvents checks the payloads in the table of starchild's documentation.
func TestEncodeEvents(t *testing.T) {
	t.Parallel()
	result := func(kind checkrein.Kind, tool, out string, failed bool) checkrein.Event {
		ev := call(tool, `{"command":"ls"}`)
		ev.Kind, ev.Tool.Output, ev.Tool.Failed = kind, json.RawMessage(out), failed
		return ev
	}
	messages := eventWith(checkrein.BeforeLLMCall, "", "model_id", `"p/m"`, "iteration", `1`)
	messages.Messages = json.RawMessage(`[{"role":"system","content":"be good"},{"role":"system","multi_content":[{"type":"text","text":"be brief"}]},{"role":"user","content":"one"},
		{"role":"assistant","content":"x"},{"role":"user","content":[{"type":"text","text":"two"},{"type":"image_url"},{"text":"three"}]},{"role":"tool","content":"y"},7]`)
	bare := eventWith(checkrein.BeforeLLMCall, "", "model_id", `"p/m"`)
	bare.Messages = json.RawMessage(`[{"role":"user","content":"one"}]`)
	for _, tt := range []struct {
		name string
		ev   checkrein.Event
		want string
	}{
		{"on_user_message", eventWith(checkrein.UserPromptSubmit, "hi", "channel", `"web"`, "x", `1`), payloadOf("on_user_message", `,"message":"hi","channel":"web"`)},
		{"on_user_message of a host that names no channel", checkrein.Event{Kind: checkrein.UserPromptSubmit, Host: "claude", Session: session, Text: "hi"}, payloadOf("on_user_message", `,"message":"hi","channel":"claude"`)},
		{"on_user_message of another host", eventWith(checkrein.UserPromptSubmit, ""), payloadOf("on_user_message", `,"message":""`)},
		{"pre_tool_call", call("bash", `{"command":"ls"}`), payloadOf("pre_tool_call", `,"tool_name":"bash","tool_input":{"command":"ls"}`)},
		{"post_tool_call", result(checkrein.PostToolUse, "bash", `"out"`, false), payloadOf("post_tool_call", `,"tool_name":"bash","tool_input":{"command":"ls"},"tool_result":"out"`)},
		{"post_tool_call of a failure", result(checkrein.PostToolUse, "bash", `"out"`, true), payloadOf("post_tool_call", `,"tool_name":"bash","tool_input":{"command":"ls"},"tool_result":"out","tool_error":true`)},
		{"transform_tool_result", result(checkrein.ToolResponseTransform, "bash", `"out"`, false), payloadOf("transform_tool_result", `,"tool_name":"bash","tool_result":"out"`)},
		{"a result of another host", result(checkrein.ToolResponseTransform, "Bash", `{"stdout": "sk-1", "n": 1.0}`, false),
			payloadOf("transform_tool_result", `,"tool_name":"bash","tool_result":"sk-1","native":{"tool_name":"Bash","tool_result":{"stdout": "sk-1", "n": 1.0}}`)},
		{"pre_llm_call", eventWith(checkrein.BeforeLLMCall, "", "system", `"be"`, "last_user_message", `"hi"`, "model", `"m"`), payloadOf("pre_llm_call", `,"system":"be","last_user_message":"hi","model":"m"`)},
		{"pre_llm_call of another host", messages, payloadOf("pre_llm_call", `,"system":"be good\u000abe brief","last_user_message":"two\u000athree","model":"p/m"`)},
		{"pre_llm_call without a system prompt", bare, payloadOf("pre_llm_call", `,"system":"","last_user_message":"one","model":"p/m"`)},
		{"pre_llm_call of a silent host", eventWith(checkrein.BeforeLLMCall, ""), payloadOf("pre_llm_call", ``)},
		{"post_llm_call", eventWith(checkrein.AfterLLMCall, "reply", "model_id", `"p/m"`, "model", `"x"`, "cost", `1`), payloadOf("post_llm_call", `,"model":"p/m"`)},
		{"on_response_end", eventWith(checkrein.OnResponseEnd, "done", "tool_names", `["bash","send_to_telegram"]`, "tokens", `{"input":5}`, "model_id", `"m"`),
			payloadOf("on_response_end", `,"response":"done","model":"m","tokens":{"input":5},"tool_names":["bash","send_to_telegram"]`)},
		{"on_response_end of another host", eventWith(checkrein.OnResponseEnd, "done", "usage", `{"input_tokens":900,"output_tokens":20,"cached_input_tokens":512,"reasoning_tokens":1}`, "cost", `0.0004`),
			payloadOf("on_response_end", `,"response":"done","tokens":{"input":900,"output":20,"cache_read":512},"turn_cost_usd":0.0004`)},
		{"on_stop", eventWith(checkrein.Stop, "done", "stop_hook_active", `true`, "tool_names", `[]`, "stop_reason", `"x"`), payloadOf("on_stop", `,"response":"done","tool_names":[],"stop_hook_active":true`)},
		{"on_stop of another host", eventWith(checkrein.Stop, "done", "tool_names", `["Bash","Write","Frob",1]`),
			payloadOf("on_stop", `,"response":"done","tool_names":["bash","write_file","Frob",1],"native":{"tool_names":["Bash","Write","Frob",1]}`)},
		{"on_outbound_message", eventWith(checkrein.OnOutboundMessage, "hi", "type", `"telegram"`, "channel", `"x"`), payloadOf("on_outbound_message", `,"notification":"hi","type":"telegram","channel":"x"`)},
		{"on_completion_claim", eventWith(checkrein.OnCompletionClaim, "done", "goal", `"g"`, "summary", `"s"`, "tool_names", `["bash"]`),
			payloadOf("on_completion_claim", `,"goal":"g","summary":"s","response":"done","tool_names":["bash"]`)},
		{"on_session_start", eventWith(checkrein.SessionStart, "", "status", `"new"`, "source", `"startup"`), payloadOf("on_session_start", `,"status":"new"`)},
		{"on_session_start of another host", eventWith(checkrein.SessionStart, "", "source", `"startup"`), payloadOf("on_session_start", `,"status":"startup"`)},
		{"on_session_end", eventWith(checkrein.SessionEnd, "", "status", `"done"`), payloadOf("on_session_end", `,"status":"done"`)},
		{"on_session_end of another host", eventWith(checkrein.SessionEnd, "", "exit_reason", `"error"`), payloadOf("on_session_end", `,"status":"error"`)},

		{"an event that it does not have", eventWith(checkrein.TurnEnd, "", "reason", `"steered"`, "agent_id", `"x"`), payloadOf("turn_end", `,"reason":"steered"`)},
		{"a text that it does not have", eventWith(checkrein.SubagentStop, "done"), payloadOf("subagent_stop", `,"stop_response":"done"`)},
		{"a host's own event", checkrein.Event{Kind: checkrein.Other, Native: "FileChanged", Session: session}, payloadOf("FileChanged", ``)},
		{"a tool event that it does not have", result(checkrein.PostToolUseFailure, "bash", `"no"`, true),
			payloadOf("post_tool_use_failure", `,"tool_name":"bash","tool_input":{"command":"ls"},"tool_result":"no","tool_error":true`)},
		{"nobody's event", checkrein.Event{Kind: checkrein.Stop}, `{"event":"on_stop","session_id":"","agent_id":"","cwd":"","response":""}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Dialect.Encode(tt.ev)
			if err != nil || string(got) != tt.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
}

// TestEncodeTools checks that a hook gets starchild's names for tools on every host, together with the
// host's.
func TestEncodeTools(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, tool, input, want string }{
		{"its own", "bash", `{"command":"ls"}`, `"tool_name":"bash","tool_input":{"command":"ls"}`},
		{"a shell", "shell", `{"cmd":"ls","n":1.10}`, `"tool_name":"bash","tool_input":{"command":"ls","n":1.10},"native":{"tool_name":"shell","tool_input":{"cmd":"ls","n":1.10}}`},
		{"a file", "Write", `{"file_path":"/a","content":"x"}`, `"tool_name":"write_file","tool_input":{"path":"/a","content":"x"},"native":{"tool_name":"Write","tool_input":{"file_path":"/a","content":"x"}}`},
		{"a reading", "Read", `{"file_path":"/a"}`, `"tool_name":"read_file","tool_input":{"path":"/a"},"native":{"tool_name":"Read","tool_input":{"file_path":"/a"}}`},
		{"an edit", "Edit", `{"old_str":"a","new_str":"b"}`, `"tool_name":"edit_file","tool_input":{"old_string":"a","new_string":"b"},"native":{"tool_name":"Edit","tool_input":{"old_str":"a","new_str":"b"}}`},
		{"no arguments", "Bash", ``, `"tool_name":"bash","native":{"tool_name":"Bash"}`},
		{"a tool without a word", "WebFetch", `{"url":"x"}`, `"tool_name":"WebFetch","tool_input":{"url":"x"}`},
		{"a tool of its own", "send_to_telegram", `{"message":"x"}`, `"tool_name":"send_to_telegram","tool_input":{"message":"x"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Dialect.Encode(call(tt.tool, tt.input))
			if want := payloadOf("pre_tool_call", ","+tt.want); err != nil || string(got) != want {
				t.Errorf("got  %s, %v\nwant %s", got, err, want)
			}
		})
	}
}

func TestEncodeErrors(t *testing.T) {
	t.Parallel()
	two := call("Bash", `{"command":"ls","cmd":"rm -rf /"}`)
	input := call("bash", `{"command":`)
	output := call("bash", `{}`)
	output.Kind, output.Tool.Output = checkrein.PostToolUse, json.RawMessage(`{"a`)
	for name, ev := range map[string]checkrein.Event{"two commands": two, "input": input, "output": output, "detail": eventWith(checkrein.UserPromptSubmit, "", "channel", `x`)} {
		if got, err := Dialect.Encode(ev); err == nil {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

// TestEncodedIsReadBack checks that package payload reads the encoded payload.
func TestEncodedIsReadBack(t *testing.T) {
	t.Parallel()
	for _, want := range []checkrein.Event{
		call("bash", `{"command":"ls"}`),
		eventWith(checkrein.UserPromptSubmit, "hi", "channel", `"web"`),
		eventWith(checkrein.OnOutboundMessage, "hi", "type", `"telegram"`),
		eventWith(checkrein.Stop, "done", "tool_names", `["bash"]`, "stop_hook_active", `true`),
		eventWith(checkrein.OnCompletionClaim, "done", "goal", `"g"`, "summary", `"s"`),
		eventWith(checkrein.SessionStart, "", "status", `"new"`),
	} {
		body, err := Dialect.Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := payload.ReadEvent(body, "")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(checkrein.Event{}, "Raw", "Native"), cmpopts.SortSlices(func(a, b checkrein.Detail) bool { return a.Name < b.Name })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
}

func TestLocalize(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, tool, input, patch, want string }{
		{"its own words", "bash", `{"command":"ls"}`, `{"command":"pwd"}`, `{"command":"pwd"}`},
		{"another host's", "shell", `{"cmd":"ls"}`, `{"command":"pwd"}`, `{"cmd":"pwd"}`},
		{"a path", "Write", `{"file_path":"/a"}`, `{"path":"/b"}`, `{"file_path":"/b"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Dialect.Localize(call(tt.tool, tt.input), json.RawMessage(tt.patch))
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

func TestToolName(t *testing.T) {
	t.Parallel()
	for canonical, want := range map[string]string{"shell": "bash", "read": "read_file", "write": "write_file", "edit": "edit_file", "fetch": "", "": ""} {
		if got := Dialect.ToolName(canonical); got != want {
			t.Errorf("%s: got %q, want %q", canonical, got, want)
		}
	}
}
