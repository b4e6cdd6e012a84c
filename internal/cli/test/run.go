package test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval/coverage"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/problems"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/answer"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// A policy is the policy of a test file, as its cases try it.
type policy struct {
	env       *console.Env
	file      *testFile
	scope     checkrein.Scope
	root      string // the project in which its hooks run when they are not tested
	noSandbox bool

	hooks    []checkrein.Hook
	packs    []string // those that the policy adjusts
	approved func() (*app.Kit, error)
	confined func() error // why no sandbox can be built
	seen     *coverageOf
}

// openPolicy reads the policy of f. What is wrong with it is added to the problems of f.
func openPolicy(env *console.Env, f *testFile, noSandbox bool) (*policy, error) {
	p := &policy{env: env, file: f, noSandbox: noSandbox, root: filepath.Dir(f.policy)}
	places := base.Places(env)
	managed := config.ManagedDir()
	if env.Managed != "" {
		managed = env.Managed
	}
	opts := config.Options{User: places.Config, Agents: places.Agents, Managed: managed, Dialect: dialect.Detect, Guess: true}
	p.scope = opts.ScopeOf(f.policy)
	if p.scope == checkrein.ScopeProject {
		p.root = config.ProjectRoot(p.root)
	}
	if f.scope != "" {
		p.scope = scopes[f.scope]
	}
	p.approved = sync.OnceValues(func() (*app.Kit, error) {
		return base.OpenKit(env, app.Options{Dir: p.root, Files: []string{f.policy}, Agent: f.agent, FilesByPlace: true, ReadOnly: true})
	})
	s, err := newScratch()
	if err != nil {
		return nil, err
	}
	defer s.remove()
	p.confined = sync.OnceValue(p.trySandbox)
	k, err := p.open(s, &caseRun{policy: p, testCase: &testCase{}})
	if err != nil {
		return nil, err
	}
	for _, one := range problems.Find(env, []*app.Kit{k}, k.Check()) {
		if one.Level == problems.Error {
			f.problems = append(f.problems, one)
		}
	}
	p.hooks = k.Hooks()
	for i := range p.hooks {
		if h := &p.hooks[i]; h.Run == "command" && !h.Implied {
			p.file.links = append(p.file.links, coverage.FilesInProject(p.root, h)...)
		}
	}
	slices.Sort(p.file.links)
	p.file.links = slices.Compact(p.file.links)
	for _, pack := range k.PackSettings() {
		if pack.Name != "" && !pack.Off && !slices.Contains(p.packs, pack.Name) {
			p.packs = append(p.packs, pack.Name)
		}
	}
	p.seen = newCoverage(p)
	f.checkAnswers(p.hooks)
	return p, nil
}

// checkAnswers adds a problem for each answer of a hook that the policy does not have.
func (f *testFile) checkAnswers(hooks []checkrein.Hook) {
	var names []string
	for i := range hooks {
		names = append(names, hooks[i].Label(), hooks[i].ID)
	}
	nodes := []*yamldoc.Node{f.root}
	for _, c := range f.cases {
		nodes = append(nodes, c.node)
	}
	for _, n := range nodes {
		for _, p := range n.Get("answers").Members() {
			if !slices.Contains(names, p.Key) {
				f.addProblem(p.Line, fmt.Sprintf("answers: the policy has no hook %q%s", p.Key, suggest.Hint(p.Key, names)))
			}
		}
	}
}

// open returns a kit that tries the policy in s, for r.
func (p *policy) open(s *scratch, r *caseRun) (*app.Kit, error) {
	return app.Open(app.Options{
		Dir: s.project, Session: "checkrein-test", Files: []string{p.file.policy}, Agent: p.file.agent, Config: s.config, State: s.state,
		Managed: app.NoManaged, Environ: s.environ(p.env), Program: base.HotProgram(p.env), Now: p.env.Now, IgnoreSessionRoot: true,
		HandlersFor: base.NetworkHandlers(p.env), Log: func(string) {},
		Defaults: p.file.defaults, Rehearsal: &app.Rehearsal{Scope: func(string) checkrein.Scope { return p.scope }, Trust: r, Wrap: r.wrap, Walls: s.walls(p.env)},
	})
}

// sandboxOf returns the sandbox of command hooks, as a setting of a hook.
func (p *policy) sandboxOf() string {
	return fmt.Sprintf(`{"profile":%q,"network":%t}`, sandbox.Walls, p.file.network)
}

