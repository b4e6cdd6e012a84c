package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/checkreintest"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/session"
	"github.com/checkrein/checkrein/internal/agent/skill"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/agent/tool"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

// A lab is a runtime whose environment the test controls.
type lab struct {
	t      *testing.T
	dir    string
	agents []team.Agent
	models []team.Model
	rules  team.Permissions
	yolo   bool
	person func(Question) Reply // nil = there is none
	goOn   bool
	answer string // the person's answer, if person uses it
	limit  int    // of the model's context

	// script has the model's answers in order, by agent.
	script map[string][]scriptedAnswer
	// on has the verdicts of hooks by agent and event: "root pre_tool_use", or
	// "pre_tool_use" for every agent.
	on    map[string]func(checkrein.Event) checkrein.Verdict
	hooks func(agent string) []checkrein.Hook // instead of on
	files []string                            // likewise: approved, and with whatever they say
	runs  func(name string, input json.RawMessage) (string, error)

	mu      sync.Mutex
	events  []string // "agent event", as they were fired
	seen    []checkrein.Event
	reports []Report
	ran     []string // tools that ran, with their arguments
	asked   []model.Request
	calls   map[string]int
	kept    []session.Item
	sent    []string
	unsent  error // the error of sending
	changed func(*team.Agent) ([]tool.Tool, bool)
	skills  []skill.Skill // of root

	session *checkreintest.Session // gives hooks and the model's answers instead; nil = there is none
}

// A scriptedAnswer is one answer of a model.
type scriptedAnswer struct {
	text  string
	calls []string // "tool {arguments}"
	err   error
	usage *model.Usage
	cost  *float64
	do    func(context.Context)
}

func newLab(t *testing.T) *lab {
	l := &lab{t: t, dir: t.TempDir(), calls: map[string]int{}, script: map[string][]scriptedAnswer{}, on: map[string]func(checkrein.Event) checkrein.Verdict{}}
	l.agents = []team.Agent{{Name: "root", Model: "m", Instruction: "be good", Toolsets: []team.Toolset{{Type: "test"}}}}
	return l
}

// deny and verdict return functions that hooks of a test use as answers.
func deny(reason string) func(checkrein.Event) checkrein.Verdict {
	return answerWith(checkrein.Verdict{Decision: checkrein.Deny, Reason: reason})
}

func answerWith(v checkrein.Verdict) func(checkrein.Event) checkrein.Verdict {
	return func(checkrein.Event) checkrein.Verdict { return v }
}

// openKit returns the kit of an agent with a hook on every event that records it and answers as the
// test wants.
func (l *lab) openKit(agent string) (*app.Kit, error) {
	typ := checkrein.HandlerType{Name: "note", Traits: func(*checkrein.Hook) checkrein.Traits { return checkrein.Traits{Rewrites: true} },
		New: func(h checkrein.Hook) (checkrein.Handler, error) {
			return checkrein.HandlerFunc(func(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
				return checkrein.Answer{Verdict: l.record(agent, h, ev)}, nil
			}), nil
		}}
	types := []checkrein.HandlerType{typ}
	var hooks []checkrein.Hook
	if l.session != nil {
		types = l.session.Handlers
		l.hooks = func(string) []checkrein.Hook { return l.session.Hooks }
	}
	if l.files != nil {
		return l.openFileKit(agent)
	}
	if l.hooks != nil {
		hooks = l.hooks(agent)
	} else {
		for _, row := range checkrein.Contracts() {
			if row.Kind != checkrein.Other {
				hooks = append(hooks, recordingHook(row.Kind))
			}
		}
	}
	home := filepath.Join(l.dir, "home")
	return app.Open(app.Options{Dir: l.dir, Agent: agent, Hooks: hooks, Handlers: types, State: filepath.Join(l.dir, "state"), Managed: app.NoManaged,
		Environ: []string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, "config"), "PATH=/usr/bin:/bin"}})
}

// openFileKit returns the kit of an agent with hooks from files.
func (l *lab) openFileKit(agent string) (*app.Kit, error) {
	opts := app.Options{Dir: l.dir, Agent: agent, AgentIsGuess: true, Files: l.files, State: filepath.Join(l.dir, "state"), Managed: app.NoManaged,
		Environ: []string{"HOME=" + filepath.Join(l.dir, "home"), "PATH=/usr/bin:/bin"}}
	k, err := app.Open(opts)
	if err == nil {
		err = k.Check()
	}
	if err == nil {
		_, err = k.Approve(nil)
	}
	if err != nil {
		return nil, err
	}
	return app.Open(opts)
}

// recordingHook returns a hook that records the event and always runs.
func recordingHook(kind checkrein.Kind) checkrein.Hook {
	return checkrein.Hook{ID: "note", On: kind, Run: "note", Dialect: "native", Rewrites: true, Priority: hookfile.DefaultPriority,
		From: checkrein.Origin{Scope: checkrein.ScopeUser, File: "test"}}
}

func (l *lab) record(agent string, h checkrein.Hook, ev checkrein.Event) checkrein.Verdict {
	name := ev.Kind.String()
	l.mu.Lock()
	l.events = append(l.events, agent+" "+name)
	l.seen = append(l.seen, ev)
	l.mu.Unlock()
	for _, key := range []string{agent + " " + name + " " + h.ID, agent + " " + name, name} {
		if f := l.on[key]; f != nil {
			return f(ev)
		}
	}
	return checkrein.Verdict{}
}

