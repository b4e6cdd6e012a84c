package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/built"
)

// inOrder looks for texts one behind another.
func inOrder(t *testing.T, text string, want ...string) {
	t.Helper()
	rest := text
	for _, w := range want {
		_, after, ok := strings.Cut(rest, w)
		if !ok {
			t.Fatalf("no %q, or not there, in\n%s", w, text)
		}
		rest = after
	}
}

// quiet removes the place at the end of the test, when the ledger's upkeep has ended.
func (p *place) quiet(t *testing.T) {
	t.Helper()
	t.Cleanup(func() { built.RemoveWhenIdle(filepath.Dir(p.dir)) })
}

// The four prompts of the one-stop example do what the file says, in a session of
// the runtime, and every log gets its lines.
func TestRunOneStop(t *testing.T) {
	t.Parallel()
	needs(t, "jq")
	p := agentPlace(t)
	p.quiet(t)
	prompts := []struct{ prompt, reply, beside string }{
		{"Run: echo hello", "shell worked and says: hello", `→ shell {"cmd":"echo hello"}  (permission_request_hook_allow)`},
		{"Run: rm -rf /tmp/test", "did not work", "✗ shell did not run: Blocked"},
		{"Run: sudo apt update", "[demo] Blocked (rm -rf, sudo, mkfs and dd are not for agents): sudo apt update", "✗ shell did not run: Blocked (rm -rf, sudo, mkfs and dd are not for agents)\n  │ sudo apt update"},
		{"List files in current dir", "one_stop.yaml", `→ shell {"cmd":"ls -h"}  (pre_tool_use_hook_allow)`},
	}
	for _, x := range prompts {
		out, errs, code := p.run(t, "", "checkrein", "run", "one_stop.yaml", x.prompt)
		if code != 0 || !strings.Contains(out, x.reply) || !strings.Contains(errs, x.beside) {
			t.Errorf("%s: exit %d\n%s%s", x.prompt, code, out, errs)
		}
		if strings.Contains(errs, "failed") {
			t.Errorf("%s: a hook failed:\n%s", x.prompt, errs)
		}
	}
	for log, want := range map[string]struct {
		part  string
		times int
	}{
		"session": {"begins", 4}, "prompts": {"Run: ", 3}, "turns": {"root turn over: normal", 4},
		"llm-calls": {" call 2", 4}, "responses": {" characters", 4}, "tool-results": {"shell is done (failed: false", 2}, "permissions": {"asks for: echo hello", 1},
	} {
		if got := p.read(t, "agent-"+log+".log"); strings.Count(got, want.part) != want.times || strings.Contains(got, "null") || strings.Contains(got, "?") {
			t.Errorf("agent-%s.log has not %d times %q:\n%s", log, want.times, want.part, got)
		}
	}
	inOrder(t, p.read(t, "agent-session.log"), "begins", "ends: other", "begins", "ends: other", "begins", "ends: other", "begins", "ends: other")
	inOrder(t, p.read(t, "agent-llm-calls.log"), "→", "call 1", "←", "→", "call 2", "←")

	// The rest of its events: a conversation that is compacted, a run that a hook ends.
	out, errs, code := p.run(t, "Say: one\nSay: two\n/compact\nSay: three\n", "checkrein", "run", "one_stop.yaml")
	if code != 0 || !strings.Contains(out, "three") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	inOrder(t, p.read(t, "agent-compactions.log"), "is about to be compacted: manual", "→ manual: ", "✓ manual: ")
	_, errs, code = p.run(t, "", "checkrein", "run", "one_stop.yaml", "--hook-before-llm-call", "echo no budget >&2; exit 2", "Say: hi")
	if code != 1 || !strings.Contains(errs, "✗ before_llm_call was blocked: No budget") {
		t.Errorf("exit %d\n%s", code, errs)
	}
	inOrder(t, p.read(t, "agent-turns.log"), "turn over: hook_blocked")
	inOrder(t, p.read(t, "agent-notifications.log"), "error: blocked by a hook on before_llm_call: no budget")
	inOrder(t, p.read(t, "agent-errors.log"), "error: blocked by a hook on before_llm_call: no budget")
}

// The demo shows what it says it shows, and leaves nothing behind.
func TestDemo(t *testing.T) {
	t.Parallel()
	needs(t, "git")
	p := newPlace(t)
	p.quiet(t)
	temp := filepath.Join(p.dir, "tmp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, "TMPDIR="+temp)
	script, err := filepath.Abs("demo/run.sh")
	if err != nil {
		t.Fatal(err)
	}
	out, errs, code := p.run(t, "", "sh", script, filepath.Join(programs, "checkrein"))
	if code != 0 || errs != "" {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	inOrder(t, out,
		"── Block", "> Run: rm -rf /", "✗ shell did not run: Blocked (deletes the whole file system)", "did not run",
		"── Block", "> Run: sudo apt update", "· pre_tool_use  no root", "✗ shell did not run: Blocked (root is not for agents)", "did not run",
		"── Rewrite", `→ shell {"cmd":"ls -lh"}  (pre_tool_use_hook_allow)`, "credentials",
		"── Redaction", "redacted 1 secret", "key = [REDACTED]",
		"── Ask", "> Run: make deploy", "this run cannot ask anyone",
		"── Redo", "→ write_file", "↻ a stop hook makes the agent continue (attempt 1 of 3)", `→ shell {"cmd":"git add ."}`,
		"── Undo", "$ cat app.conf: spoilt", "> /undo", "Undone", "$ cat app.conf: greeting = hello",
		"records of the ledger that hold it: 0\n",
		"explain --last", "Not done: git does not know all files", "What happened", "✗ nothing forgotten denied it", "To change it")
	if strings.Contains(out, "AKIA") || strings.Contains(out, "fault") || strings.Contains(out, temp) {
		t.Errorf("%s", out)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
