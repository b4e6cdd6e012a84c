package fakehost

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
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
	used     int    // tools
	ending   string // why the turn ends now
}

// An agent is a sub-agent.
type agent struct{ id, kind string }

// answer has the model answer the prompt and then the report of each sub-agent that ran in the
// background. It returns the last messages, joined.
func (s *session) answer(ctx context.Context) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer s.tasks.wait()
	defer cancel()
	s.logQueueOperations(s.options.prompt)
	start := s.event("SessionStart")
	if start.Source = "startup"; s.options.resume != "" {
		start.Source = "resume"
	}
	added := contexts("SessionStart", s.fire(ctx, start, s.log))
	defer func() {
		end := s.event("SessionEnd")
		end.PromptID, end.Reason = s.log.prompt, "other"
		s.fire(context.WithoutCancel(ctx), end, s.log)
	}()
	c := &conversation{session: s, log: s.log}
	first := line{Mode: s.options.mode, Prompt: "sdk", Turn: "sdk"}
	text, err := c.turn(ctx, s.options.prompt, first, added)
	for all := text; ; all += "\n\n" + text {
		note, more := s.tasks.nextReport(ctx)
		if err != nil || !more {
			s.log.note(map[string]any{"type": "last-prompt", "lastPrompt": s.options.prompt})
			return all, err
		}
		s.log.prompt = newID()
		s.logQueueOperations(note)
		text, err = c.turn(ctx, note, line{
			Mode: s.options.mode, Origin: map[string]any{"kind": "task-notification", "producer": "session-task"}, Prompt: "system", Turn: "task_notification",
		}, nil)
	}
}

// logQueueOperations notes that a prompt came and is at work.
func (s *session) logQueueOperations(prompt string) {
	s.log.note(map[string]any{"type": "queue-operation", "operation": "enqueue", "timestamp": timestamp(), "content": prompt})
	s.log.note(map[string]any{"type": "queue-operation", "operation": "dequeue", "timestamp": timestamp()})
}

// turn has the model answer one prompt and returns its last word. The line is the one
// that the transcript has of it.
func (c *conversation) turn(ctx context.Context, prompt string, l line, added []string) (string, error) {
	s := c.session
	submit := s.event("UserPromptSubmit")
	submit.PromptID, submit.PermissionMode, submit.Prompt = c.log.prompt, s.options.mode, &prompt
	c.log.hold() // a prompt that is blocked is not in the transcript
	a := s.fire(ctx, submit, c.log)
	told := c.log.release()
	if why, blocked := promptBlocked(a); blocked && !s.build.lies(IgnoresPromptBlock) {
		text := "UserPromptSubmit operation blocked by hook:\n" + why + "\n\nOriginal prompt: " + prompt
		ending := map[string]any{"ending": map[string]any{"kind": "blocked_by_hook", "reason": why}, "promptKept": false}
		c.log.write(line{Type: "system", Subtype: "informational", Content: text, Meta: ptr(false), Level: "warning", Prevents: true, Ending: ending})
		return text, nil
	}
	l.Type, l.Message = "user", raw(message{"user", prompt})
	c.log.write(l)
	for _, h := range told {
		c.log.attach(h)
	}
	if c.tools == nil {
		c.tools = s.allTools(ctx)
	}
	c.begin(prompt, append(added, contexts("UserPromptSubmit", a)...))
	text, err := c.run(ctx)
	if err != nil {
		failed := c.event("StopFailure")
		failed.PermissionMode, failed.Error, failed.LastMessage = "", "unknown", ptr(err.Error())
		s.fire(ctx, failed, c.log)
	}
	return text, err
}

func promptBlocked(a answer) (why string, blocked bool) {
	switch {
	case len(a.blocked) > 0:
		return a.blocked[0].Reason, true
	case a.ends:
		return a.endsWith, true
	}
	return "", false
}

