package blocked

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/sys/snapshot"
	"github.com/checkrein/checkrein/internal/sys/undo"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/spf13/cobra"
)

// undoFlags has the flags of the undo command.
type undoFlags struct {
	env     *console.Env
	session string
	keep    int
	last    bool
	list    bool
	all     bool
	forget  bool
	force   bool
	yes     bool
	asJSON  bool
}

// UndoCommand returns the undo command.
func UndoCommand(env *console.Env) *cobra.Command {
	u := &undoFlags{env: env, keep: -1}
	root := &cobra.Command{
		Use: "undo [ID]", Short: "Take back what a call of an agent lost or changed",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return u.run(cmd.Context(), cmd, args) },
	}
	flags := root.Flags()
	flags.BoolVar(&u.list, "list", false, "list what can be taken back, the latest last")
	flags.BoolVar(&u.all, "all", false, "with --list or --forget: of all projects")
	flags.BoolVar(&u.last, "last", false, "take back the latest save or step (the default without an ID)")
	flags.BoolVarP(&u.yes, "yes", "y", false, "do not ask")
	flags.IntVar(&u.keep, "keep", -1, "take back all steps of settings.snapshot but the first `N`")
	flags.BoolVar(&u.forget, "forget", false, "remove the copies of the save ID, or with --all of all saves")
	flags.BoolVar(&u.force, "force", false, forceUsage)
	flags.BoolVar(&u.asJSON, "json", false, "print JSON")
	u.addCommands(root, false)
	return root
}

// SnapshotsCommand returns the undo command under its former name, snapshots.
func SnapshotsCommand(env *console.Env) *cobra.Command {
	root := &cobra.Command{
		Use: "snapshots", Short: "Undo what agents changed, turn by turn", Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	(&undoFlags{env: env, keep: -1}).addCommands(root, true)
	return root
}

// forceUsage is the help of --force.
const forceUsage = "also restore files that have changed since"

// addCommands adds the former subcommands to root: list and reset and, if withUndo is set, undo.
func (u *undoFlags) addCommands(root *cobra.Command, withUndo bool) {
	root.PersistentFlags().StringVar(&u.session, "session", "", "only changes made by the session `ID`")
	list := &cobra.Command{
		Use: "list", Short: "List what can be taken back", Args: cobra.NoArgs, Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !u.asJSON {
				return u.printList(cmd.Context())
			}
			_, steps, err := u.openSteps(cmd.Context())
			return errors.Join(err, base.PrintJSON(u.env, append([]snapshot.Step{}, steps...)))
		},
	}
	list.Flags().BoolVar(&u.asJSON, "json", false, "print JSON")
	back := &cobra.Command{
		Use: "undo", Short: "Restore the files that the latest step changed", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return u.undoSteps(cmd.Context(), -1) },
	}
	reset := &cobra.Command{
		Use: "reset [N]", Short: "Undo all steps but the first N (without N: all steps)", Args: cobra.MaximumNArgs(1), Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			keep, err := 0, error(nil)
			if len(args) == 1 {
				keep, err = strconv.Atoi(args[0])
			}
			if err != nil || keep < 0 {
				return fmt.Errorf("%q is not a number of steps: give 0 or more", args[0])
			}
			return u.undoSteps(cmd.Context(), keep)
		},
	}
	for _, c := range []*cobra.Command{back, reset} {
		c.Flags().BoolVar(&u.force, "force", false, forceUsage)
	}
	if root.AddCommand(list, reset); withUndo {
		root.AddCommand(back)
	}
}

// run runs the undo command.
func (u *undoFlags) run(ctx context.Context, cmd *cobra.Command, args []string) error {
	id := ""
	if len(args) == 1 {
		id = strings.ToLower(args[0])
	}
	switch {
	case u.list:
		return u.printList(ctx)
	case u.forget:
		return u.forgetSaves(id)
	case cmd.Flags().Changed("keep"):
		if u.keep < 0 {
			return fmt.Errorf("--keep %d is not a number of steps: give 0 or more", u.keep)
		}
		return u.undoSteps(ctx, u.keep)
	}
	store, err := u.openStore()
	if err != nil {
		return err
	}
	if id != "" {
		return u.undoNamed(ctx, store, id)
	}
	return u.undoLatest(ctx, store)
}

// openStore opens the saves.
func (u *undoFlags) openStore() (*undo.Store, error) {
	dir, err := base.StateDir(u.env)
	if err != nil {
		return nil, err
	}
	return undo.Open(ledger.SealedDir(dir), u.env.Environ, u.env.Now), nil
}

