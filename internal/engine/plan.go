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
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A boundHook is a hook with its handler type, its compiled matcher and condition, and its handler.
type boundHook struct {
	hook   *checkrein.Hook
	row    *checkrein.HandlerType // nil if the handler table has no row for hook.Run
	traits checkrein.Traits

	tool    match.Tool
	toolErr error

	condOnce sync.Once
	cond     condition
	condErr  error

	buildOnce sync.Once
	handler   checkrein.Handler
	always    *checkrein.Answer // the answer of a [constantHandler]; nil means that the handler must be called
	buildErr  error
}

// A constantHandler is an instant handler whose answer may be the same for every event, so that it
// need not be called. An example is a rule whose texts contain no fields of the event.
type constantHandler interface {
	// Always returns the answer to every event, which must not be modified, or nil if the answer
	// depends on the event.
	Always() *checkrein.Answer
}

// handlerType returns the row of the handler table for h.Run, or nil if there is none.
func (e *Engine) handlerType(h *checkrein.Hook) *checkrein.HandlerType {
	for i := len(e.opts.Handlers) - 1; i >= 0; i-- { // a later row replaces an earlier one
		if e.opts.Handlers[i].Name == h.Run && h.Run != "" {
			return &e.opts.Handlers[i]
		}
	}
	return nil
}

// Traits returns the traits of h's handler type, before the settings of h itself limit them. They are
// zero if the type is unknown.
func (e *Engine) Traits(h *checkrein.Hook) checkrein.Traits {
	if row := e.handlerType(h); row != nil && row.Traits != nil {
		return row.Traits(h)
	}
	return checkrein.Traits{}
}

// bindHook sets b to the hook h with its handler type, traits and compiled matcher. Condition and
// handler are compiled later.
func (e *Engine) bindHook(b *boundHook, h *checkrein.Hook) {
	b.hook, b.row, b.traits = h, e.handlerType(h), e.Traits(h)
	b.traits.Judges = b.traits.Judges || h.Gate
	b.traits.Rewrites = b.traits.Rewrites && h.Rewrites
	// An invalid matcher matches every tool, so that a broken gate stays closed.
	b.tool, b.toolErr = match.CompileTool(h.Match, h.MatchWords)
}

// A condition is everything besides the tool's name that must hold for a hook to run.
type condition struct {
	fields match.Cond
	args   match.Search
	search match.Search
	allows bool
}

// compile sets c to the compiled condition of h.
func (c *condition) compile(h *checkrein.Hook) error {
	var errs [3]error
	c.fields, errs[0] = match.CompileCond(h.If, checkrein.ContractOf(h.On))
	c.args, errs[1] = match.CompileSearch(h.Args)
	c.search, errs[2] = match.CompileSearch(h.Search)
	return errors.Join(errs[:]...)
}

// surelyExcludes reports whether the hook's expression for arguments excludes the event, so that the
// hook does not apply even if other parts of its condition are invalid.
func (c *condition) surelyExcludes(ev *checkrein.Event) bool {
	return !c.args.IsZero() && (ev.Tool == nil || !c.args.MatchesJSON(ev.Tool.Input))
}

// holds reports whether the condition holds for ev, of which view is the view. It calls payload, which
// returns the hook's input, only if the condition searches it.
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
	// MatchesJSON finds characters that JSON escapes, such as tabs.
	return err == nil && (c.search.MatchesText(string(body)) || c.search.MatchesJSON(body)), err
}

// condition compiles the hook's condition on first use and returns it, or an error if the hook cannot
// run. The condition is never nil.
func (b *boundHook) condition() (*condition, error) {
	b.condOnce.Do(func() {
		switch {
		case b.hook.Broken != "":
			b.condErr = errors.New(b.hook.Broken)
			b.cond.args, _ = match.CompileSearch(b.hook.Args) // if it compiles, it still narrows the hook
		case b.toolErr != nil:
			b.condErr = b.toolErr
		default:
			b.cond.allows = b.traits.Allows
			b.condErr = b.cond.compile(b.hook)
		}
	})
	return &b.cond, b.condErr
}

