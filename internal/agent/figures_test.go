package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
)

func dollars(x float64) *float64 { return &x }

// detailOf returns a detail of an event as text.
func detailOf(ev checkrein.Event, name string) string { return string(ev.Detail(name)) }

// eventsOf returns the events of a kind in the person's session, in order.
func (l *lab) eventsOf(kind checkrein.Kind) []checkrein.Event {
	var out []checkrein.Event
	for _, ev := range l.seen {
		if ev.Kind == kind && ev.Session.ID == "s1" {
			out = append(out, ev)
		}
	}
	return out
}

// The cost of a turn is that of all its calls, including those of sub-agents.
func TestTurnCost(t *testing.T) {
	t.Parallel()
	l := newTeamLab(t)
	l.script["root"] = []scriptedAnswer{
		{calls: []string{`act {}`}, usage: &model.Usage{Input: 100, Output: 10, CachedInput: 5, CachedWrite: 1}, cost: dollars(0.5)},
		{calls: []string{`transfer_task {"agent":"helper","task":"x"}`}, usage: &model.Usage{Input: 200, Output: 20}, cost: dollars(0.25)},
		{text: "done", usage: &model.Usage{Input: 300, Output: 30}, cost: dollars(0)},
		{text: "again", usage: &model.Usage{Input: 7, Output: 3}, cost: dollars(1)},
	}
	l.script["helper"] = []scriptedAnswer{{text: "found", usage: &model.Usage{Input: 1000, Output: 100}, cost: dollars(2)}}
	r := l.start()
	r.Start(t.Context(), "startup")
	for range 2 {
		if err := r.Prompt(t.Context(), "go"); err != nil {
			t.Fatal(err)
		}
	}
	ends := l.eventsOf(checkrein.OnResponseEnd)
	if len(ends) != 2 {
		t.Fatalf("%d ends", len(ends))
	}
	for i, want := range [][2]string{
		{`{"input_tokens":1600,"output_tokens":160,"cached_input_tokens":5,"cached_write_tokens":1}`, "2.75"},
		{`{"input_tokens":7,"output_tokens":3,"cached_input_tokens":0,"cached_write_tokens":0}`, "1"},
	} {
		if usage, cost := detailOf(ends[i], "usage"), detailOf(ends[i], "cost"); usage != want[0] || cost != want[1] {
			t.Errorf("turn %d: %s for %s, want %s for %s", i+1, usage, cost, want[0], want[1])
		}
	}
	if calls := l.eventsOf(checkrein.AfterLLMCall); detailOf(calls[1], "cost") != "0.25" {
		t.Errorf("a call costs %s", detailOf(calls[1], "cost"))
	}
}

// A turn with a call of unknown price has no cost: the sum would be too low.
func TestTurnCostUnknown(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.yolo = true
	l.script["root"] = []scriptedAnswer{{calls: []string{`act {}`}, usage: &model.Usage{Input: 1}, cost: dollars(1)}, {text: "done"}}
	if err := l.runPrompt("go"); err != nil {
		t.Fatal(err)
	}
	if end := l.lastEvent(checkrein.OnResponseEnd); end.Detail("cost") != nil || !strings.HasPrefix(detailOf(end, "usage"), `{"input_tokens":1,`) {
		t.Errorf("%s for %s", detailOf(end, "usage"), detailOf(end, "cost"))
	}
}

// A turn that a hook continues is still the same one, and its events show that.
func TestRedoStaysInTurn(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.yolo = true
	l.script["root"] = []scriptedAnswer{{calls: []string{`act {}`}, cost: dollars(1)}, {text: "done", cost: dollars(1)}, {text: "really", cost: dollars(1)}}
	n := 0
	l.on["stop"] = func(checkrein.Event) checkrein.Verdict {
		if n++; n == 1 {
			return checkrein.Verdict{Decision: checkrein.Deny, Reason: "tests are red"}
		}
		return checkrein.Verdict{}
	}
	if err := l.runPrompt("go"); err != nil {
		t.Fatal(err)
	}
	ends := l.eventsOf(checkrein.OnResponseEnd)
	for i, want := range []string{"2 false", "3 true"} {
		if got := detailOf(ends[i], "cost") + " " + detailOf(ends[i], "stop_hook_active"); got != want {
			t.Errorf("end %d: %s, want %s", i+1, got, want)
		}
	}
	if got := detailOf(l.lastEvent(checkrein.Stop), "tool_names"); got != `["act"]` {
		t.Errorf("tools %s", got)
	}
}