// trySandbox returns why no sandbox can be built on this machine, or nil.
func (p *policy) trySandbox() error {
	if err := sandbox.CheckSupported(); err != nil {
		return err
	}
	s, err := newScratch()
	if err != nil {
		return err
	}
	defer s.remove()
	rules, err := sandbox.ParseValue(json.RawMessage(p.sandboxOf()))
	if err != nil {
		return err
	}
	jail, err := s.walls(p.env).Resolve(rules, s.project)
	if err != nil {
		return err
	}
	argv, err := sandbox.TrampolineArgv(base.HotProgram(p.env), jail, []string{"/bin/sh", "-c", "true"})
	if err != nil {
		return err
	}
	res, err := process.Run(context.Background(), process.Spec{Argv: argv, Dir: s.project, Env: s.environ(p.env), Ticket: true})
	if err == nil {
		err = sandbox.ParseRefusal(res.Exit, res.Stderr)
	}
	return err
}

// A caseRun is one run of a case. It decides which hooks run, and supplies the answers of those that do
// not.
type caseRun struct {
	*policy
	*testCase
	mu        sync.Mutex
	obstacles []message.Message // why the case cannot pass, whatever the policy decides
}

// block records an obstacle, once.
func (r *caseRun) block(m message.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.ContainsFunc(r.obstacles, func(o message.Message) bool { return o.What == m.What }) {
		r.obstacles = append(r.obstacles, m)
	}
}

// answer returns what the case says that h answers, or nil.
func (r *caseRun) answer(h *checkrein.Hook) json.RawMessage {
	for _, of := range []map[string]json.RawMessage{r.answers, r.file.answers} {
		for _, name := range []string{h.Label(), h.ID} {
			if a, ok := of[name]; ok {
				return a
			}
		}
	}
	return nil
}

// NeedsCheck reports whether Check may refuse h.
func (r *caseRun) NeedsCheck(h *checkrein.Hook) bool { return h.Run == "command" }

// Check returns whether h may run: rules and builtins may, and a command hook if it is the user's own or
// approved, and a sandbox can be built.
func (r *caseRun) Check(h *checkrein.Hook) engine.Checked {
	if h.Run != "command" || r.answer(h) != nil {
		return engine.Checked{State: engine.Approved}
	}
	orAnswer := message.Do(fmt.Sprintf("or give its answer: answers: {%s: {…}}", h.Label()))
	if what, remedies := r.whyUnapproved(h); what != "" {
		r.block(message.New(fmt.Sprintf("the hook %q does not run: %s", h.Label(), what), append(remedies, orAnswer)...))
		return engine.Checked{State: engine.Unapproved, Why: what}
	}
	if r.noSandbox {
		return engine.Checked{State: engine.Approved}
	}
	if err := r.confined(); err != nil {
		what := "no sandbox can be built here: " + err.Error()
		r.block(message.New(fmt.Sprintf("the hook %q does not run: %s", h.Label(), what), message.Do("to run it with your own rights, add --no-sandbox"), orAnswer))
		return engine.Checked{State: engine.Unapproved, Why: what}
	}
	return engine.Checked{State: engine.Approved}
}

// whyUnapproved returns why the command hook h may not run on this machine, and what to do about it, or "".
func (r *caseRun) whyUnapproved(h *checkrein.Hook) (string, []message.Remedy) {
	k, err := r.approved()
	if err != nil {
		return err.Error(), nil
	}
	all := k.Hooks()
	i := slices.IndexFunc(all, func(o checkrein.Hook) bool {
		return o.ID == h.ID && o.On == h.On && o.From.File == h.From.File && o.From.Line == h.From.Line && o.From.Agent == h.From.Agent
	})
	if i < 0 {
		return "it is not among the hooks that apply here", nil
	}
	if all[i].Off != "" {
		return all[i].Off, nil
	}
	is, why := k.Approval(&all[i])
	if is == engine.Approved {
		return "", nil
	}
	if why.What == "" {
		why.What = "it is not approved"
	}
	return why.What, why.Remedies
}

