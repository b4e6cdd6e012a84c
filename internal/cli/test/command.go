// Package test implements the test command, which tries policies on calls and compares what they decide
// with what test files expect.
package test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	"github.com/spf13/cobra"
)

// suffix ends the names of test files.
const suffix = "_test.yaml"

// A command has the flags of the test command.
type command struct {
	env                                              *console.Env
	user, asJSON, watch, update, noSandbox, coverage bool
	junit, pattern, from, out                        string
	match                                            *regexp.Regexp // selects cases by their names; nil = all
}

// Command returns the test command.
func Command(env *console.Env) *cobra.Command {
	c := command{env: env}
	cmd := &cobra.Command{
		Use: "test [FILE | DIR]...", Short: "Try a policy on calls, and compare with what you expect",
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.StringVar(&c.pattern, "run", "", "run only cases whose name matches `REGEXP`")
	f.BoolVar(&c.coverage, "coverage", false, "list hooks, packs and parts of conditions that no case reached")
	f.BoolVar(&c.update, "update", false, "write the policy's decisions into the expectations of the files")
	f.BoolVar(&c.watch, "watch", false, "run again when a test file or its policy changes, until Ctrl-C")
	f.BoolVar(&c.user, "user", false, "also run test files in your configuration directory")
	f.BoolVar(&c.noSandbox, "no-sandbox", false, "run command hooks with your own rights")
	f.BoolVar(&c.asJSON, "json", false, "print JSON")
	f.StringVar(&c.junit, "junit", "", "also write the results to `FILE`, as JUnit XML")
	f.StringVar(&c.from, "from", "", "print a case made from the record with this `ID`: a number, handle or hash")
	f.StringVar(&c.out, "out", "", "with --from, append the case to `FILE`")
	return cmd
}

// run runs the command with the operands args.
func (c *command) run(ctx context.Context, args []string) error {
	switch {
	case c.from != "" && len(args) > 0:
		return errors.New("--from makes a case and runs nothing: leave out the files")
	case c.from != "":
		return c.makeCase(ctx)
	case c.out != "":
		return errors.New("--out belongs to --from")
	case c.watch && c.update:
		return errors.New("--watch and --update cannot be combined")
	}
	if c.pattern != "" {
		var err error
		if c.match, err = regexp.Compile(c.pattern); err != nil {
			return fmt.Errorf("--run: %w", err)
		}
	}
	paths, err := c.find(args)
	if err != nil {
		return err
	}
	if c.watch {
		return c.runAgain(ctx, paths)
	}
	_, err = c.runFiles(ctx, paths)
	return err
}

// skipped are directories in which no test files are looked for.
var skipped = []string{".git", "node_modules", "vendor"}

// find returns the paths of the test files that args name or that are below the directories in args,
// by default below the current one.
func (c *command) find(args []string) (out []string, err error) {
	if len(args) == 0 {
		args = []string{"."}
	}
	if dir := base.Places(c.env).Config; c.user && dir != "" && base.FileExists(dir) {
		args = append(args, dir)
	}
	for _, arg := range args {
		path := c.env.Path(arg)
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			out = append(out, path)
			continue
		}
		err = filepath.WalkDir(path, func(file string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case e.IsDir() && file != path && slices.Contains(skipped, e.Name()):
				return filepath.SkipDir
			case e.Type().IsRegular() && strings.HasSuffix(e.Name(), suffix) && c.isOurs(file):
				out = append(out, file)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no test file (*%s) below %s: to write one, run checkrein init, or checkrein test --from ID --out FILE", suffix, strings.Join(args, ", "))
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// isOurs reports whether a file that was found has cases. Other programs have test files too.
func (c *command) isOurs(path string) bool {
	src, err := os.ReadFile(path)
	if err != nil {
		return true // reading it reports the error
	}
	for name := range yamldoc.TopLevelKeys(src) {
		if name == "cases" {
			return true
		}
	}
	fmt.Fprintf(c.env.Stderr, "%s has no cases, so it is not run\n", base.RelativePath(c.env.Dir, path))
	return false
}

// A fileResult is what became of the cases of a file.
type fileResult struct {
	*testFile
	results []*result
	gaps    []gap
}

// runFiles runs the cases in the files at paths and prints the results. The error sets the exit code.
func (c *command) runFiles(ctx context.Context, paths []string) ([]*fileResult, error) {
	var all []*fileResult
	var policies []*policy
	total := 0
	for _, path := range paths {
		f := &fileResult{testFile: readFile(path)}
		var p *policy
		if len(f.problems) == 0 {
			var err error
			if p, err = openPolicy(c.env, f.testFile, c.noSandbox); err != nil {
				return nil, base.AsFailure(err)
			}
		}
		if c.match != nil {
			f.cases = slices.DeleteFunc(f.cases, func(t *testCase) bool { return !c.match.MatchString(t.label) })
		}
		total += len(f.cases)
		all, policies = append(all, f), append(policies, p)
	}
	if total == 0 && c.match != nil {
		return nil, fmt.Errorf("no case has a name that matches %q", c.pattern)
	}
	progress := base.NewProgress(c.env, "trying cases")
	defer progress.End()
	var done atomic.Int64
	for i, f := range all {
		if len(f.problems) > 0 {
			continue
		}
		f.results = policies[i].tryAll(ctx, f.cases, func() { progress.Set(done.Add(1), int64(total)) })
		if ctx.Err() != nil {
			return nil, &base.Exit{Code: console.Finding, Err: errors.New("interrupted")}
		}
		if c.coverage {
			f.gaps = policies[i].seen.gaps(f.policy)
		}
		if c.update {
			if err := f.update(); err != nil {
				return nil, base.AsFailure(err)
			}
		}
	}
	progress.End()
	return all, c.report(all)
}
