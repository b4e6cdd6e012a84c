// Package openai asks models that are served as chat completions: OpenAI's, and those
// of the many engines that speak like it. The SDK makes and sends requests and reads
// the stream; each event of it is read here once more, for engines write what the
// SDK's types have no place for.
package openai

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/models/provider"
)

// Ask is the [provider.Wire].
func Ask(ctx context.Context, c *provider.Call, delta func(string)) (model.Answer, error) {
	opts, err := options(c)
	if err != nil {
		return model.Answer{}, err
	}
	chat := openai.NewChatCompletionService(opts...)
	body, err := params(c)
	if err != nil {
		return model.Answer{}, err
	}
	stream := chat.NewStreaming(ctx, body)
	defer func() { _ = stream.Close() }()
	b := builder{delta: delta}
	for stream.Next() {
		chunk := stream.Current()
		if err := b.read(chunk.RawJSON()); err != nil {
			return model.Answer{}, err
		}
	}
	if err := stream.Err(); err != nil {
		return model.Answer{}, err
	}
	if b.finish == "" && !c.IsDone() {
		return model.Answer{}, provider.ErrBroken()
	}
	return b.answer()
}

func options(c *provider.Call) ([]option.RequestOption, error) {
	base, err := url.Parse(c.BaseURL)
	if err != nil {
		return nil, err
	}
	opts := []option.RequestOption{
		option.WithHTTPClient(c.HTTP),
		option.WithMaxRetries(0), // they are made and counted in provider
		option.WithHeader("User-Agent", "checkrein/"+build.Version),
		option.WithHeader("Accept", "text/event-stream, application/json"),
	}
	for name, values := range base.Query() { // which the SDK drops
		for _, v := range values {
			opts = append(opts, option.WithQueryAdd(name, v))
		}
	}
	base.RawQuery = ""
	opts = append(opts, option.WithBaseURL(base.String()))
	if c.Key != "" {
		opts = append(opts, option.WithAPIKey(c.Key))
	}
	return opts, nil
}

func params(c *provider.Call) (openai.ChatCompletionNewParams, error) {
	p := openai.ChatCompletionNewParams{
		Model:         c.Model,
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	if c.Temperature != nil {
		p.Temperature = openai.Float(*c.Temperature)
	}
	switch {
	case c.MaxTokens <= 0:
	case c.Provider == "openai": // whose newer models take no other word
		p.MaxCompletionTokens = openai.Int(int64(c.MaxTokens))
	default:
		p.MaxTokens = openai.Int(int64(c.MaxTokens))
	}
	for i := range c.Request.Messages {
		p.Messages = append(p.Messages, message(&c.Request.Messages[i]))
	}
	for _, t := range c.Request.Tools {
		f := shared.FunctionDefinitionParam{Name: t.Name}
		if t.Description != "" {
			f.Description = openai.String(t.Description)
		}
		if len(t.Parameters) > 0 {
			if err := json.Unmarshal(t.Parameters, &f.Parameters); err != nil {
				return p, err
			}
		}
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(f))
	}
	if s := c.Request.Schema; s != nil {
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: s.Name, Schema: s.JSON, Strict: openai.Bool(true)},
		}
	}
	return p, nil
}

func message(m *model.Message) openai.ChatCompletionMessageParamUnion {
	content := strings.ToValidUTF8(m.Content, "\ufffd")
	switch m.Role {
	case model.System:
		return openai.SystemMessage(content)
	case model.User:
		return openai.UserMessage(content)
	case model.ToolRole:
		return openai.ToolMessage(content, m.ToolCallID)
	case model.Assistant:
		return assistant(m, content)
	}
	// A hook may have written a role that only its engine knows.
	return param.Override[openai.ChatCompletionMessageParamUnion](map[string]string{"role": m.Role, "content": content})
}

func assistant(m *model.Message, content string) openai.ChatCompletionMessageParamUnion {
	var a openai.ChatCompletionAssistantMessageParam
	a.Content.OfString = openai.String(content)
	for _, call := range m.ToolCalls {
		args := call.Function.Arguments
		if rawjson.CheckObject([]byte(args)) != nil {
			// Engines read what a model wrote earlier, and some end the whole
			// request over it.
			args = "{}"
		}
		a.ToolCalls = append(a.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
			ID:       call.ID,
			Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: call.Function.Name, Arguments: args},
		}})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: &a}
}
