package setup_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/host/opencode"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
	"github.com/checkrein/checkrein/internal/lab/jsplugintest"
)

// hostConfig is a configuration whose hooks write texts with CANARY, which each test replaces with its
// own word.
const hostConfig = `version: 1
packs: []
hooks:
  session_start:
    - {command: 'echo SESSION-CANARY'}
  subagent_start:
    - {command: 'printf ''{"context":"CHILD-CANARY"}'''}
  user_prompt_submit:
    - {command: 'echo PROMPT-CANARY'}
    - {type: rule, if: {prompt: {contains: FORBIDDEN}}, decision: deny, reason: NOPROMPT-CANARY}
    - {command: 'grep -q REPHRASE && printf ''{"updated_output":"REPHRASED-CANARY"}'' || true'}
  before_llm_call:
    - {command: 'printf ''{"context":"SYSTEM-CANARY"}'''}
  pre_tool_use:
    - {type: rule, if: {command: {contains: touch denied}}, decision: deny, reason: DENY-CANARY}
    - {type: rule, if: {command: {contains: touch asked}}, decision: ask, reason: ASK-CANARY}
    - {type: rule, if: {command: {contains: touch original}}, decision: none, patch: {command: touch rewritten}}
  tool_response_transform:
    - {command: 'grep -q SECRET && printf ''{"updated_output":"CLEAN-CANARY"}'' || true'}
  post_tool_use:
    - {command: 'echo AFTER-CANARY'}
  post_tool_use_failure:
    - {command: 'cat >>"$HOME/failure"'}
  on_response_end:
    - {command: 'printf ''{"updated_output":"FINAL-CANARY"}'''}
  stop:
    - {command: 'cat >>"$HOME/stop"; printf ''{"decision":"block","reason":"STOP-CANARY"}'''}
  subagent_stop:
    - {command: 'cat >>"$HOME/child"'}
  session_end:
    - {command: 'cat >>"$HOME/end"'}
`

// A trial is a run of the real OpenCode with checkrein's plugin, installed for the user.
type trial struct {
	t      *testing.T
	space  *hosttest.Space
	res    hostlab.Result
	canary string
}

func runTrial(t *testing.T, prompt, program string, more map[string]string, turns ...mockmodel.Turn) *trial {
	tr := &trial{t: t, space: hosttest.New(t).Host("opencode").OpenSpace(), canary: rand.Text()}
	home := map[string]string{
		".config/checkrein/checkrein.yaml":     strings.ReplaceAll(hostConfig, "CANARY", tr.canary),
		".config/opencode/opencode.json":       `{"plugin":["./checkrein/plugin.js"]}`,
		".config/opencode/checkrein/plugin.js": string(opencode.Plugin(hostfiles.Line{Program: program})),
	}
	for name, text := range more {
		home[name] = strings.ReplaceAll(text, "HOME", tr.space.Home)
	}
	tr.res = tr.space.Run(hostlab.Run{Prompt: prompt, Home: home, Script: mockmodel.Script{Turns: turns, Final: "all is well"}})
	return tr
}

// wantResult checks that the model got a result with these texts for the call of a turn.
func (tr *trial) wantResult(turn int, want ...string) {
	tr.t.Helper()
	got, ok := tr.res.Record.Result(turn, 0)
	for _, w := range want {
		if w = strings.ReplaceAll(w, "CANARY", tr.canary); !ok || !strings.Contains(got.Text, w) {
			tr.t.Errorf("of call %d the model was told %q, want %q", turn, got.Text, w)
		}
	}
}

// wantOrder checks that the request of a turn has these texts in this order.
func (tr *trial) wantOrder(turn int, want ...string) {
	tr.t.Helper()
	turns := tr.res.Record.Turns()
	if turn >= len(turns) {
		tr.t.Fatalf("there was no turn %d\n%s", turn, tr.res.Stderr)
	}
	rest := strings.Join(turns[turn].Texts(), "\n")
	for _, w := range want {
		_, after, ok := strings.Cut(rest, strings.ReplaceAll(w, "CANARY", tr.canary))
		if !ok {
			tr.t.Errorf("request %d has no %s where it should be: %q", turn, w, turns[turn].Texts())
			return
		}
		rest = after
	}
}

func (tr *trial) wantFile(file string, want bool) {
	tr.t.Helper()
	if _, err := os.Stat(filepath.Join(tr.space.Project, file)); (err == nil) != want {
		tr.t.Errorf("%s is there: %v, want %v", file, err == nil, want)
	}
}

// wantPayload checks that a hook was called with a payload that has these texts.
func (tr *trial) wantPayload(file string, want ...string) {
	tr.t.Helper()
	b, err := os.ReadFile(filepath.Join(tr.space.Home, file))
	for _, w := range want {
		if !strings.Contains(string(b), w) {
			tr.t.Errorf("%s heard %q (%v), want %s", file, b, err, w)
		}
	}
}

func program(t *testing.T) string {
	t.Helper()
	if os.Getenv(hosttest.Var) == "" {
		return "" // the lab skips the test then
	}
	return jsplugintest.Program(t)
}

func callTurn(c mockmodel.Call) mockmodel.Turn { return mockmodel.Turn{Calls: []mockmodel.Call{c}} }

