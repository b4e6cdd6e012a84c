package examples_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What the document of starchild's agent-hooks prints, run as it is printed. Its
// machine keeps everything in /data/workspace; that prefix is all that changes.

// document reads a part of it, for this place.
func (p *place) document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/starchild", name))
	if err != nil {
		t.Fatal(err)
	}
	return patient(strings.ReplaceAll(string(text), "/data/workspace", p.dir))
}

// skill is a workspace as the skill finds it: the templates and an empty
// configuration.
func skill(t *testing.T) *place {
	t.Helper()
	p := newPlace(t)
	for _, script := range []string{"security_guard.py", "verify_publish_claims.py", "runtime_footer.py"} {
		p.put(t, "starchild/hooks/"+script, "skills/agent-hooks/templates/"+script)
	}
	p.write(t, "config/agent.yaml", "shell_hooks:\n  enabled: true\n")
	return p
}

// wire adds entries to the configuration.
func (p *place) wire(t *testing.T, command string, events ...string) {
	t.Helper()
	text := p.read(t, scripts)
	if text == "" {
		text = "hooks:\n"
	}
	for _, event := range events {
		text += "  - event: " + event + "\n    command: " + command + "\n    timeout: 120\n"
	}
	p.write(t, scripts, text)
}

// A workspace as its users have it: the skill's scripts copied by its own commands,
// wired to the events that it names, approved by the two commands that it falls back
// to, inside and outside of a repository.
func TestStarchildWorkspace(t *testing.T) {
	t.Parallel()
	needs(t, "python3", "bash", "git")
	for _, where := range []string{"in a repository", "outside of one"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			p := skill(t)
			if where == "in a repository" {
				p.must(t, "git", "init", "-q")
			}
			guard := filepath.Join(p.dir, "hooks/security_guard.py")
			p.must(t, "sh", "-ec", p.document(t, "workflow/3-copy.sh"))
			said := p.must(t, "bash", "-c", p.document(t, "workflow/5-dry-run.sh"))
			if strings.Count(said, `"block"`) != 1 || strings.Count(strings.TrimSpace(said), "\n") != 0 {
				t.Errorf("the dry run says %q", said)
			}
			for _, script := range []string{"verify_publish_claims", "runtime_footer"} {
				copies, _, _ := strings.Cut(p.document(t, "install/"+script+".sh"), "curl ")
				p.must(t, "sh", "-ec", copies)
			}
			p.write(t, scripts, p.document(t, "footer.yaml"))
			p.wire(t, guard, "on_user_message", "pre_tool_call", "transform_tool_result", "on_response_end", "on_outbound_message")
			p.wire(t, filepath.Join(p.dir, "hooks/verify_publish_claims.py"), "on_stop", "on_completion_claim", "on_response_end")
			p.must(t, "checkrein", "validate")

			wipe := bash("rm -rf / --no-preserve-root")
			if v := p.eval(t, wipe); !strings.Contains(v.raw, "not approved") {
				t.Errorf("before anybody approved it: %s", v.raw)
			}
			list := p.must(t, "checkrein", "hooks", "list")
			for _, want := range []string{"pre_tool_call#1", "on_response_end#1", "on_outbound_message#1", "on_completion_claim#1", "not approved", "security_guard.py"} {
				if !strings.Contains(list, want) {
					t.Errorf("no %q in the list:\n%s", want, list)
				}
			}
			for _, script := range []string{"security_guard", "verify_publish_claims", "runtime_footer"} { // as /hooks approve <command>
				p.must(t, "checkrein", "hooks", "approve", filepath.Join(p.dir, "hooks", script+".py"))
			}
			p.must(t, "checkrein", "hooks", "on")
			p.must(t, "checkrein", "hooks", "doctor")

			if v := p.answered(t, wipe); v.Decision != "deny" || !strings.Contains(v.Reason, "[security]") {
				t.Errorf("got %s", v.raw)
			}
			if v := p.answered(t, payload{"event": "on_user_message", "message": "use " + exampleKey, "channel": "web"}); v.Decision != "deny" {
				t.Errorf("got %s", v.raw)
			}
			if v := p.answered(t, payload{"session_id": "s", "event": "on_stop", "response": "Published! It is at https://community.example.com/my-app-2"}); v.Redo == nil {
				t.Errorf("got %s", v.raw)
			}
			if v := p.answered(t, paid("Hi.", 0.0211)); v.text() != "Hi.\n\n─ z-ai/glm-5.2 · $0.0211" {
				t.Errorf("got %s", v.raw)
			}

			// An edit of the copy shows, and what was not approved does not run.
			p.must(t, "sh", "-c", `echo "# tuned" >>`+guard)
			if list := p.must(t, "checkrein", "hooks", "list"); !strings.Contains(list, "security_guard.py changed") {
				t.Errorf("the drift is not in the list:\n%s", list)
			}
			if out, _, code := p.run(t, "", "checkrein", "hooks", "doctor"); code == 0 || !strings.Contains(out, "changed") {
				t.Errorf("the drift is not in doctor:\n%s", out)
			}
			if v := p.eval(t, wipe); strings.Contains(v.Reason, "[security]") || !strings.Contains(v.raw, "changed since it was approved") {
				t.Errorf("got %s", v.raw)
			}
		})
	}
}

