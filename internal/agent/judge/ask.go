package judge

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/model/catalogue"
)

// AskModels returns an Ask that calls the same models as the runtime. getenv returns their keys. table
// returns their endpoints and prices, and is first called with the first question. Hooks do not run on
// these calls, since they run only in the runtime's own loop.
func AskModels(getenv func(string) string, table func() (*catalogue.Table, error)) Ask {
	scripts := &model.Scripts{}
	return func(ctx context.Context, q Question) (Reply, error) {
		prices, err := table()
		if err != nil {
			return Reply{}, err
		}
		m, err := model.New(model.Config{Ref: q.Model, Dir: q.Dir, Agent: "judge", Guards: true, Getenv: getenv, Scripts: scripts, Known: prices})
		if err != nil {
			return Reply{}, err
		}
		messages := []model.Message{{Role: model.System, Content: q.System}, {Role: model.User, Content: q.Prompt}}
		a, err := m.Call(ctx, model.Request{Messages: messages, Schema: q.Schema}, nil)
		reply := Reply{Text: a.Text, Usage: a.Usage, Cost: a.Cost}
		if err == nil && len(a.ToolCalls) > 0 {
			names := make([]string, len(a.ToolCalls))
			for i, c := range a.ToolCalls {
				names[i] = c.Function.Name
			}
			err = errors.New("it calls tools instead of answering: " + strings.Join(names, ", "))
		}
		switch {
		case err != nil:
		case a.Refused:
			err = errors.New("it refuses to answer: use another model, or change the prompt")
		case a.Doubt != "":
			err = fmt.Errorf("%s, so its reply may be the opposite of what it meant: raise max_tokens, or use another model", a.Doubt)
		}
		return reply, err
	}
}
