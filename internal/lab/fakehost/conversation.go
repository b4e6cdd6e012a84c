package fakehost

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// maxStopObjections is how many times in a row hooks can keep an agent from stopping.
const maxStopObjections = 8

// A conversation is a dialogue with the model, either the user's or a sub-agent's.
type conversation struct {
	session  *session
	agent    *agent // nil in the user's conversation
	log      *transcript
	messages []message
	tools    []tool
	used     int    // number of tool calls
	ending   string // why the turn must end now; "" if it goes on
}

// An agent identifies a sub-agent.
type agent struct{ id, kind string }

// answer runs a turn for the prompt and then one for the report of each background sub-agent. It
// returns the last message of each turn, joined.
func (s *session) answer(ctx context.Context) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer s.tasks.wait()
	defer cancel()
	s.logQueueOperations(s.options.prompt)
	start := s.newEvent("SessionStart")
	if start.Source = "startup"; s.options.resume != "" {
		start.Source = "resume"
	}
	added := contextReminders("SessionStart", s.fire(ctx, start, s.log))
	defer func() {
		end := s.newEvent("SessionEnd")
		end.PromptID, end.Reason = s.log.prompt, "other"
		s.fire(context.WithoutCancel(ctx), end, s.log)
	}()
	c := &conversation{session: s, log: s.log}
	first := line{Mode: s.options.mode, Prompt: "sdk", Turn: "sdk"}
	text, err := c.runTurn(ctx, s.options.prompt, first, added)
	for all := text; ; all += "\n\n" + text {
		note, more := s.tasks.nextReport(ctx)
		if err != nil || !more {
			s.log.writeUnlinked(map[string]any{"type": "last-prompt", "lastPrompt": s.options.prompt})
			return all, err
		}
		s.log.prompt = newID()
		s.logQueueOperations(note)
		text, err = c.runTurn(ctx, note, line{
			Mode: s.options.mode, Origin: map[string]any{"kind": "task-notification", "producer": "session-task"}, Prompt: "system", Turn: "task_notification",
		}, nil)
	}
}

// logQueueOperations records that a prompt was queued and taken from the queue.
func (s *session) logQueueOperations(prompt string) {
	s.log.writeUnlinked(map[string]any{"type": "queue-operation", "operation": "enqueue", "timestamp": timestamp(), "content": prompt})
	s.log.writeUnlinked(map[string]any{"type": "queue-operation", "operation": "dequeue", "timestamp": timestamp()})
}

// runTurn runs the model on one prompt, unless a hook blocks it, and returns its last message. l is
// the prompt's transcript line; added holds reminders that precede those of the prompt's hooks.
func (c *conversation) runTurn(ctx context.Context, prompt string, l line, added []string) (string, error) {
	s := c.session
	submit := s.newEvent("UserPromptSubmit")
	submit.PromptID, submit.PermissionMode, submit.Prompt = c.log.prompt, s.options.mode, &prompt
	c.log.hold() // hook entries follow the prompt, and are dropped with a blocked one
	a := s.fire(ctx, submit, c.log)
	told := c.log.release()
	if why, blocked := promptBlock(a); blocked && !s.build.lies(IgnoresPromptBlock) {
		text := "UserPromptSubmit operation blocked by hook:\n" + why + "\n\nOriginal prompt: " + prompt
		ending := map[string]any{"ending": map[string]any{"kind": "blocked_by_hook", "reason": why}, "promptKept": false}
		c.log.write(line{Type: "system", Subtype: "informational", Content: text, Meta: ptr(false), Level: "warning", Prevents: true, Ending: ending})
		return text, nil
	}
	l.Type, l.Message = "user", mustJSON(message{"user", prompt})
	c.log.write(l)
	for _, h := range told {
		c.log.attach(h)
	}
	if c.tools == nil {
		c.tools = s.allTools(ctx)
	}
	c.addPrompt(prompt, append(added, contextReminders("UserPromptSubmit", a)...))
	text, err := c.run(ctx)
	if err != nil {
		failed := c.newEvent("StopFailure")
		failed.PermissionMode, failed.Error, failed.LastMessage = "", "unknown", ptr(err.Error())
		s.fire(ctx, failed, c.log)
	}
	return text, err
}

// promptBlock reports whether hooks blocked a prompt, and why.
func promptBlock(a answer) (why string, blocked bool) {
	switch {
	case len(a.blocked) > 0:
		return a.blocked[0].Reason, true
	case a.ends:
		return a.endsWith, true
	}
	return "", false
}

// contextReminders returns the context and the plain text of hooks, worded for the model.
func contextReminders(title string, a answer) []string {
	var out []string
	for _, text := range a.context {
		out = append(out, contextReminder(title, text))
	}
	for _, text := range a.text {
		out = append(out, title+" hook success: "+text)
	}
	return out
}

// contextReminder returns a hook's context, worded for the model.
func contextReminder(title, text string) string { return title + " hook additional context: " + text }

