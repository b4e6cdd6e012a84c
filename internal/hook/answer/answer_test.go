package answer_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/answer"
	"github.com/checkrein/checkrein/internal/hook/dialect/dockeragent"
	"github.com/checkrein/checkrein/internal/hook/dialect/native"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

var (
	nativeForm = &native.Dialect.Form
	dockerForm = &dockeragent.Dialect.Form
)

func hookOn(kind checkrein.Kind) *checkrein.Hook {
	return &checkrein.Hook{ID: "guard#1", Name: "guard", On: kind}
}

func strictOn(kind checkrein.Kind) *checkrein.Hook {
	h := hookOn(kind)
	h.Strict = true
	return h
}

// printed returns the output of a program that printed s and exited with code 0.
func printed(s string) answer.Output { return answer.Output{Stdout: []byte(s)} }

func read(t *testing.T, kind checkrein.Kind, form *hookfile.AnswerForm, stdout string) checkrein.Answer {
	t.Helper()
	ans, err := answer.ReadOutput(hookOn(kind), form, printed(stdout))
	if err != nil {
		t.Fatalf("%s: %v", stdout, err)
	}
	return ans
}

// wantFault checks that reading out is a fault, and returns the error.
func wantFault(t *testing.T, h *checkrein.Hook, form *hookfile.AnswerForm, out answer.Output) error {
	t.Helper()
	ans, err := answer.ReadOutput(h, form, out)
	if err == nil {
		t.Fatalf("%q is read as %+v, want a fault", out.Stdout, ans.Verdict)
	}
	if !ans.Verdict.IsZero() {
		t.Errorf("beside the fault %v the verdict is %+v", err, ans.Verdict)
	}
	return err
}