// tool_names has the tools of this turn only, however the next message came.
func TestToolNamesAreOfThisTurn(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.yolo = true
	l.script["root"] = []scriptedAnswer{{calls: []string{`act {}`}}, {text: "one"}, {text: "two"}, {calls: []string{`look {}`}}, {text: "three"}}
	r := l.start()
	r.Start(t.Context(), "startup")
	_ = r.FollowUp("more")
	_ = r.FollowUp("and more")
	if err := r.Prompt(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []checkrein.Kind{checkrein.OnResponseEnd, checkrein.Stop} {
		var got []string
		for _, ev := range l.eventsOf(kind) {
			got = append(got, detailOf(ev, "tool_names"))
		}
		wantList(t, kind.String(), got, []string{`["act"]`, `[]`, `["look"]`})
	}
	var steps []string
	for _, ev := range l.eventsOf(checkrein.Stop) {
		steps = append(steps, detailOf(ev, "step_count"))
	}
	wantList(t, "steps", steps, []string{"2", "1", "2"})
}

// A summary is a model call as well, with the ID of its model. An unknown context limit is 0.
func TestFiguresOfACompaction(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{0, 1000} {
		l := newLab(t)
		l.limit = limit
		r := l.start()
		r.Start(t.Context(), "startup")
		for _, text := range []string{"first", "go"} {
			if err := r.Prompt(t.Context(), text); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, kind := range []checkrein.Kind{checkrein.BeforeCompaction, checkrein.AfterCompaction} {
			if got := detailOf(l.lastEvent(kind), "context_limit"); got != fmt.Sprint(limit) {
				t.Errorf("%v: context_limit %q, want %d", kind, got, limit)
			}
		}
		if call := l.lastEvent(checkrein.BeforeLLMCall); detailOf(call, "iteration") != "1" || detailOf(call, "last_user_message") != `"go"` {
			t.Errorf("iteration %s, last message %s", detailOf(call, "iteration"), detailOf(call, "last_user_message"))
		}
		if call := l.lastEvent(checkrein.AfterLLMCall); detailOf(call, "last_user_message") != `"go"` {
			t.Errorf("last message %s", detailOf(call, "last_user_message"))
		}
	}
}

// A goal is not reached if hooks object until their last attempt.
func TestGoalThatHooksObjectTo(t *testing.T) {
	t.Parallel()
	for _, event := range []string{"on_completion_claim", "stop"} {
		l := newLab(t)
		l.on[event] = deny("nothing was published")
		r := l.start()
		r.Start(t.Context(), "startup")
		err := r.PursueGoal(t.Context(), "publish it")
		if err == nil || !strings.Contains(err.Error(), "nothing was published") {
			t.Errorf("%s: %v", event, err)
		}
		done, missed := l.reportsOf(GoalDone), l.reportsOf(GoalMissed)
		if len(done) != 0 || len(missed) != 1 || missed[0].Text != "publish it" || missed[0].Reason != "nothing was published" {
			t.Errorf("%s: done %v, missed %+v", event, done, missed)
		}
		if l.calls["root"] != 4 {
			t.Errorf("%s: %d calls", event, l.calls["root"])
		}
	}
}

// A goal is reached once hooks no longer object.
func TestGoalAfterObjections(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	n := 0
	l.on["on_completion_claim"] = func(checkrein.Event) checkrein.Verdict {
		if n++; n <= 2 {
			return checkrein.Verdict{Decision: checkrein.Deny, Reason: "not yet"}
		}
		return checkrein.Verdict{}
	}
	r := l.start()
	r.Start(t.Context(), "startup")
	if err := r.PursueGoal(t.Context(), "g"); err != nil || len(l.reportsOf(GoalDone)) != 1 || len(l.reportsOf(GoalMissed)) != 0 {
		t.Errorf("%v: %+v", err, l.reportsOf(GoalMissed))
	}
}

// The stop reasons of HOOK.md: no tool calls, or a rejected call. TestStopAtTheIterationLimit checks
// the limit.
func TestStopReason(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.person = func(Question) Reply { return Reply{} }
	l.script["root"] = []scriptedAnswer{{text: "I look", calls: []string{`act {}`}}, {text: "then not"}, {text: "hello"}}
	r := l.start()
	r.Start(t.Context(), "startup")
	for _, tt := range [][2]string{{"go", "tool_rejected"}, {"hi", "no_tool_calls"}} {
		_ = r.Prompt(t.Context(), tt[0])
		if got := detailText(l.lastEvent(checkrein.Stop), "stop_reason"); got != tt[1] {
			t.Errorf("%s: it stops because of %q, want %q", tt[0], got, tt[1])
		}
	}
	r.End(t.Context(), "other")
}
