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

// maxRepeats is how many times in a row a model may make the same calls.
const maxRepeats = 5

// A call is a tool call that is being approved or run.
type call struct {
	id    string
	spec  *tool.Tool
	input json.RawMessage
}

// setTool sets ev.Tool to the call.
func (c *call) setTool(ev *checkrein.Event) {
	ev.Tool = &checkrein.Tool{Name: c.spec.Name, Canonical: c.spec.Canonical, Category: c.spec.Category, CallID: c.id, Input: c.input}
}

// A repeatCounter counts how many times in a row the model made the same calls.
type repeatCounter struct {
	text string
	n    int
}

// countBatch counts calls, the batch of one answer, and returns how many times in a row it came. A batch
// with a polling tool resets the count to 0.
func (b *repeatCounter) countBatch(who *member, calls []model.ToolCall) int {
	var text strings.Builder
	for _, c := range calls {
		if spec := who.findTool(c.Function.Name); spec != nil && spec.Polling {
			*b = repeatCounter{}
			return 0
		}
		text.WriteString(c.Function.Name + "\x00" + c.Function.Arguments + "\x00")
	}
	if text.String() != b.text {
		*b = repeatCounter{text: text.String()}
	}
	b.n++
	return b.n
}

// runBatch runs the calls of one answer. Consecutive read-only calls run in parallel, the others in
// order, so that a later call sees the effects of an earlier one. It returns the outcome of a hook
// that ends the run, or nil. Calls that did not run for that reason get an answer too.
func (t *thread) runBatch(ctx context.Context, calls []model.ToolCall) *engine.Outcome {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var stop *engine.Outcome
	t.updateStats(func(b *turnStats) { b.rejected = false })
	for len(calls) > 0 {
		n := t.countParallel(calls)
		results := make([]model.Message, n)
		ends := make([]*engine.Outcome, n)
		var wg sync.WaitGroup
		for i, c := range calls[:n] {
			if stop != nil {
				results[i] = t.toolMessage(ctx, c, nil, "the call was skipped because a hook ended the run", true)
				continue
			}
			wg.Go(func() {
				results[i], ends[i] = t.runCall(ctx, c)
				if ends[i] != nil {
					cancel() // the run ends, so stop the others
				}
			})
		}
		wg.Wait()
		for i, m := range results {
			t.addMessage(m)
			if stop == nil {
				stop = ends[i]
			}
		}
		calls = calls[n:]
	}
	return stop
}

// countParallel returns how many of the first calls run in parallel, at least 1.
func (t *thread) countParallel(calls []model.ToolCall) int {
	n := 0
	for _, c := range calls {
		if spec := t.findTool(c.Function.Name); spec == nil || !spec.ReadOnly {
			break
		}
		n++
	}
	return max(n, 1)
}

// findTool returns the agent's tool with this name, or nil if it has none.
func (m *member) findTool(name string) *tool.Tool {
	tools := m.currentTools()
	for i := range tools {
		if tools[i].Name == name {
			return &tools[i]
		}
	}
	return nil
}

// runCall approves and runs a tool call, and lets hooks transform its output before anything else sees
// it. No other function runs tools. The outcome is not nil if a hook ends the run.
func (t *thread) runCall(ctx context.Context, asked model.ToolCall) (model.Message, *engine.Outcome) {
	name := asked.Function.Name
	spec := t.findTool(name)
	if spec == nil {
		return t.toolMessage(ctx, asked, nil, "tool "+name+" is not available: use only the tools that you were given", true), nil
	}
	c := &call{id: asked.ID, spec: spec}
	if c.input = normalizeArguments(asked.Function.Arguments); c.input == nil {
		return t.toolMessage(ctx, asked, c, "the arguments of "+name+" are not a JSON object", true), nil
	}
	if ctx.Err() != nil {
		return t.toolMessage(ctx, asked, c, "the call was canceled", true), nil
	}
	r := t.approve(ctx, c)
	if !r.allows() {
		if r.source == byRejection || r.source == byNobody {
			t.updateStats(func(b *turnStats) { b.rejected = true })
		}
		card := card.FromReason(strings.TrimPrefix(r.reason, "rejected by a pre_tool_use hook: "))
		t.report(t.addRemedy(Report{Type: Blocked, Event: "pre_tool_use", Tool: name, CallID: c.id, Input: c.input, Source: r.source, Text: r.reason, Card: &card}, r.handle))
		return t.toolMessage(ctx, asked, c, "the call did not run: "+r.reason, true), r.halt
	}
	t.report(Report{Type: Calling, Tool: name, CallID: c.id, Input: c.input, Source: r.source})
	t.recordToolUse(name)
	output, err := spec.Run(context.WithValue(ctx, threadKey{}, t), c.input)
	if err != nil {
		output = strings.TrimSpace(output + "\n" + err.Error())
	}
	m := t.toolMessage(ctx, asked, c, output, err != nil)
	return m, t.firePostToolUse(ctx, c, m)
}

