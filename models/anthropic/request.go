package anthropic

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/models/provider"
)

// defaultMaxTokens is a limit that every model accepts. The API requires one.
const defaultMaxTokens = 8192

func params(c *provider.Call) (anthropic.MessageNewParams, error) {
	p := anthropic.MessageNewParams{Model: anthropic.Model(c.Model), MaxTokens: defaultMaxTokens}
	if c.MaxTokens > 0 {
		p.MaxTokens = int64(c.MaxTokens)
	}
	if c.Temperature != nil {
		p.Temperature = anthropic.Float(*c.Temperature)
	}
	for i := range c.Request.Messages {
		add(&p, &c.Request.Messages[i])
	}
	if len(p.Messages) == 0 { // which the API rejects
		for _, s := range p.System {
			p.Messages = append(p.Messages, anthropic.NewUserMessage(anthropic.NewTextBlock(s.Text)))
		}
		p.System = nil
	}
	for _, t := range c.Request.Tools {
		tool := anthropic.ToolParam{Name: t.Name}
		if t.Description != "" {
			tool.Description = anthropic.String(t.Description)
		}
		if err := schema(t.Parameters, &tool.InputSchema); err != nil {
			return p, fmt.Errorf("the parameters of tool %s: %w", t.Name, err)
		}
		p.Tools = append(p.Tools, anthropic.ToolUnionParam{OfTool: &tool})
	}
	if s := c.Request.Schema; s != nil {
		if err := json.Unmarshal(s.JSON, &p.OutputConfig.Format.Schema); err != nil {
			return p, fmt.Errorf("the schema of the answer: %w", err)
		}
	}
	return p, nil
}

// schema turns the parameters of a tool into the SDK's form of them.
func schema(raw json.RawMessage, out *anthropic.ToolInputSchemaParam) error {
	out.Type = "object" // or else a tool without parameters has no schema at all
	if len(raw) == 0 {
		return nil
	}
	var all map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		return err
	}
	delete(all, "type")
	out.ExtraFields = all
	return nil
}

// add adds a message. It merges successive messages of one role, with the results of tools
// first, because the API requires them directly after the calls.
func add(p *anthropic.MessageNewParams, m *model.Message) {
	text := strings.ToValidUTF8(m.Content, "\ufffd")
	said := strings.TrimSpace(text) != "" // other texts are refused
	role := anthropic.MessageParamRoleUser
	var blocks []anthropic.ContentBlockParamUnion
	results := 0
	switch m.Role {
	case model.System:
		if said {
			p.System = append(p.System, anthropic.TextBlockParam{Text: text})
		}
		return
	case model.ToolRole:
		blocks, results = append(blocks, result(m, text, said)), 1
	case model.Assistant:
		role = anthropic.MessageParamRoleAssistant
		if said {
			blocks = append(blocks, anthropic.NewTextBlock(text))
		}
		for _, call := range m.ToolCalls {
			blocks = append(blocks, anthropic.NewToolUseBlock(callID(call.ID), input(call.Function.Arguments), call.Function.Name))
		}
	default:
		if said {
			blocks = append(blocks, anthropic.NewTextBlock(text))
		}
	}
	if len(blocks) == 0 {
		return
	}
	last := len(p.Messages) - 1
	if last < 0 || p.Messages[last].Role != role {
		p.Messages = append(p.Messages, anthropic.MessageParam{Role: role, Content: blocks})
		return
	}
	at := &p.Messages[last].Content
	where := len(*at)
	if results > 0 {
		where = 0
		for where < len(*at) && (*at)[where].OfToolResult != nil {
			where++
		}
	}
	*at = slices.Insert(*at, where, blocks...)
}

func result(m *model.Message, text string, said bool) anthropic.ContentBlockParamUnion {
	r := anthropic.NewToolResultBlock(callID(m.ToolCallID), text, m.IsError)
	if !said {
		r.OfToolResult.Content = nil
	}
	return r
}

// input returns args, the arguments of an earlier tool call by a model. It returns an empty
// object if args is not a JSON object, because the API accepts only objects.
func input(args string) json.RawMessage {
	if rawjson.CheckObject([]byte(args)) != nil {
		return json.RawMessage("{}")
	}
	return json.RawMessage(args)
}

// callID returns id, the id of a call that another provider may have chosen, with _ in place
// of characters that the API rejects.
func callID(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, id)
}
