package guard

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"github.com/checkrein/checkrein/internal/guard/usage"
)

func TestBudgetAlert(t *testing.T) {
	t.Parallel()
	end := func(cost string) checkrein.Event {
		return guardtest.SessionEvent(checkrein.OnResponseEnd, "Done.\n", "turn_cost_usd", cost)
	}
	d := newDesk(t)
	for i, tt := range []struct {
		ev   checkrein.Event
		want string
	}{
		{end("0.49"), "Done.\n"},
		{end("0.62"), "Done.\n\n⚠️ Budget: this turn has cost $0.6200; its budget is $0.5000."},
		{end("0.10"), "Done.\n"},
		{end("0.5"), "Done.\n\n⚠️ Budget: this turn has cost $0.5000; its budget is $0.5000."},
		{guardtest.SessionEvent(checkrein.OnResponseEnd, "Done.\n"), "Done.\n"},
	} {
		if got := shownReply(t, tt.ev, d.runBuiltin(tt.ev, "budget_alert", "0.50")); got != tt.want {
			t.Errorf("reply %d: %q, want %q", i, got, tt.want)
		}
	}
	// The cost of a single turn needs no stored state.
	ev := end("3")
	ev.Session.ID = ""
	if got := shownReply(t, ev, d.runBuiltin(ev, "budget_alert", "turn=$2")); !strings.Contains(got, "$3.0000") {
		t.Errorf("without a session: %q", got)
	}
}

func TestBudgetAlertSession(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	said := 0
	for range 6 {
		ev := guardtest.SessionEvent(checkrein.OnResponseEnd, "Done.", "cost", "0.4")
		if got := shownReply(t, ev, d.runBuiltin(ev, "budget_alert", "1", "session=1")); got != "Done." {
			said++
			if !strings.Contains(got, "this session has cost $1.2000; its budget is $1.0000") {
				t.Errorf("%q", got)
			}
		}
	}
	if said != 1 {
		t.Errorf("it warned %d times", said)
	}
	if d.runBuiltin(guardtest.SessionEvent(checkrein.SessionEnd, ""), "budget_alert", "1", "session=1"); len(d.kept) != 0 {
		t.Errorf("it still remembers %s", d.kept)
	}
}

// TestBudgetAlertCalls checks that the user is warned once, next to the reply, while a turn lasts.
func TestBudgetAlertCalls(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	call := guardtest.SessionEvent(checkrein.AfterLLMCall, "working", "cost", "0.3")
	var notices []string
	for range 4 {
		v := d.runBuiltin(call, "budget_alert", "0.5")
		only := checkrein.Verdict{Notice: v.Notice}
		if v.Effects() != only.Effects() {
			t.Errorf("it does more than to tell: %+v", v)
		}
		notices = append(notices, v.Notice...)
	}
	guardtest.CheckEqual(t, strings.Join(notices, "|"), "Budget: this turn has cost $0.6000; its budget is $0.5000.")
	end := guardtest.SessionEvent(checkrein.OnResponseEnd, "Done.", "cost", "0.3")
	guardtest.CheckEqual(t, shownReply(t, end, d.runBuiltin(end, "budget_alert", "0.5")), "Done.")
	// The next turn starts at zero, with the prompt or with its first call.
	d.runBuiltin(guardtest.SessionEvent(checkrein.UserPromptSubmit, "more"), "budget_alert", "0.5")
	if v := d.runBuiltin(call, "budget_alert", "0.5"); !v.IsZero() {
		t.Errorf("a new turn: %+v", v)
	}
	if v := d.runBuiltin(call, "budget_alert", "0.5"); len(v.Notice) != 1 {
		t.Errorf("the new turn's own warning: %+v", v)
	}
	// A steering message belongs to the current turn.
	steering := guardtest.SessionEvent(checkrein.UserPromptSubmit, "faster")
	steering.Native = "user_steering_messages_submit"
	d.runBuiltin(steering, "budget_alert", "0.5")
	if v := d.runBuiltin(call, "budget_alert", "0.5"); !v.IsZero() {
		t.Errorf("after steering: %+v", v)
	}
	// An empty reply stays empty.
	empty := guardtest.SessionEvent(checkrein.OnResponseEnd, "", "cost", "9")
	if v := d.runBuiltin(empty, "budget_alert", "1"); v.Output != nil || len(v.Notice) != 1 {
		t.Errorf("an empty reply: %+v", v)
	}
}

func TestBudgetAlertArguments(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"x"}, {"0"}, {"-1"}, {"NaN"}, {"1", "2"}, {"1", "turn=2"}, {"session="}, {"day=1"}} {
		if _, err := usage.NewBudgetAlert(args); err == nil || !strings.Contains(err.Error(), "such as 0.50") && !strings.Contains(err.Error(), "remove one") {
			t.Errorf("%q: %v", args, err)
		}
	}
}
