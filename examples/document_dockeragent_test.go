package examples_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What docker-agent's page about hooks and its one-stop example print, run as it is
// printed.

// dockerPage is a place with the page's blocks, each in the agent that it is a part of.
func dockerPage(t *testing.T) *place {
	t.Helper()
	needs(t, "jq", "bash")
	p := newPlace(t)
	p.put(t, "testdata/docker-agent/page/.", ".")
	p.put(t, "testdata/docker-agent/one_stop.yaml", "one_stop.yaml")
	files, err := filepath.Glob(filepath.Join(p.dir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := filepath.Base(f)
		text := strings.ReplaceAll(p.read(t, name), "/tmp/", p.dir+"/")
		if strings.HasPrefix(text, "hooks:\n") {
			text = "agents:\n  root:\n    model: openai/gpt-4o\n    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ") + "\n"
		}
		p.write(t, name, text)
	}
	return p
}

// spoken gives a file a model that needs no network.
func (p *place) spoken(t *testing.T, file, model string) {
	t.Helper()
	p.write(t, file, strings.ReplaceAll(p.read(t, file), "openai/gpt-4o", model))
}

// lines is what a file got, each line against a pattern.
func (p *place) lines(t *testing.T, file string, want ...string) {
	t.Helper()
	got := strings.Split(strings.TrimSuffix(p.read(t, file), "\n"), "\n")
	if len(got) != len(want) {
		t.Errorf("%s has %d lines, want %d:\n%s", file, len(got), len(want), strings.Join(got, "\n"))
		return
	}
	for i, w := range want {
		if !regexp.MustCompile("^" + w + "$").MatchString(got[i]) {
			t.Errorf("%s, line %d: %q, want %s", file, i+1, got[i], w)
		}
	}
}

// Every block is valid; the judge's says what it lacks.
func TestPageIsValid(t *testing.T) {
	t.Parallel()
	p := dockerPage(t)
	files, err := filepath.Glob(filepath.Join(p.dir, "*.yaml"))
	if err != nil || len(files) < 15 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		p.valid(t, filepath.Base(f))
	}
}

