// Package agent is checkrein's own agent runtime, which fires every event of the contract table and
// honours every effect. It is also the reference for runtimes that embed checkrein.
//
// A [Runtime] holds one conversation with the user. Each message of the user starts a loop (loop.go)
// of turns (turn.go). A turn is one model call and the tool calls in its answer (batch.go), each of
// which must be approved (approve.go). Each sub-agent has its own thread (child.go).
package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/permit"
	"github.com/checkrein/checkrein/internal/agent/session"
	"github.com/checkrein/checkrein/internal/agent/skill"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/agent/tool"
	"github.com/checkrein/checkrein/internal/app"
)

// Options configure a Runtime.
type Options struct {
	Team    *team.Team
	Agent   string // the first agent; "" = the team's default
	Session string // the session's ID
	Dir     string // the working directory

	Hooks func(agent string) (*app.Kit, error)
	Model func(*team.Agent) (model.Model, error)
	// Fallback opens the models that are tried, in order, if the agent's own model does not answer;
	// nil means that there are none.
	Fallback func(*team.Agent) ([]model.Model, error)
	Tools    func(*team.Agent) ([]tool.Tool, error)
	// Skills returns the skills of an agent; nil means that no agent has any.
	Skills func(*team.Agent) []skill.Skill
	// ChangedTools returns the tools of an agent if they have changed since the last call, as those of
	// MCP servers may, and reports whether they have; nil means that they never change.
	ChangedTools func(context.Context, *team.Agent) ([]tool.Tool, bool)

	// Send sends a message to the outbox or to one of Channels; nil means that agents cannot send
	// messages. Send keeps a message that it cannot send, and its error says so.
	Send     func(context.Context, Message) error
	Channels []string

	UI      UI
	Save    func(session.Item) error // nil = the session is not saved
	History []session.Item           // of a resumed session

	Screen  string // the user interface: shell, print or json; "" = print
	Channel string // the source of the user's messages; "" = cli

	Yolo        bool // approve calls that no rule denies and no gate asks about
	Interactive bool // a person can be asked
	Now         func() time.Time
}

// A UI shows a user or a program what a runtime does. It must be safe for concurrent use.
type UI interface {
	Report(Report)
	// Confirm asks the user whether a tool call may run.
	Confirm(context.Context, Question) (Reply, error)
	// ConfirmMore asks the user whether to continue after this many iterations, which is the limit.
	ConfirmMore(ctx context.Context, iterations int) (bool, error)
}

// A Runtime runs a team of agents for one user. Prompt, RunFollowUps, PursueGoal, Compact and Clear
// must be called one at a time; Steer, FollowUp, IsWorking and SetYolo may be called at any time.
type Runtime struct {
	opts  Options
	yolo  atomic.Bool
	rules permit.Rules // rules that the user granted in this session
	team  permit.Rules

	mu         sync.Mutex
	members    map[string]*member
	threads    int
	totals     Totals
	askMu      sync.Mutex // one question at a time
	saveMu     sync.Mutex
	saveFailed sync.Once // reports once that the session cannot be saved

	working   atomic.Bool
	steering  queue
	followups queue
	jobs      jobs
	main      *thread
	withheld  app.WithheldSecrets // what hooks removed from results
}

// A member is an agent of the team with its hooks, models and tools.
type member struct {
	spec     *team.Agent
	hooks    *app.Kit
	model    model.Model
	fallback fallbackModels
	builtin  []tool.Tool // tools of the runtime itself
	skills   []skill.Skill
	all      atomic.Pointer[[]tool.Tool]
	rules    permit.Rules
}

// currentTools returns the agent's present tools.
func (m *member) currentTools() []tool.Tool { return *m.all.Load() }

// setTools sets the agent's tools. A tool of the runtime takes precedence over one of the same name,
// so that no server can replace it. setTools returns the names of the tools that are left out for that
// reason.
func (m *member) setTools(tools []tool.Tool) (hidden []string) {
	all := slices.Clone(m.builtin)
	for _, t := range tools {
		if slices.ContainsFunc(m.builtin, func(o tool.Tool) bool { return o.Name == t.Name }) {
			hidden = append(hidden, t.Name)
			continue
		}
		all = append(all, t)
	}
	m.all.Store(&all)
	return hidden
}

// New returns a runtime. It fires no events; see [Runtime.Start].
func New(opts Options) (*Runtime, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	opts.Screen, opts.Channel = cmp.Or(opts.Screen, "print"), cmp.Or(opts.Channel, "cli")
	r := &Runtime{opts: opts, members: map[string]*member{}, steering: queue{max: maxSteering}, followups: queue{max: maxFollowups}}
	r.yolo.Store(opts.Yolo)
	r.jobs.list = map[string]*job{}
	if err := addTeamRules(&r.team, opts.Team); err != nil {
		return nil, err
	}
	name := opts.Agent
	if name == "" {
		name = opts.Team.DefaultAgent().Name
	}
	who, err := r.openMember(name)
	if err != nil {
		return nil, err
	}
	r.main = &thread{rt: r, id: opts.Session, agent: who, interactive: opts.Interactive, main: true}
	if err := r.main.restore(opts.History); err != nil {
		return nil, err
	}
	return r, nil
}

