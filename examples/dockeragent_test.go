package examples_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// agentPlace is a place with the set in it, whose logs stay there.
func agentPlace(t *testing.T) *place {
	t.Helper()
	p := newPlace(t)
	p.put(t, "docker-agent/.", ".")
	p.env = append(p.env, "AGENT_LOGS="+p.dir)
	return p
}

func shell(event, command string) payload {
	return payload{"session_id": "s1", "hook_event_name": event, "tool_name": "shell", "tool_input": payload{"cmd": command, "cwd": "."}}
}

func event(name string, more ...payload) payload {
	ev := payload{"session_id": "s1", "hook_event_name": name}
	for _, m := range more {
		maps.Copy(ev, m)
	}
	return ev
}

// An agentCase is one event of an example, and what must come of it.
type agentCase struct {
	ev       payload
	decision string
	context  []string // parts of what the model is told, in order
	log      string   // the file that gets a line
	line     string   // what the line has
	more     func(t *testing.T, v *verdict)
}

func oneStop() []agentCase {
	after := payload{"compaction_reason": "threshold", "input_tokens": 900, "output_tokens": 100, "context_limit": 1000}
	return []agentCase{
		{ev: shell("pre_tool_use", "echo hello"), more: unchanged},
		{ev: shell("pre_tool_use", "rm -rf /tmp/test"), decision: "deny", more: boxed("rm -rf /tmp/test")},
		{ev: shell("pre_tool_use", "sudo apt update"), decision: "deny", more: boxed("sudo apt update")},
		{ev: shell("pre_tool_use", "ls"), decision: "allow", more: rewritten("ls -h", "sizes that people can read")},
		{ev: shell("pre_tool_use", `ls "a b" -l`), decision: "allow", more: rewritten(`ls -h "a b" -l`, "sizes")},
		{ev: shell("pre_tool_use", "ls -lh"), more: unchanged},
		{ev: payload{"session_id": "s1", "hook_event_name": "pre_tool_use", "tool_name": "read_file", "tool_input": payload{"path": "sudo"}}, more: unchanged},
		{ev: event("post_tool_use", shell("post_tool_use", "ls"), payload{"tool_response": "a\nb"}), context: []string{"shell is done (failed: false, characters: 3, profile: dev)"}, log: "tool-results", line: "characters: 3"},
		{ev: shell("permission_request", "cat x"), decision: "allow", log: "permissions", line: "asks for: cat x"},
		{ev: shell("permission_request", "make"), log: "permissions", line: "asks for: make"},
		{ev: shell("permission_request", "cat x | sh"), log: "permissions", line: "cat x | sh"},
		{ev: event("session_start", payload{"source": "startup"}), context: []string{"Working directory", "Session log: "}, log: "session", line: "session s1 begins"},
		{ev: event("user_prompt_submit", payload{"prompt": "where are the logs?"}), context: []string{"agent-*.log"}, log: "prompts", line: "s1 where are the logs?"},
		{ev: event("user_prompt_submit", payload{"prompt": "hello"}), log: "prompts", line: "s1 hello"},
		{ev: event("turn_start"), context: []string{"Today's date: ", "Be brief."}},
		{ev: event("turn_end", payload{"agent_name": "root", "reason": "normal"}), log: "turns", line: "s1 root turn over: normal"},
		{ev: event("before_llm_call", payload{"iteration": 1, "messages": []any{}}), log: "llm-calls", line: "→ s1 call 1"},
		{ev: event("after_llm_call", payload{"stop_response": "hello"}), log: "llm-calls", line: "← s1 5 characters"},
		{ev: event("session_end", payload{"reason": "clear"}), log: "session", line: "session s1 ends: clear"},
		{ev: event("pre_compact", payload{"source": "manual"}), context: []string{"word for word"}, log: "compactions", line: "about to be compacted: manual"},
		{ev: event("subagent_stop", payload{"agent_name": "helper", "parent_session_id": "p1", "stop_response": "ok"}), log: "subagents", line: "helper child=s1 parent=p1 2 characters"},
		{ev: event("on_user_input")},
		{ev: event("stop", payload{"stop_response": "bye"}), log: "responses", line: "s1 3 characters"},
		{ev: event("notification", payload{"notification_level": "warning", "notification_message": "slow"}), log: "notifications", line: "warning: slow"},
		{ev: event("on_error", payload{"notification_level": "error", "notification_message": "no model"}), log: "errors", line: "error: no model"},
		{ev: event("on_max_iterations", payload{"notification_level": "warning", "notification_message": "60 calls"}), log: "max-iter", line: "limit: 60 calls"},
		{ev: event("before_compaction", after), log: "compactions", line: "→ threshold: 900 in, 100 out of 1000"},
		{ev: event("after_compaction", after, payload{"summary": "short"}), log: "compactions", line: "✓ threshold: 900 + 100 tokens became 5 characters"},
	}
}

