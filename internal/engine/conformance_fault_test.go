package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
)

// programFailures are the ways in which a program can fail to answer, with a part of the message.
var programFailures = []struct{ name, entry, says string }{
	{"error", `{type: builtin, command: add_date, args: [x]MORE}`, "takes no arguments"},
	{"timeout", `{type: command, command: "exec sleep 60", timeout: 0.05MORE}`, "timed out after 50ms"},
	{"timeout of a deaf program", `{type: command, command: "trap '' TERM; sleep 60; sleep 60", timeout: 0.05MORE}`, "timed out after 50ms"},
	{"exit 1", `{type: command, command: "exit 1"MORE}`, "exit code 1"},
	{"exit 3 beside an allow", `{type: command, command: "echo '{\"hook_specific_output\":{\"permission_decision\":\"allow\"}}'; exit 3"MORE}`, "exit code 3"},
	{"exit 126", `{type: command, command: "./not-a-program"MORE}`, "exit code 126"},
	{"exit 127", `{type: command, command: "./no-such-program"MORE}`, "exit code 127"},
	{"signal", `{type: command, command: "kill -9 $$"MORE}`, "SIGKILL"},
	{"signal that ends itself", `{type: command, command: "kill -TERM $$"MORE}`, "SIGTERM"},
	{"missing program", `{type: command, command: [./no-such-program]MORE}`, "no such file"},
	{"a file that is no program", `{type: command, command: [./not-a-program]MORE}`, "permission denied"},
	{"missing directory", `{type: command, command: "true", working_dir: /no/such/placeMORE}`, "no such file"},
	{"bad JSON", `{type: command, command: "echo '{decision: block}'"MORE}`, "not one JSON object"},
	{"truncated JSON", `{type: command, command: "printf '{\"hook_specific_output\":{\"permission_decision\":\"al'"MORE}`, "not one JSON object"},
	{"two objects", `{type: command, command: "echo '{}{}'"MORE}`, "not one JSON object"},
	{"text behind JSON", `{type: command, command: "echo '{} ok'"MORE}`, "not one JSON object"},
	{"invalid UTF-8", `{type: command, command: "printf '{\"reason\":\"\\377\"}'"MORE}`, "UTF-8"},
	{"bad verdict", `{type: command, command: "echo '{\"hook_specific_output\":{\"permission_decision\":\"maybe\"}}'"MORE}`, "allow, ask or deny"},
	{"verdict of another type", `{type: command, command: "echo '{\"hook_specific_output\":{\"permission_decision\":true}}'"MORE}`, "must be a string"},
	{"metadata that is no text", `{type: command, command: "echo '{\"metadata\":7}'", strict_output: trueMORE}`, "metadata"},
	{"too much output", `{type: command, command: "head -c 3000000 /dev/zero"MORE}`, "too much output"},
	{"unknown type", `{type: wasmMORE}`, `unknown hook type "wasm"`},
	{"unknown builtin", `{type: builtin, command: nosuchMORE}`, `unknown builtin "nosuch"`},
	{"unregistered type", `{type: model, model: a/b, prompt: pMORE}`, "checkreind"},
}

