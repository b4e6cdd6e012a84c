// Package validate holds the commands validate and convert: whether hook files are right, and
// what they become for another system.
package validate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/packs"
	"github.com/checkrein/checkrein/internal/cli/problems"
	"github.com/checkrein/checkrein/internal/hook/dialect/native"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	"github.com/checkrein/checkrein/kit"
	"github.com/spf13/cobra"
)

// fileReport is what validate --json says of a file.
type fileReport struct {
	Path     string   `json:"path"`
	Scope    string   `json:"scope"`
	Dialect  string   `json:"dialect,omitempty"`
	Hooks    int      `json:"hooks"`
	Errors   []string `json:"errors,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// A validation is what validate is asked for.
type validation struct {
	env    *console.Env
	files  []string
	agent  string
	asJSON bool
	strict bool
	host   string // what this agent cannot do is a mistake too
}

func Command(env *console.Env) *cobra.Command {
	v := validation{env: env}
	cmd := &cobra.Command{
		Use: "validate [FILE]...", Short: "Check configuration files and report every error in them",
		Long: `Check configuration files and report every error in them.

Errors are things that cannot be read or can never have an effect, such as a rule whose
conditions cannot be met. Warnings are things that work here but are probably not what
you meant. An agent file that is named must be one that checkrein run accepts: the hooks,
models, tools and permissions of all its agents are checked. What only this machine lacks
for it, such as a program or a variable, is a note.
The exit code is 3 if there are errors, with --strict also if there are warnings.

With --host, it is an error too if a hook wants what that agent cannot do: as proven for
the build on this machine, or else as it comes with checkrein. Each error names the
choices: tighten the hook, drop it, or use another layer.`,
		Example: `  checkrein validate                    # all files that are used here
  checkrein validate checkrein.yaml     # this file only
  checkrein validate .agents/hooks      # the HOOK.md folders in it
  checkrein validate --strict *.yaml    # fail on warnings too
  checkrein validate --host codex       # what Codex CLI cannot do
  checkrein validate - <agent.yaml      # a file on stdin`,
		RunE: func(_ *cobra.Command, args []string) error {
			v.files = append(v.files, args...)
			return v.run()
		},
	}
	base.FileFlag(cmd, &v.files)
	cmd.Flags().StringVar(&v.agent, "agent", "", "the agent's `NAME`, if the file declares several")
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&v.strict, "strict", false, "treat warnings as errors")
	cmd.Flags().StringVar(&v.host, "host", "", "also report what hooks want and this `AGENT` cannot do")
	return cmd
}

func (v *validation) run() error {
	for _, f := range v.files {
		if name, _, _ := strings.Cut(filepath.Base(f), "."); name == "checkrein-policy" {
			return &base.Exit{Code: console.Usage, Err: fmt.Errorf("%s is a policy of scans and has no hooks: to check it, run checkrein scan --policy %s", visible.Line(f), approval.ShellQuote(f))}
		}
	}
	stdin, remove, err := v.fromStdin()
	if err != nil {
		return err
	}
	defer remove()
	k, err := base.OpenKit(v.env, kit.Options{Files: v.files, Agent: v.agent})
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
	if v.host != "" {
		b, err := hostOn(v.env, v.host)
		if err != nil {
			return err
		}
		for _, c := range claimsOf(&b, hooksOfAll(all)) {
			list = append(list, problems.Problem{Level: problems.Error, Check: "host-cannot", File: c.hook.From.File, Line: c.hook.From.Line, Hook: c.hook.Label(), Message: message.New(c.what, message.Do(c.choices))})
		}
		if !v.asJSON {
			fmt.Fprintf(v.env.Stderr, "judged for %s\n", b.basis())
		}
	}
	if v.asJSON {
		err = v.printReports(all, wrong, list)
	} else {
		v.print(all, list, stdin)
	}
	if err == nil && !v.passes(list) {
		err = &base.Exit{Code: console.Config, Err: errors.New("the configuration is not valid"), Quiet: true}
	}
	return err
}

// fromStdin puts what comes on stdin into a file, in place of the name -, and returns
// its name and what removes it.
func (v *validation) fromStdin() (file string, remove func(), err error) {
	at := slices.Index(v.files, "-")
	if at < 0 {
		return "", func() {}, nil
	}
	dir, err := os.MkdirTemp("", "checkrein-validate")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	text, err := io.ReadAll(io.LimitReader(v.env.Stdin, yamldoc.MaxSize+1))
	if err == nil {
		v.files[at] = filepath.Join(dir, "stdin")
		err = os.WriteFile(v.files[at], text, 0o600)
	}
	if err != nil {
		remove()
		return "", nil, err
	}
	return v.files[at], remove, nil
}

