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
	maxDepth = 5 // agents that work for agents
	maxJobs  = 8 // background agents at the same time
)

// A managed is what a tool of the runtime's own does for a thread.
type managed func(ctx context.Context, t *thread, input json.RawMessage) (string, error)

// ownTools are the tools that the runtime itself has for an agent.
func (r *Runtime) ownTools(spec *team.Agent, skills []skill.Skill) []tool.Tool {
	var out []tool.Tool
	define := func(name, about, params string, run managed) *tool.Tool {
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
		define("transfer_task", "Give a task to another agent and wait for its answer.", task, transfer)
		define("run_background_agent", "Give a task to another agent that works beside you.", task, background)
		define("view_background_agent", "See how a background agent is doing.", `{"type":"object","properties":{"task_id":{"type":"string"}},"required":["task_id"]}`, view).Polling = true
		out[len(out)-1].ReadOnly = true
	}
	if len(spec.Handoffs) > 0 {
		define("handoff", "Hand the conversation over to another agent.", `{"type":"object","properties":{"agent":{"type":"string"}},"required":["agent"]}`, handoff)
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

// An order is what an agent asks another one for.
type order struct {
	Agent    string `json:"agent"`
	Task     string `json:"task"`
	Expected string `json:"expected_output"`

	kind string // of sub-agent: a skill's name; "" = the agent's
}

func readOrder(input json.RawMessage, may []string) (order, error) {
	var o order
	if err := tool.Arguments(input, &o); err != nil {
		return o, err
	}
	if !slices.Contains(may, o.Agent) {
		return o, fmt.Errorf("there is no agent %q for this: choose one of %s", o.Agent, strings.Join(may, ", "))
	}
	return o, nil
}

// text is the task as the child is told it.
func (o *order) text() string {
	if o.Expected == "" {
		return o.Task
	}
	return o.Task + "\n\nWhat is expected: " + o.Expected
}

// transfer runs a task on another agent and waits for it.
func transfer(ctx context.Context, t *thread, input json.RawMessage) (string, error) {
	o, err := readOrder(input, t.who.spec.SubAgents)
	if err != nil {
		return "", err
	}
	child, err := t.child(o.Agent, t.interactive)
	if err != nil {
		return "", err
	}
	t.fire(ctx, checkrein.OnAgentSwitch, switching(t.who, child.who, "transfer_task")...)
	t.report(Report{Type: Switched, Text: o.Agent, Reason: "transfer_task"})
	reply, err := child.serve(ctx, o)
	t.fire(context.WithoutCancel(ctx), checkrein.OnAgentSwitch, switching(child.who, t.who, "transfer_task_return")...)
	t.report(Report{Type: Switched, Text: t.who.spec.Name, Reason: "transfer_task_return"})
	return reply, err
}

// child is a new thread of another agent.
func (t *thread) child(name string, interactive bool) (*thread, error) {
	depth := 0
	for p := t; p != nil; p = p.parent {
		depth++
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("agents call other agents more than %d levels deep", maxDepth)
	}
	who, err := t.rt.member(name)
	if err != nil {
		return nil, err
	}
	return &thread{rt: t.rt, id: fmt.Sprintf("%s-%d", t.id, t.rt.number()), parent: t, boss: t.who, who: who, interactive: interactive}, nil
}

// number is a number that no thread of this runtime has.
func (r *Runtime) number() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.threads++
	return r.threads
}

// serve runs a task as a session of its own: under its own hooks, and watched by
// its parent's, which may refuse it or have it go on.
func (t *thread) serve(ctx context.Context, o order) (string, error) {
	parent := t.parent
	about := []about{with("subagent_name", o.Agent), with("subagent_type", cmp.Or(o.kind, o.Agent)), with("task_description", o.text()), with("parent_session_id", parent.id)}
	start := t.fireOn(ctx, t.boss, checkrein.SubagentStart, nil, about...)
	if denied(&start) {
		return "", fmt.Errorf("a hook blocked the sub-agent: %s", why(&start))
	}
	t.asked = start.Verdict.Context
	t.newTurn()
	t.newRun()
	t.say(model.Message{Role: model.User, Content: o.text()})
	for source := "startup"; ; source = "resume" {
		t.start(ctx, source)
		reply, err := t.loop(ctx)
		t.fire(context.WithoutCancel(ctx), checkrein.SessionEnd, with("reason", EndOther))
		out := t.fireOn(context.WithoutCancel(ctx), t.boss, checkrein.SubagentStop, nil, append(about, text(reply), named(o.Agent))...)
		if err != nil || ctx.Err() != nil || out.Redo == nil {
			return reply, err
		}
		t.redo(&out)
	}
}

// named returns which agent an event is about, when another one's hooks hear of it.
func named(agent string) about { return func(ev *checkrein.Event) { ev.Session.Agent = agent } }

// handoff lets another agent go on with the same conversation.
func handoff(ctx context.Context, t *thread, input json.RawMessage) (string, error) {
	o, err := readOrder(input, t.who.spec.Handoffs)
	if err != nil {
		return "", err
	}
	t.next = o.Agent
	return "the conversation goes on with " + o.Agent, nil
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

// background starts a task on another agent and does not wait. Nobody is there
// to approve what it wants to do, so what needs approval is refused.
func background(ctx context.Context, t *thread, input json.RawMessage) (string, error) {
	o, err := readOrder(input, t.who.spec.SubAgents)
	if err != nil {
		return "", err
	}
	child, err := t.child(o.Agent, false)
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
		j.reply, j.err = child.serve(work, o)
	}()
	return "started: task_id " + child.id, nil
}

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

// stopAll ends the background agents and waits until their hooks have heard of
// it.
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

// view returns how a background agent is doing.
func view(ctx context.Context, t *thread, input json.RawMessage) (string, error) {
	var in struct {
		ID string `json:"task_id"`
	}
	if err := tool.Arguments(input, &in); err != nil {
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
		return j.agent + " is still at work", nil
	}
	if j.err != nil {
		return j.reply, j.err
	}
	return j.agent + " is done:\n" + j.reply, nil
}
