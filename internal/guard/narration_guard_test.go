package guard

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/conduct"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
)

// A narratedSession is a session as a host reports it, whose only state is what the builtin keeps
// between calls.
type narratedSession struct {
	*machine
	kept   map[string][]byte
	now    time.Time
	redone bool
	fails  error
	writes int
}

func newNarratedSession(t *testing.T) *narratedSession {
	t.Helper()
	s := &narratedSession{machine: newMachine(t), kept: map[string][]byte{}, now: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
	s.env.Now = func() time.Time { return s.now }
	s.env.Redone = func(*checkrein.Event) bool { return s.redone }
	s.env.Forget = func(ev *checkrein.Event, name string) error { delete(s.kept, ev.Session.ID+name); return nil }
	s.env.Keep = func(ev *checkrein.Event, name string, ttl time.Duration, v any, change func() error) error {
		if s.fails != nil {
			return s.fails
		}
		if old := s.kept[ev.Session.ID+name]; old != nil {
			if err := json.Unmarshal(old, v); err != nil {
				return err
			}
		}
		if err := change(); err != nil {
			return err
		}
		s.writes++
		var err error
		s.kept[ev.Session.ID+name], err = json.Marshal(v)
		return err
	}
	return s
}

// The steps of which tests consist.
const (
	prompt  = "prompt"  // a person says something
	steers  = "steers"  // a person says something while the agent works
	call    = "call"    // the model is about to be called
	turn    = "turn"    // a turn begins
	tool    = "tool"    // a tool ran
	fails   = "fails"   // a tool failed
	stops   = "stop"    // the agent wants to stop
	ends    = "end"     // the session is over
	over    = "over"    // a run is over, as OpenClaw's agent_end says it
	goes    = "goes"    // a turn is over, and another one of the run follows
	sends   = "send"    // a message leaves
	redo    = "redo"    // a hook has told the agent to go on
	late    = "late"    // ten minutes pass
	empty   = "nothing" // the model calls a tool without a word
	clean   = "says:Paris is the capital of France."
	running = "says:Running the tests now..."
	ran     = "says:I ran the tests and they pass."
	letMe   = "says:Let me run the tests."
)

// play runs one step and returns its result: inject, annotate, notice or "".
func (s *narratedSession) play(step string, details ...checkrein.Detail) string {
	s.t.Helper()
	ev := checkrein.Event{Session: checkrein.Session{ID: "s"}, Details: details}
	text, says := strings.CutPrefix(step, "says:")
	final, stopsWith := strings.CutPrefix(step, "stop:")
	switch {
	case says, step == empty:
		ev.Kind, ev.Text = checkrein.AfterLLMCall, strings.TrimPrefix(text, empty)
	case stopsWith:
		ev.Kind, ev.Text = checkrein.Stop, final
	case step == prompt, step == steers:
		ev.Kind, ev.Text = checkrein.UserPromptSubmit, "please test it"
		if step == steers {
			ev.Native = "user_steering_messages_submit"
		}
	case step == goes:
		ev.Kind, ev.Details = checkrein.TurnEnd, append(ev.Details, guardtest.SingleDetail("reason", `"continue"`)...)
	case step == redo:
		s.redone = true
		return ""
	case step == late:
		s.now = s.now.Add(10 * time.Minute)
		return ""
	default:
		ev.Kind = map[string]checkrein.Kind{call: checkrein.BeforeLLMCall, turn: checkrein.TurnStart, tool: checkrein.PostToolUse, fails: checkrein.PostToolUseFailure,
			stops: checkrein.Stop, over: checkrein.TurnEnd, ends: checkrein.SessionEnd, sends: checkrein.OnOutboundMessage}[step]
	}
	if step == sends {
		ev.Text = "All done."
	}
	if ev.Kind == checkrein.Other {
		s.t.Fatalf("unknown step %q", step)
	}
	v, err := s.handle(ev, conduct.NarrationGuard)
	if err != nil {
		s.t.Fatalf("%s: %v", step, err)
	}
	switch {
	case len(v.Context) == 1 && v.Effects() == checkrein.CanAddContext:
		return "inject"
	case strings.Contains(v.Append, "⚠ This message describes using a tool, but none was used.") && v.Effects() == checkrein.CanRewriteOutput:
		return "annotate"
	case len(v.Notice) == 1 && v.Effects() == 0:
		return "notice"
	case !v.IsZero():
		s.t.Fatalf("%s: %+v", step, v)
	}
	return ""
}

func TestNarrationGuard(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		steps []string // a step with a result ends with "=result"
	}{
		{"caught, told at the next prompt", []string{prompt, call, running, stops, "=notice", prompt, "=inject"}},
		{"caught, told at the next turn", []string{prompt, running, turn, "=inject"}},
		{"caught, told at the next call", []string{prompt, running, call, "=inject"}},
		{"no prompt seen", []string{running, call, "=inject"}},
		{"told until the model answers", []string{running, prompt, "=inject", turn, "=inject", call, "=inject", clean, call}},
		{"told until a tool is used", []string{running, prompt, "=inject", empty, tool, call, clean, stops, prompt}},
		{"the message is annotated", []string{prompt, running, sends, "=annotate"}},
		{"the next run's message is not", []string{prompt, running, stops, "=notice", prompt, "=inject", sends}},
		{"after ten minutes nobody is told", []string{prompt, running, late, call, prompt, sends}},
		{"before that they are", []string{prompt, running, prompt, "=inject", late, prompt}},
		{"the session's end forgets", []string{prompt, running, ends, call, prompt, sends}},

		{"a tool was used", []string{prompt, call, letMe, tool, call, ran, sends, stops, prompt, call}},
		{"many turns with tools, then a summary", []string{prompt, letMe, tool, turn, letMe, tool, turn, letMe, tool, turn, ran, stops, prompt}},
		{"a promise that is kept", []string{prompt, running, tool, call, clean, stops, prompt}},
		{"a tool that failed was used", []string{prompt, letMe, fails, call, ran, stops, prompt}},
		{"the call was refused, and the model says so", []string{prompt, letMe, "says:The command was denied.", sends, stops, prompt}},
		{"an earlier run is spoken of", []string{prompt, empty, tool, call, clean, stops, prompt, ran, call, stops, prompt}},
		{"but nothing runs now", []string{prompt, empty, tool, call, clean, stops, prompt, running, call, "=inject"}},
		{"steering is the same run", []string{prompt, letMe, tool, steers, call, running, call, stops}},
		{"a redo is the same run", []string{prompt, letMe, tool, call, clean, stops, redo, call, ran, running, call, stops}},
		{"a redo that comes as a prompt is too", []string{prompt, letMe, tool, call, clean, stops, redo, prompt, ran, running, call, stops}},
		{"what is told after the stop belongs to the run", []string{prompt, tool, stops, running, sends}},
		{"only the final reply is known", []string{prompt, "stop:Running it now.", "=notice", prompt, "=inject"}},
		{"the final reply, with a tool", []string{prompt, tool, "stop:Let me run the tests.", prompt}},
		{"the guide's wiring, a later run without a tool", []string{turn, letMe, tool, ran, sends, over, turn, running, sends, "=annotate", over, turn, "=inject"}},
		{"the guide's wiring, many turns of a run", []string{turn, letMe, tool, goes, turn, letMe, tool, goes, turn, ran, sends, over, turn}},
		{"a run without a prompt", []string{tool, stops, call, running, call, "=inject"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newNarratedSession(t)
			for i, step := range tt.steps {
				if strings.HasPrefix(step, "=") {
					continue
				}
				want := ""
				if i+1 < len(tt.steps) {
					want, _ = strings.CutPrefix(tt.steps[i+1], "=")
					if want == tt.steps[i+1] {
						want = ""
					}
				}
				if got := s.play(step); got != want {
					t.Fatalf("step %d, %s: got %q, want %q", i, step, got, want)
				}
			}
		})
	}
}

