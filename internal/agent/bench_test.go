package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/session"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/agent/tool"
	"github.com/checkrein/checkrein/internal/app"
)

// twenty are builtin hooks as a careful person has them.
const twenty = `version: 1
packs: [secrets, pii, filesystem, disk, git, exfiltration]
hooks:
  turn_start: [{type: builtin, command: add_date}]
  pre_tool_use: [{type: builtin, command: protect_paths}, {type: builtin, command: denial_memory}, {type: builtin, command: safer_shell}]
  tool_response_transform: [{type: builtin, command: limit_large_tool_results}]
  post_tool_use: [{type: builtin, command: narration_guard}, {type: builtin, command: tool_audit_log}]
  before_llm_call: [{type: builtin, command: max_iterations, args: ["100"]}]
  on_response_end: [{type: builtin, command: budget_alert, args: ["5"]}, {type: builtin, command: cost_ledger}]
  stop: [{type: builtin, command: verify_claims}]
`

// silentUI is a UI that shows nothing and rejects everything.
type silentUI struct{}

func (silentUI) Report(Report)                                    {}
func (silentUI) Confirm(context.Context, Question) (Reply, error) { return Reply{}, nil }
func (silentUI) ConfirmMore(context.Context, int) (bool, error)   { return false, nil }

// instantModel is a model that answers immediately.
type instantModel struct{}

func (instantModel) ID() string               { return "test/parrot" }
func (instantModel) ContextLimit() int        { return 0 }
func (instantModel) Endpoint() model.Endpoint { return model.Endpoint{} }
func (instantModel) Call(_ context.Context, req model.Request, _ func(string)) (model.Answer, error) {
	if req.Messages[len(req.Messages)-1].Role == model.ToolRole {
		return model.Answer{Text: "It printed one line."}, nil
	}
	return model.Answer{ToolCalls: []model.ToolCall{{ID: "c", Type: "function", Function: model.Function{Name: "shell", Arguments: `{"cmd":"git status --short"}`}}}}, nil
}

// BenchmarkPrompt measures a prompt with one tool call, so two turns, with a history of 200 messages
// and a model that takes no time: only the runtime and its hooks count.
func BenchmarkPrompt(b *testing.B) {
	for _, tt := range []struct{ name, file string }{{"hooks=0", "version: 1\npacks: []\n"}, {"hooks=20", twenty}} {
		b.Run(tt.name, func(b *testing.B) {
			dir := b.TempDir()
			write := filepath.Join(dir, "hooks.yaml")
			if err := os.WriteFile(write, []byte(tt.file), 0o600); err != nil {
				b.Fatal(err)
			}
			var history []session.Item
			for i := range 200 {
				role := []string{model.User, model.Assistant}[i%2]
				text := fmt.Sprintf("message %d: %s", i, strings.Repeat("the build of module seven is green and the tests of the parser pass. ", 14))
				history = append(history, session.Item{Kind: session.Said, Message: &model.Message{Role: role, Content: text}})
			}
			r, err := New(Options{Team: &team.Team{Agents: []team.Agent{{Name: "root"}}}, Session: "bench", Dir: dir, UI: silentUI{}, History: history, Yolo: true,
				Hooks: func(string) (*app.Kit, error) {
					return app.Open(app.Options{Dir: dir, Files: []string{write}, State: filepath.Join(dir, "state"), Managed: app.NoManaged, Environ: []string{"HOME=" + dir, "PATH=/usr/bin:/bin"}})
				},
				Model: func(*team.Agent) (model.Model, error) { return instantModel{}, nil },
				Tools: func(*team.Agent) ([]tool.Tool, error) {
					return []tool.Tool{{Definition: model.Definition{Name: "shell"}, Category: "shell", Run: func(context.Context, json.RawMessage) (string, error) { return " M parser.go\n", nil }}}, nil
				},
			})
			if err != nil {
				b.Fatal(err)
			}
			keep := len(r.main.messages)
			for b.Loop() {
				r.main.messages = r.main.messages[:keep]
				if err := r.Prompt(b.Context(), "is it clean?"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