// undoNamed takes back the save id or, if it is s and a number, that step.
func (u *undoFlags) undoNamed(ctx context.Context, store *undo.Store, id string) error {
	if n, err := strconv.ParseInt(strings.TrimPrefix(id, "s"), 10, 64); err == nil && strings.HasPrefix(id, "s") {
		_, steps, err := u.openSteps(ctx)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(steps, func(s snapshot.Step) bool { return s.ID == n })
		switch {
		case at < 0:
			return &base.Exit{Code: console.Finding, Err: fmt.Errorf("there is no step %s. To list the steps, run checkrein undo --list", id)}
		case at < len(steps)-1:
			return &base.Exit{Code: console.Finding, Err: fmt.Errorf("steps are taken back from the latest on. To take back %s and all after it, run checkrein undo --keep %d", id, at)}
		}
		return u.undoSteps(ctx, -1)
	}
	e, err := store.Find(id)
	if err != nil {
		return &base.Exit{Code: console.Finding, Err: fmt.Errorf("%w. To list the saves, run checkrein undo --list --all", err)}
	}
	return u.restore(ctx, store, e)
}

// undoLatest takes back the latest save or step of this project.
func (u *undoFlags) undoLatest(ctx context.Context, store *undo.Store) error {
	saves, err := u.savesHere(store)
	if err != nil {
		return err
	}
	_, steps, stepsErr := u.openSteps(ctx)
	if len(saves) > 0 && (len(steps) == 0 || saves[0].Time.After(steps[len(steps)-1].Time)) {
		return u.restore(ctx, store, saves[0])
	}
	if stepsErr != nil && errors.Is(stepsErr, snapshot.ErrNoRepository) {
		return &base.Exit{Code: console.Finding, Err: snapshot.ErrNothing}
	}
	return u.undoSteps(ctx, -1)
}

// savesHere returns the saves of this project and session, the latest first, without those that taking
// something back has made.
func (u *undoFlags) savesHere(store *undo.Store) ([]undo.Entry, error) {
	all, err := store.List()
	return slices.DeleteFunc(all, func(e undo.Entry) bool {
		return u.session != "" && e.Session != u.session || !u.all && (e.Undoes != "" || !isAtOrBelow(u.env.Dir, e.Dir))
	}), err
}

// isAtOrBelow reports whether dir is at or below root, or root is unknown.
func isAtOrBelow(dir, root string) bool {
	return root == "" || dir == root || strings.HasPrefix(dir, strings.TrimSuffix(root, "/")+"/")
}

// restore shows what the save e holds, asks at a terminal, and brings it back.
func (u *undoFlags) restore(ctx context.Context, store *undo.Store, e undo.Entry) error {
	done := u.endOfCall(ctx, &e)
	plan, err := store.Preview(ctx, e, done)
	if err != nil {
		return &base.Exit{Code: console.Finding, Err: err}
	}
	out := base.Screen(u.env, u.env.Stdout)
	if !u.asJSON {
		u.printPlan(out, &e, plan)
	}
	switch left := u.restorable(plan); {
	case len(plan) == 0 && !u.asJSON:
		out.Text(0, 2, term.P("Everything is as it was before this call; nothing is to be done."))
		return nil
	case left == 0 && !u.asJSON:
		return &base.Exit{Code: console.Finding, Err: errors.New("nothing was taken back. To overwrite what was changed after the call, add --force")}
	}
	if ask := base.Asker(u.env); ask != nil && !u.yes && !u.asJSON && !ask("Take it back?") {
		return &base.Exit{Code: console.Finding, Err: errors.New("nothing was changed")}
	}
	bar := base.NewProgress(u.env, "restoring")
	res, err := store.Restore(ctx, e, done, u.force)
	bar.End()
	if u.asJSON {
		return errors.Join(base.PrintJSON(u.env, res), err)
	}
	if len(res.Done) > 0 {
		out.Text(0, 2, term.Mark(term.Good), term.P(" Taken back: "+term.FormatCount(len(res.Done), "change")))
		out.Line(term.Command("checkrein undo "+res.Undo), term.T(term.Faint, "  # takes that back"))
	}
	if err != nil {
		return &base.Exit{Code: console.Finding, Err: err}
	}
	return nil
}

// restorable returns how many changes of plan can be carried out.
func (u *undoFlags) restorable(plan []undo.Change) (n int) {
	for i := range plan {
		if !plan[i].Lost && (u.force || !plan[i].Later) {
			n++
		}
	}
	return n
}

