package fallback

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/sys/state"
	"pgregory.net/rapid"
)

type asking = func(context.Context, checkrein.Event) (checkrein.Answer, error)

// newJudge returns the handler for a judge setting, with a function in place of the model.
func newJudge(t interface{ Fatal(...any) }, dir string, s setting.Judge, ask asking) checkrein.Handler {
	if s.Timeout == 0 {
		s.Timeout = time.Minute
	}
	s.Model = "openai/small"
	h, err := Type(Options{Budget: Budget{Dir: state.NewDir(dir)}, Model: func(h checkrein.Hook) (checkrein.Handler, error) {
		if h.Run != "model" || h.Timeout != s.Timeout {
			t.Fatal("asked with", h)
		}
		return checkrein.HandlerFunc(ask), nil
	}}).New(NewHook(&s))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func call(session string) checkrein.Event {
	return checkrein.Event{Kind: checkrein.PreToolUse, Host: "claude", Session: checkrein.Session{ID: session}, Tool: &checkrein.Tool{Name: "Bash", Input: json.RawMessage(`{"command":"frobnicate"}`)}}
}

func says(d checkrein.Decision, cost float64) asking {
	return func(context.Context, checkrein.Event) (checkrein.Answer, error) {
		return checkrein.Answer{Verdict: checkrein.Verdict{Decision: d, Reason: "because", Context: []string{"obey"}, Input: json.RawMessage(`{}`), Halt: true}, Usage: &checkrein.Usage{Model: "openai/small", Cost: &cost}}, nil
	}
}

// TestDecides checks that a judge decides with a reason that names it, and does nothing else.
func TestDecides(t *testing.T) {
	t.Parallel()
	for _, d := range []checkrein.Decision{checkrein.NoOpinion, checkrein.Allow, checkrein.Ask, checkrein.Deny} {
		h := newJudge(t, t.TempDir(), setting.Judge{Calls: 1, Money: 100_000}, says(d, 0.001))
		a, err := h.Handle(context.Background(), call("s"))
		if err != nil || a.Decision != d || d != checkrein.NoOpinion && a.Reason != "the judge openai/small: because" || a.Effects()&^(checkrein.CanAllow|checkrein.CanAsk|checkrein.CanDeny) != 0 || a.Halt || a.Usage == nil {
			t.Errorf("%s: %+v, %v", d, a, err)
		}
	}
}

// TestAnswerOverBudget checks that nothing is asked once the budget is used up, and that the user gets
// one notice per session.
func TestAnswerOverBudget(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		setting setting.Judge
		cost    float64
		asked   int
	}{
		{"calls", setting.Judge{Calls: 3, Money: 1_000_000}, 0.001, 3},
		{"money", setting.Judge{Calls: 100, Money: 100_000}, 0.03, 3},
		{"free", setting.Judge{Calls: 5, Money: 1}, 0, 5}, // bounded by calls alone
		{"dearer than a share", setting.Judge{Calls: 10, Money: 100_000}, 0.06, 1},
		{"ask", setting.Judge{Calls: 2, Money: 1_000_000, OnSpent: checkrein.Ask}, 0.001, 2},
		{"deny", setting.Judge{Calls: 2, Money: 1_000_000, OnSpent: checkrein.Deny}, 0.001, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			asked, told := 0, 0
			h := newJudge(t, t.TempDir(), tt.setting, func(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error) {
				asked++
				return says(checkrein.Allow, tt.cost)(ctx, ev)
			})
			for range 8 {
				before := asked
				a, err := h.Handle(context.Background(), call("s"))
				if err != nil {
					t.Fatal(err)
				}
				if asked > before {
					continue
				}
				if a.Decision != tt.setting.OnSpent || (a.Decision != checkrein.NoOpinion) != (a.Reason != "") {
					t.Errorf("spent: %s %q", a.Decision, a.Reason)
				}
				told += len(a.Notice)
			}
			if asked != tt.asked || told != 1 {
				t.Errorf("asked %d times, told %d times", asked, told)
			}
			before := asked
			if _, err := h.Handle(context.Background(), call("another")); err != nil || asked != before+1 {
				t.Errorf("another session: %v", err)
			}
		})
	}
}

// TestStoppedStays checks that a call that the judge stopped does not pass in the same session once
// the budget is used up, and that a call that it allowed is treated as without a judge.
func TestStoppedStays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ said, onSpent, want checkrein.Decision }{
		{checkrein.Deny, checkrein.NoOpinion, checkrein.Deny},
		{checkrein.Ask, checkrein.NoOpinion, checkrein.Ask},
		{checkrein.Ask, checkrein.Deny, checkrein.Deny},
		{checkrein.Deny, checkrein.Ask, checkrein.Deny},
		{checkrein.Allow, checkrein.NoOpinion, checkrein.NoOpinion},
		{checkrein.Allow, checkrein.Ask, checkrein.Ask},
		{checkrein.NoOpinion, checkrein.NoOpinion, checkrein.NoOpinion},
	} {
		h := newJudge(t, t.TempDir(), setting.Judge{Calls: 1, Money: 100_000, OnSpent: tt.onSpent}, says(tt.said, 0))
		for range 2 {
			if _, err := h.Handle(context.Background(), call("s")); err != nil {
				t.Fatal(err)
			}
		}
		if a, err := h.Handle(context.Background(), call("s")); err != nil || a.Decision != tt.want || (a.Reason == "") != (tt.want == checkrein.NoOpinion) {
			t.Errorf("%s, then %s: %s %q, %v", tt.said, tt.onSpent, a.Decision, a.Reason, err)
		}
		other := call("s")
		other.Tool = &checkrein.Tool{Name: "Bash", Input: json.RawMessage(`{"command":"frobnicate 2"}`)}
		want := tt.onSpent
		if tt.said >= checkrein.Ask { // the same in other words would pass
			want = max(want, checkrein.Ask)
		}
		if a, err := h.Handle(context.Background(), other); err != nil || a.Decision != want {
			t.Errorf("%s, then %s: another call: %s, %v", tt.said, tt.onSpent, a.Decision, err)
		}
	}
}

