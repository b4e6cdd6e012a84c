package anthropic

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/model/line"
	"github.com/checkrein/checkrein/models/provider"
)

// ask asks a server that sends these events, and returns the request that it got.
func ask(t *testing.T, s line.Settings, req model.Request, events ...string) (model.Answer, *http.Request, string, error) {
	t.Helper()
	var got *http.Request
	var body any
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			var known anthropic.MessageStreamEventUnion
			if err := json.Unmarshal([]byte(e), &known); err != nil {
				t.Error(err)
			}
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", known.Type, e)
		}
	}))
	defer srv.Close()
	s.BaseURL, s.Limits, s.TokenKey = srv.URL+s.BaseURL, line.Limits{Connect: time.Hour, Idle: time.Hour}, "KEY"
	c, err := provider.New(s, req, func(string) string { return "k" })
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Do(t.Context(), Ask, nil)
	sent, _ := json.Marshal(body)
	return a, got, string(sent), err
}

const (
	begin = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":3,"cache_creation_input_tokens":4,"cache_read_input_tokens":5,"output_tokens":1}}}`
	stop  = `{"type":"message_stop"}`
)

func ends(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `","stop_sequence":null},"usage":{"output_tokens":9}}`
}

// Thoughts are not said, pings mean nothing, calls come in pieces that may mix, and
// what the end does not count was counted at the beginning.
func TestPieces(t *testing.T) {
	t.Parallel()
	a, _, _, err := ask(t, line.Settings{Model: "m"}, model.Request{}, begin, `{"type":"ping"}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"H"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"ello"}}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t1","name":"x","input":{}}}`,
		`{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t2","name":"y","input":{"a":1}}}`,
		`{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"t3","name":"z","input":{}}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"cm"}}`,
		`{"type":"content_block_delta","index":4,"delta":{"type":"input_json_delta","partial_json":"{broken"}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"d\":\"ls\"}"}}`,
		`{"type":"something_new","index":7}`,
		ends("tool_use"), stop)
	if err != nil || a.Text != "Hello" || *a.Usage != (model.Usage{Input: 12, Output: 9, CachedInput: 5, CachedWrite: 4}) {
		t.Fatalf("%+v, %v", a, err)
	}
	want := []model.ToolCall{
		{ID: "t1", Type: "function", Function: model.Function{Name: "x", Arguments: `{"cmd":"ls"}`}},
		{ID: "t2", Type: "function", Function: model.Function{Name: "y", Arguments: `{"a":1}`}},
		{ID: "t3", Type: "function", Function: model.Function{Name: "z", Arguments: `{broken`}}, // as the model wrote it
	}
	if fmt.Sprint(a.ToolCalls) != fmt.Sprint(want) {
		t.Errorf("calls %+v", a.ToolCalls)
	}
}

func TestStopReasons(t *testing.T) {
	t.Parallel()
	text := `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"so far"}}`
	use := `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"x","input":{}}}`
	for _, tt := range []struct {
		events  []string
		text    string // "" = there is no answer
		refused bool
		doubted bool
	}{
		{[]string{begin, text, ends("end_turn"), stop}, "so far", false, false},
		{[]string{begin, text, ends("end_turn")}, "so far", false, false}, // the last event is lost
		{[]string{begin, text, ends("model_context_window_exceeded"), stop}, "so far", false, true},
		{[]string{begin, text, ends("stop_sequence"), stop}, "so far", false, true}, // none was asked for
		{[]string{begin, text, ends("pause_turn"), stop}, "so far", false, true},
		{[]string{begin, text, ends("end_of_turn"), stop}, "so far", false, true},
		{[]string{begin, text, ends("tool_use"), stop}, "so far", false, true},
		{[]string{begin, text, stop}, "so far", false, true},
		{[]string{begin, text, ends("max_tokens"), ends("end_turn"), stop}, "so far", false, true},
		{[]string{begin, begin, text, ends("end_turn"), stop}, "so far", false, true},
		{[]string{begin, text, use, ends("refusal"), stop}, "so far", true, true},
		{[]string{begin, use, ends("refusal"), stop}, "", false, false},
		{[]string{begin, text, use, ends("max_tokens"), stop}, "", false, false},
		{[]string{begin, text}, "", false, false},
	} {
		a, _, _, err := ask(t, line.Settings{Model: "m"}, model.Request{}, tt.events...)
		if a.Text != tt.text || (err == nil) != (tt.text != "") || a.Refused != tt.refused || (a.Doubt != "") != tt.doubted || len(a.ToolCalls) > 0 {
			t.Errorf("%q: %+v, %v", tt.events[1:], a, err)
		}
	}
}