// TestNarrationGuardRunID checks that events of runs with ids may come in any order.
func TestNarrationGuardRunID(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"run_id", "turn_id", "generation_id"} {
		s := newNarratedSession(t)
		one, two := guardtest.SingleDetail(name, `"r1"`)[0], guardtest.SingleDetail(name, `"r2"`)[0]
		s.play(tool, one)
		s.play(running, two)
		if got := s.play(sends); got != "annotate" {
			t.Errorf("%s: %q: the other run's tool counts", name, got)
		}
		s.play(ran, one)
		if got := s.play(call, one); got != "" {
			t.Errorf("%s: %q: the run used a tool", name, got)
		}
		s.play(tool, two)
		s.play(ran, two)
		if got := s.play(call, two); got != "" {
			t.Errorf("%s: %q after its tool", name, got)
		}
		for i := range 3 * 16 {
			s.play(prompt, guardtest.SingleDetail(name, `"x`+strings.Repeat("y", i)+`"`)[0])
		}
		var n struct{ Runs []any }
		if err := json.Unmarshal(s.kept["s"+conduct.NarrationGuard], &n); err != nil || len(n.Runs) != 16 {
			t.Errorf("%d runs are remembered, %v", len(n.Runs), err)
		}
	}
}

// TestNarrationGuardTTL checks that the argument ttl sets how long a caught reply counts.
func TestNarrationGuardTTL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args  []string
		after time.Duration
		want  bool
	}{
		{nil, 10*time.Minute - time.Second, true},
		{nil, 10 * time.Minute, false},
		{[]string{"ttl=10m"}, 10 * time.Minute, false},
		{[]string{"ttl=1h"}, 59 * time.Minute, true},
		{[]string{"ttl=30s"}, 30 * time.Second, false},
	} {
		s := newNarratedSession(t)
		s.play(running)
		s.now = s.now.Add(tt.after)
		v, err := s.handle(checkrein.Event{Kind: checkrein.BeforeLLMCall, Session: checkrein.Session{ID: "s"}}, conduct.NarrationGuard, tt.args...)
		if err != nil || (len(v.Context) == 1) != tt.want {
			t.Errorf("%q after %s: %+v, %v", tt.args, tt.after, v, err)
		}
	}
	for _, arg := range []string{"ttl=", "ttl=10", "ttl=-1m", "ttl=0s", "ttl=169h", "10m", "TTL=1m"} {
		if _, err := conduct.NewNarrationGuard(nil, []string{arg}); err == nil || !strings.Contains(err.Error(), "such as ttl=10m") {
			t.Errorf("%q: %v", arg, err)
		}
	}
}