// buildHandler creates the hook's handler on first use. It returns why that failed, if it did.
func (b *boundHook) buildHandler() error {
	b.buildOnce.Do(func() {
		defer func() {
			if p := recover(); p != nil {
				b.buildErr = fmt.Errorf("panic: %v", p)
			}
		}()
		b.handler, b.buildErr = newHandler(b.row, b.hook)
		if c, ok := b.handler.(constantHandler); ok && b.buildErr == nil && b.traits.Instant {
			b.always = c.Always()
		}
	})
	return b.buildErr
}

// newHandler returns the handler of h, whose handler type is row, or nil if there is none.
func newHandler(row *checkrein.HandlerType, h *checkrein.Hook) (checkrein.Handler, error) {
	if row == nil {
		return nil, fmt.Errorf("unknown hook type %q", h.Run)
	}
	if row.New == nil {
		return nil, fmt.Errorf("handler type %q has no New", h.Run)
	}
	if len(h.With) > 0 {
		if err := rawjson.Check(h.With); err != nil {
			return nil, fmt.Errorf("the settings in With are not valid JSON: %w", err)
		}
	}
	out, err := row.New(*h)
	if out == nil && err == nil {
		err = fmt.Errorf("handler type %q returned no handler", h.Run)
	}
	return out, err
}

// orderedHooks returns the hooks of kind k in plan order: ordinary hooks before redaction before size
// limits, then by priority, then as configured. It includes guests; see judgesAsGuest.
func (e *Engine) orderedHooks(k checkrein.Kind) []*boundHook {
	l := &e.kinds[k]
	l.once.Do(func() {
		own := make([]*checkrein.Hook, 0, len(e.opts.Hooks))
		var guests []*checkrein.Hook
		for i := range e.opts.Hooks {
			switch h := &e.opts.Hooks[i]; {
			case h.On == k:
				own = append(own, h)
			case e.judgesAsGuest(h, k):
				guests = append(guests, h)
			}
		}
		own = append(own, guests...) // last, so that dedupHooks prefers hooks for the event itself
		store := make([]boundHook, len(own))
		l.hooks = make([]*boundHook, len(own))
		for i, h := range own {
			e.bindHook(&store[i], h)
			l.hooks[i] = &store[i]
		}
		l.hooks = dedupHooks(l.hooks)
		slices.SortStableFunc(l.hooks, func(a, b *boundHook) int {
			if d := rewritePhase(&a.traits) - rewritePhase(&b.traits); d != 0 {
				return d
			}
			return b.hook.Priority - a.hook.Priority
		})
	})
	return l.hooks
}

// rewritePhase returns the rank of a hook among rewrites: redaction follows ordinary rewrites, and
// size limits follow redaction.
func rewritePhase(t *checkrein.Traits) int {
	switch {
	case t.Limits:
		return 2
	case t.Redacts:
		return 1
	}
	return 0
}

// judgesAsGuest reports whether h, a hook for another event, also judges events of kind k. Gates on
// pre_tool_use judge permission requests as well: a hook may answer there in place of the user, and
// the user may be asked only because of such a gate. A guest that is not instant judges only rewritten
// calls.
func (e *Engine) judgesAsGuest(h *checkrein.Hook, k checkrein.Kind) bool {
	if k != checkrein.PermissionRequest || h.On != checkrein.PreToolUse || h.Async || h.Exact && !h.Preempt {
		return false
	}
	t := e.Traits(h)
	return (t.Judges || h.Gate) && !t.Allows && !t.Unsure
}

// onlyRewritten is why a guest that is not instant is skipped: it has already judged the original
// call.
const onlyRewritten = "it judges a permission request only if a hook rewrites the call"

