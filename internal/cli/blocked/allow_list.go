package blocked

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/explain"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/kit"
)

// listGrants shows the grants that count.
func listGrants(env *console.Env, asJSON bool) error {
	k, err := base.OpenKit(env, kit.Options{Peek: true})
	if err != nil {
		return err
	}
	list, err := k.Grants().List()
	if err != nil {
		return base.Failed(err)
	}
	out, all := report.New(env), []any{}
	t := &term.Table{Columns: []term.Column{{Title: "GRANT"}, {Title: "CALL OR VALUE", Give: 1, Least: 24}, {Title: "GIVEN", Give: 0}, {Title: "USED"}}}
	first := ""
	for i := range list {
		g := &list[i]
		if all = append(all, g); g.Spent() {
			continue
		}
		first = cmp.Or(first, g.ID)
		t.Row([]term.Span{term.T(term.Name, g.ID)}, []term.Span{term.P(g.Shown)}, []term.Span{term.P(out.Ago(g.Made.Wall))}, []term.Span{usedText(g)})
		t.Below(term.P(liftText(g) + ", for " + out.Home(explain.GrantScope(g))))
		t.Below(term.T(term.Faint, strings.TrimSuffix("by "+g.By+": "+g.Why, ": ")))
	}
	files := k.FileGrants()
	if t.Rows()+len(files) == 0 {
		out.Text(0, 2, term.P("no grants. To give one, run "), term.Command("checkrein allow HANDLE"))
	}
	if t.Rows() > 0 {
		out.Table(0, t)
		out.Remedies(0, message.Run("checkrein allow --revoke "+first, "or: --revoke all"))
	}
	for i := range files {
		m := files[i].Message()
		out.Message(term.Plain, "", m)
		all = append(all, &fileGrant{grant.File, &files[i], m.Remedies})
	}
	if spent := len(list) - t.Rows(); spent > 0 {
		out.Text(0, 2, term.T(term.Faint, term.Count(spent, "grant")+" from the last day already used up. To list them too, add --json"))
	}
	return out.Print(env, asJSON, all)
}

// usedText says how often a grant let a call pass.
func usedText(g *grant.Grant) term.Span {
	switch {
	case g.Value != "":
		return term.P("") // outputs are not counted
	case g.Used == 0:
		return term.P("not used")
	case g.Used == 1:
		return term.P("once")
	}
	return term.P(term.Number(g.Used) + " times")
}

// A fileGrant is a grant of a file as JSON has it.
type fileGrant struct {
	Scope grant.Scope `json:"scope"`
	*kit.FileGrant
	Remedies []message.Remedy `json:"remedies,omitempty"`
}

// revokeGrant ends a grant. It only tightens, so that it needs no terminal.
func revokeGrant(env *console.Env, name string) error {
	if err := base.RequirePerson(env, base.ByHand); err != nil {
		return err
	}
	k, err := base.OpenKit(env, kit.Options{Peek: true})
	if err != nil {
		return err
	}
	gone, err := k.Disallow(name, base.PersonName())
	if err != nil {
		return base.Refused(fmt.Errorf("%w. To list the grants, run checkrein allow --list", err))
	}
	s := base.Screen(env, env.Stdout)
	for i := range gone {
		s.Text(0, 2, term.Mark(term.Good), term.P(" revoked "+gone[i].ID+": "), term.Code(term.Plain, gone[i].Shown))
	}
	if len(gone) == 0 {
		s.Line(term.P("there are no grants"))
	}
	return nil
}
