package usage

import (
	"encoding/json"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
)

func TestMoney(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][2]string{
		"0": {"$0.0000", "0"}, "0.0211": {"$0.0211", "0.0211"}, "1": {"$1.0000", "1"}, "1e-7": {"$0.0000", "0.0000001"},
		"10": {"$10.0000", "10"}, "12.34567891": {"$12.3457", "12.34567891"},
	} {
		m, ok := parseMoney(in)
		if !ok || m.formatPrice() != want[0] || m.formatExact() != want[1] {
			t.Errorf("%s: %v %s %s, want %q", in, ok, m.formatPrice(), m.formatExact(), want)
		}
	}
	for _, in := range []string{"", "x", "-1", "NaN", "Inf", "1e300", "true"} {
		if _, ok := parseMoney(in); ok {
			t.Errorf("%q is an amount", in)
		}
	}
	var sum money
	for range 10 {
		tenth, _ := parseMoney("0.1")
		sum += tenth
	}
	guardtest.CheckEqual(t, sum.formatExact(), "1")
}

func TestEventSpending(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		details []string
		want    spending
	}{
		{"nothing", nil, spending{}},
		{"a call", []string{"cost", "0.5", "usage", `{"input_tokens":7,"output_tokens":3,"cached_input_tokens":2,"cached_write_tokens":1}`},
			spending{Cost: dollar / 2, Priced: true, Input: 7, Output: 3, Read: 2, Write: 1}},
		{"a turn", []string{"turn_cost_usd", "0.25", "cost", "9", "tokens", `{"input":7,"output":3,"cache_read":2,"cache_creation":1}`},
			spending{Cost: dollar / 4, Priced: true, Input: 7, Output: 3, Read: 2, Write: 1}},
		{"free", []string{"cost", "0"}, spending{Priced: true}},
		{"no numbers", []string{"cost", `"1"`, "tokens", `12`, "usage", `{"input_tokens":"x","output_tokens":-4}`}, spending{}},
		{"a price that is none", []string{"cost", "-3"}, spending{}},
		{"null", []string{"cost", "null", "usage", "null"}, spending{}},
	} {
		ev := guardtest.SessionEvent(checkrein.AfterLLMCall, "", tt.details...)
		if got := eventSpending(&ev); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestTally checks the different ways in which hosts report costs.
func TestTally(t *testing.T) {
	t.Parallel()
	call := func(cost string, prompt ...string) checkrein.Event {
		ev := guardtest.SessionEvent(checkrein.AfterLLMCall, "", "cost", cost)
		if len(prompt) > 0 {
			ev.Details = append(ev.Details, checkrein.Detail{Name: "last_user_message", Value: json.RawMessage(`"` + prompt[0] + `"`)})
		}
		return ev
	}
	end := func(cost string) checkrein.Event {
		return guardtest.SessionEvent(checkrein.OnResponseEnd, "", "turn_cost_usd", cost)
	}
	again := func(cost string) checkrein.Event {
		return guardtest.SessionEvent(checkrein.OnResponseEnd, "", "turn_cost_usd", cost, "stop_hook_active", "true")
	}
	for _, tt := range []struct {
		name          string
		events        []checkrein.Event
		turn, session string
	}{
		{"calls only", []checkrein.Event{call("1"), call("2")}, "3", "3"},
		{"turns only", []checkrein.Event{end("1"), end("2")}, "2", "3"},
		{"both", []checkrein.Event{call("1"), call("2"), end("3"), call("4")}, "4", "7"},
		{"a turn that knows more than its calls", []checkrein.Event{call("1"), end("3")}, "3", "3"},
		{"an end that knows its last call only", []checkrein.Event{call("1"), call("2"), end("2")}, "3", "3"},
		{"a turn that a hook kept going", []checkrein.Event{call("1", "a"), call("1", "a"), end("2"), call("1", "do it right"), again("3")}, "3", "3"},
		{"a turn that a hook kept going, twice", []checkrein.Event{call("1"), end("1"), call("1"), again("2"), call("1"), again("3"), call("5")}, "5", "8"},
		{"a turn that a hook kept going, by its ends", []checkrein.Event{end("1"), again("3"), end("5")}, "5", "8"},
		{"a turn that was steered", []checkrein.Event{call("1", "a"), call("1", "faster"), end("2")}, "2", "2"},
		{"a turn after one that was stopped", []checkrein.Event{call("4", "a"), call("1", "b"), end("1")}, "1", "5"},
		{"a turn whose sub-agents cost", []checkrein.Event{call("1"), end("4"), call("1"), end("1")}, "1", "5"},
		{"the person's message tells turns apart", []checkrein.Event{call("1", "a"), call("2", "a"), call("4", "b")}, "4", "7"},
	} {
		var sum tally
		for i := range tt.events {
			sum.addEvent(&tt.events[i], eventSpending(&tt.events[i]))
		}
		if sum.Turn.Cost.formatExact() != tt.turn || sum.Session.Cost.formatExact() != tt.session {
			t.Errorf("%s: turn %s, session %s; want %s, %s", tt.name, sum.Turn.Cost.formatExact(), sum.Session.Cost.formatExact(), tt.turn, tt.session)
		}
	}
}
