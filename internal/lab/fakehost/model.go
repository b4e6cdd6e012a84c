package fakehost

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// modelName is the model that the host requests.
const modelName = "claude-opus-5-5"

// A message is one entry of a conversation. Its content is a string or a list of blocks.
type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

// A contentBlock is a part of a message.
type contentBlock struct {
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	Content   any             `json:"content,omitempty"` // of a tool result: a string or blocks
	IsError   *bool           `json:"is_error,omitempty"`
}

// A modelReply is one answer of the model.
type modelReply struct {
	id, reason string
	blocks     []contentBlock
}

// text returns the text blocks of the reply, one per line.
func (a modelReply) text() string {
	var texts []string
	for _, b := range a.blocks {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// queryModel sends the conversation to the model at ANTHROPIC_BASE_URL and returns its reply.
func (s *session) queryModel(ctx context.Context, messages []message, tools []tool) (modelReply, error) {
	offered := []map[string]any{}
	for _, t := range tools {
		offered = append(offered, map[string]any{"name": t.name, "description": t.about, "input_schema": t.schema})
	}
	who := fmt.Sprintf(`{"device_id":"fake","account_uuid":"","session_id":%q}`, s.id)
	body, err := json.Marshal(map[string]any{
		"model": modelName, "max_tokens": 64000, "stream": true, "messages": messages, "tools": offered,
		"metadata": map[string]any{"user_id": who},
		"system": []contentBlock{
			{Type: "text", Text: "x-anthropic-billing-header: cc_version=" + s.build.version() + "; cc_entrypoint=sdk-cli;"},
			{Type: "text", Text: "You are a Claude agent, built on Anthropic's Claude Agent SDK."},
		},
	})
	if err != nil {
		return modelReply{}, err
	}
	base := os.Getenv("ANTHROPIC_BASE_URL")
	if base == "" {
		return modelReply{}, fmt.Errorf("API Error: no model: set ANTHROPIC_BASE_URL")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/messages?beta=true", bytes.NewReader(body))
	if err != nil {
		return modelReply{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Api-Key", os.Getenv("ANTHROPIC_API_KEY"))
	req.Header.Set("Anthropic-Version", "2023-06-01")
	req.Header.Set("User-Agent", "claude-cli/"+s.build.version()+" (external, sdk-cli)")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return modelReply{}, fmt.Errorf("API Error: Connection error: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 4096)) // part of the message will do
		return modelReply{}, fmt.Errorf("API Error: %d %s", res.StatusCode, text)
	}
	return readStream(res.Body)
}

// readStream reads server-sent events until message_stop and returns the reply that they describe.
func readStream(r io.Reader) (modelReply, error) {
	var a modelReply
	var inputs []string
	lines := bufio.NewReader(r)
	for {
		text, err := lines.ReadBytes('\n')
		data, is := bytes.CutPrefix(bytes.TrimSpace(text), []byte("data: "))
		if !is {
			if err != nil {
				return a, fmt.Errorf("API Error: the stream ended early: %w", err)
			}
			continue
		}
		var e struct {
			Type    string `json:"type"`
			Index   int    `json:"index"`
			Message struct {
				ID string `json:"id"`
			} `json:"message"`
			Block contentBlock `json:"content_block"`
			Delta struct {
				Text   string `json:"text"`
				JSON   string `json:"partial_json"`
				Reason string `json:"stop_reason"`
			} `json:"delta"`
			Error struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if err := json.Unmarshal(data, &e); err != nil {
			return a, fmt.Errorf("API Error: %w", err)
		}
		switch e.Type {
		case "message_start":
			a.id = e.Message.ID
		case "content_block_start":
			a.blocks, inputs = append(a.blocks, e.Block), append(inputs, "")
		case "content_block_delta":
			if e.Index >= len(a.blocks) {
				return a, fmt.Errorf("API Error: delta for block %d, but only %d blocks began", e.Index, len(a.blocks))
			}
			a.blocks[e.Index].Text += e.Delta.Text
			inputs[e.Index] += e.Delta.JSON
		case "message_delta":
			a.reason = e.Delta.Reason
		case "error":
			return a, fmt.Errorf("API Error: %s", e.Error.Message)
		case "message_stop":
			for i, in := range inputs {
				if in != "" && json.Valid([]byte(in)) {
					a.blocks[i].Input = json.RawMessage(in)
				}
			}
			return a, nil
		}
	}
}
