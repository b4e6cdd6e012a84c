package engine

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/match"
)

// A bound is a hook with what is compiled of it.
type bound struct {
	hook   *checkrein.Hook
	row    *checkrein.HandlerType // nil when the handler table has no such row
	traits checkrein.Traits

	tool    match.Tool
	toolErr error

	met     sync.Once
	cond    condition
	condErr error

	built    sync.Once
	handler  checkrein.Handler
	always   *checkrein.Answer // see [constant]; nil = the handler is to be asked
	buildErr error
}

// A constant is an instant handler that may say the same of every event, so that it need
// not be asked: a rule without fields of the event in its words.
type constant interface {
	// Always is what it says of every event, and must not be changed; nil = that depends.
	Always() *checkrein.Answer
}

// row is the row of the handler table that a hook names; nil = there is none.
func (e *Engine) row(h *checkrein.Hook) *checkrein.HandlerType {
	for i := len(e.opts.Handlers) - 1; i >= 0; i-- { // a later row replaces an earlier one
		if e.opts.Handlers[i].Name == h.Run && h.Run != "" {
			return &e.opts.Handlers[i]
		}
	}
	return nil
}

// Traits are what the handler of a hook is like, whatever the hook itself says.
func (e *Engine) Traits(h *checkrein.Hook) checkrein.Traits {
	if row := e.row(h); row != nil && row.Traits != nil {
		return row.Traits(h)
	}
	return checkrein.Traits{}
}

func (e *Engine) bind(b *bound, h *checkrein.Hook) {
	b.hook, b.row, b.traits = h, e.row(h), e.Traits(h)
	b.traits.Judges = b.traits.Judges || h.Gate
	b.traits.Rewrites = b.traits.Rewrites && h.Rewrites
	// One that cannot be read matches everything: a broken gate stays closed.
	b.tool, b.toolErr = match.CompileTool(h.Match, h.MatchWords)
}

// A condition is everything beside the tool's name that must hold for a hook to
// be asked.
type condition struct {
	fields match.Cond
	args   match.Search
	search match.Search
	allows bool
}

func (c *condition) compile(h *checkrein.Hook) error {
	var errs [3]error
	c.fields, errs[0] = match.CompileCond(h.If, checkrein.ContractOf(h.On))
	c.args, errs[1] = match.CompileSearch(h.Args)
	c.search, errs[2] = match.CompileSearch(h.Search)
	return errors.Join(errs[:]...)
}

// surelyExcludes reports whether the hook does not apply to the event, whatever the unreadable parts
// of its condition are.
func (c *condition) surelyExcludes(ev *checkrein.Event) bool {
	return !c.args.IsZero() && (ev.Tool == nil || !c.args.MatchesJSON(ev.Tool.Input))
}

// holds reports whether the hook is to be asked about the event of view.
// Payload is what the hook would get; it is made only when it is searched.
func (c *condition) holds(view *match.View, ev *checkrein.Event, payload func() ([]byte, error)) (bool, error) {
	if c.allows && !c.fields.SurelyHolds(view) || !c.allows && !c.fields.Holds(view) {
		return false, nil
	}
	if c.surelyExcludes(ev) {
		return false, nil
	}
	if c.search.IsZero() {
		return true, nil
	}
	body, err := payload()
	// A tab is one to an expression also where JSON spells it.
	return err == nil && (c.search.MatchesText(string(body)) || c.search.MatchesJSON(body)), err
}

// condition compiles the hook's condition, or says why the hook cannot run.
func (b *bound) condition() (*condition, error) {
	b.met.Do(func() {
		switch {
		case b.hook.Broken != "":
			b.condErr = errors.New(b.hook.Broken)
			b.cond.args, _ = match.CompileSearch(b.hook.Args) // what can be read of it still narrows it
		case b.toolErr != nil:
			b.condErr = b.toolErr
		default:
			b.cond.allows = b.traits.Allows
			b.condErr = b.cond.compile(b.hook)
		}
	})
	return &b.cond, b.condErr
}

// build makes the handler, or says why the hook has none.
func (b *bound) build() error {
	b.built.Do(func() {
		defer func() {
			if p := recover(); p != nil {
				b.buildErr = fmt.Errorf("panic: %v", p)
			}
		}()
		if b.row == nil || b.row.New == nil {
			b.buildErr = fmt.Errorf("unknown hook type %q", b.hook.Run)
			return
		}
		b.handler, b.buildErr = b.row.New(*b.hook)
		if c, ok := b.handler.(constant); ok && b.buildErr == nil && b.traits.Instant {
			b.always = c.Always()
		}
	})
	return b.buildErr
}

