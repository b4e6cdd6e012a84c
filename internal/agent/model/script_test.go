package model

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/checkrein/checkrein/internal/agent/team"
)

// newDir returns a directory with files.
func newDir(t *testing.T, files map[string]string) string {
	t.Helper()
	d := t.TempDir()
	for name, text := range files {
		path := filepath.Join(d, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func openModel(t *testing.T, c Config) Model {
	t.Helper()
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// callModel calls a model and checks that it streams its answer.
func callModel(t *testing.T, m Model, req Request) (Answer, error) {
	t.Helper()
	var streamed strings.Builder
	a, err := m.Call(t.Context(), req, func(s string) { streamed.WriteString(s) })
	if err == nil && streamed.String() != a.Text {
		t.Errorf("streamed %q, answered %q", streamed.String(), a.Text)
	}
	return a, err
}

const scriptText = `{"context_limit": 100, "steps": [
  {"text": "I look.", "tool_calls": [{"name": "shell", "arguments": {"cmd": "ls \u00e9 \ud83d\ude00"}}, {"name": "think"}],
   "usage": {"input_tokens": 10, "output_tokens": 2, "cached_input_tokens": 3}, "cost": 0.25},
  {"error": "the engine burst into flames"},
  {"tool_calls": [{"name": "shell", "arguments": "{not json"}]},
  {"error": "overflow", "text": "half a"},
  {"text": "done", "context_limit": 200}
]}`

func TestScript(t *testing.T) {
	t.Parallel()
	m := openModel(t, Config{Ref: "scripted/sub/s.json", Dir: newDir(t, map[string]string{"sub/s.json": scriptText})})
	if m.ID() != "scripted/sub/s.json" || m.ContextLimit() != 100 || m.Endpoint() != (Endpoint{Provider: "scripted", Model: "sub/s.json"}) {
		t.Errorf("id %q, limit %d, endpoint %+v", m.ID(), m.ContextLimit(), m.Endpoint())
	}
	a, err := callModel(t, m, Request{})
	if err != nil || a.Text != "I look." || len(a.ToolCalls) != 2 || *a.Cost != 0.25 || *a.Usage != (Usage{Input: 10, Output: 2, CachedInput: 3}) {
		t.Fatalf("first %+v, %v", a, err)
	}
	if got := a.ToolCalls[0]; got.ID != "call_s0_0" || got.Type != "function" || got.Function != (Function{"shell", `{"cmd":"ls é 😀"}`}) {
		t.Errorf("call %+v", got)
	}
	if got := a.ToolCalls[1]; got.ID != "call_s0_1" || got.Function.Arguments != "{}" {
		t.Errorf("call %+v", got)
	}
	if _, err := callModel(t, m, Request{}); err == nil || err.Error() != "the engine burst into flames" {
		t.Errorf("second: %v", err)
	}
	if a, err := callModel(t, m, Request{}); err != nil || a.ToolCalls[0].Function.Arguments != "{not json" || a.Usage != nil || a.Cost != nil {
		t.Errorf("third %+v, %v", a, err)
	}
	var said string
	if _, err := m.Call(t.Context(), Request{}, func(s string) { said += s }); !errors.Is(err, ErrOverflow) || said != "half a" {
		t.Errorf("fourth: %v after %q", err, said)
	}
	if m.ContextLimit() != 200 {
		t.Errorf("limit %d before the last step, want 200", m.ContextLimit())
	}
	for i, want := range []string{"done", Ended, Ended} {
		if a, err := callModel(t, m, Request{}); err != nil || a.Text != want || len(a.ToolCalls) > 0 {
			t.Errorf("call %d behind: %+v, %v, want %q", i, a, err, want)
		}
	}
}

func TestScriptInYAML(t *testing.T) {
	t.Parallel()
	d := newDir(t, map[string]string{"s.yaml": "steps:\n- text: hello\n  tool_calls:\n  - {name: write_file, arguments: {path: a, content: \"1\\n2\"}}\n"})
	a, err := callModel(t, openModel(t, Config{Model: team.Model{Provider: "scripted", Model: "s.yaml"}, Dir: d}), Request{})
	if err != nil || a.ToolCalls[0].Function.Arguments != `{"path":"a","content":"1\n2"}` {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestScriptHangs(t *testing.T) {
	t.Parallel()
	d := newDir(t, map[string]string{"s": `{"steps":[{"error":"hang"},{"text":"late","delay_ms":3600000}]}`})
	m := openModel(t, Config{Ref: "scripted/s", Dir: d})
	for range 2 {
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("enough")
		time.AfterFunc(10*time.Millisecond, func() { cancel(stop) })
		if _, err := m.Call(ctx, Request{}, nil); !errors.Is(err, stop) {
			t.Errorf("%v, want the cause of the cancellation", err)
		}
	}
}

// A script continues at the state of the conversation, in any process.
func TestScriptIsResumed(t *testing.T) {
	t.Parallel()
	d := newDir(t, map[string]string{"s": `{"steps":[
		{"tool_calls":[{"name":"a"}]}, {"error":"bad luck"}, {"text":"b"}, {"tool_calls":[{"name":"c"}]}, {"text":"d"}]}`})
	said := func(agent, text string, ids ...string) Message {
		m := Message{Role: Assistant, Content: text, Agent: agent}
		for _, id := range ids {
			m.ToolCalls = append(m.ToolCalls, ToolCall{ID: id})
		}
		return m
	}
	for _, tt := range []struct {
		name    string
		history []Message
		want    string
	}{
		{"nothing said", nil, "call_s0_0"},
		{"only by others", []Message{said("other", "x"), {Role: User}}, "call_s0_0"},
		{"up to the error", []Message{said("me", "", "call_s0_0")}, "bad luck"},
		{"behind the error", []Message{said("me", "", "call_s0_0"), said("me", "b")}, "call_s3_0"},
		{"without names", []Message{said("", "", "call_s0_0"), said("", "b")}, "call_s3_0"},
		{"compacted, a call is left", []Message{said("me", "", "call_s3_0")}, "d"},
		{"with calls of another model", []Message{said("me", "", "call_demo_7")}, "bad luck"},
		{"all said", []Message{said("me", ""), said("me", "b"), said("me", "", "call_s3_0"), said("me", "d")}, Ended},
		{"more than the script has", make([]Message, 9), "call_s0_0"},
		{"a step that it does not have", []Message{said("me", "", "call_s99_0")}, "bad luck"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := openModel(t, Config{Ref: "scripted/s", Dir: d, Agent: "me"})
			a, err := callModel(t, m, Request{Messages: tt.history})
			got := a.Text
			if len(a.ToolCalls) > 0 {
				got = a.ToolCalls[0].ID
			}
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("goes on with %q, want %q", got, tt.want)
			}
		})
	}
}

// However often the process is killed, each step of the script is played once.
func TestScriptIsPlayedOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := &play{}
		var want []string
		for i := range rapid.IntRange(1, 8).Draw(rt, "steps") {
			st := step{Text: fmt.Sprint(i)}
			if rapid.Bool().Draw(rt, "tool") {
				st.Calls = []scriptCall{{Name: "x"}}
			}
			p.Steps = append(p.Steps, st)
			want = append(want, st.Text)
		}
		var history []Message
		var got []string
		for {
			if rapid.Bool().Draw(rt, "killed") {
				p.next = 0
			}
			st, n, ok := p.nextStep(history, "me")
			if !ok {
				break
			}
			m := Message{Role: Assistant, Content: st.Text, Agent: "me"}
			for i := range st.Calls {
				m.ToolCalls = append(m.ToolCalls, ToolCall{ID: stepID(n, i)})
			}
			history = append(history, m, Message{Role: User})
			got = append(got, st.Text)
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			rt.Fatalf("played %v, want %v", got, want)
		}
	})
}

func TestScriptOfSeveralAgents(t *testing.T) {
	t.Parallel()
	d := newDir(t, map[string]string{
		"shared.json": `{"steps":[{"text":"1"},{"text":"2"},{"text":"3"}]}`,
		"parts.yaml":  "steps: [{text: anybody}]\nagents:\n  a: {context_limit: 5, steps: [{text: a1}, {text: a2}]}\n",
		"only.yaml":   "agents:\n  a: {steps: [{text: a1}]}\n",
	})
	scripts := &Scripts{}
	say := func(file, agent string) string {
		a, err := callModel(t, openModel(t, Config{Ref: "scripted/" + file, Agent: agent, Dir: d, Scripts: scripts}), Request{})
		if err != nil {
			t.Error(err)
		}
		return a.Text
	}
	for i, tt := range []struct{ file, agent, want string }{
		{"shared.json", "a", "1"}, {"shared.json", "b", "2"}, {"shared.json", "a", "3"}, {"shared.json", "c", Ended},
		{"parts.yaml", "a", "a1"}, {"parts.yaml", "b", "anybody"}, {"parts.yaml", "a", "a2"}, {"parts.yaml", "c", Ended},
	} {
		if got := say(tt.file, tt.agent); got != tt.want {
			t.Errorf("%d: %s says %q, want %q", i, tt.agent, got, tt.want)
		}
	}
	if _, err := New(Config{Ref: "scripted/only.yaml", Agent: "b", Dir: d}); err == nil || !strings.Contains(err.Error(), `no steps for the agent "b"`) {
		t.Errorf("an agent without a part gets %v", err)
	}
	if got := openModel(t, Config{Ref: "scripted/parts.yaml", Agent: "a", Dir: d}).ContextLimit(); got != 5 {
		t.Errorf("limit %d", got)
	}
	if got := openModel(t, Config{Model: team.Model{Provider: "scripted", Model: "only.yaml", Context: 7}, Agent: "a", Dir: d}).ContextLimit(); got != 7 {
		t.Errorf("limit %d by the agent file", got)
	}
}

func TestBrokenScripts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "{}", "[]", `{"steps": [`, `{"step": []}`, "steps:\n- {txt: a}", `{"steps":[{"tool_calls":[{"name":"a","args":{}}]}]}`,
		`{"steps":[{"usage":{"tokens":1}}]}`, `{"agents":{"a":{"stepz":[]}}}`, `{"agents":{"a":{"agents":{}}}}`, `{"steps":{}}`,
		`{"steps":["hello"]}`, `{"steps":[{"tool_calls":[{}]}]}`, `{"steps":[{"tool_calls":{}}]}`, `{"steps":[{"text":[]}]}`,
		`{"steps":[{"delay_ms":1e99}]}`, `{"steps":[{"delay_ms":-1}]}`, `{"steps":[{"cost":"free"}]}`, `{"agents":[]}`,
	} {
		if _, err := New(Config{Ref: "scripted/s", Dir: newDir(t, map[string]string{"s": text})}); err == nil || !strings.Contains(err.Error(), `script "s"`) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

func TestScriptsMustBeInAgentDir(t *testing.T) {
	t.Parallel()
	d := newDir(t, map[string]string{"out.json": `{"steps":[]}`, "in/s.json": `{"steps":[{"text":"x"}]}`})
	if err := os.Symlink("../out.json", filepath.Join(d, "in", "link.json")); err != nil {
		t.Skip(err)
	}
	for _, file := range []string{"../out.json", filepath.Join(d, "out.json"), "link.json", "none.json", "."} {
		if _, err := New(Config{Ref: "scripted/" + file, Dir: filepath.Join(d, "in")}); err == nil {
			t.Errorf("%s is read", file)
		}
	}
	openModel(t, Config{Ref: "scripted/s.json", Dir: filepath.Join(d, "in")})
}

func FuzzScript(f *testing.F) {
	f.Add([]byte(scriptText))
	f.Add([]byte("steps: [{text: a}]\nagents: {b: {steps: [{error: hang}]}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseScript("s", data)
		if err != nil {
			return
		}
		for _, st := range s.Steps {
			for _, c := range st.Calls {
				if c.Name == "" || c.toFunction().Arguments == "" && !strings.Contains(string(data), "arguments") {
					t.Errorf("a call %+v", c)
				}
			}
		}
	})
}
