package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"pgregory.net/rapid"
)

// An opinion is what one generated hook says.
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
	return hook(run, name, on(kind), priority(o.priority), onFault(o.policy))
}

func (o opinion) handle(name string) fn {
	if o.fails {
		return fails("failure of " + name)
	}
	return decides(o.decision, "reason of "+name)
}

// The decision, its reason and everything else that is told do not depend on
// which hook is done first.
func TestFinishingOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(someKinds).Draw(t, "event")
		n := rapid.IntRange(1, 6).Draw(t, "hooks")
		opinions := make([]opinion, n)
		for i := range opinions {
			opinions[i] = drawOpinion(t, fmt.Sprint("hook ", i))
			opinions[i].judge, opinions[i].priority = false, 100 // all beside each other
		}
		order := rapid.Permutation(indices(n)).Draw(t, "finishing order")
		inOrder, shuffled := finish(kind, opinions, indices(n)), finish(kind, opinions, order)
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

// finish decides an event whose hooks come back in the given order: each waits
// for the one before it. It returns all that the verdict says.
func finish(kind checkrein.Kind, opinions []opinion, order []int) string {
	done := make([]chan struct{}, len(opinions)+1)
	for i := range done {
		done[i] = make(chan struct{})
	}
	close(done[0])
	turn := make([]int, len(opinions))
	for at, i := range order {
		turn[i] = at
	}
	all, hooks := fns{}, []checkrein.Hook{}
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
	out := all.with(engine.Options{Parallel: len(opinions)}, hooks...).Decide(context.Background(), event(kind))
	return fmt.Sprintf("%+v %+v", out.Verdict, out.Dropped)
}

// Adding a hook that rewrites nothing never lowers ask or deny.
func TestAddingAHookNeverLowers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(someKinds).Draw(t, "event")
		host := rapid.SampledFrom([]checkrein.Effect{checkrein.AllEffects, checkrein.CanDeny, 0}).Draw(t, "host honours")
		n := rapid.IntRange(0, 5).Draw(t, "hooks")
		all, hooks := fns{}, []checkrein.Hook{}
		for i := range n {
			o := drawOpinion(t, fmt.Sprint("hook ", i))
			name := fmt.Sprint("h", i)
			all[name] = o.handle(name)
			hooks = append(hooks, o.hook(name, kind))
		}
		opts := engine.Options{Honours: func(*checkrein.Event) checkrein.Effect { return host }}
		before := all.with(opts, hooks...).Decide(context.Background(), event(kind)).Verdict.Decision
		more := drawOpinion(t, "one more")
		all["more"] = more.handle("more")
		at := rapid.IntRange(0, n).Draw(t, "its place")
		grown := append(append(append([]checkrein.Hook{}, hooks[:at]...), more.hook("more", kind)), hooks[at:]...)
		after := all.with(opts, grown...).Decide(context.Background(), event(kind)).Verdict.Decision
		if before >= checkrein.Ask && after < before {
			t.Fatalf("%v became %v", before, after)
		}
	})
}

// With rewriting hooks in between, every rule has its say about what runs: no
// order of hooks gets a forbidden command past a rule.
func TestNoOrderGetsPastARule(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "rewriters")
		all, hooks := fns{}, []checkrein.Hook{ruleHook("r", `{"command":{"is":"rm"}}`, `{"decision":"deny","reason":"no"}`)}
		for i := range n {
			name := fmt.Sprint("w", i)
			all[name] = runs(rapid.SampledFrom([]string{"ls", "rm", "pwd"}).Draw(t, name))
			hooks = append(hooks, hook("rewriter", name, priority(rapid.SampledFrom([]int{1, 100, 200}).Draw(t, name+" priority"))))
		}
		hooks = rapid.Permutation(hooks).Draw(t, "order")
		out := all.engine(hooks...).Decide(context.Background(), shell(rapid.SampledFrom([]string{"ls", "rm"}).Draw(t, "command")))
		if denied, runs := out.Verdict.Decision == checkrein.Deny, command(out.Event); denied != (runs == "rm") {
			t.Fatalf("%q runs, denied: %v", runs, denied)
		}
	})
}
