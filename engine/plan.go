package engine

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/match"
)

// A bound is a hook with what is compiled of it.
type bound struct {
	hook   *checkrein.Hook
	row    *checkrein.HandlerType // nil when the handler table has no such row
	traits checkrein.Traits

	ready sync.Once
	tool  match.Tool
	cond  match.Cond
	err   error // why it cannot run

	built    sync.Once
	handler  checkrein.Handler
	buildErr error
}

func (e *Engine) bind(h *checkrein.Hook) *bound {
	b := &bound{hook: h}
	for i := range e.opts.Handlers {
		if e.opts.Handlers[i].Name == h.Run {
			b.row = &e.opts.Handlers[i]
		}
	}
	if b.row != nil && b.row.Traits != nil {
		b.traits = b.row.Traits(h)
	}
	b.traits.Judges = b.traits.Judges || h.Gate
	b.traits.Rewrites = b.traits.Rewrites && h.Rewrites
	return b
}

// prepare compiles what decides whether the hook is concerned.
func (b *bound) prepare() {
	b.ready.Do(func() {
		if b.hook.Broken != "" {
			b.err = fmt.Errorf("%s", b.hook.Broken)
		}
		tool, err := match.CompileTool(b.hook.Match)
		if b.err == nil {
			b.err = err
		}
		b.tool = tool // matches everything when it could not be read: a broken gate stays closed
		cond, err := match.CompileCond(b.hook.If, checkrein.ContractOf(b.hook.On))
		if b.err == nil {
			b.err = err
		}
		b.cond = cond
	})
}

// build makes the handler, or says why the hook has none.
func (b *bound) build() error {
	b.built.Do(func() {
		if b.row == nil {
			b.buildErr = fmt.Errorf("unknown hook type %q", b.hook.Run)
			return
		}
		b.handler, b.buildErr = b.row.New(*b.hook)
	})
	return b.buildErr
}

// lane returns the hooks of a kind in plan order: usual rewrites before
// redaction before the size limit, then by priority, then as configured.
func (e *Engine) lane(k checkrein.Kind) []*bound {
	l := &e.kinds[k]
	l.once.Do(func() {
		for i := range e.opts.Hooks {
			if e.opts.Hooks[i].On == k {
				l.hooks = append(l.hooks, e.bind(&e.opts.Hooks[i]))
			}
		}
		l.hooks = dedup(l.hooks)
		slices.SortStableFunc(l.hooks, func(a, b *bound) int {
			if a.traits.Phase != b.traits.Phase {
				return int(a.traits.Phase) - int(b.traits.Phase)
			}
			return b.hook.Priority - a.hook.Priority
		})
		for _, b := range l.hooks {
			b.prepare()
		}
	})
	return l.hooks
}

// dedup keeps the first of hooks that are the same in everything but their
// place, and notes the places of the others on it.
func dedup(hooks []*bound) []*bound {
	if len(hooks) < 2 {
		return hooks
	}
	seen := make(map[string]*bound, len(hooks))
	var key []byte
	out := hooks[:0]
	for _, b := range hooks {
		key = identity(key[:0], b.hook)
		if first, again := seen[string(key)]; again {
			h := *first.hook
			h.Also = append(h.Also[:len(h.Also):len(h.Also)], b.hook.From)
			// Of two places the more trusted one decides: the hook stands
			// there, too.
			if b.hook.From.Scope < h.From.Scope {
				h.Also[len(h.Also)-1], h.From = h.From, b.hook.From
			}
			first.hook = &h
			continue
		}
		seen[string(key)] = b
		out = append(out, b)
	}
	return out
}

// identity appends all fields of a hook but its ID and its places. The ID of a
// hook without a name comes from its place.
func identity(key []byte, h *checkrein.Hook) []byte {
	str := func(s string) {
		key = strconv.AppendInt(key, int64(len(s)), 10)
		key = append(key, ':')
		key = append(key, s...)
	}
	str(h.Name)
	str(h.Event)
	str(h.Match)
	str(string(h.If))
	str(h.Run)
	str(string(h.With))
	str(h.Dialect)
	str(h.Broken)
	for _, n := range [...]int64{int64(h.On), int64(h.Timeout), int64(h.Priority), int64(h.OnFault)} {
		key = strconv.AppendInt(key, n, 10)
		key = append(key, ',')
	}
	for _, b := range [...]bool{h.Async, h.Gate, h.Rewrites, h.Preempt, h.Strict} {
		key = strconv.AppendBool(key, b)
	}
	return key
}

// plan returns the steps for ev in their stages. Hooks that another hook's
// rewrite could concern are in different stages: on rows with a rewrite, hooks
// that may rewrite run one after another; everything else of one priority runs
// together.
func (e *Engine) plan(ev *checkrein.Event) []Step {
	hooks := e.lane(ev.Kind)
	var steps []Step
	serial := checkrein.ContractOf(ev.Kind).Effects&rewriting != 0
	stage, open := 0, false // open: the current stage takes more hooks
	var last *bound
	for _, b := range hooks {
		if !e.concerns(b, ev) {
			continue
		}
		if steps == nil {
			steps = make([]Step, 0, len(hooks))
		}
		s := Step{Hook: b.hook, bound: b}
		if s.Skipped = e.skips(b); s.Skipped == "" && !b.hook.Async {
			alone := serial && b.traits.Rewrites
			if !open || alone || last.traits.Phase != b.traits.Phase || last.hook.Priority != b.hook.Priority {
				stage++
			}
			open, last = !alone, b
			s.Stage = stage
		}
		steps = append(steps, s)
	}
	return steps
}

const rewriting = checkrein.CanRewriteInput | checkrein.CanRewriteOutput | checkrein.CanRewriteMessages

func (e *Engine) concerns(b *bound, ev *checkrein.Event) bool {
	if ev.Kind == checkrein.Other && b.hook.Event != "" && b.hook.Event != ev.Native {
		return false
	}
	local := ""
	if e.opts.ToolName != nil && ev.Tool != nil && !b.tool.All() {
		local = e.opts.ToolName(b.hook.Dialect, ev.Tool.Canonical)
	}
	return b.tool.Match(ev.Tool, local)
}

// skips says why a hook is not run at all, "" when it is.
func (e *Engine) skips(b *bound) string {
	switch {
	case e.opts.Off && b.hook.From.Scope != checkrein.ScopeManaged:
		return "hooks are switched off"
	case !b.traits.Instant && e.opts.Running != nil && e.opts.Running(b.hook):
		return "this event was caused by a run of the same hook"
	}
	return ""
}
