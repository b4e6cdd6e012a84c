package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/hook/payload"
)

// TestConformanceDispatch checks items 14 to 27, except for 19, 25 and 27, which have their own files:
// protocol and dispatch.
func TestConformanceDispatch(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T){
		"14 continue and decision":          checkContinue,
		"15 payload":                        checkPayload,
		"16 no matching hook":               checkNoMatch,
		"17 plain text":                     checkPlainText,
		"18 exit 2 and JSON block":          checkBlocking,
		"20 cancellation and failure":       checkCancellation,
		"21 what cannot be dispatched":      checkUndispatchable,
		"22 environment and directory":      checkWorkingDir,
		"23 dedup":                          checkDedup,
		"24 registration":                   checkRegistration,
		"26 the rest runs at the same time": checkConcurrency,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

func checkContinue(t *testing.T) {
	for _, tt := range []struct {
		answer string
		want   checkrein.Decision
		fault  bool
	}{
		{`{}`, checkrein.NoOpinion, false},
		{``, checkrein.NoOpinion, false},
		{`{"continue":true}`, checkrein.NoOpinion, false},
		{`{"continue":null}`, checkrein.NoOpinion, false},
		{`{"continue":false}`, checkrein.Deny, false},
		{`{"continue":false,"stop_reason":"enough"}`, checkrein.Deny, false},
		{`{"decision":"block"}`, checkrein.Deny, false},
		{`{"decision":""}`, checkrein.NoOpinion, false},
		{`{"decision":"approve"}`, checkrein.Deny, true},
		{`{"decision":"allow"}`, checkrein.Deny, true},
		{`{"decision":"Block"}`, checkrein.Deny, true},
		{`{"continue":"no"}`, checkrein.Deny, true},
	} {
		out := decideKind(t, agentKit(t, hooksOn(checkrein.PreToolUse, printHook(tt.answer))), checkrein.PreToolUse)
		wantDecision(t, out, tt.want)
		if got := out.Steps[0].Fault != nil; got != tt.fault {
			t.Errorf("%s: a fault: %v, want %v", tt.answer, got, tt.fault)
		}
		if tt.want == checkrein.Deny && out.Verdict.Reason == "" {
			t.Errorf("%s: a denial without a reason", tt.answer)
		}
	}
}

// receivedPayload returns the payload that a command hook gets for ev.
func receivedPayload(t *testing.T, ev checkrein.Event) map[string]any {
	t.Helper()
	saw := filepath.Join(t.TempDir(), "saw")
	k := agentKit(t, hooksOn(ev.Kind, scriptHook("cat > '"+saw+"'")))
	k.Decide(t.Context(), ev)
	body, err := os.ReadFile(saw)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return got
}

func checkPayload(t *testing.T) {
	for _, tt := range []struct {
		name, payload, want string
	}{
		{"tool", `{"hook_event_name":"pre_tool_use","session_id":"s","cwd":"/","tool_name":"shell","tool_use_id":"c1","tool_input":{"cmd":"ls"},"agent_name":"root","safety_policy":"balanced"}`,
			`{"agent_name":"root","cwd":"/","hook_event_name":"pre_tool_use","safety_policy":"balanced","session_id":"s","tool_input":{"cmd":"ls"},"tool_name":"shell","tool_use_id":"c1"}`},
		{"zero fields are left out", `{"hook_event_name":"post_tool_use","session_id":"","cwd":"/","tool_name":"shell","tool_use_id":"","tool_response":"ok","tool_error":false}`,
			`{"cwd":"/","hook_event_name":"post_tool_use","session_id":"","tool_name":"shell","tool_response":"ok"}`},
		{"a failed tool", `{"hook_event_name":"post_tool_use","cwd":"/","tool_name":"shell","tool_response":"boom","tool_error":true}`,
			`{"cwd":"/","hook_event_name":"post_tool_use","session_id":"","tool_error":true,"tool_name":"shell","tool_response":"boom"}`},
		{"compaction", `{"hook_event_name":"before_compaction","session_id":"s","cwd":"/","input_tokens":181000,"output_tokens":4200,"context_limit":200000,"compaction_reason":"threshold"}`,
			`{"compaction_reason":"threshold","context_limit":200000,"cwd":"/","hook_event_name":"before_compaction","input_tokens":181000,"output_tokens":4200,"session_id":"s"}`},
		{"a call and its price", `{"hook_event_name":"after_llm_call","session_id":"s","cwd":"/","model_id":"a/b","stop_response":"Done.","last_user_message":"go","usage":{"input_tokens":9},"cost":0}`,
			`{"cost":0,"cwd":"/","hook_event_name":"after_llm_call","last_user_message":"go","model_id":"a/b","session_id":"s","stop_response":"Done.","usage":{"input_tokens":9}}`},
		{"arguments that are no object", `{"hook_event_name":"post_tool_use","cwd":"/","tool_name":"shell","tool_input":"{broken"}`,
			`{"cwd":"/","hook_event_name":"post_tool_use","session_id":"","tool_name":"shell"}`},
	} {
		ev, err := payload.ReadEvent([]byte(tt.payload), "")
		if err != nil {
			t.Fatal(err)
		}
		got, _ := json.Marshal(receivedPayload(t, ev))
		if string(got) != tt.want {
			t.Errorf("%s: got  %s\nwant %s", tt.name, got, tt.want)
		}
	}
	ev := shellEvent("ls")
	ev.Tool = &checkrein.Tool{Name: "shell"} // its arguments were no object
	if got := receivedPayload(t, ev); got["tool_input"] != nil {
		t.Errorf("arguments that are no object: got %v", got["tool_input"])
	}
}

func checkNoMatch(t *testing.T) {
	k := agentKit(t, "pre_tool_use: [{matcher: edit_file, hooks: ["+scriptHook("exit 2")+"]}]")
	out := k.Decide(t.Context(), shellEvent("ls"))
	if !out.Verdict.IsZero() || len(out.Steps) != 0 {
		t.Errorf("got %s", out.JSON(true))
	}
}

// contextEvents are the events on which plain text counts as context.
var contextEvents = []checkrein.Kind{checkrein.SessionStart, checkrein.UserPromptSubmit, checkrein.UserSteeringMessagesSubmit, checkrein.UserFollowupSubmit,
	checkrein.TurnStart, checkrein.PostToolUse, checkrein.PreCompact, checkrein.Stop, checkrein.WorktreeCreate}

func checkPlainText(t *testing.T) {
	for _, kind := range dockerAgentEvents {
		out := decideKind(t, agentKit(t, hooksOn(kind, scriptHook("echo '  hello '"), scriptHook("echo '[1]'"))), kind)
		got, want := strings.Join(out.Verdict.Context, "\n"), ""
		if slices.Contains(contextEvents, kind) {
			want = "hello\n[1]"
		}
		if got != want {
			t.Errorf("%s: got context %q, want %q", kind, got, want)
		}
		if ignored := len(out.Steps[0].Answer.Ignored) == 1; ignored == (want != "") {
			t.Errorf("%s: ignored %v", kind, out.Steps[0].Answer.Ignored)
		}
	}
}

// blockableEvents are docker-agent's events that can be blocked.
var blockableEvents = []checkrein.Kind{checkrein.PreToolUse, checkrein.PostToolUse, checkrein.PermissionRequest, checkrein.UserPromptSubmit, checkrein.UserSteeringMessagesSubmit,
	checkrein.UserFollowupSubmit, checkrein.BeforeLLMCall, checkrein.PreCompact, checkrein.BeforeCompaction, checkrein.WorktreeCreate,
	checkrein.Stop, checkrein.SubagentStop} // checkrein adds the last two: the agent goes on

func checkBlocking(t *testing.T) {
	for _, tt := range []struct{ name, hook, reason string }{
		{"exit 2 with stderr", scriptHook("echo why >&2; exit 2"), "why"},
		{"exit 2 with JSON", scriptHook(`echo '{"decision":"block","reason":"from JSON"}'; exit 2`), "from JSON"},
		{"exit 2 with both", scriptHook(`echo '{"reason":"from JSON"}'; echo why >&2; exit 2`), "why"},
		{"exit 2 alone", scriptHook("exit 2", "name: mute"), `blocked by hook "mute"`},
		{"exit 2, and JSON that says otherwise", scriptHook(`echo '{"hook_specific_output":{"permission_decision":"allow"}}'; exit 2`, "name: mute"), `blocked by hook "mute"`},
		{"JSON", printHook(`{"decision":"block","reason":"why"}`), "why"},
	} {
		for _, kind := range dockerAgentEvents {
			out := decideKind(t, agentKit(t, hooksOn(kind, tt.hook)), kind)
			if slices.Contains(blockableEvents, kind) {
				wantDecision(t, out, checkrein.Deny)
				wantText(t, out.Verdict.Reason, tt.reason)
				continue
			}
			wantDecision(t, out, checkrein.NoOpinion)
			wantText(t, fmt.Sprint(out.Verdict.Notice), tt.reason)
			if len(out.Dropped) != 1 || out.Dropped[0].Effect != "deny" {
				t.Errorf("%s, %s: dropped %+v", tt.name, kind, out.Dropped)
			}
		}
	}
}

func checkCancellation(t *testing.T) {
	ready := filepath.Join(t.TempDir(), "ready")
	k := agentKit(t, "pre_tool_use: [{hooks: ["+scriptHook("echo started > '"+ready+"'; exec sleep 60")+"]}]")
	ctx, cancel := context.WithCancel(t.Context())
	if err := mkfifo(ready); err != nil {
		t.Skip(err)
	}
	go func() {
		_, _ = os.ReadFile(ready) // blocks until the hook runs
		cancel()
	}()
	out := k.Decide(ctx, shellEvent("ls"))
	wantDecision(t, out, checkrein.Deny)
	if !out.Canceled {
		t.Error("it is not told that the caller gave up")
	}

	out = decideKind(t, agentKit(t, hooksOn(checkrein.PreToolUse, scriptHook("echo half; echo trouble >&2; exit 3"))), checkrein.PreToolUse)
	if a := out.Steps[0].Answer; a == nil || a.Log != "trouble" || string(a.Raw) != "half\n" {
		t.Errorf("what the failing hook printed is lost: %+v", out.Steps[0].Answer)
	}
	wantText(t, out.Verdict.Reason, "exit code 3: trouble")
	wantDecision(t, decideKind(t, agentKit(t, hooksOn(checkrein.PostToolUse, scriptHook("exit 1"))), checkrein.PostToolUse), checkrein.NoOpinion)
	wantDecision(t, decideKind(t, agentKit(t, hooksOn(checkrein.PostToolUse, scriptHook("exit 1", "on_error: block"))), checkrein.PostToolUse), checkrein.Deny)
}

func checkUndispatchable(t *testing.T) {
	for _, tt := range []struct{ name, entry, reason string }{
		{"unregistered type", `{type: model, model: a/b, prompt: p}`, "checkreind"},
		{"unknown type", `{type: wasm, command: x}`, `unknown hook type "wasm"`},
		{"unknown builtin", `{type: builtin, command: add_dat}`, `unknown builtin "add_dat", did you mean "add_date"?`},
		{"empty builtin name", `{type: builtin, command: ""}`, "needs command"},
		{"a builtin's own error", `{type: builtin, command: add_date, args: [x]}`, "takes no arguments"},
	} {
		out := decideKind(t, agentKit(t, hooksOn(checkrein.PreToolUse, tt.entry)), checkrein.PreToolUse)
		wantDecision(t, out, checkrein.Deny)
		wantText(t, out.Verdict.Reason, tt.reason)
	}
	k := agentKit(t, hooksOn(checkrein.PreToolUse, scriptHook("true"))+"\n"+hooksOn(checkrein.PostToolUse, scriptHook("true")))
	ev := shellEvent("ls")
	ev.Tool = &checkrein.Tool{Name: "shell", Input: json.RawMessage(`{"cmd":`)}
	out := k.Decide(t.Context(), ev)
	wantDecision(t, out, checkrein.Deny)
	wantText(t, out.Verdict.Reason, "writing the payload")
	wantDecision(t, k.Decide(t.Context(), checkrein.Event{Kind: 200}), checkrein.NoOpinion)
	wantDecision(t, k.Decide(t.Context(), checkrein.Event{Kind: checkrein.PreToolUse}), checkrein.NoOpinion) // an event without a tool is dispatched, too
	if _, err := payload.ReadEvent(nil, ""); err == nil {
		t.Error("no payload is read as an event")
	}
}

func checkWorkingDir(t *testing.T) {
	k := agentKit(t, hooksOn(checkrein.TurnStart,
		scriptHook("pwd; echo $GREETING $HOME", "name: plain"),
		scriptHook("pwd; echo $GREETING", "working_dir: sub", "env: {GREETING: 'hello ${env.NAME} $NAME'}", "name: own"),
		scriptHook("pwd", "working_dir: '${env.NAME}'", "name: expanded"),
		`{type: builtin, command: add_directory_listing, name: listing}`,
		`{type: builtin, command: add_directory_listing, working_dir: sub, name: listing elsewhere}`,
	), func(o *app.Options) {
		o.Environ = append(o.Environ, "NAME=deep")
		for _, d := range []string{"sub/inner", "deep", "cwd/here"} {
			if err := os.MkdirAll(filepath.Join(o.Dir, d), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	})
	dir := k.Root()
	ev := newEvent(checkrein.TurnStart)
	ev.Session.Dir = filepath.Join(dir, "cwd")
	out := k.Decide(t.Context(), ev)
	said := func(name string) string { return strings.Join(findStep(t, out, name).Verdict.Context, "\n") }
	for name, want := range map[string]string{
		"plain":    dir + "\n" + filepath.Join(dir, "home"),
		"own":      filepath.Join(dir, "sub") + "\nhello deep $NAME",
		"expanded": filepath.Join(dir, "deep"),
	} {
		if got := said(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	wantText(t, said("listing"), "here")
	wantText(t, said("listing elsewhere"), "inner")
}

func checkDedup(t *testing.T) {
	base := []string{"name: n", "timeout: 500", "env: {A: x, B: y}", "working_dir: /"}
	one := scriptHook("echo hi", base...)
	for _, tt := range []struct {
		name string
		same bool
		with string
	}{
		{"the same", true, one},
		{"order of keys", true, `{working_dir: /, env: {B: y, A: x}, name: n, command: "echo hi", type: command, timeout: 500}`},
		{"another command", false, scriptHook("echo ho", base...)},
		{"another name", false, scriptHook("echo hi", "name: m", base[1], base[2], base[3])},
		{"another timeout", false, scriptHook("echo hi", base[0], "timeout: 501", base[2], base[3])},
		{"another environment", false, scriptHook("echo hi", base[0], base[1], "env: {A: x}", base[3])},
		{"another directory", false, scriptHook("echo hi", base[0], base[1], base[2], "working_dir: /tmp")},
		{"another policy", false, scriptHook("echo hi", append(base, "on_error: ignore")...)},
		{"strict", false, scriptHook("echo hi", append(base, "strict_output: true")...)},
	} {
		k := agentKit(t, hooksOn(checkrein.TurnStart, one, scriptHook("true", "name: between"), tt.with))
		for range 2 { // deduplication is per dispatch, so the hook runs again
			out := decideKind(t, k, checkrein.TurnStart)
			if got := len(out.Steps) == 2; got != tt.same || out.Steps[0].Hook.Name != "n" {
				t.Errorf("%s: counted as the same %v, want %v", tt.name, got, tt.same)
			}
			if tt.same && len(out.Steps[0].Hook.Also) != 1 {
				t.Errorf("%s: the other place is not shown", tt.name)
			}
		}
	}
	for name, pair := range map[string][2]string{
		"args":    {`{type: builtin, command: add_date}`, `{type: builtin, command: add_date, args: []}`},
		"env":     {scriptHook("true"), scriptHook("true", "env: {}")},
		"null":    {scriptHook("true"), scriptHook("true", "env: ~", "timeout: ~")},
		"matcher": {scriptHook("true"), scriptHook("true")},
	} {
		if out := decideKind(t, agentKit(t, hooksOn(checkrein.TurnStart, pair[0], pair[1])), checkrein.TurnStart); len(out.Steps) != 1 {
			t.Errorf("%s: nothing and empty count as different", name)
		}
	}
	ordered := decideKind(t, agentKit(t, hooksOn(checkrein.TurnStart, `{type: builtin, command: add_prompt_files, args: [a, b]}`, `{type: builtin, command: add_prompt_files, args: [b, a]}`)), checkrein.TurnStart)
	if len(ordered.Steps) != 2 {
		t.Error("the order of arguments does not count")
	}
}

func checkRegistration(t *testing.T) {
	mine := func(name string, d checkrein.Decision) checkrein.HandlerType {
		return checkrein.HandlerType{Name: name, New: func(checkrein.Hook) (checkrein.Handler, error) {
			return checkrein.HandlerFunc(decideWith(d, name)), nil
		}}
	}
	for _, tt := range []struct {
		name string
		rows []checkrein.HandlerType
		run  string
		want checkrein.Decision
	}{
		{"a type of one's own", []checkrein.HandlerType{mine("mine", checkrein.Ask)}, "mine", checkrein.Ask},
		{"a later one replaces", []checkrein.HandlerType{mine("mine", checkrein.Ask), mine("mine", checkrein.Allow)}, "mine", checkrein.Allow},
		{"one of checkrein's is replaced", []checkrein.HandlerType{mine("rule", checkrein.Ask)}, "rule", checkrein.Ask},
		{"no name", []checkrein.HandlerType{mine("", checkrein.Allow)}, "", checkrein.Deny},
		{"no function", []checkrein.HandlerType{{Name: "mine"}}, "mine", checkrein.Deny},
	} {
		k := openKit(t, func(o *app.Options) {
			o.Handlers = tt.rows
			o.Hooks = []checkrein.Hook{{ID: "h", On: checkrein.PreToolUse, Run: tt.run, Priority: 100}}
		})
		if out := k.Decide(t.Context(), shellEvent("ls")); out.Verdict.Decision != tt.want {
			t.Errorf("%s: got %s", tt.name, out.JSON(true))
		}
	}
}

// checkConcurrency checks that hooks run concurrently: two programs wait for each other and return
// only if both run.
func checkConcurrency(t *testing.T) {
	dir := t.TempDir()
	for _, p := range []string{"a", "b"} {
		if err := mkfifo(filepath.Join(dir, p)); err != nil {
			t.Skip(err)
		}
	}
	k := agentKit(t, hooksOn(checkrein.PostToolUse,
		scriptHook("cd '"+dir+"'; echo x > a; read y < b; echo met", "timeout: 500"),
		scriptHook("cd '"+dir+"'; read y < a; echo x > b; echo met", "timeout: 500")))
	if got := decideKind(t, k, checkrein.PostToolUse).Verdict.Context; !slices.Equal(got, []string{"met", "met"}) {
		t.Errorf("got %q", got)
	}
}
