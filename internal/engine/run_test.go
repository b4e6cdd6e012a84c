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

// meets returns two handlers of which neither comes back before both run.
func meets() (a, b fn) {
	here, there := make(chan struct{}), make(chan struct{})
	wait := func(mine, theirs chan struct{}) fn {
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
			a, b := meets()
			out := decide(t, fns{"a": a, "b": b}.engine(hook(tt.run, "a", on(tt.kind)), hook(tt.run, "b", on(tt.kind))), event(tt.kind))
			for _, s := range out.Steps {
				if s.Fault != nil {
					t.Errorf("%s: %v", s.Hook.Name, s.Fault)
				}
			}
		})
	}
}

// An instant hook does not keep those beside it from running.
func TestInstantHooksRunBeside(t *testing.T) {
	t.Parallel()
	a, b := meets()
	out := decide(t, fns{"a": a, "b": b}.engine(hook("plain", "a"), hook("instant", "b")), shell("ls"))
	wantDecision(t, out, checkrein.NoOpinion)
}

// gauge counts how many handlers run at the same time.
type gauge struct{ now, most atomic.Int32 }

func (g *gauge) handle(context.Context, checkrein.Event) (checkrein.Answer, error) {
	n := g.now.Add(1)
	defer g.now.Add(-1)
	for most := g.most.Load(); n > most && !g.most.CompareAndSwap(most, n); most = g.most.Load() {
	}
	time.Sleep(time.Second) // of the bubble's clock
	return checkrein.Answer{}, nil
}

func TestParallelIsBounded(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 3} {
		synctest.Test(t, func(t *testing.T) {
			var g gauge
			all, hooks := fns{}, []checkrein.Hook{}
			for i := range 20 {
				name := fmt.Sprint("h", i)
				all[name] = g.handle
				hooks = append(hooks, hook("plain", name))
			}
			began := time.Now()
			decide(t, all.with(engine.Options{Parallel: limit}, hooks...), shell("ls"))
			if got := int(g.most.Load()); got != limit {
				t.Errorf("%d ran at the same time, want %d", got, limit)
			}
			if got, want := time.Since(began), time.Duration((20+limit-1)/limit)*time.Second; got != want {
				t.Errorf("it took %v, want %v", got, want)
			}
		})
	}
}

// Waiting for a turn is not the hook's fault: its limit starts when it runs.
func TestWaitingForATurnCostsNoTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g gauge
		short := func(h *checkrein.Hook) { h.Timeout = 1500 * time.Millisecond }
		all, hooks := fns{}, []checkrein.Hook{}
		for i := range 5 {
			name := fmt.Sprint("h", i)
			all[name] = g.handle
			hooks = append(hooks, hook("plain", name, short))
		}
		wantDecision(t, decide(t, all.with(engine.Options{Parallel: 1}, hooks...), shell("ls")), checkrein.NoOpinion)
	})
}

// A handler that does not listen is left behind a little after its time.
func TestDeafHandlerIsLeftBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		deaf := func(context.Context, checkrein.Event) (checkrein.Answer, error) {
			<-release
			return checkrein.Answer{Verdict: checkrein.Verdict{Decision: checkrein.Allow}}, nil
		}
		all := fns{"deaf": deaf, "next": decides(checkrein.NoOpinion, "")}
		second := func(h *checkrein.Hook) { h.Timeout = time.Second }
		e := all.with(engine.Options{Parallel: 1}, hook("rewriter", "deaf", second), hook("rewriter", "next"))
		began := time.Now()
		out := decide(t, e, shell("ls"))
		if took := time.Since(began); took < time.Second || took > time.Second+250*time.Millisecond {
			t.Errorf("it took %v", took)
		}
		wantDecision(t, out, checkrein.Deny)
		wantText(t, out.Verdict.Reason, "timed out after 1s")
		if s := step(t, out, "next"); s.Fault != nil || s.Answer == nil {
			t.Error("a timeout kept the next hook from running")
		}
		close(release)
		synctest.Wait()
		wantDecision(t, out, checkrein.Deny) // a late answer counts for nothing
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
		out := decide(t, fns{"h": waits}.engine(hook("plain", "h")), shell("ls"))
		if took := time.Since(began); took != 60*time.Second {
			t.Errorf("it took %v", took)
		}
		wantText(t, out.Verdict.Reason, "timed out after 1m0s")
		if a := out.Steps[0].Answer; a == nil || a.Log != "was here" || string(a.Raw) != "half" {
			t.Errorf("what it printed is lost: %+v", a)
		}
	})
}