// The one-stop example, event by event: what each hook decides, tells and logs.
func TestPageOneStop(t *testing.T) {
	t.Parallel()
	p := dockerPage(t)
	p.write(t, "GUIDELINES.md", "Be brief.\n")
	p.write(t, "PROJECT.md", "A small one.\n")
	pressure := payload{"compaction_reason": "threshold", "input_tokens": 900, "output_tokens": 100, "context_limit": 1000}
	blocked := func(t *testing.T, v *verdict) {
		if !strings.Contains(v.Reason, "🚫 HOOK BLOCKED: dangerous command pattern detected. rm -rf, sudo, mkfs, dd are not allowed.") {
			t.Errorf("reason %q", v.Reason)
		}
	}
	for _, tt := range []struct {
		name string
		agentCase
		log, line string
	}{
		{"echo is allowed", agentCase{ev: shell("pre_tool_use", "echo hello"), more: unchanged}, "", ""},
		{"rm -rf is denied", agentCase{ev: shell("pre_tool_use", "rm -rf /tmp/test"), decision: "deny", more: blocked}, "", ""},
		{"sudo is denied", agentCase{ev: shell("pre_tool_use", "sudo apt update"), decision: "deny", more: blocked}, "", ""},
		{"sudo in a second line is denied", agentCase{ev: shell("pre_tool_use", "true\nsudo apt update"), decision: "deny", more: blocked}, "", ""},
		{"sudo behind quotes and backslashes is denied", agentCase{ev: shell("pre_tool_use", "printf '\\n\\t\"x\"' \\\n; sudo apt update"), decision: "deny", more: blocked}, "", ""},
		{"mkfs is denied", agentCase{ev: shell("pre_tool_use", "mkfs.ext4 disk.img"), decision: "deny", more: blocked}, "", ""},
		{"dd is denied", agentCase{ev: shell("pre_tool_use", "dd if=a of=b"), decision: "deny", more: blocked}, "", ""},
		{"ls gets -h", agentCase{ev: shell("pre_tool_use", "ls"), decision: "allow", more: rewritten("ls -h", "📝 Hook modified command: added -h for human-readable output")}, "", ""},
		{"ls -h stays", agentCase{ev: shell("pre_tool_use", "ls -h"), more: unchanged}, "", ""},
		{"another tool", agentCase{ev: payload{"hook_event_name": "pre_tool_use", "tool_name": "read_file", "tool_input": payload{"path": "sudo"}}, more: unchanged}, "", ""},
		{"success is summarized", agentCase{ev: event("post_tool_use", shell("post_tool_use", "ls"), payload{"tool_response": "abc"}),
			context: []string{"✅ Post-hook: shell completed (error=false, output=4 chars, profile=dev)"}}, "", ""},
		{"lines are summarized", agentCase{ev: event("post_tool_use", shell("post_tool_use", "ls"), payload{"tool_response": "a\nb\\n\t\"c\""}),
			context: []string{"✅ Post-hook: shell completed (error=false, output=10 chars, profile=dev)"}}, "", ""},
		{"failure is summarized", agentCase{ev: event("post_tool_use", shell("post_tool_use", "ls"), payload{"tool_response": "no", "tool_error": true}),
			context: []string{"✅ Post-hook: shell completed (error=true, output=3 chars, profile=dev)"}}, "", ""},
		{"a safe command is approved", agentCase{ev: shell("permission_request", "whoami"), decision: "allow"}, "permissions", "permission request: whoami"},
		{"another falls through", agentCase{ev: shell("permission_request", "make"), decision: ""}, "permissions", "permission request: make"},
		{"a session starts", agentCase{ev: event("session_start", payload{"source": "startup"}), context: []string{"Working directory: ", "Session log: "}}, "session", "🚀 Session s1 started at .*"},
		{"a prompt about logs", agentCase{ev: event("user_prompt_submit", payload{"prompt": "where are the logs?"}), context: []string{"Hook hint: agent log files live under "}}, "prompts", `\[s1\] where are the logs\?`},
		{"another prompt", agentCase{ev: event("user_prompt_submit", payload{"prompt": "hello"})}, "prompts", `\[s1\] hello`},
		{"a turn starts", agentCase{ev: event("turn_start"), context: []string{"Today's date: 2", "Be brief.", "A small one."}}, "", ""},
		{"a turn ends", agentCase{ev: event("turn_end", payload{"agent_name": "root", "reason": "loop_detected"})}, "turns", `\[←\] s1 root turn ended \(reason=loop_detected\)`},
		{"before the model", agentCase{ev: event("before_llm_call", payload{"iteration": 1})}, "llm-calls", `\[→\] s1 llm call starting`},
		{"after the model", agentCase{ev: event("after_llm_call", payload{"stop_response": "hello"})}, "llm-calls", `\[←\] s1 llm call complete, content=6 chars`},
		{"a session ends", agentCase{ev: event("session_end", payload{"reason": "clear"})}, "session", `👋 Session s1 ended \(reason: clear\) at .*`},
		{"compaction is steered", agentCase{ev: event("pre_compact", payload{"source": "tool_overflow"}), context: []string{"When summarizing, please preserve any TODOs, file paths, and command outputs verbatim."}},
			"compactions", `s1 compacting \(source=tool_overflow\)`},
		{"a sub-agent is done", agentCase{ev: event("subagent_stop", payload{"agent_name": "helper", "parent_session_id": "p1", "stop_response": "ok"})}, "subagents", "helper child=s1 parent=p1 len=3"},
		{"the agent waits", agentCase{ev: event("on_user_input")}, "", ""},
		{"the model is done", agentCase{ev: event("stop", payload{"stop_response": "bye"})}, "responses", "Session s1 - response length: 4 chars"},
		{"a warning", agentCase{ev: event("notification", payload{"notification_level": "warning", "notification_message": "slow"})}, "notifications", `\[warning\] slow`},
		{"an error", agentCase{ev: event("on_error", payload{"notification_level": "error", "notification_message": "no model"})}, "errors", "error: no model"},
		{"the limit", agentCase{ev: event("on_max_iterations", payload{"notification_level": "warning", "notification_message": "60 calls"})}, "max-iter", "max-iterations: 60 calls"},
		{"before compaction", agentCase{ev: event("before_compaction", pressure)}, "compactions", `\[→\] compacting \(reason=threshold, in=900, out=100, ctx=1000\)`},
		{"after compaction", agentCase{ev: event("after_compaction", pressure, payload{"summary": "short"})}, "compactions", `\[✓\] compacted \(reason=threshold, 900\+100 tokens → 6 chars summary\)`},
	} {
		t.Run(tt.name, func(t *testing.T) { // one after another: they share their logs
			var log string
			if tt.log != "" {
				log = "agent-" + tt.log + ".log"
				_ = os.Remove(filepath.Join(p.dir, log))
			}
			tt.check(t, p, "one_stop.yaml")
			if log != "" {
				date := `(\[[^\]]*:[^\]]*\] )?`
				p.lines(t, log, date+tt.line)
			}
		})
	}
}

