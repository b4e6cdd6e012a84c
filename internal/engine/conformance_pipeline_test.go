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

// Item 25: rewriting hooks run one after another.
func TestConformancePipeline(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T){
		"25 patches compose in order":               conformCompose,
		"25 observers see rewrites":                 conformObserve,
		"25 a failure in the middle":                conformMiddle,
		"25 an invalid rewrite keeps a deny":        conformInvalid,
		"25 an empty patch is no rewrite":           conformNoRewrite,
		"25 responses and messages":                 conformOtherSubjects,
		"25 the model judge sees the rewritten one": conformJudge,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// patchHook prints a patch of the input.
func patchHook(patch string, more ...string) string {
	return prints(`{"hook_specific_output":{"updated_input":`+patch+`}}`, more...)
}

// call is a shell call with some arguments.
func call(input string) checkrein.Event {
	ev := shell("")
	ev.Tool = &checkrein.Tool{Name: "shell", Input: []byte(input)}
	return ev
}

func conformCompose(t *testing.T) {
	k := agentKit(t, onEvent(checkrein.PreToolUse, patchHook(`{"cmd":"a","x":1}`), patchHook(`{"cmd":"b"}`), patchHook(`{"x":null,"y":{"z":2}}`)))
	ev := call(`{"cmd":"ls","cwd":".","n":1.10}`)
	out := k.Decide(t.Context(), ev)
	if got, want := string(out.Verdict.Input), `{"cmd":"b","cwd":".","n":1.10,"y":{"z":2}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := string(ev.Tool.Input); got != `{"cmd":"ls","cwd":".","n":1.10}` {
		t.Errorf("the caller's input became %s", got)
	}
}

func conformObserve(t *testing.T) {
	dir := t.TempDir()
	note := func(name string) string { return sh("cat > '" + filepath.Join(dir, name) + "'") }
	k := agentKit(t, onEvent(checkrein.PreToolUse, note("first"), patchHook(`{"cmd":"one"}`), note("second"), patchHook(`{"cmd":"two"}`), note("third")))
	k.Decide(t.Context(), shell("zero"))
	for name, want := range map[string]string{"first": "zero", "second": "one", "third": "two"} {
		body, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		wantText(t, string(body), `"tool_input":{"cmd":"`+want+`"}`)
	}
}

func conformMiddle(t *testing.T) {
	for _, bad := range []string{sh("exit 1"), sh("exec sleep 60", "timeout: 0.05"), sh("echo '{'"), sh("exit 2")} {
		k := agentKit(t, onEvent(checkrein.PreToolUse, patchHook(`{"x":1}`), bad, patchHook(`{"y":2}`)))
		out := k.Decide(t.Context(), call(`{"cmd":"ls"}`))
		wantDecision(t, out, checkrein.Deny)
		if got, want := string(out.Event.Tool.Input), `{"cmd":"ls","x":1,"y":2}`; got != want {
			t.Errorf("%s: got %s, want %s", bad, got, want)
		}
	}
}

func conformInvalid(t *testing.T) {
	deny := prints(`{"hook_specific_output":{"permission_decision":"deny","permission_decision_reason":"mine","updated_input":"ls"}}`)
	out := agentKit(t, onEvent(checkrein.PreToolUse, deny, patchHook(`{"x":1}`))).Decide(t.Context(), call(`{"cmd":"ls"}`))
	wantDecision(t, out, checkrein.Deny)
	if got, want := string(out.Event.Tool.Input), `{"cmd":"ls","x":1}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func conformNoRewrite(t *testing.T) {
	for _, patch := range []string{`{}`, `null`, `{"cmd":"ls"}`} {
		out := agentKit(t, onEvent(checkrein.PreToolUse, patchHook(patch))).Decide(t.Context(), call(`{"cmd":"ls"}`))
		if !out.Verdict.IsZero() {
			t.Errorf("%s: got %s", patch, out.JSON(true))
		}
	}
}

func conformOtherSubjects(t *testing.T) {
	upper := sh(`printf '{"hook_specific_output":{"updated_tool_response":%s}}' "$(sed 's/.*"tool_response":\("[^"]*"\).*/\1/' | tr a-z A-Z)"`)
	more := sh(`printf '{"hook_specific_output":{"updated_tool_response":%s}}' "$(sed 's/.*"tool_response":"\([^"]*\)".*/"\1 and more"/')"`)
	out := ask(t, agentKit(t, onEvent(checkrein.ToolResponseTransform, upper, more)), checkrein.ToolResponseTransform)
	if got, want := string(out.Verdict.Output), `"OUT and more"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	clear := prints(`{"hook_specific_output":{"updated_tool_response":""}}`)
	if out := ask(t, agentKit(t, onEvent(checkrein.ToolResponseTransform, clear)), checkrein.ToolResponseTransform); string(out.Verdict.Output) != `""` {
		t.Errorf("clearing: got %s", out.JSON(true))
	}
	for answer, want := range map[string]string{`[]`: ``, `null`: ``, `[{"role":"user","content":"x"}]`: `[{"role":"user","content":"x"}]`} {
		out := ask(t, agentKit(t, onEvent(checkrein.BeforeLLMCall, prints(`{"hook_specific_output":{"updated_messages":`+answer+`}}`))), checkrein.BeforeLLMCall)
		if got := string(out.Verdict.Messages); got != want {
			t.Errorf("messages %s: got %s, want %s", answer, got, want)
		}
	}
}

func conformJudge(t *testing.T) {
	judge := &recorder{name: "model", ran: make(chan string, 9), says: func(_ checkrein.Hook, ev checkrein.Event) checkrein.Verdict {
		return checkrein.Verdict{Decision: checkrein.Ask, Reason: "judged " + command(ev)}
	}}
	k := agentKit(t, onEvent(checkrein.PreToolUse, patchHook(`{"cmd":"rewritten"}`), `{type: model, model: a/b, prompt: p}`),
		func(o *app.Options) { o.Handlers = []checkrein.HandlerType{judge.row()} })
	wantText(t, k.Decide(t.Context(), shell("ls")).Verdict.Reason, "judged rewritten")
}

// Items 28 to 32: many answers become one.
func TestConformanceAggregation(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T){
		"28 the most restrictive decision":  conformRestrictive,
		"29 metadata":                       conformMetadata,
		"30 permission_request":             conformPermission,
		"30 permission_request's input":     conformPermissionInput,
		"31 compaction":                     conformCompaction,
		"32 block and continue: false stop": conformStops,
		"28 what joins and how":             conformJoins,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// verdict prints a permission decision.
func verdict(d, reason string) string {
	return prints(fmt.Sprintf(`{"hook_specific_output":{"permission_decision":%q,"permission_decision_reason":%q}}`, d, reason))
}

func conformRestrictive(t *testing.T) {
	for _, tt := range []struct {
		says   string // decisions in order
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
			entries = append(entries, verdict(d, fmt.Sprint(i)))
		}
		out := ask(t, agentKit(t, onEvent(checkrein.PreToolUse, entries...)), checkrein.PreToolUse)
		wantDecision(t, out, tt.want)
		if out.Verdict.Reason != tt.reason {
			t.Errorf("%s: reason %q, want %q", tt.says, out.Verdict.Reason, tt.reason)
		}
	}
	for _, kind := range []checkrein.Kind{checkrein.TurnStart, checkrein.PostToolUse, checkrein.SessionEnd} {
		out := ask(t, agentKit(t, onEvent(kind, verdict("allow", "x"))), kind)
		wantDecision(t, out, checkrein.NoOpinion)
		if len(out.Dropped) != 1 {
			t.Errorf("%s: dropped %+v", kind, out.Dropped)
		}
	}
}

func conformMetadata(t *testing.T) {
	meta := func(m string) string { return prints(`{"hook_specific_output":{"metadata":` + m + `}}`) }
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
		out := ask(t, agentKit(t, tt.hooks), tt.kind)
		if got := fmt.Sprint(out.Verdict.Metadata); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func conformPermission(t *testing.T) {
	for says, want := range map[string]checkrein.Decision{"allow": checkrein.Allow, "deny": checkrein.Deny, "ask": checkrein.NoOpinion, "allow deny": checkrein.Deny, "ask allow": checkrein.NoOpinion} {
		var entries []string
		for _, d := range strings.Fields(says) {
			entries = append(entries, verdict(d, "why"))
		}
		out := ask(t, agentKit(t, onEvent(checkrein.PermissionRequest, entries...)), checkrein.PermissionRequest)
		if says == "ask allow" && out.Verdict.Decision != checkrein.NoOpinion {
			t.Errorf("%s: an ask beside an allow is lost: %v", says, out.Verdict.Decision)
		}
		wantDecision(t, out, want)
	}
	wantDecision(t, ask(t, agentKit(t, onEvent(checkrein.PermissionRequest, sh("exit 2"))), checkrein.PermissionRequest), checkrein.Deny)
}

func conformPermissionInput(t *testing.T) {
	allow := prints(`{"hook_specific_output":{"permission_decision":"allow","updated_input":{"cmd":"ls -la"}}}`)
	out := ask(t, agentKit(t, onEvent(checkrein.PermissionRequest, allow)), checkrein.PermissionRequest)
	wantDecision(t, out, checkrein.Allow)
	if got := command(out.Event); got != "ls -la" || len(out.Dropped) > 0 {
		t.Errorf("the command is %q, dropped %v", got, out.Dropped)
	}
}

func conformCompaction(t *testing.T) {
	sum := func(s string) string { return prints(`{"hook_specific_output":{"summary":"` + s + `"}}`) }
	for _, tt := range []struct {
		name    string
		hooks   []string
		want    checkrein.Decision
		summary string
	}{
		{"by default", []string{sh("true")}, checkrein.NoOpinion, ""},
		{"exit 2", []string{sh("exit 2")}, checkrein.Deny, ""},
		{"permission_decision: deny", []string{verdict("deny", "no")}, checkrein.Deny, ""},
		{"a summary", []string{sum("short")}, checkrein.NoOpinion, "short"},
		{"the first one", []string{sum(""), sum("first"), sum("second")}, checkrein.NoOpinion, "first"},
	} {
		out := ask(t, agentKit(t, onEvent(checkrein.BeforeCompaction, tt.hooks...)), checkrein.BeforeCompaction)
		wantDecision(t, out, tt.want)
		if out.Verdict.Summary != tt.summary {
			t.Errorf("%s: summary %q, want %q", tt.name, out.Verdict.Summary, tt.summary)
		}
	}
	out := ask(t, agentKit(t, onEvent(checkrein.AfterCompaction, sum("late"), sh("exit 2"))), checkrein.AfterCompaction)
	if out.Verdict.Decision != checkrein.NoOpinion || out.Verdict.Summary != "" || len(out.Dropped) != 2 {
		t.Errorf("after it: got %s", out.JSON(true))
	}
}

func conformStops(t *testing.T) {
	for _, kind := range []checkrein.Kind{checkrein.PostToolUse, checkrein.BeforeLLMCall, checkrein.UserPromptSubmit, checkrein.UserSteeringMessagesSubmit, checkrein.UserFollowupSubmit, checkrein.PreCompact} {
		for _, hook := range []string{prints(`{"decision":"block","reason":"why"}`), prints(`{"continue":false,"stop_reason":"why"}`), sh("echo why >&2; exit 2")} {
			out := ask(t, agentKit(t, onEvent(kind, sh("true"), hook)), kind)
			wantDecision(t, out, checkrein.Deny)
			wantText(t, out.Verdict.Reason, "why")
		}
	}
	out := ask(t, agentKit(t, onEvent(checkrein.Stop, prints(`{"decision":"block","reason":"tests are red"}`))), checkrein.Stop)
	if out.Redo == nil || out.Redo.Reason != "tests are red" || out.Redo.Attempt != 1 {
		t.Errorf("stop: got %s", out.JSON(true))
	}
}

func conformJoins(t *testing.T) {
	say := func(n string) string {
		return prints(`{"system_message":"m` + n + `","hook_specific_output":{"additional_context":"c` + n + `"}}`)
	}
	out := ask(t, agentKit(t, onEvent(checkrein.PostToolUse, say("1"), sh("echo c2"), say("3"))), checkrein.PostToolUse)
	if got := strings.Join(out.Verdict.Context, " ") + " " + strings.Join(out.Verdict.Notice, " "); got != "c1 c2 c3 m1 m3" {
		t.Errorf("got %s", got)
	}
}