// An answer that comes with the deadline is no answer.
func TestAnswerAfterTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		late := func(ctx context.Context, _ checkrein.Event) (checkrein.Answer, error) {
			<-ctx.Done()
			return checkrein.Answer{Verdict: checkrein.Verdict{Decision: checkrein.Allow}}, nil
		}
		wantDecision(t, decide(t, fns{"h": late}.engine(hook("plain", "h")), shell("ls")), checkrein.Deny)
	})
}

func TestPanicIsContained(t *testing.T) {
	t.Parallel()
	for _, run := range []string{"plain", "judge", "rewriter"} {
		t.Run(run, func(t *testing.T) {
			t.Parallel()
			bad := func(context.Context, checkrein.Event) (checkrein.Answer, error) { panic("boom") }
			out := decide(t, fns{"bad": bad, "good": decides(checkrein.Ask, "hm")}.engine(hook(run, "bad"), hook("plain", "good")), shell("ls"))
			wantDecision(t, out, checkrein.Deny)
			wantText(t, out.Verdict.Reason, "panic: boom")
			wantText(t, step(t, out, "bad").Answer.Log, "goroutine")
			if step(t, out, "good").Verdict.Decision != checkrein.Ask {
				t.Error("the other hook was not heard")
			}
		})
	}
}

// The caller gives up: hooks are ended, gates deny, and the outcome says whose
// doing it was.
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
				all := fns{"a": waits, "b": waits, "next": func(context.Context, checkrein.Event) (checkrein.Answer, error) {
					ran = true
					return checkrein.Answer{}, nil
				}}
				began := time.Now()
				out := all.engine(hook("plain", "a", on(tt.kind)), hook("plain", "b", on(tt.kind)), hook("plain", "next", on(tt.kind), priority(1))).Decide(ctx, event(tt.kind))
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

// The caller's deadline is the plan's budget, not a cancellation.
func TestCallerDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		waits := func(ctx context.Context, _ checkrein.Event) (checkrein.Answer, error) {
			<-ctx.Done()
			return checkrein.Answer{}, ctx.Err()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		out := fns{"h": waits}.engine(hook("plain", "h")).Decide(ctx, shell("ls"))
		if out.Canceled {
			t.Error("a deadline is reported as a cancellation")
		}
		wantDecision(t, out, checkrein.Deny)
		wantText(t, out.Verdict.Reason, "the time limit for all of this event's hooks has passed")
	})
}

// What ends a session or a turn is told to hooks even when Ctrl-C ended it;
// their own limits still hold.
func TestFinalEventsIgnoreCancellation(t *testing.T) {
	t.Parallel()
	for _, kind := range []checkrein.Kind{checkrein.SessionEnd, checkrein.TurnEnd} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				var done []string
				cleans := func(name string, d time.Duration) fn {
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
				e := fns{"ok": cleans("ok", 10*time.Second), "slow": cleans("slow", time.Hour)}.engine(hook("plain", "ok", on(kind)), hook("plain", "slow", on(kind)))
				out := e.Decide(ctx, event(kind))
				if !slices.Equal(done, []string{"ok"}) || out.Canceled {
					t.Errorf("done %v, cancelled %v", done, out.Canceled)
				}
				wantText(t, fmt.Sprint(step(t, out, "slow").Fault), "timed out after 1m0s")
			})
		})
	}
}

// An engine serves many events at once.
func TestConcurrentEvents(t *testing.T) {
	t.Parallel()
	all := fns{"w": appends("!"), "seen": decides(checkrein.NoOpinion, "")}
	e := all.engine(ruleHook("r", ifRm, denies), hook("rewriter", "w"), hook("plain", "seen", gate))
	for i := range 50 {
		t.Run("event", func(t *testing.T) {
			t.Parallel()
			out := decide(t, e, shell(fmt.Sprint("x", i)))
			if got, want := command(out.Event), fmt.Sprint("x", i, "!"); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestNoHooks(t *testing.T) {
	t.Parallel()
	out := decide(t, engine.New(engine.Options{}), shell("ls"))
	if !out.Verdict.IsZero() || out.Steps != nil || string(out.JSON(true)) != "{}" {
		t.Errorf("got %s", out.JSON(true))
	}
}
