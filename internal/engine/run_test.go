package engine_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
)

// waitForEachOther returns two handlers, neither of which returns before both run.
func waitForEachOther() (a, b handlerFunc) {
	here, there := make(chan struct{}), make(chan struct{})
	wait := func(mine, theirs chan struct{}) handlerFunc {
		return func(ctx context.Context, _ checkrein.Event) (checkrein.Answer, error) {
			close(mine)
			select {
			case <-theirs:
				return checkrein.Answer{}, nil
			case <-ctx.Done():
				return checkrein.Answer{}, ctx.Err()
			}
		}
	}
	return wait(here, there), wait(there, here)
}

func TestHooksOfAStageRunTogether(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		kind checkrein.Kind
		run  string
	}{
		{"where nothing rewrites", checkrein.PostToolUse, "rewriter"},
		{"where these do not rewrite", checkrein.PreToolUse, "plain"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, b := waitForEachOther()
			out := decide(t, handlerFuncs{"a": a, "b": b}.newEngine(newHook(tt.run, "a", on(tt.kind)), newHook(tt.run, "b", on(tt.kind))), newEvent(tt.kind))
			for _, s := range out.Steps {
				if s.Fault != nil {
					t.Errorf("%s: %v", s.Hook.Name, s.Fault)
				}
			}
		})
	}
}

// TestInstantHooksDoNotDelayOthers checks that an instant hook does not keep other hooks of its stage
// from running.
func TestInstantHooksDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	a, b := waitForEachOther()
	out := decide(t, handlerFuncs{"a": a, "b": b}.newEngine(newHook("plain", "a"), newHook("instant", "b")), shellEvent("ls"))
	wantDecision(t, out, checkrein.NoOpinion)
}

// A gauge records how many handlers run at the same time.
type gauge struct{ now, most atomic.Int32 }

func (g *gauge) handle(context.Context, checkrein.Event) (checkrein.Answer, error) {
	n := g.now.Add(1)
	defer g.now.Add(-1)
	for most := g.most.Load(); n > most && !g.most.CompareAndSwap(most, n); most = g.most.Load() {
	}
	time.Sleep(time.Second) // by the fake clock
	return checkrein.Answer{}, nil
}

func TestParallelIsBounded(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 3} {
		synctest.Test(t, func(t *testing.T) {
			var g gauge
			all, hooks := handlerFuncs{}, []checkrein.Hook{}
			for i := range 20 {
				name := fmt.Sprint("h", i)
				all[name] = g.handle
				hooks = append(hooks, newHook("plain", name))
			}
			began := time.Now()
			decide(t, all.newEngineWith(engine.Options{Parallel: limit}, hooks...), shellEvent("ls"))
			if got := int(g.most.Load()); got != limit {
				t.Errorf("%d ran at the same time, want %d", got, limit)
			}
			if got, want := time.Since(began), time.Duration((20+limit-1)/limit)*time.Second; got != want {
				t.Errorf("it took %v, want %v", got, want)
			}
		})
	}
}

// TestTimeoutStartsWithRun checks that the time limit of a hook starts when it runs, not while it
// waits for a free slot.
func TestTimeoutStartsWithRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g gauge
		short := func(h *checkrein.Hook) { h.Timeout = 1500 * time.Millisecond }
		all, hooks := handlerFuncs{}, []checkrein.Hook{}
		for i := range 5 {
			name := fmt.Sprint("h", i)
			all[name] = g.handle
			hooks = append(hooks, newHook("plain", name, short))
		}
		wantDecision(t, decide(t, all.newEngineWith(engine.Options{Parallel: 1}, hooks...), shellEvent("ls")), checkrein.NoOpinion)
	})
}

