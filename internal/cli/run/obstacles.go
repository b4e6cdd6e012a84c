package run

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/checkrein/checkrein/internal/agent"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/model/catalogue"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/agent/tool"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/problems"
	"github.com/checkrein/checkrein/internal/text/message"
)

// Obstacles lists what would keep run from opening an agent of a team, without starting
// anything.
func Obstacles(env *console.Env, t *team.Team, name string, table *catalogue.Table) []problems.Problem {
	r := &run{env: env, agent: name, file: t.File, team: t, dir: env.Dir, known: table}
	var out []problems.Problem
	if err := r.endpoints(); err != nil {
		out = append(out, problems.Problem{Level: problems.Warning, File: r.file, Message: message.Of(err)})
	}
	opts := r.opening()
	opts.Tools = func(a *team.Agent) ([]tool.Tool, error) {
		return tool.Of(a, tool.Place{Dir: r.dir, Base: filepath.Dir(r.file), Lists: &r.lists})
	}
	for _, err := range base.SplitErrors(agent.Check(opts)) {
		p := problems.Problem{Level: problems.Error, File: r.file, Message: message.Of(err)}
		if at := (*agent.OpenError)(nil); errors.As(err, &at) {
			p.Line, p.Message = at.Agent.Line, message.Of(fmt.Errorf("agents.%s: %w", at.Agent.Name, at.Err))
		}
		if lack := (*model.MachineError)(nil); errors.As(err, &lack) {
			p.Level = problems.Note
		}
		out = append(out, p)
	}
	return out
}