// The configuration's example, with the path that the document warns of, and with
// one that it demands.
func TestStarchildConfigFormat(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, scripts, p.document(t, "config-format.yaml"))
	if _, said, code := p.run(t, "", "checkrein", "validate"); code == 0 || !strings.Contains(said, "is relative") || !strings.Contains(said, "use an absolute path") {
		t.Errorf("a relative command: exit %d, %s", code, said)
	}
	p.must(t, "sh", "-c", `mkdir -p extensions/shell_hooks/examples; printf '#!/bin/sh\ncat >heard\n' >extensions/shell_hooks/examples/block_secrets.py; chmod +x extensions/shell_hooks/examples/block_secrets.py`)
	p.write(t, scripts, strings.ReplaceAll(p.read(t, scripts), "./extensions", p.dir+"/extensions"))
	p.must(t, "checkrein", "validate")
	p.must(t, "checkrein", "hooks", "approve", "--all")
	for command, spawned := range map[string]bool{"ls": false, "mkfs.ext4 /dev/sda1": true, "dd if=a of=b": true} {
		p.must(t, "rm", "-f", "heard")
		p.answered(t, bash(command))
		if got := p.read(t, "heard") != ""; got != spawned {
			t.Errorf("%s: the script ran: %v", command, got)
		}
	}
}

// The example of an HTTP endpoint is listed and approved by its address.
func TestStarchildHTTPFormat(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, scripts, p.document(t, "http.yaml"))
	p.must(t, "checkrein", "validate")
	if list := p.must(t, "checkrein", "hooks", "list"); !strings.Contains(list, "POST https://my-guard.example.com/hook") {
		t.Errorf("the list:\n%s", list)
	}
	p.must(t, "checkrein", "hooks", "approve", "pre_tool_call", "https://my-guard.example.com/hook")
	if list := p.must(t, "checkrein", "hooks", "list"); !strings.HasSuffix(strings.Join(strings.Fields(list), " "), "never never approved") {
		t.Errorf("the list:\n%s", list)
	}
}

// The smallest guard as the document prints it.
func TestStarchildMinimalAsPrinted(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "python3")
	p := newPlace(t)
	p.put(t, "testdata/starchild/minimal_block.sh", "hooks/minimal_block.sh")
	p.wire(t, filepath.Join(p.dir, "hooks/minimal_block.sh"), "pre_tool_call")
	p.must(t, "checkrein", "hooks", "approve", "--all")
	for command, want := range map[string]string{
		"rm -rf /":                    "deny",
		"dd if=/dev/zero of=/dev/sda": "deny",
		"true\nmkfs.ext4 /dev/sda1":   "deny",
		"echo \"a\\nb\" '\t' mkfs":    "deny",
		"ls":                          "",
	} {
		v := p.answered(t, bash(command))
		if v.Decision != want || want != "" && !strings.Contains(v.Reason, "This command is irreversible and would erase data, so I've blocked it: "+command) {
			t.Errorf("%q: %s", command, v.raw)
		}
	}
}

// The judge as the document prints it, with a stand-in for the module of that runtime
// which it imports.
func TestStarchildJudgeAsPrinted(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	p := newPlace(t)
	p.put(t, "testdata/starchild/judge.py", "hooks/judge.py")
	p.write(t, "lib/core/__init__.py", "")
	p.write(t, "lib/core/http_client.py", `class Answer:
    def __init__(self, said): self.said = said
    def json(self): return {"choices": [{"message": {"content": self.said}}]}

def proxied_post(url, json, headers, timeout):
    asked = json["messages"][1]["content"]
    if "invoice" in asked:
        return Answer('{"decision":"block","reason":"Blocked (nobody asked for it): pay the invoice"}')
    return Answer('{"decision":"allow","reason":""}' if "look" in asked else "I am not sure.")
`)
	p.env = append(p.env, "PYTHONPATH="+filepath.Join(p.dir, "lib"))
	p.wire(t, "python3 "+filepath.Join(p.dir, "hooks/judge.py"), "pre_tool_call")
	p.must(t, "checkrein", "hooks", "approve", "--all", "--cannot-tell")
	for command, want := range map[string]string{"pay invoice": "deny", "look": "", "mumble": ""} {
		if v := p.answered(t, bash(command)); v.Decision != want {
			t.Errorf("%s: %s", command, v.raw)
		}
	}
}

