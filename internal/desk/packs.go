package desk

import (
	"context"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/kit"
	"github.com/spf13/cobra"
)

func packsCommand(env *console.Env) *cobra.Command {
	var files []string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "packs [NAME[/RULE]]", Short: "List the guards that there are, with what each decides here and why",
		Long: `packs lists the packs of guards: whether each is on, what it decides where that is
not the usual, which file says so, and how many rules it has.

With a name it shows the pack's kinds of effects and its rules: what each decides
now, why, commands that it stops and commands that it leaves alone, and how to change
that. With NAME/RULE, the form in which a block names it, it shows one rule with all
its samples. Decisions are worked out by the guards themselves, for an agent that
works in this directory.`,
		Example: `  checkrein packs                    # what there is, and what is on
  checkrein packs git                # its kinds of effects and its rules
  checkrein packs git/push-force     # one rule, as a block names it
  checkrein packs git --json | jq '.packs[0].rules[] | select(.decision == "deny") | .id'`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return completePacks(env), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := open(env, kit.Options{Files: files, Peek: true})
			if err != nil {
				return err
			}
			r, err := reportPacks(cmd.Context(), env, k, strings.Join(args, ""))
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(env, r)
			}
			_, err = fmt.Fprint(env.Stdout, r.text(env))
			return err
		},
	}
	fileFlag(cmd, &files)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, as docs/shell.md describes it")
	return cmd
}

func completePacks(env *console.Env) []string {
	k, err := open(env, kit.Options{Peek: true})
	if err != nil {
		return nil
	}
	return newShelf(context.Background(), env, k).names()
}

// reportPacks looks at all packs, or closer at one, or at one of its rules.
func reportPacks(ctx context.Context, env *console.Env, k *kit.Kit, want string) (*packsReport, error) {
	s := newShelf(ctx, env, k)
	r := &packsReport{Version: 1, On: k.On(), Shadow: k.Guards().Shadow, Notes: guardLines(k), Usual: s.usual(), Packs: []packReport{}, root: k.Root()}
	guards := k.Guards()
	r.above = (&kit.Guards{Shadow: guards.Shadow, Held: guards.Held}).Lines()
	if want == "" {
		for _, name := range s.names() {
			r.Packs = append(r.Packs, s.pack(name))
		}
		return r, nil
	}
	name, rule, one := strings.Cut(want, "/")
	if !s.has(name) {
		return nil, &exit{code: console.Usage, err: fmt.Errorf("unknown pack %q%s", name, hintOr(name, s.names(), "checkrein packs lists them"))}
	}
	p := s.pack(name)
	s.open(&p)
	if one {
		if err := p.narrow(rule); err != nil {
			return nil, &exit{code: console.Usage, err: err}
		}
		r.one = true
	}
	r.Packs = append(r.Packs, p)
	return r, nil
}
