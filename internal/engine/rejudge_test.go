package engine_test

import (
	"context"
	"slices"
	"testing"

	"github.com/checkrein/checkrein"
)

const (
	ifRm   = `{"command":{"contains":"rm"}}`
	denies = `{"decision":"deny","reason":"no rm: {{command}}"}`
)

// TestRulesJudgeTheFinalSubject checks that rules judge the command that will run.
func TestRulesJudgeTheFinalSubject(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, first, becomes string
		rule                 checkrein.Hook
		want                 checkrein.Decision
		reason               string
		rejudged             bool
	}{
		{"a command turned dangerous", "ls", "rm -rf /", ruleHook("r", ifRm, denies), checkrein.Deny, "no rm: rm -rf /", true},
		{"a command turned harmless", "rm -rf /", "ls", ruleHook("r", ifRm, denies), checkrein.NoOpinion, "", true},
		{"still dangerous, and the reason tells the final one", "rm a", "rm b", ruleHook("r", ifRm, denies), checkrein.Deny, "no rm: rm b", true},
		{"an allow that the final command would not get", "ls", "rm", ruleHook("r", `{"command":{"is":"ls"}}`, `{"decision":"allow"}`), checkrein.NoOpinion, "", true},
		{"a deny by what is gone", "rm", "ls", ruleHook("r", "", `{"decision":"none"}`), checkrein.NoOpinion, "", true},
		{"a rewrite that changes nothing", "rm", "rm", ruleHook("r", ifRm, denies), checkrein.Deny, "no rm: rm", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := decide(t, handlerFuncs{"w": rewriteCommand(tt.becomes)}.newEngine(tt.rule, newHook("rewriter", "w")), shellEvent(tt.first))
			wantDecision(t, out, tt.want)
			wantText(t, out.Verdict.Reason, tt.reason)
			if s := findStep(t, out, "r"); s.Rejudged != tt.rejudged || s.Stale {
				t.Errorf("rejudged %v, stale %v", s.Rejudged, s.Stale)
			}
		})
	}
}

// A countingHandler is a handler that answers by the command it gets and counts its calls.
type countingHandler struct {
	saw    []string
	answer func(cmd string, n int) (checkrein.Answer, error)
}

func (c *countingHandler) handle(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	c.saw = append(c.saw, shellCommand(ev))
	if c.answer == nil {
		return checkrein.Answer{}, nil
	}
	return c.answer(shellCommand(ev), len(c.saw))
}

// denyCommand returns a function that denies the command bad.
func denyCommand(bad string) func(string, int) (checkrein.Answer, error) {
	return func(cmd string, _ int) (checkrein.Answer, error) {
		if cmd == bad {
			return checkrein.Answer{Verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: "bad: " + cmd}}, nil
		}
		return checkrein.Answer{}, nil
	}
}

func TestWhichHooksRejudge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		hook         checkrein.Hook
		first, final string
		bad          string
		saw          []string
		stale        bool
		want         checkrein.Decision
	}{
		{"a gate", newHook("plain", "h", gate), "ls", "rm", "rm", []string{"ls", "rm"}, false, checkrein.Deny},
		{"a gate that denied what is gone", newHook("plain", "h", gate), "rm", "ls", "rm", []string{"rm", "ls"}, false, checkrein.NoOpinion},
		{"a plain hook", newHook("plain", "h"), "ls", "rm", "rm", []string{"ls"}, true, checkrein.NoOpinion},
		{"a plain hook's deny still counts", newHook("plain", "h"), "rm", "ls", "rm", []string{"rm"}, true, checkrein.Deny},
		{"nothing changed", newHook("plain", "h", gate), "ls", "ls", "rm", []string{"ls"}, false, checkrein.NoOpinion},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := countingHandler{answer: denyCommand(tt.bad)}
			out := decide(t, handlerFuncs{"h": c.handle, "w": rewriteCommand(tt.final)}.newEngine(tt.hook, newHook("rewriter", "w")), shellEvent(tt.first))
			wantDecision(t, out, tt.want)
			if !slices.Equal(c.saw, tt.saw) {
				t.Errorf("it saw %q, want %q", c.saw, tt.saw)
			}
			if s := findStep(t, out, "h"); s.Stale != tt.stale || s.Rejudged != (len(tt.saw) == 2) {
				t.Errorf("stale %v, rejudged %v", s.Stale, s.Rejudged)
			}
		})
	}
}

// TestJudgesAfterRewriteJudgeOnce checks that a judge that ran after the last rewrite does not run
// again.
func TestJudgesAfterRewriteJudgeOnce(t *testing.T) {
	t.Parallel()
	var c countingHandler
	decide(t, handlerFuncs{"w": rewriteCommand("pwd"), "h": c.handle}.newEngine(newHook("rewriter", "w"), newHook("judge", "h")), shellEvent("ls"))
	if !slices.Equal(c.saw, []string{"pwd"}) {
		t.Errorf("it saw %q", c.saw)
	}
}

