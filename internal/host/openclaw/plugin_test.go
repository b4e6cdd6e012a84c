package openclaw

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/lab/jsplugintest"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A playResult holds the results of calling the plugin's hooks.
type playResult struct {
	ID    string   `json:"id"`
	Hooks []string `json:"hooks"`
	Steps []struct {
		Threw    string          `json:"threw"`
		Result   json.RawMessage `json:"result"`
		Promised bool            `json:"promised"`
		Changed  bool            `json:"changed"`
	} `json:"steps"`
	Told []string `json:"told"`
}

type step struct {
	Hook  string          `json:"hook"`
	Event json.RawMessage `json:"event"`
	Ctx   json.RawMessage `json:"ctx"`
}

func hookStep(hook, event string) step {
	return step{hook, json.RawMessage(event), json.RawMessage(`{"sessionKey":"agent:main:main","agentId":"main","runId":"r"}`)}
}

func play(t *testing.T, home jsplugintest.Home, program string, steps ...step) playResult {
	t.Helper()
	host, err := filepath.Abs("testdata/host.mjs")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Plugin(hostfiles.Line{Program: program}) {
		home.Write(t, "plugin/"+f.Name, string(f.Text))
	}
	var got playResult
	home.Node(t, append([]step{}, steps...), &got, host, filepath.Join(string(home), "plugin", "index.js"))
	return got
}

const pluginConfig = `version: 1
packs: []
hooks:
  session_start:
    - {command: 'cat >>"$HOME/start"; echo session'}
  user_prompt_submit:
    - {type: rule, if: {prompt: {contains: secret}}, decision: deny, reason: no such prompts}
    - {command: 'echo prompt'}
  pre_tool_use:
    - {type: rule, if: {command: {contains: rm}}, decision: deny, reason: no rm}
    - {type: rule, if: {command: {contains: ask}}, decision: ask, reason: really}
    - {type: rule, if: {command: {contains: old}}, decision: none, patch: {command: new}}
  tool_response_transform:
    - {command: 'tee -a "$HOME/result" | grep -q secret && printf ''{"updated_output":"clean"}'' || true'}
  post_tool_use:
    - {command: 'cat >>"$HOME/after"; printf ''{"decision":"block","reason":"enough"}'''}
  post_tool_use_failure:
    - {command: 'cat >>"$HOME/failure"'}
  on_response_end:
    - {command: 'printf ''{"updated_output":"final"}'''}
  on_outbound_message:
    - {type: rule, if: {message: {contains: secret}}, decision: deny, reason: not out}
    - {command: 'grep -q rude && printf ''{"updated_output":"polite"}'' || true'}
  stop:
    - {command: 'cat >>"$HOME/stop"; printf ''{"decision":"block","reason":"go on"}'''}
  turn_end:
    - {command: 'cat >>"$HOME/end"'}
`

