package desk

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/trust"
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

func validateCommand(env *console.Env) *cobra.Command {
	var files []string
	var agent string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "validate", Short: "Check configuration files and say everything that is wrong with them",
		Example: `  checkrein validate                    # all files that count here
  checkrein validate -c agent.yaml      # this file only`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			k, err := open(env, kit.Options{Files: files, Agent: agent})
			if err != nil {
				return err
			}
			return validate(env, k, asJSON)
		},
	}
	fileFlag(cmd, &files)
	cmd.Flags().StringVar(&agent, "agent", "", "which `NAME` of a file that declares several agents")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func fileFlag(cmd *cobra.Command, files *[]string) {
	cmd.Flags().StringArrayVarP(files, "config", "c", nil, "read this `FILE` only; repeatable")
}

// open opens a kit for a command.
func open(env *console.Env, opts kit.Options) (*kit.Kit, error) {
	opts.Files = absolute(env, opts.Files)
	if opts.Dir == "" {
		opts.Dir = env.Dir
	}
	opts.Environ, opts.Now, opts.Managed = env.Environ, env.Now, env.Managed
	opts.Handlers = append(netHandlers(env), opts.Handlers...)
	k, err := kit.Open(opts)
	if err != nil {
		return nil, &exit{code: console.Refused, err: err}
	}
	for _, text := range k.Misread() {
		fmt.Fprintf(env.Stderr, "checkrein: %s\n", trust.VisibleLine(text))
	}
	return k, nil
}

func validate(env *console.Env, k *kit.Kit, asJSON bool) error {
	problems := k.Check()
	if asJSON {
		if err := printReports(env, k, problems); err != nil {
			return err
		}
	} else {
		printProblems(env, k, problems)
	}
	if problems != nil {
		return &exit{code: console.Config, err: errors.New("the configuration is not valid"), quiet: true}
	}
	return nil
}

func printProblems(env *console.Env, k *kit.Kit, problems error) {
	for _, f := range k.Files() {
		for _, w := range f.Warnings {
			fmt.Fprintln(env.Stderr, "warning:", w)
		}
	}
	for _, line := range guardLines(k) {
		fmt.Fprintln(env.Stderr, "note:", line)
	}
	list := flatten(problems)
	for _, p := range list {
		fmt.Fprintln(env.Stderr, "error:", p)
	}
	if len(list) > 0 {
		fmt.Fprintln(env.Stderr, amount(len(list), "problem"))
		return
	}
	hooks := 0
	for _, f := range k.Files() {
		hooks += f.Hooks
	}
	fmt.Fprintf(env.Stdout, "valid: %d hooks in %d files\n", hooks, len(k.Files()))
}

// guardLines says where the default guards are not as they come.
func guardLines(k *kit.Kit) []string {
	guards := k.Guards()
	lines := guards.Lines()
	if k.NotToldOthersOn() {
		lines = append(lines, kit.OthersOn)
	}
	return lines
}

// flatten lists joined errors one by one, each text once: a hook that is wrong
// is found by its file's reader and again by the engine.
func flatten(err error) []string {
	var out []string
	seen := map[string]bool{}
	var walk func(error)
	walk = func(err error) {
		if err == nil {
			return
		}
		if many, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range many.Unwrap() {
				walk(e)
			}
			return
		}
		if s := err.Error(); !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	walk(err)
	return out
}

func printReports(env *console.Env, k *kit.Kit, problems error) error {
	out := struct {
		Valid  bool         `json:"valid"`
		Files  []fileReport `json:"files"`
		Errors []string     `json:"errors,omitempty"`
		Notes  []string     `json:"notes,omitempty"`
	}{Valid: problems == nil, Files: []fileReport{}, Errors: flatten(problems), Notes: guardLines(k)}
	for _, f := range k.Files() {
		r := fileReport{Path: f.Path, Scope: f.Scope.String(), Dialect: f.Dialect, Hooks: f.Hooks, Errors: flatten(f.Err)}
		for _, w := range f.Warnings {
			r.Warnings = append(r.Warnings, w.Error())
		}
		out.Files = append(out.Files, r)
	}
	return json.NewEncoder(env.Stdout).Encode(out)
}
