package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"pgregory.net/rapid"
)

// An opinion is the answer of a generated hook.
type opinion struct {
	decision checkrein.Decision
	fails    bool
	policy   checkrein.FaultPolicy
	priority int
	judge    bool
}

var someKinds = []checkrein.Kind{checkrein.PreToolUse, checkrein.PostToolUse, checkrein.PermissionRequest, checkrein.OnOutboundMessage, checkrein.Stop, checkrein.SessionStart}

func drawOpinion(t *rapid.T, label string) opinion {
	return opinion{
		decision: rapid.SampledFrom([]checkrein.Decision{checkrein.NoOpinion, checkrein.Allow, checkrein.Ask, checkrein.Deny}).Draw(t, label+" decides"),
		fails:    rapid.IntRange(0, 9).Draw(t, label+" fails at 0") == 0,
		policy:   rapid.SampledFrom([]checkrein.FaultPolicy{checkrein.FaultByRow, checkrein.FaultWarn, checkrein.FaultIgnore, checkrein.FaultBlock}).Draw(t, label+" policy"),
		priority: rapid.SampledFrom([]int{100, 100, 100, 50, 900}).Draw(t, label+" priority"),
		judge:    rapid.Bool().Draw(t, label+" is instant"),
	}
}

func (o opinion) hook(name string, kind checkrein.Kind) checkrein.Hook {
	run := "plain"
	if o.judge {
		run = "judge"
	}
	return newHook(run, name, on(kind), priority(o.priority), onFault(o.policy))
}

func (o opinion) handle(name string) handlerFunc {
	if o.fails {
		return failWith("failure of " + name)
	}
	return decideWith(o.decision, "reason of "+name)
}

// TestFinishingOrderDoesNotMatter checks that the verdict does not depend on the order in which hooks
// finish.
func TestFinishingOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(someKinds).Draw(t, "event")
		n := rapid.IntRange(1, 6).Draw(t, "hooks")
		opinions := make([]opinion, n)
		for i := range opinions {
			opinions[i] = drawOpinion(t, fmt.Sprint("hook ", i))
			opinions[i].judge, opinions[i].priority = false, 100 // all in one stage
		}
		order := rapid.Permutation(indices(n)).Draw(t, "finishing order")
		inOrder, shuffled := decideInOrder(kind, opinions, indices(n)), decideInOrder(kind, opinions, order)
		if inOrder != shuffled {
			t.Fatalf("in order: %s\nfinished in %v: %s", inOrder, order, shuffled)
		}
	})
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// decideInOrder decides an event whose hooks finish in the given order, each after the one before it.
// It returns the whole verdict as a string.
func decideInOrder(kind checkrein.Kind, opinions []opinion, order []int) string {
	done := make([]chan struct{}, len(opinions)+1)
	for i := range done {
		done[i] = make(chan struct{})
	}
	close(done[0])
	turn := make([]int, len(opinions))
	for at, i := range order {
		turn[i] = at
	}
	all, hooks := handlerFuncs{}, []checkrein.Hook{}
	for i, o := range opinions {
		name := fmt.Sprint("h", i)
		says := o.handle(name)
		all[name] = func(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error) {
			<-done[turn[i]]
			defer close(done[turn[i]+1])
			return says(ctx, ev)
		}
		hooks = append(hooks, o.hook(name, kind))
	}
	out := all.newEngineWith(engine.Options{Parallel: len(opinions)}, hooks...).Decide(context.Background(), newEvent(kind))
	return fmt.Sprintf("%+v %+v", out.Verdict, out.Dropped)
}

// TestAddingHookNeverLoosens checks that adding a hook that rewrites nothing never weakens an ask or a
// deny.
func TestAddingHookNeverLoosens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(someKinds).Draw(t, "event")
		host := rapid.SampledFrom([]checkrein.Effect{checkrein.AllEffects, checkrein.CanDeny, 0}).Draw(t, "host honours")
		n := rapid.IntRange(0, 5).Draw(t, "hooks")
		all, hooks := handlerFuncs{}, []checkrein.Hook{}
		for i := range n {
			o := drawOpinion(t, fmt.Sprint("hook ", i))
			name := fmt.Sprint("h", i)
			all[name] = o.handle(name)
			hooks = append(hooks, o.hook(name, kind))
		}
		opts := engine.Options{Honours: func(*checkrein.Event) checkrein.Effect { return host }}
		before := all.newEngineWith(opts, hooks...).Decide(context.Background(), newEvent(kind)).Verdict.Decision
		more := drawOpinion(t, "one more")
		all["more"] = more.handle("more")
		at := rapid.IntRange(0, n).Draw(t, "its place")
		grown := append(append(append([]checkrein.Hook{}, hooks[:at]...), more.hook("more", kind)), hooks[at:]...)
		after := all.newEngineWith(opts, grown...).Decide(context.Background(), newEvent(kind)).Verdict.Decision
		if before >= checkrein.Ask && after < before {
			t.Fatalf("%v became %v", before, after)
		}
	})
}

// TestRewritesCannotBypassRules checks that every rule judges the command that runs, so that no order
// of rewriting hooks gets a forbidden command past a rule.
func TestRewritesCannotBypassRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "rewriters")
		all, hooks := handlerFuncs{}, []checkrein.Hook{ruleHook("r", `{"command":{"is":"rm"}}`, `{"decision":"deny","reason":"no"}`)}
		for i := range n {
			name := fmt.Sprint("w", i)
			all[name] = rewriteCommand(rapid.SampledFrom([]string{"ls", "rm", "pwd"}).Draw(t, name))
			hooks = append(hooks, newHook("rewriter", name, priority(rapid.SampledFrom([]int{1, 100, 200}).Draw(t, name+" priority"))))
		}
		hooks = rapid.Permutation(hooks).Draw(t, "order")
		out := all.newEngine(hooks...).Decide(context.Background(), shellEvent(rapid.SampledFrom([]string{"ls", "rm"}).Draw(t, "command")))
		if denied, runs := out.Verdict.Decision == checkrein.Deny, shellCommand(out.Event); denied != (runs == "rm") {
			t.Fatalf("%q runs, denied: %v", runs, denied)
		}
	})
}
