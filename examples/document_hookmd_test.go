package examples_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What the Agent Hooks specification prints, run as it is printed.

// specification is a project with the five patterns of section 6.2, and a home with
// the complete example of section 10.
func specification(t *testing.T) *place {
	t.Helper()
	p := newPlace(t)
	p.put(t, "testdata/hookmd/project/.agents", ".agents")
	p.put(t, "testdata/hookmd/home/.config", "../home/.config")
	return p
}

const userHooks = "../home/.config/agents/hooks/"

// hook adds a folder to the person's own, where nothing needs approval.
func (p *place) hook(t *testing.T, name, front, script string) {
	t.Helper()
	p.write(t, userHooks+name+"/HOOK.md", "---\n"+front+"---\n")
	p.write(t, userHooks+name+"/scripts/run.sh", script)
}

// host gives an event of Claude Code's to checkrein and returns what it answers.
func (p *place) host(t *testing.T, ev payload) string {
	t.Helper()
	body, err := json.Marshal(ev)
	if err != nil {
		t.Fatal(err)
	}
	out, errs, code := p.run(t, string(body), "checkrein", "hook", "claude")
	if code != 0 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	return out
}

func claudeBash(command string) payload {
	return payload{"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": payload{"command": command}, "tool_use_id": "t"}
}

// Section 10: the folder, the file and the script of the complete example, for all
// projects of a person.
func TestSpecificationExample(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	for _, mode := range []string{"executable", "not executable"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.put(t, "testdata/hookmd/home/.config", "../home/.config")
			if mode == "not executable" { // its first line names bash all the same
				if err := os.Chmod(filepath.Join(p.dir, userHooks, "security-check/scripts/run.sh"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			p.must(t, "checkrein", "validate")
			if list := p.must(t, "checkrein", "hooks", "list"); !strings.Contains(list, "block-dangerous-commands") || strings.Contains(list, "broken") {
				t.Errorf("the list:\n%s", list)
			}
			for command, want := range map[string]string{
				"rm -rf /home":                "Dangerous command blocked: rm -rf / would destroy the system",
				"mkfs /dev/sda1":              "Dangerous command blocked: mkfs would destroy the system",
				"dd if=/dev/zero of=/dev/sda": "Dangerous command blocked: dd if=/dev/zero would destroy the system",
				"ls -la":                      "",
			} {
				v := p.answered(t, hookShell(command))
				if want == "" && v.Decision != "" || !strings.Contains(v.Reason, want) || want != "" && v.Decision != "deny" {
					t.Errorf("%s: %s", command, v.raw)
				}
				if said := p.host(t, claudeBash(command)); want != "" && (!strings.Contains(said, `"permissionDecision":"deny"`) || !strings.Contains(said, want)) {
					t.Errorf("Claude Code hears of %s: %s", command, said)
				}
			}
		})
	}
}

// Section 6.2: the five patterns, in a repository and outside of one.
func TestSpecificationPatterns(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "jq")
	for _, where := range []string{"in a repository", "outside of one"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			p := specification(t)
			if where == "in a repository" {
				p.must(t, "git", "init", "-q")
			}
			// A project that passes and one that does not, by a file; and a formatter.
			p.write(t, "package.json", `{"scripts":{"test":"test -e tested"}}`)
			p.must(t, "sh", "-c", `mkdir ../bin
printf '#!/bin/sh\ncase $1 in --check) test -e formatted ;; *) for f; do :; done; echo "# formatted" >>"$f" ;; esac\n' >../bin/black
printf '#!/bin/sh\ntest -e tested\n' >../bin/npm
chmod +x ../bin/*`)
			for i, e := range p.env {
				if path, ok := strings.CutPrefix(e, "PATH="); ok {
					p.env[i] = "PATH=" + filepath.Join(filepath.Dir(p.dir), "bin") + ":" + path
				}
			}
			p.must(t, "checkrein", "validate")
			p.must(t, "checkrein", "hooks", "approve", "--all", "--cannot-tell")
			for command, want := range map[string]string{
				"rm -rf /":                     "Dangerous command blocked: rm -rf / would destroy the system",
				"kubectl --context production": "This operation affects production environment and is not allowed",
				"./deploy.sh --to prod":        "This operation affects production environment and is not allowed",
				"./deploy.sh --to staging":     "",
			} {
				v := p.answered(t, hookShell(command))
				if (v.Decision == "deny") != (want != "") || !strings.Contains(v.Reason, want) {
					t.Errorf("%s: %s", command, v.raw)
				}
			}
			p.write(t, "a.py", "x = 1\n")
			v := p.answered(t, payload{"event_type": "after_tool", "session_id": "s", "tool_name": "WriteFile", "tool_input": payload{"path": filepath.Join(p.dir, "a.py")}, "tool_response": "ok"})
			if v.Decision != "" || !strings.Contains(v.raw, `"detached":true`) {
				t.Errorf("nobody waits for the formatter: %s", v.raw)
			}
			p.answered(t, payload{"event_type": "session_end", "session_id": "s", "exit_reason": "user_exit"})
			for _, hook := range []string{"auto-format-python", "audit-log"} {
				p.until(t, "../home/.local/state/checkrein/log/async.log", `"hook":"`+hook+`"`)
			}
			if got := p.read(t, "a.py"); got != "x = 1\n# formatted\n" {
				t.Errorf("a.py is %q", got)
			}
			if got := p.read(t, "audit.jsonl"); !strings.Contains(got, `"exit_reason": "user_exit"`) {
				t.Errorf("the audit log is %q", got)
			}
			stop := payload{"event_type": "before_stop", "session_id": "s", "stop_reason": "no_tool_calls", "step_count": 5, "final_message": payload{"role": "assistant", "content": "Task completed successfully"}}
			if v := p.answered(t, stop); v.Redo == nil || !strings.Contains(v.Redo.Reason, "Tests must pass before completing") {
				t.Errorf("failing tests: %s", v.raw)
			}
			p.write(t, "tested", "")
			if v := p.answered(t, stop); v.Redo == nil || !strings.Contains(v.Redo.Reason, "Code is not formatted. Run 'black .' first") {
				t.Errorf("unformatted code: %s", v.raw)
			}
			p.write(t, "formatted", "")
			if v := p.answered(t, stop); v.Redo != nil || v.Decision != "" {
				t.Errorf("all is well: %s", v.raw)
			}
		})
	}
}

