package hookmd

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/payload"
)

var stamp = regexp.MustCompile(`"timestamp":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)"`)

// payloadOf returns the payload of ev, an event of session s in /w, without its time.
func payloadOf(t *testing.T, ev checkrein.Event) string {
	t.Helper()
	ev.Session.ID, ev.Session.Dir = "s", "/w"
	got, err := Dialect.Encode(ev)
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, got); err != nil {
		t.Fatal(err)
	}
	if text := compact.String(); !stamp.MatchString(text) {
		t.Errorf("no time in %s", got)
	}
	return stamp.ReplaceAllString(compact.String(), `"timestamp":"T"`)
}

// TestSpacing checks that payloads have a space after each colon, because the example in the
// specification searches for a key, a colon and a space.
func TestSpacing(t *testing.T) {
	t.Parallel()
	got, err := Dialect.Encode(call(checkrein.PreToolUse, "Shell", "{\"command\" :\n\t\"a:b,c \\\"x\\\":1,\\\\\" ,\"n\":[1,2]}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"tool_name": "Shell", `, `{"command": "a:b,c \u0022x\u0022:1,\u005c", "n": [1, 2]}`} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}

func call(kind checkrein.Kind, name, input string) checkrein.Event {
	t := &checkrein.Tool{Name: name, Canonical: tools.CanonicalTool(name), CallID: "c1"}
	if input != "" {
		t.Input = json.RawMessage(input)
	}
	return checkrein.Event{Kind: kind, Tool: t}
}

// details are members of a payload.
func details(pairs ...string) []checkrein.Detail {
	var out []checkrein.Detail
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, checkrein.Detail{Name: pairs[i], Value: json.RawMessage(pairs[i+1])})
	}
	return out
}

// TestEncode checks the payloads in section 5 of the specification.
func TestEncode(t *testing.T) {
	t.Parallel()
	failed := call(checkrein.PostToolUseFailure, "Shell", `{"command":"ls"}`)
	failed.Tool.Output, failed.Tool.Failed = json.RawMessage(`"out"`), true
	failed.Details = details("error", `"exit 1"`)
	done := call(checkrein.PostToolUse, "Shell", `{"command":"ls"}`)
	done.Tool.Output = json.RawMessage(`{"stdout":"x"}`)
	for _, tt := range []struct {
		name, event, want string
		ev                checkrein.Event
	}{
		{"before a tool", "before_tool", `"tool_name":"Shell","tool_input":{"command":"rm -rf /tmp/old-files"},"tool_use_id":"c1"}`,
			call(checkrein.PreToolUse, "Shell", `{"command":"rm -rf /tmp/old-files"}`)},
		{"after a tool", "after_tool", `"tool_name":"Shell","tool_input":{"command":"ls"},"tool_use_id":"c1","tool_response":{"stdout":"x"}}`, done},
		{"after a failure", "after_tool_failure", `"tool_name":"Shell","tool_input":{"command":"ls"},"tool_use_id":"c1","tool_response":"out","tool_error":true,"error":"exit 1"}`, failed},
		{"arguments that are no object", "before_tool", `"tool_name":"frob","tool_use_id":"c1"}`, call(checkrein.PreToolUse, "frob", "")},
		{"a sub-agent", "subagent_start", `"subagent_name":"code-reviewer","subagent_type":"coder","task_description":"Review"}`,
			checkrein.Event{Kind: checkrein.SubagentStart, Details: details("subagent_name", `"code-reviewer"`, "subagent_type", `"coder"`, "task_description", `"Review"`)}},
		{"a sub-agent without a name", "subagent_stop", `"agent_name":"a1","response":"done","subagent_type":"coder","subagent_name":"coder"}`,
			checkrein.Event{Kind: checkrein.SubagentStop, Session: checkrein.Session{Agent: "a1"}, Text: "done", Details: details("subagent_type", `"coder"`)}},
		{"a session begins", "session_start", `"model":"kimi-latest","args":{"ui":"shell"}}`,
			checkrein.Event{Kind: checkrein.SessionStart, Details: details("model", `"kimi-latest"`, "args", `{"ui":"shell"}`)}},
		{"a session ends", "session_end", `"duration_seconds":3600,"total_steps":25,"exit_reason":"user_exit"}`,
			checkrein.Event{Kind: checkrein.SessionEnd, Details: details("duration_seconds", `3600`, "total_steps", `25`, "exit_reason", `"user_exit"`)}},
		{"a person ends a session", "session_end", `"reason":"prompt_input_exit","exit_reason":"user_exit"}`,
			checkrein.Event{Kind: checkrein.SessionEnd, Details: details("reason", `"prompt_input_exit"`)}},
		{"a session ends elsewhere", "session_end", `"reason":"logout","exit_reason":"logout"}`,
			checkrein.Event{Kind: checkrein.SessionEnd, Details: details("reason", `"logout"`)}},
		{"a stop", "before_stop", `"stop_reason":"no_tool_calls","step_count":5,"final_message":{"role":"assistant","content":"Task \u0022done\u0022"}}`,
			checkrein.Event{Kind: checkrein.Stop, Text: `Task "done"`, Details: details("stop_reason", `"no_tool_calls"`, "step_count", `5`)}},
		{"a stop with its message", "before_stop", `"final_message":null,"stop_reason":"no_tool_calls"}`, checkrein.Event{Kind: checkrein.Stop, Text: "x", Details: details("final_message", `null`)}},
		{"a stop without a word", "before_stop", `"stop_reason":"no_tool_calls","final_message":null}`, checkrein.Event{Kind: checkrein.Stop}},
		{"a stop for another reason", "before_stop", `"stop_reason":"max_steps","final_message":null}`, checkrein.Event{Kind: checkrein.Stop, Details: details("stop_reason", `"max_steps"`)}},
		{"a stop in a host's words", "before_stop", `"stop_reason":"no_tool_calls","final_message":null}`, checkrein.Event{Kind: checkrein.Stop, Details: details("stop_reason", `"end_turn"`)}},
		{"a prompt", "before_agent", `"prompt":"hi"}`, checkrein.Event{Kind: checkrein.UserPromptSubmit, Text: "hi"}},
		{"a reply", "after_agent", `"response":"hello"}`, checkrein.Event{Kind: checkrein.OnResponseEnd, Text: "hello"}},
		{"a compaction", "pre_compact", `"source":"auto"}`, checkrein.Event{Kind: checkrein.PreCompact, Details: details("source", `"auto"`)}},
		{"after a compaction", "post-context-compact", `"summary":"short"}`, checkrein.Event{Kind: checkrein.AfterCompaction, Text: "short"}},
		{"an event of the host's own", "FileChanged", `"path":"x"}`, checkrein.Event{Kind: checkrein.Other, Native: "FileChanged", Details: details("path", `"x"`)}},
		{"an event that the format has not", "before_llm_call", `"messages":[1]}`, checkrein.Event{Kind: checkrein.BeforeLLMCall, Messages: json.RawMessage(`[1]`)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := `{"event_type":"` + tt.event + `","timestamp":"T","session_id":"s","work_dir":"/w","context":{},` + tt.want
			if got := payloadOf(t, tt.ev); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestEncodeTranslates checks that a hook gets the format's names on every host, together with the
// host's.
func TestEncodeTranslates(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, tool, input, want string }{
		{"shell", "exec", `{"cmd":"ls"}`, `"tool_name":"Shell","tool_input":{"command":"ls"},"tool_use_id":"c1","native":{"tool_name":"exec","tool_input":{"cmd":"ls"}}}`},
		{"read", "Read", `{"file_path":"/a"}`, `"tool_name":"ReadFile","tool_input":{"path":"/a"},"tool_use_id":"c1","native":{"tool_name":"Read","tool_input":{"file_path":"/a"}}}`},
		{"write", "Write", `{"file_path":"/a","content":"x"}`, `"tool_name":"WriteFile","tool_input":{"path":"/a","content":"x"},"tool_use_id":"c1","native":{"tool_name":"Write","tool_input":{"file_path":"/a","content":"x"}}}`},
		{"edit", "edit_file", `{"path":"/a"}`, `"tool_name":"StrReplaceFile","tool_input":{"path":"/a"},"tool_use_id":"c1","native":{"tool_name":"edit_file","tool_input":{"path":"/a"}}}`},
		{"glob", "Glob", `{"pattern":"*"}`, `"tool_name":"Glob","tool_input":{"pattern":"*"},"tool_use_id":"c1"}`},
		{"search", "grep", `{"regex":"x"}`, `"tool_name":"Grep","tool_input":{"pattern":"x"},"tool_use_id":"c1","native":{"tool_name":"grep","tool_input":{"regex":"x"}}}`},
		{"a tool without a word", "Task", `{"file_path":"x"}`, `"tool_name":"Task","tool_input":{"file_path":"x"},"tool_use_id":"c1"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := `{"event_type":"before_tool","timestamp":"T","session_id":"s","work_dir":"/w","context":{},` + tt.want
			if got := payloadOf(t, call(checkrein.PreToolUse, tt.tool, tt.input)); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
	if got, err := Dialect.Encode(call(checkrein.PreToolUse, "exec", `{"cmd":"ls","command":"rm -rf /"}`)); err == nil {
		t.Errorf("one command hides another: %s", got)
	}
}

// TestEncodeRepeatsNoMember checks that a member that every payload has occurs once, even if the host
// uses the same name.
func TestEncodeRepeatsNoMember(t *testing.T) {
	t.Parallel()
	ev := call(checkrein.PreToolUse, "Shell", `{}`)
	ev.Session.Agent = "a"
	ev.Details = details("timestamp", `5`, "context", `{"a":1}`, "event_type", `"x"`, "work_dir", `"x"`, "native", `1`, "agent_name", `"x"`, "tool_name", `"x"`, "prompt", `"kept"`)
	want := `{"event_type":"before_tool","timestamp":"T","session_id":"s","work_dir":"/w","context":{"a":1},"agent_name":"a","tool_name":"Shell","tool_input":{},"tool_use_id":"c1","prompt":"kept"}`
	if got := payloadOf(t, ev); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTimestamp(t *testing.T) {
	t.Parallel()
	before := time.Now().UTC().Truncate(time.Second)
	for _, said := range []string{``, `5`, `"yesterday"`, `null`} {
		ev := checkrein.Event{Kind: checkrein.Stop}
		if said != "" {
			ev.Details = details("timestamp", said)
		}
		got, err := time.Parse(time.RFC3339, timestamp(&ev))
		if err != nil || got.Before(before) || got.After(time.Now().Add(time.Second)) {
			t.Errorf("%s: got %v, %v", said, got, err)
		}
	}
	ev := checkrein.Event{Kind: checkrein.Stop, Details: details("timestamp", `"2024-01-15T10:30:00+01:00"`)}
	if got := timestamp(&ev); got != "2024-01-15T10:30:00+01:00" {
		t.Errorf("the host's time became %s", got)
	}
}

// TestEncodeInvalidJSON checks that an event with invalid JSON is an error.
func TestEncodeInvalidJSON(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*checkrein.Event){
		"input":   func(ev *checkrein.Event) { ev.Tool.Input = json.RawMessage(`{"command":`) },
		"output":  func(ev *checkrein.Event) { ev.Tool.Output = json.RawMessage(`out`) },
		"detail":  func(ev *checkrein.Event) { ev.Details = []checkrein.Detail{{Name: "x"}} },
		"context": func(ev *checkrein.Event) { ev.Details = details("context", `{"a"`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ev := call(checkrein.PreToolUse, "Shell", `{}`)
			change(&ev)
			if got, err := Dialect.Encode(ev); err == nil {
				t.Errorf("got %s", got)
			}
		})
	}
}

// TestEncodedIsReadBack checks that package payload reads the encoded payload.
func TestEncodedIsReadBack(t *testing.T) {
	t.Parallel()
	for _, row := range checkrein.Contracts()[1:] {
		if first, _ := triggerNames(row.Kind); first == "" {
			continue
		}
		ev := checkrein.Event{Kind: row.Kind, Session: checkrein.Session{ID: "s", Dir: "/w"}}
		if row.Subject == checkrein.SubjectTool {
			ev.Tool = call(row.Kind, "Shell", `{"command":"ls"}`).Tool
		}
		body, err := Dialect.Encode(ev)
		if err != nil {
			t.Fatal(err)
		}
		got, err := payload.ReadEvent(body, "")
		if err != nil || got.Kind != row.Kind || got.Session.ID != "s" || got.Session.Dir != "/w" || got.Tool != nil && got.Tool.Command() != "ls" {
			t.Errorf("%s: got %+v, %v", body, got, err)
		}
	}
}

func TestLocalize(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, tool, input, patch, want string }{
		{"its own words", "Shell", `{"command":"ls"}`, `{"command":"pwd"}`, `{"command":"pwd"}`},
		{"another host's", "exec", `{"cmd":"ls"}`, `{"command":"pwd"}`, `{"cmd":"pwd"}`},
		{"a path", "Write", `{"file_path":"/a"}`, `{"path":"/b"}`, `{"file_path":"/b"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Dialect.Localize(call(checkrein.PreToolUse, tt.tool, tt.input), json.RawMessage(tt.patch))
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

func TestToolName(t *testing.T) {
	t.Parallel()
	for canonical, want := range map[string]string{"shell": "Shell", "read": "ReadFile", "write": "WriteFile", "edit": "StrReplaceFile", "glob": "Glob", "search": "Grep", "task": "", "": ""} {
		if got := Dialect.ToolName(canonical); got != want {
			t.Errorf("%s: got %q, want %q", canonical, got, want)
		}
		if want != "" && tools.CanonicalTool(want) != canonical {
			t.Errorf("%s is not known as %s", want, canonical)
		}
	}
}
