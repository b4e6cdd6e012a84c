package mockmodel

import (
	"net/http"
	"strings"
	"testing"
)

// A peer is a client of one protocol: the requests that it sends, and how it reads answers.
type peer struct {
	protocol Protocol
	path     func(stream bool) string
	// request returns a request; offer is set if it offers tools. result is the result of
	// a first call, "" if there was none yet.
	request func(stream, offer bool, result string) obj
	whole   func(v obj) clientAnswer
	stream  func(evs []streamEvent) clientAnswer
	shell   string // the name of the shell tool
	args    string // the arguments with which it is called
}

func fixedPath(path string) func(bool) string { return func(bool) string { return path } }

func objectSchema(required ...string) obj {
	props := obj{}
	for _, r := range required {
		props[r] = obj{"type": "string"}
	}
	return obj{"type": "object", "properties": props, "required": required}
}

func peers() []peer {
	return []peer{
		{
			protocol: Anthropic, path: fixedPath("/v1/messages"), shell: "Bash", args: `{"command":"touch ran"}`,
			request: anthropicRequest, whole: readAnthropic, stream: readAnthropicStream,
		},
		{
			protocol: Responses, path: fixedPath("/v1/responses"), shell: "exec_command", args: `{"cmd":"touch ran"}`,
			request: responsesRequest, whole: readResponses, stream: readResponsesStream,
		},
		{
			protocol: Chat, path: fixedPath("/v1/chat/completions"), shell: "bash", args: `{"command":"touch ran","description":"scripted"}`,
			request: chatRequest, whole: readChat, stream: readChatStream,
		},
		{
			protocol: Gemini, shell: "run_shell_command", args: `{"command":"touch ran"}`,
			path: func(stream bool) string {
				if stream {
					return "/v1beta/models/m:streamGenerateContent"
				}
				return "/v1beta/models/m:generateContent"
			},
			request: geminiRequest, whole: readGemini,
			stream: func(evs []streamEvent) clientAnswer { return readGemini(evs[0].data) },
		},
	}
}

func anthropicRequest(stream, offer bool, told string) obj {
	q := obj{"model": "m", "stream": stream, "system": []obj{{"type": "text", "text": "be brief"}}}
	msgs := []obj{{"role": "user", "content": "the prompt"}}
	if told != "" {
		msgs = append(msgs,
			obj{"role": "assistant", "content": []obj{{"type": "tool_use", "id": "call0n0", "name": "Bash", "input": obj{"command": "touch ran"}}}},
			obj{"role": "user", "content": []obj{
				{"type": "tool_result", "tool_use_id": "call0n0", "is_error": true, "content": []obj{{"type": "text", "text": told}}},
				{"type": "text", "text": "a reminder"},
			}})
	}
	q["messages"] = msgs
	if offer {
		q["tools"] = []obj{{"name": "Bash", "input_schema": objectSchema("command")}}
	}
	return q
}

func readAnthropic(v obj) clientAnswer {
	s := clientAnswer{FinishReason: lookupString(v, "stop_reason")}
	for _, b := range lookupList(v, "content") {
		if lookupString(b, "type") == "text" {
			s.Text += lookupString(b, "text")
		} else {
			s.Calls = append(s.Calls, ToolCall{ID: lookupString(b, "id"), Name: lookupString(b, "name"), Args: mustJSON(lookup(b, "input"))})
		}
	}
	return s
}

func readAnthropicStream(evs []streamEvent) clientAnswer {
	var s clientAnswer
	for _, e := range evs {
		if e.name != lookupString(e.data, "type") { // real clients read the name
			return clientAnswer{Text: "event name and type differ"}
		}
		switch e.name {
		case "content_block_start":
			if lookupString(e.data, "content_block", "type") == "tool_use" {
				s.Calls = append(s.Calls, ToolCall{ID: lookupString(e.data, "content_block", "id"), Name: lookupString(e.data, "content_block", "name")})
			}
		case "content_block_delta":
			s.Text += lookupString(e.data, "delta", "text")
			if part := lookupString(e.data, "delta", "partial_json"); part != "" {
				s.Calls[len(s.Calls)-1].Args += part
			}
		case "message_delta":
			s.FinishReason = lookupString(e.data, "delta", "stop_reason")
		}
	}
	if len(evs) == 0 || evs[len(evs)-1].name != "message_stop" {
		return clientAnswer{Text: "the stream has no end"}
	}
	return s
}

