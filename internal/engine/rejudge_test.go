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

// What runs is what was judged: rules judge the final command.
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
			out := decide(t, fns{"w": runs(tt.becomes)}.engine(tt.rule, hook("rewriter", "w")), shell(tt.first))
			wantDecision(t, out, tt.want)
			wantText(t, out.Verdict.Reason, tt.reason)
			if s := step(t, out, "r"); s.Rejudged != tt.rejudged || s.Stale {
				t.Errorf("rejudged %v, stale %v", s.Rejudged, s.Stale)
			}
		})
	}
}

// A counter is a handler that answers by what it sees and remembers how often
// it was asked.
type counter struct {
	saw    []string
	answer func(cmd string, n int) (checkrein.Answer, error)
}

func (c *counter) handle(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	c.saw = append(c.saw, command(ev))
	if c.answer == nil {
		return checkrein.Answer{}, nil
	}
	return c.answer(command(ev), len(c.saw))
}

// denyIf denies one command.
func denyIf(bad string) func(string, int) (checkrein.Answer, error) {
	return func(cmd string, _ int) (checkrein.Answer, error) {
		if cmd == bad {
			return checkrein.Answer{Verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: "bad: " + cmd}}, nil
		}
		return checkrein.Answer{}, nil
	}
}

func TestWhoJudgesTwice(t *testing.T) {
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
		{"a gate", hook("plain", "h", gate), "ls", "rm", "rm", []string{"ls", "rm"}, false, checkrein.Deny},
		{"a gate that denied what is gone", hook("plain", "h", gate), "rm", "ls", "rm", []string{"rm", "ls"}, false, checkrein.NoOpinion},
		{"a plain hook", hook("plain", "h"), "ls", "rm", "rm", []string{"ls"}, true, checkrein.NoOpinion},
		{"a plain hook's deny still counts", hook("plain", "h"), "rm", "ls", "rm", []string{"rm"}, true, checkrein.Deny},
		{"nothing changed", hook("plain", "h", gate), "ls", "ls", "rm", []string{"ls"}, false, checkrein.NoOpinion},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := counter{answer: denyIf(tt.bad)}
			out := decide(t, fns{"h": c.handle, "w": runs(tt.final)}.engine(tt.hook, hook("rewriter", "w")), shell(tt.first))
			wantDecision(t, out, tt.want)
			if !slices.Equal(c.saw, tt.saw) {
				t.Errorf("it saw %q, want %q", c.saw, tt.saw)
			}
			if s := step(t, out, "h"); s.Stale != tt.stale || s.Rejudged != (len(tt.saw) == 2) {
				t.Errorf("stale %v, rejudged %v", s.Stale, s.Rejudged)
			}
		})
	}
}

// One who judged after the last rewrite has judged what runs.
func TestJudgesBehindTheRewriteJudgeOnce(t *testing.T) {
	t.Parallel()
	var c counter
	decide(t, fns{"w": runs("pwd"), "h": c.handle}.engine(hook("rewriter", "w"), hook("judge", "h")), shell("ls"))
	if !slices.Equal(c.saw, []string{"pwd"}) {
		t.Errorf("it saw %q", c.saw)
	}
}