// TestNarrationGuardEvidence checks that tool use in payloads counts even if the guard did not see the
// calls.
func TestNarrationGuardEvidence(t *testing.T) {
	t.Parallel()
	s := newNarratedSession(t)
	s.play(prompt)
	if got := s.play("stop:Running it now.", guardtest.SingleDetail("tool_names", `["bash"]`)...); got != "" {
		t.Errorf("with tool_names: %q", got)
	}
	for messages, want := range map[string]string{
		`[{"role":"user","content":"test it"},{"role":"assistant","content":"Running it now."}]`:                                           "inject",
		`[{"role":"user","content":"a"},{"role":"tool","content":"x"},{"role":"user","content":"b"}]`:                                      "inject",
		`[{"role":"user","content":"a"},{"role":"assistant","content":"","tool_calls":[]}]`:                                                "inject",
		`[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"1"}]},{"role":"tool","content":"denied"}]`:                "",
		`[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use"}]},{"role":"user","content":[{"type":"text"}]}]`: "inject",
		`[{"role":"user","content":"a"},{"role":"user","content":[{"type":"tool_result"}]}]`:                                               "",
		`"nonsense"`: "inject",
	} {
		s := newNarratedSession(t)
		s.play(prompt)
		s.play(running)
		v, err := s.handle(checkrein.Event{Kind: checkrein.BeforeLLMCall, Session: checkrein.Session{ID: "s"}, Messages: json.RawMessage(messages)}, conduct.NarrationGuard)
		if err != nil || (len(v.Context) == 1) != (want == "inject") {
			t.Errorf("%s: %+v, %v", messages, v, err)
		}
	}
}

func TestNarrationGuardState(t *testing.T) {
	t.Parallel()
	s := newNarratedSession(t)
	s.play(prompt)
	s.play(tool)
	before := s.writes
	for range 5 {
		s.play(tool)
		s.play(call)
		s.play(turn)
		s.play(empty)
	}
	if s.writes != before {
		t.Errorf("%d writes of what has not changed", s.writes-before)
	}
	// A secret is neither stored nor quoted, and a long sentence is shortened.
	s = newNarratedSession(t)
	key := "ghp_" + "6Ev7aHj4uXnlOePqT3zxKbKXupAly8xBwgLJ"
	s.play("says:Running the script with " + key + " now " + strings.Repeat("and on ", 100) + "...")
	kept := string(s.kept["s"+conduct.NarrationGuard])
	if strings.Contains(kept, key) || len(kept) > 2*200 {
		t.Errorf("kept: %s", kept)
	}
	// A fault while storing does not hold a message back; other events report it.
	s.fails = errors.New("disk full")
	for kind, faults := range map[checkrein.Kind]bool{checkrein.OnOutboundMessage: false, checkrein.AfterLLMCall: true} {
		if _, err := s.handle(checkrein.Event{Kind: kind, Text: "x"}, conduct.NarrationGuard); (err != nil) != faults {
			t.Errorf("%v: %v", kind, err)
		}
	}
	// Without stored state there is no warning.
	m := newMachine(t)
	for _, kind := range []checkrein.Kind{checkrein.AfterLLMCall, checkrein.BeforeLLMCall, checkrein.OnOutboundMessage, checkrein.SessionEnd} {
		if v, err := m.handle(checkrein.Event{Kind: kind, Text: "Running it now."}, conduct.NarrationGuard); err != nil || !v.IsZero() {
			t.Errorf("%v: %+v, %v", kind, v, err)
		}
	}
}
