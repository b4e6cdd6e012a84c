package hookmd

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/answer"
)

// TestAnswers checks sections 2 and 8 of the specification.
func TestAnswers(t *testing.T) {
	t.Parallel()
	deny := func(reason string) checkrein.Verdict {
		return checkrein.Verdict{Decision: checkrein.Deny, Reason: reason}
	}
	for _, tt := range []struct {
		name           string
		stdout, stderr string
		exit           int
		want           checkrein.Verdict
		log            string
		fault          bool
	}{
		{name: "content"},
		{name: "content, with words on stderr", stderr: "checked", log: "checked"},
		{name: "block", stderr: "Dangerous command blocked\n", exit: 2, want: deny("Dangerous command blocked")},
		{name: "block without a word", exit: 2, want: deny(`blocked by hook "guard"`)},
		{name: "block, whatever stdout says", stdout: `{"decision":"allow"}`, stderr: "no", exit: 2, want: deny("no")},
		{name: "failed", stderr: "oops", exit: 1, log: "oops", fault: true},
		{name: "failed, whatever stdout says", stdout: `{"decision":"deny"}`, exit: 3, fault: true},
		{name: "allow, with a line for the log", stdout: `{"decision": "allow", "log": "Command validated"}`, want: checkrein.Verdict{Decision: checkrein.Allow}, log: "Command validated"},
		{name: "deny", stdout: `{"decision":"deny","reason":"no"}`, want: deny("no")},
		{name: "block in words", stdout: `{"decision":"block"}`, want: deny(`blocked by hook "guard"`)},
		{name: "ask", stdout: `{"decision":"ask","reason":"sure?"}`, want: checkrein.Verdict{Decision: checkrein.Ask, Reason: "sure?"}},
		{name: "an unknown word", stdout: `{"decision":"approve"}`, fault: true},
		{name: "a decision that is no text", stdout: `{"decision":true}`, fault: true},
		{name: "invalid JSON", stdout: `{"decision":`, fault: true},
		{name: "plain text is no context", stdout: "hello", log: "hello"},
		{name: "a rewrite", stdout: `{"tool_input":{"command":"ls"}}`, want: checkrein.Verdict{Input: json.RawMessage(`{"command":"ls"}`)}},
		{name: "context", stdout: `{"additional_context":"x"}`, want: checkrein.Verdict{Context: []string{"x"}}},
	} {
		for _, kind := range []checkrein.Kind{checkrein.PreToolUse, checkrein.SessionStart, checkrein.Stop} {
			t.Run(tt.name+" on "+kind.String(), func(t *testing.T) {
				t.Parallel()
				h := checkrein.Hook{Name: "guard", On: kind, Dialect: "hookmd"}
				got, err := answer.ReadOutput(&h, &Dialect.Form, answer.Output{Stdout: []byte(tt.stdout), Stderr: []byte(tt.stderr), Exit: tt.exit})
				if (err != nil) != tt.fault {
					t.Errorf("got %v", err)
				}
				if diff := cmp.Diff(tt.want, got.Verdict, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("verdict (-want +got):\n%s", diff)
				}
				if got.Log != tt.log {
					t.Errorf("log %q, want %q", got.Log, tt.log)
				}
			})
		}
	}
}

// TestRewritesAreTranslated checks that a rewrite in the format's names is translated to those of the
// host's call.
func TestRewritesAreTranslated(t *testing.T) {
	t.Parallel()
	ev := call(checkrein.PreToolUse, "exec", `{"cmd":"rm x"}`)
	ans := checkrein.Answer{Verdict: checkrein.Verdict{Input: json.RawMessage(`{"command":"ls"}`)}}
	if err := answer.FitToEvent(&Dialect, &ev, &ans, nil); err != nil || string(ans.Input) != `{"cmd":"ls"}` {
		t.Errorf("got %s, %v", ans.Input, err)
	}
}
