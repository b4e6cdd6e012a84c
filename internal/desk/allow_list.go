package desk

import (
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/grant"
	"github.com/checkrein/checkrein/internal/trust"
	"github.com/checkrein/checkrein/kit"
)

// listGrants shows the grants that count.
func listGrants(env *console.Env, asJSON bool) error {
	k, err := open(env, kit.Options{Peek: true})
	if err != nil {
		return err
	}
	list, err := k.Grants().List()
	if err != nil {
		return failed(err)
	}
	files := k.FileGrants()
	if asJSON {
		all := []any{}
		for i := range list {
			all = append(all, &list[i])
		}
		for i := range files {
			all = append(all, &fileGrant{grant.File, &files[i]})
		}
		return printJSON(env, all)
	}
	if len(list)+len(files) == 0 {
		fmt.Fprintln(env.Stdout, "no grants: checkrein allow HANDLE makes one")
	}
	for i := range list {
		g := &list[i]
		state := fmt.Sprintf("used %d times", g.Used)
		switch {
		case g.Spent():
			state = "used up"
		case g.Used == 0:
			state = "not used"
		case g.Used == 1:
			state = "used once"
		}
		fmt.Fprintf(env.Stdout, "%-4s %s\n     lifts %s, for %s; %s\n", g.ID, cut(trust.VisibleLine(g.Shown), 74), strings.Join(names(g.Lifts), ", "), reach(g), state)
		fmt.Fprintf(env.Stdout, "     given %s by %s", g.Made.Wall.Local().Format("Jan 2 15:04"), trust.VisibleLine(g.By))
		if g.Why != "" {
			fmt.Fprintf(env.Stdout, ": %s", trust.VisibleLine(g.Why))
		}
		fmt.Fprintln(env.Stdout)
	}
	for i := range files {
		fmt.Fprintln(env.Stdout, trust.VisibleLine(files[i].Line()))
	}
	return nil
}

// A fileGrant is a grant of a file as JSON has it.
type fileGrant struct {
	Scope grant.Scope `json:"scope"`
	*kit.FileGrant
}

// revokeGrant ends a grant. It only tightens, so that it needs no terminal.
func revokeGrant(env *console.Env, name string) error {
	if err := byPerson(env, byHand); err != nil {
		return err
	}
	k, err := open(env, kit.Options{Peek: true})
	if err != nil {
		return err
	}
	gone, err := k.Disallow(name, whoGrants())
	if err != nil {
		return refused(fmt.Errorf("%w: checkrein allow --list shows the grants", err))
	}
	for i := range gone {
		fmt.Fprintf(env.Stdout, "revoked %s: %s\n", gone[i].ID, trust.VisibleLine(gone[i].Shown))
	}
	if len(gone) == 0 {
		fmt.Fprintln(env.Stdout, "there are no grants")
	}
	return nil
}
