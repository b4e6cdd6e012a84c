package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
)

// program is the built program.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "checkrein-models")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "checkrein-models")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// testKey looks like one that opens nothing.
func testKey() string { return "sk-" + strings.Repeat("Zx9", 10) }

// open opens a model as checkreind does, with the built program beside it.
func open(t *testing.T, m team.Model) model.Model {
	t.Helper()
	out, err := model.New(model.Config{Model: m, Program: program, Getenv: func(name string) string {
		switch name {
		case "KEY":
			return testKey()
		case "PATH", "HOME":
			return os.Getenv(name)
		}
		return ""
	}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A conversation through all there is: the runtime's model, the lines, the program,
// the SDK, the provider's own words.
func TestConversation(t *testing.T) {
	t.Parallel()
	srv, err := mockmodel.Start(mockmodel.Script{Turns: []mockmodel.Turn{
		{Text: "I look", Calls: []mockmodel.Call{mockmodel.Native("shell", map[string]any{"cmd": "ls"}), mockmodel.Native("shell", map[string]any{"cmd": "pwd"})}},
		{Text: "all done"},
		{Text: "no", Status: 500},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	m := open(t, team.Model{Provider: "dmr", Model: "ai/small", BaseURL: srv.URL() + "/engines/v1/", TokenKey: "KEY", InputPrice: new(float64), OutputPrice: new(float64)})
	req := model.Request{
		Messages: []model.Message{{Role: model.System, Content: "You help."}, {Role: model.User, Content: "go"}},
		Tools:    []model.Definition{{Name: "shell", Description: "runs", Parameters: json.RawMessage(`{"type":"object","properties":{"cmd":{"type":"string"}}}`)}},
	}
	var streamed strings.Builder
	a, err := m.Call(t.Context(), req, func(s string) { streamed.WriteString(s) })
	if err != nil || a.Text != "I look" || streamed.String() != a.Text || len(a.ToolCalls) != 2 || *a.Usage != (model.Usage{Input: 1, Output: 1}) || *a.Cost != 0 {
		t.Fatalf("%+v, %v, streamed %q", a, err, streamed.String())
	}
	req.Messages = append(req.Messages, model.Message{Role: model.Assistant, Content: a.Text, ToolCalls: a.ToolCalls})
	for i, c := range a.ToolCalls {
		req.Messages = append(req.Messages, model.Message{Role: model.ToolRole, ToolCallID: c.ID, Content: fmt.Sprint("result ", i)})
	}
	if a, err = m.Call(t.Context(), req, nil); err != nil || a.Text != "all done" {
		t.Errorf("%+v, %v", a, err)
	}
	for i := range 2 {
		if res, ok := srv.Record().Result(0, i); !ok || res.Text != fmt.Sprint("result ", i) {
			t.Errorf("the model read %+v, %v", res, ok)
		}
	}
	req.Messages = append(req.Messages, model.Message{Role: model.User, Content: "once more"})
	if _, err = m.Call(t.Context(), req, nil); err == nil || !strings.HasPrefix(err.Error(), "model dmr/ai/small at http://127.0.0.1:") || !strings.HasSuffix(err.Error(), "500 Internal Server Error: no") {
		t.Errorf("error %v", err)
	}
	if p := srv.Problems(); len(p) > 0 {
		t.Error(p)
	}
}

// What a provider says is wrong keeps its kind on the way, and never shows the key.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status            int
		body              string
		overflow, limited bool
	}{
		{400, `{"error":{"message":"too much","code":"context_length_exceeded"}}`, true, false},
		{429, `{"error":{"message":"slow down, KEY"}}`, false, true},
		{401, `{"error":{"message":"KEY is wrong"}}`, false, false},
		{500, `KEY`, false, false},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer "+testKey() {
				t.Error("the key did not arrive")
			}
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(tt.status)
			_, _ = io.WriteString(w, strings.ReplaceAll(tt.body, "KEY", testKey()))
		}))
		m := open(t, team.Model{Provider: "near", Model: "m", BaseURL: srv.URL, TokenKey: "KEY"})
		_, err := m.Call(t.Context(), model.Request{Messages: []model.Message{{Role: model.User, Content: "x"}}}, nil)
		srv.Close()
		if err == nil || errors.Is(err, model.ErrOverflow) != tt.overflow || model.IsRateLimited(err) != tt.limited || strings.Contains(err.Error(), testKey()) {
			t.Errorf("%d: %v", tt.status, err)
		}
	}
}

// A call that is given up ends the program, and with it the request.
func TestCancelled(t *testing.T) {
	t.Parallel()
	arrived, left := make(chan struct{}), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(arrived)
		<-r.Context().Done()
		close(left)
	}))
	t.Cleanup(srv.Close)
	stop := errors.New("the person pressed Ctrl-C")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-arrived; cancel(stop) }()
	m := open(t, team.Model{Provider: "near", Model: "m", BaseURL: srv.URL})
	if _, err := m.Call(ctx, model.Request{}, nil); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
	<-left
}

// The program serves its own build only, and does nothing else.
func TestUsage(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(program, "help").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "calls models for checkreind") {
		t.Errorf("%s, %v", out, err)
	}
	cmd := exec.Command(program, "call")
	cmd.Stdin = strings.NewReader(`{"build":"another","wire":"openai"}` + "\n")
	if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), `"kind":"other"`) || !strings.Contains(string(out), "install all three programs from the same build") {
		t.Errorf("%s, %v", out, err)
	}
}
