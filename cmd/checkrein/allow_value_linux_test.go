package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// otherToken is a second secret that is found by its shape.
var otherToken = "ghp_" + strings.Repeat("Zx9wV8uT7s", 4)[:36]

// printedEvent returns the event of a shell call that printed lines in a directory.
func printedEvent(dir, session string, lines ...string) string {
	text, _ := json.Marshal(map[string]any{"hook_event_name": "PostToolUse", "session_id": session, "cwd": dir, "tool_name": "Bash", "tool_use_id": "c",
		"tool_input": map[string]any{"command": "make"}, "tool_response": map[string]any{"stdout": strings.Join(lines, "\n"), "stderr": ""}})
	return string(text)
}

// result returns what the model gets of an event's output, and the notice.
func (d *desk) result(event string) (output, notice string) {
	d.t.Helper()
	file := filepath.Join(d.home, "event.json")
	d.write(file, event)
	var in struct {
		Response json.RawMessage `json:"tool_response"`
	}
	var reply struct {
		Out struct {
			Updated json.RawMessage `json:"updatedToolOutput"`
		} `json:"hookSpecificOutput"`
		Notice string `json:"systemMessage"`
	}
	if err := json.Unmarshal([]byte(event), &in); err != nil {
		d.t.Fatal(err)
	}
	if out := strings.TrimSpace(d.asHost("checkrein hook claude <" + file)); out != "" {
		if err := json.Unmarshal([]byte(out), &reply); err != nil {
			d.t.Fatalf("%v: %s", err, out)
		}
	}
	if reply.Out.Updated != nil {
		return string(reply.Out.Updated), reply.Notice
	}
	return string(in.Response), reply.Notice
}

