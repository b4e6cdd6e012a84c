package repo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/scan"
	findings "github.com/checkrein/checkrein/internal/scan/report"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// prFlags holds the flags of the pr-check command.
type prFlags struct {
	title, body, policy, format string
	asJSON                      bool
}

// PRCheckCommand returns the pr-check command.
func PRCheckCommand(env *console.Env) *cobra.Command {
	var f prFlags
	cmd := &cobra.Command{
		Use: "pr-check", Short: "Scan a pull request's title and body before you open it",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runPRCheck(cmd.Context(), env, &f, cmd.Flags().Changed("title"))
		},
	}
	cmd.Flags().StringVar(&f.title, "title", "", "the `TEXT` of the title")
	cmd.Flags().StringVar(&f.body, "body-file", "", "the `FILE` with the body; - is stdin")
	cmd.Flags().StringVar(&f.policy, "policy", "pr-draft", "a policy `FILE`, or "+policyNames())
	cmd.Flags().StringVar(&f.format, "format", "human", "print in this `FORMAT`: "+strings.Join(findings.Formats, ", "))
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

// runPRCheck scans the title and the body of a pull request, and prints the findings. titled means
// that --title is given.
func runPRCheck(ctx context.Context, env *console.Env, f *prFlags, titled bool) error {
	if !titled && f.body == "" {
		return errors.New("there is nothing to check: give --title, --body-file, or both")
	}
	p, err := loadPolicy(env, f.policy)
	if err != nil {
		return err
	}
	if f.asJSON {
		f.format = "json"
	}
	rep, err := findings.New(env.Stdout, f.format, findings.Options{Version: build.Version, Policy: p.Name})
	if err != nil {
		return err
	}
	empty := true
	source := func(yield func(scan.Item, scan.Content) error) error {
		part := func(name string, r io.Reader) error {
			return yield(scan.Item{Shown: name}, scan.Content{Reader: &emptyChecker{r, &empty}})
		}
		if titled {
			if err := part("title", strings.NewReader(f.title)); err != nil {
				return err
			}
		}
		if f.body == "" {
			return nil
		}
		body, err := openBody(env, f.body)
		if err != nil {
			return err
		}
		defer body.Close()
		return part("body", body)
	}
	scan := scan.Scan{Policy: p, Report: rep.Add}
	totals, err := scan.Run(ctx, source)
	if endErr := rep.End(&totals); err == nil {
		err = endErr
	}
	switch {
	case err != nil:
		return errors.New(visible.EscapeText(err.Error()))
	case totals.Binary > 0:
		return &base.Exit{Code: console.Finding, Err: errors.New("the body is not text, so it was not checked")}
	case rep.Counts.Block > 0:
		return &base.Exit{Code: console.Finding, Err: errors.New("the policy blocks this title or body"), Quiet: true}
	case empty:
		fmt.Fprintln(env.Stderr, "checkrein: the title and the body are empty, so nothing was checked")
	}
	return nil
}

// openBody opens the file name, which has the body; "-" is standard input.
func openBody(env *console.Env, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(base.Stdin(env)), nil
	}
	return os.Open(env.Path(name))
}

// An emptyChecker is a reader that clears a flag once it has read something.
type emptyChecker struct {
	io.Reader
	empty *bool
}

// Read reads from the underlying reader, and sets *empty to false if it read something.
func (n *emptyChecker) Read(b []byte) (int, error) {
	k, err := n.Reader.Read(b)
	*n.empty = *n.empty && k == 0
	return k, err
}
