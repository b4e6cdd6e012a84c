package pi

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

// A playResult holds the results of calling the extension's handlers.
type playResult struct {
	Hooks []string `json:"hooks"`
	Steps []struct {
		Result json.RawMessage `json:"result"`
		Input  json.RawMessage `json:"input"`
		Same   bool            `json:"same"`
	} `json:"steps"`
	Told  []string        `json:"told"`
	Sent  json.RawMessage `json:"sent"`
	Asked []string        `json:"asked"`
}

type step struct {
	Hook  string          `json:"hook"`
	Event json.RawMessage `json:"event"`
}

func play(t *testing.T, home jsplugintest.Home, program string, steps ...step) playResult {
	t.Helper()
	host, err := filepath.Abs("testdata/host.mjs")
	if err != nil {
		t.Fatal(err)
	}
	var got playResult
	home.Node(t, steps, &got, host, home.Write(t, "extension.mjs", string(Plugin(hostfiles.Line{Program: program}))))
	return got
}

func newStep(hook, event string) step { return step{hook, json.RawMessage(event)} }

func callStep(input string) step {
	return newStep("tool_call", `{"toolName":"bash","toolCallId":"c","input":`+input+`}`)
}

func resultStep(content string) step {
	return newStep("tool_result", `{"toolName":"bash","toolCallId":"c","input":{"command":"x"},"isError":false,"details":{"x":1},"content":`+content+`}`)
}

const pluginConfig = `version: 1
packs: []
hooks:
  session_start:
    - {command: 'cat >>"$HOME/start"; echo session'}
  user_prompt_submit:
    - {type: rule, if: {prompt: {contains: secret}}, decision: deny, reason: no such prompts}
    - {command: 'grep -q rephrase && printf ''{"updated_output":"rephrased"}'' || echo prompt'}
  before_llm_call:
    - {command: 'printf ''{"context":"system"}'''}
  pre_tool_use:
    - {type: rule, if: {command: {contains: rm}}, decision: deny, reason: no rm}
    - {type: rule, if: {command: {contains: ask}}, decision: ask, reason: really}
    - {type: rule, if: {command: {contains: old}}, decision: none, patch: {command: new, timeout: null}}
  tool_response_transform:
    - {command: 'grep -q secret && printf ''{"updated_output":"clean"}'' || true'}
  post_tool_use:
    - {command: 'grep -q stop-it && printf ''{"decision":"block","reason":"stopped"}'' || true'}
    - {command: 'grep -q note-it && echo noted || true'}
  post_tool_use_failure:
    - {command: 'cat >>"$HOME/failure"'}
  on_response_end:
    - {command: 'printf ''{"updated_output":"final"}'''}
  stop:
    - {command: 'cat >>"$HOME/stop"; printf ''{"decision":"block","reason":"go on"}'''}
  turn_end:
    - {command: 'cat >>"$HOME/turn"'}
  session_end:
    - {command: 'cat >>"$HOME/end"'}
`

func TestPlugin(t *testing.T) {
	t.Parallel()
	home := jsplugintest.NewHome(t, pluginConfig)
	got := play(t, home, jsplugintest.Program(t),
		newStep("session_start", `{"reason":"startup"}`),
		newStep("session_start", `{"reason":"startup"}`),
		newStep("input", `{"text":"rephrase","source":"interactive"}`),
		newStep("input", `{"text":"tell a secret","source":"interactive"}`),
		newStep("input", `{"text":"and","source":"rpc","streamingBehavior":"steer"}`),
		newStep("context", `{"messages":[{"role":"user","content":"x"}]}`),
		callStep(`{"command":"rm x"}`),
		callStep(`{"command":"ask"}`),
		callStep(`{"command":"pwd"}`),
		callStep(`{"command":"old","timeout":5,"nested":{"a":[1]},"__proto__":{"x":1}}`),
		callStep(`{"command":"ls"}`),
		resultStep(`[{"type":"text","text":"a secret"}]`),
		resultStep(`[{"type":"text","text":"stop-it"}]`),
		resultStep(`[{"type":"text","text":"note-it"}]`),
		resultStep(`[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"secret"}]`),
		resultStep(`[{"type":"text","text":"plain"}]`),
		newStep("tool_result", `{"toolName":"read","toolCallId":"d","input":{},"isError":true,"content":[{"type":"text","text":"broke"}]}`),
		newStep("message_end", `{"message":{"role":"user","content":[{"type":"text","text":"x"}]}}`),
		newStep("message_end", `{"message":{"role":"assistant","content":[{"type":"text","text":"first"},{"type":"toolCall"}]}}`),
		newStep("agent_before_settle", `{"outcome":"aborted","entries":[]}`),
		newStep("agent_before_settle", `{"outcome":"completed","entries":[{"type":"custom"}]}`),
		newStep("agent_settled", `{}`),
	)
	for i, want := range []string{
		3:  `{"action":"handled"}`,
		6:  `{"block":true,"reason":"<blocked rm x: no rm [pre_tool_use#1].>"}`,
		7:  `{"block":true,"reason":"<blocked ask: really [pre_tool_use#2].Pi cannot ask without a terminal, so the user was not asked and this is denied.>"}`,
		11: `{"content":[{"type":"text","text":"clean"}],"details":{}}`,
		12: `{"content":[{"type":"text","text":"stopped"}],"details":{},"isError":true}`,
		13: `{"content":[{"type":"text","text":"note-it\n\nnoted"}]}`,
		14: `{"content":[{"type":"text","text":"clean"},{"type":"image"}],"details":{}}`,
		18: `{"message":{"role":"assistant","content":[{"type":"text","text":"final"},{"type":"toolCall"}]}}`,
		21: "",
	} {
		if i == 2 {
			want = `{"action":"transform","text":"rephrased"}`
		}
		if s := got.Steps[i]; i != 5 && i != 20 && (wiretest.ShortenMessages(string(s.Result)) != want || !s.Same) {
			t.Errorf("step %d: %s, want %s", i, s.Result, want)
		}
	}
	if r := string(got.Steps[5].Result); !strings.HasPrefix(r, `{"messages":[{"role":"user","content":"x"},{"role":"custom","customType":"checkrein","content":"system","display":false,"timestamp":`) {
		t.Errorf("context: %s", r)
	}
	if r := string(got.Steps[20].Result); !strings.HasPrefix(r, `{"entries":[{"type":"custom"},{"type":"custom_message","customType":"checkrein","content":"go on`) || !strings.HasSuffix(r, `"display":true}],"continue":true}`) {
		t.Errorf("stop: %s", r)
	}
	if in := got.Steps[9].Input; !rawjson.Equal(in, []byte(`{"command":"new","nested":{"a":[1]},"__proto__":{"x":1}}`)) {
		t.Errorf("rewritten to %s", in)
	}
	if want := `[{"customType":"checkrein","content":"session","display":false,"deliverAs":"nextTurn"},{"customType":"checkrein","content":"prompt","display":false,"deliverAs":"steer"}]`; string(got.Sent) != want {
		t.Errorf("sent %s, want %s", got.Sent, want)
	}
	for file, want := range map[string]string{
		"start": `"source":"startup"`, "failure": `"error":"broke"`, "stop": `"stop_response":"final"`, "turn": `"reason":"normal"`, "end": `"session_id":"s"`,
	} {
		b, err := os.ReadFile(filepath.Join(string(home), file))
		if err != nil || strings.Count(string(b), want) != 1 || strings.Count(string(b), "hook_event_name") != 1 {
			t.Errorf("%s: %q, %v", file, b, err)
		}
	}
	if !slices.ContainsFunc(got.Told, func(s string) bool {
		return wiretest.ShortenMessages(s) == "<blocked this prompt: no such prompts [user_prompt_submit#1].>"
	}) {
		t.Errorf("the person was told %q", got.Told)
	}
}

