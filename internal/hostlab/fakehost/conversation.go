package fakehost

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"
)

// stopCap is how often in a row hooks keep an agent going.
const stopCap = 8

// A conversation is the model at work, for the person or as a sub-agent.
type conversation struct {
	session  *session
	agent    *agent // nil = not a sub-agent
	log      *transcript
	messages []message
	tools    []tool
	used     int // tools
}

// An agent is a sub-agent.
type agent struct{ id, kind string }

// turn has the model answer the prompt and returns its last word.
func (s *session) turn(ctx context.Context) (string, error) {
	s.log.note(map[string]any{"type": "queue-operation", "operation": "enqueue", "timestamp": now(), "content": s.options.prompt})
	s.log.note(map[string]any{"type": "queue-operation", "operation": "dequeue", "timestamp": now()})
	start := s.event("SessionStart")
	if start.Source = "startup"; s.options.resume != "" {
		start.Source = "resume"
	}
	atStart := s.fire(ctx, start, s.log)
	defer func() {
		end := s.event("SessionEnd")
		end.PromptID, end.Reason = s.promptID, "other"
		s.fire(context.WithoutCancel(ctx), end, s.log)
	}()
	submit := s.event("UserPromptSubmit")
	submit.PromptID, submit.PermissionMode, submit.Prompt = s.promptID, s.options.mode, &s.options.prompt
	s.log.hold() // a prompt that is blocked is not in the transcript
	atPrompt := s.fire(ctx, submit, s.log)
	told := s.log.release()
	if why, blocked := promptBlocked(atPrompt); blocked && !s.build.lies(IgnoresPromptBlock) {
		text := "UserPromptSubmit operation blocked by hook:\n" + why + "\n\nOriginal prompt: " + s.options.prompt
		s.log.write(line{Type: "system", Subtype: "informational", Content: text, Meta: ptr(false), Level: "warning", Prevents: true})
		return text, nil
	}
	s.log.write(line{Type: "user", Message: raw(message{"user", s.options.prompt}), Mode: s.options.mode, Prompt: "sdk"})
	for _, h := range told {
		s.log.attach(h)
	}
	c := &conversation{session: s, log: s.log, tools: s.allTools(ctx)}
	c.begin(s.options.prompt, append(contexts("SessionStart", atStart), contexts("UserPromptSubmit", atPrompt)...))
	text, err := c.run(ctx)
	if err != nil {
		failed := c.event("StopFailure")
		failed.PermissionMode, failed.Error, failed.LastMessage = "", "unknown", ptr(err.Error())
		s.fire(ctx, failed, s.log)
	}
	s.log.note(map[string]any{"type": "last-prompt", "lastPrompt": s.options.prompt})
	return text, err
}

func promptBlocked(a answer) (why string, blocked bool) {
	switch {
	case len(a.blocked) > 0:
		return a.blocked[0].reason, true
	case a.ends:
		return a.endsWith, true
	}
	return "", false
}

// contexts are what hooks tell the model, as the host words it.
func contexts(title string, a answer) []string {
	var out []string
	for _, text := range a.context {
		out = append(out, title+" hook additional context: "+text)
	}
	for _, text := range a.text {
		out = append(out, title+" hook success: "+text)
	}
	return out
}

// begin puts the prompt, and what hooks add to it.
func (c *conversation) begin(prompt string, added []string) {
	c.messages = []message{{"user", []contentBlock{{Type: "text", Text: prompt}}}}
	if len(added) > 0 {
		c.messages = append(c.messages, message{"system", strings.Join(added, "\n\n")})
	}
}

