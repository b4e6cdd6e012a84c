package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/model/line"
	"github.com/checkrein/checkrein/models/provider"
)

// A chunk is one event of a streamed completion, or a whole completion.
type chunk struct {
	Choices []struct {
		Index   int    `json:"index"`
		Delta   piece  `json:"delta"`
		Message piece  `json:"message"`
		Finish  string `json:"finish_reason"`
	} `json:"choices"`
	Usage *usage `json:"usage"`
}

// A piece is what a chunk adds to the message.
type piece struct {
	Content content    `json:"content"`
	Refusal content    `json:"refusal"`
	Calls   []callPart `json:"tool_calls"`
}

type callPart struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
	} `json:"function"`
}

// content is a text, or a list of parts of which some have one.
type content string

func (c *content) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*c = content(s)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*c += content(p.Text)
	}
	return nil
}

// arguments are a text with JSON in it. Some engines send the object itself.
type arguments string

func (a *arguments) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*a = arguments(s)
		return nil
	}
	*a = arguments(b)
	return nil
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	In         struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Out struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// A builder puts an answer together.
type builder struct {
	delta   func(string)
	text    strings.Builder
	calls   []*call
	usage   *model.Usage
	finish  string
	refused bool
	begun   bool
	index   int    // of the choice that counts: the first that came
	doubt   string // why it may not be all that was said
}

type call struct {
	index    int
	id, name string
	args     strings.Builder
}

// read adds an event.
func (b *builder) read(raw string) error {
	var c chunk
	if err := json.Unmarshal([]byte(raw), &c); err != nil {
		return line.Faultf(line.Garbled, "the answer is garbled: %v", err)
	}
	return b.add(&c)
}

func (b *builder) add(c *chunk) error {
	if u := c.Usage; u != nil {
		b.usage = &model.Usage{Input: max(0, u.Prompt), Output: max(0, u.Completion), CachedInput: max(0, u.In.Cached), Reasoning: max(0, u.Out.Reasoning)}
	}
	if len(c.Choices) == 0 {
		return nil
	}
	choice := &c.Choices[0] // only one is asked for
	if !b.begun {
		b.begun, b.index = true, choice.Index
	}
	if len(c.Choices) > 1 || choice.Index != b.index {
		b.doubt = provider.Several
	}
	if choice.Index != b.index {
		return nil
	}
	for _, p := range [...]*piece{&choice.Delta, &choice.Message} {
		if s := string(p.Content) + string(p.Refusal); s != "" {
			b.text.WriteString(s)
			if b.delta != nil {
				b.delta(s)
			}
		}
		b.refused = b.refused || p.Refusal != ""
		for i := range p.Calls {
			if err := b.call(&p.Calls[i]); err != nil {
				return err
			}
		}
	}
	if choice.Finish != "" && b.finish != "" && choice.Finish != b.finish {
		b.doubt = fmt.Sprintf("the provider ended its reply twice, by %q and %q", b.finish, choice.Finish)
	}
	if choice.Finish != "" {
		b.finish = choice.Finish
	}
	return nil
}

// call adds a piece of a tool call to the call that it belongs to: the one with
// its index. Some engines send every call whole and as the first one, or without
// an index; another id then begins another call.
func (b *builder) call(p *callPart) error {
	var at *call
	for _, c := range b.calls {
		if p.Index == nil || c.index == *p.Index {
			at = c
		}
	}
	begins := p.Function.Name != "" && (p.ID != "" || p.Index == nil)
	if at == nil || begins && at.name != "" && at.id != p.ID || begins && p.Index == nil && p.ID == "" {
		if len(b.calls) == provider.MaxCalls {
			return provider.ErrTooManyCalls()
		}
		at = &call{index: len(b.calls)}
		if p.Index != nil {
			at.index = *p.Index
		}
		b.calls = append(b.calls, at)
	}
	if at.id == "" {
		at.id = p.ID
	}
	if at.name == "" {
		at.name = p.Function.Name
	}
	at.args.WriteString(string(p.Function.Arguments))
	return nil
}

func (b *builder) answer() (model.Answer, error) {
	a := model.Answer{Text: b.text.String(), Usage: b.usage, Refused: b.refused, Doubt: b.doubt}
	for _, c := range b.calls {
		a.ToolCalls = append(a.ToolCalls, model.ToolCall{ID: c.id, Function: model.Function{Name: c.name, Arguments: c.args.String()}})
	}
	end := provider.Odd
	switch b.finish {
	case "stop":
		end = provider.Stopped
	case "tool_calls", "function_call":
		if len(a.ToolCalls) > 0 {
			end = provider.Stopped
		}
	case "length":
		end = provider.Length
	case "content_filter":
		end = provider.Filtered
	}
	return provider.Finish(a, end)
}
