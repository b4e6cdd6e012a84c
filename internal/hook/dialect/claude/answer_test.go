package claude

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/answer"
)

// readDecision returns the answer in out and its decision on an event; a fault decides as the event's
// contract requires.
func readDecision(t *testing.T, kind checkrein.Kind, out answer.Output) (checkrein.Answer, string) {
	t.Helper()
	h := checkrein.Hook{ID: "h", On: kind, Dialect: dialect}
	ans, err := answer.ReadOutput(&h, &Dialect.Form, out)
	switch {
	case err != nil && checkrein.ContractOf(kind).Closed:
		return ans, "fault: deny"
	case err != nil:
		return ans, "fault"
	}
	return ans, ans.Decision.String()
}

const specific = `{"hookSpecificOutput":{"hookEventName":"PreToolUse",`

// TestAnswersAsObserved checks answers on PreToolUse against what Claude Code 2.1.197 was observed to
// do. The column stricter lists where checkrein is stricter on purpose.
func TestAnswersAsObserved(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		out      answer.Output
		want     string
		stricter string // what Claude does instead
	}{
		{"deny", answer.Output{Stdout: []byte(specific + `"permissionDecision":"deny","permissionDecisionReason":"no"}}`)}, "deny", ""},
		{"deny without a reason", answer.Output{Stdout: []byte(specific + `"permissionDecision":"deny"}}`)}, "deny", ""},
		{"allow", answer.Output{Stdout: []byte(specific + `"permissionDecision":"allow"}}`)}, "allow", ""},
		{"ask", answer.Output{Stdout: []byte(specific + `"permissionDecision":"ask"}}`)}, "ask", ""},
		{"block, as once", answer.Output{Stdout: []byte(`{"decision":"block","reason":"no"}`)}, "deny", ""},
		{"approve, as once", answer.Output{Stdout: []byte(`{"decision":"approve","reason":"yes"}`)}, "allow", ""},
		{"a rewrite", answer.Output{Stdout: []byte(specific + `"updatedInput":{"command":"x"}}}`)}, "none", ""},
		{"a rewrite with deny", answer.Output{Stdout: []byte(specific + `"permissionDecision":"deny","updatedInput":{"command":"x"}}}`)}, "deny", ""},
		{"context", answer.Output{Stdout: []byte(specific + `"additionalContext":"x"}}`)}, "none", ""},
		{"a message", answer.Output{Stdout: []byte(`{"systemMessage":"x","suppressOutput":true}`)}, "none", ""},
		{"nothing", answer.Output{}, "none", ""},
		{"exit 2", answer.Output{Exit: 2, Stderr: []byte("no")}, "deny", ""},
		{"exit 2 without a word", answer.Output{Exit: 2}, "deny", ""},
		{"exit 2 and allow", answer.Output{Exit: 2, Stderr: []byte("no"), Stdout: []byte(specific + `"permissionDecision":"allow"}}`)}, "deny", ""},
		{"exit 2 and deny", answer.Output{Exit: 2, Stdout: []byte(specific + `"permissionDecision":"deny","permissionDecisionReason":"no"}}`)}, "deny", ""},
		{"exit 1 and deny", answer.Output{Exit: 1, Stdout: []byte(specific + `"permissionDecision":"deny"}}`)}, "deny", ""},
		{"plain text", answer.Output{Stdout: []byte("hello")}, "none", ""},
		{"text before JSON", answer.Output{Stdout: []byte("hello\n" + specific + `"permissionDecision":"deny"}}`)}, "fault: deny", "the tool runs"},
		{"a list", answer.Output{Stdout: []byte(`[1]`)}, "none", ""},
		{"unknown keys", answer.Output{Stdout: []byte(`{"x":1,"decision":"block"}`)}, "deny", ""},

		{"exit 1", answer.Output{Exit: 1, Stderr: []byte("x")}, "fault: deny", "the tool runs"},
		{"a missing command", answer.Output{Exit: 127}, "fault: deny", "the tool runs"},
		{"broken JSON", answer.Output{Stdout: []byte(`{"decision":`)}, "fault: deny", "the tool runs"},
		{"text behind JSON", answer.Output{Stdout: []byte("{}\nhello")}, "fault: deny", "the tool runs"},
		{"a wrong type", answer.Output{Stdout: []byte(`{"continue":"no"}`)}, "fault: deny", "the tool runs"},
		{"an unknown decision", answer.Output{Stdout: []byte(specific + `"permissionDecision":"maybe"}}`)}, "fault: deny", "the tool runs"},
		{"defer", answer.Output{Stdout: []byte(specific + `"permissionDecision":"defer"}}`)}, "fault: deny", "the run ends"},
		{"an unknown word", answer.Output{Stdout: []byte(`{"decision":"maybe"}`)}, "fault: deny", "the tool runs"},
		{"another event's name", answer.Output{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"deny"}}`)}, "deny", "the tool runs"},
		{"no event's name", answer.Output{Stdout: []byte(`{"hookSpecificOutput":{"permissionDecision":"deny"}}`)}, "deny", "the tool runs"},
		{"a decision at the top", answer.Output{Stdout: []byte(`{"permissionDecision":"deny"}`)}, "deny", "the tool runs"},
		{"do not continue", answer.Output{Stdout: []byte(`{"continue":false,"stopReason":"x"}`)}, "deny", "the tool runs, then the turn ends"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, got := readDecision(t, checkrein.PreToolUse, tt.out); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if tt.stricter != "" && !strings.HasSuffix(tt.want, "deny") {
				t.Errorf("Claude: %s; %s is not stricter", tt.stricter, tt.want)
			}
		})
	}
}

// TestAnswerParts checks the other parts of answers.
func TestAnswerParts(t *testing.T) {
	t.Parallel()
	ans, _ := readDecision(t, checkrein.PreToolUse, answer.Output{Stdout: []byte(specific +
		`"permissionDecision":"deny","permissionDecisionReason":"no","additionalContext":"c","updatedInput":{"command":"x"}},"systemMessage":"m"}`)})
	if ans.Reason != "no" || len(ans.Context) != 1 || len(ans.Notice) != 1 || string(ans.Input) != `{"command":"x"}` || len(ans.Ignored) != 0 {
		t.Errorf("got %+v", ans)
	}
	if ans, _ := readDecision(t, checkrein.PreToolUse, answer.Output{Stdout: []byte(`{"continue":false,"stopReason":"x"}`)}); !ans.Halt || ans.Reason != "x" {
		t.Errorf("continue false: got %+v", ans)
	}
}

// TestPlainText checks that plain text is context where Claude treats it as such.
func TestPlainText(t *testing.T) {
	t.Parallel()
	taken := map[checkrein.Kind]bool{checkrein.SessionStart: true, checkrein.UserPromptSubmit: true, checkrein.PreCompact: true, checkrein.WorktreeCreate: true}
	for _, row := range checkrein.Contracts() {
		ans, _ := readDecision(t, row.Kind, answer.Output{Stdout: []byte("hello")})
		if got := len(ans.Context) == 1; got != taken[row.Kind] {
			t.Errorf("%s: %v", row.Name, got)
		}
	}
}

// TestPostToolUseBlockIsAReminder checks that a block on PostToolUse becomes context, because the tool
// has run, and that only continue: false ends the turn.
func TestPostToolUseBlockIsAReminder(t *testing.T) {
	t.Parallel()
	for _, kind := range []checkrein.Kind{checkrein.PostToolUse, checkrein.PostToolUseFailure} {
		for _, tt := range []struct {
			name string
			out  answer.Output
			want checkrein.Verdict
		}{
			{"block", answer.Output{Stdout: []byte(`{"decision":"block","reason":"lint: x.go:1"}`)}, checkrein.Verdict{Context: []string{"lint: x.go:1"}}},
			{"block with context", answer.Output{Stdout: []byte(`{"decision":"block","reason":"r","hookSpecificOutput":{"additionalContext":"c"},"systemMessage":"m"}`)},
				checkrein.Verdict{Context: []string{"r", "c"}, Notice: []string{"m"}}},
			{"exit 2", answer.Output{Exit: 2, Stderr: []byte("lint: x.go:1\n")}, checkrein.Verdict{Context: []string{"lint: x.go:1"}}},
			{"continue: false", answer.Output{Stdout: []byte(`{"continue":false,"stopReason":"enough"}`)}, checkrein.Verdict{Decision: checkrein.Deny, Reason: "enough", Halt: true}},
			{"both", answer.Output{Stdout: []byte(`{"continue":false,"decision":"block","reason":"enough"}`)}, checkrein.Verdict{Decision: checkrein.Deny, Reason: "enough", Halt: true}},
			{"continue: false and exit 2", answer.Output{Exit: 2, Stdout: []byte(`{"continue":false,"stopReason":"enough"}`)}, checkrein.Verdict{Decision: checkrein.Deny, Reason: "enough", Halt: true}},
		} {
			h := checkrein.Hook{ID: "h", On: kind, Dialect: dialect}
			ans, err := answer.ReadOutput(&h, &Dialect.Form, tt.out)
			if diff := cmp.Diff(tt.want, ans.Verdict, cmpopts.EquateEmpty()); err != nil || diff != "" {
				t.Errorf("%v, %s: %v (-want +got):\n%s", kind, tt.name, err, diff)
			}
		}
	}
}