const maxPlanShown = 20 // changes

// printPlan prints what taking back e would change.
func (u *undoFlags) printPlan(out *term.Screen, e *undo.Entry, plan []undo.Change) {
	out.Text(0, 2, term.T(term.Name, e.ID), term.P("  "+e.Command), term.T(term.Faint, "  "+out.Ago(e.Time)))
	skipped := 0
	for i := range plan {
		c := &plan[i]
		if i == maxPlanShown {
			out.Text(2, 4, term.T(term.Faint, "and "+term.FormatCount(len(plan)-i, "more change")))
			break
		}
		text := c.What + " " + out.ShortPath(c.Path)
		switch {
		case c.Lost:
			out.Text(2, 4, term.T(term.Bad, "✗ "), term.P(text+": its copy was changed, so it cannot be restored"))
		case c.Later && !u.force:
			skipped++
			out.Text(2, 4, term.T(term.Warn, "! "), term.P(text+": changed after the call, so it stays"))
		default:
			out.Text(4, 4, term.P(text))
		}
	}
	if skipped > 0 {
		out.Line(term.Command("checkrein undo "+e.ID+" --force"), term.T(term.Faint, "  # overwrites those as well"))
	}
}

// endOfCall returns when the call of e had ended, according to the ledger, or the zero time.
func (u *undoFlags) endOfCall(ctx context.Context, e *undo.Entry) time.Time {
	if e.Undoes != "" {
		return e.Time // nothing but checkrein itself ran
	}
	dir, err := base.StateDir(u.env)
	if err != nil || e.Session == "" {
		return time.Time{}
	}
	lines, _, _, err := records.Newest(ctx, dir.Path("ledger"), &records.Selection{Sessions: []string{e.Session}, Since: e.Time.Add(-time.Second)}, 0)
	if err != nil {
		return time.Time{}
	}
	for _, line := range lines {
		r, err := record.Decode(line)
		if err != nil || !slices.Contains(r.Saved, e.ID) && !r.Time.After(e.Time) || r.Tool == nil {
			continue
		}
		isEnd := r.Event == checkrein.PostToolUse.String() || r.Event == checkrein.PostToolUseFailure.String() || r.Event == checkrein.ToolResponseTransform.String()
		if isEnd && (e.CallID == "" || r.Tool.CallID == "" || r.Tool.CallID == e.CallID) {
			return r.Time
		}
	}
	return time.Time{}
}

// forgetSaves removes the copies of the save id or, with --all, of all.
func (u *undoFlags) forgetSaves(id string) error {
	if err := base.RequirePerson(u.env, base.ByHand); err != nil {
		return err
	}
	store, err := u.openStore()
	if err != nil {
		return err
	}
	out := base.Screen(u.env, u.env.Stdout)
	switch {
	case id == "" && !u.all:
		return errors.New("name the save, or use --all to forget all saves")
	case id != "":
		if err := store.Forget(id); err != nil {
			return &base.Exit{Code: console.Finding, Err: err}
		}
		out.Text(0, 2, term.Mark(term.Good), term.P(" Removed the copies of "+id+"."))
		return nil
	}
	if ask := base.Asker(u.env); ask != nil && !u.yes && !ask("Remove the copies of all saves?") {
		return &base.Exit{Code: console.Finding, Err: errors.New("nothing was changed")}
	}
	n, err := store.ForgetAll()
	if err != nil {
		return err
	}
	out.Text(0, 2, term.Mark(term.Good), term.P(" Removed "+term.FormatCount(n, "save")+"."))
	return nil
}

// openSnapshots opens the snapshots of the project that contains the current directory.
func (u *undoFlags) openSnapshots(ctx context.Context) (*snapshot.Shadow, error) {
	dir, err := base.StateDir(u.env)
	if err != nil {
		return nil, err
	}
	bar := base.NewProgress(u.env, "reading snapshots")
	shadow, err := snapshot.OpenShadow(ctx, u.env.Dir, dir, u.env.Environ, u.env.Now)
	bar.End()
	if err != nil {
		return nil, &base.Exit{Code: console.Finding, Err: err}
	}
	return shadow, nil
}