func wantVerdict(t *testing.T, got checkrein.Answer, want checkrein.Verdict) {
	t.Helper()
	if diff := cmp.Diff(want, got.Verdict, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("verdict (-want +got):\n%s", diff)
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		stdout, stderr string
		exit           int
		want           checkrein.Verdict
	}{
		{"content", "", "", 0, checkrein.Verdict{}},
		{"content, with a line for the log", "", "checked", 0, checkrein.Verdict{}},
		{"block", "", "no way\n", 2, checkrein.Verdict{Decision: checkrein.Deny, Reason: "no way"}},
		{"block, several lines", "", "\nno\n way \n", 2, checkrein.Verdict{Decision: checkrein.Deny, Reason: "no\n way"}},
		{"block, reason in JSON", `{"reason":"because"}`, "  \n", 2, checkrein.Verdict{Decision: checkrein.Deny, Reason: "because"}},
		{"block, nested reason in JSON", `{"hookSpecificOutput":{"permissionDecisionReason":"because"}}`, "", 2, checkrein.Verdict{Decision: checkrein.Deny, Reason: "because"}},
		{"block, stderr beats JSON", `{"decision":"allow","reason":"fine"}`, "no way", 2, checkrein.Verdict{Decision: checkrein.Deny, Reason: "no way"}},
		{"block, whatever JSON says", `{"decision":"allow"}`, "", 2, checkrein.Verdict{Decision: checkrein.Deny, Reason: `blocked by hook "guard"`}},
		{"block, nothing said", "", "", 2, checkrein.Verdict{Decision: checkrein.Deny, Reason: `blocked by hook "guard"`}},
		{"block, broken JSON", `{"reason":`, "", 2, checkrein.Verdict{Decision: checkrein.Deny, Reason: `blocked by hook "guard"`}},
		{"block, plain stdout", "text", "", 2, checkrein.Verdict{Decision: checkrein.Deny, Reason: `blocked by hook "guard"`}},
		{"block, reason of a wrong type", `{"reason":5}`, "", 2, checkrein.Verdict{Decision: checkrein.Deny, Reason: `blocked by hook "guard"`}},
		{"block, with a message for the person", `{"continue":false,"system_message":"npm install failed"}`, "", 2, checkrein.Verdict{Decision: checkrein.Deny, Reason: `blocked by hook "guard"`, Notice: []string{"npm install failed"}}},
		{"block, message and stderr", `{"systemMessage":"careful","reason":"r","context":"c","updated_input":{"a":1}}`, "no way", 2, checkrein.Verdict{Decision: checkrein.Deny, Reason: "no way", Notice: []string{"careful"}}},
		{"block, message of a wrong type", `{"system_message":5}`, "no way", 2, checkrein.Verdict{Decision: checkrein.Deny, Reason: "no way"}},
		{"block, empty reason", `{"reason":"  "}`, "", 2, checkrein.Verdict{Decision: checkrein.Deny, Reason: `blocked by hook "guard"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := answer.ReadOutput(hookOn(checkrein.PreToolUse), nativeForm, answer.Output{Stdout: []byte(tt.stdout), Stderr: []byte(tt.stderr), Exit: tt.exit})
			if err != nil {
				t.Fatal(err)
			}
			wantVerdict(t, got, tt.want)
			if string(got.Raw) != tt.stdout {
				t.Errorf("raw is %q, want %q", got.Raw, tt.stdout)
			}
		})
	}
}

func TestOtherExitCodesAreFaults(t *testing.T) {
	t.Parallel()
	for _, exit := range []int{1, 3, 126, 127, 255, -1} {
		err := wantFault(t, hookOn(checkrein.PreToolUse), nativeForm,
			answer.Output{Stdout: []byte(`{"decision":"allow"}`), Stderr: []byte("first line\nsecond"), Exit: exit})
		if got, want := err.Error(), fmt.Sprintf("exit code %d: first line", exit); got != want {
			t.Errorf("fault %q, want %q", got, want)
		}
	}
	err := wantFault(t, hookOn(checkrein.PreToolUse), nativeForm, answer.Output{Exit: 1})
	if got, want := err.Error(), "exit code 1"; got != want {
		t.Errorf("fault %q, want %q", got, want)
	}
}

func TestBlockAlwaysHasAReason(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		out := answer.Output{
			Stdout: rapid.SliceOf(rapid.Byte()).Draw(t, "stdout"),
			Stderr: rapid.SliceOf(rapid.Byte()).Draw(t, "stderr"),
			Exit:   2,
		}
		got, err := answer.ReadOutput(hookOn(checkrein.Stop), dockerForm, out)
		if err != nil || got.Decision != checkrein.Deny || strings.TrimSpace(got.Reason) == "" || !utf8.ValidString(got.Reason) {
			t.Fatalf("%v %q, %v", got.Decision, got.Reason, err)
		}
	})
}

func TestReasonFromStderrIsBounded(t *testing.T) {
	t.Parallel()
	got, err := answer.ReadOutput(hookOn(checkrein.PreToolUse), nativeForm, answer.Output{Stderr: []byte(strings.Repeat("é", 1<<20)), Exit: 2})
	if err != nil || len(got.Reason) > 20<<10 || !utf8.ValidString(got.Reason) {
		t.Errorf("reason has %d bytes, %v", len(got.Reason), err)
	}
}

func TestEmptyAnswer(t *testing.T) {
	t.Parallel()
	for _, stdout := range []string{"", " \n\t", "{}", " { } \n", `{"continue":true}`, `{"decision":"","reason":"","system_message":""}`,
		`{"decision":null,"continue":null,"hook_specific_output":null,"updated_input":null,"metadata":null,"summary":null}`,
		`{"hook_specific_output":{}}`, `{"suppress_output":true}`, `{"suppressOutput":false}`,
		`{"hook_specific_output":{"updated_input":{},"updated_messages":[],"updated_tool_response":null,"additional_context":""}}`} {
		got := read(t, checkrein.PreToolUse, dockerForm, stdout)
		if !got.Verdict.IsZero() || len(got.Ignored) > 0 {
			t.Errorf("%s is read as %+v, ignoring %q", stdout, got.Verdict, got.Ignored)
		}
	}
}

// everySpelling returns answers with the key snake in every spelling and position.
func everySpelling(snake, value string) []string {
	parts := strings.Split(snake, "_")
	camel := parts[0]
	for _, p := range parts[1:] {
		camel += strings.ToUpper(p[:1]) + p[1:]
	}
	var out []string
	for _, key := range []string{snake, camel, strings.ToUpper(snake), strings.ToUpper(camel[:1]) + camel[1:]} {
		member := fmt.Sprintf("%q:%s", key, value)
		out = append(out, "{"+member+"}")
		for _, nest := range []string{"hook_specific_output", "hookSpecificOutput", "Hook_Specific_Output"} {
			out = append(out, fmt.Sprintf("{%q:{%s}}", nest, member))
		}
	}
	return out
}

func TestKeysInEverySpellingAndPlace(t *testing.T) {
	t.Parallel()
	deny := func(reason string) checkrein.Verdict {
		return checkrein.Verdict{Decision: checkrein.Deny, Reason: reason}
	}
	const nameless = `blocked by hook "guard"`
	tests := []struct {
		key, value string
		kind       checkrein.Kind
		want       checkrein.Verdict
	}{
		{"decision", `"block"`, checkrein.PreToolUse, deny(nameless)},
		{"permission_decision", `"deny"`, checkrein.PreToolUse, deny(nameless)},
		{"permission_decision", `"ask"`, checkrein.PreToolUse, checkrein.Verdict{Decision: checkrein.Ask}},
		{"permission_decision", `"allow"`, checkrein.PreToolUse, checkrein.Verdict{Decision: checkrein.Allow}},
		{"permission_decision", `"deny"`, checkrein.PreCompact, deny(nameless)},
		{"permission_decision", `"deny"`, checkrein.BeforeCompaction, deny(nameless)},
		{"continue", `false`, checkrein.Stop, deny(nameless)},
		{"system_message", `"careful"`, checkrein.Stop, checkrein.Verdict{Notice: []string{"careful"}}},
		{"add_warning", `"careful"`, checkrein.Stop, checkrein.Verdict{Notice: []string{"careful"}}},
		{"additional_context", `"fact"`, checkrein.Stop, checkrein.Verdict{Context: []string{"fact"}}},
		{"context", `"fact"`, checkrein.BeforeLLMCall, checkrein.Verdict{Context: []string{"fact"}}},
		{"updated_input", `{"a":1}`, checkrein.PreToolUse, checkrein.Verdict{Input: json.RawMessage(`{"a":1}`)}},
		{"tool_input", `{"a":1}`, checkrein.PreToolUse, checkrein.Verdict{Input: json.RawMessage(`{"a":1}`)}},
		{"updated_tool_response", `"x"`, checkrein.ToolResponseTransform, checkrein.Verdict{Output: json.RawMessage(`"x"`)}},
		{"updated_tool_output", `{"stdout":""}`, checkrein.ToolResponseTransform, checkrein.Verdict{Output: json.RawMessage(`{"stdout":""}`)}},
		{"updated_output", `"x"`, checkrein.OnResponseEnd, checkrein.Verdict{Output: json.RawMessage(`"x"`)}},
		{"updated_messages", `[1]`, checkrein.BeforeLLMCall, checkrein.Verdict{Messages: json.RawMessage(`[1]`)}},
		{"summary", `"short"`, checkrein.BeforeCompaction, checkrein.Verdict{Summary: "short"}},
		{"metadata", `{"risk":"high"}`, checkrein.PermissionRequest, checkrein.Verdict{Metadata: map[string]string{"risk": "high"}}},
		{"halt", `true`, checkrein.PreToolUse, checkrein.Verdict{Halt: true}},
	}
	for _, tt := range tests {
		t.Run(tt.key+" "+tt.value, func(t *testing.T) {
			t.Parallel()
			for _, stdout := range everySpelling(tt.key, tt.value) {
				got := read(t, tt.kind, dockerForm, stdout)
				wantVerdict(t, got, tt.want)
				if len(got.Ignored) > 0 {
					t.Errorf("%s: ignored %q", stdout, got.Ignored)
				}
			}
		})
	}
}

func TestReasons(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, stdout, want string }{
		{"with decision", `{"decision":"block","reason":"a"}`, "a"},
		{"with continue", `{"continue":false,"stop_reason":"a"}`, "a"},
		{"with continue, camel", `{"continue":false,"stopReason":"a"}`, "a"},
		{"with permission", `{"hook_specific_output":{"permission_decision":"deny","permission_decision_reason":"a"}}`, "a"},
		{"in front of the decision", `{"reason":"a","decision":"block"}`, "a"},
		{"beside the nested decision", `{"reason":"a","hookSpecificOutput":{"permissionDecision":"deny"}}`, "a"},
		{"several", `{"decision":"block","reason":"a","stop_reason":"b"}`, "a\nb"},
		{"the same twice", `{"decision":"block","reason":"a","stop_reason":" a "}`, "a"},
		{"of an ask", `{"permission_decision":"ask","permission_decision_reason":"sure?"}`, "sure?"},
		{"of an allow", `{"permission_decision":"allow","reason":"fine"}`, "fine"},
		{"empty", `{"decision":"block","reason":" "}`, `blocked by hook "guard"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := read(t, checkrein.PreToolUse, nativeForm, tt.stdout); got.Reason != tt.want {
				t.Errorf("reason %q, want %q", got.Reason, tt.want)
			}
		})
	}
}

