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

func replaced(t *testing.T) *lab {
	l := newLab(t)
	l.agents[0].Fallback = team.Fallback{Models: []string{"second", "third"}}
	return l
}

// ids are the models that events of a kind name.
func (l *lab) ids(kind checkrein.Kind) []string {
	var out []string
	for _, ev := range l.seen {
		if ev.Kind == kind {
			out = append(out, word(ev, "model_id"))
		}
	}
	return out
}

// A model that fails is replaced by the next one that the agent file names. Hooks
// judge what is sent to each, and hear who answered.
func TestFallback(t *testing.T) {
	t.Parallel()
	l := replaced(t)
	l.script["root"] = []say{{err: errors.New("500: out of order")}}
	l.script["second"] = []say{{err: errors.New("401: no key")}}
	l.script["third"] = []say{{text: "hello"}}
	if err := l.prompt("go"); err != nil {
		t.Fatal(err)
	}
	wantList(t, "asked for", l.ids(checkrein.BeforeLLMCall), []string{"test/root", "test/second", "test/third"})
	wantList(t, "answered", l.ids(checkrein.AfterLLMCall), []string{"test/third"})
	wantList(t, "replied", l.ids(checkrein.OnResponseEnd), []string{"test/third"})
	if got := l.reported(Final); len(got) != 1 || got[0].Text != "hello" {
		t.Errorf("replies %v", got)
	}
	told := l.reported(Warning)
	if len(told) != 2 || !strings.Contains(told[0].Text, "out of order") || !strings.Contains(told[0].Text, "test/second instead") {
		t.Errorf("the person was told %v", told)
	}
	for _, ev := range l.seen {
		if ev.Kind == checkrein.OnError {
			t.Error("on_error was fired though a model answered")
		}
	}
}

// A model that was asked too often is left alone for a while.
func TestFallbackCooldown(t *testing.T) {
	t.Parallel()
	l := replaced(t)
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

// Only when all fail the turn does.
func TestFallbackFails(t *testing.T) {
	t.Parallel()
	l := replaced(t)
	for _, name := range []string{"root", "second", "third"} {
		l.script[name] = []say{{err: errors.New(name + " is out of order")}}
	}
	if err := l.prompt("go"); err == nil {
		t.Error("it ended well")
	}
	want := "all models failed: root is out of order; second is out of order; third is out of order"
	for _, kind := range []checkrein.Kind{checkrein.Notification, checkrein.OnError} {
		if got := l.last(kind).Text; got != want {
			t.Errorf("%s heard %q", kind, got)
		}
	}
	if told := l.reported(Warning); len(told) != 2 {
		t.Errorf("the person was told %v", told)
	}
}

// A hook that keeps the conversation from one model ends the run there: no other
// model is asked in its place.
func TestFallbackIsGuarded(t *testing.T) {
	t.Parallel()
	l := replaced(t)
	l.script["root"] = []say{{err: errors.New("out of order")}}
	l.on["before_llm_call"] = func(ev checkrein.Event) checkrein.Verdict {
		if word(ev, "model_id") == "test/second" {
			return checkrein.Verdict{Decision: checkrein.Deny, Reason: "not to that provider"}
		}
		return checkrein.Verdict{}
	}
	if err := l.prompt("go"); !errors.Is(err, ErrBlocked) {
		t.Errorf("%v", err)
	}
	if l.calls["second"] != 0 || l.calls["third"] != 0 {
		t.Errorf("calls %v", l.calls)
	}
}

// A conversation that does not fit is compacted, as it is without other models.
func TestOverflowIsNoFallback(t *testing.T) {
	t.Parallel()
	l := replaced(t)
	l.script["root"] = []say{{text: "first"}, {err: model.ErrOverflow}, {}, {text: "fits"}}
	r := l.start()
	_ = r.Prompt(t.Context(), "one")
	if err := r.Prompt(t.Context(), "two"); err != nil || l.calls["second"] != 0 {
		t.Errorf("%v, calls %v", err, l.calls)
	}
}

// An agent file says when the conversation is compacted: the agent, or else its
// model, or not at all.
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
		l.script["root"] = []say{{text: "first", usage: &model.Usage{Input: tt.used}}, {text: "next"}, {text: "next"}}
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
