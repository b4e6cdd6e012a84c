// Package agent is the runtime: an agent that fires every event of the contract
// table and honours every effect.
//
// A [Runtime] holds one conversation with a person. Each message of the person
// starts a stream (stream.go): turns (turn.go) of one model call and the tool
// calls that it asks for (batch.go), each of which passes one gate
// (approve.go). Sub-agents are threads of their own (child.go).
//
// It is the reference embedding: what it knows of hooks it knows from the
// public packages.
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

// Options are what a Runtime works with.
type Options struct {
	Team    *team.Team
	Agent   string // who begins; "" = the team's default
	Session string // the session's id
	Dir     string // where it works

	Hooks func(agent string) (*app.Kit, error)
	Model func(*team.Agent) (model.Model, error)
	// Fallback opens the models that answer when the agent's own does not, in order;
	// nil = there are none.
	Fallback func(*team.Agent) ([]model.Model, error)
	Tools    func(*team.Agent) ([]tool.Tool, error)
	// Skills lists the skills of an agent; nil = it has none.
	Skills func(*team.Agent) []skill.Skill
	// Changed returns an agent's tools when they are others than before, as those of
	// servers may be; nil = they never are.
	Changed func(context.Context, *team.Agent) ([]tool.Tool, bool)

	// Send sends a message to the outbox or one of the Channels; nil = there are no
	// messages. What it cannot send it keeps, and says so in its error.
	Send     func(context.Context, Message) error
	Channels []string

	UI      UI
	Keep    func(session.Item) error // nil = nothing is kept
	History []session.Item           // of the session that is resumed

	Screen  string // what the person talks through: shell, print or json; "" = print
	Channel string // where the person's messages come from; "" = cli

	Yolo        bool // approve what no rule denies and no gate asks for
	Interactive bool // a person can be asked
	Now         func() time.Time
}

// A UI is what a person or a program sees of a runtime. It is called from
// several goroutines.
type UI interface {
	Report(Report)
	// Confirm asks the person whether a tool call may run.
	Confirm(context.Context, Question) (Reply, error)
	// GoOn asks whether to go on past the iteration limit.
	GoOn(ctx context.Context, iterations int) (bool, error)
}

// A Runtime runs a team of agents for one person. Prompt, Resume, Goal, Compact and
// Clear are called one at a time; Steer, FollowUp, Working and SetYolo at any time.
type Runtime struct {
	opts  Options
	yolo  atomic.Bool
	rules permit.Rules // what the person granted in this session
	team  permit.Rules

	mu      sync.Mutex
	members map[string]*member
	threads int
	totals  Totals
	asking  sync.Mutex // one question at a time
	keeping sync.Mutex
	lost    sync.Once // the session cannot be kept, and the person knows

	working   atomic.Bool
	steering  queue
	followups queue
	jobs      jobs
	main      *thread
	withheld  app.Withheld // what hooks took out of results
}

// A member is an agent of the team with what it works with.
type member struct {
	spec   *team.Agent
	hooks  *app.Kit
	model  model.Model
	spare  spare
	own    []tool.Tool // that the runtime itself has
	skills []skill.Skill
	all    atomic.Pointer[[]tool.Tool]
	rules  permit.Rules
}

// tools are the agent's tools as they are now.
func (m *member) tools() []tool.Tool { return *m.all.Load() }

// equip gives an agent its tools. The runtime's own are found first: no server can put
// one of its tools in their place. It returns the names of those that cannot be called.
func (m *member) equip(tools []tool.Tool) (hidden []string) {
	all := slices.Clone(m.own)
	for _, t := range tools {
		if slices.ContainsFunc(m.own, func(o tool.Tool) bool { return o.Name == t.Name }) {
			hidden = append(hidden, t.Name)
			continue
		}
		all = append(all, t)
	}
	m.all.Store(&all)
	return hidden
}

// New returns a runtime. Nothing is fired until Start.
func New(opts Options) (*Runtime, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	opts.Screen, opts.Channel = cmp.Or(opts.Screen, "print"), cmp.Or(opts.Channel, "cli")
	r := &Runtime{opts: opts, members: map[string]*member{}, steering: queue{max: maxSteering}, followups: queue{max: maxFollowups}}
	r.yolo.Store(opts.Yolo)
	r.jobs.list = map[string]*job{}
	if err := addRules(&r.team, opts.Team); err != nil {
		return nil, err
	}
	name := opts.Agent
	if name == "" {
		name = opts.Team.Default().Name
	}
	who, err := r.member(name)
	if err != nil {
		return nil, err
	}
	r.main = &thread{rt: r, id: opts.Session, who: who, interactive: opts.Interactive, main: true}
	if err := r.main.restore(opts.History); err != nil {
		return nil, err
	}
	return r, nil
}