// The example's four prompts in a session, with the logs that it names.
func TestPageOneStopPrompts(t *testing.T) {
	t.Parallel()
	p := dockerPage(t)
	p.quiet(t)
	p.spoken(t, "one_stop.yaml", "scripted/demo")
	for _, x := range []struct{ prompt, reply, beside string }{
		{"Run: echo hello", "shell worked and says: hello", `→ shell {"cmd":"echo hello"}  (permission_request_hook_allow)`},
		{"Run: rm -rf /tmp/test", "HOOK BLOCKED: dangerous command pattern detected", "✗ shell did not run: "},
		{"Run: sudo apt update", "HOOK BLOCKED: dangerous command pattern detected", "✗ shell did not run: "},
		{"List files in current dir", "one_stop.yaml", `→ shell {"cmd":"ls -h"}  (pre_tool_use_hook_allow)`},
	} {
		out, errs, code := p.run(t, "", "checkrein", "run", "one_stop.yaml", x.prompt)
		if code != 0 || !strings.Contains(out, x.reply) || !strings.Contains(errs, x.beside) || strings.Contains(errs, "failed") {
			t.Errorf("%s: exit %d\n%s%s", x.prompt, code, out, errs)
		}
	}
	for log, want := range map[string]string{
		"session": "🚀 Session ", "prompts": "] Run: echo hello\n", "llm-calls": "llm call starting", "turns": " root turn ended (reason=normal)",
		"permissions": "permission request: echo hello", "responses": "response length: ",
	} {
		if got := p.read(t, "agent-"+log+".log"); !strings.Contains(got, want) || strings.Contains(got, "unknown") {
			t.Errorf("agent-%s.log has no %q, or does not know something:\n%s", log, want, got)
		}
	}
	inOrder(t, p.read(t, "agent-turns.log"), "reason=continue", "reason=normal")
	inOrder(t, p.read(t, "agent-llm-calls.log"), "llm call starting", "llm call complete, content=", "llm call starting", "llm call complete, content=")

	out, errs, code := p.run(t, "Say: one\nSay: two\n/compact\nSay: three\n", "checkrein", "run", "one_stop.yaml")
	if code != 0 || !strings.Contains(out, "three") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	inOrder(t, p.read(t, "agent-compactions.log"), "compacting (source=manual)", "compacting (reason=manual, in=", "compacted (reason=manual, ")
}

