// Package packs implements the packs command, which lists the packs of rules, what they decide, and
// how to change that.
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

// A Report is what packs --json prints.
type Report struct {
	Version int               `json:"version"` // of this format
	On      bool              `json:"on"`      // false = hooks are off, except managed ones
	Shadow  string            `json:"shadow,omitempty"`
	Notes   []message.Message `json:"notes,omitempty"` // how the guards differ from their defaults
	Usual   map[string]string `json:"usual"`           // by key: none, ask or deny
	Packs   []packReport      `json:"packs"`

	one   bool              // the report is about one rule
	above []message.Message // notes that apply to all packs
}

// A packReport describes a pack. It has categories, rules and changes only if the command line names
// the pack.
type packReport struct {
	Name    string            `json:"name"`
	About   string            `json:"about"`
	Kind    string            `json:"kind"` // commands, own, self, texts or knowledge
	On      bool              `json:"on"`
	Why     string            `json:"why,omitempty"`     // why it is off, or partly off
	Decides map[string]string `json:"decides,omitempty"` // by key, where it differs from the default
	Allow   []string          `json:"allow,omitempty"`   // paths that it does not guard
	From    []fileEntry       `json:"from"`              // the entries in files; empty = the pack has its defaults
	Also    string            `json:"also,omitempty"`    // what it does in addition to judging commands
	Rules   int               `json:"rule_count"`

	Categories []Category   `json:"categories,omitempty"`
	List       []ruleReport `json:"rules,omitempty"`
	Change     []packChange `json:"change,omitempty"`
}

// Kinds of packs.
const (
	kindCommands  = "commands"
	kindOwn       = "own"       // declared in a configuration file
	KindSelf      = "self"      // self-protection, which no file switches off
	kindTexts     = "texts"     // not about commands, and on only if a file names it
	kindKnowledge = "knowledge" // recognizes harmless commands, and never decides
)

// A fileEntry is an entry about a pack in a configuration file.
type fileEntry struct {
	Scope   string   `json:"scope"`
	Origin  string   `json:"origin"` // FILE:LINE
	Says    string   `json:"says"`
	Held    []string `json:"held,omitempty"`    // parts that count only after checkrein confirm
	Ignored []string `json:"ignored,omitempty"` // parts that never count
}

// A Category describes a kind of effect.
type Category struct {
	Name     string            `json:"name"`
	Label    string            `json:"label"`    // the usual label
	Radius   string            `json:"radius"`   // the usual impact
	Decision string            `json:"decision"` // the decision for this label and impact
	Decides  map[string]string `json:"decides"`  // the decisions for this label, by impact
	Doc      string            `json:"doc"`
}

// OtherDecisions returns the impacts for which the decision differs from the usual one, each with its
// decision, or "" if there are none.
func (c *Category) OtherDecisions() string {
	var out []string
	for r := shell.ImpactLow; r <= shell.ImpactUnknown; r++ {
		if d := c.Decides[r.String()]; d != c.Decision {
			out = append(out, r.String()+": "+DecisionCell(d))
		}
	}
	return strings.Join(out, ", ")
}

// A ruleReport describes a rule.
type ruleReport struct {
	ID       string       `json:"id"` // PACK/RULE, as blocks name it
	Category string       `json:"category"`
	Label    string       `json:"label"`
	Radius   string       `json:"radius"`
	Decision string       `json:"decision"` // none, ask, deny or "by radius"
	Reason   string       `json:"reason"`
	Match    []packSample `json:"match"`    // commands that match
	NoMatch  []packSample `json:"no_match"` // commands that do not match
	Change   []packChange `json:"change,omitempty"`
}

// A packSample is a command with the decision of all packs about it.
type packSample struct {
	Command  string `json:"command"`
	Decision string `json:"decision"`
	By       string `json:"by,omitempty"` // the deciding PACK/RULE
}

// A packChange is how to change a decision.
type packChange struct {
	Does string `json:"does"`
	Line string `json:"line,omitempty"` // a line of a checkrein.yaml, or a command
	In   string `json:"in,omitempty"`   // the file to change
	How  string `json:"how,omitempty"`  // how to change it; "" = add the line
}

// Narrow removes everything from p but the rule with this id, or the category with this name and its
// rules. It returns an error if the pack has neither.
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
	if one, ok := unlistedRule(p, rule); ok && suggest.Closest(rule, names) == "" {
		p.List, p.Categories = []ruleReport{one}, nil
		return nil
	}
	return p.NoRuleError(rule, names)
}

// NoRuleError returns the error that the pack does not have this rule, with a suggestion from names.
func (p *packReport) NoRuleError(rule string, names []string) error {
	return fmt.Errorf("the pack %s has no rule %q%s", p.Name, rule, suggest.HintOr(rule, names, "to list its rules, run checkrein packs "+p.Name))
}

// Command returns the packs command.
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
			r, err := newReport(cmd.Context(), env, k, strings.Join(args, ""))
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

// newReport returns the report about the pack or PACK/RULE in want, or about all packs if want is "".
func newReport(ctx context.Context, env *console.Env, k *app.Kit, want string) (*Report, error) {
	s := NewCatalog(ctx, env, k)
	r := &Report{Version: 2, On: k.IsOn(), Shadow: k.Guards().Shadow, Notes: GuardMessages(k), Usual: s.defaultDecisions(), Packs: []packReport{}}
	guards := k.Guards()
	r.above = (&app.Guards{Shadow: guards.Shadow, Paused: guards.Paused, Held: guards.Held}).Messages()
	if want == "" {
		for _, name := range s.Names() {
			r.Packs = append(r.Packs, s.ReportPack(name))
		}
		return r, nil
	}
	name, rule, one := strings.Cut(want, "/")
	if !s.Has(name) {
		return nil, &base.Exit{Code: console.Usage, Err: fmt.Errorf("unknown pack %q%s", name, suggest.HintOr(name, s.Names(), "to list the packs, run checkrein packs"))}
	}
	p := s.ReportPack(name)
	s.AddRules(&p)
	if one {
		if err := p.Narrow(rule); err != nil {
			return nil, &base.Exit{Code: console.Usage, Err: err}
		}
		r.one = true
	}
	r.Packs = append(r.Packs, p)
	return r, nil
}