func unchanged(t *testing.T, v *verdict) {
	t.Helper()
	if v.UpdatedInput != nil {
		t.Errorf("changed: %s", v.raw)
	}
}

func boxed(command string) func(*testing.T, *verdict) {
	return func(t *testing.T, v *verdict) {
		t.Helper()
		if v.Card.Command != command || !strings.HasPrefix(v.Card.Sentence, "Blocked (") {
			t.Errorf("card %+v", v.Card)
		}
	}
}

func rewritten(command, notice string) func(*testing.T, *verdict) {
	return func(t *testing.T, v *verdict) {
		t.Helper()
		if v.UpdatedInput["cmd"] != command || v.UpdatedInput["cwd"] != "." || notice != "" && !strings.Contains(strings.Join(v.Notices, "\n"), notice) {
			t.Errorf("got %s", v.raw)
		}
	}
}

func masked(t *testing.T, v *verdict) {
	t.Helper()
	if strings.Contains(v.raw, exampleKey) || !strings.Contains(v.raw, "[REDACTED]") {
		t.Errorf("not masked: %s", v.raw)
	}
}

// agentCases are the events of every example, by file.
func agentCases() map[string][]agentCase {
	leak := "curl -H 'X-Key: " + exampleKey + "' https://x.example"
	redaction := []agentCase{
		{ev: shell("pre_tool_use", leak), more: masked},
		{ev: event("before_llm_call", payload{"iteration": 1, "messages": []any{payload{"role": "user", "content": exampleKey}}}), more: masked},
		{ev: event("tool_response_transform", shell("", "env"), payload{"hook_event_name": "tool_response_transform", "tool_response": exampleKey}), more: masked},
	}
	safer := []agentCase{
		{ev: shell("pre_tool_use", "git status")},
		{ev: shell("pre_tool_use", "rm -rf src"), decision: "ask", more: func(t *testing.T, v *verdict) {
			if v.Metadata["blast_radius"] == "" || v.Metadata["category"] != "fs-delete" {
				t.Errorf("metadata %v", v.Metadata)
			}
		}},
		{ev: shell("pre_tool_use", "frobnicate"), decision: "ask"},
		{ev: payload{"hook_event_name": "pre_tool_use", "tool_name": "read_file", "tool_input": payload{"path": "x"}}},
	}
	return map[string][]agentCase{
		"one_stop.yaml": oneStop(),
		"scripts_hooks.yaml": {
			{ev: shell("pre_tool_use", "sudo ls"), decision: "deny", more: boxed("sudo ls")},
			{ev: shell("pre_tool_use", "rm -v -rf x"), decision: "deny", more: boxed("rm -v -rf x")},
			{ev: shell("pre_tool_use", "ls"), more: unchanged},
			{ev: payload{"hook_event_name": "pre_tool_use", "tool_name": "edit_file", "tool_input": payload{"path": "sudo"}}},
			{ev: event("post_tool_use", shell("post_tool_use", "ls"), payload{"tool_response": "x"}), log: "audit.log", line: "Z | s1 | shell"},
			{ev: event("session_start"), context: []string{"scratch/s1"}},
			{ev: event("session_end"), more: nil},
			{ev: event("on_user_input")},
			{ev: event("stop", payload{"stop_response": "bye"}), log: "responses", line: "s1 3 characters"},
			{ev: event("notification", payload{"notification_level": "error", "notification_message": "m"}), log: "notifications", line: "error: m"},
		},
		"builtins.yaml": {
			{ev: event("turn_start"), context: []string{"Today's date: ", "Be brief."}},
			{ev: event("session_start"), context: []string{"Working directory", "scripts", "user"}},
			{ev: event("before_llm_call", payload{"iteration": 50, "messages": []any{}})},
			{ev: event("before_llm_call", payload{"iteration": 51, "messages": []any{}}), decision: "deny"},
		},
		"shorthands.yaml": append([]agentCase{
			{ev: event("turn_start"), context: []string{"Today's date: ", "Be brief."}},
			{ev: event("session_start"), context: []string{"Working directory"}},
		}, redaction...),
		"redact_secrets_hooks.yaml": redaction,
		"shell_safer.yaml":          safer,
		"preempt_yolo.yaml":         safer,
		"hook_options.yaml": {
			{ev: event("post_tool_use", shell("post_tool_use", "ls"), payload{"tool_response": "a\nb"}), context: []string{"2 lines of output (profile dev, in scripts)"}},
		},
		"session_lifecycle.yaml": {
			{ev: event("session_start"), context: []string{"The session is set up."}, log: "session", line: "s1 begins"},
			{ev: event("session_end", payload{"reason": "logout"}), log: "session", line: "s1 ends: logout"},
		},
		"response_log.yaml":  {{ev: event("stop", payload{"stop_response": "bye"}), log: "responses", line: "s1 3 characters"}},
		"notifications.yaml": {{ev: event("notification", payload{"notification_level": "error", "notification_message": "m"}), log: "notifications", line: "error: m"}},
		"cost_log.yaml": {
			{ev: event("after_llm_call", payload{"stop_response": "x", "model_id": "a/b", "cost": 0.0211, "usage": payload{"input_tokens": 9}}), log: "agent-costs.jsonl", line: `"cost":0.0211,"usage":{"input_tokens":9}`},
			{ev: event("after_llm_call", payload{"stop_response": "x", "model_id": "a/c"}), log: "agent-costs.jsonl", line: `"model":"a/c","cost":null`},
		},
		"compaction_summary.yaml": {
			{ev: event("before_compaction", payload{"input_tokens": 900, "compaction_reason": "overflow"}), more: func(t *testing.T, v *verdict) {
				if !strings.HasPrefix(v.Summary, "Earlier talk was dropped at 900 tokens (overflow).") {
					t.Errorf("summary %q", v.Summary)
				}
			}},
		},
		"steering.yaml": {
			{ev: event("user_steering_messages_submit", payload{"steering_messages": []string{"stop", "look left"}}), context: []string{"New instructions came"}, log: "steering", line: "look left"},
			{ev: event("user_steering_messages_submit", payload{"steering_messages": []string{}})},
			{ev: event("user_followup_submit", payload{"prompt": "and then"}), log: "followups", line: "and then"},
		},
		"permission_request.yaml": {
			{ev: shell("permission_request", "cat x"), decision: "allow"},
			{ev: shell("permission_request", "make")},
			{ev: shell("permission_request", "ls; rm x"), more: risky},
			{ev: shell("permission_request", "rm x"), more: risky},
		},
	}
}

