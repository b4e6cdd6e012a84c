package main

import (
	"encoding/json"
	"testing"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
)

// Each provider is called through all there is, with its own wire.
func TestEveryProvider(t *testing.T) {
	t.Parallel()
	for provider, want := range map[string]mockmodel.Protocol{"openai": mockmodel.Chat, "anthropic": mockmodel.Anthropic, "google": mockmodel.Gemini} {
		srv, err := mockmodel.Start(mockmodel.Script{Turns: []mockmodel.Turn{
			{Text: "I look", Calls: []mockmodel.Call{mockmodel.Native("shell", map[string]any{"cmd": "ls"})}},
		}, Final: "all done"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = srv.Close() })
		m := open(t, team.Model{Provider: provider, Model: "small", BaseURL: srv.URL() + "/v1", TokenKey: "KEY"})
		req := model.Request{
			Messages: []model.Message{{Role: model.User, Content: "go"}},
			Tools:    []model.Definition{{Name: "shell", Parameters: json.RawMessage(`{"type":"object","properties":{"cmd":{"type":"string"}}}`)}},
		}
		a, err := m.Call(t.Context(), req, nil)
		if err != nil || a.Text != "I look" || len(a.ToolCalls) != 1 {
			t.Fatalf("%s: %+v, %v", provider, a, err)
		}
		req.Messages = append(req.Messages, model.Message{Role: model.Assistant, Content: a.Text, ToolCalls: a.ToolCalls},
			model.Message{Role: model.ToolRole, ToolCallID: a.ToolCalls[0].ID, Content: "a.txt"})
		if a, err = m.Call(t.Context(), req, nil); err != nil || a.Text != "all done" {
			t.Errorf("%s: %+v, %v", provider, a, err)
		}
		q, _ := srv.Record().LastTurn()
		if res, ok := srv.Record().Result(0, 0); q.Protocol != want || q.Key != testKey() || !ok || res.Text != "a.txt" {
			t.Errorf("%s: %s, result %+v", provider, q.Protocol, res)
		}
	}
}