// The strategy that the example has in comments is taken word for word, and no model
// is asked for a summary. A second block for the same event is refused.
func TestPageOneStopSummary(t *testing.T) {
	t.Parallel()
	p := dockerPage(t)
	p.quiet(t)
	text := p.read(t, "one_stop.yaml")
	first, custom, ok := strings.Cut(text, "      # before_compaction:\n")
	before := regexp.MustCompile(`(?s)      before_compaction:\n.*?(      # =)`)
	if !ok || !before.MatchString(first) {
		t.Fatal("the example has another form")
	}
	indent := map[string]string{"- type": "        ", "timeout": "          ", "command": "          "}
	block := "      before_compaction:\n"
	for line := range strings.Lines(custom) {
		line = strings.TrimPrefix(line, "      # ")
		at := "            "
		for key, n := range indent {
			if strings.HasPrefix(line, key) {
				at = n
			}
		}
		block += at + line
	}
	p.write(t, "both.yaml", text+block)
	if _, errs, code := p.run(t, "", "checkrein", "validate", "-c", "both.yaml"); code != 3 || !strings.Contains(errs, `"before_compaction" occurs twice`) {
		t.Errorf("two blocks: exit %d\n%s", code, errs)
	}
	p.write(t, "custom.yaml", before.ReplaceAllString(first, "$1")+"\n"+block)
	const summary = "Conversation summarized by the deterministic strategy. Latest user request and tool results preserved verbatim."
	ev := event("before_compaction", payload{"compaction_reason": "manual"})
	if v := p.answered(t, ev, "-c", "custom.yaml"); v.Summary != summary || v.Decision != "" {
		t.Errorf("got %s", v.raw)
	}
	p.spoken(t, "custom.yaml", "scripted/demo")
	_, errs, code := p.run(t, "Say: one\nSay: two\n/compact\nSay: three\n", "checkrein", "run", "custom.yaml", "--hook-after-compaction", "cat >after.json", "--hook-before-llm-call", "cat >sent.json")
	if code != 0 || !strings.Contains(p.read(t, "after.json"), summary) || !strings.Contains(p.read(t, "sent.json"), summary) {
		t.Errorf("exit %d\n%s\n%s\n%s", code, errs, p.read(t, "after.json"), p.read(t, "sent.json"))
	}
	if n := strings.Count(p.read(t, "agent-llm-calls.log"), "starting"); n != 3 {
		t.Errorf("the model was asked %d times, want 3", n)
	}
}

// The page's first configuration and its scripts, on a host and in a session.
func TestPageScripts(t *testing.T) {
	t.Parallel()
	p := dockerPage(t)
	p.quiet(t)
	for _, tt := range []struct {
		name string
		ev   payload
		want string
	}{
		{"sudo", shell("pre_tool_use", "sudo apt update"), "deny"},
		{"rm -rf", shell("pre_tool_use", "cd x && rm -v -rf y"), "deny"},
		{"rm -rf in a later line", shell("pre_tool_use", "echo \"\\n\"\nrm -rf build"), "deny"},
		{"anything else", shell("pre_tool_use", "make"), ""},
		{"another tool", payload{"hook_event_name": "pre_tool_use", "tool_name": "edit_file", "tool_input": payload{"path": "sudo"}}, ""},
	} {
		v := p.answered(t, tt.ev, "-c", "configuration.yaml")
		if v.Decision != tt.want || tt.want != "" && !strings.Contains(v.Reason, "Dangerous command blocked by policy") {
			t.Errorf("%s: %s", tt.name, v.raw)
		}
	}
	if v := p.answered(t, event("post_tool_use", shell("post_tool_use", "ls"), payload{"tool_response": "x"}), "-c", "configuration.yaml"); v.Decision != "" {
		t.Errorf("the log decides: %s", v.raw)
	}
	p.lines(t, "audit.log", `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \| s1 \| shell`)

	p.spoken(t, "configuration.yaml", "scripted/demo")
	p.write(t, "configuration.yaml", strings.Replace(p.read(t, "configuration.yaml"), "    hooks:\n", "    toolsets: [{type: shell}]\n    hooks:\n", 1))
	out, errs, code := p.run(t, "Run: sudo true\nRun: ls scripts\n", "checkrein", "run", "configuration.yaml")
	if code != 0 || !strings.Contains(errs, "Dangerous command blocked by policy") || strings.Contains(errs, "not approved") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	heard := p.read(t, "heard.jsonl")
	for _, name := range []string{"session_start", "session_end", "on_user_input", "stop"} {
		if !strings.Contains(heard, `"hook_event_name":"`+name+`"`) {
			t.Errorf("no %s in\n%s", name, heard)
		}
	}
}