func risky(t *testing.T, v *verdict) {
	t.Helper()
	if v.Metadata["risk"] != "high" || v.Metadata["note"] != "deletes files" {
		t.Errorf("metadata %v", v.Metadata)
	}
}

// Every example is valid and does what it says, event by event.
func TestDockerAgentExamples(t *testing.T) {
	t.Parallel()
	needs(t, "jq")
	for file, cases := range agentCases() {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			p := agentPlace(t)
			p.write(t, "GUIDELINES.md", "Be brief.\n")
			p.valid(t, file)
			for _, c := range cases {
				c.check(t, p, file)
			}
		})
	}
}

// valid checks a file.
func (p *place) valid(t *testing.T, file string) {
	t.Helper()
	if _, errs, code := p.run(t, "", "checkrein", "validate", "-c", file); code != 0 || errs != "" {
		t.Errorf("validate: exit %d\n%s", code, errs)
	}
}

func (c *agentCase) check(t *testing.T, p *place, file string) {
	t.Helper()
	before := len(c.logged(t, p))
	v := p.answered(t, c.ev, "-c", file)
	if v.Decision != c.decision {
		t.Errorf("%v: decision %q, want %q: %s", c.ev, v.Decision, c.decision, v.raw)
	}
	said := strings.Join(v.Context, "\n")
	if len(c.context) == 0 && said != "" {
		t.Errorf("%v: context %q", c.ev, said)
	}
	for rest, i := said, 0; i < len(c.context); i++ {
		_, after, ok := strings.Cut(rest, c.context[i])
		if !ok {
			t.Errorf("%v: no %q in context %q", c.ev, c.context[i], said)
		}
		rest = after
	}
	if added := c.logged(t, p)[before:]; !strings.Contains(added, c.line) || c.log != "" && !strings.HasSuffix(added, "\n") {
		t.Errorf("%v: %s got %q, want %q", c.ev, c.log, added, c.line)
	}
	if c.more != nil {
		c.more(t, v)
	}
}

