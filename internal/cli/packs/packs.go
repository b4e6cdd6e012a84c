// Package packs is the command packs: the packs of rules, what they decide and how to
// change that.
package packs

import (
	"context"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/kit"
	"github.com/spf13/cobra"
)

func Command(env *console.Env) *cobra.Command {
	var files []string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "packs [NAME[/RULE]]", Short: "List all guards, with what each decides here and why",
		Long: `packs lists the guard packs: whether each is on, where its decisions differ from the
default, which file says so, and how many rules it has.

With a NAME, it shows the pack's kinds of effects and its rules: what each decides now
and why, which commands it stops and which it leaves alone, and how to change that.
With NAME/RULE, as shown in a block, it shows one rule with all its samples. The
decisions are computed by the guards themselves, for an agent in this directory.`,
		Example: `  checkrein packs                    # all packs, and which are on
  checkrein packs git                # the pack's kinds of effects and rules
  checkrein packs git/push-force     # one rule, as shown in a block
  checkrein packs git --json | jq '.packs[0].rules[] | select(.decision == "deny") | .id'`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return completePacks(env), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := base.OpenKit(env, kit.Options{Files: files, Peek: true})
			if err != nil {
				return err
			}
			r, err := reportPacks(cmd.Context(), env, k, strings.Join(args, ""))
			if err != nil {
				return err
			}
			return r.report(env, k.Root()).Print(env, asJSON, r)
		},
	}
	base.FileFlag(cmd, &files)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, in the format described in 'checkrein docs shell'")
	return cmd
}

func completePacks(env *console.Env) []string {
	k, err := base.OpenKit(env, kit.Options{Peek: true})
	if err != nil {
		return nil
	}
	return NewShelf(context.Background(), env, k).Names()
}

// reportPacks looks at all packs, or closer at one, or at one of its rules.
func reportPacks(ctx context.Context, env *console.Env, k *kit.Kit, want string) (*Report, error) {
	s := NewShelf(ctx, env, k)
	r := &Report{Version: 2, On: k.On(), Shadow: k.Guards().Shadow, Notes: GuardMessages(k), Usual: s.usual(), Packs: []packReport{}}
	guards := k.Guards()
	r.above = (&kit.Guards{Shadow: guards.Shadow, Paused: guards.Paused, Held: guards.Held}).Messages()
	if want == "" {
		for _, name := range s.Names() {
			r.Packs = append(r.Packs, s.Pack(name))
		}
		return r, nil
	}
	name, rule, one := strings.Cut(want, "/")
	if !s.Has(name) {
		return nil, &base.Exit{Code: console.Usage, Err: fmt.Errorf("unknown pack %q%s", name, base.HintOr(name, s.Names(), "to list the packs, run checkrein packs"))}
	}
	p := s.Pack(name)
	s.Open(&p)
	if one {
		if err := p.Narrow(rule); err != nil {
			return nil, &base.Exit{Code: console.Usage, Err: err}
		}
		r.one = true
	}
	r.Packs = append(r.Packs, p)
	return r, nil
}