// Each answer of the output protocol, on the events that it is for and on the others.
func TestStarchildProtocol(t *testing.T) {
	t.Parallel()
	text := func(v *verdict) string { return v.text() }
	notes := func(v *verdict) string { return strings.Join(v.Notices, "\n") }
	context := func(v *verdict) string { return strings.Join(v.Context, "\n") }
	input := func(v *verdict) string { s, _ := v.UpdatedInput["command"].(string); return s }
	events := map[string]payload{
		"on_user_message":       {"message": "hi"},
		"pre_tool_call":         {"tool_name": "bash", "tool_input": payload{"command": "make"}},
		"post_tool_call":        {"tool_name": "bash", "tool_result": "out"},
		"transform_tool_result": {"tool_name": "bash", "tool_result": "out"},
		"pre_llm_call":          {"last_user_message": "hi", "model": "m"},
		"post_llm_call":         {"model": "m"},
		"on_response_end":       {"response": "done", "model": "m"},
		"on_stop":               {"response": "done"},
		"on_outbound_message":   {"notification": "out", "type": "telegram"},
		"on_completion_claim":   {"goal": "g", "summary": "s", "response": "done"},
		"on_session_start":      {"status": "new"},
		"on_session_end":        {"status": "done"},
	}
	for _, tt := range []struct {
		name, prints string
		on           []string // where it has an effect
		want         string
		got          func(*verdict) string
	}{
		{"a block", `{"decision": "block", "reason": "because"}`, []string{"on_user_message", "pre_tool_call", "on_stop", "on_outbound_message", "on_completion_claim", "pre_llm_call"}, "deny because",
			func(v *verdict) string { return strings.TrimSpace(v.Decision + " " + v.Reason) }},
		{"a redo", `{"decision": "block", "reason": "because"}`, []string{"on_stop", "on_completion_claim"}, "because", func(v *verdict) string {
			if v.Redo == nil {
				return ""
			}
			return v.Redo.Reason
		}},
		{"tool_input", `{"tool_input": {"command": "make test"}}`, []string{"pre_tool_call"}, "make test", input},
		{"notification", `{"notification": "rewritten"}`, []string{"on_outbound_message"}, "rewritten", text},
		{"message", `{"message": "rewritten"}`, []string{"on_user_message", "on_outbound_message"}, "rewritten", text},
		{"response", `{"response": "rewritten"}`, []string{"on_response_end", "post_llm_call"}, "rewritten", text},
		{"context", `{"context": "told"}`, []string{"pre_llm_call"}, "told", context},
		{"systemMessage", `{"systemMessage": "told"}`, []string{"pre_tool_call", "transform_tool_result", "on_outbound_message", "on_completion_claim", "on_stop", "on_user_message", "pre_llm_call", "post_tool_call", "post_llm_call", "on_response_end", "on_session_start", "on_session_end"}, "told", notes},
		{"add_warning", `{"add_warning": "told"}`, []string{"pre_tool_call", "transform_tool_result", "on_outbound_message", "on_completion_claim", "on_stop", "on_user_message", "pre_llm_call", "post_tool_call", "post_llm_call", "on_response_end", "on_session_start", "on_session_end"}, "told", notes},
		{"a note for the person is none for the model", `{"systemMessage": "told"}`, nil, "", context},
		{"nothing", ``, nil, "", func(v *verdict) string { return v.Decision + text(v) + notes(v) + context(v) + input(v) }},
		{"a block of what is over is told", `{"decision": "block", "reason": "because"}`, []string{"on_session_start", "on_session_end", "on_response_end", "transform_tool_result"}, "because",
			func(v *verdict) string {
				if v.Decision != "" {
					return ""
				}
				return notes(v)
			}},
		{"a block of an observer", `{"decision": "block", "reason": "because"}`, []string{"post_tool_call", "post_llm_call"}, "only observes here",
			func(v *verdict) string {
				if v.Decision == "" && strings.Contains(v.raw, "only observes here") {
					return "only observes here"
				}
				return ""
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.write(t, "said", tt.prints)
			for event := range events {
				p.wire(t, "cat "+filepath.Join(p.dir, "said"), event)
			}
			p.must(t, "checkrein", "hooks", "approve", "--all")
			for event, fields := range events {
				ev := payload{"event": event, "session_id": event}
				for k, val := range fields {
					ev[k] = val
				}
				v := p.answered(t, ev)
				if got := tt.got(v); slices.Contains(tt.on, event) && !strings.Contains(got, tt.want) || !slices.Contains(tt.on, event) && got != "" && strings.Contains(got, tt.want) && tt.want != "" {
					t.Errorf("%s: got %q of %s", event, got, v.raw)
				} else if tt.want == "" && got != "" {
					t.Errorf("%s: got %q of %s", event, got, v.raw)
				}
			}
		})
	}
}

