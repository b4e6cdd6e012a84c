package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/model/line"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/models/provider"
)

// A place is a server with a model.
type place struct {
	settings line.Settings
	wait     func(context.Context, time.Duration) error
}

// Call calls the model as the program does.
func (p *place) Call(ctx context.Context, req model.Request, delta func(string)) (model.Answer, error) {
	c, err := provider.New(p.settings, req, func(name string) string {
		if name == "KEY" {
			return testKey()
		}
		return ""
	})
	if err != nil {
		return model.Answer{}, err
	}
	if p.wait != nil {
		c.Wait = p.wait
	}
	return c.Do(ctx, Ask, delta)
}

// served is a model that a handler serves.
func served(t *testing.T, s line.Settings, h http.HandlerFunc) *place {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	s.BaseURL = srv.URL + "/v1"
	return at(s)
}

func at(s line.Settings) *place {
	if s.Provider == "" {
		s.Provider = "near"
	}
	s.Model, s.Limits = "m", line.Limits{Connect: model.DefaultConnect, Idle: model.DefaultIdle, Retries: 2}
	return &place{settings: s}
}

// ask calls a model and checks that what it streams is what it answers.
func ask(t *testing.T, p *place, req model.Request) (model.Answer, error) {
	t.Helper()
	var streamed strings.Builder
	a, err := p.Call(t.Context(), req, func(s string) { streamed.WriteString(s) })
	if err == nil && streamed.String() != a.Text {
		t.Errorf("streamed %q, answered %q", streamed.String(), a.Text)
	}
	return a, err
}

// testKey looks like one that opens nothing.
func testKey() string { return "sk-" + strings.Repeat("Zx9", 10) }

// stream answers with events.
func stream(w http.ResponseWriter, data ...string) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	for _, d := range data {
		_, _ = io.WriteString(w, "data: "+d+"\n\n")
	}
}

