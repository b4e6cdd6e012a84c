package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/skill"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/agent/tool"
)

const (
	maxDepth = 5 // of nested sub-agents
	maxJobs  = 8 // background agents at the same time
)

// A threadTool runs a tool of the runtime for a thread.
type threadTool func(ctx context.Context, t *thread, input json.RawMessage) (string, error)

// builtinTools returns the runtime's own tools for an agent.
func (r *Runtime) builtinTools(spec *team.Agent, skills []skill.Skill) []tool.Tool {
	var out []tool.Tool
	define := func(name, about, params string, run threadTool) *tool.Tool {
		out = append(out, tool.Tool{Definition: model.Definition{Name: name, Description: about, Parameters: json.RawMessage(params)}, Category: "agents",
			Run: func(ctx context.Context, input json.RawMessage) (string, error) {
				t, err := threadOf(ctx)
				if err != nil {
					return "", err
				}
				return run(ctx, t, input)
			}})
		return &out[len(out)-1]
	}
	const task = `{"type":"object","properties":{"agent":{"type":"string"},"task":{"type":"string"},"expected_output":{"type":"string"}},"required":["agent","task"]}`
	if len(spec.SubAgents) > 0 {
		define("transfer_task", "Give a task to another agent and wait for its answer.", task, transferTask)
		define("run_background_agent", "Give a task to another agent that works in the background.", task, startBackground)
		define("view_background_agent", "Show how a background agent is doing.", `{"type":"object","properties":{"task_id":{"type":"string"}},"required":["task_id"]}`, viewBackground).Polling = true
		out[len(out)-1].ReadOnly = true
	}
	if len(spec.Handoffs) > 0 {
		define("handoff", "Hand the conversation over to another agent.", `{"type":"object","properties":{"agent":{"type":"string"}},"required":["agent"]}`, handOff)
	}
	if slices.ContainsFunc(skills, func(s skill.Skill) bool { return s.Fork }) {
		define("run_skill", "Run a skill that runs by itself, and wait for its answer.", `{"type":"object","properties":{"name":{"type":"string"},"task":{"type":"string"}},"required":["name","task"]}`, runSkill).Category = "skills"
	}
	out = append(out, skill.Tools(skills)...)
	if r.opts.Send != nil {
		for _, t := range r.messageTools() {
			define(t.name, t.about, t.params, t.send).Category = "messages"
		}
	}
	return out
}

// An order is a task that one agent gives another.
type order struct {
	Agent    string `json:"agent"`
	Task     string `json:"task"`
	Expected string `json:"expected_output"`

	kind string // type of sub-agent: a skill's name; "" = the agent's
}

// parseOrder parses the arguments of a tool call as an order. It returns an error if the agent that it
// names is not one of may.
func parseOrder(input json.RawMessage, may []string) (order, error) {
	var o order
	if err := tool.ParseArguments(input, &o); err != nil {
		return o, err
	}
	if !slices.Contains(may, o.Agent) {
		return o, fmt.Errorf("agent %q cannot be given this task: choose one of %s", o.Agent, strings.Join(may, ", "))
	}
	return o, nil
}

// prompt returns the order as the first message to the child.
func (o *order) prompt() string {
	if o.Expected == "" {
		return o.Task
	}
	return o.Task + "\n\nWhat is expected: " + o.Expected
}

// transferTask gives a task to another agent, waits, and returns its reply.
func transferTask(ctx context.Context, t *thread, input json.RawMessage) (string, error) {
	o, err := parseOrder(input, t.agent.spec.SubAgents)
	if err != nil {
		return "", err
	}
	child, err := t.newChild(o.Agent, t.interactive)
	if err != nil {
		return "", err
	}
	t.fire(ctx, checkrein.OnAgentSwitch, switchDetails(t.agent, child.agent, "transfer_task")...)
	t.report(Report{Type: Switched, Text: o.Agent, Reason: "transfer_task"})
	reply, err := child.runTask(ctx, o)
	t.fire(context.WithoutCancel(ctx), checkrein.OnAgentSwitch, switchDetails(child.agent, t.agent, "transfer_task_return")...)
	t.report(Report{Type: Switched, Text: t.agent.spec.Name, Reason: "transfer_task_return"})
	return reply, err
}

// newChild returns a thread of the agent name whose parent is t. It returns an error if threads are
// nested too deeply.
func (t *thread) newChild(name string, interactive bool) (*thread, error) {
	depth := 0
	for p := t; p != nil; p = p.parent {
		depth++
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("sub-agents cannot be nested more than %d levels deep: do the task yourself", maxDepth)
	}
	who, err := t.rt.openMember(name)
	if err != nil {
		return nil, err
	}
	return &thread{rt: t.rt, id: fmt.Sprintf("%s-%d", t.id, t.rt.nextThreadNumber()), parent: t, parentAgent: t.agent, agent: who, interactive: interactive}, nil
}

