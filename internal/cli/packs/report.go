// Package packs is the command packs: the packs of rules, what they decide and how to
// change that.
package packs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/spf13/cobra"
)

// Report is what packs --json prints.
type Report struct {
	Version int               `json:"version"` // of this form
	On      bool              `json:"on"`      // false = hooks are switched off, managed ones excepted
	Shadow  string            `json:"shadow,omitempty"`
	Notes   []message.Message `json:"notes,omitempty"` // where the guards are not as they come, in words
	Usual   map[string]string `json:"usual"`           // by key: none, ask or deny
	Packs   []packReport      `json:"packs"`

	one   bool              // one rule was asked for
	above []message.Message // notes that are about all packs
}

// packReport is a pack. Categories, rules and changes are there when a pack was
// asked for by name.
type packReport struct {
	Name    string            `json:"name"`
	About   string            `json:"about"`
	Kind    string            `json:"kind"` // commands, own, self, texts or knowledge
	On      bool              `json:"on"`
	Why     string            `json:"why,omitempty"`     // it is not on, or not wholly
	Decides map[string]string `json:"decides,omitempty"` // by key, where it is not the usual
	Allow   []string          `json:"allow,omitempty"`   // paths that it does not guard
	From    []packSaid        `json:"from"`              // what files say of it; none = it is as it comes
	Also    string            `json:"also,omitempty"`    // what it does beside judging commands
	Rules   int               `json:"rule_count"`

	Categories []Category   `json:"categories,omitempty"`
	List       []ruleReport `json:"rules,omitempty"`
	Change     []packChange `json:"change,omitempty"`
}

// The kinds of packs.
const (
	kindCommands  = "commands"
	kindOwn       = "own"       // a person's own
	KindSelf      = "self"      // self-protection, which no file switches off
	kindTexts     = "texts"     // not about commands, and on only where a file names it
	kindKnowledge = "knowledge" // knows what loses nothing, and never decides
)

// packSaid is what a file says of a pack.
type packSaid struct {
	Scope   string   `json:"scope"`
	Origin  string   `json:"origin"` // FILE:LINE
	Says    string   `json:"says"`
	Held    []string `json:"held,omitempty"`    // what of it waits for checkrein confirm
	Ignored []string `json:"ignored,omitempty"` // what of it does not count
}

// Category is a kind of effect.
type Category struct {
	Name     string            `json:"name"`
	Label    string            `json:"label"`    // the usual one
	Radius   string            `json:"radius"`   // likewise
	Decision string            `json:"decision"` // for this label and radius
	Decides  map[string]string `json:"decides"`  // for this label, by radius
	Doc      string            `json:"doc"`
}

// Others lists the radii for which something else is decided than usually, "" = none.
func (c *Category) Others() string {
	var out []string
	for r := shell.ImpactLow; r <= shell.ImpactUnknown; r++ {
		if d := c.Decides[r.String()]; d != c.Decision {
			out = append(out, r.String()+": "+DecisionCell(d))
		}
	}
	return strings.Join(out, ", ")
}

// ruleReport is a rule.
type ruleReport struct {
	ID       string       `json:"id"` // PACK/RULE, as blocks name it
	Category string       `json:"category"`
	Label    string       `json:"label"`
	Radius   string       `json:"radius"`
	Decision string       `json:"decision"` // none, ask, deny or "by radius"
	Reason   string       `json:"reason"`
	Match    []packSample `json:"match"`    // commands for which it holds
	NoMatch  []packSample `json:"no_match"` // commands for which it does not
	Change   []packChange `json:"change,omitempty"`
}

// packSample is a command, with what all packs together decide about it here.
type packSample struct {
	Command  string `json:"command"`
	Decision string `json:"decision"`
	By       string `json:"by,omitempty"` // PACK/RULE that decides
}

// packChange is how to have another decision.
type packChange struct {
	Does string `json:"does"`
	Line string `json:"line,omitempty"` // of a checkrein.yaml, or a command
	In   string `json:"in,omitempty"`   // the file
	How  string `json:"how,omitempty"`  // where the file has something of it already
}

// Narrow leaves one rule of a pack, or one category with the rules that come to it.
func (p *packReport) Narrow(rule string) error {
	id := p.Name + "/" + rule
	var names []string
	for i := range p.List {
		if p.List[i].ID == id {
			p.List = p.List[i : i+1]
			p.Categories = slices.DeleteFunc(p.Categories, func(c Category) bool { return c.Name != p.List[0].Category })
			return nil
		}
		names = append(names, strings.TrimPrefix(p.List[i].ID, p.Name+"/"))
	}
	for _, c := range p.Categories {
		if c.Name == rule {
			p.Categories = []Category{c}
			p.List = slices.DeleteFunc(p.List, func(r ruleReport) bool { return r.Category != rule })
			return nil
		}
		names = append(names, c.Name)
	}
	if one, ok := unlisted(p, rule); ok && suggest.Closest(rule, names) == "" {
		p.List, p.Categories = []ruleReport{one}, nil
		return nil
	}
	return p.NoRule(rule, names)
}

// NoRule returns the error for a rule that is none of the pack's.
func (p *packReport) NoRule(rule string, names []string) error {
	return fmt.Errorf("the pack %s has no rule %q%s", p.Name, rule, suggest.HintOr(rule, names, "to list its rules, run checkrein packs "+p.Name))
}

func Command(env *console.Env) *cobra.Command {
	var files []string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "packs [NAME[/RULE]]", Short: "List all guards, with what each decides here and why",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := base.OpenKit(env, app.Options{Files: files, ReadOnly: true})
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

// reportPacks looks at all packs, or closer at one, or at one of its rules.
func reportPacks(ctx context.Context, env *console.Env, k *app.Kit, want string) (*Report, error) {
	s := NewShelf(ctx, env, k)
	r := &Report{Version: 2, On: k.On(), Shadow: k.Guards().Shadow, Notes: GuardMessages(k), Usual: s.usual(), Packs: []packReport{}}
	guards := k.Guards()
	r.above = (&app.Guards{Shadow: guards.Shadow, Paused: guards.Paused, Held: guards.Held}).Messages()
	if want == "" {
		for _, name := range s.Names() {
			r.Packs = append(r.Packs, s.Pack(name))
		}
		return r, nil
	}
	name, rule, one := strings.Cut(want, "/")
	if !s.Has(name) {
		return nil, &base.Exit{Code: console.Usage, Err: fmt.Errorf("unknown pack %q%s", name, suggest.HintOr(name, s.Names(), "to list the packs, run checkrein packs"))}
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
