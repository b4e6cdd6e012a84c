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

// tasks are the sub-agents that run in the background. The report of one that ended waits for the end
// of the turn.
type tasks struct {
	mu         sync.Mutex
	running    []task
	unreported int // running ones, and ended ones without a report yet
	done       chan string
	group      sync.WaitGroup
}

// A task is how hooks see a running sub-agent.
type task struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Status string `json:"status"`
	About  string `json:"description"`
	Agent  string `json:"agent_type"`
}

// start runs a task in the background. Run returns its report.
func (t *tasks) start(ctx context.Context, one task, run func() string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running, t.unreported = append(t.running, one), t.unreported+1
	t.group.Go(func() {
		told := run()
		t.mu.Lock()
		t.running = slices.DeleteFunc(t.running, func(o task) bool { return o.ID == one.ID })
		t.mu.Unlock()
		select {
		case t.done <- told:
		case <-ctx.Done():
		}
	})
}

// nextReport waits for a task to end and returns its report; false = no task is left.
func (t *tasks) nextReport(ctx context.Context) (told string, more bool) {
	t.mu.Lock()
	n := t.unreported
	t.unreported = max(0, n-1)
	t.mu.Unlock()
	if n == 0 {
		return "", false
	}
	select {
	case told = <-t.done:
		return told, true
	case <-ctx.Done():
		return "", false
	}
}

func (t *tasks) list() []task {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]task{}, t.running...)
}

func (t *tasks) wait() { t.group.Wait() }

// A launch is what the tool returns for a sub-agent in the background.
type launch struct {
	Async    bool   `json:"isAsync"`
	Status   string `json:"status"`
	Agent    string `json:"agentId"`
	About    string `json:"description"`
	Model    string `json:"resolvedModel"`
	Prompt   string `json:"prompt"`
	Output   string `json:"outputFile"`
	Readable bool   `json:"canReadOutputFile"`
	Goes     bool   `json:"canContinueAgent"`
}

// text returns the model's message about the launch.
func (l launch) text() string {
	return fmt.Sprintf(`Async agent launched successfully. (This tool result is internal metadata — never quote or paste any part of it, including the agentId below, into a user-facing reply.)
agentId: %[1]s (internal ID - do not mention to user. Use SendMessage with to: '%[1]s', summary: '<5-10 word recap>' to continue this agent.)
The agent is working in the background. You will be notified automatically when it completes. You know nothing about its results until that notification arrives — do not report, assume, or predict them; continue other work or respond to the user in the meantime.
Do not duplicate this agent's work — avoid working with the same files or topics it is using.
output_file: %[2]s
Do NOT Read or tail this file via the shell tool — it is the full subagent JSONL transcript and reading it will overflow your context. If the user asks for progress, say the agent is still running; you'll get a completion notification.`, l.Agent, l.Output)
}

// startSubagent starts a sub-agent in the background.
func (c *conversation) startSubagent(ctx context.Context, u call) (any, error) {
	s, a := c.session, argsOf(u.input)
	sub := &conversation{session: s, agent: &agent{newAgentID(), a.Kind}}
	if a.Kind == "" {
		sub.agent.kind = "general-purpose"
	}
	log, err := s.openLog(s.agentPath(sub.agent.id), c.log.prompt, sub.agent.id)
	if err != nil {
		return nil, err
	}
	log.kind, sub.log = sub.agent.kind, log
	s.writeSubagentMeta(sub.agent, u.id)
	for _, t := range c.tools { // a sub-agent has none of its own
		if t.name != agentTool {
			sub.tools = append(sub.tools, t)
		}
	}
	l := launch{
		Async: true, Status: "async_launched", Agent: sub.agent.id, About: *a.About, Model: modelName, Prompt: *a.Prompt,
		Output: s.outputPath(sub.agent.id), Readable: true, Goes: true,
	}
	if err := os.MkdirAll(filepath.Dir(l.Output), 0o700); err != nil {
		return nil, err
	}
	if err := os.Symlink(s.agentPath(sub.agent.id), l.Output); err != nil {
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
	start := c.event("SubagentStart")
	start.PermissionMode, start.Effort = "", nil
	c.log.write(line{Type: "user", Message: raw(message{"user", prompt})})
	c.begin(prompt, contexts("SubagentStart", c.session.fire(ctx, start, c.log)))
	return c.run(ctx)
}

// outputPath returns the path, below the temporary directory, that leads to the transcript of a
// sub-agent.
func (s *session) outputPath(agent string) string {
	return filepath.Join(os.TempDir(), "claude-"+strconv.Itoa(os.Getuid()), s.folder(), s.id, "tasks", agent+".output")
}