// contexts are what hooks tell the model, as the host words it.
func contexts(title string, a answer) []string {
	var out []string
	for _, text := range a.context {
		out = append(out, contextReminder(title, text))
	}
	for _, text := range a.text {
		out = append(out, title+" hook success: "+text)
	}
	return out
}

// contextReminder returns the reminder that gives the model a hook's context.
func contextReminder(title, text string) string { return title + " hook additional context: " + text }

// objectionReminder returns the reminder that gives the model a hook's objection.
func objectionReminder(title string, b blocking) string {
	return fmt.Sprintf("%s hook blocking error from command: %q: %s", title, b.Command, b.Reason)
}

// begin puts a prompt, and what hooks add to it.
func (c *conversation) begin(prompt string, added []string) {
	c.messages = append(c.messages, message{"user", []contentBlock{{Type: "text", Text: prompt}}})
	c.remind(added)
}

// remind adds the reminders of hooks to the conversation, if there are any.
func (c *conversation) remind(texts []string) {
	if len(texts) > 0 {
		c.messages = append(c.messages, message{"system", strings.Join(texts, "\n\n")})
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
			feedback, objections, goesOn := c.stop(ctx, a.text(), kept)
			if !goesOn {
				return a.text(), nil
			}
			kept++
			c.messages = append(c.messages, message{"user", []contentBlock{{Type: "text", Text: feedback}}})
			c.remind(objections)
			continue
		}
		kept = 0
		results, reminders := c.runCalls(ctx, calls)
		c.messages = append(c.messages, message{"user", results})
		c.remind(reminders)
		if c.ending != "" {
			return c.ending, nil
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

// stop asks hooks whether the agent may stop, and returns what they object: as the
// person's word, and as the host's.
func (c *conversation) stop(ctx context.Context, last string, kept int) (feedback string, objections []string, goesOn bool) {
	e := c.event("Stop")
	if c.agent != nil {
		e.Name, e.AgentTranscript = "SubagentStop", c.session.agentPath(c.agent.id)
	}
	e.StopHookActive, e.LastMessage = ptr(kept > 0), &last
	e.BackgroundTasks, e.SessionCrons = ptr(c.session.tasks.list()), &[]any{}
	c.log.hold() // the transcript has them after the feedback for the model
	a := c.session.fire(ctx, e, c.log)
	told := c.log.release()
	reasons := slices.Clone(a.context) // which keep it going, too
	for _, b := range a.blocked {
		reasons = append(reasons, b.Reason)
		objections = append(objections, objectionReminder(e.Name, b))
	}
	goesOn = len(reasons) > 0 && kept < stopCap && !a.ends && !c.session.build.lies(SwallowsStop)
	if goesOn {
		feedback = "Stop hook feedback:\n" + strings.Join(reasons, "\n")
		c.log.write(line{Type: "user", Message: raw(message{"user", feedback}), Meta: ptr(true)})
	}
	for _, h := range told {
		c.log.attach(h)
	}
	if c.agent == nil && a.fired > 0 {
		c.log.write(line{Type: "system", Subtype: "stop_hook_summary", Level: "suggestion", stopSummary: a.summary()})
	}
	return feedback, objections, goesOn
}

// summary is what the transcript says of the hooks of a stop, together.
func (a answer) summary() *stopSummary {
	s := &stopSummary{Hooks: a.fired, Infos: []map[string]any{}, Errors: []string{}, Contexts: append([]string{}, a.context...), Output: len(a.blocked) > 0, ToolUseID: newID()}
	for _, b := range a.blocked {
		s.Infos, s.Errors = append(s.Infos, map[string]any{"command": b.Command}), append(s.Errors, b.Reason)
	}
	return s
}

// agentPath is the transcript of a sub-agent.
func (s *session) agentPath(id string) string {
	return filepath.Join(strings.TrimSuffix(s.transcriptPath(), ".jsonl"), "subagents", "agent-"+id+".jsonl")
}

func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil { // made of strings and of JSON that was read: cannot be
		return json.RawMessage("null")
	}
	return b
}
