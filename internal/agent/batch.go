package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/tool"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/text/card"
)

// maxAlike is how often in a row a model may ask for the same calls.
const maxAlike = 5

// A call is a tool call on its way to the tool.
type call struct {
	id    string
	spec  *tool.Tool
	input json.RawMessage
}

// about reports which call an event is about.
func (c *call) about(ev *checkrein.Event) {
	ev.Tool = &checkrein.Tool{Name: c.spec.Name, Canonical: c.spec.Canonical, Category: c.spec.Category, CallID: c.id, Input: c.input}
}

// A batchMark counts how often the same calls came in a row.
type batchMark struct {
	text string
	n    int
}

// add counts a batch. Tools that poll by nature do not count.
func (b *batchMark) add(who *member, calls []model.ToolCall) int {
	var text strings.Builder
	for _, c := range calls {
		if spec := who.tool(c.Function.Name); spec != nil && spec.Polling {
			*b = batchMark{}
			return 0
		}
		text.WriteString(c.Function.Name + "\x00" + c.Function.Arguments + "\x00")
	}
	if text.String() != b.text {
		*b = batchMark{text: text.String()}
	}
	b.n++
	return b.n
}

// batch runs the calls of one answer. Calls that change nothing run together,
// the others in the order in which the model wrote them, so that a later one
// finds what an earlier one made. It returns the outcome that ends the run, if
// any; then the calls that have not run are answered all the same.
func (t *thread) batch(ctx context.Context, calls []model.ToolCall) *engine.Outcome {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var stop *engine.Outcome
	t.change(func(b *tab) { b.rejected = false })
	for len(calls) > 0 {
		n := t.together(calls)
		results := make([]model.Message, n)
		ends := make([]*engine.Outcome, n)
		var wg sync.WaitGroup
		for i, c := range calls[:n] {
			if stop != nil {
				results[i] = t.transformed(ctx, c, nil, "the call was skipped because a hook ended the run", true)
				continue
			}
			wg.Go(func() {
				results[i], ends[i] = t.do(ctx, c)
				if ends[i] != nil {
					cancel() // the others are not needed any more
				}
			})
		}
		wg.Wait()
		for i, m := range results {
			t.say(m)
			if stop == nil {
				stop = ends[i]
			}
		}
		calls = calls[n:]
	}
	return stop
}

// together is how many of the next calls run at the same time.
func (t *thread) together(calls []model.ToolCall) int {
	n := 0
	for _, c := range calls {
		if spec := t.tool(c.Function.Name); spec == nil || !spec.ReadOnly {
			break
		}
		n++
	}
	return max(n, 1)
}

// tool finds a tool of an agent by name.
func (m *member) tool(name string) *tool.Tool {
	tools := m.tools()
	for i := range tools {
		if tools[i].Name == name {
			return &tools[i]
		}
	}
	return nil
}

// do is the only way to a tool: the call is approved, runs, and its output is
// seen by nobody before hooks have seen it. The outcome is not nil if a hook
// ends the run.
func (t *thread) do(ctx context.Context, asked model.ToolCall) (model.Message, *engine.Outcome) {
	name := asked.Function.Name
	spec := t.tool(name)
	if spec == nil {
		return t.transformed(ctx, asked, nil, "tool "+name+" is not available: use only the tools that you were given", true), nil
	}
	c := &call{id: asked.ID, spec: spec}
	if c.input = object(asked.Function.Arguments); c.input == nil {
		return t.transformed(ctx, asked, c, "the arguments of "+name+" are not a JSON object", true), nil
	}
	if ctx.Err() != nil {
		return t.transformed(ctx, asked, c, "the call was canceled", true), nil
	}
	r := t.approve(ctx, c)
	if !r.runs() {
		if r.source == byRejection || r.source == byNobody {
			t.change(func(b *tab) { b.rejected = true })
		}
		card := card.Split(strings.TrimPrefix(r.reason, "rejected by a pre_tool_use hook: "))
		t.report(t.remedy(Report{Type: Blocked, Event: "pre_tool_use", Tool: name, CallID: c.id, Input: c.input, Source: r.source, Text: r.reason, Card: &card}, r.handle))
		return t.transformed(ctx, asked, c, "the call did not run: "+r.reason, true), r.halt
	}
	t.report(Report{Type: Calling, Tool: name, CallID: c.id, Input: c.input, Source: r.source})
	t.used(name)
	output, err := spec.Run(context.WithValue(ctx, threadKey{}, t), c.input)
	if err != nil {
		output = strings.TrimSpace(output + "\n" + err.Error())
	}
	m := t.transformed(ctx, asked, c, output, err != nil)
	return m, t.after(ctx, c, m)
}