// The page's smaller blocks, a row each.
func TestPageBlocks(t *testing.T) {
	t.Parallel()
	p := dockerPage(t)
	p.write(t, "GUIDELINES.md", "Be brief.\n")
	p.write(t, "PROJECT.md", "A small one.\n")
	for _, tt := range []struct {
		name, file string
		agentCase
		log, line string
	}{
		{"builtins of a turn", "builtins.yaml", agentCase{ev: event("turn_start"), context: []string{"Today's date: 2", "Be brief.", "A small one."}}, "", ""},
		{"builtins of a session", "builtins.yaml", agentCase{ev: event("session_start"), context: []string{"Working directory: "}}, "", ""},
		{"the 50th call", "builtins.yaml", agentCase{ev: event("before_llm_call", payload{"iteration": 50})}, "", ""},
		{"the 51st call", "builtins.yaml", agentCase{ev: event("before_llm_call", payload{"iteration": 51}), decision: "deny"}, "", ""},
		{"options", "options.yaml", agentCase{ev: event("post_tool_use", shell("post_tool_use", "ls"), payload{"tool_response": "x"}), context: []string{"profile dev in ", "/hooks"}}, "", ""},
		{"options, another tool", "options.yaml", agentCase{ev: payload{"hook_event_name": "post_tool_use", "tool_name": "think", "tool_input": payload{}, "tool_response": "x"}}, "", ""},
		{"session start", "lifecycle.yaml", agentCase{ev: event("session_start"), context: []string{"Session initialized."}}, "session", "Session s1 started at .*"},
		{"session end", "lifecycle.yaml", agentCase{ev: event("session_end", payload{"reason": "prompt_input_exit"})}, "session", `Session s1 ended \(prompt_input_exit\) at .*`},
		{"stop", "stop.yaml", agentCase{ev: event("stop", payload{"stop_response": "bye"})}, "responses", `\[.*\] Session s1 - Response: 4 chars`},
		{"notification", "notification.yaml", agentCase{ev: event("notification", payload{"notification_level": "error", "notification_message": "m"})}, "notifications", `\[.*\] \[error\] m`},
		{"steering", "steering.yaml", agentCase{ev: event("user_steering_messages_submit", payload{"steering_messages": []string{"look left"}}), context: []string{"The user sent new instructions while you were working"}}, "steering", "look left"},
		{"no steering", "steering.yaml", agentCase{ev: event("user_steering_messages_submit", payload{"steering_messages": []string{}})}, "", ""},
		{"follow-up", "followup.yaml", agentCase{ev: event("user_followup_submit", payload{"prompt": "and then"})}, "followups", "and then"},
		{"permission for a read", "permission.yaml", agentCase{ev: shell("permission_request", "cat x"), decision: "allow", more: func(t *testing.T, v *verdict) {
			if v.Reason != "safe read-only command" {
				t.Errorf("reason %q", v.Reason)
			}
		}}, "", ""},
		{"no permission for the rest", "permission.yaml", agentCase{ev: shell("permission_request", "make")}, "", ""},
		{"metadata", "metadata.yaml", agentCase{ev: shell("permission_request", "rm x"), more: risky}, "", ""},
		{"destructive", "preempt_yolo.yaml", agentCase{ev: shell("pre_tool_use", "docker volume rm data"), decision: "ask", more: func(t *testing.T, v *verdict) {
			if v.Metadata["blast_radius"] != "high" || v.Metadata["category"] == "" {
				t.Errorf("metadata %v", v.Metadata)
			}
		}}, "", ""},
		{"a known read", "preempt_yolo.yaml", agentCase{ev: shell("pre_tool_use", "docker ps")}, "", ""},
		{"an unknown command", "preempt_yolo.yaml", agentCase{ev: shell("pre_tool_use", "frobnicate"), decision: "ask", more: func(t *testing.T, v *verdict) {
			if v.Metadata["blast_radius"] != "unknown" {
				t.Errorf("metadata %v", v.Metadata)
			}
		}}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log string
			if tt.log != "" {
				log = "agent-" + tt.log + ".log"
				_ = os.Remove(filepath.Join(p.dir, log))
			}
			tt.check(t, p, tt.file)
			if log != "" {
				p.lines(t, log, tt.line)
			}
		})
	}
}