// faultKit opens a kit in a directory with a file that is not a program.
func faultKit(t *testing.T, hooks string) *app.Kit {
	t.Helper()
	return agentKit(t, hooks, func(o *app.Options) {
		if err := os.WriteFile(filepath.Join(o.Dir, "not-a-program"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	})
}

// TestConformanceFaults checks items 19 and 81 with real programs: each class of event, policy and
// failure. On pre_tool_use no value of on_error opens the gate.
func TestConformanceFaults(t *testing.T) {
	t.Parallel()
	for _, f := range programFailures {
		t.Run("81 every failure denies on a gate/"+f.name, func(t *testing.T) {
			t.Parallel()
			for _, policy := range []string{"", ", on_error: warn", ", on_error: ignore", ", on_error: block"} {
				for _, lane := range []string{"", "preempt_yolo: true, "} {
					entry := expand(f.entry, policy)
					out := decideKind(t, faultKit(t, "pre_tool_use: [{"+lane+"hooks: ["+entry+"]}]"), checkrein.PreToolUse)
					wantDecision(t, out, checkrein.Deny)
					wantText(t, out.Verdict.Reason, f.says)
					wantText(t, out.Verdict.Reason, "agent.yaml:4")
				}
			}
		})
		t.Run("19 elsewhere by policy/"+f.name, func(t *testing.T) {
			t.Parallel()
			checkFaultPolicy(t, f.entry, f.says)
		})
	}
	t.Run("81 exit 2 denies on a gate", func(t *testing.T) {
		t.Parallel()
		wantDecision(t, decideKind(t, agentKit(t, hooksOn(checkrein.PreToolUse, scriptHook("exit 2"))), checkrein.PreToolUse), checkrein.Deny)
	})
}

func expand(entry, more string) string {
	at := len(entry) - len("MORE}")
	return entry[:at] + more + "}"
}

// checkFaultPolicy checks a failure on events that are not gates. By default and with warn it is
// reported; ignore is silent; block blocks where that is possible and is rejected elsewhere. A hook
// whose declaration is invalid is always reported, because its on_error is as doubtful as the rest.
func checkFaultPolicy(t *testing.T, entry, says string) {
	t.Helper()
	for _, kind := range []checkrein.Kind{checkrein.PostToolUse, checkrein.BeforeLLMCall, checkrein.SessionStart} {
		can := checkrein.ContractOf(kind).Can(checkrein.CanDeny)
		for _, policy := range []string{"", "warn", "ignore", "block"} {
			more := ""
			if policy != "" {
				more = ", on_error: " + policy
			}
			out := decideKind(t, faultKit(t, hooksOn(kind, expand(entry, more))), kind)
			wrong := out.Steps[0].Hook.Broken != ""
			switch {
			case policy == "block" && can:
				wantDecision(t, out, checkrein.Deny)
				wantText(t, out.Verdict.Reason, says)
			case policy == "ignore" && !wrong:
				if !out.Verdict.IsZero() {
					t.Errorf("%s, ignore: got %s", kind, out.JSON(true))
				}
			default:
				wantDecision(t, out, checkrein.NoOpinion)
				if len(out.Verdict.Notice) != 1 {
					t.Errorf("%s, %q: notices %q, want one", kind, policy, out.Verdict.Notice)
				}
			}
		}
	}
}

// TestConformanceLenient checks that parts of an answer without effect are reported if strict_output
// is not set.
func TestConformanceLenient(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		kind   checkrein.Kind
		answer string
	}{
		{"unknown key", checkrein.PreToolUse, `{"colour":"red"}`},
		{"another event's name", checkrein.PreToolUse, `{"hook_specific_output":{"hook_event_name":"stop"}}`},
		{"an unsupported field", checkrein.PostToolUse, `{"hook_specific_output":{"updated_input":{"a":1}}}`},
		{"context where there is none", checkrein.TurnEnd, `{"hook_specific_output":{"additional_context":"x"}}`},
		{"block on a non-blocking event", checkrein.SessionStart, `{"decision":"block"}`},
		{"metadata on the default lane", checkrein.PreToolUse, `{"hook_specific_output":{"metadata":{"a":"b"}}}`},
	} {
		t.Run("27 "+tt.name, func(t *testing.T) {
			t.Parallel()
			out := decideKind(t, agentKit(t, hooksOn(tt.kind, printHook(tt.answer))), tt.kind)
			if out.Steps[0].Fault != nil || len(out.Dropped)+len(out.Steps[0].Answer.Ignored) != 1 {
				t.Errorf("got %s", out.JSON(true))
			}
		})
	}
}

// TestConformanceStrict checks item 27: what strict_output rejects.
func TestConformanceStrict(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		kind   checkrein.Kind
		answer string
		fault  bool
	}{
		{"empty", checkrein.PreToolUse, ``, false},
		{"nothing said", checkrein.PreToolUse, `{}`, false},
		{"what counts", checkrein.PreToolUse, `{"hook_specific_output":{"hook_event_name":"pre_tool_use","permission_decision":"ask"}}`, false},
		{"suppress_output: false", checkrein.PreToolUse, `{"suppress_output":false}`, false},
		{"plain text", checkrein.TurnStart, `hello`, true},
		{"unknown key", checkrein.PreToolUse, `{"colour":"red"}`, true},
		{"two objects", checkrein.PreToolUse, `{}{}`, true},
		{"trailing text", checkrein.PreToolUse, `{} x`, true},
		{"another event's name", checkrein.PreToolUse, `{"hook_specific_output":{"hook_event_name":"stop"}}`, true},
		{"an unsupported field", checkrein.PostToolUse, `{"hook_specific_output":{"updated_input":{"a":1}}}`, true},
		{"context where there is none", checkrein.TurnEnd, `{"hook_specific_output":{"additional_context":"x"}}`, true},
		{"metadata on the default lane", checkrein.PreToolUse, `{"hook_specific_output":{"metadata":{"a":"b"}}}`, true},
		{"block on a non-blocking event", checkrein.SessionStart, `{"decision":"block"}`, true},
		{"suppress_output: true", checkrein.PreToolUse, `{"suppress_output":true}`, true},
	} {
		t.Run("27 "+tt.name, func(t *testing.T) {
			t.Parallel()
			out := decideKind(t, agentKit(t, hooksOn(tt.kind, printHook(tt.answer, "strict_output: true"))), tt.kind)
			if got := out.Steps[0].Fault != nil; got != tt.fault {
				t.Errorf("a fault: %v, want %v: %s", got, tt.fault, out.JSON(true))
			}
			if checkrein.ContractOf(tt.kind).Closed && tt.fault {
				wantDecision(t, out, checkrein.Deny)
			}
		})
	}
}
