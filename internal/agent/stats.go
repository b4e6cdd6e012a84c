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

// turnStats counts what happened in a turn so far. A turn is everything that follows a message of the
// user until the next one that comes while the agent is idle. It stays the same turn if hooks make the
// agent continue.
type turnStats struct {
	steps    int      // model calls of the thread itself, without summaries
	tools    []string // that were used
	redone   bool     // a hook made the agent continue
	rejected bool     // one of the last calls was not approved
	usage    *model.Usage
	cost     float64
	unpriced bool // the price of a call is unknown
	calls    int  // model calls, including those of sub-agents
}

// addCall adds the usage and cost of one model call.
func (b *turnStats) addCall(a *model.Answer) {
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

// total returns the turn's usage and cost as if it were one call. It has no cost unless every call has
// a price, since the sum would be too low.
func (b *turnStats) total() model.Answer {
	out := model.Answer{Usage: b.usage}
	if b.calls > 0 && !b.unpriced {
		cost := math.Round(b.cost*1e9) / 1e9 // remove rounding errors
		out.Cost = &cost
	}
	return out
}

// resetStats resets the turn's statistics.
func (t *thread) resetStats() {
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	t.stats = turnStats{}
}

// newRunID gives the run, which is everything that follows one message of the user, a random ID. Hooks
// tell the runs of a session apart by it.
func (t *thread) newRunID() {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	t.run = hex.EncodeToString(b[:])
}

func (t *thread) runID() string {
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	return t.run
}

// currentStats returns a copy of the turn's statistics.
func (t *thread) currentStats() turnStats {
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	b := t.stats
	if b.tools = slices.Clone(b.tools); b.tools == nil {
		b.tools = []string{}
	}
	return b
}

// countCall adds the model call with this answer to the totals of the session and to the statistics of
// the thread and its parents.
func (t *thread) countCall(a *model.Answer) {
	t.rt.addUsage(a.Usage, a.Cost)
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	for p := t; p != nil; p = p.parent {
		p.stats.addCall(a)
	}
}

// updateStats calls do with the turn's statistics while it holds the lock.
func (t *thread) updateStats(do func(*turnStats)) {
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	do(&t.stats)
}

// A span is the part of a session between session_start and session_end.
type span struct {
	began time.Time
	steps int
}

// Why an agent stops, as values of stop_reason in before_stop of HOOK.md.
const (
	noToolCalls  = "no_tool_calls"
	toolRejected = "tool_rejected"
	maxSteps     = "max_steps"
)

// addDetails adds details of the thread and its agent who to ev, unless ev has them already.
func (t *thread) addDetails(who *member, ev *checkrein.Event) {
	add := func(name string, v any) {
		if ev.Detail(name) == nil {
			withDetail(name, v)(ev)
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
		so := t.currentStats()
		if so.rejected {
			add("stop_reason", toolRejected)
		}
		add("stop_reason", noToolCalls)
		add("step_count", so.steps)
		add("stop_hook_active", so.redone)
		add("tool_names", so.tools)
	case checkrein.SubagentStop:
		add("stop_hook_active", t.currentStats().redone)
	}
}