// An error in the stream that comes before any text is as good as a status.
func TestOverloadedInTheStream(t *testing.T) {
	t.Parallel()
	tries := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		tries++
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "event: message_start\ndata: %s\n\nevent: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n", begin)
	}))
	defer srv.Close()
	c, err := provider.New(line.Settings{Model: "m", BaseURL: srv.URL, Limits: line.Limits{Connect: time.Hour, Idle: time.Hour, Retries: 1}}, model.Request{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Wait = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	_, err = c.Do(t.Context(), Ask, nil)
	if f, ok := err.(*line.Fault); !ok || f.Kind != line.Overloaded || tries != 2 {
		t.Errorf("%v after %d tries", err, tries)
	}
}

// Settings and a conversation of others reach the wire in its own words.
func TestRequest(t *testing.T) {
	t.Parallel()
	warm := 0.5
	said := []string{begin, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"ok"}}`, ends("end_turn"), stop}
	req := model.Request{
		Messages: []model.Message{
			{Role: model.System, Content: " "}, {Role: model.User, Content: "go"}, {Role: "developer", Content: "now"},
			{Role: model.Assistant, Content: " ", ToolCalls: []model.ToolCall{{ID: "call:1|x", Function: model.Function{Name: "x", Arguments: "["}}}},
			{Role: model.ToolRole, ToolCallID: "call:1|x", Content: "\n"},
			{Role: model.Assistant}, {Role: model.User, Content: "so?"},
		},
		Tools: []model.Definition{{Name: "x"}, {Name: "y", Description: "d", Parameters: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)}},
	}
	for _, base := range []string{"", "/v1/?q=1"} {
		_, r, sent, err := ask(t, line.Settings{Model: "m", BaseURL: base, Temperature: &warm}, req, said...)
		if err != nil || r.URL.Path != "/v1/messages" || r.Header.Get("X-Api-Key") != "k" || r.Header.Get("Authorization") != "" || base != "" && r.URL.RawQuery != "q=1" {
			t.Fatalf("%s, %v", r.URL, err)
		}
		want := `{"max_tokens":8192,"messages":[{"content":[{"text":"go","type":"text"},{"text":"now","type":"text"}],"role":"user"},` +
			`{"content":[{"id":"call_1_x","input":{},"name":"x","type":"tool_use"}],"role":"assistant"},` +
			`{"content":[{"is_error":false,"tool_use_id":"call_1_x","type":"tool_result"},{"text":"so?","type":"text"}],"role":"user"}],` +
			`"model":"m","stream":true,"temperature":0.5,"tools":[{"input_schema":{"type":"object"},"name":"x"},` +
			`{"description":"d","input_schema":{"additionalProperties":false,"properties":{},"type":"object"},"name":"y"}]}`
		if sent != want {
			t.Errorf("sent %s\nwant %s", sent, want)
		}
	}
	if _, _, sent, err := ask(t, line.Settings{Model: "m", MaxTokens: 5}, model.Request{Messages: req.Messages[1:2]}, said...); err != nil || !strings.Contains(sent, `"max_tokens":5`) {
		t.Errorf("sent %s, %v", sent, err)
	}
}
