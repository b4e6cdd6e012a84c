package model

import (
	"encoding/json"
	"fmt"

	"github.com/checkrein/checkrein/internal/rawjson"
)

// What is sent, in the words of chat completions.

type chatRequest struct {
	Model       string        `json:"model"`
	Messages    []chatMessage `json:"messages"`
	Tools       []chatTool    `json:"tools,omitempty"`
	Stream      bool          `json:"stream"`
	Options     streamOptions `json:"stream_options"`
	MaxTokens   int           `json:"max_tokens,omitempty"`
	Completion  int           `json:"max_completion_tokens,omitempty"`
	Temperature *float64      `json:"temperature,omitempty"`
}

type streamOptions struct {
	Usage bool `json:"include_usage"`
}

type chatMessage struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type chatTool struct {
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

func (c *chat) request(req Request) chatRequest {
	out := chatRequest{Model: c.model.Model, Stream: true, Options: streamOptions{Usage: true}, Temperature: c.model.Temperature}
	if c.model.Provider == "openai" { // whose newer models take no other word
		out.Completion = c.model.MaxTokens
	} else {
		out.MaxTokens = c.model.MaxTokens
	}
	for i := range req.Messages {
		m := &req.Messages[i]
		w := chatMessage{Role: m.Role, Content: m.Content, ToolCallID: m.ToolCallID}
		for _, call := range m.ToolCalls {
			if rawjson.CheckObject([]byte(call.Function.Arguments)) != nil {
				// Engines read what a model wrote earlier, and some end the
				// whole request over it.
				call.Function.Arguments = "{}"
			}
			if call.Type == "" {
				call.Type = "function"
			}
			w.ToolCalls = append(w.ToolCalls, call)
		}
		out.Messages = append(out.Messages, w)
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, chatTool{"function", chatFunction(t)})
	}
	return out
}

// cost is the price of a call, nil when nobody knows it.
func (c *chat) cost(u *Usage) *float64 {
	m := &c.model
	if u == nil || m.InputPrice == nil || m.OutputPrice == nil {
		return nil
	}
	price := func(p *float64) float64 {
		if p == nil {
			return *m.InputPrice
		}
		return *p
	}
	fresh := max(0, u.Input-u.CachedInput-u.CachedWrite)
	sum := float64(fresh)**m.InputPrice + float64(u.CachedInput)*price(m.CachedPrice) +
		float64(u.CachedWrite)*price(m.CacheWritePrice) + float64(u.Output)**m.OutputPrice
	sum /= 1e6
	return &sum
}

// number gives each tool call an id that no other of the conversation has.
func (a *Answer) number(messages int) {
	seen := make(map[string]bool, len(a.ToolCalls))
	for i := range a.ToolCalls {
		c := &a.ToolCalls[i]
		for n := i; c.ID == "" || seen[c.ID]; n++ {
			c.ID = fmt.Sprintf("call_%d_%d", messages, n)
		}
		seen[c.ID] = true
	}
}
