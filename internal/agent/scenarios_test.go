package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/checkreintest"
	"github.com/checkrein/checkrein/internal/agent/model"
)

// The runtime passes the scenarios of the public conformance kit.
func TestScenarios(t *testing.T) {
	t.Parallel()
	checkreintest.TestRuntime(t, func(t *testing.T, s *checkreintest.Session) {
		l := newLab(t)
		l.dir, l.session = s.Dir, s
		l.person = func(q Question) Reply {
			if s.Approve(string(q.Input)) {
				return Reply{Answer: Approve}
			}
			return Reply{}
		}
		l.runs = func(_ string, input json.RawMessage) (string, error) {
			var args struct{ Command string }
			if err := json.Unmarshal(input, &args); err != nil {
				return "", err
			}
			return s.Shell(args.Command)
		}
		_ = l.runPrompt(s.Prompt) // a halted run is an error; Check finds what is wrong
		for _, r := range l.reportsOf(Notice) {
			s.Notify(r.Text)
		}
	})
}

// callSession answers a request from the script of a conformance session.
func callSession(s *checkreintest.Session, req model.Request) model.Answer {
	var sent strings.Builder
	for _, m := range req.Messages {
		sent.WriteString(m.Content + "\n")
	}
	reply := s.Model(sent.String())
	out := model.Answer{Text: reply.Text}
	if reply.Command != "" {
		args, _ := json.Marshal(map[string]string{"command": reply.Command})
		out.ToolCalls = []model.ToolCall{{ID: "call-1", Type: "function", Function: model.Function{Name: "shell", Arguments: string(args)}}}
	}
	return out
}