// member opens an agent of the team, once.
func (r *Runtime) member(name string) (*member, error) {
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
	m, tools, cannot := r.opts.open(spec)
	if err := errors.Join(err, cannot); err != nil {
		return nil, err
	}
	m.hooks = hooks
	if r.opts.Skills != nil {
		m.skills = r.opts.Skills(spec)
	}
	m.own = r.ownTools(spec, m.skills)
	r.equip(m, tools)
	r.members[name] = m
	return m, nil
}

// An OpenError reports what of an agent cannot be opened.
type OpenError struct {
	Agent *team.Agent
	Err   error
}

func (e *OpenError) Error() string { return fmt.Sprintf("agent %q: %v", e.Agent.Name, e.Err) }

func (e *OpenError) Unwrap() error { return e.Err }

// open opens an agent, its hooks apart. Each error is an *OpenError.
func (o *Options) open(spec *team.Agent) (*member, []tool.Tool, error) {
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
		m.spare.models, err = o.Fallback(spec)
		note(err)
	}
	return m, tools, errors.Join(errs...)
}

// Check returns everything that keeps the agents of a team from being opened with the
// options: its Model, Fallback and Tools are called for each agent.
func Check(opts Options) error {
	errs := []error{addRules(&permit.Rules{}, opts.Team)}
	for i := range opts.Team.Agents {
		_, _, err := opts.open(&opts.Team.Agents[i])
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// addRules adds the rules of a team for all its agents.
func addRules(rules *permit.Rules, t *team.Team) error {
	if err := rules.Add(t.Permissions); err != nil {
		return fmt.Errorf("permissions: %w", err)
	}
	return nil
}

func (r *Runtime) equip(m *member, tools []tool.Tool) {
	for _, name := range m.equip(tools) {
		r.opts.UI.Report(Report{Type: Warning, Agent: m.spec.Name, Text: "the agent's tool " + name + " is left out: the runtime has one of that name. Give its server a name:"})
	}
}

// refresh takes over an agent's tools when they changed.
func (r *Runtime) refresh(ctx context.Context, m *member) {
	if r.opts.Changed == nil {
		return
	}
	if tools, changed := r.opts.Changed(ctx, m.spec); changed {
		r.equip(m, tools)
	}
}

// SetYolo switches auto-approval.
func (r *Runtime) SetYolo(on bool) { r.yolo.Store(on) }

// Yolo reports whether auto-approval is on.
func (r *Runtime) Yolo() bool { return r.yolo.Load() }

// Hooks are the hooks of the agent that is at work.
func (r *Runtime) Hooks() *app.Kit { return r.main.who.hooks }

// Agent is the agent that is at work.
func (r *Runtime) Agent() string { return r.main.who.spec.Name }

// Steer hands the agent a message while it works. It is refused when too many
// wait already.
func (r *Runtime) Steer(text string) error { return r.steering.push(text) }

// Unheard takes back the messages that came too late to steer: nobody works any
// more who could hear them.
func (r *Runtime) Unheard() []string { return r.steering.all() }

// FollowUp queues a message for when the agent is done.
func (r *Runtime) FollowUp(text string) error { return r.followups.push(text) }

// Left takes back the follow-ups that the agent did not get to.
func (r *Runtime) Left() []string { return r.followups.all() }

// Working reports whether the agent is at work on a message.
func (r *Runtime) Working() bool { return r.working.Load() }

// keep writes an item of the session down. That it cannot is said once: the
// conversation goes on.
func (r *Runtime) keep(it session.Item) {
	if r.opts.Keep == nil {
		return
	}
	it.At = r.opts.Now()
	r.keeping.Lock()
	defer r.keeping.Unlock()
	if err := r.opts.Keep(it); err != nil {
		r.lost.Do(func() {
			r.opts.UI.Report(Report{Type: Warning, Text: "the session is not being saved, so it cannot be resumed: " + err.Error()})
		})
	}
}
