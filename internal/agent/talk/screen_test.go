package talk

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/text/card"
)

// esc is what a terminal would act on.
const esc = "\x1b[2J\x1b]0;title\a"

// Every kind of report, as a person sees it: out is standard output, side standard error.
func TestScreen(t *testing.T) {
	t.Parallel()
	card := &card.Card{Sentence: "Blocked (it destroys)", Command: "rm -rf /"}
	input := json.RawMessage(`{"cmd":"ls` + `\u001b` + `"}`)
	ran := &engine.Outcome{Steps: []engine.Step{
		{Result: engine.Result{Hook: &checkrein.Hook{ID: "guard"}, Verdict: &checkrein.Verdict{Decision: checkrein.Deny, Reason: "no " + esc}, Took: 1234 * time.Microsecond}},
		{Result: engine.Result{Hook: &checkrein.Hook{ID: "quiet"}, Verdict: &checkrein.Verdict{}}},
		{Result: engine.Result{Hook: &checkrein.Hook{ID: "off"}, Skipped: "off"}},
		{Result: engine.Result{Hook: &checkrein.Hook{ID: "broken"}, Fault: errors.New("exit 1")}},
		{Result: engine.Result{Hook: &checkrein.Hook{ID: "tells"}, Verdict: &checkrein.Verdict{Context: []string{"x"}}}},
	}}
	for _, tt := range []struct {
		name      string
		reports   []agent.Report
		out, side string
		trace     bool
		raw       bool
	}{
		{name: "reply", reports: []agent.Report{{Type: agent.Final, Session: "s1", Text: "hello"}}, out: "hello\n"},
		{name: "reply that was streamed", reports: []agent.Report{{Type: agent.Delta, Text: "hel"}, {Type: agent.Delta, Text: "lo"}, {Type: agent.Final, Session: "s1", Text: "hello"}}, out: "hello\n"},
		{name: "reply that a hook changed after it was streamed", reports: []agent.Report{{Type: agent.Delta, Text: "hello"}, {Type: agent.Final, Session: "s1", Text: "bye"}}, out: "hello\nbye\n"},
		{name: "reply of another agent", reports: []agent.Report{{Type: agent.Final, Session: "s1-1", Agent: "helper", Text: "found"}}, side: "helper: found\n"},
		{name: "reply that was streamed before a notice", reports: []agent.Report{{Type: agent.Delta, Text: "hello"}, {Type: agent.Notice, Text: "n"}, {Type: agent.Final, Session: "s1", Text: "hello"}}, out: "hello\n", side: "! n\n"},
		{name: "the same reply twice", reports: []agent.Report{{Type: agent.Delta, Text: "hello"}, {Type: agent.Final, Session: "s1", Text: "hello"}, {Type: agent.TurnEnded}, {Type: agent.Final, Session: "s1", Text: "hello"}}, out: "hello\nhello\n"},
		{name: "interim", reports: []agent.Report{{Type: agent.Interim, Session: "s1", Agent: "root", Text: "let me see"}}, out: "let me see\n"},
		{name: "interim that was streamed", reports: []agent.Report{{Type: agent.Delta, Text: "let me see"}, {Type: agent.Interim, Session: "s1", Text: "let me see"}}, out: "let me see\n"},
		{name: "interim that was streamed before a notice", reports: []agent.Report{{Type: agent.Delta, Text: "let me see"}, {Type: agent.Notice, Text: "n"}, {Type: agent.Interim, Session: "s1", Text: "let me see"}}, out: "let me see\n", side: "! n\n"},
		{name: "interim of another agent", reports: []agent.Report{{Type: agent.Interim, Session: "s1-1", Agent: "helper", Text: "let me see"}}, side: "helper: let me see\n"},
		{name: "interim for a program", raw: true, reports: []agent.Report{{Type: agent.Interim, Session: "s1", Agent: "root", Text: "let me see"}}, side: "root: let me see\n"},
		{name: "interim that was streamed, for a program", raw: true, reports: []agent.Report{{Type: agent.Delta, Text: "let me see"}, {Type: agent.Interim, Session: "s1", Agent: "root", Text: "let me see"}}, side: "root: let me see\n"},
		{name: "reply that was streamed, for a program", raw: true, reports: []agent.Report{{Type: agent.Delta, Text: "hello"}, {Type: agent.Notice, Text: "n"}, {Type: agent.Final, Session: "s1", Text: "hello"}}, out: "hello\n", side: "! n\n"},
		{name: "call", reports: []agent.Report{{Type: agent.Calling, Tool: "shell", Input: input, Source: "yolo"}}, side: `→ shell {"cmd":"ls\u001b"}  (yolo)` + "\n"},
		{name: "call with signs of a web page", reports: []agent.Report{{Type: agent.Calling, Tool: "shell", Input: json.RawMessage(`{"cmd":"a \u0026\u0026 b","n":12345678901234567890}`), Source: "yolo"}}, side: `→ shell {"cmd":"a && b","n":12345678901234567890}  (yolo)` + "\n"},
		{name: "result", reports: []agent.Report{{Type: agent.Called, CallID: "c1", Text: "a\nb\n"}}, side: "  │ a\n  │ b\n"},
		{name: "long result", reports: []agent.Report{{Type: agent.Called, Text: strings.Repeat("x\n", 20)}}, side: strings.Repeat("  │ x\n", 8) + "  │ … 12 more lines\n"},
		{name: "refusal", reports: []agent.Report{{Type: agent.Blocked, Tool: "shell", CallID: "c1", Text: "whole reason", Card: card, Source: "hook", Input: input}, {Type: agent.Called, CallID: "c1", Text: "did not run"}},
			side: "✗ shell did not run: Blocked (it destroys)\n  │ rm -rf /\n"},
		{name: "refusal that a person can lift", reports: []agent.Report{{Type: agent.Blocked, Tool: "shell", Text: "whole reason", Card: card, Source: "hook", Input: input, Handle: "4f2a", Allow: "checkrein allow 4f2a --rule 'a\rb'"}},
			side: "✗ shell did not run: Blocked (it destroys)\n  │ rm -rf /\n  · to allow it, run in another terminal: checkrein allow 4f2a --rule 'a\\rb'\n"},
		{name: "refusal without a command box", reports: []agent.Report{{Type: agent.Blocked, Tool: "shell", Text: "no", Source: "user_rejected", Input: json.RawMessage(`{"cmd":"a\nb"}`)}}, side: "✗ shell did not run: no\n  │ a\n  │ b\n"},
		{name: "refused prompt", reports: []agent.Report{{Type: agent.Blocked, Event: "user_prompt_submit", Text: "no", Source: "hook"}}, side: "✗ user_prompt_submit was blocked: no\n"},
		{name: "notice", reports: []agent.Report{{Type: agent.Notice, Text: "look"}}, side: "! look\n"},
		{name: "warning", reports: []agent.Report{{Type: agent.Warning, Text: "w"}}, side: "warning: w\n"},
		{name: "error", reports: []agent.Report{{Type: agent.Failure, Text: "e"}}, side: "error: e\n"},
		{name: "redo", reports: []agent.Report{{Type: agent.Redoing, Event: "stop", Redo: &engine.Redo{Reason: "tests", Attempt: 2, Limit: 3}}}, side: "↻ a stop hook makes the agent continue (attempt 2 of 3): tests\n"},
		{name: "switch", reports: []agent.Report{{Type: agent.Switched, Text: "helper", Reason: "handoff"}}, side: "⇄ helper takes over (handoff)\n"},
		{name: "compaction", reports: []agent.Report{{Type: agent.Compacted, Reason: "manual", Text: "short"}}, side: "the conversation was compacted (manual)\n"},
		{name: "outbound", reports: []agent.Report{{Type: agent.Sent, Channel: "outbox", Text: "hi"}}, side: "✉ sent to outbox: hi\n"},
		{name: "goal that is given up", reports: []agent.Report{{Type: agent.GoalMissed, Text: "peace", Reason: "there is war"}}, side: "gave up the goal \"peace\", because hooks still object: there is war\n"},
		{name: "goal", reports: []agent.Report{{Type: agent.GoalDone, Text: "peace"}}, side: "the goal is reached: peace\n"},
		{name: "event", reports: []agent.Report{{Type: agent.Fired, Event: "stop", Outcome: ran}}},
		{name: "event, traced", trace: true, reports: []agent.Report{{Type: agent.Fired, Event: "stop", Outcome: ran}},
			side: "  · stop  guard  1.23ms  deny no \\x1b[2J\\x1b]0;title\\a\n  · stop  broken  0s  fault: exit 1\n  · stop  tells  0s  context\n"},
		{name: "what a person does not care for", reports: []agent.Report{{Type: agent.Used, Usage: &agent.Totals{}}, {Type: agent.TurnEnded, Reason: "normal"}}},
		{name: "beside a reply that is being streamed", reports: []agent.Report{{Type: agent.Delta, Text: "hel"}, {Type: agent.Fired}, {Type: agent.Delta, Text: "lo"}, {Type: agent.Notice, Text: "n"}}, out: "hello\n", side: "! n\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out, side strings.Builder
			s := screen{out: &out, side: &side, trace: tt.trace, raw: tt.raw, main: "s1"}
			for _, r := range tt.reports {
				s.report(r)
			}
			if out.String() != tt.out || side.String() != tt.side {
				t.Errorf("out %q, want %q\nside %q\nwant %q", out.String(), tt.out, side.String(), tt.side)
			}
		})
	}
}