// A script that fails, takes too long or prints no JSON lets everything go on.
func TestStarchildFailsOpen(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"an error":          "sh -c 'exit 1'",
		"no JSON":           "echo hello",
		"half an answer":    `printf {"decision":`,
		"it is not there":   "/nonexistent/guard.py",
		"it takes too long": "sleep 600",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.write(t, scripts, "hooks:\n  - event: pre_tool_call\n    command: "+command+"\n    timeout: 0.2\n")
			_, _, _ = p.run(t, "", "checkrein", "hooks", "approve", "--all", "--cannot-tell")
			if v := p.eval(t, bash("make")); v.Decision != "" {
				t.Errorf("got %s", v.raw)
			}
		})
	}
}

// No shell reads a command: what looks like one is an argument.
func TestStarchildNoShell(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.wire(t, `printf '{"decision":"block","reason":"%s"}' $(touch${IFS}pwned);touch`, "pre_tool_call")
	p.must(t, "checkrein", "hooks", "approve", "--all")
	if v := p.answered(t, bash("make")); !strings.Contains(v.Reason, "$(touch${IFS}pwned);touch") {
		t.Errorf("got %s", v.raw)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "pwned")); err == nil {
		t.Error("a shell ran it")
	}
}

// Scripts written for Claude Code answer in their own words, on starchild's events.
func TestStarchildClaudeScripts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, event, script string
		want                func(*verdict) bool
	}{
		{"permissionDecision", "pre_tool_call", `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"because"}}'`,
			func(v *verdict) bool { return v.Decision == "deny" && strings.Contains(v.Reason, "because") }},
		{"additionalContext", "pre_llm_call", `echo '{"hookSpecificOutput":{"additionalContext":"told"}}'`, func(v *verdict) bool { return slices.Contains(v.Context, "told") }},
		{"updatedInput", "pre_tool_call", `echo '{"hookSpecificOutput":{"updatedInput":{"command":"ls"}}}'`, func(v *verdict) bool { return v.UpdatedInput["command"] == "ls" }},
		{"continue false", "pre_tool_call", `echo '{"continue":false,"stopReason":"because"}'`, func(v *verdict) bool { return v.Decision == "deny" && strings.Contains(v.Reason, "because") }},
		{"systemMessage", "pre_tool_call", `echo '{"systemMessage":"told"}'`, func(v *verdict) bool { return slices.Contains(v.Notices, "told") }},
		{"suppressOutput", "pre_tool_call", `echo '{"suppressOutput":true}'`, func(v *verdict) bool { return v.Decision == "" && len(v.Notices) == 0 }},
		{"exit code 2", "pre_tool_call", "echo because >&2; exit 2", func(v *verdict) bool { return v.Decision == "deny" && strings.Contains(v.Reason, "because") }},
		{"a Stop script by JSON", "on_stop", `echo '{"decision":"block","reason":"because"}'`, func(v *verdict) bool { return v.Redo != nil && strings.Contains(v.Redo.Reason, "because") }},
		{"a Stop script by exit code", "on_stop", "echo because >&2; exit 2", func(v *verdict) bool { return v.Redo != nil && strings.Contains(v.Redo.Reason, "because") }},
		{"a UserPromptSubmit script", "on_user_message", "echo because >&2; exit 2", func(v *verdict) bool { return v.Decision == "deny" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.write(t, "hook.sh", "cat >/dev/null\n"+tt.script+"\n")
			p.wire(t, "sh "+filepath.Join(p.dir, "hook.sh"), tt.event)
			p.must(t, "checkrein", "hooks", "approve", "--all")
			v := p.answered(t, payload{"event": tt.event, "session_id": "s", "message": "hi", "tool_name": "bash", "tool_input": payload{"command": "make"}, "response": "done"})
			if !tt.want(v) {
				t.Errorf("got %s", v.raw)
			}
		})
	}
}