// inOrder returns the hooks of a kind in plan order: usual rewrites before
// redaction before the size limit, then by priority, then as configured.
func (e *Engine) inOrder(k checkrein.Kind) []*bound {
	l := &e.kinds[k]
	l.once.Do(func() {
		own := make([]*checkrein.Hook, 0, len(e.opts.Hooks))
		var guests []*checkrein.Hook
		for i := range e.opts.Hooks {
			switch h := &e.opts.Hooks[i]; {
			case h.On == k:
				own = append(own, h)
			case e.visits(h, k):
				guests = append(guests, h)
			}
		}
		own = append(own, guests...) // of two that are the same the event's own counts
		store := make([]bound, len(own))
		l.hooks = make([]*bound, len(own))
		for i, h := range own {
			e.bind(&store[i], h)
			l.hooks[i] = &store[i]
		}
		l.hooks = dedup(l.hooks)
		slices.SortStableFunc(l.hooks, func(a, b *bound) int {
			if d := phase(&a.traits) - phase(&b.traits); d != 0 {
				return d
			}
			return b.hook.Priority - a.hook.Priority
		})
	})
	return l.hooks
}

// phase orders rewrites: what others wrote is redacted, and what is redacted is cut to size.
func phase(t *checkrein.Traits) int {
	switch {
	case t.Limits:
		return 2
	case t.Redacts:
		return 1
	}
	return 0
}

// visits reports whether a hook also judges events of a kind that it is not for. A gate
// that is always asked does, before a hook answers in the place of the person, who may be
// asked only because of that gate. One that is not instant judges only a rewritten call.
func (e *Engine) visits(h *checkrein.Hook, k checkrein.Kind) bool {
	if k != checkrein.PermissionRequest || h.On != checkrein.PreToolUse || h.Async || h.Exact && !h.Preempt {
		return false
	}
	t := e.Traits(h)
	return (t.Judges || h.Gate) && !t.Allows && !t.Unsure
}

// onlyRewritten is why a guest that is not instant is skipped: it has judged the call as it was.
const onlyRewritten = "it judges a permission request only if a hook rewrites the call"

// dedup keeps the first of hooks that are the same in everything but their
// place, and notes the places of the others on it.
func dedup(hooks []*bound) []*bound {
	if len(hooks) < 2 {
		return hooks
	}
	seed := maphash.MakeSeed()
	seen := make(map[uint64][]*bound, len(hooks))
	out := hooks[:0]
	for _, b := range hooks {
		key := maphash.String(seed, b.hook.Name) ^ maphash.Bytes(seed, b.hook.With) ^ maphash.Bytes(seed, b.hook.If)
		if first := twin(seen[key], b.hook); first != nil {
			first.join(b.hook)
			continue
		}
		seen[key] = append(seen[key], b)
		out = append(out, b)
	}
	return out
}

func twin(candidates []*bound, h *checkrein.Hook) *bound {
	for _, b := range candidates {
		if equalHooks(b.hook, h) {
			return b
		}
	}
	return nil
}

// equalHooks reports whether two hooks of one kind are equal in all but ID and place. The ID of a hook
// without a name comes from its place.
func equalHooks(a, b *checkrein.Hook) bool {
	return a.Name == b.Name && a.Event == b.Event && a.Match == b.Match && a.MatchWords == b.MatchWords &&
		a.Args == b.Args && a.Search == b.Search && a.Chain == b.Chain && bytes.Equal(a.If, b.If) &&
		a.Run == b.Run && bytes.Equal(a.With, b.With) && a.Timeout == b.Timeout && a.Priority == b.Priority &&
		a.Async == b.Async && a.Gate == b.Gate && a.Rewrites == b.Rewrites && a.Preempt == b.Preempt &&
		a.Strict == b.Strict && a.OnFault == b.OnFault && a.Dialect == b.Dialect && a.Exact == b.Exact && a.Implied == b.Implied &&
		a.Off == b.Off && a.Shadow == b.Shadow && a.Broken == b.Broken
}

// join notes another place of the same hook. The most trusted place is the one
// that counts, with the ID that the hook has there: there it needs the least.
func (b *bound) join(other *checkrein.Hook) {
	h, from := *b.hook, other.From // the engine's hooks are shared
	if from.Scope < h.From.Scope || from.Scope == h.From.Scope && h.From.Approval && !from.Approval {
		from, h.From, h.ID = h.From, other.From, other.ID
	}
	h.Also = append(h.Also[:len(h.Also):len(h.Also)], from)
	b.hook = &h
}

