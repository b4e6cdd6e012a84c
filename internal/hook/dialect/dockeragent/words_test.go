package dockeragent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

// call is a tool call of some host.
func call(name, input string) checkrein.Event {
	t := &checkrein.Tool{Name: name, Canonical: tools.CanonicalTool(name)}
	if input != "" {
		t.Input = json.RawMessage(input)
	}
	return checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: "s", Dir: "/w"}, Tool: t}
}

const head = `{"session_id":"s","cwd":"/w","hook_event_name":"pre_tool_use",`

// TestEncode checks that a hook gets docker-agent's names on every host, together with the host's.
func TestEncode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, tool, input, want string }{
		{"its own words", "shell", `{"cmd":"ls","cwd":"."}`, `"tool_name":"shell","tool_input":{"cmd":"ls","cwd":"."}}`},
		{"its own tool, another's argument", "shell", `{"command":"ls"}`, `"tool_name":"shell","tool_input":{"cmd":"ls"},"native":{"tool_name":"shell","tool_input":{"command":"ls"}}}`},
		{"another host's", "Bash", `{"command":"ls","timeout":1.10}`,
			`"tool_name":"shell","tool_input":{"cmd":"ls","timeout":1.10},"native":{"tool_name":"Bash","tool_input":{"command":"ls","timeout":1.10}}}`},
		{"another host's file", "Write", `{"file_path":"/a","content":"x"}`,
			`"tool_name":"write_file","tool_input":{"path":"/a","content":"x"},"native":{"tool_name":"Write","tool_input":{"file_path":"/a","content":"x"}}}`},
		{"no arguments", "Bash", ``, `"tool_name":"shell","native":{"tool_name":"Bash"}}`},
		{"a tool that it has no word for", "Task", `{"prompt":"x"}`, `"tool_name":"Task","tool_input":{"prompt":"x"}}`},
		{"an unknown tool", "frobnicate", `{"command":"x"}`, `"tool_name":"frobnicate","tool_input":{"command":"x"}}`},
		{"the same twice", "Bash", `{"command":"ls","cmd":"ls"}`,
			`"tool_name":"shell","tool_input":{"cmd":"ls"},"native":{"tool_name":"Bash","tool_input":{"command":"ls","cmd":"ls"}}}`},
		{"nothing under the other name", "Bash", `{"cmd":null,"command":"ls"}`,
			`"tool_name":"shell","tool_input":{"cmd":"ls"},"native":{"tool_name":"Bash","tool_input":{"cmd":null,"command":"ls"}}}`},
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

// TestEncodeDuplicateArgument checks that a call with two different commands under names for the same
// argument is an error.
func TestEncodeDuplicateArgument(t *testing.T) {
	t.Parallel()
	for _, input := range []string{`{"command":"rm -rf /","cmd":"ls"}`, `{"cmd":"ls","command":"rm -rf /"}`, `{"command":"a","cmd":"b","script":"a"}`} {
		if got, err := Dialect.Encode(call("Bash", input)); err == nil {
			t.Errorf("%s: got %s", input, got)
		}
	}
}

// TestEncodeInvalidJSON checks that an event with invalid JSON is an error.
func TestEncodeInvalidJSON(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*checkrein.Event){
		"input":    func(ev *checkrein.Event) { ev.Tool.Input = json.RawMessage(`{"cmd":`) },
		"output":   func(ev *checkrein.Event) { ev.Tool.Output = json.RawMessage(`out`) },
		"messages": func(ev *checkrein.Event) { ev.Messages = json.RawMessage(`[`) },
		"detail":   func(ev *checkrein.Event) { ev.Details = []checkrein.Detail{{Name: "x"}} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ev := call("shell", `{}`)
			change(&ev)
			if got, err := Dialect.Encode(ev); err == nil {
				t.Errorf("got %s", got)
			}
		})
	}
}

// TestLocalize checks that a rewrite in docker-agent's names is translated to those of the host's
// call.
func TestLocalize(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, tool, input, patch, want string }{
		{"its own words", "shell", `{"cmd":"ls"}`, `{"cmd":"pwd"}`, `{"cmd":"pwd"}`},
		{"its own name with another's argument", "shell", `{"command":"ls"}`, `{"cmd":"pwd"}`, `{"command":"pwd"}`},
		{"another host's", "Bash", `{"command":"ls"}`, `{"cmd":"pwd","cwd":"/"}`, `{"command":"pwd","cwd":"/"}`},
		{"a deletion", "Bash", `{"command":"ls","cwd":"/"}`, `{"cwd":null}`, `{"cwd":null}`},
		{"a path", "Write", `{"file_path":"/a"}`, `{"path":"/b"}`, `{"file_path":"/b"}`},
		{"an unknown tool", "frobnicate", `{"command":"ls"}`, `{"cmd":"x"}`, `{"cmd":"x"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Dialect.Localize(call(tt.tool, tt.input), json.RawMessage(tt.patch))
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
	if got, err := Dialect.Localize(call("Bash", `{"command":"ls"}`), json.RawMessage(`{"cmd":"a","command":"b"}`)); err == nil {
		t.Errorf("two values for one argument: got %s", got)
	}
}

func TestToolName(t *testing.T) {
	t.Parallel()
	for canonical, want := range map[string]string{"shell": "shell", "read": "read_file", "write": "write_file", "edit": "edit_file", "task": "", "": ""} {
		if got := Dialect.ToolName(canonical); got != want {
			t.Errorf("%s: got %q, want %q", canonical, got, want)
		}
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{
		"agents:\n  root: {}\n":                   true,
		"version: 2\nmodels: {}\nagents:\n  r: 1": true,
		"hooks: {}\n":                             false,
		"x:\n  agents: {}\n":                      false,
		"":                                        false,
	} {
		if got := Dialect.Detect(hookfile.Source{Data: []byte(src)}); got != want {
			t.Errorf("%s: got %v", strings.ReplaceAll(src, "\n", "|"), got)
		}
	}
}