func TestDecisionWordsOfEachDialect(t *testing.T) {
	t.Parallel()
	const fault = checkrein.Decision(99)
	tests := []struct {
		word           string
		native, docker checkrein.Decision
	}{
		{"block", checkrein.Deny, checkrein.Deny},
		{"deny", checkrein.Deny, checkrein.Deny},
		{"ask", checkrein.Ask, fault},
		{"allow", checkrein.Allow, fault},
		{"approve", checkrein.Allow, fault},
		{"none", checkrein.NoOpinion, fault},
		{"maybe", fault, fault},
		{"Block", fault, fault},
		{" block", fault, fault},
	}
	for _, tt := range tests {
		for form, want := range map[*hookfile.AnswerForm]checkrein.Decision{nativeForm: tt.native, dockerForm: tt.docker} {
			stdout := fmt.Sprintf(`{"decision":%q}`, tt.word)
			if want == fault {
				wantFault(t, hookOn(checkrein.PreToolUse), form, printed(stdout))
			} else if got := read(t, checkrein.PreToolUse, form, stdout); got.Decision != want {
				t.Errorf("%s is read as %v, want %v", stdout, got.Decision, want)
			}
		}
	}
}

func TestContinueFalseBlocksAndHaltsWhereTheDialectSaysSo(t *testing.T) {
	t.Parallel()
	got := read(t, checkrein.PreToolUse, nativeForm, `{"continue":false}`)
	wantVerdict(t, got, checkrein.Verdict{Decision: checkrein.Deny, Reason: `blocked by hook "guard"`})
	halting := *nativeForm
	halting.HaltOnStop = true
	got = read(t, checkrein.PreToolUse, &halting, `{"continue":false,"stopReason":"enough"}`)
	wantVerdict(t, got, checkrein.Verdict{Decision: checkrein.Deny, Reason: "enough", Halt: true})
	got = read(t, checkrein.PreToolUse, &halting, `{"continue":false,"decision":"allow"}`)
	wantVerdict(t, got, checkrein.Verdict{Decision: checkrein.Deny, Reason: `blocked by hook "guard"`, Halt: true})
}