// Sections 2 and 8.3: what a script says by its exit code, stdout and stderr.
func TestSpecificationOutput(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, script     string
		decision, reason string
		notice           string // what the person is told of a hook that failed
		raw              string // is in the outcome with all its details
	}{
		{name: "2.3 decision on stdout", script: "# Return decision via stdout JSON\necho '{\"decision\": \"allow\", \"log\": \"Command validated\"}'\nexit 0\n", decision: "allow", raw: `"log":"Command validated"`},
		{name: "2.4 reason on stderr", script: "echo \"Dangerous command blocked: rm -rf / would destroy the system\" >&2\nexit 2\n", decision: "deny",
			reason: "Dangerous command blocked: rm -rf / would destroy the system"},
		{name: "exit 0 without a word", script: "exit 0\n"},
		{name: "stdout of exit 2 does not count", script: "echo '{\"decision\": \"allow\"}'; echo no >&2; exit 2\n", decision: "deny", reason: "no"},
		{name: "stdout of a failure does not count", script: "echo '{\"decision\": \"deny\", \"reason\": \"x\"}'; exit 1\n", notice: "exit code 1"},
		{name: "another exit code", script: "echo oops >&2; exit 3\n", notice: "exit code 3: oops"},
		{name: "invalid JSON", script: "echo '{\"decision\":'\n", notice: "not one JSON object"},
		{name: "deny on stdout", script: "echo '{\"decision\": \"deny\", \"reason\": \"not here\"}'\n", decision: "deny", reason: "not here"},
		{name: "a timeout", script: "exec sleep 600\n", notice: "100ms"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			front := "name: guard\ntrigger: before_tool\n"
			if tt.name == "a timeout" {
				front += "timeout: 100\n"
			}
			p.hook(t, "guard", front, tt.script)
			v := p.eval(t, hookShell("make"), "--explain")
			if v.Decision != tt.decision || !strings.Contains(v.Reason, tt.reason) || !strings.Contains(v.raw, tt.raw) {
				t.Errorf("got %s", v.raw)
			}
			if got := strings.Join(v.Notices, "\n"); !strings.Contains(got, tt.notice) || tt.notice == "" && got != "" {
				t.Errorf("the person is told %q, want %q", got, tt.notice)
			}
		})
	}
}