// TestFaults checks that a fault changes nothing, counts against the budget, and is reported once per
// session.
func TestFaults(t *testing.T) {
	t.Parallel()
	late := func(ctx context.Context, _ checkrein.Event) (checkrein.Answer, error) {
		<-ctx.Done()
		return checkrein.Answer{}, ctx.Err()
	}
	for name, ask := range map[string]asking{
		"late": late,
		"down": func(context.Context, checkrein.Event) (checkrein.Answer, error) {
			return checkrein.Answer{Verdict: checkrein.Verdict{Decision: checkrein.Allow}}, errors.New("connection refused")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newJudge(t, t.TempDir(), setting.Judge{Calls: 2, Money: 100_000, Timeout: time.Millisecond}, ask)
			told := 0
			for i := range 4 {
				a, err := h.Handle(context.Background(), call("s"))
				if a.Decision != checkrein.NoOpinion || (err != nil) != (i < 2) {
					t.Errorf("%d: %+v, %v", i, a, err)
				}
				told += len(a.Notice)
			}
			if told != 2 { // the fault, and that nothing is left
				t.Errorf("told %d times", told)
			}
		})
	}
}

// TestNothingIsAskedIfUsageIsNotCounted checks that the judge is not asked if usage cannot be counted.
func TestNothingIsAskedIfUsageIsNotCounted(t *testing.T) {
	t.Parallel()
	never := func(context.Context, checkrein.Event) (checkrein.Answer, error) { panic("it was asked") }
	dir := t.TempDir()
	h := newJudge(t, dir, setting.Judge{Calls: 2, Money: 100_000}, never)
	h.(*budgetedJudge).budget.Off = func() bool { return true }
	if a, err := h.Handle(context.Background(), call("s")); err == nil || a.Decision != checkrein.NoOpinion {
		t.Errorf("%+v, %v", a, err)
	}
	h = newJudge(t, "", setting.Judge{Calls: 2, Money: 100_000}, never)
	if a, err := h.Handle(context.Background(), call("s")); err == nil || a.Decision != checkrein.NoOpinion || !strings.Contains(err.Error(), "not asked") {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestBudgetIsNeverExceeded checks that concurrent calls from several processes ask no more questions
// than the budget permits, and spend no more if no question costs more than its share. Questions
// pending at a crash count.
func TestBudgetIsNeverExceeded(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	var n atomic.Int64
	rapid.Check(t, func(t *rapid.T) {
		dir := root + "/" + string(rune('a'+n.Load()%26)) + time.Duration(n.Add(1)).String()
		calls := rapid.IntRange(1, 6).Draw(t, "calls")
		share := rapid.IntRange(1, 1000).Draw(t, "share")
		costs := rapid.SliceOfN(rapid.IntRange(-1, share), 1, 12).Draw(t, "costs") // -1 = a crash
		var asked, spent atomic.Int64
		var wait sync.WaitGroup
		for _, cost := range costs {
			wait.Add(1)
			h := newJudge(t, dir, setting.Judge{Calls: calls, Money: calls * share}, func(context.Context, checkrein.Event) (checkrein.Answer, error) {
				asked.Add(1)
				if cost < 0 {
					spent.Add(int64(share))
					return checkrein.Answer{}, errors.New("gone")
				}
				spent.Add(int64(cost))
				usd := float64(cost) / 1e6
				return checkrein.Answer{Usage: &checkrein.Usage{Cost: &usd}}, nil
			})
			go func() { // with a separate handler, as in another process
				defer wait.Done()
				_, _ = h.Handle(context.Background(), call("s"))
			}()
		}
		wait.Wait()
		if a, s := asked.Load(), spent.Load(); a > int64(calls) || s > int64(calls*share) || a < int64(min(calls, len(costs))) {
			t.Fatalf("%d of %d calls asked %d times and spent %d of %d", len(costs), calls, a, s, calls*share)
		}
	})
}

// TestReusedVerdictIsFree checks that a verdict that is used again costs nothing.
func TestReusedVerdictIsFree(t *testing.T) {
	t.Parallel()
	asked := 0
	h := newJudge(t, t.TempDir(), setting.Judge{Calls: 1, Money: 100}, func(context.Context, checkrein.Event) (checkrein.Answer, error) {
		asked++
		return checkrein.Answer{Usage: &checkrein.Usage{Again: true}}, nil
	})
	for range 5 {
		if _, err := h.Handle(context.Background(), call("s")); err != nil {
			t.Fatal(err)
		}
	}
	if asked != 5 {
		t.Errorf("asked %d times", asked)
	}
}