// object returns arguments that are one JSON object, none at all counting as an
// empty one. It is written anew, each member once: who reads the last of two and
// who reads the first would not judge, or run, the same call.
func object(arguments string) json.RawMessage {
	if strings.TrimSpace(arguments) == "" {
		return json.RawMessage("{}")
	}
	var fields map[string]any
	dec := json.NewDecoder(strings.NewReader(arguments))
	dec.UseNumber()
	if dec.Decode(&fields) != nil || fields == nil {
		return nil
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(fields) != nil {
		return nil
	}
	return bytes.TrimSpace(out.Bytes())
}

func (t *thread) used(name string) {
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	if !slices.Contains(t.tab.tools, name) {
		t.tab.tools = append(t.tab.tools, name)
	}
}

// addCarry adds a text to the next call of the model.
func (t *thread) addCarry(list []string) {
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	t.carry = append(t.carry, list...)
}

// returned is a call with its output, as events carry it.
func returned(c *call, asked model.ToolCall, output string, failed bool) about {
	return func(ev *checkrein.Event) {
		raw, _ := json.Marshal(output)
		ev.Tool = &checkrein.Tool{Name: asked.Function.Name, CallID: asked.ID, Output: raw, Failed: failed}
		if c != nil {
			ev.Tool.Canonical, ev.Tool.Category, ev.Tool.Input = c.spec.Canonical, c.spec.Category, c.input
		}
	}
}

// transformed is the answer to a call as hooks want everybody to see it:
// refusals and failures too. When hooks cannot be heard any more, for the run
// was canceled, nothing of the output is shown.
func (t *thread) transformed(ctx context.Context, asked model.ToolCall, c *call, output string, failed bool) model.Message {
	out := t.fire(context.WithoutCancel(ctx), checkrein.ToolResponseTransform, returned(c, asked, output, failed))
	text := rewritten(&out, output)
	t.withhold(output, text)
	if strings.TrimSpace(text) == "" {
		text = "(no output)"
	}
	t.report(Report{Type: Called, Tool: asked.Function.Name, CallID: asked.ID, Text: text, Error: failed})
	return model.Message{Role: model.ToolRole, ToolCallID: asked.ID, Content: text, IsError: failed}
}

// after notifies hooks that a tool has run. The outcome is not nil if one of them
// ends the run.
func (t *thread) after(ctx context.Context, c *call, m model.Message) *engine.Outcome {
	asked := model.ToolCall{ID: c.id, Function: model.Function{Name: c.spec.Name}}
	kinds := []checkrein.Kind{checkrein.PostToolUse}
	what := []about{returned(c, asked, m.Content, m.IsError)}
	if m.IsError {
		kinds = append(kinds, checkrein.PostToolUseFailure)
		what = append(what, with("error", m.Content))
	}
	for _, kind := range kinds {
		out := t.fire(context.WithoutCancel(ctx), kind, what...)
		t.addCarry(out.Verdict.Context)
		if denied(&out) {
			return &out
		}
	}
	return nil
}

// threadKey finds the thread for which a tool of the runtime itself works.
type threadKey struct{}

var errNoThread = errors.New("the tool was called outside a conversation")

func threadOf(ctx context.Context) (*thread, error) {
	t, ok := ctx.Value(threadKey{}).(*thread)
	if !ok {
		return nil, errNoThread
	}
	return t, nil
}
