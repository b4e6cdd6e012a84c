package guard

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
)

// A desk is where builtins of a test keep things and write lines.
type desk struct {
	t     *testing.T
	kept  map[string][]byte
	files map[string][]string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	return &desk{t, map[string][]byte{}, map[string][]string{}}
}

func (d *desk) env() Env {
	key := func(ev *checkrein.Event, name string) string { return name + " " + ev.Session.ID }
	return Env{Machine: Machine{
		Home: "/home/u",
		Now:  func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) },
		Keep: func(ev *checkrein.Event, name string, _ time.Duration, v any, change func() error) error {
			reflect.ValueOf(v).Elem().SetZero()
			if ev.Session.ID == "" {
				return change()
			}
			if old, ok := d.kept[key(ev, name)]; ok {
				if err := json.Unmarshal(old, v); err != nil {
					d.t.Fatal(err)
				}
			}
			if err := change(); err != nil {
				return err
			}
			var err error
			d.kept[key(ev, name)], err = json.Marshal(v)
			return err
		},
		Forget: func(ev *checkrein.Event, name string) error { delete(d.kept, key(ev, name)); return nil },
	}, Usage: UsageEnv{
		AddLine: func(file string, line []byte) error { d.files[file] = append(d.files[file], string(line)); return nil },
	}}
}

// run runs a builtin, made anew as in a process of its own.
func (d *desk) run(ev checkrein.Event, name string, args ...string) checkrein.Verdict {
	d.t.Helper()
	v, err := d.try(d.env(), ev, name, args...)
	if err != nil {
		d.t.Fatalf("%s %q: %v", name, args, err)
	}
	return v
}

func (d *desk) try(env Env, ev checkrein.Event, name string, args ...string) (checkrein.Verdict, error) {
	d.t.Helper()
	row, ok := Named(name)
	if !ok {
		d.t.Fatalf("no builtin %s", name)
	}
	f, err := row.New(&env, args)
	if err != nil {
		d.t.Fatalf("%s %q: %v", name, args, err)
	}
	return f(context.Background(), Call{Event: ev, Dir: ev.Session.Dir, Environ: []string{}, Machine: env.Machine})
}

// told is an event of session s with details, given as names and JSON.
func told(kind checkrein.Kind, text string, details ...string) checkrein.Event {
	ev := checkrein.Event{Kind: kind, Text: text, Session: checkrein.Session{ID: "s", Dir: "/home/u/p"}}
	for i := 0; i < len(details); i += 2 {
		ev.Details = append(ev.Details, checkrein.Detail{Name: details[i], Value: json.RawMessage(details[i+1])})
	}
	return ev
}

func TestMoney(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][2]string{
		"0": {"$0.0000", "0"}, "0.0211": {"$0.0211", "0.0211"}, "1": {"$1.0000", "1"}, "1e-7": {"$0.0000", "0.0000001"},
		"10": {"$10.0000", "10"}, "12.34567891": {"$12.3457", "12.34567891"},
	} {
		m, ok := readMoney(in)
		if !ok || m.short() != want[0] || m.plain() != want[1] {
			t.Errorf("%s: %v %s %s, want %q", in, ok, m.short(), m.plain(), want)
		}
	}
	for _, in := range []string{"", "x", "-1", "NaN", "Inf", "1e300", "true"} {
		if _, ok := readMoney(in); ok {
			t.Errorf("%q is an amount", in)
		}
	}
	var sum money
	for range 10 {
		tenth, _ := readMoney("0.1")
		sum += tenth
	}
	check(t, sum.plain(), "1")
}

func TestSpentOn(t *testing.T) {
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
		ev := told(checkrein.AfterLLMCall, "", tt.details...)
		if got := spentOn(&ev); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestTally has the ways in which hosts tell of costs.
func TestTally(t *testing.T) {
	t.Parallel()
	call := func(cost string, prompt ...string) checkrein.Event {
		ev := told(checkrein.AfterLLMCall, "", "cost", cost)
		if len(prompt) > 0 {
			ev.Details = append(ev.Details, checkrein.Detail{Name: "last_user_message", Value: json.RawMessage(`"` + prompt[0] + `"`)})
		}
		return ev
	}
	end := func(cost string) checkrein.Event { return told(checkrein.OnResponseEnd, "", "turn_cost_usd", cost) }
	again := func(cost string) checkrein.Event {
		return told(checkrein.OnResponseEnd, "", "turn_cost_usd", cost, "stop_hook_active", "true")
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
			sum.take(&tt.events[i], spentOn(&tt.events[i]))
		}
		if sum.Turn.Cost.plain() != tt.turn || sum.Session.Cost.plain() != tt.session {
			t.Errorf("%s: turn %s, session %s; want %s, %s", tt.name, sum.Turn.Cost.plain(), sum.Session.Cost.plain(), tt.turn, tt.session)
		}
	}
}