// run goes on until the model has no more calls and no hook objects.
func (c *conversation) run(ctx context.Context) (string, error) {
	for kept := 0; ; {
		a, err := c.session.ask(ctx, c.messages, c.tools)
		if err != nil {
			return "", err
		}
		for i, b := range a.blocks {
			if b.Type == "tool_use" {
				a.blocks[i].Input = withDefaults(b.Name, b.Input)
			}
		}
		c.messages = append(c.messages, message{"assistant", a.blocks})
		calls := c.logAnswer(a)
		if len(calls) == 0 {
			feedback, goesOn := c.stop(ctx, a.text(), kept)
			if !goesOn {
				return a.text(), nil
			}
			kept++
			c.messages = append(c.messages, message{"user", []contentBlock{{Type: "text", Text: feedback}}})
			continue
		}
		kept = 0
		c.messages = append(c.messages, message{"user", c.calls(ctx, calls)})
		if c.session.ending != "" {
			return c.session.ending, nil
		}
	}
}

// logAnswer writes a line for each block, and returns the calls.
func (c *conversation) logAnswer(a said) (calls []call) {
	for _, b := range a.blocks {
		id := c.log.write(line{Type: "assistant", Message: raw(map[string]any{
			"id": a.id, "type": "message", "role": "assistant", "model": modelName, "content": []contentBlock{b},
			"stop_reason": a.reason, "stop_sequence": nil, "usage": usage,
		})})
		if b.Type == "tool_use" {
			calls = append(calls, call{id: b.ID, tool: b.Name, input: b.Input, line: id})
		}
	}
	return calls
}

var usage = map[string]any{"input_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1}

// stop asks hooks whether the agent may stop, and returns what they object.
func (c *conversation) stop(ctx context.Context, last string, kept int) (feedback string, goesOn bool) {
	e := c.event("Stop")
	if c.agent != nil {
		e.Name, e.AgentTranscript = "SubagentStop", c.session.agentPath(c.agent.id)
	}
	e.StopHookActive, e.LastMessage = ptr(kept > 0), &last
	e.BackgroundTasks, e.SessionCrons = &[]any{}, &[]any{}
	c.log.hold() // they stand behind what the model is told
	a := c.session.fire(ctx, e, c.log)
	defer func(told []hookLine) {
		for _, h := range told {
			c.log.attach(h)
		}
	}(c.log.release())
	reasons := a.context // which keep it going, too
	for _, b := range a.blocked {
		reasons = append(reasons, b.reason)
	}
	if len(reasons) == 0 || kept >= stopCap || a.ends || c.session.build.lies(SwallowsStop) {
		return "", false
	}
	feedback = "Stop hook feedback:\n" + strings.Join(reasons, "\n")
	c.log.write(line{Type: "user", Message: raw(message{"user", feedback}), Meta: ptr(true)})
	return feedback, true
}

// agentPath is the transcript of a sub-agent.
func (s *session) agentPath(id string) string {
	return filepath.Join(strings.TrimSuffix(s.transcriptPath(), ".jsonl"), "subagents", "agent-"+id+".jsonl")
}

// delegate runs a sub-agent.
func (c *conversation) delegate(ctx context.Context, u call, prompt, kind string) (any, error) {
	if kind == "" {
		kind = "general-purpose"
	}
	s, began := c.session, time.Now()
	sub := &conversation{session: s, agent: &agent{newAgentID(), kind}}
	log, err := s.openLog(s.agentPath(sub.agent.id), sub.agent.id)
	if err != nil {
		return nil, err
	}
	defer log.close()
	log.kind, sub.log = kind, log
	s.describe(sub.agent, u.id)
	for _, t := range c.tools { // a sub-agent has none of its own
		if t.name != agentTool {
			sub.tools = append(sub.tools, t)
		}
	}
	start := sub.event("SubagentStart")
	start.PermissionMode, start.Effort = "", nil
	log.write(line{Type: "user", Message: raw(message{"user", prompt})})
	sub.begin(prompt, contexts("SubagentStart", s.fire(ctx, start, log)))
	text, err := sub.run(ctx)
	if err != nil {
		return nil, err
	}
	return agentResponse{
		Status: "completed", Prompt: prompt, Agent: sub.agent.id, Kind: kind, Content: []contentBlock{{Type: "text", Text: text}},
		Model: modelName, Took: time.Since(began).Milliseconds(), Tokens: 2, Tools: sub.used,
	}, nil
}

func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil { // made of strings and of JSON that was read: cannot be
		return json.RawMessage("null")
	}
	return b
}