func TestWrongTypesAndUnknownValuesAreFaults(t *testing.T) {
	t.Parallel()
	wrong := map[string][]string{
		"decision":                   {`5`, `true`, `{}`, `["block"]`},
		"permission_decision":        {`"maybe"`, `"none"`, `"DENY"`, `5`, `{}`},
		"continue":                   {`"no"`, `0`, `"false"`, `{}`},
		"halt":                       {`"yes"`, `1`},
		"reason":                     {`5`, `[]`, `{}`},
		"permission_decision_reason": {`5`},
		"stop_reason":                {`false`},
		"system_message":             {`5`, `["a"]`},
		"additional_context":         {`5`, `["a"]`, `{}`},
		"updated_input":              {`"x"`, `[]`, `5`, `true`},
		"tool_input":                 {`"x"`},
		"updated_messages":           {`{}`, `"x"`},
		"summary":                    {`5`},
		"metadata":                   {`"x"`, `{"a":5}`, `{"a":null}`, `[]`},
		"suppress_output":            {`"yes"`},
		"hook_specific_output":       {`"x"`, `[]`, `5`},
		"hook_event_name":            {`5`},
		"log":                        {`5`},
	}
	for key, values := range wrong {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			for _, v := range values {
				err := wantFault(t, hookOn(checkrein.PermissionRequest), nativeForm, printed(fmt.Sprintf(`{%q:%s}`, key, v)))
				if !strings.Contains(err.Error(), key) {
					t.Errorf("fault %q does not name %s", err, key)
				}
			}
		})
	}
}

// TestDenialWithMistakeCounts checks that a denial counts even if the rest of the answer is a fault
// that would let the action continue.
func TestDenialWithMistakeCounts(t *testing.T) {
	t.Parallel()
	for _, stdout := range []string{
		`{"decision":"block","continue":"no"}`, `{"continue":false,"decision":"maybe"}`, `{"decision":"block","hook_specific_output":{"permission_decision":"maybe"}}`,
	} {
		for _, on := range []checkrein.Kind{checkrein.PreToolUse, checkrein.UserPromptSubmit} {
			got, err := answer.ReadOutput(hookOn(on), nativeForm, printed(stdout))
			if err != nil || got.Decision != checkrein.Deny || got.Reason == "" || len(got.Ignored) == 0 {
				t.Errorf("%s: got %+v, %v", stdout, got, err)
			}
		}
	}
}