func TestHostTools(t *testing.T) {
	tr := runTrial(t, "please REPHRASE", program(t), nil,
		callTurn(mockmodel.Shell("touch denied")), callTurn(mockmodel.Shell("touch asked")), callTurn(mockmodel.Shell("touch original")),
		callTurn(mockmodel.Shell("echo SECRET")), callTurn(mockmodel.Native("read", map[string]any{"filePath": "nope.txt"})))
	tr.wantOrder(0, "SYSTEM-CANARY", "REPHRASED-CANARY", "SESSION-CANARY", "PROMPT-CANARY")
	if tr.res.Record.Turns()[0].Contains("please REPHRASE") {
		t.Error("the model saw the prompt as it was")
	}
	tr.wantResult(0, "DENY-CANARY")
	tr.wantFile("denied", false)
	tr.wantResult(1, "ASK-CANARY")
	tr.wantFile("asked", false)
	tr.wantResult(2, "AFTER-CANARY")
	tr.wantFile("original", false)
	tr.wantFile("rewritten", true)
	if got, ok := tr.res.Record.Call(2, 0); !ok || !strings.Contains(got.Args, "touch rewritten") {
		t.Errorf("the model was told that it called %s", got.Args)
	}
	tr.wantResult(3, "CLEAN-CANARY", "AFTER-CANARY")
	if got, _ := tr.res.Record.Result(3, 0); strings.Contains(got.Text, "SECRET") {
		t.Errorf("the model saw what was replaced: %q", got.Text)
	}
	tr.wantPayload("failure", `"filePath":"nope.txt"`, `"error":`)
	if b, _ := os.ReadFile(filepath.Join(tr.space.Home, "failure")); strings.Contains(string(b), "denied") {
		t.Errorf("a denied call was told as one that failed: %s", b)
	}
	tr.wantPayload("stop", `"stop_response":"FINAL-`+tr.canary)
	tr.wantPayload("end", `"hook_event_name":"session_end"`)
	if !strings.Contains(tr.res.Stdout, "FINAL-"+tr.canary) {
		t.Errorf("the person was shown %q", tr.res.Stdout)
	}
	if !strings.Contains(tr.res.Stderr, "OpenCode does not support: STOP-"+tr.canary) {
		t.Errorf("the person was not told of the stop that could not be blocked: %s", tr.res.Stderr)
	}
}

func TestHostPromptDenied(t *testing.T) {
	tr := runTrial(t, "please FORBIDDEN", program(t), nil)
	if n := len(tr.res.Record.Turns()); n != 0 || tr.res.Exit == 0 {
		t.Errorf("the model was asked %d times, exit %d", n, tr.res.Exit)
	}
	if said := tr.res.Stderr; !strings.HasPrefix(said, "checkrein blocked this prompt: NOPROMPT-"+tr.canary) {
		t.Errorf("the person was told %q", said)
	}
}

const mcpServer = `let rest = ""
process.stdin.on("data", (d) => {
  rest += d
  for (let i; (i = rest.indexOf("\n")) >= 0; rest = rest.slice(i + 1)) {
    const q = JSON.parse(rest.slice(0, i))
    const say = (result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: q.id, result }) + "\n")
    if (q.method === "initialize") say({ protocolVersion: q.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "srv", version: "1" } })
    else if (q.method === "tools/list") say({ tools: [{ name: "peek", description: "x", inputSchema: { type: "object", properties: {} } }] })
    else if (q.method === "tools/call") say({ content: [{ type: "text", text: "SECRET one" }, { type: "text", text: "SECRET two" }] })
    else if (q.id !== undefined) say({})
  }
})
`

func TestHostSubAgentAndServer(t *testing.T) {
	task := func(prompt string) mockmodel.Turn {
		return callTurn(mockmodel.Native("task", map[string]any{"description": "sub", "prompt": prompt, "subagent_type": "general"}))
	}
	tr := runTrial(t, "please go", program(t), map[string]string{
		"mcp.js":                         mcpServer,
		".config/opencode/opencode.json": `{"plugin":["./checkrein/plugin.js"],"mcp":{"srv":{"type":"local","command":["node","HOME/mcp.js"]}}}`,
	}, callTurn(mockmodel.Native("srv_peek", map[string]any{})), task("sub go"), callTurn(mockmodel.Shell("touch denied")), mockmodel.Turn{Text: "child is done"}, task("sub FORBIDDEN"))
	tr.wantResult(0, "CLEAN-CANARY", "AFTER-CANARY")
	if tr.res.Record.ModelSaw("SECRET two") {
		t.Error("the model saw a part of what was replaced")
	}
	tr.wantOrder(2, "sub go", "CHILD-CANARY", "PROMPT-CANARY")
	tr.wantResult(2, "DENY-CANARY")
	tr.wantFile("denied", false)
	tr.wantResult(4, "NOPROMPT-CANARY")
	tr.wantPayload("child", `"hook_event_name":"subagent_stop"`, `"parent_session_id":`)
}

// TestHostWithoutCheckrein checks that no tool runs if checkrein does not answer, and that the model
// gets the reason.
func TestHostWithoutCheckrein(t *testing.T) {
	tr := runTrial(t, "please go", "/nowhere/checkrein", nil, callTurn(mockmodel.Shell("touch ran")))
	tr.wantResult(0, "could not be asked", "checkrein status")
	tr.wantFile("ran", false)
	if !strings.Contains(tr.res.Stderr, "hooks on chat.message did not run") {
		t.Errorf("the person was told %q", tr.res.Stderr)
	}
}