// No text of a model, a tool or a hook controls the terminal. A program that reads the replies gets
// them byte for byte.
func TestScreenShowsEscapes(t *testing.T) {
	t.Parallel()
	raw, _ := json.Marshal(esc)
	every := []agent.Report{
		{Type: agent.Delta, Text: esc}, {Type: agent.Final, Session: "s1", Text: "x" + esc}, {Type: agent.Final, Session: "s2", Agent: esc, Text: esc},
		{Type: agent.Interim, Agent: esc, Text: esc}, {Type: agent.Calling, Tool: esc, Input: raw},
		{Type: agent.Called, Tool: esc, Text: esc}, {Type: agent.Blocked, Tool: esc, Text: esc, Input: raw, Card: &card.Card{Sentence: esc, Command: esc}},
		{Type: agent.Blocked, Event: "stop", Text: esc}, {Type: agent.Notice, Text: esc}, {Type: agent.Warning, Text: esc}, {Type: agent.Failure, Text: esc},
		{Type: agent.Redoing, Redo: &engine.Redo{Reason: esc}}, {Type: agent.Switched, Text: esc}, {Type: agent.Compacted, Text: esc}, {Type: agent.Sent, Channel: esc, Text: esc},
		{Type: agent.GoalDone, Text: esc}, {Type: agent.GoalMissed, Text: esc, Reason: esc},
		{Type: agent.Fired, Event: "stop", Outcome: &engine.Outcome{Steps: []engine.Step{{Result: engine.Result{Hook: &checkrein.Hook{ID: esc, Name: esc}, Fault: errors.New(esc)}}}}},
	}
	for _, rep := range every {
		var out strings.Builder
		s := screen{out: &out, side: &out, trace: true, main: "s1"}
		s.report(rep)
		if strings.ContainsAny(out.String(), "\x1b\a") {
			t.Errorf("%s: %q", rep.Type, out.String())
		}
	}
	var out strings.Builder
	s := screen{out: &out, side: &out, raw: true, main: "s1"}
	s.report(agent.Report{Type: agent.Final, Session: "s1", Text: "\x1b[1mbold\x1b[0m\n"})
	if out.String() != "\x1b[1mbold\x1b[0m\n" {
		t.Errorf("%q", out.String())
	}
}