// openMember returns the agent name of the team, and opens it if it is not open yet.
func (r *Runtime) openMember(name string) (*member, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.members[name]; m != nil {
		return m, nil
	}
	spec, ok := r.opts.Team.Agent(name)
	if !ok {
		var names []string
		for i := range r.opts.Team.Agents {
			names = append(names, r.opts.Team.Agents[i].Name)
		}
		return nil, fmt.Errorf("the agent file has no agent %q: it has %s", name, strings.Join(names, ", "))
	}
	hooks, err := r.opts.Hooks(name)
	if err != nil {
		err = &OpenError{spec, err}
	}
	m, tools, cannot := r.opts.openAgent(spec)
	if err := errors.Join(err, cannot); err != nil {
		return nil, err
	}
	m.hooks = hooks
	if r.opts.Skills != nil {
		m.skills = r.opts.Skills(spec)
	}
	m.builtin = r.builtinTools(spec, m.skills)
	r.setTools(m, tools)
	r.members[name] = m
	return m, nil
}

// An OpenError reports why an agent cannot be opened.
type OpenError struct {
	Agent *team.Agent
	Err   error
}

func (e *OpenError) Error() string { return fmt.Sprintf("agent %q: %v", e.Agent.Name, e.Err) }

func (e *OpenError) Unwrap() error { return e.Err }

// openAgent opens an agent except for its hooks, and returns it and its tools. The error joins an
// *OpenError for each failure.
func (o *Options) openAgent(spec *team.Agent) (*member, []tool.Tool, error) {
	m := &member{spec: spec}
	var errs []error
	note := func(err error) {
		if err != nil {
			errs = append(errs, &OpenError{spec, err})
		}
	}
	var err error
	m.model, err = o.Model(spec)
	note(err)
	tools, err := o.Tools(spec)
	note(err)
	note(m.rules.Add(spec.Permissions))
	if o.Fallback != nil {
		m.fallback.models, err = o.Fallback(spec)
		note(err)
	}
	return m, tools, errors.Join(errs...)
}

// CheckAgents returns everything that prevents the agents of a team from being opened. It calls Model,
// Fallback and Tools of opts for each agent.
func CheckAgents(opts Options) error {
	errs := []error{addTeamRules(&permit.Rules{}, opts.Team)}
	for i := range opts.Team.Agents {
		_, _, err := opts.openAgent(&opts.Team.Agents[i])
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// addTeamRules adds the rules of t for all its agents to rules.
func addTeamRules(rules *permit.Rules, t *team.Team) error {
	if err := rules.Add(t.Permissions); err != nil {
		return fmt.Errorf("permissions: %w", err)
	}
	return nil
}

// setTools sets the tools of m and warns about those that are left out.
func (r *Runtime) setTools(m *member, tools []tool.Tool) {
	for _, name := range m.setTools(tools) {
		r.opts.UI.Report(Report{Type: Warning, Agent: m.spec.Name, Text: "the agent's tool " + name + " was left out, because the runtime has a tool of that name: set name: for its server"})
	}
}

// refreshTools updates the tools of m if they changed.
func (r *Runtime) refreshTools(ctx context.Context, m *member) {
	if r.opts.ChangedTools == nil {
		return
	}
	if tools, changed := r.opts.ChangedTools(ctx, m.spec); changed {
		r.setTools(m, tools)
	}
}

// SetYolo switches auto-approval on or off.
func (r *Runtime) SetYolo(on bool) { r.yolo.Store(on) }

// Yolo reports whether auto-approval is on.
func (r *Runtime) Yolo() bool { return r.yolo.Load() }

// Hooks returns the hooks of the current agent.
func (r *Runtime) Hooks() *app.Kit { return r.main.agent.hooks }

// Agent returns the name of the current agent.
func (r *Runtime) Agent() string { return r.main.agent.spec.Name }

// Steer queues a message that the agent gets while it works. It returns an error if too many are
// waiting.
func (r *Runtime) Steer(text string) error { return r.steering.push(text) }

// TakeSteering removes and returns the steering messages that the agent did not get.
func (r *Runtime) TakeSteering() []string { return r.steering.takeAll() }

// FollowUp queues a message that the agent gets when it is done. It returns an error if too many are
// waiting.
func (r *Runtime) FollowUp(text string) error { return r.followups.push(text) }

// TakeFollowUps removes and returns the follow-ups that the agent did not get.
func (r *Runtime) TakeFollowUps() []string { return r.followups.takeAll() }

// IsWorking reports whether the agent is working on a message.
func (r *Runtime) IsWorking() bool { return r.working.Load() }

// save saves an item of the session. If that fails, it warns once, and the conversation continues.
func (r *Runtime) save(it session.Item) {
	if r.opts.Save == nil {
		return
	}
	it.At = r.opts.Now()
	r.saveMu.Lock()
	defer r.saveMu.Unlock()
	if err := r.opts.Save(it); err != nil {
		r.saveFailed.Do(func() {
			r.opts.UI.Report(Report{Type: Warning, Text: "the session is not being saved, so it cannot be resumed: " + err.Error()})
		})
	}
}