// objectionReminder returns a hook's objection, worded for the model.
func objectionReminder(title string, b blocking) string {
	return fmt.Sprintf("%s hook blocking error from command: %q: %s", title, b.Command, b.Reason)
}

// addPrompt adds a prompt and the reminders of its hooks to the conversation.
func (c *conversation) addPrompt(prompt string, added []string) {
	c.messages = append(c.messages, message{"user", []contentBlock{{Type: "text", Text: prompt}}})
	c.remind(added)
}

// remind adds the reminders of hooks to the conversation, if there are any.
func (c *conversation) remind(texts []string) {
	if len(texts) > 0 {
		c.messages = append(c.messages, message{"system", strings.Join(texts, "\n\n")})
	}
}

// run queries the model and runs its calls until the model makes no more calls and no hook objects, or
// a hook ends the turn. It returns the last message.
func (c *conversation) run(ctx context.Context) (string, error) {
	for kept := 0; ; {
		a, err := c.session.queryModel(ctx, c.messages, c.tools)
		if err != nil {
			return "", err
		}
		for i, b := range a.blocks {
			if b.Type == "tool_use" {
				a.blocks[i].Input = withDefaults(b.Name, b.Input)
			}
		}
		c.messages = append(c.messages, message{"assistant", a.blocks})
		calls := c.logReply(a)
		if len(calls) == 0 {
			feedback, objections, goesOn := c.fireStop(ctx, a.text(), kept)
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

// logReply writes a transcript line for each block and returns the tool calls.
func (c *conversation) logReply(a modelReply) (calls []call) {
	for _, b := range a.blocks {
		id := c.log.write(line{Type: "assistant", Message: mustJSON(map[string]any{
			"id": a.id, "type": "message", "role": "assistant", "model": modelName, "content": []contentBlock{b},
			"stop_reason": a.reason, "stop_sequence": nil, "usage": usage,
		})})
		if b.Type == "tool_use" {
			calls = append(calls, call{id: b.ID, tool: b.Name, input: b.Input, line: id})
		}
	}
	return calls
}

// usage is the token usage that the transcript has for each reply.
var usage = map[string]any{"input_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1}

// fireStop fires Stop or SubagentStop and reports whether the agent must go on. If so, feedback is the
// hooks' reasons as a user message, and objections are the reminders for the model. kept is how many
// times in a row hooks kept the agent going.
func (c *conversation) fireStop(ctx context.Context, last string, kept int) (feedback string, objections []string, goesOn bool) {
	e := c.newEvent("Stop")
	if c.agent != nil {
		e.Name, e.AgentTranscript = "SubagentStop", c.session.subagentTranscriptPath(c.agent.id)
	}
	e.StopHookActive, e.LastMessage = ptr(kept > 0), &last
	e.BackgroundTasks, e.SessionCrons = ptr(c.session.tasks.runningTasks()), &[]any{}
	c.log.hold() // hook entries follow the feedback in the transcript
	a := c.session.fire(ctx, e, c.log)
	told := c.log.release()
	reasons := slices.Clone(a.context) // context keeps the agent going, too
	for _, b := range a.blocked {
		reasons = append(reasons, b.Reason)
		objections = append(objections, objectionReminder(e.Name, b))
	}
	goesOn = len(reasons) > 0 && kept < maxStopObjections && !a.ends && !c.session.build.lies(SwallowsStop)
	if goesOn {
		feedback = "Stop hook feedback:\n" + strings.Join(reasons, "\n")
		c.log.write(line{Type: "user", Message: mustJSON(message{"user", feedback}), Meta: ptr(true)})
	}
	for _, h := range told {
		c.log.attach(h)
	}
	if c.agent == nil && a.fired > 0 {
		c.log.write(line{Type: "system", Subtype: "stop_hook_summary", Level: "suggestion", stopSummary: a.stopSummary()})
	}
	return feedback, objections, goesOn
}

// stopSummary returns the transcript's summary of a stop's hooks.
func (a answer) stopSummary() *stopSummary {
	s := &stopSummary{Hooks: a.fired, Infos: []map[string]any{}, Errors: []string{}, Contexts: append([]string{}, a.context...), Output: len(a.blocked) > 0, ToolUseID: newID()}
	for _, b := range a.blocked {
		s.Infos, s.Errors = append(s.Infos, map[string]any{"command": b.Command}), append(s.Errors, b.Reason)
	}
	return s
}

// subagentTranscriptPath returns the path of a sub-agent's transcript.
func (s *session) subagentTranscriptPath(id string) string {
	return filepath.Join(strings.TrimSuffix(s.transcriptPath(), ".jsonl"), "subagents", "agent-"+id+".jsonl")
}

// mustJSON returns v as JSON.
func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil { // impossible: v consists of strings and valid JSON
		return json.RawMessage("null")
	}
	return b
}
