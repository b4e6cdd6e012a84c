package mockmodel

import (
	"encoding/json"
	"strings"
	"testing"
)

// newTool returns a tool with a schema in the form that agents send.
func newTool(name, schema string) Tool {
	t := Tool{Name: name}
	t.readSchema(json.RawMessage(schema))
	return t
}

// TestToNative translates calls for tools that real agents offer.
func TestToNative(t *testing.T) {
	t.Parallel()
	str := func(names ...string) string {
		return `{"properties":{"` + strings.Join(names, `":{"type":"string"},"`) + `":{"type":"string"}},"required":["` + strings.Join(names, `","`) + `"]}`
	}
	patch := Tool{Name: "apply_patch", FreeForm: true}
	tests := []struct {
		name     string
		call     Call
		offered  []Tool
		want     string // the tool
		wantArgs string
	}{
		{"claude", Edit("/f", "a", "b"), []Tool{newTool("Edit", str("file_path", "old_string", "new_string"))}, "Edit", `{"file_path":"/f","new_string":"b","old_string":"a"}`},
		{"opencode", Read("/f"), []Tool{newTool("read", str("filePath"))}, "read", `{"filePath":"/f"}`},
		{"pi", Edit("/f", "a", "b"), []Tool{newTool("edit", `{"properties":{"path":{"type":"string"},"edits":{"type":"array"}}}`)}, "edit", `{"edits":[{"newText":"b","oldText":"a"}],"path":"/f"}`},
		{"grok", Read("/f"), []Tool{newTool("read_file", str("target_file"))}, "read_file", `{"target_file":"/f"}`},
		{"copilot", Write("/f", "x"), []Tool{newTool("create", str("path", "file_text"))}, "create", `{"file_text":"x","path":"/f"}`},
		{"a list for a command", Shell("ls"), []Tool{newTool("shell", `{"properties":{"command":{"type":"array"}}}`)}, "shell", `{"command":["bash","-lc","ls"]}`},
		{"fillers", Shell("ls"), []Tool{newTool("run_shell_command",
			`{"properties":{"command":{"type":"string"},"is_background":{"type":"boolean"},"n":{"type":"NUMBER"},"mode":{"type":"string","enum":["slow"]},"o":{"type":"object"},"l":{"type":"array"}},"required":["command","is_background","n","mode","o","l"]}`)},
			"run_shell_command", `{"command":"ls","is_background":false,"l":[],"mode":"slow","n":0,"o":{}}`},
		{"no schema", Shell("ls"), []Tool{{Name: "bash"}}, "bash", `{"command":"ls"}`},
		{"native", Native("mine", map[string]any{"a": 1}), []Tool{newTool("mine", str("a", "b"))}, "mine", `{"a":1}`},
		{"native without arguments", Native("mine", nil), []Tool{{Name: "mine"}}, "mine", `{}`},
		{"mcp", MCP("srv", "go", map[string]any{"a": "b"}), []Tool{{Name: "go"}, newTool("mcp__srv__go", str("a"))}, "mcp__srv__go", `{"a":"b"}`},
		{"mcp in a group", MCP("srv", "go", nil), []Tool{{Name: "go", Namespace: "mcp__other"}, {Name: "go", Namespace: "mcp__srv"}}, "mcp__srv/go", `{}`},
		{"write by patch", Write("f", "a\nb\n"), []Tool{patch}, "apply_patch", "*** Begin Patch\n*** Add File: f\n+a\n+b\n*** End Patch\n"},
		{"edit by patch", Edit("f", "a\nb", "c"), []Tool{patch}, "apply_patch", "*** Begin Patch\n*** Update File: f\n@@\n-a\n-b\n+c\n*** End Patch\n"},
		{"native by text", Native("apply_patch", map[string]any{"input": "x"}), []Tool{patch}, "apply_patch", "x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := toNative(tt.call, tt.offered)
			if err != nil {
				t.Fatal(err)
			}
			name, args := p.tool.Name, p.argsJSON()
			if p.tool.Namespace != "" {
				name = p.tool.Namespace + "/" + name
			}
			if p.tool.FreeForm {
				args = p.text
			}
			if name != tt.want || args != tt.wantArgs {
				t.Errorf("%s %s, want %s %s", name, args, tt.want, tt.wantArgs)
			}
		})
	}
	if _, err := toNative(Read("f"), []Tool{newTool("Read", str("nothing"))}); err == nil {
		t.Error("an argument that the tool does not take: no error")
	}
}

// TestFreeFormAndGroups checks the two forms of tools that only Responses has.
func TestFreeFormAndGroups(t *testing.T) {
	t.Parallel()
	srv := startServer(t, Script{Turns: []Turn{{Calls: []Call{Patch("*** the patch"), MCP("srv", "go", nil)}}}})
	q := responsesRequest(true, false, "")
	q["tools"] = []obj{
		{"type": "custom", "name": "apply_patch", "format": obj{"type": "grammar"}},
		{"type": "namespace", "name": "mcp__srv", "tools": []obj{{"type": "function", "name": "go", "parameters": obj{}}}},
	}
	evs := readEvents(t, post(t, srv.URL()+"/v1/responses", q))
	out := lookupList(evs[len(evs)-1].data, "response", "output")
	if got := lookupString(out, 0, "type") + " " + lookupString(out, 0, "input"); got != "custom_tool_call *** the patch" {
		t.Errorf("patch: %s", got)
	}
	if got := lookupString(out, 1, "type") + " " + lookupString(out, 1, "namespace") + " " + lookupString(out, 1, "name"); got != "function_call mcp__srv go" {
		t.Errorf("mcp: %s", got)
	}
	q["input"] = []obj{
		{"type": "custom_tool_call", "call_id": "call0n0", "name": "apply_patch", "input": "*** the patch"},
		{"type": "custom_tool_call_output", "call_id": "call0n0", "output": []obj{{"type": "input_text", "text": "applied"}}},
	}
	post(t, srv.URL()+"/v1/responses", q)
	if res, ok := srv.Record().Result(0, 0); !ok || res.Text != "applied" {
		t.Errorf("result %+v, %v", res, ok)
	}
	if call, ok := srv.Record().Call(0, 0); !ok || call.Args != "*** the patch" {
		t.Errorf("call %+v, %v", call, ok)
	}
}

// TestSideRequests checks that a request which only asks for a title uses no turn of the script.
func TestSideRequests(t *testing.T) {
	t.Parallel()
	title, shell := Tool{Name: "session_title"}, Tool{Name: "bash"}
	srv := startServer(t, Script{})
	for _, tt := range []struct {
		tools []Tool
		side  bool
	}{{nil, true}, {[]Tool{title}, true}, {[]Tool{shell}, false}, {[]Tool{title, shell}, false}} {
		q, _ := srv.recordRequest(Request{Protocol: Chat, Tools: tt.tools, Side: isSide(tt.tools), Turn: -1})
		if q.Side != tt.side || (q.Turn < 0) != tt.side {
			t.Errorf("%v: side %v, turn %d", tt.tools, q.Side, q.Turn)
		}
	}
}
