// Package anthropic asks models that are served as Anthropic Messages.
package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/model/line"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/models/provider"
)

// Ask is the [provider.Wire].
func Ask(ctx context.Context, c *provider.Call, delta func(string)) (model.Answer, error) {
	opts, err := options(c)
	if err != nil {
		return model.Answer{}, err
	}
	body, err := params(c)
	if err != nil {
		return model.Answer{}, err
	}
	messages := anthropic.NewMessageService(opts...)
	stream := messages.NewStreaming(ctx, body)
	defer func() { _ = stream.Close() }()
	b := builder{delta: delta, calls: map[int64]*call{}}
	for stream.Next() {
		e := stream.Current()
		if err := b.add(&e); err != nil {
			return model.Answer{}, err
		}
	}
	if err := stream.Err(); err != nil {
		if odd := (*json.UnmarshalTypeError)(nil); errors.As(err, &odd) {
			return model.Answer{}, line.Faultf(line.Garbled, "the answer is garbled: %v", err)
		}
		return model.Answer{}, err
	}
	if !b.ended {
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
		option.WithoutOpenTelemetry(),
		option.WithHeader("User-Agent", "checkrein/"+build.Version),
	}
	for name, values := range base.Query() {
		for _, v := range values {
			opts = append(opts, option.WithQueryAdd(name, v))
		}
	}
	base.RawQuery = ""
	// The SDK writes the version itself; people who know other providers write it,
	// too.
	base.Path = strings.TrimSuffix(strings.TrimRight(base.Path, "/"), "/v1")
	opts = append(opts, option.WithBaseURL(base.String()))
	if c.Key != "" {
		opts = append(opts, option.WithAPIKey(c.Key))
	}
	return opts, nil
}

// A builder puts an answer together.
type builder struct {
	delta func(string)
	text  strings.Builder
	calls map[int64]*call // by index
	order []*call
	usage *model.Usage
	stop  anthropic.StopReason
	ended bool
	doubt string // why it may not be all that was said
}

type call struct {
	id, name string
	whole    string // the arguments, if they came with the beginning
	parts    strings.Builder
}

// add adds an event.
func (b *builder) add(e *anthropic.MessageStreamEventUnion) error {
	switch e.Type {
	case "message_start":
		if b.usage != nil {
			b.doubt = provider.Several
		}
		u := e.Message.Usage
		b.usage = &model.Usage{
			CachedInput: count(u.CacheReadInputTokens), CachedWrite: count(u.CacheCreationInputTokens),
			Output: count(u.OutputTokens), Reasoning: count(u.OutputTokensDetails.ThinkingTokens),
		}
		b.usage.Input = count(u.InputTokens) + b.usage.CachedInput + b.usage.CachedWrite
	case "content_block_start":
		return b.begin(e)
	case "content_block_delta":
		b.grow(e)
	case "message_delta":
		if b.stop != "" && e.Delta.StopReason != b.stop {
			b.doubt = fmt.Sprintf("the provider ended its reply twice, by %q and %q", b.stop, e.Delta.StopReason)
		}
		b.stop, b.ended = e.Delta.StopReason, e.Delta.StopReason != ""
		b.count(&e.Usage)
	case "message_stop":
		b.ended = true
	}
	return nil
}

func (b *builder) begin(e *anthropic.MessageStreamEventUnion) error {
	switch block := e.ContentBlock; block.Type {
	case "text":
		b.say(block.Text)
	case "tool_use":
		if len(b.order) == provider.MaxCalls {
			return provider.ErrTooManyCalls()
		}
		use := block.AsToolUse()
		c := &call{id: use.ID, name: use.Name, whole: string(use.Input)}
		b.calls[e.Index] = c
		b.order = append(b.order, c)
	}
	return nil
}

func (b *builder) grow(e *anthropic.MessageStreamEventUnion) {
	switch e.Delta.Type {
	case "text_delta":
		b.say(e.Delta.Text)
	case "input_json_delta":
		if c := b.calls[e.Index]; c != nil {
			c.parts.WriteString(e.Delta.PartialJSON)
		}
	}
}

func (b *builder) say(s string) {
	b.text.WriteString(s)
	if s != "" && b.delta != nil {
		b.delta(s)
	}
}

// count reads the totals at the end of an answer. Those that it leaves out stay what
// they were at the beginning.
func (b *builder) count(u *anthropic.MessageDeltaUsage) {
	if b.usage == nil {
		b.usage = &model.Usage{}
	}
	fresh := b.usage.Input - b.usage.CachedInput - b.usage.CachedWrite
	if u.JSON.InputTokens.Valid() {
		fresh = count(u.InputTokens)
	}
	if u.JSON.CacheReadInputTokens.Valid() {
		b.usage.CachedInput = count(u.CacheReadInputTokens)
	}
	if u.JSON.CacheCreationInputTokens.Valid() {
		b.usage.CachedWrite = count(u.CacheCreationInputTokens)
	}
	if u.JSON.OutputTokens.Valid() {
		b.usage.Output = count(u.OutputTokens)
	}
	if u.JSON.OutputTokensDetails.Valid() {
		b.usage.Reasoning = count(u.OutputTokensDetails.ThinkingTokens)
	}
	b.usage.Input = fresh + b.usage.CachedInput + b.usage.CachedWrite
}

func count(n int64) int { return int(max(0, n)) }

func (b *builder) answer() (model.Answer, error) {
	a := model.Answer{Text: b.text.String(), Usage: b.usage, Doubt: b.doubt}
	for _, c := range b.order {
		args := c.parts.String()
		if args == "" {
			args = c.whole
		}
		a.ToolCalls = append(a.ToolCalls, model.ToolCall{ID: c.id, Function: model.Function{Name: c.name, Arguments: args}})
	}
	switch b.stop {
	case anthropic.StopReasonMaxTokens, anthropic.StopReasonModelContextWindowExceeded:
		return provider.Finish(a, provider.Length)
	case anthropic.StopReasonRefusal:
		// What it said before is not its answer.
		a.Refused, a.ToolCalls = true, nil
		return provider.Finish(a, provider.Filtered)
	case anthropic.StopReasonEndTurn:
		return provider.Finish(a, provider.Stopped)
	case anthropic.StopReasonToolUse:
		if len(a.ToolCalls) > 0 {
			return provider.Finish(a, provider.Stopped)
		}
	}
	return provider.Finish(a, provider.Odd) // no sequence that stops it was asked for
}