// normalizeArguments returns arguments as one JSON object, which is empty if there are no arguments,
// or nil if they are something else. The object is encoded again with each member once, so that all
// readers see the same value of a duplicate key.
func normalizeArguments(arguments string) json.RawMessage {
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

// recordToolUse adds name to the tools that the turn used.
func (t *thread) recordToolUse(name string) {
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	if !slices.Contains(t.stats.tools, name) {
		t.stats.tools = append(t.stats.tools, name)
	}
}

// addNextContext adds list to the context of the next model call.
func (t *thread) addNextContext(list []string) {
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	t.nextContext = append(t.nextContext, list...)
}

// withOutput sets the tool of an event to a call with its output. c is nil if the call was not
// understood.
func withOutput(c *call, asked model.ToolCall, output string, failed bool) eventOption {
	return func(ev *checkrein.Event) {
		raw, _ := json.Marshal(output)
		ev.Tool = &checkrein.Tool{Name: asked.Function.Name, CallID: asked.ID, Output: raw, Failed: failed}
		if c != nil {
			ev.Tool.Canonical, ev.Tool.Category, ev.Tool.Input = c.spec.Canonical, c.spec.Category, c.input
		}
	}
}

// toolMessage returns the answer to a call, also to one that was refused or failed, as hooks
// transformed it.
func (t *thread) toolMessage(ctx context.Context, asked model.ToolCall, c *call, output string, failed bool) model.Message {
	out := t.fire(context.WithoutCancel(ctx), checkrein.ToolResponseTransform, withOutput(c, asked, output, failed))
	text := rewrittenText(&out, output)
	t.recordWithheld(output, text)
	if strings.TrimSpace(text) == "" {
		text = "(no output)"
	}
	t.report(Report{Type: Called, Tool: asked.Function.Name, CallID: asked.ID, Text: text, Error: failed})
	return model.Message{Role: model.ToolRole, ToolCallID: asked.ID, Content: text, IsError: failed}
}

// firePostToolUse fires the events after c has run with the answer m. The outcome is not nil if a hook
// ends the run.
func (t *thread) firePostToolUse(ctx context.Context, c *call, m model.Message) *engine.Outcome {
	asked := model.ToolCall{ID: c.id, Function: model.Function{Name: c.spec.Name}}
	kinds := []checkrein.Kind{checkrein.PostToolUse}
	what := []eventOption{withOutput(c, asked, m.Content, m.IsError)}
	if m.IsError {
		kinds = append(kinds, checkrein.PostToolUseFailure)
		what = append(what, withDetail("error", m.Content))
	}
	for _, kind := range kinds {
		out := t.fire(context.WithoutCancel(ctx), kind, what...)
		t.addNextContext(out.Verdict.Context)
		if isDenied(&out) {
			return &out
		}
	}
	return nil
}

// threadKey is the context key of the thread for which a tool of the runtime runs.
type threadKey struct{}

var errNoThread = errors.New("the tool was called outside a conversation")

// threadOf returns the thread for which a tool of the runtime runs, or errNoThread.
func threadOf(ctx context.Context) (*thread, error) {
	t, ok := ctx.Value(threadKey{}).(*thread)
	if !ok {
		return nil, errNoThread
	}
	return t, nil
}