// Section 3: a hook that is waited for blocks and rewrites, one that is not does
// neither.
func TestSpecificationModes(t *testing.T) {
	t.Parallel()
	const block, rewrite = "echo no >&2; exit 2\n", `echo '{"tool_input":{"command":"ls"}}'` + "\n"
	for _, tt := range []struct {
		name, front, script, decision string
		rewritten                     bool
	}{
		{"security-check", "name: security-check\ntrigger: before_tool\nasync: false # default, optional\n", block, "deny", false},
		{"security-check", "name: security-check\ntrigger: before_tool\n", block, "deny", false},
		{"security-check", "name: security-check\ntrigger: before_tool\nasync: false # default, optional\n", rewrite, "", true},
		{"auto-format", "name: auto-format\ntrigger: before_tool\nasync: true\n", block, "", false},
		{"auto-format", "name: auto-format\ntrigger: before_tool\nasync: true\n", rewrite, "", false},
	} {
		t.Run(tt.front+tt.script, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.hook(t, tt.name, tt.front, tt.script)
			v := p.answered(t, hookShell("make"))
			if v.Decision != tt.decision || (v.UpdatedInput != nil) != tt.rewritten {
				t.Errorf("got %s", v.raw)
			}
			if async := strings.Contains(tt.front, "async: true"); async {
				p.until(t, "../home/.local/state/checkrein/log/async.log", `"hook":"`+tt.name+`"`)
			}
		})
	}
}

// Every event may be asynchronous, and says what it printed in the log.
func TestSpecificationAsync(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	triggers := []string{"session_start", "session_end", "before_agent", "after_agent", "before_stop", "before_tool", "after_tool", "after_tool_failure", "subagent_start", "subagent_stop", "pre_compact"}
	for _, trigger := range triggers {
		name := strings.ReplaceAll(trigger, "_", "-")
		p.hook(t, name, "name: "+name+"\ntrigger: "+trigger+"\nasync: true\n", "echo heard "+name+"; echo whispered >&2; exit 2\n")
	}
	for _, trigger := range triggers {
		ev := payload{"event_type": trigger, "session_id": "s", "tool_name": "Shell", "tool_input": payload{"command": "make"}, "subagent_name": "a"}
		if v := p.answered(t, ev); v.Decision != "" || !strings.Contains(v.raw, `"detached":true`) {
			t.Errorf("%s: %s", trigger, v.raw)
		}
		p.until(t, "../home/.local/state/checkrein/log/async.log", `"hook":"`+strings.ReplaceAll(trigger, "_", "-")+`"`)
	}
	if log := p.read(t, "../home/.local/state/checkrein/log/async.log"); !strings.Contains(log, "whispered") {
		t.Errorf("the log is %s", log)
	}
}