// A judge that rewrites knows its own rewrite, and is asked again about
// another's; then it may not rewrite any more.
func TestJudgeThatRewrites(t *testing.T) {
	t.Parallel()
	own := ruleHook("own", `{"command":{"prefix":"make"}}`, `{"patch":{"cmd":"make -j4"}}`)
	t.Run("its own rewrite", func(t *testing.T) {
		t.Parallel()
		out := decide(t, fns{}.engine(own), shell("make"))
		if s := step(t, out, "own"); s.Rejudged || len(out.Dropped) != 0 || command(out.Event) != "make -j4" {
			t.Errorf("got %s", out.JSON(true))
		}
	})
	t.Run("the same once more is no loss", func(t *testing.T) {
		t.Parallel()
		cwd := patches(`{"cwd":"/"}`)
		out := decide(t, fns{"w": cwd}.engine(own, hook("rewriter", "w")), shell("make"))
		if s := step(t, out, "own"); !s.Rejudged || len(out.Dropped) != 0 {
			t.Errorf("got %s", out.JSON(true))
		}
	})
	t.Run("another one is dropped, by its name", func(t *testing.T) {
		t.Parallel()
		deny := ruleHook("own", `{"command":{"prefix":"make"}}`, `{"decision":"deny","reason":"no","patch":{"cmd":"make -j4"}}`)
		out := decide(t, fns{"w": runs("make -k")}.engine(deny, hook("rewriter", "w")), shell("make"))
		wantDecision(t, out, checkrein.Deny)
		wantDropped(t, out, "own", "rewrite_input")
		if got := command(out.Event); got != "make -k" {
			t.Errorf("it runs %q", got)
		}
	})
}

// Only the decision of the second look counts; what was said at the first stays
// said.
func TestSecondLookAfterTrouble(t *testing.T) {
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
		c := counter{answer: first(true)}
		out := decide(t, fns{"h": c.handle, "w": runs("pwd")}.engine(hook("plain", "h", gate), hook("rewriter", "w")), shell("ls"))
		wantDecision(t, out, checkrein.NoOpinion)
		if s := step(t, out, "h"); s.Fault != nil || len(out.Verdict.Context) != 1 {
			t.Errorf("got %s", out.JSON(true))
		}
	})
	t.Run("it failed on the final one", func(t *testing.T) {
		t.Parallel()
		c := counter{answer: first(false)}
		out := decide(t, fns{"h": c.handle, "w": runs("pwd")}.engine(hook("plain", "h", gate), hook("rewriter", "w")), shell("ls"))
		wantDecision(t, out, checkrein.Deny)
	})
	t.Run("it failed on what is gone, and has nothing to say about the final one", func(t *testing.T) {
		t.Parallel()
		h := hook("plain", "h", gate)
		h.If = []byte(ifRm)
		out := decide(t, fns{"h": fails("boom"), "w": runs("ls")}.engine(h, hook("rewriter", "w")), shell("rm"))
		wantDecision(t, out, checkrein.NoOpinion)
	})
}

// The caller may give up while gates judge the final subject.
func TestCanceledAtTheSecondLook(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := counter{answer: func(_ string, n int) (checkrein.Answer, error) {
		if n == 2 {
			cancel()
			<-ctx.Done()
			return checkrein.Answer{}, ctx.Err()
		}
		return checkrein.Answer{}, nil
	}}
	out := fns{"h": c.handle, "w": runs("pwd")}.engine(hook("plain", "h", gate), hook("rewriter", "w")).Decide(ctx, shell("ls"))
	wantDecision(t, out, checkrein.Deny)
	if !out.Canceled {
		t.Error("the outcome does not say that it was cancelled")
	}
}

// Texts are subjects too.
func TestJudgesOfTexts(t *testing.T) {
	t.Parallel()
	prompt := on(checkrein.UserPromptSubmit)
	secret := ruleHook("r", `{"prompt":{"contains":"password"}}`, `{"decision":"deny","reason":"secret"}`, prompt)
	w := says(checkrein.Verdict{Output: []byte(`"my password"`)})
	out := decide(t, fns{"w": w}.engine(secret, hook("rewriter", "w", prompt)), event(checkrein.UserPromptSubmit))
	wantDecision(t, out, checkrein.Deny)
	back := says(checkrein.Verdict{Output: []byte(`"text"`)})
	out = decide(t, fns{"w": w, "back": back}.engine(secret, hook("rewriter", "w", prompt), hook("rewriter", "back", prompt)), event(checkrein.UserPromptSubmit))
	wantDecision(t, out, checkrein.NoOpinion)
	if out.Verdict.Output != nil {
		t.Errorf("a text that is what it was is reported as a rewrite: %s", out.Verdict.Output)
	}
}
