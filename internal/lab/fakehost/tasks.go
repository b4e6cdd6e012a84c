package fakehost

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"
)

// tasks holds the sub-agents that run in the background. The report of a finished one is kept until
// the turn ends.
type tasks struct {
	mu         sync.Mutex
	running    []task
	unreported int // running tasks, and finished ones whose report was not read yet
	done       chan string
	group      sync.WaitGroup
}

// A task describes a running sub-agent in the payloads of hooks.
type task struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Status string `json:"status"`
	About  string `json:"description"`
	Agent  string `json:"agent_type"`
}

// start calls run in a new goroutine and queues its result as the report of the task one.
func (t *tasks) start(ctx context.Context, one task, run func() string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running, t.unreported = append(t.running, one), t.unreported+1
	t.group.Go(func() {
		report := run()
		t.mu.Lock()
		t.running = slices.DeleteFunc(t.running, func(o task) bool { return o.ID == one.ID })
		t.mu.Unlock()
		select {
		case t.done <- report:
		case <-ctx.Done():
		}
	})
}

// nextReport waits for a task to finish and returns its report. It reports false if no task
// is left or ctx is done.
func (t *tasks) nextReport(ctx context.Context) (report string, more bool) {
	t.mu.Lock()
	n := t.unreported
	t.unreported = max(0, n-1)
	t.mu.Unlock()
	if n == 0 {
		return "", false
	}
	select {
	case report = <-t.done:
		return report, true
	case <-ctx.Done():
		return "", false
	}
}

// runningTasks returns a copy of the list of running tasks.
func (t *tasks) runningTasks() []task {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]task{}, t.running...)
}

func (t *tasks) wait() { t.group.Wait() }

// A launchResponse is the Agent tool's response for a sub-agent in the background.
type launchResponse struct {
	Async       bool   `json:"isAsync"`
	Status      string `json:"status"`
	Agent       string `json:"agentId"`
	About       string `json:"description"`
	Model       string `json:"resolvedModel"`
	Prompt      string `json:"prompt"`
	Output      string `json:"outputFile"`
	Readable    bool   `json:"canReadOutputFile"`
	Continuable bool   `json:"canContinueAgent"`
}

// text returns the tool result that the model gets for the launch.
func (l launchResponse) text() string {
	return fmt.Sprintf(`Async agent launched successfully. (This tool result is internal metadata — never quote or paste any part of it, including the agentId below, into a user-facing reply.)
agentId: %[1]s (internal ID - do not mention to user. Use SendMessage with to: '%[1]s', summary: '<5-10 word recap>' to continue this agent.)
The agent is working in the background. You will be notified automatically when it completes. You know nothing about its results until that notification arrives — do not report, assume, or predict them; continue other work or respond to the user in the meantime.
Do not duplicate this agent's work — avoid working with the same files or topics it is using.
output_file: %[2]s
Do NOT Read or tail this file via the shell tool — it is the full subagent JSONL transcript and reading it will overflow your context. If the user asks for progress, say the agent is still running; you'll get a completion notification.`, l.Agent, l.Output)
}

// startSubagent starts the sub-agent that u describes in the background and returns a launchResponse.
func (c *conversation) startSubagent(ctx context.Context, u call) (any, error) {
	s, a := c.session, decodeArgs(u.input)
	sub := &conversation{session: s, agent: &agent{newAgentID(), a.Kind}}
	if a.Kind == "" {
		sub.agent.kind = "general-purpose"
	}
	log, err := s.openTranscript(s.subagentTranscriptPath(sub.agent.id), c.log.prompt, sub.agent.id)
	if err != nil {
		return nil, err
	}
	log.kind, sub.log = sub.agent.kind, log
	s.writeSubagentMeta(sub.agent, u.id)
	for _, t := range c.tools { // a sub-agent cannot start sub-agents
		if t.name != agentTool {
			sub.tools = append(sub.tools, t)
		}
	}
	l := launchResponse{
		Async: true, Status: "async_launched", Agent: sub.agent.id, About: *a.About, Model: modelName, Prompt: *a.Prompt,
		Output: s.outputPath(sub.agent.id), Readable: true, Continuable: true,
	}
	if err := os.MkdirAll(filepath.Dir(l.Output), 0o700); err != nil {
		return nil, err
	}
	if err := os.Symlink(s.subagentTranscriptPath(sub.agent.id), l.Output); err != nil {
		return nil, err
	}
	s.tasks.start(ctx, task{sub.agent.id, "subagent", "running", *a.About, sub.agent.kind}, func() string {
		defer log.close()
		began := time.Now()
		said, err := sub.runSubagent(ctx, *a.Prompt)
		status, summary := "completed", "finished"
		if err != nil {
			status, summary, said = "failed", "failed", err.Error()
		}
		return fmt.Sprintf(`<task-notification>
<task-id>%s</task-id>
<tool-use-id>%s</tool-use-id>
<output-file>%s</output-file>
<status>%s</status>
<summary>Agent "%s" %s</summary>
<note>A task-notification fires each time this agent stops with no live background children of its own. The user can send it another message and resume it, so the same task-id may notify more than once.</note>
<result>%s</result>
<usage><subagent_tokens>2</subagent_tokens><tool_uses>%d</tool_uses><duration_ms>%d</duration_ms></usage>
</task-notification>`, sub.agent.id, u.id, l.Output, status, *a.About, summary, said, sub.used, time.Since(began).Milliseconds())
	})
	return l, nil
}

// runSubagent runs the conversation of a sub-agent and returns its last message.
func (c *conversation) runSubagent(ctx context.Context, prompt string) (string, error) {
	start := c.newEvent("SubagentStart")
	start.PermissionMode, start.Effort = "", nil
	c.log.write(line{Type: "user", Message: mustJSON(message{"user", prompt})})
	c.addPrompt(prompt, contextReminders("SubagentStart", c.session.fire(ctx, start, c.log)))
	return c.run(ctx)
}

// outputPath returns the path, below the temporary directory, of the symlink to a sub-agent's
// transcript.
func (s *session) outputPath(agent string) string {
	return filepath.Join(os.TempDir(), "claude-"+strconv.Itoa(os.Getuid()), s.projectDirName(), s.id, "tasks", agent+".output")
}