// Section 4: which calls the specification's matchers are about.
func TestSpecificationMatchers(t *testing.T) {
	t.Parallel()
	shell := func(command string) payload { return hookShell(command) }
	write := func(path string) payload {
		return payload{"event_type": "before_tool", "session_id": "s", "tool_name": "WriteFile", "tool_input": payload{"path": path, "content": "x"}, "tool_use_id": "t"}
	}
	for _, tt := range []struct {
		name, matcher string
		heard, not    []payload
	}{
		{"4.1", "matcher:\n  tool: \"Shell\" # Tool name regex\n  pattern: \"rm -rf /|mkfs|>:/dev/sda\" # Parameter content regex\n",
			[]payload{shell("rm -rf /tmp/old-files"), shell("mkfs.ext4 /dev/sdb"), shell("echo x >:/dev/sda")}, []payload{shell("rm -rf build"), write("/x/mkfs")}},
		{"only the tool", "matcher:\n  tool: \"Shell\"\n", []payload{shell("ls")}, []payload{write("a.txt")}},
		{"file types", "matcher:\n  tool: \"WriteFile\"\n  pattern: \"\\.(py|js|ts)$\"\n", []payload{write("/x/a.py"), write("b.ts")}, []payload{write("/x/a.pyc"), write("a.md"), shell("cat a.py")}},
		{"keywords", "matcher:\n  tool: \"Shell\"\n  pattern: \"(rm -rf|mkfs|dd if=/dev/zero)\"\n", []payload{shell("dd if=/dev/zero of=x"), shell("rm -rf x")}, []payload{shell("rm x"), write("rm -rf")}},
		{"directories, of any tool", "matcher:\n  pattern: \"/etc/passwd|/var/www\"\n", []payload{write("/var/www/index.html"), shell("cat /etc/passwd")}, []payload{write("/var/log"), shell("ls")}},
		{"neither", "", []payload{write("a"), shell("ls")}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.hook(t, "guard", "name: guard\ntrigger: before_tool\n"+tt.matcher, "echo guarded >&2; exit 2\n")
			for i, ev := range append(slices.Clone(tt.heard), tt.not...) {
				v := p.answered(t, ev)
				if got := strings.Contains(v.Reason, "guarded"); got != (i < len(tt.heard)) {
					t.Errorf("%v: %s", ev["tool_input"], v.raw)
				}
			}
		})
	}
}

