package agent

import (
	"crypto/rand"
	"encoding/hex"
	"math"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
)

// A tab is what a turn has come to so far: all that follows one message of the
// person, until the next one that the agent was not at work for. A turn that
// hooks keep going is still the same one.
type tab struct {
	steps    int      // model calls of the thread itself, summaries aside
	tools    []string // that were used
	redone   bool     // a hook kept the agent going
	rejected bool     // the last calls were not approved
	usage    *model.Usage
	cost     float64
	unpriced bool // of some call no price is known
	calls    int  // that were counted, of whichever agent
}

func (b *tab) add(a *model.Answer) {
	b.calls++
	b.unpriced = b.unpriced || a.Cost == nil
	if a.Cost != nil {
		b.cost += *a.Cost
	}
	if u := a.Usage; u != nil {
		sum := model.Usage{}
		if b.usage != nil {
			sum = *b.usage
		}
		b.usage = &model.Usage{Input: sum.Input + u.Input, Output: sum.Output + u.Output,
			CachedInput: sum.CachedInput + u.CachedInput, CachedWrite: sum.CachedWrite + u.CachedWrite, Reasoning: sum.Reasoning + u.Reasoning}
	}
}

// answer is the tab as if one call had come to it. Without the price of every
// call there is none: a sum would be too low.
func (b *tab) answer() model.Answer {
	out := model.Answer{Usage: b.usage}
	if b.calls > 0 && !b.unpriced {
		cost := math.Round(b.cost*1e9) / 1e9 // sums of prices are not exact
		out.Cost = &cost
	}
	return out
}

// newTurn begins a turn.
func (t *thread) newTurn() {
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	t.tab = tab{}
}

// newRun begins a run: all that follows one message of the person. Its id tells
// hooks the runs of a session apart.
func (t *thread) newRun() {
	var b [8]byte
	_, _ = rand.Read(b[:]) // which does not fail
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	t.run = hex.EncodeToString(b[:])
}

func (t *thread) runID() string {
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	return t.run
}

// turnSoFar is what the turn has come to.
func (t *thread) turnSoFar() tab {
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	b := t.tab
	if b.tools = slices.Clone(b.tools); b.tools == nil {
		b.tools = []string{}
	}
	return b
}

// spend counts a model call: for the session, for the turn, and for the turns of
// those that gave the task.
func (t *thread) spend(a *model.Answer) {
	t.rt.count(a.Usage, a.Cost)
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	for p := t; p != nil; p = p.parent {
		p.tab.add(a)
	}
}

// change changes the tab.
func (t *thread) change(do func(*tab)) {
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	do(&t.tab)
}

// A span is a part of a session between session_start and session_end.
type span struct {
	began time.Time
	steps int
}

// Why an agent stops, as HOOK.md's before_stop says it.
const (
	noToolCalls  = "no_tool_calls"
	toolRejected = "tool_rejected"
	maxSteps     = "max_steps"
)

// figures adds to an event what the thread itself knows, unless whoever fires it
// said so already.
func (t *thread) figures(who *member, ev *checkrein.Event) {
	add := func(name string, v any) {
		if ev.Detail(name) == nil {
			with(name, v)(ev)
		}
	}
	if id := t.runID(); id != "" && ev.Kind != checkrein.SessionStart && ev.Kind != checkrein.SessionEnd {
		add("run_id", id)
	}
	switch ev.Kind {
	case checkrein.SessionStart:
		add("model", who.model.ID())
		add("args", struct {
			UI    string `json:"ui"`
			Agent string `json:"agent"`
		}{t.rt.opts.Screen, who.spec.Name})
	case checkrein.SessionEnd:
		add("duration_seconds", int(t.rt.opts.Now().Sub(t.span.began)/time.Second))
		add("total_steps", t.span.steps)
	case checkrein.UserPromptSubmit, checkrein.UserFollowupSubmit, checkrein.UserSteeringMessagesSubmit:
		add("channel", t.rt.opts.Channel)
	case checkrein.Stop:
		so := t.turnSoFar()
		if so.rejected {
			add("stop_reason", toolRejected)
		}
		add("stop_reason", noToolCalls)
		add("step_count", so.steps)
		add("stop_hook_active", so.redone)
		add("tool_names", so.tools)
	case checkrein.SubagentStop:
		add("stop_hook_active", t.turnSoFar().redone)
	}
}