// dedupHooks keeps the first of several hooks that differ only in ID and origin, and adds the origins
// of the others to it.
func dedupHooks(hooks []*boundHook) []*boundHook {
	if len(hooks) < 2 {
		return hooks
	}
	seed := maphash.MakeSeed()
	seen := make(map[uint64][]*boundHook, len(hooks))
	out := hooks[:0]
	for _, b := range hooks {
		key := maphash.String(seed, b.hook.Name) ^ maphash.Bytes(seed, b.hook.With) ^ maphash.Bytes(seed, b.hook.If)
		if first := findEqualHook(seen[key], b.hook); first != nil {
			first.addOrigin(b.hook)
			continue
		}
		seen[key] = append(seen[key], b)
		out = append(out, b)
	}
	return out
}

// findEqualHook returns the first of candidates that equals h except for ID and origin, or nil.
func findEqualHook(candidates []*boundHook, h *checkrein.Hook) *boundHook {
	for _, b := range candidates {
		if equalHooks(b.hook, h) {
			return b
		}
	}
	return nil
}

// equalHooks reports whether two hooks of one kind are equal except for ID and origin. The ID of a
// hook without a name is derived from its origin.
func equalHooks(a, b *checkrein.Hook) bool {
	return a.Name == b.Name && a.Event == b.Event && a.Match == b.Match && a.MatchWords == b.MatchWords &&
		a.Args == b.Args && a.Search == b.Search && a.Chain == b.Chain && bytes.Equal(a.If, b.If) &&
		a.Run == b.Run && bytes.Equal(a.With, b.With) && a.Timeout == b.Timeout && a.Priority == b.Priority &&
		a.Async == b.Async && a.Gate == b.Gate && a.Rewrites == b.Rewrites && a.Preempt == b.Preempt &&
		a.Strict == b.Strict && a.OnFault == b.OnFault && a.Dialect == b.Dialect && a.Exact == b.Exact && a.Implied == b.Implied &&
		a.Off == b.Off && a.Shadow == b.Shadow && a.ShadowUntil == b.ShadowUntil && a.Broken == b.Broken
}

// addOrigin adds the origin of other, an equal hook, to b. The most trusted of the two origins becomes
// the hook's own, together with the ID that the hook has there; the other one is added to Also.
func (b *boundHook) addOrigin(other *checkrein.Hook) {
	h, from := *b.hook, other.From // a copy, because Options.Hooks is shared
	if from.Scope < h.From.Scope || from.Scope == h.From.Scope && h.From.Approval && !from.Approval {
		from, h.From, h.ID = h.From, other.From, other.ID
	}
	h.Also = append(h.Also[:len(h.Also):len(h.Also)], from)
	b.hook = &h
}

