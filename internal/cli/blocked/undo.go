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

// snapshotFlags has the flags that the commands about snapshots share.
type snapshotFlags struct {
	env     *console.Env
	session string
	force   bool
	asJSON  bool
}

// UndoCommand returns the undo command.
func UndoCommand(env *console.Env) *cobra.Command {
	s := &snapshotFlags{env: env}
	root := &cobra.Command{
		Use: "undo", Short: "Undo what agents changed, turn by turn",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.undoSteps(cmd.Context(), -1) },
	}
	root.Flags().BoolVar(&s.force, "force", false, forceUsage)
	s.addCommands(root, false)
	return root
}

// SnapshotsCommand returns the undo command under its former name, snapshots.
func SnapshotsCommand(env *console.Env) *cobra.Command {
	root := &cobra.Command{
		Use: "snapshots", Short: "Undo what agents changed, turn by turn", Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	(&snapshotFlags{env: env}).addCommands(root, true)
	return root
}

// forceUsage is the help of --force.
const forceUsage = "also restore files that have changed since the step"

// addCommands adds the subcommands list and reset to root and, if withUndo is set, one that undoes the
// latest step.
func (s *snapshotFlags) addCommands(root *cobra.Command, withUndo bool) {
	root.PersistentFlags().StringVar(&s.session, "session", "", "only changes made by the session `ID`")
	list := &cobra.Command{
		Use: "list", Short: "List the steps and their files, newest last", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.printSteps(cmd.Context()) },
	}
	list.Flags().BoolVar(&s.asJSON, "json", false, "print JSON")
	undo := &cobra.Command{
		Use: "undo", Short: "Restore the files that the latest step changed", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.undoSteps(cmd.Context(), -1) },
	}
	reset := &cobra.Command{
		Use: "reset [N]", Short: "Undo all steps but the first N (without N: all steps)", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			keep := 0
			if len(args) == 1 {
				n, err := strconv.Atoi(args[0])
				if err != nil || n < 0 {
					return fmt.Errorf("%q is not a number of steps: give 0 or more", args[0])
				}
				keep = n
			}
			return s.undoSteps(cmd.Context(), keep)
		},
	}
	for _, c := range []*cobra.Command{undo, reset} {
		c.Flags().BoolVar(&s.force, "force", false, forceUsage)
	}
	if root.AddCommand(list, reset); withUndo {
		root.AddCommand(undo)
	}
}

// open opens the snapshots of the project that contains the current directory.
func (s *snapshotFlags) open(ctx context.Context) (*snapshot.Shadow, error) {
	dir, err := base.StateDir(s.env)
	if err != nil {
		return nil, err
	}
	bar := base.NewProgress(s.env, "reading snapshots")
	shadow, err := snapshot.OpenShadow(ctx, s.env.Dir, dir, s.env.Environ, s.env.Now)
	bar.End()
	if err != nil {
		return nil, &base.Exit{Code: console.Finding, Err: err}
	}
	return shadow, nil
}

// openSteps opens the snapshots, and returns them with the steps of the chosen session or of all.
func (s *snapshotFlags) openSteps(ctx context.Context) (*snapshot.Shadow, []snapshot.Step, error) {
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

// printSteps prints the steps and the files that each of them changed.
func (s *snapshotFlags) printSteps(ctx context.Context) error {
	shadow, steps, err := s.openSteps(ctx)
	if err != nil {
		return err
	}
	out := report.New(s.env)
	if len(steps) == 0 {
		out.Text(0, 2, term.P("No snapshots of "+out.ShortPath(shadow.TopDir())+". To switch them on, add this line to your checkrein.yaml:"))
		out.Line(term.P("    "), term.Command("settings: {snapshot: true}"))
		return out.Print(s.env, s.asJSON, []snapshot.Step{})
	}
	t := &term.Table{Columns: []term.Column{{Title: "STEP", Right: true}, {Title: "WHEN"}, {Title: "WHAT", Give: 1, Least: 10}, {Title: "SESSION", Give: 2, Least: 8}}}
	for i := range steps {
		step := &steps[i]
		t.AddRow([]term.Span{term.T(term.Name, strconv.Itoa(i+1))}, []term.Span{term.P(out.Ago(step.Time))}, []term.Span{term.P(step.What)}, []term.Span{term.T(term.Faint, step.Session)})
		for _, f := range step.Files {
			t.AddIndented(6, fileStatus(f.Status), term.P(" "+f.Path))
		}
	}
	out.Table(0, t)
	out.AddRemedies(0, message.Run("checkrein undo", "takes step "+strconv.Itoa(len(steps))+" back"))
	return out.Print(s.env, s.asJSON, steps)
}

// fileStatus returns the letter for how a file was changed, in its colour.
func fileStatus(status string) term.Span {
	style := term.Warn
	switch status {
	case "A":
		style = term.Added
	case "D":
		style = term.Removed
	}
	return term.T(style, status)
}

// undoVerb returns what undoing a change with this status did to the file.
func undoVerb(status string) string {
	switch status {
	case "A":
		return "removed"
	case "D":
		return "brought back"
	}
	return "restored"
}

// undoSteps undoes the latest step or, if keep is not negative, all steps but the first keep.
func (s *snapshotFlags) undoSteps(ctx context.Context, keep int) error {
	shadow, steps, err := s.openSteps(ctx)
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
		out.Text(0, 2, term.Mark(term.Good), term.P(" Undone: the "+step.What+" of "+out.FormatClock(step.Time)))
		for _, f := range step.Files {
			out.Text(4, 6, term.P(undoVerb(f.Status)+" "+f.Path))
		}
	}
	return nil
}
