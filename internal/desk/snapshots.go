package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/snapshot"
	"github.com/spf13/cobra"
)

// shots is what the commands about snapshots share.
type shots struct {
	env     *console.Env
	session string
	force   bool
	asJSON  bool
}

func snapshotsCommand(env *console.Env) *cobra.Command {
	s := &shots{env: env}
	root := &cobra.Command{
		Use: "snapshots", Short: "List and undo what agents changed, turn by turn",
		Long: `snapshots shows what the builtin snapshot has recorded of the project in the
current directory: one step for each turn, or tool call, that changed files. The
project's own repository is never touched, and steps are kept for a week.`,
		Example: `  checkrein snapshots list
  checkrein snapshots undo
  checkrein snapshots reset 2`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().StringVar(&s.session, "session", "", "only what this session changed")
	list := &cobra.Command{
		Use: "list", Short: "List the steps and their files, the latest last", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.list(cmd.Context()) },
	}
	list.Flags().BoolVar(&s.asJSON, "json", false, "print JSON")
	undo := &cobra.Command{
		Use: "undo", Short: "Make the files of the latest step what they were before it", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.undo(cmd.Context(), -1) },
	}
	reset := &cobra.Command{
		Use: "reset [N]", Short: "Undo all steps but the first N; all of them without N", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			keep := 0
			if len(args) == 1 {
				n, err := strconv.Atoi(args[0])
				if err != nil || n < 0 {
					return fmt.Errorf("%q is no number of steps", args[0])
				}
				keep = n
			}
			return s.undo(cmd.Context(), keep)
		},
	}
	for _, c := range []*cobra.Command{undo, reset} {
		c.Flags().BoolVar(&s.force, "force", false, "also where files were changed after the step")
	}
	root.AddCommand(list, undo, reset)
	return root
}

func (s *shots) open(ctx context.Context) (*snapshot.Shadow, error) {
	dir, err := stateDir(s.env)
	if err != nil {
		return nil, err
	}
	shadow, err := snapshot.Open(ctx, s.env.Dir, dir, s.env.Environ, s.env.Now)
	if err != nil {
		return nil, &exit{code: console.Finding, err: err}
	}
	return shadow, nil
}

func (s *shots) list(ctx context.Context) error {
	shadow, err := s.open(ctx)
	if err != nil {
		return err
	}
	steps, err := shadow.Steps(ctx, s.session)
	if err != nil {
		return &exit{code: console.Finding, err: err}
	}
	if s.asJSON {
		if steps == nil {
			steps = []snapshot.Step{}
		}
		return json.NewEncoder(s.env.Stdout).Encode(steps)
	}
	if len(steps) == 0 {
		fmt.Fprintf(s.env.Stdout, "No snapshots of %s. Switch them on with 'settings: {snapshot: true}' in your checkrein.yaml.\n", shadow.Top())
	}
	for i, step := range steps {
		fmt.Fprintf(s.env.Stdout, "%d  %s  %s, session %s\n%s", i+1, step.Time.Local().Format("2006-01-02 15:04:05"), shown(step.What), shown(step.Session), files(step))
	}
	return nil
}

// undo undoes the latest step, or all but the first ones.
func (s *shots) undo(ctx context.Context, keep int) error {
	shadow, err := s.open(ctx)
	if err != nil {
		return err
	}
	steps, err := shadow.Steps(ctx, s.session)
	if err != nil {
		return &exit{code: console.Finding, err: err}
	}
	count := 1
	if keep >= 0 {
		count = len(steps) - keep
	}
	for range count {
		step, err := shadow.Undo(ctx, s.session, s.force)
		switch {
		case errors.Is(err, snapshot.ErrChanged):
			return &exit{code: console.Finding, err: fmt.Errorf("nothing was undone, for these files were %w: add --force to lose that", err)}
		case err != nil:
			return &exit{code: console.Finding, err: err}
		}
		fmt.Fprintf(s.env.Stdout, "Undone: %s of %s\n%s", shown(step.What), step.Time.Local().Format("2006-01-02 15:04:05"), files(step))
	}
	return nil
}

func files(step snapshot.Step) string {
	var b strings.Builder
	for _, f := range step.Files {
		fmt.Fprintf(&b, "   %s %s\n", f.Status, shown(f.Path))
	}
	return b.String()
}

// shown is a name on one line: agents name files.
func shown(name string) string {
	if q := strconv.Quote(name); q != `"`+name+`"` {
		return q
	}
	return name
}
