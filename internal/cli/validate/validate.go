// Package validate holds the commands validate and convert, which check hook files and convert them to
// another system's format.
package validate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/agent/model/catalogue"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/packs"
	"github.com/checkrein/checkrein/internal/cli/problems"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/cli/run"
	"github.com/checkrein/checkrein/internal/hook/dialect/dockeragent"
	"github.com/checkrein/checkrein/internal/hook/dialect/native"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	"github.com/spf13/cobra"
)

// A result is what validate --json prints.
type result struct {
	Valid    bool               `json:"valid"`
	Files    []fileReport       `json:"files"`
	Errors   []string           `json:"errors,omitempty"`
	Notes    []message.Message  `json:"notes,omitempty"`
	Problems []problems.Problem `json:"problems"`
	// Packs are the packs that files adjust, with their decisions about each kind of effect.
	Packs []adjustedPack `json:"packs,omitempty"`
}

// A fileReport describes a file in a result.
type fileReport struct {
	Path     string   `json:"path"`
	Scope    string   `json:"scope"`
	Dialect  string   `json:"dialect,omitempty"`
	Hooks    int      `json:"hooks"`
	Errors   []string `json:"errors,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// A validation has the flags of the validate command.
type validation struct {
	env    *console.Env
	files  []string
	agent  string
	asJSON bool
	strict bool
}

// Command returns the validate command.
func Command(env *console.Env) *cobra.Command {
	v := validation{env: env}
	cmd := &cobra.Command{
		Use: "validate [FILE]...", Short: "Check configuration files and report every error in them",
		RunE: func(_ *cobra.Command, args []string) error {
			v.files = append(v.files, args...)
			return v.run()
		},
	}
	base.FileFlag(cmd, &v.files)
	cmd.Flags().StringVar(&v.agent, "agent", "", "the agent's `NAME`, if the file declares several")
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&v.strict, "strict", false, "treat warnings as errors")
	return cmd
}

// run validates the files and prints the result. It returns an error that sets the exit code if they
// are not valid.
func (v *validation) run() error {
	for _, f := range v.files {
		if name, _, _ := strings.Cut(filepath.Base(f), "."); name == "checkrein-policy" {
			return &base.Exit{Code: console.Usage, Err: fmt.Errorf("%s is a policy for scans and has no hooks: to check it, run checkrein scan --policy %s", visible.EscapeLine(f), approval.ShellQuote(f))}
		}
	}
	k, err := base.OpenKit(v.env, app.Options{Files: v.files, Agent: v.agent})
	if err != nil {
		return err
	}
	all, err := v.withOtherAgents(k)
	if err != nil {
		return err
	}
	wrong := checkAll(all)
	table, badTable := base.LoadModels(v.env)
	if len(v.files) == 0 {
		wrong = errors.Join(wrong, badTable)
	}
	list := append(problems.Find(v.env, all, wrong), v.refusedByRun(k, table)...)
	r := v.newResult(all, wrong, list)
	if !v.asJSON {
		v.printProblems(r)
	}
	err = r.report(v.env).Print(v.env, v.asJSON, r)
	if err == nil && !r.Valid {
		err = &base.Exit{Code: console.Config, Err: errors.New("the configuration is not valid"), Quiet: true}
	}
	return err
}

// printProblems prints the problems, and their number if the files are not valid.
func (v *validation) printProblems(r *result) {
	show := problems.Printer{Screen: base.Screen(v.env, v.env.Stderr), Dir: v.env.Dir}
	for i := range r.Problems {
		show.Print(&r.Problems[i])
	}
	for _, line := range r.Notes {
		show.Screen.Line(term.T(term.Faint, "note: "), term.P(line.Sentences()))
	}
	if !r.Valid {
		show.Screen.Line(term.T(term.Bad, strings.Join(r.counts(), ", ")))
	}
}

// counts returns the number of errors and the number of warnings in words, without those that are 0.
func (r *result) counts() (out []string) {
	n := map[string]int{}
	for i := range r.Problems {
		n[r.Problems[i].Level]++
	}
	if n[problems.Error] > 0 {
		out = append(out, term.FormatCount(n[problems.Error], "problem"))
	}
	if n[problems.Warning] > 0 {
		out = append(out, term.FormatCount(n[problems.Warning], "warning"))
	}
	return out
}

// report returns what valid files contain, and what the packs that they adjust decide about effects
// that are not safe. It is empty if the files are not valid.
func (r *result) report(env *console.Env) *report.Report {
	out := report.New(env)
	if !r.Valid {
		return out
	}
	if len(r.Files) == 0 {
		out.Line(term.T(term.Good, "valid"), term.P(": no file with hooks applies here. To check another: "), term.Command("checkrein validate FILE"))
		return out
	}
	hooks, ignored := 0, false
	for i := range r.Files {
		f := &r.Files[i]
		hooks += f.Hooks
		ignored = ignored || f.Dialect != native.Dialect.Name && len(f.Warnings) > 0
	}
	count := term.FormatCount(hooks, "hook")
	if hooks == 0 && ignored {
		count = "no hook that runs"
	}
	all := append([]string{count + " in " + term.FormatCount(len(r.Files), "file")}, r.counts()...)
	out.Line(term.T(term.Good, "valid"), term.P(": "+strings.Join(all, ", ")))
	for _, p := range r.Packs {
		var rows []string
		for i := range p.Categories {
			if c := &p.Categories[i]; c.Label != shell.Safe.String() {
				rows = append(rows, c.Name+" "+packs.DecisionCell(c.Decision)+packs.PrefixNonEmpty(", ", c.OtherDecisions()))
			}
		}
		out.Text(2, 4, term.P("pack "), term.T(term.Name, p.Name), term.P(" decides: "+strings.Join(rows, "; ")))
	}
	return out
}

// An adjustedPack is a pack whose decisions a file changes.
type adjustedPack struct {
	Name       string           `json:"name"`
	Categories []packs.Category `json:"categories"`
}

// adjustedPacks returns the packs whose decisions the files of k change.
func (v *validation) adjustedPacks(k *app.Kit) (out []adjustedPack) {
	s := packs.NewCatalog(context.Background(), v.env, k)
	for i := range s.Settings {
		say := &s.Settings[i]
		_, known := shell.PackNamed(say.Name)
		has := slices.ContainsFunc(out, func(p adjustedPack) bool { return p.Name == say.Name })
		if known && !has && !say.Off && len(say.By) > 0 {
			out = append(out, adjustedPack{Name: say.Name, Categories: s.Categories(say.Name)})
		}
	}
	return out
}

// errorTexts returns the text of each error.
func errorTexts(errs []error) []string {
	var out []string
	for _, err := range errs {
		out = append(out, err.Error())
	}
	return out
}

// newResult returns the result of a validation that found wrong and list in the files of all. With
// --strict, warnings make it invalid.
func (v *validation) newResult(all []*app.Kit, wrong error, list []problems.Problem) *result {
	k := all[0]
	out := &result{Files: []fileReport{}, Errors: errorTexts(base.SplitErrors(wrong)), Notes: packs.GuardMessages(k), Problems: list, Packs: v.adjustedPacks(k)}
	out.Valid = !slices.ContainsFunc(list, func(p problems.Problem) bool {
		return p.Level == problems.Error || v.strict && p.Level == problems.Warning
	})
	for _, f := range k.Files() {
		out.Files = append(out.Files, fileReport{f.Path, f.Scope.String(), f.Dialect, countHooks(all, f.Path), errorTexts(base.SplitErrors(f.Err)), errorTexts(f.Warnings)})
	}
	return out
}

// withOtherAgents returns k and one kit for each other agent in its agent files, since a kit has the
// hooks of one agent only.
func (v *validation) withOtherAgents(k *app.Kit) ([]*app.Kit, error) {
	all := []*app.Kit{k}
	if v.agent != "" {
		return all, nil
	}
	for _, f := range k.Files() {
		if f.Dialect != dockeragent.Dialect.Name {
			continue
		}
		text, err := state.ReadRegular(f.Path, yamldoc.MaxSize)
		if err != nil {
			continue // k.Check reports the error
		}
		for _, name := range dockeragent.OtherAgents(text) {
			other, err := base.OpenKit(v.env, app.Options{Files: []string{f.Path}, Agent: name})
			if err != nil {
				return nil, err
			}
			all = append(all, other)
		}
	}
	return all, nil
}

// checkAll returns the joined errors of all kits.
func checkAll(all []*app.Kit) error {
	var errs []error
	for _, k := range all {
		errs = append(errs, k.Check())
	}
	return errors.Join(errs...)
}

// countHooks returns how many hooks of file the kits have.
func countHooks(all []*app.Kit, file string) (n int) {
	for _, k := range all {
		for _, f := range k.Files() {
			if f.Path == file {
				n += f.Hooks
			}
		}
	}
	return n
}

// refusedByRun returns why checkrein run would refuse the named agent files, apart from errors in
// their hooks. An agent without a model, as convert writes it, is only a warning, because its hooks
// work. So is a server that --allow-endpoint could allow. A program or variable that only this machine
// lacks is a note.
func (v *validation) refusedByRun(k *app.Kit, table *catalogue.Table) []problems.Problem {
	var out []problems.Problem
	for _, f := range k.Files() {
		if f.Dialect != dockeragent.Dialect.Name || !slices.Contains(base.AbsolutePaths(v.env, v.files), f.Path) {
			continue
		}
		t, err := team.Load(f.Path)
		for _, err := range base.SplitErrors(err) {
			p := problems.Problem{Level: problems.Error, File: f.Path, Message: message.FromError(err)}
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
