package blocked

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/sys/snapshot"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/spf13/cobra"
)

// shots is what the commands about snapshots share.
type shots struct {
	env     *console.Env
	session string
	force   bool
	asJSON  bool
}

func UndoCommand(env *console.Env) *cobra.Command {
	s := &shots{env: env}
	root := &cobra.Command{
		Use: "undo", Short: "Undo what agents changed, turn by turn",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.undo(cmd.Context(), -1) },
	}
	root.Flags().BoolVar(&s.force, "force", false, forceUsage)
	s.add(root, false)
	return root
}

// SnapshotsCommand is undo under its former name.
func SnapshotsCommand(env *console.Env) *cobra.Command {
	root := &cobra.Command{
		Use: "snapshots", Short: "Undo what agents changed, turn by turn", Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	(&shots{env: env}).add(root, true)
	return root
}

const forceUsage = "also restore files that have changed since the step"

// add adds the commands about steps to root, with one that undoes the latest.
func (s *shots) add(root *cobra.Command, withUndo bool) {
	root.PersistentFlags().StringVar(&s.session, "session", "", "only changes made by the session `ID`")
	list := &cobra.Command{
		Use: "list", Short: "List the steps and their files, newest last", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.list(cmd.Context()) },
	}
	list.Flags().BoolVar(&s.asJSON, "json", false, "print JSON")
	undo := &cobra.Command{
		Use: "undo", Short: "Restore the files that the latest step changed", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.undo(cmd.Context(), -1) },
	}
	reset := &cobra.Command{
		Use: "reset [N]", Short: "Undo all steps but the first N (without N: all steps)", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			keep := 0
			if len(args) == 1 {
				n, err := strconv.Atoi(args[0])
				if err != nil || n < 0 {
					return fmt.Errorf("%q is not a number of steps", args[0])
				}
				keep = n
			}
			return s.undo(cmd.Context(), keep)
		},
	}
	for _, c := range []*cobra.Command{undo, reset} {
		c.Flags().BoolVar(&s.force, "force", false, forceUsage)
	}
	if root.AddCommand(list, reset); withUndo {
		root.AddCommand(undo)
	}
}

func (s *shots) open(ctx context.Context) (*snapshot.Shadow, error) {
	dir, err := base.StateDir(s.env)
	if err != nil {
		return nil, err
	}
	bar := base.NewProgress(s.env, "reading snapshots")
	shadow, err := snapshot.Open(ctx, s.env.Dir, dir, s.env.Environ, s.env.Now)
	bar.End()
	if err != nil {
		return nil, &base.Exit{Code: console.Finding, Err: err}
	}
	return shadow, nil
}

// steps opens the snapshots and returns them with their steps.
func (s *shots) steps(ctx context.Context) (*snapshot.Shadow, []snapshot.Step, error) {
	shadow, err := s.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	steps, err := shadow.Steps(ctx, s.session)
	if err != nil {
		return nil, nil, &base.Exit{Code: console.Finding, Err: err}
	}
	return shadow, steps, nil
}

func (s *shots) list(ctx context.Context) error {
	shadow, steps, err := s.steps(ctx)
	if err != nil {
		return err
	}
	out := report.New(s.env)
	if len(steps) == 0 {
		out.Text(0, 2, term.P("No snapshots of "+out.Path(shadow.Top())+". To switch them on, add this line to your checkrein.yaml:"))
		out.Line(term.P("    "), term.Command("settings: {snapshot: true}"))
		return out.Print(s.env, s.asJSON, []snapshot.Step{})
	}
	t := &term.Table{Columns: []term.Column{{Title: "STEP", Right: true}, {Title: "WHEN"}, {Title: "WHAT", Give: 1, Least: 10}, {Title: "SESSION", Give: 2, Least: 8}}}
	for i := range steps {
		step := &steps[i]
		t.Row([]term.Span{term.T(term.Name, strconv.Itoa(i+1))}, []term.Span{term.P(out.Ago(step.Time))}, []term.Span{term.P(step.What)}, []term.Span{term.T(term.Faint, step.Session)})
		for _, f := range step.Files {
			t.Under(6, changeOfFile(f.Status), term.P(" "+f.Path))
		}
	}
	out.Table(0, t)
	out.Remedies(0, message.Run("checkrein undo", "takes step "+strconv.Itoa(len(steps))+" back"))
	return out.Print(s.env, s.asJSON, steps)
}

// changeOfFile is what became of a file, in its colour.
func changeOfFile(status string) term.Span {
	style := term.Warn
	switch status {
	case "A":
		style = term.Added
	case "D":
		style = term.Removed
	}
	return term.T(style, status)
}

// undone returns what undoing a change did to a file.
func undone(status string) string {
	switch status {
	case "A":
		return "removed"
	case "D":
		return "brought back"
	}
	return "restored"
}

// undo undoes the latest step, or all but the first ones.
func (s *shots) undo(ctx context.Context, keep int) error {
	shadow, steps, err := s.steps(ctx)
	if err != nil {
		return err
	}
	count := 1
	if keep >= 0 {
		count = len(steps) - keep
	}
	for range count {
		bar := base.NewProgress(s.env, "undoing")
		step, err := shadow.Undo(ctx, s.session, s.force)
		bar.End()
		switch {
		case errors.Is(err, snapshot.ErrChanged):
			return &base.Exit{Code: console.Finding, Err: fmt.Errorf("nothing was undone, because these files were %w. To discard those changes, add --force", err)}
		case err != nil:
			return &base.Exit{Code: console.Finding, Err: err}
		}
		out := base.Screen(s.env, s.env.Stdout)
		out.Text(0, 2, term.Mark(term.Good), term.P(" Undone: the "+step.What+" of "+out.Clock(step.Time)))
		for _, f := range step.Files {
			out.Text(4, 6, term.P(undone(f.Status)+" "+f.Path))
		}
	}
	return nil
}