// TestJudgeThatRewrites checks that a judge is not run again because of its own rewrite, but is
// because of another hook's, and that it may not rewrite the second time.
func TestJudgeThatRewrites(t *testing.T) {
	t.Parallel()
	own := ruleHook("own", `{"command":{"prefix":"make"}}`, `{"patch":{"cmd":"make -j4"}}`)
	t.Run("its own rewrite", func(t *testing.T) {
		t.Parallel()
		out := decide(t, handlerFuncs{}.newEngine(own), shellEvent("make"))
		if s := findStep(t, out, "own"); s.Rejudged || len(out.Dropped) != 0 || shellCommand(out.Event) != "make -j4" {
			t.Errorf("got %s", out.JSON(true))
		}
	})
	t.Run("the same once more is no loss", func(t *testing.T) {
		t.Parallel()
		cwd := patchInput(`{"cwd":"/"}`)
		out := decide(t, handlerFuncs{"w": cwd}.newEngine(own, newHook("rewriter", "w")), shellEvent("make"))
		if s := findStep(t, out, "own"); !s.Rejudged || len(out.Dropped) != 0 {
			t.Errorf("got %s", out.JSON(true))
		}
	})
	t.Run("another one is dropped, by its name", func(t *testing.T) {
		t.Parallel()
		deny := ruleHook("own", `{"command":{"prefix":"make"}}`, `{"decision":"deny","reason":"no","patch":{"cmd":"make -j4"}}`)
		out := decide(t, handlerFuncs{"w": rewriteCommand("make -k")}.newEngine(deny, newHook("rewriter", "w")), shellEvent("make"))
		wantDecision(t, out, checkrein.Deny)
		wantDropped(t, out, "own", "rewrite_input")
		if got := shellCommand(out.Event); got != "make -k" {
			t.Errorf("it runs %q", got)
		}
	})
}

// TestRejudgingReplacesDecision checks that only the decision of the second run counts, while context
// and notices of the first run stay.
func TestRejudgingReplacesDecision(t *testing.T) {
	t.Parallel()
	first := func(bad bool) func(string, int) (checkrein.Answer, error) {
		return func(_ string, n int) (checkrein.Answer, error) {
			if bad == (n == 1) {
				return checkrein.Answer{}, context.DeadlineExceeded
			}
			return checkrein.Answer{Verdict: checkrein.Verdict{Context: []string{"said"}}}, nil
		}
	}
	t.Run("it failed on what is gone", func(t *testing.T) {
		t.Parallel()
		c := countingHandler{answer: first(true)}
		out := decide(t, handlerFuncs{"h": c.handle, "w": rewriteCommand("pwd")}.newEngine(newHook("plain", "h", gate), newHook("rewriter", "w")), shellEvent("ls"))
		wantDecision(t, out, checkrein.NoOpinion)
		if s := findStep(t, out, "h"); s.Fault != nil || len(out.Verdict.Context) != 1 {
			t.Errorf("got %s", out.JSON(true))
		}
	})
	t.Run("it failed on the final one", func(t *testing.T) {
		t.Parallel()
		c := countingHandler{answer: first(false)}
		out := decide(t, handlerFuncs{"h": c.handle, "w": rewriteCommand("pwd")}.newEngine(newHook("plain", "h", gate), newHook("rewriter", "w")), shellEvent("ls"))
		wantDecision(t, out, checkrein.Deny)
	})
	t.Run("it failed on what is gone, and has nothing to say about the final one", func(t *testing.T) {
		t.Parallel()
		h := newHook("plain", "h", gate)
		h.If = []byte(ifRm)
		out := decide(t, handlerFuncs{"h": failWith("boom"), "w": rewriteCommand("ls")}.newEngine(h, newHook("rewriter", "w")), shellEvent("rm"))
		wantDecision(t, out, checkrein.NoOpinion)
	})
}

// TestCanceledWhileRejudging checks that the caller may cancel while gates judge the rewritten
// subject.
func TestCanceledWhileRejudging(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := countingHandler{answer: func(_ string, n int) (checkrein.Answer, error) {
		if n == 2 {
			cancel()
			<-ctx.Done()
			return checkrein.Answer{}, ctx.Err()
		}
		return checkrein.Answer{}, nil
	}}
	out := handlerFuncs{"h": c.handle, "w": rewriteCommand("pwd")}.newEngine(newHook("plain", "h", gate), newHook("rewriter", "w")).Decide(ctx, shellEvent("ls"))
	wantDecision(t, out, checkrein.Deny)
	if !out.Canceled {
		t.Error("the outcome does not say that it was cancelled")
	}
}

// TestRejudgeText checks that rewritten texts are judged again, too.
func TestRejudgeText(t *testing.T) {
	t.Parallel()
	prompt := on(checkrein.UserPromptSubmit)
	secret := ruleHook("r", `{"prompt":{"contains":"password"}}`, `{"decision":"deny","reason":"secret"}`, prompt)
	w := answerWith(checkrein.Verdict{Output: []byte(`"my password"`)})
	out := decide(t, handlerFuncs{"w": w}.newEngine(secret, newHook("rewriter", "w", prompt)), newEvent(checkrein.UserPromptSubmit))
	wantDecision(t, out, checkrein.Deny)
	back := answerWith(checkrein.Verdict{Output: []byte(`"text"`)})
	out = decide(t, handlerFuncs{"w": w, "back": back}.newEngine(secret, newHook("rewriter", "w", prompt), newHook("rewriter", "back", prompt)), newEvent(checkrein.UserPromptSubmit))
	wantDecision(t, out, checkrein.NoOpinion)
	if out.Verdict.Output != nil {
		t.Errorf("a text that is what it was is reported as a rewrite: %s", out.Verdict.Output)
	}
}