func TestBrokenOutputIsAFault(t *testing.T) {
	t.Parallel()
	for name, stdout := range map[string]string{
		"truncated":           `{"decision":"block"`,
		"truncated in a text": `{"decision":"blo`,
		"two objects":         `{"decision":"block"} {}`,
		"two lines":           "{}\n{}",
		"text behind":         `{"decision":"block"} done`,
		"comma behind":        `{"decision":"block",}`,
		"no quotes":           `{decision: block}`,
		"single quotes":       `{'decision':'block'}`,
		"comment":             `{} // fine`,
		"zero byte behind":    "{\"decision\":\"block\"}\x00",
		"invalid UTF-8":       "{\"decision\":\"block\",\"reason\":\"\xff\"}",
		"invalid plain text":  "\xff\xfe{\x00}\x00",
		"nested too deep":     strings.Repeat(`{"a":`, 100_000),
		"brace alone":         "{",
		"NaN":                 `{"cost":NaN}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, form := range []*hookfile.AnswerForm{nativeForm, dockerForm} {
				wantFault(t, hookOn(checkrein.PreToolUse), form, printed(stdout))
				wantFault(t, hookOn(checkrein.UserPromptSubmit), form, printed(stdout))
			}
		})
	}
}

// TestByteOrderMarkIsIgnored checks that a denial counts after the byte order mark that some shells
// write.
func TestByteOrderMarkIsIgnored(t *testing.T) {
	t.Parallel()
	got := read(t, checkrein.PreToolUse, nativeForm, "\ufeff{\"decision\":\"block\",\"reason\":\"a\"}")
	wantVerdict(t, got, checkrein.Verdict{Decision: checkrein.Deny, Reason: "a"})
	got = read(t, checkrein.SessionStart, nativeForm, "\ufeffhello")
	wantVerdict(t, got, checkrein.Verdict{Context: []string{"hello"}})
	got, err := answer.ReadOutput(hookOn(checkrein.PreToolUse), nativeForm, answer.Output{Stdout: []byte("\ufeff{\"reason\":\"a\"}"), Exit: 2})
	if err != nil || got.Reason != "a" {
		t.Errorf("reason %q, %v", got.Reason, err)
	}
}

func TestPlainTextIsContextOnSomeEvents(t *testing.T) {
	t.Parallel()
	context := []checkrein.Kind{
		checkrein.SessionStart, checkrein.UserPromptSubmit, checkrein.UserSteeringMessagesSubmit, checkrein.UserFollowupSubmit,
		checkrein.TurnStart, checkrein.PostToolUse, checkrein.PreCompact, checkrein.Stop, checkrein.WorktreeCreate,
	}
	for _, row := range checkrein.Contracts() {
		for _, form := range []*hookfile.AnswerForm{nativeForm, dockerForm, {}} {
			for _, stdout := range []string{"hello\nworld", "  hello\n", "[1]", `"x"`, "5", "null", "true {"} {
				got := read(t, row.Kind, form, stdout)
				s := strings.TrimSpace(stdout)
				if slices.Contains(context, row.Kind) && form.Plain {
					wantVerdict(t, got, checkrein.Verdict{Context: []string{s}})
					continue
				}
				wantVerdict(t, got, checkrein.Verdict{})
				if got.Log != s || !slices.Equal(got.Ignored, []string{"plain text"}) {
					t.Errorf("%s: %q is logged as %q, ignored %q", row.Name, stdout, got.Log, got.Ignored)
				}
			}
		}
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	got, err := answer.ReadOutput(hookOn(checkrein.PreToolUse), nativeForm, answer.Output{Stdout: []byte(`{"log":"validated"}`), Stderr: []byte("stderr\n")})
	if err != nil || got.Log != "stderr\nvalidated" {
		t.Errorf("log %q, %v", got.Log, err)
	}
	got, err = answer.ReadOutput(hookOn(checkrein.PreToolUse), nativeForm, answer.Output{Stdout: []byte("out"), Stderr: []byte("err")})
	if err != nil || got.Log != "out\nerr" {
		t.Errorf("log %q, %v", got.Log, err)
	}
}

func TestIgnoredKeysAreListed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		kind   checkrein.Kind
		stdout string
		want   []string
	}{
		{"unknown key", checkrein.PreToolUse, `{"verdict":"no"}`, []string{"verdict"}},
		{"unknown nested key", checkrein.PreToolUse, `{"hook_specific_output":{"verdict":"no"}}`, []string{"verdict"}},
		{"nested twice", checkrein.PreToolUse, `{"hook_specific_output":{"hook_specific_output":{"decision":"block"}}}`, []string{"hook_specific_output"}},
		{"hyphens", checkrein.PreToolUse, `{"permission-decision":"deny"}`, []string{"permission-decision"}},
		{"another event's name", checkrein.PreToolUse, `{"hook_specific_output":{"hook_event_name":"stop"}}`, []string{"hook_event_name"}},
		{"own event's name", checkrein.PreToolUse, `{"hook_specific_output":{"hook_event_name":"pre_tool_use"}}`, nil},
		{"own event's name in other words", checkrein.PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}`, nil},
		{"text of another event", checkrein.PreToolUse, `{"message":"x"}`, []string{"message"}},
		{"routing", checkrein.PreToolUse, `{"transition":{},"instruction_context":[]}`, []string{"transition", "instruction_context"}},
		{"reason of nothing", checkrein.PreToolUse, `{"reason":"looks fine"}`, []string{"reason"}},
		{"reason of no opinion", checkrein.PreToolUse, `{"decision":"none","reason":"looks fine"}`, []string{"reason"}},
		{"unknown null", checkrein.PreToolUse, `{"verdict":null}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := read(t, tt.kind, nativeForm, tt.stdout)
			if !slices.Equal(got.Ignored, tt.want) {
				t.Errorf("ignored %q, want %q", got.Ignored, tt.want)
			}
			wantVerdict(t, got, checkrein.Verdict{})
		})
	}
}

// TestUnknownKeysDoNotHideADenial checks that unknown keys do not affect the rest of an answer.
func TestUnknownKeysDoNotHideADenial(t *testing.T) {
	t.Parallel()
	got := read(t, checkrein.PreToolUse, dockerForm, `{"x":{"y":[1]},"decision":"block","reason":"a","z":1}`)
	wantVerdict(t, got, checkrein.Verdict{Decision: checkrein.Deny, Reason: "a"})
	if want := []string{"x", "z"}; !slices.Equal(got.Ignored, want) {
		t.Errorf("ignored %q, want %q", got.Ignored, want)
	}
}

func TestDuplicateKeysMeanTheStricter(t *testing.T) {
	t.Parallel()
	for _, stdout := range []string{
		`{"decision":"block","decision":"allow"}`, `{"decision":"allow","decision":"block"}`,
		`{"permission_decision":"deny","permissionDecision":"allow"}`, `{"permission_decision":"allow","hook_specific_output":{"permission_decision":"deny"}}`,
		`{"hook_specific_output":{"permission_decision":"deny"},"hookSpecificOutput":{"permissionDecision":"allow"}}`,
		`{"continue":false,"continue":true}`, `{"continue":true,"continue":false}`, `{"continue":false,"decision":"allow"}`,
		`{"decis\u0069on":"block","decision":"none"}`,
	} {
		if got := read(t, checkrein.PreToolUse, nativeForm, stdout); got.Decision != checkrein.Deny {
			t.Errorf("%s is read as %v, want deny", stdout, got.Decision)
		}
	}
	if got := read(t, checkrein.PreToolUse, nativeForm, `{"decision":"ask","permission_decision":"allow"}`); got.Decision != checkrein.Ask {
		t.Errorf("decision %v, want ask", got.Decision)
	}
}

func TestRewrites(t *testing.T) {
	t.Parallel()
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	tests := []struct {
		name   string
		kind   checkrein.Kind
		stdout string
		want   checkrein.Verdict
	}{
		{"empty response is a rewrite", checkrein.ToolResponseTransform, `{"updated_tool_response":""}`, checkrein.Verdict{Output: raw(`""`)}},
		{"null response is none", checkrein.ToolResponseTransform, `{"updated_tool_response":null}`, checkrein.Verdict{}},
		{"empty input is none", checkrein.PreToolUse, `{"updated_input":{ }}`, checkrein.Verdict{}},
		{"empty messages are none", checkrein.BeforeLLMCall, `{"updated_messages":[ ]}`, checkrein.Verdict{}},
		{"deletion is a rewrite", checkrein.PreToolUse, `{"updated_input":{"a":null}}`, checkrein.Verdict{Input: raw(`{"a":null}`)}},
		{"numbers keep their text", checkrein.PreToolUse, `{"updated_input":{"n":12345678901234567890,"f":1.0}}`, checkrein.Verdict{Input: raw(`{"n":12345678901234567890,"f":1.0}`)}},
		{"duplicate arguments: the last", checkrein.PreToolUse, `{"updated_input":{"a":1,"a":2}}`, checkrein.Verdict{Input: raw(`{"a":2}`)}},
		{"empty prompt is a rewrite", checkrein.UserPromptSubmit, `{"message":""}`, checkrein.Verdict{Output: raw(`""`)}},
		{"escapes are kept in meaning", checkrein.UserPromptSubmit, `{"message":"a\u000ab"}`, checkrein.Verdict{Output: raw(`"a\nb"`)}},
		{"with a decision", checkrein.PreToolUse, `{"permission_decision":"allow","updated_input":{"a":1}}`, checkrein.Verdict{Decision: checkrein.Allow, Input: raw(`{"a":1}`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantVerdict(t, read(t, tt.kind, nativeForm, tt.stdout), tt.want)
		})
	}
}

// TestTextKeys checks which key rewrites the text of which event, and that it has no meaning on
// others.
func TestTextKeys(t *testing.T) {
	t.Parallel()
	rewrites := map[checkrein.Kind][]string{
		checkrein.UserPromptSubmit:  {"prompt", "message"},
		checkrein.OnOutboundMessage: {"message", "notification"},
		checkrein.AfterLLMCall:      {"response"},
		checkrein.OnResponseEnd:     {"response"},
		checkrein.Scrub:             {"text"},
	}
	for _, row := range checkrein.Contracts() {
		for _, key := range []string{"prompt", "message", "response", "notification", "text"} {
			got := read(t, row.Kind, nativeForm, fmt.Sprintf(`{%q:"new"}`, key))
			if slices.Contains(rewrites[row.Kind], key) {
				wantVerdict(t, got, checkrein.Verdict{Output: json.RawMessage(`"new"`)})
				wantFault(t, hookOn(row.Kind), nativeForm, printed(fmt.Sprintf(`{%q:5}`, key)))
				continue
			}
			if !got.Verdict.IsZero() || !slices.Equal(got.Ignored, []string{key}) {
				t.Errorf("%s: %s is read as %+v, ignored %q", row.Name, key, got.Verdict, got.Ignored)
			}
		}
	}
}

func TestMetadataCountsOnSomeLanes(t *testing.T) {
	t.Parallel()
	const stdout = `{"hook_specific_output":{"metadata":{"risk":"high","risk":"low"}}}`
	preempting := hookOn(checkrein.PreToolUse)
	preempting.Preempt = true
	tests := []struct {
		name string
		hook *checkrein.Hook
		form *hookfile.AnswerForm
		want bool
	}{
		{"permission_request", hookOn(checkrein.PermissionRequest), dockerForm, true},
		{"preempting lane", preempting, dockerForm, true},
		{"default lane", hookOn(checkrein.PreToolUse), dockerForm, false},
		{"native file", hookOn(checkrein.PreToolUse), nativeForm, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := answer.ReadOutput(tt.hook, tt.form, printed(stdout))
			if err != nil {
				t.Fatal(err)
			}
			if has := got.Metadata["risk"] == "low"; has != tt.want {
				t.Errorf("metadata %v, want it: %v", got.Metadata, tt.want)
			}
			if listed := slices.Contains(got.Ignored, "metadata"); listed == tt.want {
				t.Errorf("ignored %q", got.Ignored)
			}
		})
	}
}

func TestStrictOutput(t *testing.T) {
	t.Parallel()
	preempting := strictOn(checkrein.PreToolUse)
	preempting.Preempt = true
	tests := []struct {
		name   string
		hook   *checkrein.Hook
		stdout string
		want   bool // the answer is accepted
	}{
		{"empty", strictOn(checkrein.PreToolUse), "", true},
		{"white space", strictOn(checkrein.PreToolUse), " \n", true},
		{"empty object", strictOn(checkrein.PreToolUse), "{}", true},
		{"denial", strictOn(checkrein.PreToolUse), `{"decision":"block","reason":"a"}`, true},
		{"all that the event can do", preempting,
			`{"continue":true,"system_message":"m","suppress_output":false,"hook_specific_output":{"hook_event_name":"pre_tool_use","permission_decision":"ask","permission_decision_reason":"r","updated_input":{"a":1},"additional_context":"c","metadata":{"k":"v"}}}`, true},
		{"ask where asking is what happens next", strictOn(checkrein.PermissionRequest), `{"permission_decision":"ask","metadata":{"risk":"high"}}`, true},
		{"reason without a decision", strictOn(checkrein.PreToolUse), `{"continue":true,"stop_reason":"none"}`, true},
		{"plain text", strictOn(checkrein.SessionStart), "hello", false},
		{"unknown key", strictOn(checkrein.PreToolUse), `{"verdict":"no"}`, false},
		{"unknown nested key", strictOn(checkrein.PreToolUse), `{"hook_specific_output":{"verdict":"no"}}`, false},
		{"two objects", strictOn(checkrein.PreToolUse), `{}{}`, false},
		{"trailing text", strictOn(checkrein.PreToolUse), `{} done`, false},
		{"another event's name", strictOn(checkrein.PreToolUse), `{"hook_specific_output":{"hook_event_name":"stop"}}`, false},
		{"unsupported field", strictOn(checkrein.PreToolUse), `{"hook_specific_output":{"updated_tool_response":"x"}}`, false},
		{"context where there is none", strictOn(checkrein.ToolResponseTransform), `{"additional_context":"x"}`, false},
		{"metadata on the default lane", strictOn(checkrein.PreToolUse), `{"metadata":{"k":"v"}}`, false},
		{"block where nothing can be blocked", strictOn(checkrein.SessionEnd), `{"decision":"block"}`, false},
		{"continue false where nothing can be blocked", strictOn(checkrein.SessionEnd), `{"continue":false}`, false},
		{"ask where nobody is asked", strictOn(checkrein.Stop), `{"permission_decision":"ask"}`, false},
		{"suppressed output", strictOn(checkrein.PreToolUse), `{"suppress_output":true}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if !tt.want {
				wantFault(t, tt.hook, dockerForm, printed(tt.stdout))
				return
			}
			if _, err := answer.ReadOutput(tt.hook, dockerForm, printed(tt.stdout)); err != nil {
				t.Errorf("%s: %v", tt.stdout, err)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"", "{}", "text", `{"decision":"block"}`, `{"hookSpecificOutput":{"permissionDecision":"deny","updatedInput":{"a":1e5}}}`, `{"continue":false,"stopReason":"x"}`,
		`{"metadata":{"a":"b"},"message":"x","updated_messages":[{}],"summary":"s"}`, "\ufeff{}", `{"a`, "{\"reason\":\"\xff\"}",
	} {
		f.Add([]byte(s), []byte("err"), 0, byte(checkrein.PreToolUse), byte(0))
		f.Add([]byte(s), []byte{}, 2, byte(checkrein.Stop), byte(3))
	}
	f.Fuzz(func(t *testing.T, stdout, stderr []byte, exit int, kind, flags byte) {
		h := hookOn(checkrein.Kind(kind % byte(checkrein.NumKinds)))
		h.Strict, h.Preempt = flags&1 != 0, flags&2 != 0
		form := nativeForm
		if flags&4 != 0 {
			form = dockerForm
		}
		before := slices.Clone(stdout)
		ans, err := answer.ReadOutput(h, form, answer.Output{Stdout: stdout, Stderr: stderr, Exit: exit})
		if err != nil && !ans.Verdict.IsZero() {
			t.Errorf("beside the fault %v the verdict is %+v", err, ans.Verdict)
		}
		if exit == 2 && (err != nil || ans.Decision != checkrein.Deny) {
			t.Errorf("exit 2 is read as %v, %v", ans.Decision, err)
		}
		if ans.Decision == checkrein.Deny && ans.Reason == "" {
			t.Error("a denial without a reason")
		}
		if ans.Decision == checkrein.NoOpinion && ans.Reason != "" {
			t.Errorf("reason %q of no opinion", ans.Reason)
		}
		if string(before) != string(stdout) {
			t.Error("the output was written to")
		}
		call := checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{}}
		if _, _, err := checkrein.Apply(call, &checkrein.Verdict{Input: ans.Input}); err != nil {
			t.Errorf("the rewrite %s does not fit: %v", ans.Input, err)
		}
	})
}

