package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
)

// An asynchronous hook hears of the event as it will happen, decides nothing,
// and is waited for by nobody.
func TestAsync(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		saw := make(chan string, 1)
		later := func(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error) {
			time.Sleep(10 * time.Second)
			saw <- fmt.Sprint(command(ev), ctx.Err())
			return checkrein.Answer{Verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: "too late", Input: []byte(`{"cmd":"x"}`), Context: []string{"c"}}}, nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		out := fns{"later": later, "w": runs("pwd")}.engine(hook("rewriter", "later", async), hook("rewriter", "w")).Decide(ctx, shell("ls"))
		cancel()
		if took := time.Since(began); took != 0 {
			t.Errorf("it was waited for: %v", took)
		}
		wantDecision(t, out, checkrein.NoOpinion)
		if s := step(t, out, "later"); !s.Detached || s.Verdict != nil || s.Stage != 0 || len(out.Verdict.Context) != 0 {
			t.Errorf("got %s", out.JSON(true))
		}
		if got := <-saw; got != "pwd<nil>" {
			t.Errorf("it saw %q, want the final command and no cancellation", got)
		}
	})
}

func TestAsyncHasItsOwnLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan time.Time, 1)
		later := func(ctx context.Context, _ checkrein.Event) (checkrein.Answer, error) {
			<-ctx.Done()
			ended <- time.Now()
			return checkrein.Answer{}, ctx.Err()
		}
		began := time.Now()
		decide(t, fns{"later": later}.engine(hook("plain", "later", async, func(h *checkrein.Hook) { h.Timeout = 5 * time.Second })), shell("ls"))
		if took := (<-ended).Sub(began); took != 5*time.Second {
			t.Errorf("it ended after %v", took)
		}
	})
}

func TestAsyncDetach(t *testing.T) {
	t.Parallel()
	var got []string
	opts := engine.Options{Detach: func(h *checkrein.Hook, ev checkrein.Event) error {
		got = append(got, h.Name+" "+command(ev))
		if h.Name == "bad" {
			return errors.New("cannot start")
		}
		return nil
	}}
	all := fns{"good": says(checkrein.Verdict{}), "bad": says(checkrein.Verdict{}), "w": runs("pwd"), "unmet": says(checkrein.Verdict{})}
	unmet := hook("plain", "unmet", async)
	unmet.If = []byte(`{"command":{"is":"ls"}}`)
	out := decide(t, all.with(opts, hook("plain", "good", async), hook("plain", "bad", async), hook("rewriter", "w"), unmet), shell("ls"))
	if fmt.Sprint(got) != "[good pwd bad pwd]" {
		t.Errorf("detached %q", got)
	}
	if !step(t, out, "good").Detached || step(t, out, "bad").Detached || !step(t, out, "unmet").Unmet {
		t.Errorf("got %s", out.JSON(true))
	}
	wantDecision(t, out, checkrein.NoOpinion)
}

// The fault of one that could not have decided decides nothing, and is told
// unless it is to be ignored.
func TestAsyncFault(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		policy checkrein.FaultPolicy
		told   bool
	}{{checkrein.FaultByRow, true}, {checkrein.FaultWarn, true}, {checkrein.FaultBlock, true}, {checkrein.FaultIgnore, false}} {
		t.Run("on_error "+tt.policy.String(), func(t *testing.T) {
			t.Parallel()
			out := decide(t, fns{}.engine(hook("nosuch", "h", async, onFault(tt.policy))), shell("ls"))
			wantDecision(t, out, checkrein.NoOpinion)
			if told := len(out.Verdict.Notice) == 1; told != tt.told || out.Steps[0].Detached {
				t.Errorf("notices %q, want one: %v", out.Verdict.Notice, tt.told)
			}
		})
	}
}

func TestAsyncPanicIsContained(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bad := func(context.Context, checkrein.Event) (checkrein.Answer, error) { panic("boom") }
		decide(t, fns{"h": bad}.engine(hook("plain", "h", async)), shell("ls"))
		synctest.Wait()
	})
}

func TestAsyncNeedsApproval(t *testing.T) {
	t.Parallel()
	trust := trustMap{"edited": engine.Changed}
	ran := false
	opts := engine.Options{Trust: trust, Detach: func(*checkrein.Hook, checkrein.Event) error { ran = true; return nil }}
	out := decide(t, fns{"new": says(checkrein.Verdict{}), "edited": says(checkrein.Verdict{})}.with(opts, hook("plain", "new", async, project), hook("plain", "edited", async, project)), shell("ls"))
	if ran {
		t.Error("it ran")
	}
	wantText(t, step(t, out, "new").Skipped, "not approved")
	wantText(t, fmt.Sprint(out.Verdict.Notice), "changed since it was approved")
	wantDecision(t, out, checkrein.NoOpinion)
}
