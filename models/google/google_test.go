package google

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/genai"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/model/line"
	"github.com/checkrein/checkrein/models/provider"
)

// ask asks a server that sends these pieces, and returns the request that it got.
func ask(t *testing.T, s line.Settings, key string, req model.Request, pieces ...*genai.GenerateContentResponse) (model.Answer, *http.Request, map[string]any, error) {
	t.Helper()
	var got *http.Request
	var body map[string]any
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, p := range pieces {
			b, err := json.Marshal(p)
			if err != nil {
				t.Error(err)
			}
			fmt.Fprintf(w, "data: %s\r\n\r\n", b)
		}
	}))
	defer srv.Close()
	s.BaseURL, s.Limits = srv.URL+s.BaseURL, line.Limits{Connect: time.Hour, Idle: time.Hour}
	if s.Model == "" {
		s.Model = "gemini-3-pro"
	}
	c, err := provider.New(s, req, func(string) string { return key })
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Do(t.Context(), Ask, nil)
	return a, got, body, err
}

func piece(reason genai.FinishReason, parts ...*genai.Part) *genai.GenerateContentResponse {
	return &genai.GenerateContentResponse{Candidates: []*genai.Candidate{{FinishReason: reason, Content: &genai.Content{Role: genai.RoleModel, Parts: parts}}}}
}

func kind(err error) line.Kind {
	if f := (*line.Fault)(nil); errors.As(err, &f) {
		return f.Kind
	}
	return ""
}

// An answer comes in pieces: thoughts are not said, calls have no id, and the last
// count is the sum.
func TestPieces(t *testing.T) {
	t.Parallel()
	first := piece("", &genai.Part{Text: "I think", Thought: true}, &genai.Part{Text: "He"})
	first.UsageMetadata = &genai.GenerateContentResponseUsageMetadata{PromptTokenCount: 9, ThoughtsTokenCount: 1}
	last := piece(genai.FinishReasonStop, &genai.Part{FunctionCall: &genai.FunctionCall{Name: "y"}})
	last.UsageMetadata = &genai.GenerateContentResponseUsageMetadata{PromptTokenCount: 9, ThoughtsTokenCount: 3, CandidatesTokenCount: 4, CachedContentTokenCount: 5, ToolUsePromptTokenCount: 2}
	a, _, _, err := ask(t, line.Settings{}, "", model.Request{}, first,
		piece("", &genai.Part{Text: "llo"}, &genai.Part{FunctionCall: &genai.FunctionCall{Name: "x", Args: map[string]any{"a": "<&>"}}, ThoughtSignature: []byte("s")}),
		&genai.GenerateContentResponse{}, last)
	if err != nil || a.Text != "Hello" || len(a.ToolCalls) != 2 || *a.Usage != (model.Usage{Input: 11, Output: 7, CachedInput: 5, Reasoning: 3}) {
		t.Fatalf("%+v, %v", a, err)
	}
	if x, y := a.ToolCalls[0].Function, a.ToolCalls[1].Function; x.Arguments != `{"a":"<&>"}` || y.Arguments != "{}" || y.Name != "y" {
		t.Errorf("calls %+v", a.ToolCalls)
	}
}

func TestFinish(t *testing.T) {
	t.Parallel()
	call := &genai.Part{FunctionCall: &genai.FunctionCall{Name: "x"}}
	for _, tt := range []struct {
		reason genai.FinishReason
		parts  []*genai.Part
		kind   line.Kind
	}{
		{genai.FinishReasonMalformedFunctionCall, nil, line.Garbled},
		{genai.FinishReasonUnexpectedToolCall, nil, line.Garbled},
		{genai.FinishReasonProhibitedContent, []*genai.Part{call}, line.Refused}, // a call of an answer that was taken back
		{genai.FinishReasonRecitation, nil, line.Refused},
		{"SOMETHING_NEW", nil, line.Refused},
		{genai.FinishReasonOther, nil, line.Broken},
		{genai.FinishReasonMaxTokens, nil, line.Broken},
		{"", []*genai.Part{{Text: "x"}}, line.Broken},
	} {
		if a, _, _, err := ask(t, line.Settings{}, "", model.Request{}, piece(tt.reason, tt.parts...)); kind(err) != tt.kind {
			t.Errorf("%s: %+v, %v", tt.reason, a, err)
		}
	}
}