// TestHandlerIgnoringContextIsAbandoned checks that a handler that ignores its context is abandoned
// shortly after its deadline.
func TestHandlerIgnoringContextIsAbandoned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		deaf := func(context.Context, checkrein.Event) (checkrein.Answer, error) {
			<-release
			return checkrein.Answer{Verdict: checkrein.Verdict{Decision: checkrein.Allow}}, nil
		}
		all := handlerFuncs{"deaf": deaf, "next": decideWith(checkrein.NoOpinion, "")}
		second := func(h *checkrein.Hook) { h.Timeout = time.Second }
		e := all.newEngineWith(engine.Options{Parallel: 1}, newHook("rewriter", "deaf", second), newHook("rewriter", "next"))
		began := time.Now()
		out := decide(t, e, shellEvent("ls"))
		if took := time.Since(began); took < time.Second || took > time.Second+250*time.Millisecond {
			t.Errorf("it took %v", took)
		}
		wantDecision(t, out, checkrein.Deny)
		wantText(t, out.Verdict.Reason, "timed out after 1s")
		if s := findStep(t, out, "next"); s.Fault != nil || s.Answer == nil {
			t.Error("a timeout kept the next hook from running")
		}
		close(release)
		synctest.Wait()
		wantDecision(t, out, checkrein.Deny) // a late answer does not count
	})
}

func TestDefaultLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		waits := func(ctx context.Context, _ checkrein.Event) (checkrein.Answer, error) {
			<-ctx.Done()
			return checkrein.Answer{Raw: []byte("half"), Log: "was here"}, ctx.Err()
		}
		began := time.Now()
		out := decide(t, handlerFuncs{"h": waits}.newEngine(newHook("plain", "h")), shellEvent("ls"))
		if took := time.Since(began); took != 60*time.Second {
			t.Errorf("it took %v", took)
		}
		wantText(t, out.Verdict.Reason, "timed out after 1m0s")
		if a := out.Steps[0].Answer; a == nil || a.Log != "was here" || string(a.Raw) != "half" {
			t.Errorf("what it printed is lost: %+v", a)
		}
	})
}

// TestAnswerAfterTheDeadline checks that an answer after the deadline does not count.
func TestAnswerAfterTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		late := func(ctx context.Context, _ checkrein.Event) (checkrein.Answer, error) {
			<-ctx.Done()
			return checkrein.Answer{Verdict: checkrein.Verdict{Decision: checkrein.Allow}}, nil
		}
		wantDecision(t, decide(t, handlerFuncs{"h": late}.newEngine(newHook("plain", "h")), shellEvent("ls")), checkrein.Deny)
	})
}

func TestPanicIsContained(t *testing.T) {
	t.Parallel()
	for _, run := range []string{"plain", "judge", "rewriter"} {
		t.Run(run, func(t *testing.T) {
			t.Parallel()
			bad := func(context.Context, checkrein.Event) (checkrein.Answer, error) { panic("boom") }
			out := decide(t, handlerFuncs{"bad": bad, "good": decideWith(checkrein.Ask, "hm")}.newEngine(newHook(run, "bad"), newHook("plain", "good")), shellEvent("ls"))
			wantDecision(t, out, checkrein.Deny)
			wantText(t, out.Verdict.Reason, "panic: boom")
			wantText(t, findStep(t, out, "bad").Answer.Log, "goroutine")
			if findStep(t, out, "good").Verdict.Decision != checkrein.Ask {
				t.Error("the other hook was not heard")
			}
		})
	}
}