func TestPlugin(t *testing.T) {
	t.Parallel()
	home := jsplugintest.NewHome(t, pluginConfig)
	steps := []step{
		0:  hookStep("session_start", `{"sessionId":"s1","sessionKey":"agent:main:main"}`),
		1:  {"before_prompt_build", json.RawMessage(`{"prompt":"hello","messages":[{"big":1}]}`), json.RawMessage(`{"sessionId":"s1","sessionKey":"agent:main:main","workspaceDir":"/","runId":"r1"}`)},
		2:  {"before_agent_run", json.RawMessage(`{"prompt":"hello"}`), json.RawMessage(`{"runId":"r1"}`)},
		3:  {"before_prompt_build", json.RawMessage(`{"prompt":"a secret"}`), json.RawMessage(`{"sessionId":"s1","sessionKey":"agent:main:main","runId":"r2"}`)},
		4:  {"before_agent_run", json.RawMessage(`{"prompt":"a secret"}`), json.RawMessage(`{"runId":"r2"}`)},
		5:  hookStep("before_tool_call", `{"toolName":"exec","toolCallId":"c1","params":{"command":"rm x"}}`),
		6:  hookStep("before_tool_call", `{"toolName":"exec","toolCallId":"c2","params":{"command":"ask"}}`),
		7:  hookStep("before_tool_call", `{"toolName":"exec","toolCallId":"c3","params":{"command":"old","timeoutSeconds":5}}`),
		8:  hookStep("before_tool_call", `{"toolName":"exec","toolCallId":"c4","params":{"command":"ls"}}`),
		9:  hookStep("after_tool_call", `{"toolName":"exec","toolCallId":"c4","params":{"command":"ls"},"result":{"content":[{"type":"text","text":"out"}]}}`),
		10: hookStep("after_tool_call", `{"toolName":"read","toolCallId":"c5","params":{"path":"x"},"error":"broke"}`),
		11: hookStep("after_tool_call", `{"toolName":"exec","toolCallId":"c1","params":{"command":"rm x"},"error":"blocked"}`),
		12: hookStep("tool_result_persist", `{"toolName":"exec","toolCallId":"c4","message":{"role":"toolResult","content":[{"type":"text","text":"secret"},{"type":"image"},{"type":"text","text":"more"}],"details":{"aggregated":"secret\nmore","exitCode":0},"isError":false}}`),
		13: hookStep("before_message_write", `{"message":{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"toolCall","id":"c4"}],"usage":{}}}`),
		14: hookStep("before_message_write", `{"message":{"role":"user","content":"x"}}`),
		15: hookStep("message_sending", `{"to":"you","content":"rude"}`),
		16: hookStep("message_sending", `{"to":"you","content":"a secret"}`),
		17: hookStep("before_agent_finalize", `{"sessionId":"s1","lastAssistantMessage":"done","stopHookActive":false,"messages":[]}`),
		18: hookStep("agent_end", `{"success":true,"messages":[]}`),
		20: hookStep("before_tool_call", `{"toolName":"exec","toolCallId":"c6","params":{"command":"ask `+strings.Repeat("x", 300)+`"}}`),
		19: hookStep("tool_result_persist", `{"toolName":"exec","toolCallId":"c3","message":{"role":"toolResult","content":[{"type":"text","text":"plain"}]}}`),
	}
	got := play(t, home, jsplugintest.Program(t), steps...)
	want := make([]string, len(steps))
	want[1] = `{"appendContext":"session\nprompt"}`
	want[4] = `{"outcome":"block","reason":"<blocked this prompt: no such prompts [user_prompt_submit#1].>","message":"<blocked this prompt: no such prompts [user_prompt_submit#1].>"}`
	want[5] = `{"block":true,"blockReason":"<blocked rm x: no rm [pre_tool_use#1].>"}`
	want[6] = `{"requireApproval":{"title":"checkrein: exec","description":"<asks ask: really [pre_tool_use#2].>","severity":"warning"}}`
	want[20] = `{"requireApproval":{"title":"checkrein: exec","description":"checkrein asks about ask ` + strings.Repeat("x", 116) + ` …: really [pre_tool_use#2].","severity":"warning"}}`
	want[7] = `{"params":{"command":"new","timeoutSeconds":5}}`
	want[12] = `{"message":{"role":"toolResult","content":[{"type":"text","text":"clean"},{"type":"image"}],"details":{"aggregated":"clean","exitCode":0},"isError":false}}`
	want[13] = `{"message":{"role":"assistant","content":[{"type":"text","text":"final"},{"type":"toolCall","id":"c4"}],"usage":{}}}`
	want[15] = `{"content":"polite"}`
	want[16] = `{"cancel":true,"cancelReason":"not out"}`
	want[17] = `{"action":"revise","reason":"go on\n(attempt 1 of 3)"}`
	for i, s := range got.Steps {
		sync := steps[i].Hook == "tool_result_persist" || steps[i].Hook == "before_message_write"
		said := wiretest.ShortenMessages(string(s.Result))
		if s.Threw != "" || s.Changed || s.Promised == sync || said != want[i] && !rawjson.Equal([]byte(said), []byte(want[i])) {
			t.Errorf("step %d, %s: %+v, %s", i, steps[i].Hook, s, s.Result)
		}
	}
	for file, want := range map[string]string{
		"start": `"source":"startup"`, "after": `"tool_response":"out"`, "failure": `"error":"broke"`, "result": `"tool_input":{"command":"ls"}`,
		"stop": `"stop_response":"done"`, "end": `"session_id":"s1"`,
	} {
		b, err := os.ReadFile(filepath.Join(string(home), file))
		times := 1
		if file == "after" {
			times = 2 // a tool that failed has run
		}
		if err != nil || strings.Count(string(b), want) != 1 || file != "result" && strings.Count(string(b), "hook_event_name") != times {
			t.Errorf("%s: %q, %v, want %s", file, b, err, want)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(string(home), "after")); !strings.Contains(string(b), `"tool_response":"broke","tool_error":true`) {
		t.Errorf("of a tool that failed it was told %s", b)
	}
	if b, _ := os.ReadFile(filepath.Join(string(home), "result")); !strings.Contains(string(b), `"tool_input":{"command":"new","timeoutSeconds":5}`) {
		t.Errorf("of a call that was rewritten it was told %s", b)
	}
	for _, want := range []string{"in the current turn, the model has seen the original", "does not support that: enough", "only in the transcript: the user saw", "not out", "exec needs an approval: <asks ask: really [pre_tool_use#2].>"} {
		if !slices.ContainsFunc(got.Told, func(s string) bool { return strings.Contains(wiretest.ShortenMessages(s), want) }) {
			t.Errorf("the person was told %q, want %q", got.Told, want)
		}
	}
}

// TestPluginWithoutAnAnswer checks that calls and messages are blocked if checkrein does not answer,
// and that hooks that only observe continue.
func TestPluginWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	home := jsplugintest.NewHome(t, "version: 1\n")
	for name, script := range map[string]string{
		"missing":        "",
		"broken":         "exit 1",
		"not understood": `while read line; do id=${line#*:}; echo "{\"id\":${id%%,*},\"decision\":\"allow\"}"; done`,
	} {
		t.Run(name, func(t *testing.T) {
			program := filepath.Join(string(home), "nowhere")
			if script != "" {
				program = home.Write(t, "fake", "#!/bin/sh\n"+script+"\n")
			}
			got := play(t, home, program,
				hookStep("before_tool_call", `{"toolName":"exec","toolCallId":"c","params":{"command":"ls"}}`), hookStep("message_sending", `{"content":"x"}`),
				hookStep("tool_result_persist", `{"toolName":"exec","toolCallId":"d","message":{"content":[]}}`), hookStep("before_prompt_build", `{"prompt":"x"}`),
				hookStep("before_agent_finalize", `{}`), hookStep("before_message_write", `{"message":{"role":"assistant","content":[{"type":"text","text":"x"}]}}`))
			if block, _ := rawjson.Get(got.Steps[0].Result, "block"); string(block) != "true" || !strings.Contains(rawjson.GetText(got.Steps[0].Result, "blockReason"), "could not be asked") {
				t.Errorf("the tool ran: %s", got.Steps[0].Result)
			}
			if cancel, _ := rawjson.Get(got.Steps[1].Result, "cancel"); string(cancel) != "true" {
				t.Errorf("the message left: %s", got.Steps[1].Result)
			}
			for i, s := range got.Steps {
				if s.Threw != "" || i > 1 && s.Result != nil {
					t.Errorf("step %d: %+v", i, s)
				}
			}
			if len(got.Told) == 0 {
				t.Error("nobody was told")
			}
		})
	}
}

// TestPluginHasInstalledEvents checks that the plugin has the hooks of the wire table, and otherwise
// only those that it needs itself.
func TestPluginHasInstalledEvents(t *testing.T) {
	t.Parallel()
	got := play(t, jsplugintest.NewHome(t, ""), "/nowhere/checkrein")
	want := []string{"before_agent_run", "session_start"}
	for _, e := range events {
		if e.Wired {
			want = append(want, strings.TrimSuffix(e.Native, ".assistant"))
		}
	}
	slices.Sort(want)
	slices.Sort(got.Hooks)
	if !slices.Equal(got.Hooks, want) || got.ID != PluginID {
		t.Errorf("%s has %q, want %q", got.ID, got.Hooks, want)
	}
}
