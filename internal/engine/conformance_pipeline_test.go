package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
)

// TestConformancePipeline checks item 25: rewriting hooks run one after another.
func TestConformancePipeline(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T){
		"25 patches compose in order":               checkComposition,
		"25 observers see rewrites":                 checkObservers,
		"25 a failure in the middle":                checkFailureInMiddle,
		"25 an invalid rewrite keeps a deny":        checkInvalidRewrites,
		"25 an empty patch is no rewrite":           checkNonRewritingHooks,
		"25 responses and messages":                 checkOtherSubjects,
		"25 the model judge sees the rewritten one": checkRejudging,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// patchHook returns the YAML for a hook that prints a patch of the tool's input.
func patchHook(patch string, more ...string) string {
	return printHook(`{"hook_specific_output":{"updated_input":`+patch+`}}`, more...)
}

// shellCall returns the event of a shell call with the arguments input.
func shellCall(input string) checkrein.Event {
	ev := shellEvent("")
	ev.Tool = &checkrein.Tool{Name: "shell", Input: []byte(input)}
	return ev
}

func checkComposition(t *testing.T) {
	k := agentKit(t, hooksOn(checkrein.PreToolUse, patchHook(`{"cmd":"a","x":1}`), patchHook(`{"cmd":"b"}`), patchHook(`{"x":null,"y":{"z":2}}`)))
	ev := shellCall(`{"cmd":"ls","cwd":".","n":1.10}`)
	out := k.Decide(t.Context(), ev)
	if got, want := string(out.Verdict.Input), `{"cmd":"b","cwd":".","n":1.10,"y":{"z":2}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := string(ev.Tool.Input); got != `{"cmd":"ls","cwd":".","n":1.10}` {
		t.Errorf("the caller's input became %s", got)
	}
}

func checkObservers(t *testing.T) {
	dir := t.TempDir()
	note := func(name string) string { return scriptHook("cat > '" + filepath.Join(dir, name) + "'") }
	k := agentKit(t, hooksOn(checkrein.PreToolUse, note("first"), patchHook(`{"cmd":"one"}`), note("second"), patchHook(`{"cmd":"two"}`), note("third")))
	k.Decide(t.Context(), shellEvent("zero"))
	for name, want := range map[string]string{"first": "zero", "second": "one", "third": "two"} {
		body, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		wantText(t, string(body), `"tool_input":{"cmd":"`+want+`"}`)
	}
}

func checkFailureInMiddle(t *testing.T) {
	for _, bad := range []string{scriptHook("exit 1"), scriptHook("exec sleep 60", "timeout: 0.05"), scriptHook("echo '{'"), scriptHook("exit 2")} {
		k := agentKit(t, hooksOn(checkrein.PreToolUse, patchHook(`{"x":1}`), bad, patchHook(`{"y":2}`)))
		out := k.Decide(t.Context(), shellCall(`{"cmd":"ls"}`))
		wantDecision(t, out, checkrein.Deny)
		if got, want := string(out.Event.Tool.Input), `{"cmd":"ls","x":1,"y":2}`; got != want {
			t.Errorf("%s: got %s, want %s", bad, got, want)
		}
	}
}

func checkInvalidRewrites(t *testing.T) {
	deny := printHook(`{"hook_specific_output":{"permission_decision":"deny","permission_decision_reason":"mine","updated_input":"ls"}}`)
	out := agentKit(t, hooksOn(checkrein.PreToolUse, deny, patchHook(`{"x":1}`))).Decide(t.Context(), shellCall(`{"cmd":"ls"}`))
	wantDecision(t, out, checkrein.Deny)
	if got, want := string(out.Event.Tool.Input), `{"cmd":"ls","x":1}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func checkNonRewritingHooks(t *testing.T) {
	for _, patch := range []string{`{}`, `null`, `{"cmd":"ls"}`} {
		out := agentKit(t, hooksOn(checkrein.PreToolUse, patchHook(patch))).Decide(t.Context(), shellCall(`{"cmd":"ls"}`))
		if !out.Verdict.IsZero() {
			t.Errorf("%s: got %s", patch, out.JSON(true))
		}
	}
}

func checkOtherSubjects(t *testing.T) {
	upper := scriptHook(`printf '{"hook_specific_output":{"updated_tool_response":%s}}' "$(sed 's/.*"tool_response":\("[^"]*"\).*/\1/' | tr a-z A-Z)"`)
	more := scriptHook(`printf '{"hook_specific_output":{"updated_tool_response":%s}}' "$(sed 's/.*"tool_response":"\([^"]*\)".*/"\1 and more"/')"`)
	out := decideKind(t, agentKit(t, hooksOn(checkrein.ToolResponseTransform, upper, more)), checkrein.ToolResponseTransform)
	if got, want := string(out.Verdict.Output), `"OUT and more"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	clear := printHook(`{"hook_specific_output":{"updated_tool_response":""}}`)
	if out := decideKind(t, agentKit(t, hooksOn(checkrein.ToolResponseTransform, clear)), checkrein.ToolResponseTransform); string(out.Verdict.Output) != `""` {
		t.Errorf("clearing: got %s", out.JSON(true))
	}
	for answer, want := range map[string]string{`[]`: ``, `null`: ``, `[{"role":"user","content":"x"}]`: `[{"role":"user","content":"x"}]`} {
		out := decideKind(t, agentKit(t, hooksOn(checkrein.BeforeLLMCall, printHook(`{"hook_specific_output":{"updated_messages":`+answer+`}}`))), checkrein.BeforeLLMCall)
		if got := string(out.Verdict.Messages); got != want {
			t.Errorf("messages %s: got %s, want %s", answer, got, want)
		}
	}
}

func checkRejudging(t *testing.T) {
	judge := &recorder{name: "model", ran: make(chan string, 9), says: func(_ checkrein.Hook, ev checkrein.Event) checkrein.Verdict {
		return checkrein.Verdict{Decision: checkrein.Ask, Reason: "judged " + shellCommand(ev)}
	}}
	k := agentKit(t, hooksOn(checkrein.PreToolUse, patchHook(`{"cmd":"rewritten"}`), `{type: model, model: a/b, prompt: p}`),
		func(o *app.Options) { o.Handlers = []checkrein.HandlerType{judge.handlerType()} })
	wantText(t, k.Decide(t.Context(), shellEvent("ls")).Verdict.Reason, "judged rewritten")
}

// TestConformanceAggregation checks items 28 to 32: how several answers are merged.
func TestConformanceAggregation(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T){
		"28 the most restrictive decision":  checkStrictestDecision,
		"29 metadata":                       checkMetadata,
		"30 permission_request":             checkPermissionRequest,
		"30 permission_request's input":     checkPermissionInput,
		"31 compaction":                     checkCompaction,
		"32 block and continue: false stop": checkStops,
		"28 what joins and how":             checkJoinedTexts,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// permissionAnswer returns an answer with the permission decision d.
func permissionAnswer(d, reason string) string {
	return printHook(fmt.Sprintf(`{"hook_specific_output":{"permission_decision":%q,"permission_decision_reason":%q}}`, d, reason))
}

func checkStrictestDecision(t *testing.T) {
	for _, tt := range []struct {
		says   string // the decisions of the hooks, in order
		want   checkrein.Decision
		reason string
	}{
		{"allow", checkrein.Allow, "0"},
		{"allow allow", checkrein.Allow, "0"},
		{"allow ask allow", checkrein.Ask, "1"},
		{"ask ask", checkrein.Ask, "0"},
		{"deny allow ask", checkrein.Deny, "0"},
		{"ask deny deny", checkrein.Deny, "1\n2"},
	} {
		var entries []string
		for i, d := range strings.Fields(tt.says) {
			entries = append(entries, permissionAnswer(d, fmt.Sprint(i)))
		}
		out := decideKind(t, agentKit(t, hooksOn(checkrein.PreToolUse, entries...)), checkrein.PreToolUse)
		wantDecision(t, out, tt.want)
		if out.Verdict.Reason != tt.reason {
			t.Errorf("%s: reason %q, want %q", tt.says, out.Verdict.Reason, tt.reason)
		}
	}
	for _, kind := range []checkrein.Kind{checkrein.TurnStart, checkrein.PostToolUse, checkrein.SessionEnd} {
		out := decideKind(t, agentKit(t, hooksOn(kind, permissionAnswer("allow", "x"))), kind)
		wantDecision(t, out, checkrein.NoOpinion)
		if len(out.Dropped) != 1 {
			t.Errorf("%s: dropped %+v", kind, out.Dropped)
		}
	}
}

func checkMetadata(t *testing.T) {
	meta := func(m string) string { return printHook(`{"hook_specific_output":{"metadata":` + m + `}}`) }
	two := meta(`{"a":"1","b":"1"}`) + ", " + meta(`{"b":"2","c":"2"}`)
	for _, tt := range []struct {
		name, hooks string
		kind        checkrein.Kind
		want        string
	}{
		{"permission_request", "permission_request: [{hooks: [" + two + "]}]", checkrein.PermissionRequest, "map[a:1 b:2 c:2]"},
		{"preempting lane", "pre_tool_use: [{preempt_yolo: true, hooks: [" + two + "]}]", checkrein.PreToolUse, "map[a:1 b:2 c:2]"},
		{"default lane", "pre_tool_use: [{hooks: [" + two + "]}]", checkrein.PreToolUse, "map[]"},
		{"elsewhere", "post_tool_use: [{hooks: [" + two + "]}]", checkrein.PostToolUse, "map[]"},
	} {
		out := decideKind(t, agentKit(t, tt.hooks), tt.kind)
		if got := fmt.Sprint(out.Verdict.Metadata); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func checkPermissionRequest(t *testing.T) {
	for says, want := range map[string]checkrein.Decision{"allow": checkrein.Allow, "deny": checkrein.Deny, "ask": checkrein.NoOpinion, "allow deny": checkrein.Deny, "ask allow": checkrein.NoOpinion} {
		var entries []string
		for _, d := range strings.Fields(says) {
			entries = append(entries, permissionAnswer(d, "why"))
		}
		out := decideKind(t, agentKit(t, hooksOn(checkrein.PermissionRequest, entries...)), checkrein.PermissionRequest)
		if says == "ask allow" && out.Verdict.Decision != checkrein.NoOpinion {
			t.Errorf("%s: an ask beside an allow is lost: %v", says, out.Verdict.Decision)
		}
		wantDecision(t, out, want)
	}
	wantDecision(t, decideKind(t, agentKit(t, hooksOn(checkrein.PermissionRequest, scriptHook("exit 2"))), checkrein.PermissionRequest), checkrein.Deny)
}

func checkPermissionInput(t *testing.T) {
	allow := printHook(`{"hook_specific_output":{"permission_decision":"allow","updated_input":{"cmd":"ls -la"}}}`)
	out := decideKind(t, agentKit(t, hooksOn(checkrein.PermissionRequest, allow)), checkrein.PermissionRequest)
	wantDecision(t, out, checkrein.Allow)
	if got := shellCommand(out.Event); got != "ls -la" || len(out.Dropped) > 0 {
		t.Errorf("the command is %q, dropped %v", got, out.Dropped)
	}
}

func checkCompaction(t *testing.T) {
	sum := func(s string) string { return printHook(`{"hook_specific_output":{"summary":"` + s + `"}}`) }
	for _, tt := range []struct {
		name    string
		hooks   []string
		want    checkrein.Decision
		summary string
	}{
		{"by default", []string{scriptHook("true")}, checkrein.NoOpinion, ""},
		{"exit 2", []string{scriptHook("exit 2")}, checkrein.Deny, ""},
		{"permission_decision: deny", []string{permissionAnswer("deny", "no")}, checkrein.Deny, ""},
		{"a summary", []string{sum("short")}, checkrein.NoOpinion, "short"},
		{"the first one", []string{sum(""), sum("first"), sum("second")}, checkrein.NoOpinion, "first"},
	} {
		out := decideKind(t, agentKit(t, hooksOn(checkrein.BeforeCompaction, tt.hooks...)), checkrein.BeforeCompaction)
		wantDecision(t, out, tt.want)
		if out.Verdict.Summary != tt.summary {
			t.Errorf("%s: summary %q, want %q", tt.name, out.Verdict.Summary, tt.summary)
		}
	}
	out := decideKind(t, agentKit(t, hooksOn(checkrein.AfterCompaction, sum("late"), scriptHook("exit 2"))), checkrein.AfterCompaction)
	if out.Verdict.Decision != checkrein.NoOpinion || out.Verdict.Summary != "" || len(out.Dropped) != 2 {
		t.Errorf("after it: got %s", out.JSON(true))
	}
}

func checkStops(t *testing.T) {
	for _, kind := range []checkrein.Kind{checkrein.PostToolUse, checkrein.BeforeLLMCall, checkrein.UserPromptSubmit, checkrein.UserSteeringMessagesSubmit, checkrein.UserFollowupSubmit, checkrein.PreCompact} {
		for _, hook := range []string{printHook(`{"decision":"block","reason":"why"}`), printHook(`{"continue":false,"stop_reason":"why"}`), scriptHook("echo why >&2; exit 2")} {
			out := decideKind(t, agentKit(t, hooksOn(kind, scriptHook("true"), hook)), kind)
			wantDecision(t, out, checkrein.Deny)
			wantText(t, out.Verdict.Reason, "why")
		}
	}
	out := decideKind(t, agentKit(t, hooksOn(checkrein.Stop, printHook(`{"decision":"block","reason":"tests are red"}`))), checkrein.Stop)
	if out.Redo == nil || out.Redo.Reason != "tests are red" || out.Redo.Attempt != 1 {
		t.Errorf("stop: got %s", out.JSON(true))
	}
}

func checkJoinedTexts(t *testing.T) {
	say := func(n string) string {
		return printHook(`{"system_message":"m` + n + `","hook_specific_output":{"additional_context":"c` + n + `"}}`)
	}
	out := decideKind(t, agentKit(t, hooksOn(checkrein.PostToolUse, say("1"), scriptHook("echo c2"), say("3"))), checkrein.PostToolUse)
	if got := strings.Join(out.Verdict.Context, " ") + " " + strings.Join(out.Verdict.Notice, " "); got != "c1 c2 c3 m1 m3" {
		t.Errorf("got %s", got)
	}
}