// The payload that the page prints is what a hook hears.
func TestPagePayload(t *testing.T) {
	t.Parallel()
	p := dockerPage(t)
	p.write(t, "agent.yaml", "agents: {root: {hooks: {pre_tool_use: [{hooks: [{type: command, command: 'cat >heard.json'}]}]}}}\n")
	p.answered(t, payload{"session_id": "abc123", "cwd": p.dir, "hook_event_name": "pre_tool_use", "tool_name": "shell", "tool_use_id": "call_xyz",
		"tool_input": payload{"cmd": "rm -rf /tmp/cache", "cwd": "."}}, "-c", "agent.yaml")
	want := `{"session_id":"abc123","cwd":"` + p.dir + `","hook_event_name":"pre_tool_use","tool_name":"shell","tool_use_id":"call_xyz","tool_input":{"cmd":"rm -rf /tmp/cache","cwd":"."}}`
	if got := p.read(t, "heard.json"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The answers that the page prints mean what it says.
func TestPageAnswers(t *testing.T) {
	t.Parallel()
	p := dockerPage(t)
	for name, tt := range map[string]struct {
		ev                       payload
		answer, decision, reason string
	}{
		"the whole answer": {shell("pre_tool_use", "ls"), `{"continue": true, "stop_reason": "Optional message when continue=false", "suppress_output": false,
			"system_message": "Warning message to show user", "decision": "block", "reason": "Explanation for the decision",
			"hook_specific_output": {"hook_event_name": "pre_tool_use", "permission_decision": "allow", "permission_decision_reason": "Command is safe", "updated_input": { "cmd": "modified command" }}}`,
			"deny", "Explanation for the decision"},
		"a summary": {event("before_compaction"), `{"hook_specific_output": {"hook_event_name": "before_compaction", "summary": "User asked to refactor pkg/foo. Done in commit abc123."}}`, "", ""},
		"nothing":   {shell("pre_tool_use", "ls"), `{}`, "", ""},
		"quiet":     {shell("pre_tool_use", "ls"), `{"suppress_output": true, "system_message": "logged"}`, "", ""},
	} {
		p.write(t, "answer.json", tt.answer)
		p.write(t, "agent.yaml", "agents: {root: {hooks: {pre_tool_use: [{hooks: [{type: command, command: cat answer.json}]}], before_compaction: [{type: command, command: cat answer.json}]}}}\n")
		v := p.answered(t, tt.ev, "-c", "agent.yaml")
		if v.Decision != tt.decision || !strings.Contains(v.Reason, tt.reason) {
			t.Errorf("%s: %s", name, v.raw)
		}
		if name == "a summary" && v.Summary != "User asked to refactor pkg/foo. Done in commit abc123." {
			t.Errorf("summary %q", v.Summary)
		}
		if name == "quiet" && (len(v.Context) != 0 || strings.Join(v.Notices, "") != "logged") {
			t.Errorf("%s", v.raw)
		}
		if name == "the whole answer" && (len(v.Notices) == 0 || v.Notices[0] != "Warning message to show user") {
			t.Errorf("notices %q", v.Notices)
		}
	}
}

// The page's worktree hooks seed a real worktree, and a failed installation ends the
// run before a session exists.
func TestPageWorktree(t *testing.T) {
	t.Parallel()
	needs(t, "git")
	p := dockerPage(t)
	p.quiet(t)
	p.spoken(t, "worktree.yaml", "scripted/demo")
	p.write(t, "worktree.yaml", strings.Replace(p.read(t, "worktree.yaml"), "    hooks:\n", "    toolsets: [{type: shell}]\n    hooks:\n", 1))
	p.write(t, "repo/.gitignore", ".env\n")
	p.must(t, "git", "-C", "repo", "init", "-q")
	p.must(t, "git", "-C", "repo", "add", "-A")
	p.must(t, "git", "-C", "repo", "-c", "user.email=a@example.com", "-c", "user.name=a", "commit", "-qm", "first")
	p.write(t, "repo/.env", "A=1\n")
	run := func(args ...string) (string, string, int) {
		q := *p
		q.dir = filepath.Join(p.dir, "repo")
		if out, errs, code := q.run(t, "", "checkrein", "hooks", "approve", "-c", "../worktree.yaml", "--all", "--yes", "--cannot-tell"); code != 0 { // npm runs what the repository says
			t.Fatalf("approve: exit %d\n%s%s", code, out, errs)
		}
		return q.run(t, "", "checkrein", append([]string{"run", "../worktree.yaml", "--yolo"}, args...)...)
	}
	out, errs, code := run("--worktree=one", "Run: cat .env; pwd")
	if code != 0 || !strings.Contains(out, "A=1") || !strings.Contains(errs, "Prepared worktree") || strings.Contains(out, p.dir+"/repo\n") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}

	p.write(t, "repo/package.json", "{}\n")
	p.must(t, "git", "-C", "repo", "add", "-A")
	p.must(t, "git", "-C", "repo", "-c", "user.email=a@example.com", "-c", "user.name=a", "commit", "-qm", "second")
	p.must(t, "sh", "-c", `mkdir bin; printf '#!/bin/sh\nexit 1\n' >bin/npm; chmod +x bin/npm`)
	p.env = append(p.env, "PATH="+p.dir+"/bin:"+programs+":"+os.Getenv("PATH"))
	out, errs, code = run("--worktree=two", "--hook-session-start", "touch ../started", "Say: hi")
	if _, err := os.Stat(filepath.Join(p.dir, "started")); code == 0 || !strings.Contains(errs, "a hook refused the worktree: ") || !strings.Contains(errs, "npm install failed") || err == nil || strings.Contains(out, "hi") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

// The page's snapshot hooks let a turn be taken back.
func TestPageSnapshot(t *testing.T) {
	t.Parallel()
	needs(t, "git")
	p := dockerPage(t)
	p.must(t, "git", "init", "-q")
	p.write(t, "work.txt", "before\n")
	p.answered(t, event("turn_start"), "-c", "snapshot.yaml")
	p.write(t, "work.txt", "after\n")
	p.answered(t, event("turn_end"), "-c", "snapshot.yaml")
	p.answered(t, event("turn_start"), "-c", "snapshot.yaml") // one that changes nothing
	p.answered(t, event("turn_end"), "-c", "snapshot.yaml")
	p.must(t, "checkrein", "snapshots", "undo")
	if got := p.read(t, "work.txt"); got != "before\n" {
		t.Errorf("after undo the file is %q", got)
	}
	p.answered(t, event("session_end"), "-c", "snapshot.yaml")
}

// The page's two agents on one machine: at every handoff the model that is left is
// unloaded, at its engine's address.
func TestPageUnload(t *testing.T) {
	t.Parallel()
	p := dockerPage(t)
	p.quiet(t)
	var unloaded []string
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case strings.HasSuffix(r.URL.Path, "/_unload"):
			unloaded = append(unloaded, r.URL.Path+" "+string(body))
		case strings.Contains(string(body), `"model":"ai/qwen3-large"`):
			_, _ = io.WriteString(w, `{"answer":{"tool_calls":[{"id":"1","type":"function","function":{"name":"handoff","arguments":"{\"agent\":\"reviewer\"}"}}]}}`+"\n")
		default:
			_, _ = io.WriteString(w, `{"answer":{"text":"reviewed"}}`+"\n")
		}
	}))
	t.Cleanup(engine.Close)
	p.env = append(p.env, "MODEL_RUNNER_HOST="+engine.URL)
	out, errs, code := p.run(t, "", "checkrein", "run", "unload.yaml", "--yolo", "go")
	if code != 0 || !strings.Contains(out, "reviewed") || strings.Join(unloaded, "|") != `/engines/_unload {"model":"ai/qwen3-large"}` {
		t.Errorf("exit %d, unloaded %q\n%s%s", code, unloaded, out, errs)
	}
}