// Section 5: each payload as it is printed there reaches the script with every field
// and value.
func TestSpecificationPayloads(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, payload string }{
		{"5.2 tool", `{
  "event_type": "before_tool",
  "timestamp": "2024-01-15T10:30:00Z",
  "session_id": "sess-abc123",
  "work_dir": "/home/user/project",
  "tool_name": "Shell",
  "tool_input": {
    "command": "rm -rf /tmp/old-files"
  },
  "tool_use_id": "tool_123"
}`},
		{"5.3 sub-agent", `{
  "event_type": "subagent_start",
  "timestamp": "2024-01-15T10:30:00Z",
  "session_id": "sess-abc123",
  "work_dir": "/home/user/project",
  "subagent_name": "code-reviewer",
  "subagent_type": "coder",
  "task_description": "Review the authentication module"
}`},
		{"5.4 session start", `{
  "event_type": "session_start",
  "timestamp": "2024-01-15T10:30:00Z",
  "session_id": "sess-abc123",
  "work_dir": "/home/user/project",
  "model": "kimi-latest",
  "args": {
    "ui": "shell",
    "agent": "default"
  }
}`},
		{"5.4 session end", `{
  "event_type": "session_end",
  "timestamp": "2024-01-15T11:30:00Z",
  "session_id": "sess-abc123",
  "work_dir": "/home/user/project",
  "duration_seconds": 3600,
  "total_steps": 25,
  "exit_reason": "user_exit"
}`},
		{"5.5 stop", `{
  "event_type": "before_stop",
  "timestamp": "2024-01-15T10:35:00Z",
  "session_id": "sess-abc123",
  "work_dir": "/home/user/project",
  "stop_reason": "no_tool_calls",
  "step_count": 5,
  "final_message": {
    "role": "assistant",
    "content": "Task completed successfully"
  }
}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			body := strings.ReplaceAll(tt.payload, "/home/user/project", p.dir)
			var want, got map[string]any
			if err := json.Unmarshal([]byte(body), &want); err != nil {
				t.Fatal(err)
			}
			p.hook(t, "listener", fmt.Sprintf("name: listener\ntrigger: %s\n", want["event_type"]), "cat >heard\n")
			if _, errs, code := p.run(t, body, "checkrein", "eval", "--json"); code != 0 {
				t.Fatal(errs)
			}
			if err := json.Unmarshal([]byte(p.read(t, "heard")), &got); err != nil {
				t.Fatalf("%v: %s", err, p.read(t, "heard"))
			}
			for key, val := range want {
				if diff := cmp.Diff(val, got[key]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", key, diff)
				}
			}
			if _, ok := got["context"].(map[string]any); !ok {
				t.Errorf("context is %v", got["context"])
			}
		})
	}
}

// Sections 1 and 5.5: what a block does, event by event.
func TestSpecificationBlocks(t *testing.T) {
	t.Parallel()
	for trigger, want := range map[string]string{
		"before_agent": "deny", "before_tool": "deny", "before_stop": "redo", "subagent_start": "deny", "subagent_stop": "redo", "pre_compact": "deny",
		"after_tool": "deny", "after_tool_failure": "deny", // the run ends: what was done is done
		"session_start": "told", "session_end": "told", "after_agent": "told", // there is nothing left to stop
	} {
		for _, script := range []string{"echo not today >&2; exit 2\n", `echo '{"decision":"deny","reason":"not today"}'` + "\n"} {
			t.Run(trigger+"/"+script[:6], func(t *testing.T) {
				t.Parallel()
				p := newPlace(t)
				p.hook(t, "guard", "name: guard\ntrigger: "+trigger+"\n", script)
				v := p.answered(t, payload{"event_type": trigger, "session_id": "s", "tool_name": "Shell", "tool_input": payload{"command": "make"}, "subagent_name": "a",
					"final_message": payload{"role": "assistant", "content": "Done."}})
				told := strings.Contains(strings.Join(v.Notices, "\n"), "not today")
				switch {
				case want == "told" && (v.Decision != "" || !told):
					t.Errorf("the person hears why: %s", v.raw)
				case want != "told" && (v.Decision != "deny" || !strings.Contains(v.Reason, "not today")):
					t.Errorf("got %s", v.raw)
				case want == "redo" && (v.Redo == nil || !strings.Contains(v.Redo.Reason, "not today")):
					t.Errorf("the agent goes on with the reason: %s", v.raw)
				}
			})
		}
	}
}

// Section 7: higher first, then as they are found; the first block ends the chain.
func TestSpecificationOrder(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for name, priority := range map[string]string{"notify": "priority: 10\n", "check": "priority: 999\n", "a-plain": "", "b-plain": "priority: 100\n", "first": "priority: 1000\n", "last": "priority: 0\n"} {
		p.hook(t, name, "name: "+name+"\ntrigger: before_tool\n"+priority, "echo "+name+" >>order\n")
	}
	p.answered(t, hookShell("make"))
	if got := strings.Fields(p.read(t, "order")); strings.Join(got, " ") != "first check a-plain b-plain notify last" {
		t.Errorf("they ran as %v", got)
	}
	p.hook(t, "check", "name: check\ntrigger: before_tool\npriority: 999\n", "echo check >>order; echo no >&2; exit 2\n")
	p.write(t, "order", "")
	v := p.answered(t, hookShell("make"))
	if got := strings.Fields(p.read(t, "order")); v.Decision != "deny" || strings.Join(got, " ") != "first check" {
		t.Errorf("they ran as %v: %s", got, v.raw)
	}
}

// A tree as section 10.1 draws it has folders without scripts: they are listed, and
// everybody is told that nothing runs.
func TestSpecificationFolderWithoutScript(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, userHooks+"notify-slack/HOOK.md", "---\nname: notify-slack\ndescription: Tells Slack.\ntrigger: before_tool\n---\n")
	if list := p.must(t, "checkrein", "hooks", "list"); !strings.Contains(list, "notify-slack") || !strings.Contains(list, "has no script: add scripts/run") {
		t.Errorf("the list:\n%s", list)
	}
	if v := p.eval(t, hookShell("make")); v.Decision != "" || !strings.Contains(strings.Join(v.Notices, "\n"), "has no script") {
		t.Errorf("got %s", v.raw)
	}
}