// TestTextAroundAnAnswer checks that an answer with other text around it is a fault if the hook can
// deny, whereas text without an answer, or with the payload, is not.
func TestTextAroundAnAnswer(t *testing.T) {
	t.Parallel()
	const payload = `{"tool_name":"shell","tool_input":{"cmd":"ls"},"decision":"x"}`
	for _, tt := range []struct {
		name   string
		kind   checkrein.Kind
		stdout string
		fault  bool
	}{
		{"a line before", checkrein.PreToolUse, "checking\n{\"decision\":\"block\"}", true},
		{"on the same line", checkrein.PreToolUse, "DEBUG {\"decision\":\"block\"}", true},
		{"a line before and behind", checkrein.PreToolUse, "a\n{\"decision\":\"block\"}\nb", true},
		{"over lines", checkrein.PreToolUse, "a\n{\n  \"hookSpecificOutput\": {\"permissionDecision\": \"ask\"}\n}\n", true},
		{"an allow", checkrein.PreToolUse, "a\n{\"hook_specific_output\":{\"permission_decision\":\"allow\"}}", true},
		{"a rewrite", checkrein.PreToolUse, "a\n{\"updated_input\":{\"cmd\":\"ls\"}}", true},
		{"an unknown value", checkrein.PreToolUse, "a\n{\"hook_specific_output\":{\"permission_decision\":\"maybe\"}}", true},
		{"in a list", checkrein.PreToolUse, "[{\"decision\":\"block\"}]", true},
		{"behind another object", checkrein.PreToolUse, "a {} b\n{\"level\":\"info\"}\n{\"decision\":\"block\"}", true},
		{"cut off", checkrein.PreToolUse, "a\n{\"decision\":\"blo", true},
		{"encoded twice", checkrein.PreToolUse, `"{\"decision\": \"block\", \"reason\": \"a \\\"b\\\"\"}"`, true},
		{"encoded three times", checkrein.PreToolUse, `"\"{\\\"decision\\\": \\\"block\\\"}\""`, true},
		{"encoded with other escapes", checkrein.PreToolUse, `"\u007b\u0022decision\u0022:\u0022block\u0022}"`, true},
		{"encoded twice in a list", checkrein.PreToolUse, `["{\"decision\": \"block\"}"]`, true},
		{"encoded twice behind text", checkrein.PreToolUse, `answer: "{\"decision\":\n\"block\"}"`, true},
		{"an encoded text", checkrein.PreToolUse, `"all is \"well\""`, false},
		{"an encoded payload", checkrein.PreToolUse, strconv.Quote(payload), false},
		{"on an outbound message", checkrein.OnOutboundMessage, "a\n{\"decision\":\"block\"}", true},
		{"nothing in it", checkrein.PreToolUse, "all is well", false},
		{"no effect", checkrein.PreToolUse, "a\n{\"continue\":true}", false},
		{"the payload", checkrein.PreToolUse, "heard " + payload, false},
		{"code", checkrein.PreToolUse, "func f() {\n\treturn\n}\n  {\"x\"", false},
		{"where it is context", checkrein.SessionStart, "a\n{\"decision\":\"block\"}", false},
		{"on a stop", checkrein.Stop, "checking\n{\"decision\":\"block\",\"reason\":\"no\"}", true},
		{"on a prompt", checkrein.UserPromptSubmit, "checking\n{\"decision\": \"block\"}\n", true},
		{"on a prompt, a rewrite", checkrein.UserPromptSubmit, "checking\n{\n  \"prompt\": \"y\"\n}", true},
		{"on a prompt, an unknown value", checkrein.UserPromptSubmit, "checking\n{\"decision\":\"maybe\"}", true},
		{"on a permission", checkrein.PermissionRequest, "checking\n{\"hook_specific_output\":{\"permission_decision\":\"deny\"}}", true},
		{"on a sub-agent's stop", checkrein.SubagentStop, "checking\n{\"decision\":\"block\"}", true},
		{"on a compaction", checkrein.PreCompact, "checking\n{\"decision\":\"block\"}", true},
		{"on a result", checkrein.PostToolUse, "linted\n{\"decision\":\"block\",\"reason\":\"no\"}", true},
		{"a scrubbed output", checkrein.ToolResponseTransform, "scrubbing\n{\"updated_tool_response\":\"x\"}", true},
		{"context that ends in other JSON", checkrein.Stop, "package.json:\n{\"name\":\"x\",\"version\":\"1\"}", false},
		{"context that shows an answer", checkrein.UserPromptSubmit, "Gates print\n{\"decision\":\"block\"}\nto block.", false},
		{"context that mentions an answer", checkrein.Stop, "The gate printed {\"decision\":\"block\"}", false},
		{"context that ends in more context", checkrein.Stop, "x\n{\"additional_context\":\"y\"}", false},
		{"context that ends in a report", checkrein.PostToolUse, "coverage\n{\"summary\":{\"lines\":80},\"message\":{\"a\":1},\"log\":[1]}", false},
		{"context that ends in a log", checkrein.Stop, "last run\n{\"level\":\"info\",\"message\":\"x\",\"context\":{\"a\":1},\"reason\":[1]}", false},
		{"text of a scrubber", checkrein.ToolResponseTransform, "scrubbed 3 values", false},
		{"where nothing can be refused", checkrein.SessionEnd, "a\n{\"decision\":\"block\"}", false},
	} {
		ans, err := answer.ReadOutput(hookOn(tt.kind), &native.Dialect.Form, printed(tt.stdout))
		if tt.fault != errors.Is(err, answer.ErrExtraText) || err == nil && ans.Decision != checkrein.NoOpinion {
			t.Errorf("%s: %v, %+v", tt.name, err, ans.Verdict)
		}
	}
}

// TestTextAroundAnAnswerOfDockerAgent checks that such text stays context, with a notice, on events
// that accept plain text, because docker-agent treats everything that is not JSON as context there.
func TestTextAroundAnAnswerOfDockerAgent(t *testing.T) {
	t.Parallel()
	const stdout = "checking\n{\"decision\":\"block\"}"
	for _, row := range checkrein.Contracts() {
		ans, err := answer.ReadOutput(hookOn(row.Kind), dockerForm, printed(stdout))
		switch {
		case row.Plain && row.Can(checkrein.CanDeny):
			if err != nil || !slices.Equal(ans.Context, []string{stdout}) || len(ans.Notice) != 1 {
				t.Errorf("%s: %v, %+v", row.Name, err, ans.Verdict)
			}
		case errors.Is(err, answer.ErrExtraText) != row.Can(checkrein.CanDeny):
			t.Errorf("%s: %v", row.Name, err)
		}
	}
}