// TestPluginAsks checks that an ask becomes a dialog, and a denial where Pi shows none.
func TestPluginAsks(t *testing.T) {
	t.Parallel()
	home := jsplugintest.NewHome(t, "version: 1\n")
	program := home.Write(t, "fake", `#!/bin/sh
while read line; do
	id=${line#*:}
	case $line in *please*) why=yes ;; *) why=no ;; esac
	case $line in *tool_call*) echo "{\"id\":${id%%,*},\"ask\":\"$why\"}" ;; *) echo "{\"id\":${id%%,*}}" ;; esac
done
`)
	got := play(t, home, program, callStep(`{"command":"please"}`), callStep(`{"command":"ls"}`), newStep("ui", "false"), callStep(`{"command":"please"}`))
	for i, want := range []string{"", `{"block":true,"reason":"The user did not allow this. no"}`, `{"block":true,"reason":"Pi cannot ask the user here, so this is denied. yes"}`} {
		if r := string(got.Steps[i].Result); r != want {
			t.Errorf("step %d: %s, want %s", i, r, want)
		}
	}
	if !slices.Equal(got.Asked, []string{"yes", "no"}) {
		t.Errorf("asked %q", got.Asked)
	}
}

// TestPluginWithoutAnAnswer checks that calls are blocked if checkrein does not answer, and that events
// that only observe continue.
func TestPluginWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	home := jsplugintest.NewHome(t, "version: 1\n")
	for name, script := range map[string]string{
		"missing":         "",
		"broken":          "exit 1",
		"not understood":  `while read line; do id=${line#*:}; echo "{\"id\":${id%%,*},\"allow\":true}"; done`,
		"of another type": `while read line; do id=${line#*:}; echo "{\"id\":${id%%,*},\"deny\":false,\"input\":[1]}"; done`,
	} {
		t.Run(name, func(t *testing.T) {
			program := filepath.Join(string(home), "nowhere")
			if script != "" {
				program = home.Write(t, "fake", "#!/bin/sh\n"+script+"\n")
			}
			got := play(t, home, program, callStep(`{"command":"ls"}`), resultStep(`[]`), newStep("input", `{"text":"hello"}`))
			if r := string(got.Steps[0].Result); !strings.Contains(r, `"block":true`) || !strings.Contains(r, "could not be asked") || !strings.Contains(r, "checkrein uninstall pi") {
				t.Errorf("the tool ran: %s", r)
			}
			if got.Steps[1].Result != nil || got.Steps[2].Result != nil {
				t.Errorf("what was only to be observed did not go on: %+v", got.Steps)
			}
			if len(got.Told) == 0 {
				t.Error("nobody was told")
			}
		})
	}
}

// TestPluginHasInstalledEvents checks that the extension listens to exactly the events of the wire
// table that are wired.
func TestPluginHasInstalledEvents(t *testing.T) {
	t.Parallel()
	for _, e := range events {
		name := strings.TrimSuffix(e.Native, ".assistant")
		if has := strings.Contains(part, `pi.on("`+name+`"`); has != (e.Wired || e.Native == "message_end") {
			t.Errorf("%s: wired %v, in the extension %v", e.Native, e.Wired, has)
		}
	}
}
