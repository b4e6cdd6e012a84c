package mockmodel

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

// geminiWire speaks Gemini's generateContent.
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
	}
	if err := json.Unmarshal(q.Body, &in); err != nil {
		return fmt.Errorf("reading generateContent request: %w", err)
	}
	model, method, _ := strings.Cut(path.Base(q.Path), ":")
	q.Model, q.Stream = model, method == "streamGenerateContent"
	if in.System != nil {
		q.Messages = instructions(in.System.common().Texts)
	}
	for _, c := range in.Contents {
		q.Messages = append(q.Messages, c.common())
	}
	for _, group := range in.Tools {
		for _, f := range group.Functions {
			tool := Tool{Name: f.Name}
			if len(f.Schema) == 0 {
				f.Schema = f.Parameters
			}
			tool.schema(f.Schema)
			q.Tools = append(q.Tools, tool)
		}
	}
	return nil
}

func (c geminiContent) common() Message {
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

// geminiResult reads a response object, which by custom has its text under
// output or error; any other form is the text itself.
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
	for _, c := range r.calls {
		parts = append(parts, obj{"functionCall": obj{"id": c.id, "name": c.tool.Name, "args": c.args}})
	}
	answer := obj{
		"responseId": r.id, "modelVersion": r.model,
		"candidates": []any{obj{
			"index": 0, "content": obj{"role": "model", "parts": parts}, "finishReason": "STOP",
		}},
		"usageMetadata": obj{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
	}
	if !q.Stream {
		w.json(answer)
		return
	}
	w.begin()
	w.event("", answer)
}
