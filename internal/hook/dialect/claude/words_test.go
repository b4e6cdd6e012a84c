package claude

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/payload"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// TestRecordedPayloads checks that the payloads in testdata, as Claude Code 2.1.197 sent them, stay
// the same if they are read and encoded again.
func TestRecordedPayloads(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no payloads: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimPrefix(file, "testdata/"), func(t *testing.T) {
			t.Parallel()
			sent, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			ev, err := payload.ReadEvent(sent, "")
			if err != nil {
				t.Fatal(err)
			}
			got, err := Dialect.Encode(ev)
			if err != nil {
				t.Fatal(err)
			}
			if !rawjson.Equal(got, sent) {
				t.Errorf("got  %s\nwant %s", got, rawjson.Compact(nil, sent))
			}
		})
	}
}

// call is a tool call of some host.
func call(name, input string) checkrein.Event {
	t := &checkrein.Tool{Name: name, Canonical: tools.CanonicalTool(name)}
	if input != "" {
		t.Input = json.RawMessage(input)
	}
	return checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: "s", Dir: "/w"}, Tool: t}
}

// TestEncodeTools checks that a hook gets Claude's names on every host, together with the host's.
func TestEncodeTools(t *testing.T) {
	t.Parallel()
	const head = `{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse",`
	for _, tt := range []struct{ name, tool, input, want string }{
		{"its own words", "Bash", `{"command":"ls","timeout":1.10}`, `"tool_name":"Bash","tool_input":{"command":"ls","timeout":1.10}}`},
		{"docker-agent's shell", "shell", `{"cmd":"ls","cwd":"."}`,
			`"tool_name":"Bash","tool_input":{"command":"ls","cwd":"."},"native":{"tool_name":"shell","tool_input":{"cmd":"ls","cwd":"."}}}`},
		{"another host's file", "write_file", `{"path":"/a","content":"x"}`,
			`"tool_name":"Write","tool_input":{"file_path":"/a","content":"x"},"native":{"tool_name":"write_file","tool_input":{"path":"/a","content":"x"}}}`},
		{"another host's edit", "StrReplaceFile", `{"path":"/a","old_str":"x","new_str":"y"}`,
			`"tool_name":"Edit","tool_input":{"file_path":"/a","old_string":"x","new_string":"y"},"native":{"tool_name":"StrReplaceFile","tool_input":{"path":"/a","old_str":"x","new_str":"y"}}}`},
		{"a search in the web", "google_web_search", `{"query":"x"}`,
			`"tool_name":"WebSearch","tool_input":{"query":"x"},"native":{"tool_name":"google_web_search","tool_input":{"query":"x"}}}`},
		{"its own tool, another's argument", "Write", `{"path":"/a","contents":"x"}`,
			`"tool_name":"Write","tool_input":{"file_path":"/a","content":"x"},"native":{"tool_name":"Write","tool_input":{"path":"/a","contents":"x"}}}`},
		{"its own tool with an argument too many", "Bash", `{"command":"ls","cmd":"x"}`, `"tool_name":"Bash","tool_input":{"command":"ls","cmd":"x"}}`},
		{"a tool of its own that others lack", "NotebookEdit", `{"notebook_path":"/a"}`, `"tool_name":"NotebookEdit","tool_input":{"notebook_path":"/a"}}`},
		{"several edits", "MultiEdit", `{"file_path":"/a","edits":[]}`, `"tool_name":"MultiEdit","tool_input":{"file_path":"/a","edits":[]}}`},
		{"the newer name of a task", "Agent", `{"prompt":"x"}`, `"tool_name":"Agent","tool_input":{"prompt":"x"}}`},
		{"its own spelling of a server's tool", "mcp__lab__say", `{"path":"x"}`, `"tool_name":"mcp__lab__say","tool_input":{"path":"x"}}`},
		{"another spelling", "mcp_lab_say", `{"path":"x"}`,
			`"tool_name":"mcp__lab__say","tool_input":{"path":"x"},"native":{"tool_name":"mcp_lab_say","tool_input":{"path":"x"}}}`},
		{"a patch", "apply_patch", `{"command":"*** Begin"}`, `"tool_name":"apply_patch","tool_input":{"command":"*** Begin"}}`},
		{"an unknown tool", "frobnicate", `{"cmd":"x"}`, `"tool_name":"frobnicate","tool_input":{"cmd":"x"}}`},
		{"no arguments", "shell", ``, `"tool_name":"Bash","native":{"tool_name":"shell"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Dialect.Encode(call(tt.tool, tt.input))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != head+tt.want {
				t.Errorf("got  %s\nwant %s", got, head+tt.want)
			}
		})
	}
}

// TestEncodeFields checks that fields have Claude's names on every host.
func TestEncodeFields(t *testing.T) {
	t.Parallel()
	detail := func(name, val string) checkrein.Detail {
		return checkrein.Detail{Name: name, Value: json.RawMessage(val)}
	}
	failed := call("shell", `{"cmd":"x"}`)
	failed.Kind, failed.Tool.Output, failed.Tool.Failed = checkrein.PostToolUseFailure, json.RawMessage(`"exit 2"`), true
	for _, tt := range []struct {
		name string
		ev   checkrein.Event
		want string
	}{
		{"a prompt", checkrein.Event{Kind: checkrein.UserPromptSubmit, Text: "hi"}, `"hook_event_name":"UserPromptSubmit","prompt":"hi"}`},
		{"a stop", checkrein.Event{Kind: checkrein.Stop, Text: "done", Details: []checkrein.Detail{detail("stop_hook_active", "true")}},
			`"hook_event_name":"Stop","last_assistant_message":"done","stop_hook_active":true}`},
		{"a compaction", checkrein.Event{Kind: checkrein.PreCompact, Details: []checkrein.Detail{detail("source", `"auto"`)}},
			`"hook_event_name":"PreCompact","trigger":"auto"}`},
		{"a compaction with both names", checkrein.Event{Kind: checkrein.PreCompact, Details: []checkrein.Detail{detail("source", `"auto"`), detail("trigger", `"x"`)}},
			`"hook_event_name":"PreCompact","trigger":"auto"}`},
		{"a session's source", checkrein.Event{Kind: checkrein.SessionStart, Details: []checkrein.Detail{detail("source", `"clear"`)}},
			`"hook_event_name":"SessionStart","source":"clear"}`},
		{"a sub-agent", checkrein.Event{Kind: checkrein.SubagentStart, Session: checkrein.Session{Agent: "a1"}, Details: []checkrein.Detail{detail("subagent_type", `"scout"`)}},
			`"hook_event_name":"SubagentStart","agent_id":"a1","agent_type":"scout"}`},
		{"a notification", checkrein.Event{Kind: checkrein.Notification, Text: "x"}, `"hook_event_name":"Notification","message":"x"}`},
		{"another host's failure", failed, `"hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"x"},"tool_response":"exit 2",` +
			`"tool_error":true,"error":"exit 2","native":{"tool_name":"shell","tool_input":{"cmd":"x"}}}`},
		{"an event of ours alone", checkrein.Event{Kind: checkrein.OnResponseEnd, Text: "x"}, `"hook_event_name":"on_response_end","stop_response":"x"}`},
		{"a host's own event", checkrein.Event{Kind: checkrein.Other, Native: "FileChanged"}, `"hook_event_name":"FileChanged"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.ev.Session.ID, tt.ev.Session.Dir = "s", "/w"
			got, err := Dialect.Encode(tt.ev)
			if err != nil {
				t.Fatal(err)
			}
			if want := `{"session_id":"s","cwd":"/w",` + tt.want; string(got) != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestEncodeErrors checks that a call with two different commands under names for the same argument is
// an error, and so is invalid JSON.
func TestEncodeErrors(t *testing.T) {
	t.Parallel()
	broken := call("Bash", `{}`)
	broken.Tool.Output = json.RawMessage(`out`)
	for name, ev := range map[string]checkrein.Event{
		"two commands": call("shell", `{"command":"rm -rf /","cmd":"ls"}`),
		"no JSON":      broken,
	} {
		if got, err := Dialect.Encode(ev); err == nil {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

// TestLocalize checks that a rewrite in Claude's names is translated to those of the host's call.
func TestLocalize(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, tool, input, patch, want string }{
		{"its own words", "Bash", `{"command":"ls"}`, `{"command":"pwd"}`, `{"command":"pwd"}`},
		{"docker-agent's", "shell", `{"cmd":"ls"}`, `{"command":"pwd","cwd":"/"}`, `{"cmd":"pwd","cwd":"/"}`},
		{"a deletion", "shell", `{"cmd":"ls","cwd":"/"}`, `{"cwd":null}`, `{"cwd":null}`},
		{"a path", "write_file", `{"path":"/a"}`, `{"file_path":"/b"}`, `{"path":"/b"}`},
		{"its own tool, another's argument", "Write", `{"path":"/a"}`, `{"file_path":"/b"}`, `{"path":"/b"}`},
		{"a search in the web", "websearch", `{"query":"x"}`, `{"query":"y"}`, `{"query":"y"}`},
		{"a server's tool", "mcp_lab_say", `{"path":"x"}`, `{"file_path":"y"}`, `{"file_path":"y"}`},
		{"an unknown tool", "frobnicate", `{"cmd":"x"}`, `{"command":"y"}`, `{"command":"y"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Dialect.Localize(call(tt.tool, tt.input), json.RawMessage(tt.patch))
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
	if got, err := Dialect.Localize(call("shell", `{"cmd":"ls"}`), json.RawMessage(`{"cmd":"a","command":"b"}`)); err == nil {
		t.Errorf("two values for one argument: got %s", got)
	}
}

func TestToolName(t *testing.T) {
	t.Parallel()
	for canonical, want := range map[string]string{
		"shell": "Bash", "read": "Read", "write": "Write", "edit": "Edit", "patch": "Edit", "glob": "Glob", "search": "Grep", "fetch": "WebFetch",
		"task": "Task", "list": "LS", "websearch": "WebSearch", "todo": "TodoWrite", "mcp:lab/say": "mcp__lab__say", "": "", "nonsense": "",
	} {
		if got := Dialect.ToolName(canonical); got != want {
			t.Errorf("%s: got %q, want %q", canonical, got, want)
		}
	}
}

// TestEventNames checks that Claude's names agree with the table of contracts, and that no event is
// listed twice.
func TestEventNames(t *testing.T) {
	t.Parallel()
	for _, name := range rowlessEvents {
		if kind, known := hookfile.KindOf(name); known {
			t.Errorf("%s has a row: %v", name, kind)
		}
	}
	rows := 0
	for _, row := range checkrein.Contracts() {
		if name := claudeEventName(row.Kind); name != "" {
			rows++
			if got, native, ok := lookupEvent(name); !ok || native != "" || got.Kind != row.Kind {
				t.Errorf("%s is read as %v, %q, %v", name, got.Kind, native, ok)
			}
		}
	}
	if got := rows + len(rowlessEvents) - 2; got != 30 { // BeforeModel and AfterModel are events of other systems
		t.Errorf("%d events, want Claude's 30", got)
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file, text string
		want       bool
	}{
		{"/p/.claude/settings.json", "", true},
		{"/p/.claude/settings.local.json", "{", true},
		{"/plugin/hooks/hooks.json", "", true},
		{"/p/managed.json", "\n{\"x\":\"hooks\",\n\"hooks\" : {}}", true},
		{"/p/other.json", `{"x":"hooks"}`, false},
		{"/p/other.json", `["hooks"]`, false},
		{"/p/other.json", `{"x": {"hook": 1}}`, false},
		{"/p/checkrein.yaml", "version: 1\nhooks: {}\n", false},
		{"/p/checkrein.yaml", "# \"hooks\": {}\n", false},
		{"", "", false},
	} {
		if got := Dialect.Detect(hookfile.Source{File: tt.file, Data: []byte(tt.text)}); got != tt.want {
			t.Errorf("%s %q: got %v", tt.file, tt.text, got)
		}
	}
}
