package examples_test

import (
	"strings"
	"testing"
)

// tests is a project's run-tests.sh; tested says what the tests find, so that the
// script that was approved can stay as it is.
const tests = "cat tested\n! grep -q failed tested\n"

// gate holds a gate against its promise: failing tests send the agent back with
// their output and a count, passing ones let it go.
func gate(t *testing.T, p *place, ev payload, args ...string) {
	t.Helper()
	p.write(t, "tested", "12 passed\n1 failed: TestLogin\n")
	for attempt := 1; attempt <= 2; attempt++ {
		v := p.answered(t, ev, args...)
		if v.Decision != "deny" || v.Redo == nil || v.Redo.Attempt != attempt || v.Redo.Limit != 3 || !strings.Contains(v.Redo.Reason, "1 failed: TestLogin") {
			t.Fatalf("attempt %d with failing tests: %s", attempt, v.raw)
		}
		if !strings.HasPrefix(v.Card.Sentence, "Blocked (") || !strings.Contains(v.Card.Command, "1 failed: TestLogin") {
			t.Errorf("card %+v", v.Card)
		}
	}
	p.write(t, "tested", "13 passed\n")
	if v := p.answered(t, ev, args...); v.Decision != "" || v.Redo != nil || len(v.Notices) > 0 {
		t.Errorf("with passing tests: %s", v.raw)
	}
}

func TestTestsBeforeDoneNative(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.put(t, "tests-before-done/checkrein.yaml", "checkrein.yaml")
	p.write(t, "run-tests.sh", tests)
	for _, kind := range []string{"stop", "subagent_stop"} {
		gate(t, p, payload{"session_id": kind, "hook_event_name": kind, "stop_response": "All done."}, "-c", "checkrein.yaml")
	}
	for _, ev := range []payload{
		{"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": payload{"file_path": p.dir + "/run-tests.sh", "content": "exit 0"}},
		{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": payload{"command": "echo exit 0 > run-tests.sh"}},
	} {
		if v := p.answered(t, ev, "-c", "checkrein.yaml"); v.Decision != "deny" {
			t.Errorf("the agent may change its judge: %s", v.raw)
		}
	}
	if v := p.answered(t, payload{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": payload{"command": "sh run-tests.sh"}}, "-c", "checkrein.yaml"); v.Decision != "" {
		t.Errorf("the agent may not run the tests: %s", v.raw)
	}
}

// As a project's own it counts once it is approved.
func TestTestsBeforeDoneNativeInstalled(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.put(t, "tests-before-done/checkrein.yaml", "checkrein.yaml")
	p.put(t, "tests-before-done/run-tests.sh", "run-tests.sh")
	ev := payload{"session_id": "s", "hook_event_name": "Stop", "last_assistant_message": "All done."}
	p.must(t, "checkrein", "hooks", "approve", "--all", "--cannot-tell") // what go test runs is the whole project
	if v := p.answered(t, ev); v.Decision != "" {
		t.Errorf("a project without tests: %s", v.raw)
	}
}

func TestTestsBeforeDoneClaude(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.put(t, "tests-before-done/claude/settings.json", ".claude/settings.json")
	p.put(t, "tests-before-done/claude/hooks", ".claude/hooks")
	p.write(t, "run-tests.sh", tests)
	gate(t, p, payload{"session_id": "s", "cwd": p.dir, "hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": "All done."}, "-c", ".claude/settings.json")
}

func TestTestsBeforeDoneHookMD(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.put(t, "tests-before-done/hookmd/tests-pass", ".agents/hooks/tests-pass")
	p.write(t, "run-tests.sh", tests)
	p.must(t, "checkrein", "hooks", "approve", "--all")
	gate(t, p, payload{"session_id": "s", "event_type": "before_stop", "final_message": payload{"role": "assistant", "content": "All done."}})
}
