package examples_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// pushPlace is a repository with the hook, and a bare one beside it to push to.
func pushPlace(t *testing.T) *place {
	t.Helper()
	p := newPlace(t)
	p.env = append(p.env, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	p.put(t, "three-layers/hooks", "hooks")
	p.must(t, "git", "init", "-q", "-b", "main")
	p.must(t, "git", "init", "-q", "--bare", "../remote.git")
	p.must(t, "git", "remote", "add", "origin", "../remote.git")
	p.must(t, "git", "config", "core.hooksPath", "hooks")
	p.commit(t, "readme.md", "hello\n")
	return p
}

func (p *place) commit(t *testing.T, file, text string) {
	t.Helper()
	p.write(t, file, text)
	p.must(t, "git", "add", file)
	p.must(t, "git", "commit", "-q", "-m", "change "+file)
}

// push pushes and reports whether git did, and what was said.
func (p *place) push(t *testing.T, args ...string) (bool, string) {
	t.Helper()
	_, errs, code := p.run(t, "", "git", append([]string{"push", "-q", "origin"}, args...)...)
	return code == 0, errs
}

func (p *place) remoteHead(t *testing.T, branch string) string {
	t.Helper()
	out, _, _ := p.run(t, "", "git", "--git-dir=../remote.git", "rev-parse", "--verify", "-q", "refs/heads/"+branch)
	return strings.TrimSpace(out)
}

func TestPrePush(t *testing.T) {
	t.Parallel()
	address := fmt.Sprintf("%d.%d.%d.%d", 10, 20, 30, 40)
	for _, tt := range []struct{ name, text, rule string }{
		{"secret", "token = " + exampleKey + "\n", "github-pat (secret)"},
		{"private address", "db = " + address + "\n", "private-ipv4 (private)"},
		{"internal host", "db = db01.corp" + ".internal\n", "internal-hostname (private)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := pushPlace(t)
			if ok, said := p.push(t, "main"); !ok || !strings.Contains(said, "scanned 1 commit") {
				t.Fatalf("a clean push: %v %s", ok, said)
			}
			was := p.remoteHead(t, "main")
			p.commit(t, "settings", tt.text)
			bad := strings.TrimSpace(p.must(t, "git", "rev-parse", "HEAD"))
			p.commit(t, "settings", "clean again\n") // what a later commit removes is pushed all the same
			ok, said := p.push(t, "main")
			if ok || !strings.Contains(said, "settings:1:") || !strings.Contains(said, tt.rule+" in commit "+bad[:12]) || p.remoteHead(t, "main") != was {
				t.Errorf("pushed %v: %s", ok, said)
			}
			if strings.Contains(said, exampleKey) || strings.Contains(said, address) {
				t.Errorf("it says what it found: %s", said)
			}
			if ok, said := p.push(t, "main:other"); ok {
				t.Errorf("to a new branch: %s", said)
			}
			p.must(t, "git", "reset", "-q", "--hard", was)
			p.commit(t, "settings", "mail = ann.smith@"+"contoso.org\n")
			if ok, said := p.push(t, "main"); !ok || !strings.Contains(said, "scanned 1 commit") {
				t.Errorf("after the commits were rewritten: %v %s", ok, said)
			}
		})
	}
}

func TestPrePushOtherRefs(t *testing.T) {
	t.Parallel()
	p := pushPlace(t)
	p.must(t, "git", "tag", "-a", "v1", "-m", "key "+exampleKey)
	if ok, said := p.push(t, "v1"); ok || !strings.Contains(said, "github-pat") {
		t.Errorf("a tag's message: %v %s", ok, said)
	}
	p.must(t, "git", "commit", "-q", "--allow-empty", "-m", "use "+exampleKey)
	if ok, said := p.push(t, "main"); ok {
		t.Errorf("a commit's message: %s", said)
	}
	p.must(t, "git", "reset", "-q", "--hard", "HEAD~1")
	if ok, said := p.push(t, "main:gone"); !ok {
		t.Fatal(said)
	}
	if ok, said := p.push(t, ":gone"); !ok || p.remoteHead(t, "gone") != "" || !strings.Contains(said, "nothing to scan") {
		t.Errorf("a deletion: %v %s", ok, said)
	}
	if ok, said := p.push(t, "main:kept"); !ok {
		t.Fatal(said)
	}
	if ok, said := p.push(t, "main:same"); !ok || !strings.Contains(said, "nothing to scan") {
		t.Errorf("commits that the remote has: %v %s", ok, said)
	}
	p.commit(t, "picture", "\x00\x01\n")
	if ok, said := p.push(t, "main:more"); !ok || !strings.Contains(said, "scanned 1 commit") || !strings.Contains(said, "1 file is binary: it was searched for tokens and keys only") {
		t.Errorf("a new branch with a picture: %v %s", ok, said)
	}
	p.commit(t, "x", "a\n")
	p.env = append(p.env, "CHECKREIN=/nonexistent/checkrein")
	if ok, said := p.push(t, "main"); ok || !strings.Contains(said, "not installed") {
		t.Errorf("without a scanner: %v %s", ok, said)
	}
}

