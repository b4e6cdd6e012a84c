package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxEvent bounds one event of a stream.
const maxEvent = 4 << 20

// events reads server-sent events and hands out the data of each until each
// returns false, or the stream ends.
func events(src io.Reader, each func(data []byte) (bool, error)) error {
	sc := bufio.NewScanner(src)
	sc.Buffer(make([]byte, 0, 64<<10), maxEvent)
	var data []byte
	some := false // the event has data, which may be empty
	give := func() (bool, error) {
		if !some {
			return true, nil
		}
		some = false
		more, err := each(data)
		data = data[:0]
		return more, err
	}
	first := true
	for sc.Scan() {
		line := bytes.TrimSuffix(sc.Bytes(), []byte("\r"))
		if first {
			line, first = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), false
		}
		if len(line) == 0 {
			if more, err := give(); err != nil || !more {
				return err
			}
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "data":
			if some {
				data = append(data, '\n')
			}
			if data, some = append(data, value...), true; len(data) > maxEvent {
				return errors.New("an event of the stream is too long")
			}
		case "", "event", "id", "retry": // comments, and what says nothing here
		default:
			return garbage(line)
		}
	}
	if err := sc.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return errors.New("a line of the stream is too long")
		}
		return err
	}
	_, err := give() // servers forget the last empty line
	return err
}

// A garbled error is about bytes that are no part of an answer.
type garbled struct{ bytes []byte }

func (g *garbled) Error() string { return fmt.Sprintf("the answer is garbled at %q", g.bytes) }

func garbage(b []byte) error { return &garbled{bytes.Clone(b[:min(len(b), 80)])} }

// errBroken says that a stream ended before the answer did.
var errBroken = errors.New("the answer broke off")

// A chunk is one event of a streamed completion, or a whole completion.
type chunk struct {
	Choices []struct {
		Delta   piece  `json:"delta"`
		Message piece  `json:"message"`
		Finish  string `json:"finish_reason"`
	} `json:"choices"`
	Usage *chatUsage      `json:"usage"`
	Error json.RawMessage `json:"error"`
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

type chatUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	In         struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Out struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// readStream reads an answer that comes in pieces.
func readStream(src io.Reader, delta func(string)) (Answer, error) {
	b := builder{delta: delta}
	err := events(src, func(data []byte) (bool, error) {
		if bytes.Equal(bytes.TrimSpace(data), []byte("[DONE]")) {
			b.done = true
			return false, nil
		}
		c, err := readChunk(data)
		if err != nil {
			return false, err
		}
		return true, b.add(c)
	})
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errBroken
	}
	if err == nil && !b.done && b.finish == "" {
		err = errBroken
	}
	if err != nil {
		return Answer{}, err
	}
	return b.answer()
}

// readWhole reads an answer that comes at once.
func readWhole(src io.Reader, delta func(string)) (Answer, error) {
	data, err := io.ReadAll(src)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errBroken
	}
	if err != nil {
		return Answer{}, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return Answer{}, errEmpty
	}
	c, err := readChunk(data)
	if err != nil {
		return Answer{}, err
	}
	b := builder{delta: delta}
	if err := b.add(c); err != nil {
		return Answer{}, err
	}
	return b.answer()
}

func readChunk(data []byte) (chunk, error) {
	var c chunk
	if !utf8.Valid(data) {
		return c, fmt.Errorf("the answer is not UTF-8: %w", garbage(data))
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, garbage(data)
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return c, inBand(c.Error)
	}
	return c, nil
}

var errEmpty = errors.New("the answer is empty")

// maxCalls bounds the tool calls of one answer.
const maxCalls = 128

// A builder puts an answer together.
type builder struct {
	delta  func(string)
	text   strings.Builder
	calls  []*callBuilder
	usage  *Usage
	finish string
	done   bool
}

type callBuilder struct {
	index    int
	id, name string
	args     strings.Builder
}

func (b *builder) add(c chunk) error {
	if u := c.Usage; u != nil {
		b.usage = &Usage{Input: max(0, u.Prompt), Output: max(0, u.Completion), CachedInput: max(0, u.In.Cached), Reasoning: max(0, u.Out.Reasoning)}
	}
	if len(c.Choices) == 0 {
		return nil
	}
	choice := &c.Choices[0] // only one is asked for
	for _, p := range [...]*piece{&choice.Delta, &choice.Message} {
		if s := string(p.Content) + string(p.Refusal); s != "" {
			b.text.WriteString(s)
			if b.delta != nil {
				b.delta(s)
			}
		}
		for i := range p.Calls {
			if err := b.call(&p.Calls[i]); err != nil {
				return err
			}
		}
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
	var at *callBuilder
	for _, c := range b.calls {
		if p.Index == nil || c.index == *p.Index {
			at = c
		}
	}
	begins := p.Function.Name != "" && (p.ID != "" || p.Index == nil)
	if at == nil || begins && at.name != "" && at.id != p.ID || begins && p.Index == nil && p.ID == "" {
		if len(b.calls) == maxCalls {
			return fmt.Errorf("the answer calls more than %d tools", maxCalls)
		}
		at = &callBuilder{index: len(b.calls)}
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

func (b *builder) answer() (Answer, error) {
	a := Answer{Text: b.text.String(), Usage: b.usage}
	for _, c := range b.calls {
		if c.name == "" {
			return Answer{}, errors.New("the answer calls a tool without a name")
		}
		args := c.args.String()
		if strings.TrimSpace(args) == "" {
			args = "{}"
		}
		a.ToolCalls = append(a.ToolCalls, ToolCall{ID: c.id, Type: "function", Function: Function{Name: c.name, Arguments: args}})
	}
	switch {
	case b.finish == "length" && len(a.ToolCalls) > 0:
		return Answer{}, errors.New("the answer was cut off in the middle of a tool call: raise max_tokens")
	case a.Text == "" && len(a.ToolCalls) == 0 && b.finish == "length":
		return Answer{}, fmt.Errorf("%w: the model used all of its max_tokens before it said anything", errEmpty)
	case a.Text == "" && len(a.ToolCalls) == 0 && b.finish == "content_filter":
		return Answer{}, fmt.Errorf("%w: the provider's content filter took it out", errEmpty)
	case a.Text == "" && len(a.ToolCalls) == 0:
		return Answer{}, errEmpty
	}
	return a, nil
}
