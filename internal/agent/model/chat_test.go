package model

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/mockmodel"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// served opens a model that a handler serves.
func served(t *testing.T, m team.Model, h http.HandlerFunc) *chat {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	if m.Provider == "" {
		m.Provider = "near"
	}
	m.Model, m.BaseURL = "m", srv.URL+"/v1"
	c := open(t, Config{Model: m, Getenv: env("KEY", testKey())}).(*chat)
	t.Cleanup(c.client.CloseIdleConnections)
	return c
}

// testKey looks like one that nobody has.
func testKey() string { return "sk-" + strings.Repeat("Zx9", 10) }

// stream answers with events.
func stream(w http.ResponseWriter, data ...string) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	for _, d := range data {
		_, _ = io.WriteString(w, "data: "+d+"\n\n")
	}
}

func TestChatWithMockModel(t *testing.T) {
	t.Parallel()
	srv, err := mockmodel.Start(mockmodel.Script{Turns: []mockmodel.Turn{
		{Text: "I look", Calls: []mockmodel.Call{mockmodel.Native("shell", map[string]any{"cmd": "ls"})}},
		{Text: "all done"},
		{Text: "no", Status: 500},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	m := open(t, Config{Model: team.Model{
		Name: "x", Provider: "dmr", Model: "ai/small", BaseURL: srv.URL() + "/engines/v1/", UnloadAPI: "/u", Context: 4096,
		InputPrice: new(float64), OutputPrice: new(float64),
	}, Getenv: env()})
	if m.ID() != "dmr/ai/small" || m.ContextLimit() != 4096 || m.Endpoint() != (Endpoint{"dmr", "ai/small", srv.URL() + "/engines/v1/", "/u"}) {
		t.Errorf("id %s, limit %d, endpoint %+v", m.ID(), m.ContextLimit(), m.Endpoint())
	}
	req := Request{
		Messages: []Message{{Role: System, Content: "You help."}, {Role: User, Content: "go"}},
		Tools:    []Definition{{Name: "shell", Description: "runs", Parameters: json.RawMessage(`{"type":"object","properties":{"cmd":{"type":"string"}}}`)}},
	}
	a, err := call(t, m, req)
	if err != nil || a.Text != "I look" || len(a.ToolCalls) != 1 || *a.Usage != (Usage{Input: 1, Output: 1}) || *a.Cost != 0 {
		t.Fatalf("%+v, %v", a, err)
	}
	if c := a.ToolCalls[0]; c.ID == "" || c.Type != "function" || c.Function != (Function{"shell", `{"cmd":"ls"}`}) {
		t.Errorf("call %+v", c)
	}
	req.Messages = append(req.Messages, Message{Role: Assistant, Content: a.Text, ToolCalls: a.ToolCalls},
		Message{Role: ToolRole, ToolCallID: a.ToolCalls[0].ID, Content: "a.txt"})
	if a, err = call(t, m, req); err != nil || a.Text != "all done" || len(a.ToolCalls) != 0 {
		t.Errorf("%+v, %v", a, err)
	}
	if res, ok := srv.Record().Result(0, 0); !ok || res.Text != "a.txt" {
		t.Errorf("the model read %+v, %v", res, ok)
	}
	req.Messages = append(req.Messages, Message{Role: User, Content: "once more"})
	if _, err = call(t, m, req); err == nil || !strings.Contains(err.Error(), "500 Internal Server Error: no") || !strings.Contains(err.Error(), "dmr/ai/small at http://127.0.0.1") {
		t.Errorf("error %v", err)
	}
	if p := srv.Problems(); len(p) > 0 {
		t.Error(p)
	}
}

func TestChatRequest(t *testing.T) {
	t.Parallel()
	warm := 0.5
	var body map[string]any
	var header http.Header
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" || r.Method != http.MethodPost {
			t.Errorf("%s %s", r.Method, r.URL.Path)
		}
		header, body = r.Header, nil
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		stream(w, `{"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}`, "[DONE]")
	}
	c := served(t, team.Model{TokenKey: "KEY", MaxTokens: 7, Temperature: &warm}, handler)
	_, err := call(t, c, Request{Messages: []Message{
		{Role: Assistant, Content: "x\xff", ToolCalls: []ToolCall{{ID: "1", Function: Function{"a", "{broken"}}, {ID: "2", Type: "function", Function: Function{"b", `{"x":1}`}}},
			Usage: &Usage{}, Agent: "root", Model: "m", CreatedAt: time.Now()},
		{Role: ToolRole, ToolCallID: "1", Content: "r", IsError: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(body)
	want := `{"max_tokens":7,"messages":[{"content":"x` + "\ufffd" + `","role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"a"},"id":"1","type":"function"},` +
		`{"function":{"arguments":"{\"x\":1}","name":"b"},"id":"2","type":"function"}]},{"content":"r","role":"tool","tool_call_id":"1"}],` +
		`"model":"m","stream":true,"stream_options":{"include_usage":true},"temperature":0.5}`
	if string(got) != want {
		t.Errorf("sent %s\nwant %s", got, want)
	}
	if header.Get("Authorization") != "Bearer "+testKey() {
		t.Error("the key was not sent")
	}
	open := served(t, team.Model{TokenKey: "NONE", Provider: "openai", MaxTokens: 9}, handler)
	if _, err := call(t, open, Request{}); err != nil || header.Get("Authorization") != "" || body["max_completion_tokens"] != 9.0 {
		t.Errorf("%v, %v, %v", err, header, body)
	}
}

var answers = []struct {
	name string
	data []string
	want Answer
}{
	{"pieces", []string{`{"choices":[{"delta":{"role":"assistant","content":""}}]}`, `{"choices":[{"delta":{"content":"He"}}]}`, `{"choices":[{"delta":{"content":"llo"}}]}`, `{"choices":[{"delta":{},"finish_reason":"stop"}]}`, "[DONE]"}, Answer{Text: "Hello"}},
	{"no DONE", []string{`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`}, Answer{Text: "Hi"}},
	{"no finish", []string{`{"choices":[{"delta":{"content":"Hi"}}]}`, "[DONE]"}, Answer{Text: "Hi"}},
	{"usage behind", []string{`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}],"usage":null}`,
		`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":5},"completion_tokens_details":{"reasoning_tokens":2}}}`, "[DONE]"},
		Answer{Text: "Hi", Usage: &Usage{Input: 9, Output: 4, CachedInput: 5, Reasoning: 2}}},
	{"a call in pieces", []string{
		`{"choices":[{"delta":{"content":null,"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"shell","arguments":""}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"cmd\""}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"c2","function":{"name":"think","arguments":"{"}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":":\"ls\"}"}},{"index":1,"function":{"arguments":"}"}}]}}]}`,
		`{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`, "[DONE]",
	}, Answer{ToolCalls: []ToolCall{{"c1", "function", Function{"shell", `{"cmd":"ls"}`}}, {"c2", "function", Function{"think", "{}"}}}}},
	{"whole calls, all the first", []string{
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"x","arguments":"{\"n\":1}"}}]},"finish_reason":"stop"}]}`,
	}, Answer{ToolCalls: []ToolCall{{"a", "function", Function{"x", "{}"}}, {"b", "function", Function{"x", `{"n":1}`}}}}},
	{"calls without index or id, with objects", []string{
		`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"x","arguments":{"a":1}}},{"function":{"name":"y"}}]},"finish_reason":"stop"}]}`,
	}, Answer{ToolCalls: []ToolCall{{"call_2_0", "function", Function{"x", `{"a":1}`}}, {"call_2_1", "function", Function{"y", "{}"}}}}},
	{"the same id twice", []string{
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}},{"index":1,"id":"a","function":{"name":"y","arguments":"{}"}}]},"finish_reason":"stop"}]}`,
	}, Answer{ToolCalls: []ToolCall{{"a", "function", Function{"x", "{}"}}, {"call_2_1", "function", Function{"y", "{}"}}}}},
	{"parts of a text", []string{`{"choices":[{"delta":{"content":[{"type":"thinking"},{"type":"text","text":"Hi"}]},"finish_reason":"stop"}]}`}, Answer{Text: "Hi"}},
	{"a refusal", []string{`{"choices":[{"delta":{"refusal":"I will not"},"finish_reason":"stop"}]}`}, Answer{Text: "I will not"}},
	{"cut off at its limit", []string{`{"choices":[{"delta":{"content":"Hel"},"finish_reason":"length"}]}`}, Answer{Text: "Hel"}},
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range answers {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := served(t, team.Model{}, func(w http.ResponseWriter, _ *http.Request) { stream(w, tt.data...) })
			got, err := call(t, c, Request{Messages: make([]Message, 2)})
			if err != nil {
				t.Fatal(err)
			}
			if got.Text != tt.want.Text || !slices.Equal(got.ToolCalls, tt.want.ToolCalls) || fmt.Sprint(got.Usage) != fmt.Sprint(tt.want.Usage) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestWholeAnswer(t *testing.T) {
	t.Parallel()
	c := served(t, team.Model{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"Hi","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`)
	})
	a, err := call(t, c, Request{})
	if err != nil || a.Text != "Hi" || a.ToolCalls[0].ID != "a" || *a.Usage != (Usage{Input: 3, Output: 1}) || a.Cost != nil {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestStreamForms(t *testing.T) {
	t.Parallel()
	const chunk = `{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`
	for _, tt := range []struct{ name, text string }{
		{"CRLF, comments and other fields", ": keep\r\nevent: message\r\nid: 1\r\nretry: 5\r\ndata:" + chunk + "\r\n\r\ndata: [DONE]\r\n\r\n"},
		{"no empty line at the end", "data: " + chunk + "\n\ndata: [DONE]"},
		{"data in two lines", "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\ndata: \"finish_reason\":\"stop\"}]}\n\n"},
		{"a byte order mark", "\xef\xbb\xbfdata: " + chunk + "\n\n"},
		{"what follows the end", "data: " + chunk + "\n\ndata: [DONE]\n\ngarbage"},
	} {
		if a, err := readStream(strings.NewReader(tt.text), nil); err != nil || a.Text != "Hi" {
			t.Errorf("%s: %+v, %v", tt.name, a, err)
		}
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	p := func(f float64) *float64 { return &f }
	u := &Usage{Input: 1000, Output: 100, CachedInput: 400}
	for _, tt := range []struct {
		name  string
		model team.Model
		usage *Usage
		want  *float64
	}{
		{"prices", team.Model{InputPrice: p(2), OutputPrice: p(10)}, u, p(0.003)},
		{"a cache", team.Model{InputPrice: p(2), OutputPrice: p(10), CachedPrice: p(0.5)}, u, p(0.0024)},
		{"free", team.Model{InputPrice: p(0), OutputPrice: p(0)}, u, p(0)},
		{"no prices", team.Model{}, u, nil},
		{"half a price", team.Model{InputPrice: p(1)}, u, nil},
		{"no usage", team.Model{InputPrice: p(1), OutputPrice: p(1)}, nil, nil},
		{"more cached than sent", team.Model{InputPrice: p(1), OutputPrice: p(1)}, &Usage{Input: 1, CachedInput: 10}, p(0.00001)},
	} {
		got := (&chat{model: tt.model}).cost(tt.usage)
		if (got == nil) != (tt.want == nil) || got != nil && math.Abs(*got-*tt.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	secret := testKey()
	for _, tt := range []struct {
		name string
		c    Config
		id   string // "" = an error
		want string // the base URL, or a part of the error
	}{
		{"openai", Config{Ref: "openai/gpt-4o"}, "openai/gpt-4o", "https://api.openai.com/v1"},
		{"dmr", Config{Ref: "dmr/ai/qwen3"}, "dmr/ai/qwen3", "http://localhost:12434/engines/v1"},
		{"dmr elsewhere", Config{Ref: "dmr/x", Getenv: env("MODEL_RUNNER_HOST", "http://runner:80/")}, "dmr/x", "http://runner:80/engines/v1"},
		{"ollama", Config{Ref: "ollama/x"}, "ollama/x", "http://localhost:11434/v1"},
		{"an address", Config{Model: team.Model{Provider: "near", Model: "x", BaseURL: "http://a/v1"}}, "near/x", "http://a/v1"},
		{"an address of the environment", Config{Model: team.Model{Provider: "near", Model: "x", BaseURL: "${env.AT}/v1"}, Getenv: env("AT", "http://b")}, "near/x", "http://b/v1"},
		{"an environment without it", Config{Model: team.Model{Provider: "near", Model: "x", BaseURL: "${AT}/v1"}}, "", "needs the environment variable AT, which is not set"},
		{"no provider", Config{Ref: "x"}, "", `model "x": write provider/model`},
		{"nothing", Config{}, "", "write provider/model"},
		{"unknown", Config{Ref: "near/x"}, "", `model "near/x": nobody knows where it is served: write base_url`},
		{"other words", Config{Ref: "anthropic/claude"}, "", "does not speak chat completions"},
		{"other words at an address", Config{Model: team.Model{Provider: "google", Model: "x", BaseURL: "http://a"}}, "", "does not speak chat completions"},
		{"no address", Config{Model: team.Model{Provider: "near", Model: "x", BaseURL: "file:///etc"}}, "", "is no address of a server"},
		{"half an address", Config{Model: team.Model{Provider: "near", Model: "x", BaseURL: "http://"}}, "", "is no address of a server"},
		{"a password", Config{Model: team.Model{Provider: "near", Model: "x", BaseURL: "http://u:" + secret + "@a/v1"}}, "", "holds a user or password"},
		{"a broken address", Config{Model: team.Model{Provider: "near", Model: "x", BaseURL: "http://u:" + secret + "@a:x/v1"}}, "", "base_url is no address"},
		{"a key that is none", Config{Ref: "openai/x", Getenv: env("OPENAI_API_KEY", secret+"\r\nX: y")}, "", "the environment variable OPENAI_API_KEY holds no key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.c.Getenv == nil {
				tt.c.Getenv = env()
			}
			m, err := New(tt.c)
			switch {
			case tt.id == "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want %q", err, tt.want)
			case tt.id == "" && strings.Contains(err.Error(), secret):
				t.Error("the error shows a secret")
			case tt.id != "" && err != nil:
				t.Error(err)
			case tt.id != "" && (m.ID() != tt.id || m.Endpoint().BaseURL != tt.want):
				t.Errorf("%s at %s, want %s at %s", m.ID(), m.Endpoint().BaseURL, tt.id, tt.want)
			}
		})
	}
}

func TestNoProxyOnThisMachine(t *testing.T) {
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY"} {
		t.Setenv(name, "http://proxy.example:3128")
	}
	for _, host := range []string{"localhost", "LOCALHOST.", "127.0.0.1", "127.9.9.9", "[::1]", "[::ffff:127.0.0.1]", "a.localhost"} {
		for _, scheme := range []string{"http", "https"} {
			got, err := proxy(&http.Request{URL: &url.URL{Scheme: scheme, Host: host + ":1"}})
			if got != nil || err != nil {
				t.Errorf("%s://%s goes through %v, %v", scheme, host, got, err)
			}
		}
	}
	for _, host := range []string{"example.com", "10.0.0.1", "localhost.example.com"} {
		if loopback(host) {
			t.Errorf("%s is taken for this machine", host)
		}
	}
}

func FuzzStream(f *testing.F) {
	for _, a := range answers {
		f.Add([]byte("data: " + strings.Join(a.data, "\n\ndata: ") + "\n\n"))
	}
	f.Add([]byte(": x\r\nevent: y\r\ndata: {\"error\":{\"message\":\"z\"}}\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var streamed strings.Builder
		a, err := readStream(strings.NewReader(string(data)), func(s string) { streamed.WriteString(s) })
		if err != nil {
			if clean(err.Error(), "") == "" {
				t.Error("an error without words")
			}
			return
		}
		if streamed.String() != a.Text || a.Text == "" && len(a.ToolCalls) == 0 {
			t.Errorf("streamed %q, answered %+v", streamed.String(), a)
		}
		a.number(1)
		seen := map[string]bool{}
		for _, c := range a.ToolCalls {
			if c.ID == "" || seen[c.ID] || c.Function.Name == "" || c.Function.Arguments == "" {
				t.Errorf("a call %+v", c)
			}
			seen[c.ID] = true
		}
	})
}