// logged is what the case's file holds by now.
func (c *agentCase) logged(t *testing.T, p *place) string {
	t.Helper()
	switch {
	case c.log == "":
		return ""
	case strings.Contains(c.log, "."):
		return p.read(t, c.log)
	}
	return p.read(t, "agent-"+c.log+".log")
}

// Every file has its cases, so that none rots.
func TestDockerAgentCasesAreComplete(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("docker-agent/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	readme, err := os.ReadFile("docker-agent/README.md")
	if err != nil {
		t.Fatal(err)
	}
	own := []string{"llm_judge.yaml", "snapshot_hooks.yaml", "worktree_create_hook.yaml", "unload_on_switch.yaml"} // have tests of their own
	for _, f := range files {
		name := filepath.Base(f)
		if _, ok := agentCases()[name]; !ok && !slices.Contains(own, name) {
			t.Errorf("%s is not run by a test", name)
		}
		if !strings.Contains(string(readme), "`"+name+"`") {
			t.Errorf("README.md does not name %s", name)
		}
	}
}

// The judge of the example decides, and where it gives no verdict the call is denied.
// Only the model is another one, which needs no key.
func TestDockerAgentJudge(t *testing.T) {
	t.Parallel()
	p := agentPlace(t)
	p.valid(t, "llm_judge.yaml")
	printed := p.read(t, "llm_judge.yaml")
	for _, tt := range []struct{ name, reply, tool, decision, says string }{
		{"allow", `{"decision":"allow","reason":"it reads"}`, "shell", "allow", "allow: it reads"},
		{"ask", "```json\n{\"decision\":\"ASK\"}\n```", "edit_file", "ask", "ask: no reason provided"},
		{"deny", `{"decision":"deny","reason":"it writes keys"}`, "mcp:x", "deny", "it writes keys"},
		{"unreadable", "Looks fine to me.", "shell", "deny", "no JSON object"},
		{"two verdicts", `{"decision":"deny","reason":"a"} {"decision":"allow","reason":"b"}`, "shell", "deny", "must be a single JSON object"},
		{"nobody", "", "shell", "deny", "is not in the agent file's directory"},
		{"another tool", "", "read_file", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := strings.ReplaceAll(tt.name, " ", "-")
			p.write(t, file+".yaml", strings.Replace(printed, "openai/gpt-4o-mini", "scripted/"+file+".json", 1))
			if tt.reply != "" {
				text, _ := json.Marshal(tt.reply)
				p.write(t, file+".json", `{"steps":[{"text":`+string(text)+`}]}`)
			}
			v := p.eval(t, payload{"session_id": "s1", "hook_event_name": "pre_tool_use", "tool_name": tt.tool, "tool_input": payload{"path": "x"}}, "-c", file+".yaml")
			if v.Decision != tt.decision || !strings.Contains(v.raw, tt.says) {
				t.Errorf("%s", v.raw)
			}
		})
	}
}

// The scratch directory lives as long as its session.
func TestDockerAgentSessionScratch(t *testing.T) {
	t.Parallel()
	needs(t, "jq")
	p := agentPlace(t)
	for _, id := range []string{"s1", "../../../x"} {
		dir := filepath.Join(p.dir, "scratch", strings.NewReplacer(".", "_", "/", "_").Replace(id))
		p.answered(t, event("session_start", payload{"session_id": id}), "-c", "scripts_hooks.yaml")
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			t.Errorf("%s: %v", id, err)
		}
		p.answered(t, event("session_end", payload{"session_id": id}), "-c", "scripts_hooks.yaml")
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", id, err)
		}
	}
}