// plan returns the steps for ev in their stages. Hooks that another hook's
// rewrite could concern are in different stages: on rows with a rewrite, hooks
// that may rewrite run one after another; everything else of one priority runs
// together. Only hooks that pick picks are planned; nil picks all.
func (e *Engine) plan(ev *checkrein.Event, pick func(*checkrein.Hook) bool) []Step {
	hooks := e.hooksFor(ev)
	var steps []Step
	serial := checkrein.ContractOf(ev.Kind).Effects&rewriting != 0
	stage, open := 0, false // open: the current stage takes more hooks
	var last *bound
	var final []Step // which are asked behind all others
	guests := e.answers(ev)
	for _, b := range hooks {
		if pick != nil && !pick(b.hook) || b.hook.On != ev.Kind && !guests {
			continue
		}
		if steps == nil {
			steps = make([]Step, 0, len(hooks))
		}
		s := Step{Result: Result{Hook: b.hook}, bound: b}
		s.Skipped = e.skips(b)
		if s.Skipped == "" && e.opts.RunByHost != nil {
			s.Skipped = e.opts.RunByHost(ev, b.hook)
		}
		if s.Skipped == "" && b.hook.On != ev.Kind && !b.traits.Instant {
			s.Skipped, s.guest = onlyRewritten, true
		}
		if s.Skipped == "" && !b.hook.Async && !b.traits.Unsure {
			alone := serial && b.traits.Rewrites || b.hook.Chain != ""
			if !open || alone || phase(&last.traits) != phase(&b.traits) || last.hook.Priority != b.hook.Priority {
				stage++
			}
			open, last = !alone, b
			s.Stage = stage
		}
		if b.traits.Unsure {
			final = append(final, s)
		} else {
			steps = append(steps, s)
		}
	}
	return append(steps, final...)
}

// answers reports whether hooks may answer in the person's place: only then is there
// something to object to.
func (e *Engine) answers(ev *checkrein.Event) bool {
	return ev.Kind == checkrein.PermissionRequest && (e.opts.Honours == nil || e.opts.Honours(ev)&checkrein.CanAllow != 0)
}

const rewriting = checkrein.CanRewriteInput | checkrein.CanRewriteOutput | checkrein.CanRewriteMessages

// A concerned is the hooks of a kind that a tool concerns.
type concerned struct {
	name, canonical string
	hooks           []*bound
}

// Fewer hooks are as quickly matched as remembered; and a host has no end of tools.
const (
	minKept = 4
	maxKept = 16
)

// hooksFor returns the hooks that apply to an event, in plan order. The result is cached by tool,
// because a session has few tools.
func (e *Engine) hooksFor(ev *checkrein.Event) []*bound {
	hooks := e.inOrder(ev.Kind)
	if len(hooks) < minKept || ev.Tool == nil || !selectedByTool(ev.Kind) {
		return e.filterHooks(hooks, ev)
	}
	l := &e.kinds[ev.Kind]
	known := l.tools.Load()
	if known != nil {
		for i := range *known {
			if c := &(*known)[i]; c.name == ev.Tool.Name && c.canonical == ev.Tool.Canonical {
				return c.hooks
			}
		}
	}
	found := e.filterHooks(hooks, ev)
	var list []concerned
	if known != nil {
		list = *known
	}
	if len(list) < maxKept {
		list = append(list[:len(list):len(list)], concerned{ev.Tool.Name, ev.Tool.Canonical, found})
		l.tools.CompareAndSwap(known, &list) // else another one is remembered
	}
	return found
}

// selectedByTool reports whether the tool alone decides which hooks apply to an event of a kind; see
// [checkrein.Hook.Hears].
func selectedByTool(k checkrein.Kind) bool {
	return k != checkrein.Other && k != checkrein.UserPromptSubmit
}

// filterHooks returns the hooks that apply to an event.
func (e *Engine) filterHooks(hooks []*bound, ev *checkrein.Event) []*bound {
	var local localName
	for i, b := range hooks {
		if e.concerns(b, ev, &local) {
			continue
		}
		out := slices.Clip(hooks[:i]) // all of them mostly
		for _, b := range hooks[i+1:] {
			if e.concerns(b, ev, &local) {
				out = append(out, b)
			}
		}
		return out
	}
	return hooks
}

// A localName is a dialect's word for the tool of an event. Hooks of one dialect mostly
// follow each other, and it is looked up once for them.
type localName struct {
	dialect, word string
	known         bool
}

func (e *Engine) concerns(b *bound, ev *checkrein.Event, local *localName) bool {
	if !b.hook.Hears(ev) {
		return false
	}
	if b.tool.MatchesAll() {
		return true
	}
	if e.opts.ToolName != nil && ev.Tool != nil && (!local.known || local.dialect != b.hook.Dialect) {
		*local = localName{b.hook.Dialect, e.opts.ToolName(b.hook.Dialect, ev.Tool.Canonical), true}
	}
	return b.tool.Match(ev.Tool, local.word)
}

// stays reports whether the master switch leaves a hook on.
func (e *Engine) stays(h *checkrein.Hook) bool {
	if e.opts.Stays != nil {
		return e.opts.Stays(h)
	}
	return h.From.Scope == checkrein.ScopeManaged
}

// skips returns why a hook is not run at all, "" when it is.
func (e *Engine) skips(b *bound) string {
	switch {
	case e.opts.Off && !e.stays(b.hook):
		return "hooks are switched off"
	case b.hook.Off != "":
		return b.hook.Off
	case !b.traits.Instant && e.opts.Running != nil && e.opts.Running(b.hook):
		return "this event was caused by a run of the same hook"
	}
	return ""
}
