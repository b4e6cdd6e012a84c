package examples_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hookmdPlace is a project with the five folders, approved.
func hookmdPlace(t *testing.T) *place {
	t.Helper()
	p := newPlace(t)
	folders, err := filepath.Glob("hookmd/*/HOOK.md")
	if err != nil || len(folders) != 5 {
		t.Fatalf("%v, %v", folders, err)
	}
	for _, f := range folders {
		dir := filepath.Dir(f)
		p.put(t, dir, ".agents/hooks/"+filepath.Base(dir))
	}
	p.must(t, "checkrein", "validate")
	return p
}

func hookShell(command string) payload {
	return payload{"event_type": "before_tool", "session_id": "s", "tool_name": "Shell", "tool_input": payload{"command": command}, "tool_use_id": "t"}
}

// Nothing of a project runs before someone approved it.
func TestHookMDNeedsApproval(t *testing.T) {
	t.Parallel()
	p := hookmdPlace(t)
	if v := p.eval(t, hookShell("mkfs /dev/sda1")); strings.Contains(v.Reason, "destroys a system") || !strings.Contains(v.raw, "not approved") {
		t.Errorf("got %s", v.raw)
	}
}

// Patterns 1 and 3: stop what destroys, and what is not for agents.
func TestHookMDBlocks(t *testing.T) {
	t.Parallel()
	p := hookmdPlace(t)
	p.must(t, "checkrein", "hooks", "approve", "--all")
	for command, want := range map[string]string{
		"rm -rf /":                         "Blocked (destroys a system): rm -rf /",
		"rm -rf ~":                         "Blocked (destroys a system): rm -rf ~",
		"mkfs.ext4 /dev/sda1":              "Blocked (destroys a system): mkfs.ext4 /dev/sda1",
		"dd if=/dev/zero of=/dev/sda":      "Blocked (destroys a system): dd if=/dev/zero of=/dev/sda",
		"./deploy.sh prod":                 "Blocked (production is deployed by people; prepare the change and ask)",
		"kubectl -n production apply -f x": "Blocked (production is deployed by people; prepare the change and ask)",
		"rm -rf ./build":                   "",
		"./deploy.sh staging":              "",
		"ls":                               "",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			v := p.answered(t, hookShell(command))
			if want == "" && v.Decision == "deny" || want != "" && (v.Decision != "deny" || !strings.Contains(v.Reason, want)) {
				t.Errorf("want %q, got %s", want, v.raw)
			}
		})
	}
	t.Run("another tool", func(t *testing.T) {
		t.Parallel()
		ev := payload{"event_type": "before_tool", "tool_name": "ReadFile", "tool_input": payload{"path": "deploy prod"}}
		if v := p.answered(t, ev); v.Decision != "" {
			t.Errorf("got %s", v.raw)
		}
	})
}

// Patterns 2 and 4: nobody waits, and nothing is decided.
func TestHookMDBeside(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	p := hookmdPlace(t)
	p.must(t, "checkrein", "hooks", "approve", "--all")
	p.must(t, "sh", "-c", `mkdir bin; printf '#!/bin/sh\nfor f; do :; done; echo "# formatted" >>"$f"\n' >bin/black; chmod +x bin/black`)
	for i, e := range p.env {
		if path, ok := strings.CutPrefix(e, "PATH="); ok {
			p.env[i] = "PATH=" + p.dir + "/bin:" + path
		}
	}
	p.write(t, "a.py", "x = 1\n")
	p.write(t, "a.txt", "x = 1\n")
	for _, file := range []string{"a.txt", "a.py"} {
		v := p.answered(t, payload{"event_type": "after_tool", "session_id": "s", "tool_name": "WriteFile", "tool_input": payload{"path": filepath.Join(p.dir, file)}, "tool_response": "ok"})
		if v.Decision != "" || strings.Contains(v.raw, `"detached":true`) != (file == "a.py") {
			t.Errorf("%s: %s", file, v.raw)
		}
	}
	v := p.answered(t, payload{"event_type": "session_end", "session_id": "s", "exit_reason": "user_exit", "duration_seconds": 3600})
	if !strings.Contains(v.raw, `"detached":true`) {
		t.Errorf("got %s", v.raw)
	}
	for _, hook := range []string{"auto-format-python", "audit-log"} { // its line is the last that a detached hook does
		p.until(t, "../home/.local/state/checkrein/log/async.log", `"hook":"`+hook+`"`)
	}
	for file, want := range map[string]string{"a.py": "x = 1\n# formatted\n", "a.txt": "x = 1\n"} {
		if got := p.read(t, file); got != want {
			t.Errorf("%s is %q, want %q", file, got, want)
		}
	}
	if got := p.read(t, ".agents/audit.jsonl"); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"exit_reason": "user_exit"`) {
		t.Errorf("the log is %q", got)
	}
}

// until waits for what a detached hook writes, as long as the test may take.
func (p *place) until(t *testing.T, file, text string) {
	t.Helper()
	for !strings.Contains(p.read(t, file), text) {
		if deadline, ok := t.Deadline(); ok && time.Until(deadline) < 10*time.Second {
			t.Fatalf("%s never got %q", file, text)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Pattern 5: not done before the tests pass.
func TestHookMDQualityGate(t *testing.T) {
	t.Parallel()
	p := hookmdPlace(t)
	p.write(t, "run-tests.sh", tests)
	p.must(t, "checkrein", "hooks", "approve", "--all")
	gate(t, p, payload{"event_type": "before_stop", "session_id": "s", "stop_reason": "no_tool_calls", "step_count": 5, "final_message": payload{"role": "assistant", "content": "All done."}})
}