func responsesRequest(stream, offer bool, told string) obj {
	q := obj{"model": "m", "stream": stream, "instructions": "be brief"}
	input := []obj{{"type": "message", "role": "user", "content": []obj{{"type": "input_text", "text": "the prompt"}}}}
	if told != "" {
		input = append(input,
			obj{"type": "function_call", "call_id": "call0n0", "name": "exec_command", "arguments": `{"cmd":"touch ran"}`},
			obj{"type": "message", "role": "developer", "content": []obj{{"type": "input_text", "text": "a reminder"}}},
			obj{"type": "function_call_output", "call_id": "call0n0", "output": told})
	}
	q["input"] = input
	if offer {
		q["tools"] = []obj{{"type": "web_search"}, {"type": "function", "name": "exec_command", "parameters": objectSchema("cmd")}}
	}
	return q
}

func readResponses(v obj) clientAnswer {
	s := clientAnswer{FinishReason: "stop"}
	for _, it := range lookupList(v, "output") {
		s.Text += lookupString(it, "content", 0, "text")
		if lookupString(it, "type") == "function_call" {
			s.Calls = append(s.Calls, ToolCall{ID: lookupString(it, "call_id"), Name: lookupString(it, "name"), Args: lookupString(it, "arguments")})
			s.FinishReason = "tool_calls"
		}
	}
	return s
}

// readResponsesStream reads each item when it is completed, as Codex does, and compares the final
// object with the items.
func readResponsesStream(evs []streamEvent) clientAnswer {
	var items []any
	deltas := ""
	for _, e := range evs {
		switch lookupString(e.data, "type") {
		case "response.output_item.done":
			items = append(items, lookup(e.data, "item"))
		case "response.output_text.delta":
			deltas += lookupString(e.data, "delta")
		}
	}
	s := readResponses(obj{"output": items})
	last := evs[len(evs)-1].data
	if lookupString(last, "type") != "response.completed" || mustJSON(lookup(last, "response", "output")) != mustJSON(items) || deltas != s.Text {
		return clientAnswer{Text: "items, deltas and end do not agree"}
	}
	return s
}

func chatRequest(stream, offer bool, told string) obj {
	q := obj{"model": "m", "stream": stream}
	msgs := []obj{{"role": "system", "content": "be brief"}, {"role": "user", "content": []obj{{"type": "text", "text": "the prompt"}}}}
	if told != "" {
		msgs = append(msgs,
			obj{"role": "assistant", "content": nil, "tool_calls": []obj{
				{"id": "call0n0", "type": "function", "function": obj{"name": "bash", "arguments": `{"command":"touch ran"}`}},
			}},
			obj{"role": "tool", "tool_call_id": "call0n0", "content": []obj{{"type": "text", "text": told}}},
			obj{"role": "user", "content": "a reminder"})
	}
	q["messages"] = msgs
	if offer {
		q["tools"] = []obj{{"type": "function", "function": obj{"name": "bash", "parameters": objectSchema("command", "description")}}}
	}
	return q
}

func readChatMessage(m any) clientAnswer {
	s := clientAnswer{Text: lookupString(m, "content")}
	for _, c := range lookupList(m, "tool_calls") {
		s.Calls = append(s.Calls, ToolCall{ID: lookupString(c, "id"), Name: lookupString(c, "function", "name"), Args: lookupString(c, "function", "arguments")})
	}
	return s
}

func readChat(v obj) clientAnswer {
	s := readChatMessage(lookup(v, "choices", 0, "message"))
	s.FinishReason = lookupString(v, "choices", 0, "finish_reason")
	return s
}

func readChatStream(evs []streamEvent) clientAnswer {
	var s clientAnswer
	for _, e := range evs {
		part := readChatMessage(lookup(e.data, "choices", 0, "delta"))
		s.Text += part.Text
		s.Calls = append(s.Calls, part.Calls...)
		if why := lookupString(e.data, "choices", 0, "finish_reason"); why != "" {
			s.FinishReason = why
		}
	}
	if evs[len(evs)-1].raw != "[DONE]" {
		return clientAnswer{Text: "the stream has no end"}
	}
	return s
}

func geminiRequest(_, offer bool, told string) obj {
	contents := []obj{{"role": "user", "parts": []obj{{"text": "the prompt"}}}}
	if told != "" {
		contents = append(contents,
			obj{"role": "model", "parts": []obj{{"functionCall": obj{"id": "call0n0", "name": "run_shell_command", "args": obj{"command": "touch ran"}}}}},
			obj{"role": "user", "parts": []obj{
				{"functionResponse": obj{"id": "call0n0", "name": "run_shell_command", "response": obj{"error": told}}},
				{"text": "a reminder"},
			}})
	}
	q := obj{"contents": contents, "systemInstruction": obj{"parts": []obj{{"text": "be brief"}}}}
	if offer {
		q["tools"] = []obj{{"functionDeclarations": []obj{{"name": "run_shell_command", "parametersJsonSchema": objectSchema("command")}}}}
	}
	return q
}