// The model is told, and the output stays: that is all there is on that event.
func TestClaudePostToolUse(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.put(t, "three-layers/claude/settings.json", ".claude/settings.json")
	p.put(t, "three-layers/claude/hooks", ".claude/hooks")
	ev := payload{"session_id": "s", "cwd": p.dir, "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": payload{"command": "env"}, "tool_response": payload{"stdout": "A=" + exampleKey}}
	v := p.answered(t, ev, "-c", ".claude/settings.json")
	if len(v.Context) != 1 || !strings.Contains(v.Context[0], "holds a secret (github-pat)") || v.Decision != "" || v.UpdatedText != nil {
		t.Errorf("got %s", v.raw)
	}
	ev["tool_response"] = payload{"stdout": "A=1"}
	if v := p.answered(t, ev, "-c", ".claude/settings.json"); len(v.Context) > 0 {
		t.Errorf("nothing to tell: %s", v.raw)
	}
}

// openclawDriver stands for OpenClaw: it registers the plugin, twice as OpenClaw
// may, and fires what it would fire.
const openclawDriver = `
const plugin = (await import(process.argv[1])).default
const handlers = {}
const api = { pluginConfig: { keep: ["KEEP_ME"] }, on: (name, handler) => { handlers[name] = handler } }
const out = { registered: plugin.register(api) === undefined && plugin.register(api) === undefined, hooks: Object.keys(handlers).sort(), promises: 0, results: [] }
const text = "HOME=/home/x\nTOKEN=t0ps3cret\nKEEP_ME=yes\nexport PASS=hunter2\nnot a variable"
function call(id, toolName, params) {
  const before = handlers.before_tool_call({ toolName, toolCallId: id, params, runId: "r" }, {})
  const message = { role: "toolResult", toolCallId: id, content: [{ type: "text", text }, { type: "image", data: "TOKEN=x" }], details: { aggregated: text, exitCode: 0 }, isError: false }
  const copy = JSON.stringify(message)
  const after = handlers.tool_result_persist({ toolName, toolCallId: id, message }, {})
  for (const r of [before, after]) if (typeof r?.then === "function") out.promises++
  if (JSON.stringify(message) !== copy) out.mutated = true
  out.results.push(after ?? null)
}
call("1", "exec", { command: "env" })
call("2", "exec", { command: "ls" })
call("3", "read", { path: "env" })
for (let i = 0; i < 2000; i++) handlers.before_tool_call({ toolName: "exec", toolCallId: "n" + i, params: { command: "env" } }, {})
console.log(JSON.stringify(out))
`

func TestOpenClawPlugin(t *testing.T) {
	t.Parallel()
	needs(t, "node")
	p := newPlace(t)
	p.put(t, "three-layers/openclaw-mask", "plugin")
	var manifest, pack struct {
		ID       string
		OpenClaw struct{ Extensions []string }
	}
	for file, to := range map[string]any{"plugin/openclaw.plugin.json": &manifest, "plugin/package.json": &pack} {
		if err := json.Unmarshal([]byte(p.read(t, file)), to); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	if manifest.ID != "mask-environment" || len(pack.OpenClaw.Extensions) != 1 {
		t.Fatalf("manifest %+v, package %+v", manifest, pack)
	}
	var got struct {
		Registered, Mutated bool
		Hooks               []string
		Promises            int
		Results             []*struct {
			Message struct {
				Content []struct{ Type, Text, Data string }
				Details struct{ Aggregated string }
			}
		}
	}
	out := p.must(t, "node", "--input-type=module", "-e", openclawDriver, filepath.Join(p.dir, "plugin", pack.OpenClaw.Extensions[0]))
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const want = "HOME=/home/x\nTOKEN=[REDACTED]\nKEEP_ME=yes\nexport PASS=[REDACTED]\nnot a variable"
	if !got.Registered || got.Promises > 0 || got.Mutated || strings.Join(got.Hooks, " ") != "before_tool_call tool_result_persist" || len(got.Results) != 3 {
		t.Fatalf("got %s", out)
	}
	first := got.Results[0]
	if first == nil || first.Message.Content[0].Text != want || first.Message.Details.Aggregated != want || first.Message.Content[1].Data != "TOKEN=x" {
		t.Errorf("what env printed became %s", out)
	}
	if got.Results[1] != nil || got.Results[2] != nil {
		t.Errorf("other results changed: %s", out)
	}
}
