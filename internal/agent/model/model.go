// Package model is how the runtime calls language models: one interface, a
// scripted model that needs no key, and models of providers, which a program of its own
// calls.
package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// The roles of messages.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
	ToolRole  = "tool"
)

// A Message is one entry of a conversation. Its JSON is what hooks on
// before_llm_call read and may rewrite.
type Message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`   // of an assistant
	ToolCallID string     `json:"tool_call_id,omitempty"` // which call a tool's message answers
	IsError    bool       `json:"is_error,omitempty"`
	CreatedAt  time.Time  `json:"created_at,omitzero"`
	Model      string     `json:"model,omitempty"`
	Usage      *Usage     `json:"usage,omitempty"`
	Cost       *float64   `json:"cost,omitempty"`
	Agent      string     `json:"agent_name,omitempty"` // who said it
}

// A ToolCall is a model's wish to call a tool.
type ToolCall struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"` // function
	Function Function `json:"function"`
}

// A Function is the tool that is to be called. Arguments are what the model
// wrote, which is meant to be a JSON object and may be anything.
type Function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Usage is what a call consumed, as the provider reported it.
type Usage struct {
	Input       int `json:"input_tokens"`
	Output      int `json:"output_tokens"`
	CachedInput int `json:"cached_input_tokens"`
	CachedWrite int `json:"cached_write_tokens"`
	Reasoning   int `json:"reasoning_tokens,omitempty"`
}

// A Definition is a tool as models are told of it.
type Definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // a JSON schema
}

// A Request is one call of a model.
type Request struct {
	Messages []Message    `json:"messages"`
	Tools    []Definition `json:"tools,omitempty"`
	Schema   *Schema      `json:"schema,omitempty"` // of the answer's text; nil = any text
}

// A Schema is what the text of an answer must be like. Providers that can, hold the
// model to it; others may answer with anything.
type Schema struct {
	Name string          `json:"name"`
	JSON json.RawMessage `json:"json"` // a JSON schema
}

// An Answer is what a model said: text, calls, or both.
type Answer struct {
	Text      string     `json:"text,omitempty"`
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	Usage     *Usage     `json:"usage,omitempty"`   // nil = the provider reported none
	Cost      *float64   `json:"cost,omitempty"`    // in USD; nil = no price is known
	Model     string     `json:"model,omitempty"`   // the ID of the model that answered, where several could have; "" = the only one
	Refused   bool       `json:"refused,omitempty"` // the text is why the model does not answer
	// Doubt is why the text may not be what the model said, as a whole and on its own: the
	// provider cut it off, or ended it with an unknown word; "" = it is that.
	Doubt string `json:"doubt,omitempty"`
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

// A Model answers. It is safe for concurrent use.
type Model interface {
	// ID is provider/model.
	ID() string
	// ContextLimit is how many tokens fit; 0 = unknown.
	ContextLimit() int
	// Endpoint is where the model is served, for hooks that manage engines.
	Endpoint() Endpoint
	// Call calls the model. Delta, if not nil, gets the text as it comes, in
	// the order of the answer. A call that does not fit is an [ErrOverflow].
	Call(ctx context.Context, req Request, delta func(string)) (Answer, error)
}

// An Endpoint is what on_agent_switch tells of an agent's model.
type Endpoint struct {
	Provider  string `json:"provider"`
	Model     string `json:"model"`
	BaseURL   string `json:"base_url,omitempty"`
	UnloadAPI string `json:"unload_api,omitempty"`
}

// ErrOverflow reports that the conversation is longer than the model takes.
var ErrOverflow = errors.New("the conversation does not fit into the model's context")