// plan returns the steps for ev in stages. On events that can be rewritten, hooks that may rewrite run
// alone in their stages, as do the hooks of a chain; other hooks of one phase and priority share a
// stage. Only hooks that pick selects are planned; nil selects all.
func (e *Engine) plan(ev *checkrein.Event, pick func(*checkrein.Hook) bool) []Step {
	hooks := e.hooksFor(ev)
	var steps []Step
	serial := checkrein.ContractOf(ev.Kind).Effects&rewriteEffects != 0
	stage, open := 0, false // open: the current stage takes more hooks
	var last *boundHook
	var final []Step // referees, which run after all others
	guests := e.mayAnswerForUser(ev)
	for _, b := range hooks {
		if pick != nil && !pick(b.hook) || b.hook.On != ev.Kind && !guests {
			continue
		}
		if steps == nil {
			steps = make([]Step, 0, len(hooks))
		}
		s := Step{Result: Result{Hook: b.hook}, bound: b}
		s.Skipped = e.skipReason(b)
		if s.Skipped == "" && e.opts.RunByHost != nil {
			s.Skipped = e.opts.RunByHost(ev, b.hook)
		}
		if s.Skipped == "" && b.hook.On != ev.Kind && !b.traits.Instant {
			s.Skipped, s.guest = onlyRewritten, true
		}
		if s.Skipped == "" && !b.hook.Async && !b.traits.Unsure {
			alone := serial && b.traits.Rewrites || b.hook.Chain != ""
			if !open || alone || rewritePhase(&last.traits) != rewritePhase(&b.traits) || last.hook.Priority != b.hook.Priority {
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

// mayAnswerForUser reports whether hooks may allow the permission request ev in place of the user.
// Guests run only then, since otherwise there is nothing to object to.
func (e *Engine) mayAnswerForUser(ev *checkrein.Event) bool {
	return ev.Kind == checkrein.PermissionRequest && (e.opts.Honours == nil || e.opts.Honours(ev)&checkrein.CanAllow != 0)
}

// rewriteEffects is the set of effects that change the subject of an event.
const rewriteEffects = checkrein.CanRewriteInput | checkrein.CanRewriteOutput | checkrein.CanRewriteMessages

// A toolHooks caches the hooks of one event kind that apply to a tool.
type toolHooks struct {
	name, canonical string
	hooks           []*boundHook
}

// Limits of the cache: matching fewer hooks than minCachedHooks is as fast as a lookup, and the
// number of tools is limited because a host can have arbitrarily many.
const (
	minCachedHooks = 4
	maxCachedTools = 16
)

// hooksFor returns the hooks that apply to ev, in plan order. The result is cached by tool, because a
// session uses few tools.
func (e *Engine) hooksFor(ev *checkrein.Event) []*boundHook {
	hooks := e.orderedHooks(ev.Kind)
	if len(hooks) < minCachedHooks || ev.Tool == nil || !selectedByTool(ev.Kind) {
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
	var list []toolHooks
	if known != nil {
		list = *known
	}
	if len(list) < maxCachedTools {
		list = append(list[:len(list):len(list)], toolHooks{ev.Tool.Name, ev.Tool.Canonical, found})
		l.tools.CompareAndSwap(known, &list) // if it fails, another goroutine has added a tool
	}
	return found
}

// selectedByTool reports whether the tool alone decides which hooks apply to an event of kind k; see
// [checkrein.Hook.Hears].
func selectedByTool(k checkrein.Kind) bool {
	return k != checkrein.Other && k != checkrein.UserPromptSubmit
}

// filterHooks returns those of hooks that apply to ev; it does not modify hooks.
func (e *Engine) filterHooks(hooks []*boundHook, ev *checkrein.Event) []*boundHook {
	var local localName
	for i, b := range hooks {
		if e.hookApplies(b, ev, &local) {
			continue
		}
		out := slices.Clip(hooks[:i]) // copied only here, since mostly all hooks apply
		for _, b := range hooks[i+1:] {
			if e.hookApplies(b, ev, &local) {
				out = append(out, b)
			}
		}
		return out
	}
	return hooks
}

// A localName is a dialect's name for the tool of an event. Hooks of one dialect mostly follow each
// other, so that one lookup serves them all.
type localName struct {
	dialect, word string
	known         bool
}

// hookApplies reports whether b's event and tool matcher accept ev. It caches the tool's name in b's
// dialect in local.
func (e *Engine) hookApplies(b *boundHook, ev *checkrein.Event, local *localName) bool {
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

// staysOn reports whether h runs although the master switch is off.
func (e *Engine) staysOn(h *checkrein.Hook) bool {
	if e.opts.Stays != nil {
		return e.opts.Stays(h)
	}
	return h.From.Scope == checkrein.ScopeManaged
}

// skipReason returns why a hook is skipped whatever the event is, or "" if it is not.
func (e *Engine) skipReason(b *boundHook) string {
	switch {
	case e.opts.Off && !e.staysOn(b.hook):
		return "hooks are switched off"
	case b.hook.Off != "":
		return b.hook.Off
	case !b.traits.Instant && e.opts.Running != nil && e.opts.Running(b.hook):
		return "this event was caused by a run of the same hook"
	}
	return ""
}
