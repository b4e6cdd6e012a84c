package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/model/catalogue"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/agent/tool"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/hooks"
	"github.com/checkrein/checkrein/internal/cli/problems"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// checkApprovals ensures, before anything runs, that every hook of the agent file is approved if it
// needs approval, as those of a file from a repository do. At a terminal it asks the user; otherwise
// it returns an error with the commands to run.
func (r *run) checkApprovals(ctx context.Context) error {
	for _, a := range r.team.Agents {
		k, err := r.openKit(a.Name)
		if err != nil {
			return err
		}
		if err := r.fileErrors(k); err != nil {
			return &base.Exit{Code: console.Config, Err: err}
		}
		pending := r.pendingHooks(k)
		if len(pending) == 0 {
			continue
		}
		if !r.isInteractive() {
			return base.AsRefusal(fmt.Errorf("not approved, so the agent does not run: %s of agent %s in %s. Review them with\n  checkrein hooks list -c %[3]s --agent %[2]s\nand approve them with\n  checkrein hooks approve -c %[3]s --agent %[2]s --all",
				countHooksAndServers(pending), a.Name, r.file))
		}
		if err := base.RequirePerson(r.env, base.ByHandOrLeft); err != nil { // an agent can fake a terminal
			return err
		}
		if err := r.askApproval(ctx, k, a.Name, pending); err != nil {
			return err
		}
	}
	return nil
}

// countHooksAndServers returns how many of pending are hooks and how many are MCP servers, in words.
func countHooksAndServers(pending []*checkrein.Hook) string {
	servers := 0
	for _, h := range pending {
		if base.IsServer(h) {
			servers++
		}
	}
	var parts []string
	if hooks := len(pending) - servers; hooks > 0 {
		parts = append(parts, base.Amount(hooks, "hook"))
	}
	if servers > 0 {
		parts = append(parts, base.Amount(servers, "MCP server"))
	}
	return strings.Join(parts, " and ")
}

// fileErrors returns the errors in the agent file's hooks. They keep the agent from running, because a
// hook that cannot be read may be a gate.
func (r *run) fileErrors(k *app.Kit) error {
	var errs []error
	for _, err := range base.SplitErrors(k.Check()) {
		if problems.New(problems.Error, err).File == r.file {
			errs = append(errs, errors.New(visible.EscapeLine(err.Error())))
		}
	}
	return errors.Join(errs...)
}

// pendingHooks returns the hooks of the agent file that need approval and are not approved.
func (r *run) pendingHooks(k *app.Kit) []*checkrein.Hook {
	var out []*checkrein.Hook
	hooks := k.Hooks()
	for i := range hooks {
		h := &hooks[i]
		if h.Broken != "" || h.From.File != r.file || !k.NeedsApproval(h) {
			continue
		}
		if state, _ := k.Approval(h); state != engine.Approved {
			out = append(out, h)
		}
	}
	return out
}

// askApproval shows the pending hooks, and approves them if the user agrees. It returns an error if
// one of them stays unapproved, since that hook would not guard the agent.
func (r *run) askApproval(ctx context.Context, k *app.Kit, agent string, pending []*checkrein.Hook) error {
	want := map[hooks.HookKey]bool{}
	for _, h := range pending {
		want[hooks.KeyOf(k, h)] = true
	}
	a := hooks.Approver{Env: r.env, Kit: k}
	if err := a.Review(func(h *checkrein.Hook) bool { return want[hooks.KeyOf(k, h)] }); err != nil {
		return base.AsRefusal(err)
	}
	why := "came with a repository"
	if !r.isFromRepository() {
		why = "runs files in this project"
	}
	fmt.Fprintf(r.env.Stderr, "%s %s, and %s of agent %s would run:\n", visible.EscapeLine(r.file), why, countHooksAndServers(pending), visible.EscapeLine(agent))
	a.Show(r.env.Stderr)
	ask := func(question string) bool {
		fmt.Fprint(r.env.Stderr, question+" (y/n) ")
		answer := strings.ToLower(strings.TrimSpace(base.ReadLine(base.Interruptible(r.env.Stdin, ctx.Done()))))
		return answer == "y" || answer == "yes"
	}
	if err := a.UnapprovedError(len(a.Items)); err != nil && len(a.Unsure()) == 0 {
		return base.AsRefusal(err)
	}
	if !a.Ask(ask, "Let them run, "+a.ShownAs("exactly as they are now")+"?") || len(a.Also) < len(a.Unsure()) {
		return base.AsRefusal(errors.New("nothing was run"))
	}
	if _, err := a.Approve(); err != nil {
		return base.AsRefusal(err)
	}
	return nil
}

// Obstacles returns what would keep run from running the agent called name in t. It starts nothing.
func Obstacles(env *console.Env, t *team.Team, name string, table *catalogue.Table) []problems.Problem {
	r := &run{env: env, agent: name, file: t.File, team: t, dir: env.Dir, models: table}
	var out []problems.Problem
	if err := r.checkEndpoints(); err != nil {
		out = append(out, problems.Problem{Level: problems.Warning, File: r.file, Message: message.FromError(err)})
	}
	opts := r.baseOptions()
	opts.Tools = func(a *team.Agent) ([]tool.Tool, error) {
		return tool.ToolsOf(a, tool.Place{Dir: r.dir, Base: filepath.Dir(r.file), Lists: &r.lists})
	}
	for _, err := range base.SplitErrors(agent.CheckAgents(opts)) {
		p := problems.Problem{Level: problems.Error, File: r.file, Message: message.FromError(err)}
		if at := (*agent.OpenError)(nil); errors.As(err, &at) {
			p.Line, p.Message = at.Agent.Line, message.FromError(fmt.Errorf("agents.%s: %w", at.Agent.Name, at.Err))
		}
		if lack := (*model.MachineError)(nil); errors.As(err, &lack) {
			p.Level = problems.Note
		}
		out = append(out, p)
	}
	return out
}