// The commands that the page prints: hooks of flags, one or several, beside those of
// the file.
func TestPageFlags(t *testing.T) {
	t.Parallel()
	p := dockerPage(t)
	p.quiet(t)
	p.write(t, "agent.yaml", "agents: {root: {model: scripted/demo, toolsets: [{type: shell}], hooks: {session_start: [{type: command, command: 'echo file >>order'}]}}}\n")
	p.must(t, "sh", "-c", `cp scripts/validate-command.sh scripts/validate.sh && cp scripts/log-tool-call.sh scripts/log.sh`)
	_, errs, code := p.run(t, "", "checkrein", "run", "agent.yaml", "--hook-session-start", "./scripts/setup-env.sh", "--hook-session-start", "echo flag >>order", "Say: hi")
	if code != 0 || !strings.Contains(p.read(t, "heard.jsonl"), `"hook_event_name":"session_start"`) || len(p.read(t, "order")) != len("file\nflag\n") {
		t.Errorf("exit %d\n%s\n%s", code, errs, p.read(t, "order"))
	}
	_, errs, code = p.run(t, "", "checkrein", "run", "agent.yaml", "--hook-pre-tool-use", "./scripts/validate.sh", "--hook-post-tool-use", "./scripts/log.sh", "Run: sudo true")
	if code != 0 || !strings.Contains(errs, "Dangerous command blocked by policy") {
		t.Errorf("exit %d\n%s", code, errs)
	}
	_, errs, code = p.run(t, "", "checkrein", "run", "agent.yaml", "--yolo", "--hook-pre-tool-use", "./scripts/validate.sh", "--hook-post-tool-use", "./scripts/log.sh", "Run: ls")
	if code != 0 || !strings.Contains(p.read(t, "audit.log"), " | shell") {
		t.Errorf("exit %d\n%s", code, errs)
	}
	for _, flag := range []string{"pre-tool-use", "post-tool-use", "session-start", "session-end", "on-user-input", "stop"} {
		p.must(t, "checkrein", "run", "agent.yaml", "--yolo", "--hook-"+flag, "touch heard-"+flag, "Run: echo hi")
		if _, err := os.Stat(filepath.Join(p.dir, "heard-"+flag)); (err == nil) == (flag == "pre-tool-use") { // auto-approval skips it, as the page says
			t.Errorf("--hook-%s: %v", flag, err)
		}
	}
	p.must(t, "checkrein", "run", "agent.yaml", "--hook-pre-tool-use", "touch heard-pre", "Run: echo hi")
	if _, err := os.Stat(filepath.Join(p.dir, "heard-pre")); err != nil {
		t.Error(err)
	}
}