// openSteps opens the snapshots, and returns them with the steps of the chosen session or of all.
func (u *undoFlags) openSteps(ctx context.Context) (*snapshot.Shadow, []snapshot.Step, error) {
	shadow, err := u.openSnapshots(ctx)
	if err != nil {
		return nil, nil, err
	}
	steps, err := shadow.Steps(ctx, u.session)
	if err != nil {
		return nil, nil, &base.Exit{Code: console.Finding, Err: err}
	}
	return shadow, steps, nil
}

// printList prints the saves and the steps, the latest last, and the files that each step changed.
func (u *undoFlags) printList(ctx context.Context) error {
	store, err := u.openStore()
	if err != nil {
		return err
	}
	saves, savesErr := u.savesHere(store)
	_, steps, err := u.openSteps(ctx)
	if err != nil && !(errors.Is(err, snapshot.ErrNoRepository) && (u.all || len(saves) > 0)) {
		return err
	}
	if u.asJSON {
		return errors.Join(base.PrintJSON(u.env, struct {
			Saves []undo.Entry    `json:"saves"`
			Steps []snapshot.Step `json:"steps"`
		}{append([]undo.Entry{}, saves...), append([]snapshot.Step{}, steps...)}), savesErr)
	}
	out := report.New(u.env)
	if len(steps)+len(saves) == 0 {
		out.Text(0, 2, term.P("There is nothing to take back in "+out.ShortPath(u.env.Dir)+". Losses are saved by themselves; to save every change as well, add this line to your checkrein.yaml:"))
		out.Line(term.P("    "), term.Command("settings: {snapshot: true}"))
		return errors.Join(out.Print(u.env, false, nil), savesErr)
	}
	rows := undoRows(out.Screen, saves, steps)
	t := &term.Table{Columns: []term.Column{{Title: "ID"}, {Title: "WHEN"}, {Title: "WHAT", Give: 1, Least: 10}, {Title: "SESSION", Give: 2, Least: 8}}}
	for _, r := range rows {
		t.AddRow([]term.Span{term.T(term.Name, r.id)}, []term.Span{term.P(out.Ago(r.at))}, []term.Span{term.P(r.what)}, []term.Span{term.T(term.Faint, r.session)})
		for _, f := range r.files {
			t.AddIndented(6, fileStatus(f.Status), term.P(" "+f.Path))
		}
	}
	out.Table(0, t)
	out.AddRemedies(0, message.Run("checkrein undo", "takes "+rows[len(rows)-1].id+" back"))
	return errors.Join(out.Print(u.env, false, nil), savesErr)
}

// An undoRow is a line of the list.
type undoRow struct {
	id, what, session string
	at                time.Time
	files             []snapshot.Change
}

// undoRows returns the rows of saves and steps, the latest last.
func undoRows(out *term.Screen, saves []undo.Entry, steps []snapshot.Step) []undoRow {
	var rows []undoRow
	for i := range saves {
		e := &saves[i]
		what := e.Command + " (" + term.FormatCount(e.Files, "file")
		if len(e.Repos) > 0 {
			what += ", git"
		}
		if e.Undoes != "" {
			what = "undo of " + e.Undoes + ": " + what
		}
		rows = append(rows, undoRow{id: e.ID, at: e.Time, what: what + ")", session: e.Session})
	}
	for i := range steps {
		s := &steps[i]
		rows = append(rows, undoRow{id: "s" + strconv.FormatInt(s.ID, 10), at: s.Time, what: s.What, session: s.Session, files: s.Files})
	}
	slices.SortStableFunc(rows, func(a, b undoRow) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.id, b.id)) })
	return rows
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
func (u *undoFlags) undoSteps(ctx context.Context, keep int) error {
	shadow, steps, err := u.openSteps(ctx)
	if err != nil {
		return err
	}
	count := 1
	if keep >= 0 {
		count = len(steps) - keep
	}
	for range count {
		bar := base.NewProgress(u.env, "undoing")
		step, err := shadow.Undo(ctx, u.session, u.force)
		bar.End()
		switch {
		case errors.Is(err, snapshot.ErrChanged):
			return &base.Exit{Code: console.Finding, Err: fmt.Errorf("nothing was undone, because these files were %w. To discard those changes, add --force", err)}
		case err != nil:
			return &base.Exit{Code: console.Finding, Err: err}
		}
		out := base.Screen(u.env, u.env.Stdout)
		out.Text(0, 2, term.Mark(term.Good), term.P(" Undone: the "+step.What+" of "+out.FormatClock(step.Time)))
		for _, f := range step.Files {
			out.Text(4, 6, term.P(undoVerb(f.Status)+" "+f.Path))
		}
	}
	return nil
}
