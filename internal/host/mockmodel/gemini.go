package mockmodel

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

// A geminiWire implements Gemini's generateContent protocol.
type geminiWire struct{}

type geminiContent struct {
	Role  string `json:"role"`
	Parts []struct {
		Text         string `json:"text"`
		FunctionCall *struct {
			ID   string          `json:"id"`
			Name string          `json:"name"`
			Args json.RawMessage `json:"args"`
		} `json:"functionCall"`
		FunctionResponse *struct {
			ID       string          `json:"id"`
			Name     string          `json:"name"`
			Response json.RawMessage `json:"response"`
		} `json:"functionResponse"`
	} `json:"parts"`
}

func (geminiWire) read(q *Request) error {
	var in struct {
		System   *geminiContent  `json:"systemInstruction"`
		Contents []geminiContent `json:"contents"`
		Tools    []struct {
			Functions []struct {
				Name       string          `json:"name"`
				Schema     json.RawMessage `json:"parametersJsonSchema"`
				Parameters json.RawMessage `json:"parameters"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
		Config struct {
			Schema     json.RawMessage `json:"responseSchema"`
			JSONSchema json.RawMessage `json:"responseJsonSchema"`
		} `json:"generationConfig"`
	}
	if err := json.Unmarshal(q.Body, &in); err != nil {
		return fmt.Errorf("reading generateContent request: %w", err)
	}
	model, method, _ := strings.Cut(path.Base(q.Path), ":")
	q.Model, q.Stream = model, method == "streamGenerateContent"
	if q.Schema = in.Config.JSONSchema; q.Schema == nil {
		q.Schema = in.Config.Schema
	}
	if in.System != nil {
		q.Messages = systemMessage(in.System.toMessage().Texts)
	}
	for _, c := range in.Contents {
		q.Messages = append(q.Messages, c.toMessage())
	}
	for _, group := range in.Tools {
		for _, f := range group.Functions {
			tool := Tool{Name: f.Name}
			if len(f.Schema) == 0 {
				f.Schema = f.Parameters
			}
			tool.readSchema(f.Schema)
			q.Tools = append(q.Tools, tool)
		}
	}
	return nil
}

func (c geminiContent) toMessage() Message {
	m := Message{Role: c.Role}
	for _, p := range c.Parts {
		if p.Text != "" {
			m.Texts = append(m.Texts, p.Text)
		}
		if f := p.FunctionCall; f != nil {
			m.Calls = append(m.Calls, ToolCall{ID: f.ID, Name: f.Name, Args: string(f.Args)})
		}
		if f := p.FunctionResponse; f != nil {
			m.Results = append(m.Results, geminiResult(f.ID, f.Response))
		}
	}
	return m
}

// geminiResult returns the result in a response object, which usually has its text in output or error.
// The JSON of any other object is the text.
func geminiResult(id string, response json.RawMessage) ToolResult {
	var r struct {
		Output *string `json:"output"`
		Error  *string `json:"error"`
	}
	_ = json.Unmarshal(response, &r)
	switch {
	case r.Error != nil:
		return ToolResult{ID: id, Text: *r.Error, IsError: true}
	case r.Output != nil:
		return ToolResult{ID: id, Text: *r.Output}
	}
	return ToolResult{ID: id, Text: string(response)}
}

func (geminiWire) write(w stream, q Request, r reply) {
	parts := []any{}
	if r.text != "" {
		parts = append(parts, obj{"text": r.text})
	}
	said := len(parts)
	for _, c := range r.calls {
		parts = append(parts, obj{"functionCall": obj{"id": c.id, "name": c.tool.Name, "args": c.args}})
	}
	u := r.usage
	answer := func(reason string, parts []any) obj {
		candidate := obj{"index": 0, "content": obj{"role": "model", "parts": parts}}
		if reason != "" {
			candidate["finishReason"] = reason
		}
		return obj{
			"responseId": r.id, "modelVersion": r.model, "candidates": []any{candidate},
			"usageMetadata": obj{
				"promptTokenCount": u.Input, "cachedContentTokenCount": u.CachedRead,
				"candidatesTokenCount": u.Output - u.Reasoning, "thoughtsTokenCount": u.Reasoning, "totalTokenCount": u.Input + u.Output,
			},
		}
	}
	whole := answer(geminiReason(r), parts)
	switch {
	case r.fault == Blocked:
		whole = obj{"promptFeedback": obj{"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": whole["usageMetadata"], "modelVersion": r.model}
	case r.fault == Refusal && r.text == "":
		delete(whole["candidates"].([]any)[0].(obj), "content")
	}
	if !q.Stream {
		w.sendJSON(whole)
		return
	}
	w.beginEvents()
	if r.fault.interruptsAnswer() {
		sendInterruptedGemini(w, r, answer, parts, said)
		return
	}
	w.sendEvent("", whole)
}

// sendInterruptedGemini sends an answer up to the point where its fault interrupts it. A call is a
// single event, so half a call is half an event. said is the number of parts that are text.
func sendInterruptedGemini(w stream, r reply, answer func(string, []any) obj, parts []any, said int) {
	if said > 0 {
		w.sendEvent("", answer("", parts[:said]))
	}
	if len(parts) > said && r.fault == Cut {
		b, _ := json.Marshal(answer("STOP", parts[said:]))
		_, _ = w.w.Write([]byte("data: " + firstHalf(string(b))))
	}
	tell := func(e failure) { w.sendEvent("", geminiWire{}.failureBody(e)) }
	w.interrupt(tell, func(s string) bool { return w.sendEvent("", answer("", []any{obj{"text": s}})) })
}

func geminiReason(r reply) string {
	switch r.fault {
	case Length:
		return "MAX_TOKENS"
	case Refusal:
		return "SAFETY"
	}
	return "STOP"
}

func (geminiWire) answersFault(k FaultKind, _ bool) bool { return k == Blocked }

func (geminiWire) failureOf(k FaultKind) failure {
	switch k {
	case Unauthorized:
		return failure{400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."}
	case Forbidden:
		return failure{403, "PERMISSION_DENIED", "Your project has been denied access"}
	case RateLimited:
		return failure{429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details"}
	case Overloaded:
		return failure{503, "UNAVAILABLE", "The model is overloaded. Please try again later."}
	case Overflow:
		return failure{400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}
	}
	return failure{500, "INTERNAL", "An internal error has occurred. Please retry or report"}
}

func (geminiWire) failureBody(e failure) obj {
	if e.code == "" {
		e.code = "INTERNAL"
	}
	body := obj{"code": e.status, "message": e.message, "status": e.code}
	if e.status == 400 && e.code == "INVALID_ARGUMENT" && strings.HasPrefix(e.message, "API key") {
		body["details"] = []any{obj{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"}}
	}
	return obj{"error": body}
}
