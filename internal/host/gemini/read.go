package gemini

import (
	"bytes"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// read reads a payload, after converting Gemini's nesting and names to the common form.
func read(h *wire.Host, body []byte, name string) wire.Call {
	if name == "" {
		name = rawjson.GetText(bytes.TrimSpace(body), "hook_event_name")
	}
	c := wire.ReadAs(h, body, flatten(body, name), name)
	if c.Err != nil {
		return c
	}
	if name == "SessionStart" && rawjson.GetText(body, "source") == "resume" {
		resumed := c.Events[0]
		resumed.Kind = checkrein.OnSessionResume
		c.Events = append(c.Events, resumed)
	}
	for i := range c.Events {
		if t := c.Events[i].Tool; t != nil {
			setServerTool(t, body)
		}
	}
	return c
}

// flatten returns the payload in the common form. It returns an invalid payload as it is, so that its
// reader reports the error.
func flatten(body []byte, name string) []byte {
	patch := rawjson.Object{'{'}
	switch name {
	case "AfterTool":
		flattenOutput(&patch, body)
	case "AfterAgent":
		renameMember(&patch, body, "prompt_response", "stop_response")
		renameMember(&patch, body, "prompt", "last_user_message")
	case "BeforeModel":
		request, _ := rawjson.Get(body, "llm_request")
		messages, _ := rawjson.Get(request, "messages")
		rest, err := rawjson.Patch(request, []byte(`{"messages":null}`))
		if messages == nil || err != nil {
			break
		}
		patch.Raw("messages", messages)
		patch.Raw("llm_request", rest)
		patch.Text("model_id", rawjson.GetText(request, "model"))
	case "AfterModel":
		text, _ := rawjson.Lookup(body, "llm_response", "text")
		model, _ := rawjson.Lookup(body, "llm_request", "model")
		patch.Raw("stop_response", text)
		patch.Raw("model_id", model)
	}
	patch.Close()
	if len(patch) == len("{}") {
		return body
	}
	if out, err := rawjson.Patch(body, patch); err == nil {
		return out
	}
	return body
}

// renameMember adds to patch that the member from of body is renamed to to.
func renameMember(patch *rawjson.Object, body []byte, from, to string) {
	if val, ok := rawjson.Get(body, from); ok {
		patch.Raw(to, val)
		patch.Raw(from, []byte("null"))
	}
}

// flattenOutput makes the text for the model the output of the tool; what the user sees becomes a
// separate member. An error in the payload is one of the tool, not of the command that it ran.
func flattenOutput(patch *rawjson.Object, body []byte) {
	response, _ := rawjson.Get(body, "tool_response")
	content, ok := rawjson.Get(response, "llmContent")
	if !ok || rawjson.Kind(response) != '{' {
		return
	}
	if text, whole := wire.PartsText(content); whole {
		content = rawjson.Quote(text)
	}
	patch.Raw("tool_response", content)
	if shown, ok := rawjson.Get(response, "returnDisplay"); ok {
		patch.Raw("returnDisplay", shown)
	}
	if fault, ok := rawjson.Get(response, "error"); ok && rawjson.Kind(fault) != 'n' {
		patch.Raw("tool_error", []byte("true"))
		patch.Raw("error", fault)
	}
}

// setServerTool sets the canonical name of an MCP tool from body, because mcp_server_tool does not
// show where the server's name ends.
func setServerTool(t *checkrein.Tool, body []byte) {
	about, _ := rawjson.Get(body, "mcp_context")
	server, tool := rawjson.GetText(about, "server_name"), rawjson.GetText(about, "tool_name")
	if server != "" && tool != "" && !strings.Contains(server, "/") {
		t.Canonical = "mcp:" + server + "/" + tool
	}
}