// A person allows one redacted value by the id in its marker: that value passes in that
// project, and may be written to a tracked file there. No other value does.
func TestAllowValue(t *testing.T) {
	t.Parallel()
	d := guardedDesk(t)
	elsewhere := t.TempDir()
	for _, dir := range []string{d.project, elsewhere} {
		d.write(filepath.Join(dir, ".git", "HEAD"), "ref: refs/heads/main\n")
	}
	both := printedEvent(d.project, "s1", "first", "a "+redactToken, "b "+otherToken, "c "+redactToken)
	out, notice := d.result(both)
	m := regexp.MustCompile(`redacted 3 secrets in the output of Bash: ([0-9a-f]{8}) \(github-pat, lines 2, 4\), ([0-9a-f]{8}) \(github-pat, line 3\)\..* checkrein allow ([0-9a-f]{8}) `).FindStringSubmatch(notice)
	if m == nil || m[3] != m[1] || strings.Contains(out, "ghp_") || !strings.Contains(out, "[REDACTED:"+m[1]+"]") {
		t.Fatalf("notice %q, output %s", notice, out)
	}
	id, other := m[1], m[2]
	if _, out := d.run("explain", id); !strings.Contains(out, "checkrein allow "+id) || !strings.Contains(out, "github-pat, lines 2, 4 of the output, 2 times") || !strings.Contains(out, "checkrein allow "+other) {
		t.Errorf("explain: %s", out)
	}
	if _, out := d.run("audit", "show", id, "--json"); !strings.Contains(out, `{"id":"`+id+`","rule":"github-pat","count":2,"lines":"2,4"}`) {
		t.Errorf("audit show: %s", out)
	}
	if out := d.asHost("checkrein allow " + id + "; echo exit $?"); !strings.Contains(out, "exit 4") {
		t.Errorf("below an agent: %s", out)
	}
	x := startInTerminal(t, d.command(filepath.Join(programs, "checkrein"), "allow", id, "--once"))
	if code := x.waitForExit(); code != 4 {
		t.Errorf("--once: exit %d: %s", code, x.text.String())
	}

	if shown := d.allow(id); !strings.Contains(shown, "github-pat, lines 2, 4 of the output") || !strings.Contains(shown, d.project) || strings.Contains(shown, "ghp_") {
		t.Errorf("allow shows: %s", shown)
	}
	out, notice = d.result(both)
	if strings.Count(out, redactToken) != 2 || strings.Contains(out, otherToken) || !strings.Contains(out, "[REDACTED:"+other+"]") || !strings.Contains(notice, "redacted 1 secret") {
		t.Errorf("allowed: notice %q, output %s", notice, out)
	}
	if out, notice = d.result(printedEvent(d.project, "s2", redactToken)); !strings.Contains(out, redactToken) || notice != "" {
		t.Errorf("alone: notice %q, output %s", notice, out)
	}
	if _, out := d.run("audit", "query", "--json"); !strings.Contains(out, `"excused":["`+id+`"]`) || strings.Contains(out, redactToken) {
		t.Errorf("record: %s", out)
	}
	if out, _ = d.result(printedEvent(elsewhere, "s3", redactToken)); strings.Contains(out, redactToken) {
		t.Errorf("in another project: %s", out)
	}
	for value, want := range map[string]string{redactToken: "", otherToken: "deny"} {
		if got, reason, _ := d.askHook("echo "+value+" > notes.txt", "s4", "c"+want); got != want {
			t.Errorf("written: %q, want %q: %s", got, want, reason)
		}
	}

	if _, out := d.run("allow", "--list"); !strings.Contains(out, id) || !strings.Contains(out, "g1") || strings.Contains(out, "not used") {
		t.Errorf("list: %s", out)
	}
	file := filepath.Join(d.home, ".local", "state", "checkrein", "grants.json")
	sealed, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(sealed), "ghp_") {
		t.Fatalf("grants: %v: %s", err, sealed)
	}
	d.write(file, strings.Replace(string(sealed), id, other, 1))
	if out, _ = d.result(both); strings.Contains(out, "ghp_") {
		t.Errorf("by a changed grant: %s", out)
	}
	d.write(file, string(sealed))
	if code, out := d.run("allow", "--revoke", id); code != 0 {
		t.Errorf("revoke: %s", out)
	}
	if out, _ = d.result(both); strings.Contains(out, "ghp_") {
		t.Errorf("revoked: %s", out)
	}
}

// What the administrator has redacted stays so, whatever the person allowed before, and no
// remedy is offered.
func TestAllowValueManaged(t *testing.T) {
	t.Parallel()
	m := newManagedMachine(t, "version: 1\n")
	file := filepath.Join(m.home, "event.json")
	if err := os.WriteFile(file, []byte(printedEvent(m.project, "s1", redactToken)), 0o600); err != nil {
		t.Fatal(err)
	}
	hook := "find " + file + ` -exec sh -c 'checkrein hook claude <"$0"' {} \;` // find counts as the agent, and ends
	id := regexp.MustCompile(`checkrein allow ([0-9a-f]{8}) `).FindStringSubmatch(m.run(hook))
	if id == nil {
		t.Fatal("no remedy is offered")
	}
	x := startInTerminal(t, m.command("checkrein allow "+id[1]))
	x.expect("Allow it? [y/N] ")
	x.typeKeys("y\n")
	if code := x.waitForExit(); code != 0 {
		t.Fatalf("exit %d: %s", code, x.text.String())
	}
	m.checkOutput(hook, "![REDACTED:")
	if err := os.WriteFile(filepath.Join(m.etc, "checkrein", "checkrein.yaml"), []byte("version: 1\npacks: [secrets]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	m.checkOutput(hook, "[REDACTED:"+id[1]+"]", "(github-pat, line 1)", "!checkrein allow")
	x = startInTerminal(t, m.command("checkrein allow "+id[1]))
	if code := x.waitForExit(); code != 4 || !strings.Contains(x.text.String(), "ask your administrator") {
		t.Errorf("allow: exit %d: %s", code, x.text.String())
	}
}
