package rule

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
)

func ruleOn(kind checkrein.Kind, with string) checkrein.Hook {
	return checkrein.Hook{ID: "rule#1", Name: "my {{rule}}", On: kind, Run: "rule", With: json.RawMessage(with)}
}

func call(tool, input string) checkrein.Event {
	return checkrein.Event{
		Kind: checkrein.PreToolUse, Session: checkrein.Session{Dir: "/repo"},
		Tool: &checkrein.Tool{Name: tool, Canonical: tools.CanonicalTool(tool), Input: json.RawMessage(input)},
	}
}

// decide returns the verdict of the rule h for ev.
func decide(t *testing.T, h checkrein.Hook, ev checkrein.Event) checkrein.Verdict {
	t.Helper()
	handler, err := Type("/home/dev", nil).New(h)
	if err != nil {
		t.Fatal(err)
	}
	ans, err := handler.Handle(context.Background(), ev)
	if err != nil {
		t.Fatal(err)
	}
	return ans.Verdict
}

func TestRuleDecides(t *testing.T) {
	t.Parallel()
	ls := call("Bash", `{"command":"ls -l"}`)
	prompt := checkrein.Event{Kind: checkrein.UserPromptSubmit, Text: "hi"}
	tests := []struct {
		name string
		kind checkrein.Kind
		with string
		ev   checkrein.Event
		want checkrein.Verdict
	}{
		{"deny", checkrein.PreToolUse, `{"decision":"deny","reason":"no"}`, ls, checkrein.Verdict{Decision: checkrein.Deny, Reason: "no"}},
		{"ask", checkrein.PreToolUse, `{"decision":"ask","reason":"sure?"}`, ls, checkrein.Verdict{Decision: checkrein.Ask, Reason: "sure?"}},
		{"allow", checkrein.PreToolUse, `{"decision":"allow"}`, ls, checkrein.Verdict{Decision: checkrein.Allow}},
		{"none", checkrein.PreToolUse, `{"decision":"none","reason":"x"}`, ls, checkrein.Verdict{}},
		{"nothing", checkrein.PreToolUse, `{}`, ls, checkrein.Verdict{}},
		{"no settings", checkrein.PreToolUse, ``, ls, checkrein.Verdict{}},
		{"reason with fields", checkrein.PreToolUse, `{"decision":"deny","reason":"[files] Blocked: {{command}} in {{cwd}}"}`, ls,
			checkrein.Verdict{Decision: checkrein.Deny, Reason: "[files] Blocked: ls -l in /repo"}},
		{"context and notice", checkrein.PreToolUse, `{"context":"about {{tool}}","notice":"saw {{tool_name}}"}`, ls,
			checkrein.Verdict{Context: []string{"about shell"}, Notice: []string{"saw Bash"}}},
		{"on a prompt", checkrein.UserPromptSubmit, `{"decision":"deny","reason":"{{prompt}}!"}`, prompt, checkrein.Verdict{Decision: checkrein.Deny, Reason: "hi!"}},

		// A denial always says something, and a name is not a template.
		{"deny without a reason", checkrein.PreToolUse, `{"decision":"deny"}`, ls, checkrein.Verdict{Decision: checkrein.Deny, Reason: `denied by rule "my {{rule}}"`}},
		{"deny with an empty reason", checkrein.PreToolUse, `{"decision":"deny","reason":""}`, ls, checkrein.Verdict{Decision: checkrein.Deny, Reason: `denied by rule "my {{rule}}"`}},
		{"deny with a reason that comes to nothing", checkrein.PreToolUse, `{"decision":"deny","reason":" {{tool_input.why}} "}`, ls,
			checkrein.Verdict{Decision: checkrein.Deny, Reason: `denied by rule "my {{rule}}"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.want.Decision >= checkrein.Ask { // then it says who decides, and why where a person wrote that
				tt.want.Metadata = map[string]string{"rule": "my {{rule}}"}
				if tt.want.Reason != `denied by rule "my {{rule}}"` {
					tt.want.Metadata["reason"] = tt.want.Reason
				}
			}
			if diff := cmp.Diff(tt.want, decide(t, ruleOn(tt.kind, tt.with), tt.ev), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("verdict (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPatchUsesHostNames(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, tool, input, patch, want string }{
		{"host's own word", "Bash", `{"command":"ls"}`, `{"command":"ls -a"}`, `{"command":"ls -a"}`},
		{"another host's word", "Bash", `{"command":"ls"}`, `{"cmd":"ls -a"}`, `{"command":"ls -a"}`},
		{"docker-agent", "shell", `{"cmd":"ls"}`, `{"command":"ls -a"}`, `{"cmd":"ls -a"}`},
		{"path", "edit", `{"filePath":"a"}`, `{"path":"b"}`, `{"filePath":"b"}`},
		{"new argument", "Bash", `{"command":"ls"}`, `{"timeout":5}`, `{"timeout":5}`},
		{"fields", "Bash", `{"command":"ls"}`, `{"cmd":"timeout 5 {{command}}"}`, `{"command":"timeout 5 ls"}`},
		{"fields with quotes", "Bash", `{"command":"echo \"x\"\n"}`, `{"cmd":"{{command}}"}`, `{"command":"echo \"x\"\n"}`},
		{"values of any type", "Bash", `{"command":"ls"}`, `{"n":1.0,"l":["{{command}}"],"o":{"a":null},"t":true}`, `{"n":1.0,"l":["{{command}}"],"o":{"a":null},"t":true}`},
		{"deletion", "Bash", `{"command":"ls","timeout":5}`, `{"timeout":null}`, `{"timeout":null}`},
		{"no arguments", "Bash", ``, `{"cmd":"x"}`, `{"cmd":"x"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := decide(t, ruleOn(checkrein.PreToolUse, `{"patch":`+tt.patch+`}`), call(tt.tool, tt.input))
			if string(got.Input) != tt.want {
				t.Errorf("patch %s, want %s", got.Input, tt.want)
			}
			if _, _, err := checkrein.Apply(call(tt.tool, tt.input), &got); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRuleMistakes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		kind checkrein.Kind
		with string
		want string
	}{
		{"unknown decision", checkrein.PreToolUse, `{"decision":"block"}`, "must be one of none, allow, ask, deny"},
		{"decision of another type", checkrein.PreToolUse, `{"decision":true}`, "decision must be a string"},
		{"deny where nothing can be denied", checkrein.SessionEnd, `{"decision":"deny"}`, "decision deny has no effect on session_end"},
		{"allow where only denying is possible", checkrein.UserPromptSubmit, `{"decision":"allow"}`, "has no effect"},
		{"ask where nobody is asked", checkrein.Stop, `{"decision":"ask"}`, "has no effect"},
		{"ask where the person is asked anyway", checkrein.PermissionRequest, `{"decision":"ask"}`, "has no effect"},
		{"unknown field in the reason", checkrein.PreToolUse, `{"decision":"deny","reason":"{{comand}}"}`, `did you mean "command"?`},
		{"another event's field", checkrein.Stop, `{"decision":"deny","reason":"{{command}}"}`, "unknown field"},
		{"open braces in the context", checkrein.PreToolUse, `{"context":"{{command"}`, "never closed"},
		{"unknown field in the notice", checkrein.PreToolUse, `{"notice":"{{x}}"}`, "notice: "},
		{"unknown field in the patch", checkrein.PreToolUse, `{"patch":{"cmd":"{{comand}}"}}`, `did you mean "command"?`},
		{"patch where there is no input", checkrein.PostToolUse, `{"patch":{"cmd":"x"}}`, "patch has no effect on post_tool_use"},
		{"patch is a text", checkrein.PreToolUse, `{"patch":"ls"}`, "patch must be a mapping"},
		{"patch is a list", checkrein.PreToolUse, `{"patch":[]}`, "patch must be a mapping"},
		{"unknown setting", checkrein.PreToolUse, `{"decison":"deny"}`, `unknown setting "decison"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Type("", nil).New(ruleOn(tt.kind, tt.with))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestRuleMistakesAreAllReported(t *testing.T) {
	t.Parallel()
	_, err := Type("", nil).New(ruleOn(checkrein.Stop, `{"decision":"ask","reason":"{{x}}","patch":{},"foo":"bar"}`))
	for _, want := range []string{"decision ask", "reason: ", "patch has", "foo"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %q", err, want)
		}
	}
}

func TestRuleTraits(t *testing.T) {
	t.Parallel()
	for with, want := range map[string]checkrein.Traits{`{"decision":"deny"}`: {Refuses: true}, `{"decision":"ask"}`: {Refuses: true}, `{"decision":"allow"}`: {Allows: true}, `{"patch":{"a":1}}`: {Rewrites: true}, ``: {}} {
		want.Instant, want.Judges = true, true
		h := ruleOn(checkrein.PreToolUse, with)
		got := Type("", nil).Traits(&h)
		if got != want {
			t.Errorf("traits of %s are %+v, want %+v", with, got, want)
		}
	}
}

// TestRuleIsSafeForConcurrentUse calls a handler from several goroutines.
func TestRuleIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	handler, err := Type("", nil).New(ruleOn(checkrein.PreToolUse, `{"decision":"deny","reason":"{{command}}","patch":{"cmd":"{{tool}}"}}`))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan string)
	for range 8 {
		go func() {
			ans, _ := handler.Handle(context.Background(), call("Bash", `{"command":"ls"}`))
			done <- ans.Reason + string(ans.Input)
		}()
	}
	for range 8 {
		if got, want := <-done, `ls{"command":"shell"}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