func TestWithMockModel(t *testing.T) {
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
	m := at(line.Settings{BaseURL: srv.URL() + "/engines/v1/"})
	req := model.Request{
		Messages: []model.Message{{Role: model.System, Content: "You help."}, {Role: model.User, Content: "go"}},
		Tools:    []model.Definition{{Name: "shell", Description: "runs", Parameters: json.RawMessage(`{"type":"object","properties":{"cmd":{"type":"string"}}}`)}},
	}
	a, err := ask(t, m, req)
	if err != nil || a.Text != "I look" || len(a.ToolCalls) != 1 || *a.Usage != (model.Usage{Input: 1, Output: 1}) {
		t.Fatalf("%+v, %v", a, err)
	}
	if c := a.ToolCalls[0]; c.ID == "" || c.Type != "function" || c.Function != (model.Function{Name: "shell", Arguments: `{"cmd":"ls"}`}) {
		t.Errorf("call %+v", c)
	}
	req.Messages = append(req.Messages, model.Message{Role: model.Assistant, Content: a.Text, ToolCalls: a.ToolCalls},
		model.Message{Role: model.ToolRole, ToolCallID: a.ToolCalls[0].ID, Content: "a.txt"})
	if a, err = ask(t, m, req); err != nil || a.Text != "all done" || len(a.ToolCalls) != 0 {
		t.Errorf("%+v, %v", a, err)
	}
	if res, ok := srv.Record().Result(0, 0); !ok || res.Text != "a.txt" {
		t.Errorf("the model read %+v, %v", res, ok)
	}
	req.Messages = append(req.Messages, model.Message{Role: model.User, Content: "once more"})
	if _, err = ask(t, m, req); err == nil || !strings.Contains(err.Error(), "500 Internal Server Error: no") {
		t.Errorf("error %v", err)
	}
	if p := srv.Problems(); len(p) > 0 {
		t.Error(p)
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	warm := 0.5
	var body map[string]any
	var header http.Header
	var query string
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" || r.Method != http.MethodPost {
			t.Errorf("%s %s", r.Method, r.URL.Path)
		}
		header, body, query = r.Header, nil, r.URL.RawQuery
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		stream(w, `{"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}`, "[DONE]")
	}
	c := served(t, line.Settings{TokenKey: "KEY", MaxTokens: 7, Temperature: &warm}, handler)
	c.settings.BaseURL += "?api-version=7"
	_, err := ask(t, c, model.Request{Messages: []model.Message{
		{Role: model.Assistant, Content: "x\xff", ToolCalls: []model.ToolCall{{ID: "1", Function: model.Function{Name: "a", Arguments: "{broken"}}, {ID: "2", Type: "function", Function: model.Function{Name: "b", Arguments: `{"x":1}`}}},
			Usage: &model.Usage{}, Agent: "root", Model: "m", CreatedAt: time.Now()},
		{Role: model.ToolRole, ToolCallID: "1", Content: "r", IsError: true},
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
	if query != "api-version=7" {
		t.Errorf("the query of base_url became %q", query)
	}
	if header.Get("Authorization") != "Bearer "+testKey() {
		t.Error("the key was not sent")
	}
	open := served(t, line.Settings{TokenKey: "NONE", Provider: "openai", MaxTokens: 9}, handler)
	if _, err := ask(t, open, model.Request{}); err != nil || header.Get("Authorization") != "" || body["max_completion_tokens"] != 9.0 {
		t.Errorf("%v, %v, %v", err, header, body)
	}
}

func called(id, name, args string) model.ToolCall {
	return model.ToolCall{ID: id, Type: "function", Function: model.Function{Name: name, Arguments: args}}
}

var answers = []struct {
	name string
	data []string
	want model.Answer
}{
	{"pieces", []string{`{"choices":[{"delta":{"role":"assistant","content":""}}]}`, `{"choices":[{"delta":{"content":"He"}}]}`, `{"choices":[{"delta":{"content":"llo"}}]}`, `{"choices":[{"delta":{},"finish_reason":"stop"}]}`, "[DONE]"}, model.Answer{Text: "Hello"}},
	{"no DONE", []string{`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`}, model.Answer{Text: "Hi"}},
	{"no finish", []string{`{"choices":[{"delta":{"content":"Hi"}}]}`, "[DONE]"}, model.Answer{Text: "Hi", Doubt: "?"}},
	{"usage behind", []string{`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}],"usage":null}`,
		`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":5},"completion_tokens_details":{"reasoning_tokens":2}}}`, "[DONE]"},
		model.Answer{Text: "Hi", Usage: &model.Usage{Input: 9, Output: 4, CachedInput: 5, Reasoning: 2}}},
	{"a call in pieces", []string{
		`{"choices":[{"delta":{"content":null,"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"shell","arguments":""}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"cmd\""}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"c2","function":{"name":"think","arguments":"{"}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":":\"ls\"}"}},{"index":1,"function":{"arguments":"}"}}]}}]}`,
		`{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`, "[DONE]",
	}, model.Answer{ToolCalls: []model.ToolCall{called("c1", "shell", `{"cmd":"ls"}`), called("c2", "think", "{}")}}},
	{"whole calls, all the first", []string{
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"x","arguments":"{\"n\":1}"}}]},"finish_reason":"stop"}]}`,
	}, model.Answer{ToolCalls: []model.ToolCall{called("a", "x", "{}"), called("b", "x", `{"n":1}`)}}},
	{"calls without index or id, with objects", []string{
		`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"x","arguments":{"a":1}}},{"function":{"name":"y"}}]},"finish_reason":"stop"}]}`,
	}, model.Answer{ToolCalls: []model.ToolCall{called("", "x", `{"a":1}`), called("", "y", "{}")}}},
	{"the same id twice", []string{
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}},{"index":1,"id":"a","function":{"name":"y","arguments":"{}"}}]},"finish_reason":"stop"}]}`,
	}, model.Answer{ToolCalls: []model.ToolCall{called("a", "x", "{}"), called("a", "y", "{}")}}},
	{"an error that is null", []string{`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}],"error":null}`}, model.Answer{Text: "Hi"}},
	{"parts of a text", []string{`{"choices":[{"delta":{"content":[{"type":"thinking"},{"type":"text","text":"Hi"}]},"finish_reason":"stop"}]}`}, model.Answer{Text: "Hi"}},
	{"a refusal", []string{`{"choices":[{"delta":{"refusal":"I will not"},"finish_reason":"stop"}]}`}, model.Answer{Text: "I will not", Refused: true}},
	{"cut off at its limit", []string{`{"choices":[{"delta":{"content":"Hel"},"finish_reason":"length"}]}`}, model.Answer{Text: "Hel", Doubt: "?"}},
	{"an end that nobody knows", []string{`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"sto"}]}`}, model.Answer{Text: "Hi", Doubt: "?"}},
	{"an end in upper case", []string{`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"STOP"}]}`}, model.Answer{Text: "Hi", Doubt: "?"}},
	{"calls that are not there", []string{`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"tool_calls"}]}`}, model.Answer{Text: "Hi", Doubt: "?"}},
	{"two ends", []string{`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"length"}]}`, `{"choices":[{"delta":{},"finish_reason":"stop"}]}`}, model.Answer{Text: "Hi", Doubt: "?"}},
	{"the same end twice", []string{`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`, `{"choices":[{"delta":{},"finish_reason":"stop"}]}`}, model.Answer{Text: "Hi"}},
	{"two choices at once", []string{`{"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"},{"index":1,"delta":{"content":"no"},"finish_reason":"stop"}]}`}, model.Answer{Text: "Hi", Doubt: "?"}},
	{"two choices in turn", []string{`{"choices":[{"index":0,"delta":{"content":"Hi"}}]}`, `{"choices":[{"index":1,"delta":{"content":"no"}}]}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`}, model.Answer{Text: "Hi", Doubt: "?"}},
	{"a choice that is not the first", []string{`{"choices":[{"index":1,"delta":{"content":"Hi"},"finish_reason":"stop"}]}`}, model.Answer{Text: "Hi"}},
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range answers {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := served(t, line.Settings{}, func(w http.ResponseWriter, _ *http.Request) { stream(w, tt.data...) })
			got, err := ask(t, c, model.Request{Messages: make([]model.Message, 2)})
			if err != nil {
				t.Fatal(err)
			}
			if got.Text != tt.want.Text || got.Refused != tt.want.Refused || (got.Doubt != "") != (tt.want.Doubt != "") || !slices.Equal(got.ToolCalls, tt.want.ToolCalls) || fmt.Sprint(got.Usage) != fmt.Sprint(tt.want.Usage) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestWholeAnswer(t *testing.T) {
	t.Parallel()
	c := served(t, line.Settings{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"Hi","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`)
	})
	a, err := ask(t, c, model.Request{})
	if err != nil || a.Text != "Hi" || a.ToolCalls[0].ID != "a" || *a.Usage != (model.Usage{Input: 3, Output: 1}) {
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
		c := served(t, line.Settings{}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, tt.text)
		})
		if a, err := ask(t, c, model.Request{}); err != nil || a.Text != "Hi" {
			t.Errorf("%s: %+v, %v", tt.name, a, err)
		}
	}
}

// A schema is asked for in the provider's own words.
func TestSchema(t *testing.T) {
	t.Parallel()
	var body struct {
		Format json.RawMessage `json:"response_format"`
	}
	c := served(t, line.Settings{}, func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		stream(w, `{"choices":[{"delta":{"content":"{}"},"finish_reason":"stop"}]}`)
	})
	if _, err := ask(t, c, model.Request{Schema: &model.Schema{Name: "verdict", JSON: json.RawMessage(`{"type":"object"}`)}}); err != nil {
		t.Fatal(err)
	}
	var got any
	_ = json.Unmarshal(body.Format, &got)
	if b, _ := json.Marshal(got); string(b) != `{"json_schema":{"name":"verdict","schema":{"type":"object"},"strict":true},"type":"json_schema"}` {
		t.Errorf("asked for %s", b)
	}
}