// wrap returns the handler type t for the policy: hooks with an answer do not run, nor do those that
// reach a network, and commands run in a sandbox.
func (r *caseRun) wrap(t checkrein.HandlerType) checkrein.HandlerType {
	out := t
	out.New = func(h checkrein.Hook) (checkrein.Handler, error) {
		runs := h.Run == "command"
		if runs && !r.noSandbox {
			with, err := rawjson.Patch(h.With, []byte(`{"sealed":null,"sandbox":`+r.sandboxOf()+`}`))
			if err != nil {
				return nil, err
			}
			h.With = with
		}
		handler, err := t.New(h)
		if err != nil {
			return nil, err
		}
		if a := r.answer(&h); a != nil {
			return newAnswerHandler(h, a), nil
		}
		if runs || h.Run != "http" && t.Name != "model" && !coverage.StartsPrograms(&h) {
			return handler, nil
		}
		return checkrein.HandlerFunc(func(context.Context, checkrein.Event) (checkrein.Answer, error) {
			what := fmt.Sprintf("the hook %q (%s) does not run in tests", h.Label(), h.Run)
			r.block(message.New(what, message.Do(fmt.Sprintf("give its answer: answers: {%s: {…}}", h.Label()))))
			return checkrein.Answer{}, errors.New(what)
		}), nil
	}
	return out
}

// newAnswerHandler returns a handler that answers as if the hook h had printed the JSON object a.
func newAnswerHandler(h checkrein.Hook, a json.RawMessage) checkrein.Handler {
	return checkrein.HandlerFunc(func(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
		d, ok := dialect.Lookup(h.Dialect)
		if !ok {
			return checkrein.Answer{}, fmt.Errorf("unknown dialect %q", h.Dialect)
		}
		ans, err := answer.ReadOutput(&h, &d.Form, answer.Output{Stdout: a})
		if err == nil {
			err = answer.FitToEvent(d, &ev, &ans, host.RenameDirArgument)
		}
		return ans, err
	})
}

// A result is what became of a case.
type result struct {
	*testCase
	failures  []failure
	obstacles []message.Message
	decision  *decision // nil if the case could not be tried
	took      time.Duration
	bare      bool // the case could be tried, but expects nothing
	updated   bool // the expectation was written
}

// hasPassed reports whether the case passed.
func (r *result) hasPassed() bool { return len(r.failures) == 0 && len(r.obstacles) == 0 }

// try runs the case c.
func (p *policy) try(ctx context.Context, c *testCase) *result {
	began := time.Now()
	out := &result{testCase: c}
	d, obstacles, err := p.decide(ctx, c)
	if err != nil {
		obstacles = append(obstacles, message.FromError(err))
	}
	if d != nil && len(obstacles) == 0 {
		obstacles = d.unexpectedFaults(c.expect)
	}
	out.decision, out.obstacles, out.took = d, obstacles, time.Since(began)
	switch {
	case d == nil || len(obstacles) > 0:
	case len(c.expect.Members()) == 0:
		out.bare, out.obstacles = true, []message.Message{message.New("the case expects nothing", message.Do("to write the policy's current decision, add --update"))}
	default:
		out.failures = c.compare(d)
	}
	return out
}

// decide returns what the policy decides about c, and what keeps the case from passing.
func (p *policy) decide(ctx context.Context, c *testCase) (*decision, []message.Message, error) {
	s, err := newScratch()
	if err != nil {
		return nil, nil, err
	}
	defer s.remove()
	if err := s.fill(c, p.root, p.file.links); err != nil {
		return nil, nil, err
	}
	r := &caseRun{policy: p, testCase: c}
	k, err := p.open(s, r)
	if err != nil {
		return nil, nil, err
	}
	events, err := c.events(s.project)
	if err != nil {
		return nil, nil, fmt.Errorf("the event cannot be read: %w", err)
	}
	d := &decision{out: app.JoinOutcomes(k.DecideCall(ctx, events))}
	for i := range events {
		p.seen.add(k.Explain(events[i], nil))
		if events[i].Tool != nil && d.acts.Label == "" {
			d.acts = k.Acts(events[i])
		}
	}
	p.seen.addRules(d)
	v := &d.out.Verdict
	v.Context = slices.Clone(v.Context)
	v.Reason, v.Input, v.Output = s.mask(v.Reason), maskJSON(s, v.Input), maskJSON(s, v.Output)
	for i, text := range v.Context {
		v.Context[i] = s.mask(text)
	}
	return d, r.obstacles, nil
}

// maskJSON is mask for a JSON value.
func maskJSON(s *scratch, val json.RawMessage) json.RawMessage {
	if val == nil {
		return nil
	}
	return json.RawMessage(s.mask(string(val)))
}

// tryAll runs the cases, as many at a time as there are processors, and returns their results in order.
func (p *policy) tryAll(ctx context.Context, cases []*testCase, done func()) []*result {
	out := make([]*result, len(cases))
	next := make(chan int)
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(cases)) {
		wait.Go(func() {
			for i := range next {
				out[i] = p.try(ctx, cases[i])
				done()
			}
		})
	}
	for i := range cases {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wait.Wait()
	return out
}