// What doctor flags.
func TestStarchildDoctor(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	for name, tt := range map[string]struct{ prepare, want string }{
		"healthy":        {"", "healthy"},
		"not executable": {"chmod -x hooks/guard.sh", "executable"},
		"tampered":       {"echo '# more' >>hooks/guard.sh", "changed"},
		"timed out":      {"", "100ms"},
		"no JSON":        {"", "hello"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			body := map[string]string{"timed out": "sleep 600", "no JSON": "echo hello"}[name]
			p.must(t, "sh", "-c", `mkdir hooks; printf '#!/bin/sh\ncat >/dev/null\n`+body+`\n' >hooks/guard.sh; chmod +x hooks/guard.sh`)
			p.write(t, scripts, "hooks:\n  - event: pre_tool_call\n    command: "+p.dir+"/hooks/guard.sh\n    timeout: 0.1\n")
			if name != "timed out" {
				p.write(t, scripts, strings.ReplaceAll(p.read(t, scripts), "0.1", "60"))
			}
			p.must(t, "checkrein", "hooks", "approve", "--all")
			if tt.prepare != "" {
				p.must(t, "sh", "-c", tt.prepare)
			}
			if out, errs, _ := p.run(t, "", "checkrein", "hooks", "doctor"); !strings.Contains(out, tt.want) {
				t.Errorf("no %q in\n%s%s", tt.want, out, errs)
			}
		})
	}
}

// An address of this machine or its network is refused when the file is read and
// again when it is called, and allowed by the variable alone.
func TestStarchildHTTPGuard(t *testing.T) {
	t.Parallel()
	called := make(chan bool, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		called <- true
		_, _ = w.Write([]byte(`{"decision":"block","reason":"remote"}`))
	}))
	defer server.Close()
	p := newPlace(t)
	p.write(t, scripts, "hooks:\n  - event: pre_tool_call\n    type: http\n    url: "+server.URL+"/hook\n    timeout: 120\n")
	p.must(t, "checkrein", "hooks", "approve", "--all")
	if v := p.eval(t, bash("make")); v.Decision != "" || len(called) > 0 {
		t.Errorf("it was called: %s", v.raw)
	}
	p.env = append(p.env, "STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL=1")
	if v := p.answered(t, bash("make")); v.Decision != "deny" || len(called) != 1 {
		t.Errorf("it was not called: %s", v.raw)
	}
}

// Options of the footer are constants in one's own copy; the nudge is an event more,
// and an event that the script does not know changes nothing.
func TestStarchildFooterCopy(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	p := skill(t)
	copies, _, _ := strings.Cut(p.document(t, "install/runtime_footer.sh"), "curl ")
	p.must(t, "sh", "-ec", "mkdir -p hooks; "+copies)
	p.must(t, "sh", "-ec", "sed 's/^SHOW_TOKENS = False/SHOW_TOKENS = True/' skills/agent-hooks/templates/runtime_footer.py >hooks/runtime_footer.py")
	wired := strings.NewReplacer("  # - event: pre_llm_call", "  - event: pre_llm_call", "  #   ", "    ").Replace(p.document(t, "footer.yaml")) // the optional entry, too
	p.write(t, scripts, wired)
	p.must(t, "checkrein", "hooks", "approve", "--all")
	if v := p.answered(t, paid("Hi.", 0.0211)); v.text() != "Hi.\n\n─ z-ai/glm-5.2 · $0.0211 · 900 in / 120 out" {
		t.Errorf("got %s", v.raw)
	}
	if v := p.answered(t, payload{"event": "pre_llm_call", "model": "m", "last_user_message": "hi"}); len(v.Context) != 1 || !strings.Contains(v.Context[0], "footer") {
		t.Errorf("got %s", v.raw)
	}
	for _, ev := range []string{`{"event":"sunrise"}`, `{}`, `not JSON`} {
		if out, errs, code := p.run(t, ev, "python3", "hooks/runtime_footer.py"); strings.TrimSpace(out) != "" && strings.TrimSpace(out) != "{}" {
			t.Errorf("%s: exit %d, %s%s", ev, code, out, errs)
		}
	}
}