// start starts the runtime.
func (l *lab) start(history ...session.Item) *Runtime {
	l.t.Helper()
	opts := Options{
		Team: &team.Team{Agents: l.agents, Models: l.models, Permissions: l.rules}, Session: "s1", Dir: l.dir, Hooks: l.openKit, UI: l, Yolo: l.yolo, Interactive: l.person != nil, History: history,
		Model: func(a *team.Agent) (model.Model, error) { return &actor{l, a.Name}, nil },
		Fallback: func(a *team.Agent) ([]model.Model, error) {
			var out []model.Model
			for _, name := range a.Fallback.Models {
				out = append(out, &actor{l, name})
			}
			return out, nil
		},
		Tools: func(*team.Agent) ([]tool.Tool, error) { return l.tools(), nil },
		Send: func(_ context.Context, m Message) error {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.sent = append(l.sent, m.Channel+": "+m.Text)
			return l.unsent
		}, Channels: []string{"ops"},
		Save: func(it session.Item) error { l.mu.Lock(); defer l.mu.Unlock(); l.kept = append(l.kept, it); return nil },
	}
	opts.Skills = func(a *team.Agent) []skill.Skill {
		if a.Name != "root" {
			return nil
		}
		return l.skills
	}
	if l.changed != nil {
		opts.ChangedTools = func(_ context.Context, a *team.Agent) ([]tool.Tool, bool) { return l.changed(a) }
	}
	r, err := New(opts)
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

// tools returns one that acts, one that only reads, and a shell that does nothing.
func (l *lab) tools() []tool.Tool {
	run := func(name string) func(context.Context, json.RawMessage) (string, error) {
		return func(_ context.Context, in json.RawMessage) (string, error) {
			l.mu.Lock()
			l.ran = append(l.ran, name+" "+string(in))
			l.mu.Unlock()
			if l.runs != nil {
				return l.runs(name, in)
			}
			return name + " ran", nil
		}
	}
	var out []tool.Tool
	for _, name := range []string{"shell", "act", "look"} {
		out = append(out, tool.Tool{Definition: model.Definition{Name: name}, Category: "test", ReadOnly: name == "look", Run: run(name)})
	}
	out[0].Category = "shell"
	return out
}

// An actor is a model that follows a script.
type actor struct {
	l    *lab
	name string
}

func (a *actor) ID() string               { return "test/" + a.name }
func (a *actor) ContextLimit() int        { return a.l.limit }
func (a *actor) Endpoint() model.Endpoint { return model.Endpoint{Provider: "test", Model: a.name} }

func (a *actor) Call(ctx context.Context, req model.Request, delta func(string)) (model.Answer, error) {
	l := a.l
	l.mu.Lock()
	n := l.calls[a.name]
	l.calls[a.name]++
	l.asked = append(l.asked, model.Request{Messages: slices.Clone(req.Messages), Tools: req.Tools})
	l.mu.Unlock()
	if l.session != nil {
		return callSession(l.session, req), nil
	}
	if len(req.Tools) == 0 {
		return model.Answer{Text: "a summary"}, nil
	}
	if n >= len(l.script[a.name]) {
		return model.Answer{Text: "done"}, nil
	}
	s := l.script[a.name][n]
	if s.do != nil {
		s.do(ctx)
	}
	if s.err != nil {
		return model.Answer{}, s.err
	}
	if ctx.Err() != nil {
		return model.Answer{}, ctx.Err()
	}
	if delta != nil {
		delta(s.text)
	}
	out := model.Answer{Text: s.text, Usage: s.usage, Cost: s.cost}
	for i, c := range s.calls {
		name, args, _ := strings.Cut(c, " ")
		out.ToolCalls = append(out.ToolCalls, model.ToolCall{ID: fmt.Sprintf("%s-%d-%d", a.name, n, i), Type: "function", Function: model.Function{Name: name, Arguments: args}})
	}
	return out, nil
}

func (l *lab) Report(rep Report) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reports = append(l.reports, rep)
}

func (l *lab) Confirm(_ context.Context, q Question) (Reply, error) { return l.person(q), nil }
func (l *lab) ConfirmMore(context.Context, int) (bool, error)       { return l.goOn, nil }

// runPrompt starts a runtime, gives it one prompt and ends it.
func (l *lab) runPrompt(text string) error {
	l.t.Helper()
	r := l.start()
	r.Start(l.t.Context(), "startup")
	err := r.Prompt(l.t.Context(), text)
	r.End(l.t.Context(), EndOther)
	return err
}

// reportsOf returns the reports of a type.
func (l *lab) reportsOf(typ string) []Report {
	var out []Report
	for _, r := range l.reports {
		if r.Type == typ {
			out = append(out, r)
		}
	}
	return out
}

// lastEvent returns the last event of a kind.
func (l *lab) lastEvent(kind checkrein.Kind) checkrein.Event {
	l.t.Helper()
	for _, ev := range slices.Backward(l.seen) {
		if ev.Kind == kind {
			return ev
		}
	}
	l.t.Fatalf("%s was not fired: %v", kind, l.events)
	return checkrein.Event{}
}

func wantList(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}