// passes reports whether the files are valid, as strictly as is asked for.
func (v *validation) passes(list []problems.Problem) bool {
	return !slices.ContainsFunc(list, func(p problems.Problem) bool {
		return p.Level == problems.Error || v.strict && p.Level == problems.Warning
	})
}

func (v *validation) print(all []*kit.Kit, list []problems.Problem, stdin string) {
	k := all[0]
	show := problems.Printer{Screen: base.Screen(v.env, v.env.Stderr), Dir: v.env.Dir, Stdin: stdin}
	errs, warnings := 0, 0
	for i := range list {
		show.Print(&list[i])
		switch list[i].Level {
		case problems.Error:
			errs++
		case problems.Warning:
			warnings++
		}
	}
	for _, line := range packs.GuardMessages(k) {
		show.Screen.Line(term.T(term.Faint, "note: "), term.P(line.Sentences()))
	}
	besides := ""
	if warnings > 0 {
		besides = ", " + term.Count(warnings, "warning")
	}
	if !v.passes(list) {
		if errs > 0 {
			besides = term.Count(errs, "problem") + besides
		}
		show.Screen.Line(term.T(term.Bad, strings.TrimPrefix(besides, ", ")))
		return
	}
	hooks, ignored := 0, false
	for _, f := range k.Files() {
		hooks += countHooks(all, f.Path)
		ignored = ignored || f.Dialect != native.Dialect.Name && len(f.Warnings) > 0
	}
	count := term.Count(hooks, "hook")
	if hooks == 0 && ignored {
		count = "no hook that runs"
	}
	out := base.Screen(v.env, v.env.Stdout)
	out.Line(term.T(term.Good, "valid"), term.P(": "+count+" in "+term.Count(len(k.Files()), "file")+besides))
	v.printPacks(out, k)
}

// printPacks prints what the packs that files adjust decide now about each kind of
// effect that may lose something.
func (v *validation) printPacks(out *term.Screen, k *kit.Kit) {
	for _, p := range v.packs(k) {
		var rows []string
		for i := range p.Categories {
			if c := &p.Categories[i]; c.Label != shell.Safe.String() {
				rows = append(rows, c.Name+" "+packs.DecisionCell(c.Decision)+packs.Prefix(", ", c.Others()))
			}
		}
		out.Text(2, 4, term.P("pack "), term.T(term.Name, p.Name), term.P(" decides: "+strings.Join(rows, "; ")))
	}
}

// adjustedPack is a pack whose levels a file sets.
type adjustedPack struct {
	Name       string           `json:"name"`
	Categories []packs.Category `json:"categories"`
}

// packs returns the packs whose levels files set.
func (v *validation) packs(k *kit.Kit) (out []adjustedPack) {
	s := packs.NewShelf(context.Background(), v.env, k)
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

func errorTexts(errs []error) []string {
	var out []string
	for _, err := range errs {
		out = append(out, err.Error())
	}
	return out
}

func (v *validation) printReports(all []*kit.Kit, wrong error, list []problems.Problem) error {
	k := all[0]
	out := struct {
		Valid    bool               `json:"valid"`
		Files    []fileReport       `json:"files"`
		Errors   []string           `json:"errors,omitempty"`
		Notes    []message.Message  `json:"notes,omitempty"`
		Problems []problems.Problem `json:"problems"`
		// Packs are those whose levels files set, with what each kind of effect comes to.
		Packs []adjustedPack `json:"packs,omitempty"`
	}{Valid: v.passes(list), Files: []fileReport{}, Errors: errorTexts(base.SplitErrors(wrong)), Notes: packs.GuardMessages(k), Problems: list, Packs: v.packs(k)}
	for _, f := range k.Files() {
		r := fileReport{Path: f.Path, Scope: f.Scope.String(), Dialect: f.Dialect, Hooks: countHooks(all, f.Path), Errors: errorTexts(base.SplitErrors(f.Err))}
		for _, w := range f.Warnings {
			r.Warnings = append(r.Warnings, w.Error())
		}
		out.Files = append(out.Files, r)
	}
	return json.NewEncoder(v.env.Stdout).Encode(out)
}