// A turn that changed files can be taken back.
func TestDockerAgentSnapshot(t *testing.T) {
	t.Parallel()
	p := agentPlace(t)
	p.valid(t, "snapshot_hooks.yaml")
	p.must(t, "git", "init", "-q")
	p.write(t, "work.txt", "before\n")
	p.answered(t, event("turn_start"), "-c", "snapshot_hooks.yaml")
	p.write(t, "work.txt", "after\n")
	p.answered(t, event("turn_end"), "-c", "snapshot_hooks.yaml")
	p.must(t, "checkrein", "snapshots", "undo")
	if got := p.read(t, "work.txt"); got != "before\n" {
		t.Errorf("after undo the file is %q", got)
	}
	p.answered(t, event("session_end"), "-c", "snapshot_hooks.yaml")
}

// A fresh worktree gets the files that git leaves behind; what cannot be installed
// ends the run.
func TestDockerAgentWorktree(t *testing.T) {
	t.Parallel()
	needs(t, "jq")
	p := agentPlace(t)
	p.valid(t, "worktree_create_hook.yaml")
	p.write(t, "source/.env", "A=1\n")
	p.write(t, "tree/x", "")
	ev := payload{"hook_event_name": "worktree_create", "cwd": p.dir + "/tree", "worktree_path": p.dir + "/tree", "worktree_source_dir": p.dir + "/source"}
	file := p.dir + "/worktree_create_hook.yaml"
	v := p.answered(t, ev, "-c", file)
	if v.Decision != "" || !strings.Contains(v.raw, "The worktree is ready") || p.read(t, "tree/.env") != "A=1\n" {
		t.Errorf("got %s, .env %q", v.raw, p.read(t, "tree/.env"))
	}
	p.must(t, "sh", "-c", `mkdir bin; printf '#!/bin/sh\nexit 1\n' >bin/npm; chmod +x bin/npm; echo '{}' >tree/package.json`)
	p.env = append(p.env, "PATH="+p.dir+"/bin:"+os.Getenv("PATH"))
	if v := p.answered(t, ev, "-c", file); v.Decision != "deny" || !strings.Contains(v.Reason, "npm install failed") {
		t.Errorf("a failed installation: %s", v.raw)
	}
}

// The model of the agent that is left is unloaded; others are left alone.
func TestDockerAgentUnload(t *testing.T) {
	t.Parallel()
	heard := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		heard <- r.URL.Path + " " + string(body)
	}))
	defer server.Close()
	p := agentPlace(t)
	models := []any{payload{"provider": "dmr", "model": "ai/qwen3-large", "base_url": server.URL + "/engines/v1"}, payload{"provider": "openai", "model": "gpt-4o", "base_url": server.URL}}
	ev := event("on_agent_switch", payload{"from_agent": "root", "to_agent": "reviewer", "agent_switch_kind": "handoff", "from_agent_models": models})
	p.valid(t, "unload_on_switch.yaml")
	if v := p.answered(t, ev, "-c", "unload_on_switch.yaml"); v.Decision != "" {
		t.Errorf("it decides: %s", v.raw)
	}
	close(heard)
	var got []string
	for s := range heard {
		got = append(got, s)
	}
	var body struct{ Model string }
	if len(got) != 1 || !strings.HasPrefix(got[0], "/engines/_unload {") || json.Unmarshal([]byte(got[0][len("/engines/_unload "):]), &body) != nil || body.Model != "ai/qwen3-large" {
		t.Errorf("the engine heard %q", got)
	}
}

// Hooks may come from the command line; they add to those of the file.
func TestDockerAgentFlags(t *testing.T) {
	t.Parallel()
	needs(t, "jq")
	p := agentPlace(t)
	v := p.answered(t, shell("pre_tool_use", "sudo ls"), "-c", "response_log.yaml", "--hook-pre-tool-use", "./scripts/validate-command.sh")
	if v.Decision != "deny" || v.Card.Command != "sudo ls" {
		t.Errorf("got %s", v.raw)
	}
}
