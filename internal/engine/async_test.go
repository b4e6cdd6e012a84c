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

// TestAsync checks that an asynchronous hook gets the event with all rewrites, decides nothing, and is
// not waited for.
func TestAsync(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		saw := make(chan string, 1)
		later := func(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error) {
			time.Sleep(10 * time.Second)
			saw <- fmt.Sprint(shellCommand(ev), ctx.Err())
			return checkrein.Answer{Verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: "too late", Input: []byte(`{"cmd":"x"}`), Context: []string{"c"}}}, nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		out := handlerFuncs{"later": later, "w": rewriteCommand("pwd")}.newEngine(newHook("rewriter", "later", async), newHook("rewriter", "w")).Decide(ctx, shellEvent("ls"))
		cancel()
		if took := time.Since(began); took != 0 {
			t.Errorf("it was waited for: %v", took)
		}
		wantDecision(t, out, checkrein.NoOpinion)
		if s := findStep(t, out, "later"); !s.Detached || s.Verdict != nil || s.Stage != 0 || len(out.Verdict.Context) != 0 {
			t.Errorf("got %s", out.JSON(true))
		}
		if got := <-saw; got != "pwd<nil>" {
			t.Errorf("it saw %q, want the final command and no cancellation", got)
		}
	})
}

func TestAsyncUsesOwnTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan time.Time, 1)
		later := func(ctx context.Context, _ checkrein.Event) (checkrein.Answer, error) {
			<-ctx.Done()
			ended <- time.Now()
			return checkrein.Answer{}, ctx.Err()
		}
		began := time.Now()
		decide(t, handlerFuncs{"later": later}.newEngine(newHook("plain", "later", async, func(h *checkrein.Hook) { h.Timeout = 5 * time.Second })), shellEvent("ls"))
		if took := (<-ended).Sub(began); took != 5*time.Second {
			t.Errorf("it ended after %v", took)
		}
	})
}

func TestAsyncDetach(t *testing.T) {
	t.Parallel()
	var got []string
	opts := engine.Options{Detach: func(h *checkrein.Hook, ev checkrein.Event) error {
		got = append(got, h.Name+" "+shellCommand(ev))
		if h.Name == "bad" {
			return errors.New("cannot start")
		}
		return nil
	}}
	all := handlerFuncs{"good": answerWith(checkrein.Verdict{}), "bad": answerWith(checkrein.Verdict{}), "w": rewriteCommand("pwd"), "unmet": answerWith(checkrein.Verdict{})}
	unmet := newHook("plain", "unmet", async)
	unmet.If = []byte(`{"command":{"is":"ls"}}`)
	out := decide(t, all.newEngineWith(opts, newHook("plain", "good", async), newHook("plain", "bad", async), newHook("rewriter", "w"), unmet), shellEvent("ls"))
	if fmt.Sprint(got) != "[good pwd bad pwd]" {
		t.Errorf("detached %q", got)
	}
	if !findStep(t, out, "good").Detached || findStep(t, out, "bad").Detached || !findStep(t, out, "unmet").Unmet {
		t.Errorf("got %s", out.JSON(true))
	}
	wantDecision(t, out, checkrein.NoOpinion)
}

// TestAsyncFault checks that the fault of an asynchronous hook decides nothing and is reported unless
// the hook's policy is to ignore it.
func TestAsyncFault(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		policy checkrein.FaultPolicy
		told   bool
	}{{checkrein.FaultByRow, true}, {checkrein.FaultWarn, true}, {checkrein.FaultBlock, true}, {checkrein.FaultIgnore, false}} {
		t.Run("on_error "+tt.policy.String(), func(t *testing.T) {
			t.Parallel()
			out := decide(t, handlerFuncs{}.newEngine(newHook("nosuch", "h", async, onFault(tt.policy))), shellEvent("ls"))
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
		decide(t, handlerFuncs{"h": bad}.newEngine(newHook("plain", "h", async)), shellEvent("ls"))
		synctest.Wait()
	})
}

func TestAsyncNeedsApproval(t *testing.T) {
	t.Parallel()
	trust := approvalMap{"edited": engine.Changed}
	ran := false
	opts := engine.Options{Trust: trust, Detach: func(*checkrein.Hook, checkrein.Event) error { ran = true; return nil }}
	out := decide(t, handlerFuncs{"new": answerWith(checkrein.Verdict{}), "edited": answerWith(checkrein.Verdict{})}.newEngineWith(opts, newHook("plain", "new", async, project), newHook("plain", "edited", async, project)), shellEvent("ls"))
	if ran {
		t.Error("it ran")
	}
	wantText(t, findStep(t, out, "new").Skipped, "not approved")
	wantText(t, fmt.Sprint(out.Verdict.Notice), "changed since it was approved")
	wantDecision(t, out, checkrein.NoOpinion)
}
