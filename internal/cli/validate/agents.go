package validate

import (
	"errors"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model/catalogue"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/problems"
	"github.com/checkrein/checkrein/internal/cli/run"
	"github.com/checkrein/checkrein/internal/hook/dialect/dockeragent"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	"github.com/checkrein/checkrein/kit"
)

// withOtherAgents returns k and a kit for each further agent of its agent files: a kit
// has the hooks of one.
func (v *validation) withOtherAgents(k *kit.Kit) ([]*kit.Kit, error) {
	all := []*kit.Kit{k}
	if v.agent != "" {
		return all, nil
	}
	for _, f := range k.Files() {
		if f.Dialect != dockeragent.Dialect.Name {
			continue
		}
		text, err := state.ReadRegular(f.Path, yamldoc.MaxSize)
		if err != nil {
			continue // which k reports
		}
		for _, name := range dockeragent.OtherAgents(text) {
			other, err := base.OpenKit(v.env, kit.Options{Files: []string{f.Path}, Agent: name})
			if err != nil {
				return nil, err
			}
			all = append(all, other)
		}
	}
	return all, nil
}

// checkAll returns everything that is wrong with the hooks of kits.
func checkAll(all []*kit.Kit) error {
	var errs []error
	for _, k := range all {
		errs = append(errs, k.Check())
	}
	return errors.Join(errs...)
}

// hooksOfAll returns the hooks of kits.
func hooksOfAll(all []*kit.Kit) (out []checkrein.Hook) {
	for _, k := range all {
		out = append(out, k.Hooks()...)
	}
	return out
}

// countHooks returns how many hooks kits have from a file.
func countHooks(all []*kit.Kit, file string) (n int) {
	for _, k := range all {
		for _, f := range k.Files() {
			if f.Path == file {
				n += f.Hooks
			}
		}
	}
	return n
}

// refusedByRun lists why checkrein run would refuse the agent files among those that
// were named, beside what is wrong with their hooks. An agent without a model, such as
// convert writes, is a warning, because its hooks work; so is a server that run can be
// allowed to reach. A program or variable that only this machine lacks is a note.
func (v *validation) refusedByRun(k *kit.Kit, table *catalogue.Table) []problems.Problem {
	var out []problems.Problem
	for _, f := range k.Files() {
		if f.Dialect != dockeragent.Dialect.Name || !slices.Contains(base.AbsolutePaths(v.env, v.files), f.Path) {
			continue
		}
		t, err := team.Load(f.Path)
		for _, err := range base.SplitErrors(err) {
			p := problems.Problem{Level: problems.Error, File: f.Path, Message: message.Of(err)}
			if at := (*team.Problem)(nil); errors.As(err, &at) {
				p.Line, p.Message = at.Line, at.Message
				if at.NoModel {
					p.Level = problems.Warning
				}
			}
			if !slices.ContainsFunc(base.SplitErrors(f.Err), func(e error) bool { return problems.New(problems.Error, e).Line == p.Line }) {
				out = append(out, p)
			}
		}
		if err == nil {
			out = append(out, run.Obstacles(v.env, t, v.agent, table)...)
		}
	}
	for i := range out {
		if p := &out[i]; p.Level != problems.Error {
			p.What = "checkrein run refuses this file: " + p.What
		}
	}
	return out
}