// nextThreadNumber returns a number that no other thread of this runtime has.
func (r *Runtime) nextThreadNumber() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.threads++
	return r.threads
}

// runTask runs o as a separate session and returns the reply. Hooks of the child's own agent run, and
// those of its parent, which may deny the task or make the child continue.
func (t *thread) runTask(ctx context.Context, o order) (string, error) {
	parent := t.parent
	about := []eventOption{withDetail("subagent_name", o.Agent), withDetail("subagent_type", cmp.Or(o.kind, o.Agent)), withDetail("task_description", o.prompt()), withDetail("parent_session_id", parent.id)}
	start := t.fireOn(ctx, t.parentAgent, checkrein.SubagentStart, nil, about...)
	if isDenied(&start) {
		return "", fmt.Errorf("a hook blocked the sub-agent: %s", denialReason(&start))
	}
	t.promptContext = start.Verdict.Context
	t.resetStats()
	t.newRunID()
	t.addMessage(model.Message{Role: model.User, Content: o.prompt()})
	for source := "startup"; ; source = "resume" {
		t.start(ctx, source)
		reply, err := t.runLoop(ctx)
		t.fire(context.WithoutCancel(ctx), checkrein.SessionEnd, withDetail("reason", EndOther))
		out := t.fireOn(context.WithoutCancel(ctx), t.parentAgent, checkrein.SubagentStop, nil, append(about, withText(reply), withAgent(o.Agent))...)
		if err != nil || ctx.Err() != nil || out.Redo == nil {
			return reply, err
		}
		t.applyRedo(&out)
	}
}

// withAgent sets the agent that an event is about, for events on the hooks of another agent.
func withAgent(agent string) eventOption {
	return func(ev *checkrein.Event) { ev.Session.Agent = agent }
}

// handOff makes another agent continue the same conversation after this turn.
func handOff(ctx context.Context, t *thread, input json.RawMessage) (string, error) {
	o, err := parseOrder(input, t.agent.spec.Handoffs)
	if err != nil {
		return "", err
	}
	t.handoffTo = o.Agent
	return "the conversation continues with " + o.Agent, nil
}

// A job is a background agent.
type job struct {
	agent string
	done  chan struct{}
	stop  context.CancelFunc
	reply string
	err   error
}

type jobs struct {
	mu   sync.Mutex
	list map[string]*job
}

// startBackground gives a task to another agent and does not wait for it. That agent cannot ask the
// user, so calls that need approval are denied.
func startBackground(ctx context.Context, t *thread, input json.RawMessage) (string, error) {
	o, err := parseOrder(input, t.agent.spec.SubAgents)
	if err != nil {
		return "", err
	}
	child, err := t.newChild(o.Agent, false)
	if err != nil {
		return "", err
	}
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	j := &job{agent: o.Agent, done: make(chan struct{}), stop: stop}
	if !t.rt.jobs.add(child.id, j) {
		stop()
		return "", fmt.Errorf("%d background agents are already running", maxJobs)
	}
	go func() {
		defer close(j.done)
		defer stop()
		j.reply, j.err = child.runTask(work, o)
	}()
	return "started: task_id " + child.id, nil
}

// add adds j with this id. It reports false if too many jobs are running.
func (js *jobs) add(id string, j *job) bool {
	js.mu.Lock()
	defer js.mu.Unlock()
	working := 0
	for _, other := range js.list {
		select {
		case <-other.done:
		default:
			working++
		}
	}
	if working >= maxJobs {
		return false
	}
	js.list[id] = j
	return true
}

// stopAll cancels the background agents and waits until their hooks have run.
func (js *jobs) stopAll() {
	js.mu.Lock()
	list := js.list
	js.list = map[string]*job{}
	js.mu.Unlock()
	for _, j := range list {
		j.stop()
	}
	for _, j := range list {
		<-j.done
	}
}

// viewBackground returns the state of a background agent.
func viewBackground(ctx context.Context, t *thread, input json.RawMessage) (string, error) {
	var in struct {
		ID string `json:"task_id"`
	}
	if err := tool.ParseArguments(input, &in); err != nil {
		return "", err
	}
	t.rt.jobs.mu.Lock()
	j := t.rt.jobs.list[in.ID]
	t.rt.jobs.mu.Unlock()
	if j == nil {
		return "", fmt.Errorf("there is no background task %q", in.ID)
	}
	select {
	case <-j.done:
	default:
		return j.agent + " is still working", nil
	}
	if j.err != nil {
		return j.reply, j.err
	}
	return j.agent + " is done:\n" + j.reply, nil
}