// Builtins need nothing but themselves: no program is found, and none is missed.
func TestPageBuiltinsNeedNoProgram(t *testing.T) {
	t.Parallel()
	p := dockerPage(t)
	p.write(t, "GUIDELINES.md", "Be brief.\n")
	p.env = append(p.env, "PATH="+filepath.Join(p.dir, "nothing"))
	for name, want := range map[string]string{"turn_start": "Be brief.", "session_start": "Working directory: "} {
		if v := p.answered(t, event(name), "-c", "builtins.yaml"); !strings.Contains(strings.Join(v.Context, "\n"), want) {
			t.Errorf("%s: %s", name, v.raw)
		}
	}
}

// Where jq is missing the example's hooks tell the person and the run goes on, but for
// its guard: one that cannot read a command has not agreed to it.
func TestPageWithoutJq(t *testing.T) {
	t.Parallel()
	p := dockerPage(t)
	p.must(t, "sh", "-c", `mkdir bin; for x in sh bash cat grep sed date wc tr; do ln -s "$(command -v $x)" bin/$x; done`)
	p.env = append(p.env, "PATH="+filepath.Join(p.dir, "bin"))
	for _, command := range []string{"sudo apt update", "ls"} {
		if v := p.eval(t, shell("pre_tool_use", command), "-c", "one_stop.yaml"); v.Decision != "deny" || !strings.Contains(v.Reason, "jq: command not found") {
			t.Errorf("%s: %s", command, v.raw)
		}
	}
	if v := p.eval(t, event("before_llm_call", payload{"iteration": 1}), "-c", "one_stop.yaml"); v.Decision != "" || !strings.Contains(strings.Join(v.Notices, "\n"), "jq: command not found") {
		t.Errorf("%s", v.raw)
	}
}