func readGemini(v obj) clientAnswer {
	s := clientAnswer{FinishReason: lookupString(v, "candidates", 0, "finishReason")}
	for _, p := range lookupList(v, "candidates", 0, "content", "parts") {
		s.Text += lookupString(p, "text")
		if call := lookup(p, "functionCall"); call != nil {
			s.Calls = append(s.Calls, ToolCall{ID: lookupString(call, "id"), Name: lookupString(call, "name"), Args: mustJSON(lookup(call, "args"))})
		}
	}
	return s
}

// send sends a request in the peer's protocol and returns the parsed answer.
func (p peer) send(t *testing.T, srv *Server, stream, offer bool, told string) clientAnswer {
	t.Helper()
	res := post(t, srv.URL()+p.path(stream)+"?beta=true", p.request(stream, offer, told))
	if res.StatusCode != http.StatusOK {
		t.Fatalf("status %s", res.Status)
	}
	if stream {
		return p.stream(readEvents(t, res))
	}
	return p.whole(readObject(t, res))
}

// TestConversation plays one script in every protocol, with and without streaming: text with a call,
// then the final text.
func TestConversation(t *testing.T) {
	t.Parallel()
	for _, p := range peers() {
		for _, stream := range []bool{false, true} {
			name := string(p.protocol)
			if stream {
				name += "/stream"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				testConversation(t, p, stream)
			})
		}
	}
}

func testConversation(t *testing.T, p peer, stream bool) {
	srv := startServer(t, Script{Turns: []Turn{{Text: "let me see", Calls: []Call{Shell("touch ran")}}}, Final: "the end"})
	side := p.send(t, srv, stream, false, "")
	if side.Text != "ok" || len(side.Calls) != 0 {
		t.Errorf("side request: %+v", side)
	}
	first := p.send(t, srv, stream, true, "")
	want := ToolCall{ID: "call0n0", Name: p.shell, Args: p.args}
	if first.Text != "let me see" || len(first.Calls) != 1 || first.Calls[0] != want {
		t.Errorf("first turn: %+v, want a call %+v", first, want)
	}
	again := p.send(t, srv, stream, true, "")
	if len(again.Calls) != 1 {
		t.Errorf("a retry got %+v, want the first turn again", again)
	}
	last := p.send(t, srv, stream, true, "denied: <no> \"way\"")
	if last.Text != "the end" || len(last.Calls) != 0 || last.FinishReason == first.FinishReason && p.protocol != Gemini {
		t.Errorf("last turn: %+v after %+v", last, first)
	}

	rec := srv.Record()
	if len(rec) != 4 || len(rec.Turns()) != 3 || !rec[0].Side || rec[1].Side {
		t.Fatalf("%d requests, %d turns, want 4 and 3, the first a side request", len(rec), len(rec.Turns()))
	}
	q, _ := rec.LastTurn()
	if q.Protocol != p.protocol || q.Model != "m" || q.Stream != stream || q.Turn != 1 || q.N != 4 {
		t.Errorf("last request: %s %q stream %v turn %d number %d", q.Protocol, q.Model, q.Stream, q.Turn, q.N)
	}
	if got := strings.Join(q.Texts(), "|"); !strings.Contains(got, "be brief|the prompt") || !strings.Contains(got, "a reminder") {
		t.Errorf("texts: %s", got)
	}
	res, ok := rec.Result(0, 0)
	if !ok || res.Text != `denied: <no> "way"` {
		t.Errorf("result %+v, %v", res, ok)
	}
	if canSayError := p.protocol == Anthropic || p.protocol == Gemini; res.IsError != canSayError {
		t.Errorf("result is an error: %v", res.IsError)
	}
	if call, ok := rec.Call(0, 0); !ok || call.Name != p.shell || !strings.Contains(call.Args, "touch ran") {
		t.Errorf("call %+v, %v", call, ok)
	}
	if !rec.ModelSaw(`<no> "way"`) || rec.ModelSaw("no such thing") {
		t.Error("Saw does not see")
	}
	if p := srv.Problems(); len(p) != 0 {
		t.Errorf("problems: %q", p)
	}
}