// Every report is one line of JSON.
func TestJSON(t *testing.T) {
	t.Parallel()
	var out, side strings.Builder
	tk := New(Options{Out: &out, Err: &side, JSON: true})
	tk.Report(agent.Report{Type: agent.Calling, Session: "s1", Agent: "root", Tool: "shell", CallID: "c1", Input: json.RawMessage(`{"cmd":"a"}`), Source: "yolo"})
	tk.Report(agent.Report{Type: agent.Called, Text: "two\nlines" + esc, Error: true})
	tk.Report(agent.Report{Type: agent.Redoing, Redo: &engine.Redo{Reason: "r", Attempt: 1, Limit: 3}})
	want := `{"type":"tool_call","session_id":"s1","agent":"root","tool":"shell","tool_use_id":"c1","input":{"cmd":"a"},"source":"yolo"}
{"type":"tool_result","text":"two\nlines\u001b[2J\u001b]0;title\u0007","is_error":true}
{"type":"redo","redo":{"reason":"r","attempt":1,"limit":3}}
`
	if out.String() != want || side.String() != "" {
		t.Errorf("got\n%s%s\nwant\n%s", out.String(), side.String(), want)
	}
}

// The person sees the whole call: only the command if there is nothing else.
func TestCallText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tool, input, want string }{
		{"shell", `{"cmd":"ls -l"}`, "ls -l"},
		{"shell", `{"cmd":"ls","cwd":"/etc"}`, `{"cmd":"ls","cwd":"/etc"}`},
		{"write_file", `{"command":"ls","path":"x"}`, `{"command":"ls","path":"x"}`},
		{"write_file", `{"command":"ls"}`, `{"command":"ls"}`},
	} {
		if got := callText(tt.tool, json.RawMessage(tt.input)); got != tt.want {
			t.Errorf("%s %s: %q", tt.tool, tt.input, got)
		}
	}
}
