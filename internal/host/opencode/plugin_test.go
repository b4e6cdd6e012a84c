package opencode

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
	Exports int `json:"exports"`
	Steps   []struct {
		Threw  string          `json:"threw"`
		Output json.RawMessage `json:"output"`
		Same   bool            `json:"same"`
	} `json:"steps"`
	Told []string `json:"told"`
}

type step struct {
	Hook   string          `json:"hook"`
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
}

func play(t *testing.T, home jsplugintest.Home, program string, steps ...step) playResult {
	t.Helper()
	host, err := filepath.Abs("testdata/host.mjs")
	if err != nil {
		t.Fatal(err)
	}
	var got playResult
	home.Node(t, steps, &got, host, home.Write(t, "plugin.mjs", string(Plugin(hostfiles.Line{Program: program}))))
	return got
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func beforeStep(args string) step {
	return step{"tool.execute.before", raw(`{"tool":"bash","sessionID":"s","callID":"c"}`), raw(`{"args":` + args + `}`)}
}

func busStep(event string) step {
	return step{"event", raw(`{"event":` + event + `}`), nil}
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
  pre_compact:
    - {command: 'echo keep this'}
  stop:
    - {command: 'cat >>"$HOME/stop"; printf ''{"decision":"block","reason":"go on"}'''}
  session_end:
    - {command: 'cat >>"$HOME/end"'}
`

func afterStep(output string) step {
	return step{"tool.execute.after", raw(`{"tool":"bash","sessionID":"s","callID":"c","args":{"command":"x"}}`), raw(output)}
}

func messageStep(text string) step {
	return step{"chat.message", raw(`{"sessionID":"s"}`), raw(`{"message":{"id":"msg_1","agent":"build"},"parts":[{"id":"prt_1","type":"text","text":"` + text + `"},{"type":"file","url":"x"},{"type":"text","text":"and more"}]}`)}
}

func TestPlugin(t *testing.T) {
	t.Parallel()
	home := jsplugintest.NewHome(t, pluginConfig)
	got := play(t, home, jsplugintest.Program(t),
		busStep(`{"type":"session.created","properties":{"info":{"id":"s"}}}`),
		messageStep("rephrase"),
		messageStep("tell a secret"),
		step{"experimental.chat.system.transform", raw(`{"sessionID":"s","model":{"id":"m","providerID":"p"}}`), raw(`{"system":["you are"]}`)},
		beforeStep(`{"command":"rm x"}`),
		beforeStep(`{"command":"ask"}`),
		beforeStep(`{"command":"old","timeout":5,"nested":{"a":[1]},"__proto__":{"x":1}}`),
		beforeStep(`{"command":"ls"}`),
		afterStep(`{"title":"x","output":"a secret","metadata":{"output":"a secret","exit":0}}`),
		afterStep(`{"title":"x","output":"stop-it"}`),
		afterStep(`{"title":"x","output":"note-it"}`),
		afterStep(`{"content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"secret"}]}`),
		afterStep(`{"title":"x","output":"plain"}`),
		step{"experimental.text.complete", raw(`{"sessionID":"s"}`), raw(`{"text":"first"}`)},
		step{"experimental.session.compacting", raw(`{"sessionID":"s"}`), raw(`{"context":["own"]}`)},
		busStep(`{"type":"message.part.updated","properties":{"part":{"type":"tool","tool":"bash","callID":"c","sessionID":"s","state":{"status":"error","input":{},"error":"denied before"}}}}`),
		busStep(`{"type":"message.part.updated","properties":{"part":{"type":"tool","tool":"read","callID":"d","sessionID":"s","state":{"status":"error","input":{},"error":"broke"}}}}`),
		busStep(`{"type":"message.part.delta","properties":{}}`),
		busStep(`{"type":"session.idle","properties":{"sessionID":"s"}}`),
	)
	if got.Exports != 1 {
		t.Errorf("the module exports %d things; OpenCode takes each for a plugin", got.Exports)
	}
	for i, want := range []struct{ threw, output string }{
		1:  {"", `{"message":{"id":"msg_1","agent":"build"},"parts":[{"id":"prt_1","type":"text","text":"rephrased"},{"type":"file","url":"x"},{"text":"session"}]}`},
		2:  {"<blocked this prompt: no such prompts [user_prompt_submit#1].>", ""},
		3:  {"", `{"system":["you are","system"]}`},
		4:  {"<blocked rm x: no rm [pre_tool_use#1].>", ""},
		5:  {"<blocked ask: really [pre_tool_use#2].OpenCode cannot ask from a hook, so the user was not asked and this is denied.>", ""},
		6:  {"", `{"args":{"command":"new","nested":{"a":[1]},"__proto__":{"x":1}}}`},
		7:  {"", `{"args":{"command":"ls"}}`},
		8:  {"", `{"title":"x","output":"clean","metadata":{"output":"clean","exit":0}}`},
		9:  {"stopped", ""},
		10: {"", `{"title":"x","output":"note-it\n\nnoted"}`},
		11: {"", `{"content":[{"type":"text","text":"clean"},{"type":"image"}]}`},
		12: {"", `{"title":"x","output":"plain"}`},
		13: {"", `{"text":"final"}`},
		14: {"", `{"context":["own","keep this"]}`},
		18: {},
	} {
		s := got.Steps[i]
		out := s.Output
		if i == 1 {
			out = replaceIDs(t, out)
		}
		if wiretest.ShortenMessages(s.Threw) != want.threw || want.output != "" && !rawjson.Equal(out, []byte(want.output)) || !s.Same {
			t.Errorf("step %d: threw %q, output %s", i, s.Threw, out)
		}
	}
	for file, want := range map[string]string{"start": `"source":"startup"`, "failure": `"error":"broke"`, "stop": `"stop_response":"final"`, "end": `"session_id":"s"`} {
		b, err := os.ReadFile(filepath.Join(string(home), file))
		if err != nil || strings.Count(string(b), want) != 1 || strings.Count(string(b), "hook_event_name") != 1 {
			t.Errorf("%s: %q, %v", file, b, err)
		}
	}
	for _, want := range []string{"<blocked this prompt: no such prompts [user_prompt_submit#1].>", "a hook tried to block stop, which OpenCode does not support: go on"} {
		if !slices.ContainsFunc(got.Told, func(s string) bool { return wiretest.ShortenMessages(s) == want }) {
			t.Errorf("the person was told %q, want %q", got.Told, want)
		}
	}
}

// replaceIDs checks the part that was added to output, and returns output with only the text of that
// part.
func replaceIDs(t *testing.T, output []byte) []byte {
	t.Helper()
	var m struct {
		Message json.RawMessage   `json:"message"`
		Parts   []json.RawMessage `json:"parts"`
	}
	if err := json.Unmarshal(output, &m); err != nil {
		t.Fatal(err)
	}
	last := len(m.Parts) - 1
	added := m.Parts[last]
	if !strings.HasPrefix(rawjson.GetText(added, "id"), "prt_") || rawjson.GetText(added, "messageID") != "msg_1" || rawjson.GetText(added, "sessionID") != "s" || rawjson.GetText(added, "type") != "text" {
		t.Errorf("added %s", added)
	}
	m.Parts[last] = raw(`{"text":` + string(rawjson.Quote(rawjson.GetText(added, "text"))) + `}`)
	out, _ := json.Marshal(m)
	return out
}

// TestPluginWithoutAnAnswer checks that calls are blocked if checkrein does not answer, and that hooks
// that only observe continue.
func TestPluginWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	home := jsplugintest.NewHome(t, "version: 1\n")
	for name, script := range map[string]string{
		"missing":         "",
		"broken":          "exit 1",
		"not understood":  `while read line; do id=${line#*:}; echo "{\"id\":${id%%,*},\"allow\":true}"; done`,
		"of another type": `while read line; do id=${line#*:}; echo "{\"id\":${id%%,*},\"deny\":false,\"args\":[1]}"; done`,
	} {
		t.Run(name, func(t *testing.T) {
			program := filepath.Join(string(home), "nowhere")
			if script != "" {
				program = home.Write(t, "fake", "#!/bin/sh\n"+script+"\n")
			}
			got := play(t, home, program, beforeStep(`{"command":"ls"}`), afterStep(`{"output":"x"}`), messageStep("hello"))
			if s := got.Steps[0]; !strings.Contains(s.Threw, "could not be asked") || !strings.Contains(s.Threw, "checkrein uninstall opencode") {
				t.Errorf("the tool ran: %+v", s)
			}
			if got.Steps[1].Threw+got.Steps[2].Threw != "" || !rawjson.Equal(got.Steps[1].Output, []byte(`{"output":"x"}`)) {
				t.Errorf("what was only to be observed did not go on: %+v", got.Steps)
			}
			if len(got.Told) == 0 {
				t.Error("nobody was told")
			}
		})
	}
}

// TestPluginHasInstalledEvents checks that the plugin has exactly the hooks of the wire table.
func TestPluginHasInstalledEvents(t *testing.T) {
	t.Parallel()
	for _, e := range events {
		name := strings.TrimSuffix(e.Native, ".error")
		if e.Native == "session.error" {
			name = e.Native
		}
		has := strings.Contains(part, `"`+name+`"`) || strings.Contains(part, "\n    "+name+": async")
		internal := slices.Contains([]string{"session.created", "message.part.updated", "config", "shell.env"}, name)
		if has != (e.Wired || internal) {
			t.Errorf("%s: wired %v, in the plugin %v", e.Native, e.Wired, has)
		}
	}
}