// TestCallerCancels checks that hooks are ended and gates deny if the caller cancels, and that the
// outcome reports the cancellation.
func TestCallerCancels(t *testing.T) {
	t.Parallel()
	waits := func(ctx context.Context, _ checkrein.Event) (checkrein.Answer, error) {
		<-ctx.Done()
		return checkrein.Answer{}, ctx.Err()
	}
	for _, tt := range []struct {
		name string
		kind checkrein.Kind
		want checkrein.Decision
	}{
		{"gate", checkrein.PreToolUse, checkrein.Deny},
		{"boundary", checkrein.OnOutboundMessage, checkrein.Deny},
		{"other event", checkrein.PostToolUse, checkrein.NoOpinion},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				ran := false
				all := handlerFuncs{"a": waits, "b": waits, "next": func(context.Context, checkrein.Event) (checkrein.Answer, error) {
					ran = true
					return checkrein.Answer{}, nil
				}}
				began := time.Now()
				out := all.newEngine(newHook("plain", "a", on(tt.kind)), newHook("plain", "b", on(tt.kind)), newHook("plain", "next", on(tt.kind), priority(1))).Decide(ctx, newEvent(tt.kind))
				if !out.Canceled || time.Since(began) != time.Second {
					t.Errorf("cancelled %v after %v", out.Canceled, time.Since(began))
				}
				wantDecision(t, out, tt.want)
				wantText(t, fmt.Sprint(out.Steps[0].Fault), "canceled by the caller")
				if ran {
					t.Error("a hook was started after the caller had given up")
				}
			})
		})
	}
}

// TestCallerDeadline checks that the caller's deadline counts as the time limit for all hooks, not as
// a cancellation.
func TestCallerDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		waits := func(ctx context.Context, _ checkrein.Event) (checkrein.Answer, error) {
			<-ctx.Done()
			return checkrein.Answer{}, ctx.Err()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		out := handlerFuncs{"h": waits}.newEngine(newHook("plain", "h")).Decide(ctx, shellEvent("ls"))
		if out.Canceled {
			t.Error("a deadline is reported as a cancellation")
		}
		wantDecision(t, out, checkrein.Deny)
		wantText(t, out.Verdict.Reason, "the time limit for all of this event's hooks has passed")
	})
}

// TestFinalEventsIgnoreCancellation checks that hooks on the end of a session or turn run even if it
// was cancelled, within their own time limits.
func TestFinalEventsIgnoreCancellation(t *testing.T) {
	t.Parallel()
	for _, kind := range []checkrein.Kind{checkrein.SessionEnd, checkrein.TurnEnd} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				var done []string
				cleans := func(name string, d time.Duration) handlerFunc {
					return func(ctx context.Context, _ checkrein.Event) (checkrein.Answer, error) {
						select {
						case <-time.After(d):
							done = append(done, name)
							return checkrein.Answer{}, nil
						case <-ctx.Done():
							return checkrein.Answer{}, ctx.Err()
						}
					}
				}
				e := handlerFuncs{"ok": cleans("ok", 10*time.Second), "slow": cleans("slow", time.Hour)}.newEngine(newHook("plain", "ok", on(kind)), newHook("plain", "slow", on(kind)))
				out := e.Decide(ctx, newEvent(kind))
				if !slices.Equal(done, []string{"ok"}) || out.Canceled {
					t.Errorf("done %v, cancelled %v", done, out.Canceled)
				}
				wantText(t, fmt.Sprint(findStep(t, out, "slow").Fault), "timed out after 1m0s")
			})
		})
	}
}

// TestConcurrentEvents checks that an engine can decide many events at once.
func TestConcurrentEvents(t *testing.T) {
	t.Parallel()
	all := handlerFuncs{"w": appendToCommand("!"), "seen": decideWith(checkrein.NoOpinion, "")}
	e := all.newEngine(ruleHook("r", ifRm, denies), newHook("rewriter", "w"), newHook("plain", "seen", gate))
	for i := range 50 {
		t.Run("event", func(t *testing.T) {
			t.Parallel()
			out := decide(t, e, shellEvent(fmt.Sprint("x", i)))
			if got, want := shellCommand(out.Event), fmt.Sprint("x", i, "!"); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestNoHooks(t *testing.T) {
	t.Parallel()
	out := decide(t, engine.New(engine.Options{}), shellEvent("ls"))
	if !out.Verdict.IsZero() || out.Steps != nil || string(out.JSON(true)) != "{}" {
		t.Errorf("got %s", out.JSON(true))
	}
}
