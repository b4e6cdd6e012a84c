package agent

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/team"
)

func newFallbackLab(t *testing.T) *lab {
	l := newLab(t)
	l.agents[0].Fallback = team.Fallback{Models: []string{"second", "third"}}
	return l
}

// modelIDs returns the model IDs in events of a kind.
func (l *lab) modelIDs(kind checkrein.Kind) []string {
	var out []string
	for _, ev := range l.seen {
		if ev.Kind == kind {
			out = append(out, detailText(ev, "model_id"))
		}
	}
	return out
}

// The next model of the agent file replaces one that fails. Hooks judge what is sent to each, and get
// the ID of the one that answered.
func TestFallback(t *testing.T) {
	t.Parallel()
	l := newFallbackLab(t)
	l.script["root"] = []scriptedAnswer{{err: errors.New("500: out of order")}}
	l.script["second"] = []scriptedAnswer{{err: errors.New("401: no key")}}
	l.script["third"] = []scriptedAnswer{{text: "hello"}}
	if err := l.runPrompt("go"); err != nil {
		t.Fatal(err)
	}
	wantList(t, "asked for", l.modelIDs(checkrein.BeforeLLMCall), []string{"test/root", "test/second", "test/third"})
	wantList(t, "answered", l.modelIDs(checkrein.AfterLLMCall), []string{"test/third"})
	wantList(t, "replied", l.modelIDs(checkrein.OnResponseEnd), []string{"test/third"})
	if got := l.reportsOf(Final); len(got) != 1 || got[0].Text != "hello" {
		t.Errorf("replies %v", got)
	}
	told := l.reportsOf(Warning)
	if len(told) != 2 || !strings.Contains(told[0].Text, "out of order") || !strings.Contains(told[0].Text, "test/second instead") {
		t.Errorf("the person was told %v", told)
	}
	for _, ev := range l.seen {
		if ev.Kind == checkrein.OnError {
			t.Error("on_error was fired though a model answered")
		}
	}
}

// A rate-limited model is skipped for a while.
func TestFallbackCooldown(t *testing.T) {
	t.Parallel()
	l := newFallbackLab(t)
	r := l.start()
	now := time.Now()
	r.opts.Now = func() time.Time { return now }
	who := r.main.agent
	who.spec.Fallback.Cooldown = time.Minute
	first := func() string { return r.modelsInOrder(who)[0].ID() }
	if first() != "test/root" {
		t.Error("the agent's own model is not the first")
	}
	r.coolDown(who, who.model)
	if first() != "test/second" || len(r.modelsInOrder(who)) != 3 {
		t.Errorf("%s is asked first", first())
	}
	now = now.Add(time.Minute)
	if first() != "test/root" {
		t.Error("it is left alone for longer")
	}
}

// The turn fails only if all models fail.
func TestFallbackFails(t *testing.T) {
	t.Parallel()
	l := newFallbackLab(t)
	for _, name := range []string{"root", "second", "third"} {
		l.script[name] = []scriptedAnswer{{err: errors.New(name + " is out of order")}}
	}
	if err := l.runPrompt("go"); err == nil {
		t.Error("it ended well")
	}
	want := "all models failed: root is out of order; second is out of order; third is out of order"
	for _, kind := range []checkrein.Kind{checkrein.Notification, checkrein.OnError} {
		if got := l.lastEvent(kind).Text; got != want {
			t.Errorf("%s heard %q", kind, got)
		}
	}
	if told := l.reportsOf(Warning); len(told) != 2 {
		t.Errorf("the person was told %v", told)
	}
}

// A hook that denies the call of one model ends the run: no other model is tried.
func TestDenialEndsFallback(t *testing.T) {
	t.Parallel()
	l := newFallbackLab(t)
	l.script["root"] = []scriptedAnswer{{err: errors.New("out of order")}}
	l.on["before_llm_call"] = func(ev checkrein.Event) checkrein.Verdict {
		if detailText(ev, "model_id") == "test/second" {
			return checkrein.Verdict{Decision: checkrein.Deny, Reason: "not to that provider"}
		}
		return checkrein.Verdict{}
	}
	if err := l.runPrompt("go"); !errors.Is(err, ErrBlocked) {
		t.Errorf("%v", err)
	}
	if l.calls["second"] != 0 || l.calls["third"] != 0 {
		t.Errorf("calls %v", l.calls)
	}
}

// A conversation that is too long is compacted, not sent to another model.
func TestOverflowIsNoFallback(t *testing.T) {
	t.Parallel()
	l := newFallbackLab(t)
	l.script["root"] = []scriptedAnswer{{text: "first"}, {err: model.ErrOverflow}, {}, {text: "fits"}}
	r := l.start()
	_ = r.Prompt(t.Context(), "one")
	if err := r.Prompt(t.Context(), "two"); err != nil || l.calls["second"] != 0 {
		t.Errorf("%v, calls %v", err, l.calls)
	}
}

// The agent, or else its model, sets when the conversation is compacted, or turns it off.
func TestCompactionThreshold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		agent, model float64
		off          bool
		used         int
		want         bool
	}{
		{"default, below", 0, 0, false, 850, false},
		{"default, above", 0, 0, false, 950, true},
		{"agent's, above", 0.5, 0.95, false, 600, true},
		{"agent's, below", 0.99, 0.5, false, 900, false},
		{"model's, above", 0, 0.5, false, 600, true},
		{"switched off", 0.5, 0, true, 990, false},
	} {
		l := newLab(t)
		l.limit = 1000
		l.agents[0].CompactAt, l.agents[0].NoCompaction = tt.agent, tt.off
		l.models = []team.Model{{Name: "m", CompactAt: tt.model}}
		l.script["root"] = []scriptedAnswer{{text: "first", usage: &model.Usage{Input: tt.used}}, {text: "next"}, {text: "next"}}
		r := l.start()
		for _, p := range []string{"one", "two"} {
			if err := r.Prompt(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		}
		got := false
		for _, ev := range l.seen {
			got = got || ev.Kind == checkrein.AfterCompaction
		}
		if got != tt.want {
			t.Errorf("%s: compacted %v", tt.name, got)
		}
	}
}