// An answer that did not end as one does, or that is not the only one, says so.
func TestDoubt(t *testing.T) {
	t.Parallel()
	say := func(index int32, reason genai.FinishReason, text string) *genai.GenerateContentResponse {
		p := piece(reason, &genai.Part{Text: text})
		p.Candidates[0].Index = index
		return p
	}
	both := say(0, genai.FinishReasonStop, "Hi")
	both.Candidates = append(both.Candidates, say(1, genai.FinishReasonStop, "no").Candidates...)
	for name, tt := range map[string]struct {
		pieces  []*genai.GenerateContentResponse
		doubted bool
	}{
		"stop":        {[]*genai.GenerateContentResponse{say(0, genai.FinishReasonStop, "Hi")}, false},
		"other":       {[]*genai.GenerateContentResponse{say(0, genai.FinishReasonOther, "Hi")}, true},
		"new":         {[]*genai.GenerateContentResponse{say(0, "SOMETHING_NEW", "Hi")}, true},
		"length":      {[]*genai.GenerateContentResponse{say(0, genai.FinishReasonMaxTokens, "Hi")}, true},
		"two ends":    {[]*genai.GenerateContentResponse{say(0, genai.FinishReasonMaxTokens, "Hi"), say(0, genai.FinishReasonStop, "")}, true},
		"two":         {[]*genai.GenerateContentResponse{both}, true},
		"two in turn": {[]*genai.GenerateContentResponse{say(0, "", "H"), say(1, "", "no"), say(0, genai.FinishReasonStop, "i")}, true},
	} {
		if a, _, _, err := ask(t, line.Settings{}, "", model.Request{}, tt.pieces...); err != nil || a.Text != "Hi" || (a.Doubt != "") != tt.doubted {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

// Settings reach the wire in its own words.
func TestSettings(t *testing.T) {
	t.Parallel()
	warm := 0.7
	said := piece(genai.FinishReasonStop, &genai.Part{Text: "x"})
	talk := model.Request{Messages: []model.Message{
		{Role: model.User, Content: "go"},
		{Role: model.Assistant, ToolCalls: []model.ToolCall{{ID: "1", Function: model.Function{Name: "x", Arguments: `{"n":12345678901234567}`}}, {ID: "2", Function: model.Function{Name: "y"}}}},
		{Role: model.ToolRole, ToolCallID: "2", Content: "r"}, {Role: model.ToolRole, ToolCallID: "gone", Content: "r"},
	}}
	for _, tt := range []struct{ base, key, model, path string }{
		{"", "k", "gemini-3-pro", "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse"},
		{"/v1beta/", "", "models/gemini-2.5-pro", "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse"},
		{"/proxy/v1?a=b", "k", "gemini-3-pro", "/proxy/v1/models/gemini-3-pro:streamGenerateContent?a=b&alt=sse"},
	} {
		s := line.Settings{BaseURL: tt.base, Model: tt.model, TokenKey: "KEY", MaxTokens: 7, Temperature: &warm}
		_, r, body, err := ask(t, s, tt.key, talk, said)
		if err != nil || r.URL.String() != tt.path || r.Header.Get("X-Goog-Api-Key") != tt.key || !strings.HasPrefix(r.Header.Get("User-Agent"), "checkrein/") {
			t.Fatalf("%s %v, %v", r.URL, r.Header, err)
		}
		sent, _ := json.Marshal(body)
		signed := tt.model == "gemini-3-pro"
		for _, want := range []string{`"maxOutputTokens":7`, `"temperature":0.7`, `"name":"y","response":{"output":"r"}`, `"name":"unknown"`} {
			if !strings.Contains(string(sent), want) {
				t.Errorf("no %s in %s", want, sent)
			}
		}
		if n := strings.Count(string(sent), "thoughtSignature"); n != map[bool]int{true: 1}[signed] {
			t.Errorf("%s: %d signatures: %s", tt.model, n, sent)
		}
	}
}
