package starchild

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/answer"
)

// TestAnswers checks the output protocol in starchild's documentation and every row of its table of
// Claude Code's answers.
func TestAnswers(t *testing.T) {
	t.Parallel()
	deny := func(why string) checkrein.Verdict {
		return checkrein.Verdict{Decision: checkrein.Deny, Reason: why}
	}
	pre, llm, transform := checkrein.PreToolUse, checkrein.BeforeLLMCall, checkrein.ToolResponseTransform
	for _, tt := range []struct {
		name    string
		on      checkrein.Kind
		out     answer.Output
		want    checkrein.Verdict
		ignored []string
		fault   bool
	}{
		{"block", pre, printed(`{"decision":"block","reason":"no"}`), deny("no"), nil, false},
		{"deny", pre, printed(`{"decision":"deny","reason":"no"}`), deny("no"), nil, false},
		{"a refused stop", checkrein.Stop, printed(`{"decision":"block","reason":"redo"}`), deny("redo"), nil, false},
		{"a judge's allow approves nothing", pre, printed(`{"decision":"allow"}`), checkrein.Verdict{}, nil, false},
		{"nor does its reason", pre, printed(`{"decision":"allow","reason":"fine"}`), checkrein.Verdict{}, []string{"reason"}, false},
		{"approve approves nothing", pre, printed(`{"decision":"approve"}`), checkrein.Verdict{}, nil, false},
		{"continue", pre, printed(`{"decision":"continue"}`), checkrein.Verdict{}, nil, false},
		{"ask is no word of it", pre, printed(`{"decision":"ask"}`), checkrein.Verdict{}, nil, true},
		{"rewrite", pre, printed(`{"tool_input":{"command":"ls"}}`), checkrein.Verdict{Input: json.RawMessage(`{"command":"ls"}`)}, nil, false},
		{"rewrite of existing keys only", pre, printed(`{"tool_input":{"command":"ls","cwd":"/"}}`), checkrein.Verdict{Input: json.RawMessage(`{"command":"ls"}`)},
			[]string{"tool_input.cwd (the call has no such argument)"}, false},
		{"a reply", checkrein.OnResponseEnd, printed(`{"response":"x"}`), checkrein.Verdict{Output: json.RawMessage(`"x"`)}, nil, false},
		{"a message", checkrein.UserPromptSubmit, printed(`{"message":"x"}`), checkrein.Verdict{Output: json.RawMessage(`"x"`)}, nil, false},
		{"a notification", checkrein.OnOutboundMessage, printed(`{"notification":"x"}`), checkrein.Verdict{Output: json.RawMessage(`"x"`)}, nil, false},
		{"context", llm, printed(`{"context":"x"}`), checkrein.Verdict{Context: []string{"x"}}, nil, false},
		{"context elsewhere", pre, printed(`{"context":"x"}`), checkrein.Verdict{}, []string{"context"}, false},
		{"context with a prompt", checkrein.UserPromptSubmit, printed(`{"context":"x"}`), checkrein.Verdict{}, []string{"context"}, false},
		{"a note", pre, printed(`{"add_warning":"x"}`), checkrein.Verdict{Notice: []string{"x"}}, nil, false},
		{"a note on a result", transform, printed(`{"add_warning":"x"}`), checkrein.Verdict{Notice: []string{"x"}, Append: "x"}, nil, false},
		{"nothing", pre, printed(""), checkrein.Verdict{}, nil, false},
		{"plain text is no context", llm, printed("hello"), checkrein.Verdict{}, []string{"plain text"}, false},
		{"a failure", pre, answer.Output{Exit: 1, Stderr: []byte("boom")}, checkrein.Verdict{}, nil, true},
		{"half an answer", pre, printed(`{"decision":`), checkrein.Verdict{}, nil, true},

		{"an observer blocks nothing", checkrein.PostToolUse, printed(`{"decision":"block","reason":"no","add_warning":"x"}`), checkrein.Verdict{Notice: []string{"x"}},
			[]string{"deny (a hook of post_tool_use only observes here)"}, false},
		{"an observer stops nothing", checkrein.PostToolUse, printed(`{"continue":false,"halt":true}`), checkrein.Verdict{}, []string{"deny (a hook of post_tool_use only observes here)"}, false},
		{"an observer's exit code 2", checkrein.PostToolUse, answer.Output{Exit: 2, Stderr: []byte("no")}, checkrein.Verdict{}, []string{"deny (a hook of post_tool_use only observes here)"}, false},
		{"an observer of a reply", checkrein.AfterLLMCall, printed(`{"response":"x","halt":true}`), checkrein.Verdict{Output: json.RawMessage(`"x"`)}, []string{"halt (a hook of after_llm_call only observes here)"}, false},

		{"Claude: permissionDecision", pre, printed(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`), deny("no"), nil, false},
		{"Claude: additionalContext", llm, printed(`{"hookSpecificOutput":{"additionalContext":"x"}}`), checkrein.Verdict{Context: []string{"x"}}, nil, false},
		{"Claude: updatedInput", pre, printed(`{"hookSpecificOutput":{"updatedInput":{"command":"ls"}}}`), checkrein.Verdict{Input: json.RawMessage(`{"command":"ls"}`)}, nil, false},
		{"Claude: continue", pre, printed(`{"continue":false,"stopReason":"no"}`), deny("no"), nil, false},
		{"Claude: systemMessage", pre, printed(`{"systemMessage":"x"}`), checkrein.Verdict{Notice: []string{"x"}}, nil, false},
		{"Claude: systemMessage on a result", transform, printed(`{"systemMessage":"x"}`), checkrein.Verdict{Notice: []string{"x"}, Append: "x"}, nil, false},
		{"Claude: suppressOutput", pre, printed(`{"suppressOutput":true}`), checkrein.Verdict{}, nil, false},
		{"Claude: exit code 2", pre, answer.Output{Exit: 2, Stderr: []byte("no\n")}, deny("no"), nil, false},
		{"Claude: Stop", checkrein.Stop, answer.Output{Exit: 2, Stderr: []byte("redo")}, deny("redo"), nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := plainHook(tt.on, "guard", 1, nil)
			ans, err := answer.ReadOutput(&h, &Dialect.Form, tt.out)
			ev := call("bash", `{"command":"rm"}`)
			if ev.Kind = tt.on; err == nil {
				err = answer.FitToEvent(&Dialect, &ev, &ans, nil)
			}
			if (err != nil) != tt.fault {
				t.Fatalf("got %v", err)
			}
			if diff := cmp.Diff(tt.want, ans.Verdict, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("verdict (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.ignored, ans.Ignored, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("ignored (-want +got):\n%s", diff)
			}
		})
	}
}

func printed(s string) answer.Output { return answer.Output{Stdout: []byte(s)} }
