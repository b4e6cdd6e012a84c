// Package blocked holds the commands that people use after a call was blocked: allow, undo, pause,
// report, suggest, confirm and person.
package blocked

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/explain"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// allowFlags holds the flags of the allow command.
type allowFlags struct {
	once, session, project, always bool
	forTime                        time.Duration
	rules                          []string
	call                           bool
	open                           string
	why                            string
	list, asJSON                   bool
	revoke                         string
}

// AllowCommand returns the allow command.
func AllowCommand(env *console.Env) *cobra.Command {
	var f allowFlags
	cmd := &cobra.Command{
		Use: "allow [HANDLE | ID]", Short: "Allow a call that was blocked, or a value that was redacted",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.list:
				return listGrants(env, f.asJSON)
			case cmd.Flags().Changed("revoke"):
				return revokeGrant(env, f.revoke)
			}
			handle := ""
			if len(args) == 1 {
				handle = strings.ToLower(args[0])
			}
			return runAllow(cmd.Context(), env, handle, &f)
		},
	}
	f.register(cmd)
	return cmd
}

// register adds the flags to cmd.
func (f *allowFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.once, "once", false, "allow one call in this project, within a day (the default for calls)")
	flags.BoolVar(&f.session, "session", false, "allow it in the blocked session, until that session ends")
	flags.DurationVar(&f.forTime, "for", 0, "allow it in this project for a `TIME` such as 30m or 2h")
	flags.BoolVar(&f.project, "project", false, "allow it in this project until you revoke the grant (the default for values)")
	flags.BoolVar(&f.always, "always", false, "allow it everywhere until you revoke the grant")
	flags.StringArrayVar(&f.rules, "rule", nil, "lift only what `NAME` blocked: a rule such as git/push-force, or a hook; repeatable")
	flags.BoolVar(&f.call, "call", false, "lift everything that blocked the call, except hooks that run a program (the default)")
	flags.StringVar(&f.open, "open", "", "after walls stopped something: open `PART` for the programs: network, sockets, outside, or a path that they may change")
	flags.StringVar(&f.why, "why", "", "record this `TEXT` as the reason")
	flags.BoolVar(&f.list, "list", false, "list the grants in force")
	flags.BoolVar(&f.asJSON, "json", false, "with --list: print JSON")
	flags.StringVar(&f.revoke, "revoke", "", "revoke the grant with this `ID` or handle; all revokes every grant")
	cmd.MarkFlagsMutuallyExclusive("once", "session", "for", "project", "always")
	cmd.MarkFlagsMutuallyExclusive("rule", "call", "open")
	cmd.MarkFlagsMutuallyExclusive("list", "revoke")
}

// runAllow shows the block with this handle, asks the user, and gives the grant. Without a handle, the
// user picks one of the newest blocks.
func runAllow(ctx context.Context, env *console.Env, handle string, f *allowFlags) error {
	k, err := base.PersonKit(env, base.AtTerminal)
	if err != nil {
		return err
	}
	b, err := redactedBlock(ctx, env, handle)
	if err == nil && b == nil {
		b, err = pickBlock(env, k.Grants(), handle)
	}
	if err != nil {
		return err
	}
	g, err := f.newGrant(b, env.Now())
	if err != nil {
		return err
	}
	s := base.Screen(env, env.Stdout)
	printBlock(s, b)
	s.Blank()
	s.Text(0, 2, term.P("This grant "+liftText(&g)+", for "+s.ShortenPaths(explain.GrantScope(&g))+"."))
	if rest := stillBlocking(b, &g); len(rest) > 0 {
		s.Text(0, 2, term.Mark(term.Warn), term.P(" The call stays blocked by "+strings.Join(rest, ", ")+"."))
	}
	seen, err := k.Grants().AnswerTo(b)
	if err != nil {
		return base.AsFailure(err)
	}
	if seen != nil {
		s.Text(0, 2, term.Mark(term.Warn), term.P(" "+(&grant.AnsweredError{Answer: *seen}).Error()+"."))
	}
	if !base.Confirm(env, "Allow it?") {
		return base.AsRefusal(errors.New("nothing was changed"))
	}
	if g, err = giveGrant(k, g, b, seen); err != nil {
		return base.AsFailure(err)
	}
	s.Text(0, 2, term.Mark(term.Good), term.P(" allowed (grant "+g.ID+"): the agent can try again now. To revoke the grant:"))
	s.Line(term.P("    "), term.Command("checkrein allow --revoke "+g.ID))
	return nil
}

// giveGrant adds g for b. It fails if another answer than seen came first.
func giveGrant(k *app.Kit, g grant.Grant, b *grant.Block, seen *grant.Answer) (grant.Grant, error) {
	if b.Value != "" { // the block comes from the ledger, whose records are sealed
		return k.AddGrant(g, b)
	}
	a, err := k.AnswerBlock(b, grant.Answer{Decision: grant.AnswerAllow, By: g.By, Words: g.Why}, g, seen)
	g.ID = a.Grant
	return g, err
}

// maxPick is how many blocks the user can pick from.
const maxPick = 12

// pickBlock returns the block with this handle. If handle is "", it asks the user which of the newest
// blocks to use.
func pickBlock(env *console.Env, s *grant.Store, handle string) (*grant.Block, error) {
	if handle != "" {
		b, err := s.Block(handle)
		if errors.Is(err, grant.ErrUnknown) {
			err = base.AsRefusal(fmt.Errorf("no call blocked in the last day has the handle %s. To list the newest blocks, run checkrein allow", visible.EscapeLine(handle)))
		}
		return b, err
	}
	list, err := s.Blocks()
	if err != nil {
		return nil, base.AsFailure(err)
	}
	if len(list) == 0 {
		return nil, &base.Exit{Code: console.Finding, Err: errors.New("nothing was blocked in the last day")}
	}
	list = list[:min(len(list), maxPick)]
	grants, err := s.List()
	if err != nil {
		return nil, base.AsFailure(err)
	}
	out := base.Screen(env, env.Stdout)
	t := &term.Table{Columns: []term.Column{{Right: true}, {Title: "HANDLE"}, {Title: "BLOCKED", Give: 1, Least: 24}, {Title: "WHEN"}, {}}}
	for i, b := range list {
		word, style := b.Decision, term.Bad
		if b.Decision == "ask" {
			style = term.Warn
		}
		if i := slices.IndexFunc(grants, func(g grant.Grant) bool { return !g.IsSpent() && g.Allows(b) }); i >= 0 {
			word, style = "allowed already ("+grants[i].ID+")", term.Good
		}
		t.AddRow([]term.Span{term.T(term.Strong, strconv.Itoa(i+1))}, []term.Span{term.T(term.Name, b.Handle)}, []term.Span{term.P(b.Shown)}, []term.Span{term.P(out.Ago(b.At.Wall))}, []term.Span{term.T(style, word)})
		t.AddIndented(5, term.T(term.Faint, base.OneLine(b.By[0].Reason)+" ["+b.By[0].Name()+"]"))
	}
	out.Table(0, t)
	n, err := strconv.Atoi(base.AskLine(env, "Which one? [number, or Enter for none] "))
	if err != nil || n < 1 || n > len(list) {
		return nil, base.AsRefusal(errors.New("nothing was changed"))
	}
	return list[n-1], nil
}

// newGrant returns the grant for b that the flags describe.
func (f *allowFlags) newGrant(b *grant.Block, now time.Time) (grant.Grant, error) {
	g := b.NewGrant(now)
	g.By, g.Why = base.PersonName(), f.why
	switch {
	case f.open != "" && b.Opens == nil:
		return g, base.AsRefusal(errors.New("--open is for commands that walls stopped: this call was blocked"))
	case b.Opens != nil && f.once:
		return g, base.AsRefusal(errors.New("--once is for blocked calls: walls are opened with --session, --for, --project or --always"))
	case b.Value != "" && f.once:
		return g, base.AsRefusal(errors.New("--once is for calls: a value is allowed with --session, --for, --project or --always"))
	case f.session:
		if err := g.LimitToSession(b, now); err != nil {
			return g, base.AsRefusal(err)
		}
	case f.forTime != 0:
		if f.forTime < time.Minute || f.forTime > 30*24*time.Hour {
			return g, errors.New("--for takes a duration from 1m to 720h. For a grant that does not expire, use --project")
		}
		g.Scope, g.Until = grant.For, now.Add(f.forTime)
	case f.project, (b.Value != "" || b.Opens != nil) && !f.always:
		if b.Root == "" {
			return g, base.AsRefusal(errors.New("the call was not made in a project. Instead of --project, use --always"))
		}
		g.Scope, g.Until = grant.Project, time.Time{}
	case f.always:
		g.Scope, g.Root, g.Until = grant.Always, "", time.Time{}
	}
	if b.Opens != nil {
		return g, f.setOpening(&g, b.Opens)
	}
	if err := g.SetLifts(b, f.rules); err != nil {
		return g, base.AsRefusal(err)
	}
	return g, nil
}

// setOpening sets what the grant opens: what the flag says or, without it, the next step.
func (f *allowFlags) setOpening(g *grant.Grant, next *grant.Opening) error {
	what := cmp.Or(f.open, next.What)
	if !slices.Contains([]string{grant.OpenNetwork, grant.OpenSockets, grant.OpenOutside}, what) {
		if strings.HasPrefix(what, "~/") {
			what = filepath.Join(environ.OwnAccount().Home, what[2:])
		}
		if !filepath.IsAbs(what) {
			return base.AsRefusal(fmt.Errorf("--open %s: use network, sockets, outside, or an absolute path", visible.EscapeLine(f.open)))
		}
		what = filepath.Clean(what)
	}
	g.Opens = &grant.Opening{Programs: next.Programs, What: what}
	return nil
}

// stillBlocking returns the names of the rules and hooks that block b and that g does not lift.
func stillBlocking(b *grant.Block, g *grant.Grant) []string {
	var out []string
	for i := range b.By {
		d := &b.By[i]
		for _, name := range d.DisplayNames() {
			if !slices.ContainsFunc(g.Lifts, func(l grant.Decider) bool { return l.IsSameHook(d) && slices.Contains(l.DisplayNames(), name) }) {
				out = append(out, visible.EscapeLine(name))
			}
		}
	}
	return out
}

// printBlock prints the blocked call, why it was blocked, and what it would do.
func printBlock(s *term.Screen, b *grant.Block) {
	item := func(name string, spans ...term.Span) {
		s.Text(0, 10, append([]term.Span{term.Label(name, 10)}, spans...)...)
	}
	name := "call"
	if b.Value != "" {
		name = "value"
	}
	item(name, term.Code(term.Strong, b.Shown))
	if b.Whole != "" {
		name := "in full"
		for line := range strings.Lines(b.Whole) {
			s.Line(term.Label(name, 10), term.P(strings.TrimRight(line, "\n")))
			name = ""
		}
	}
	if b.Tool != "" {
		item("tool", term.P(b.Tool))
	}
	if !b.At.Wall.IsZero() {
		item("agent", term.P(strings.TrimSpace(b.Host+" "+b.Session)+", "+s.Ago(b.At.Wall)))
	}
	if b.Dir != "" {
		item("in", term.Code(term.Plain, s.ShortPath(b.Dir)))
	}
	shown := &report.Report{Screen: s}
	for i := range b.By {
		reason := base.OneLine(b.By[i].Reason)
		item("blocked", term.T(term.Bad, b.By[i].Name()), term.P(s.ShortenPaths(shown.ReasonUnlessShown(": ", reason))))
		shown.NoteReason(reason)
	}
	if b.Value != "" {
		return
	}
	if b.Opens != nil {
		return
	}
	if len(b.Deeds) == 0 {
		item("effects", term.P("not all are known, so a grant covers only this exact call, word for word"))
		return
	}
	for i := range b.Deeds {
		d := &b.Deeds[i]
		item("does", term.T(term.Warn, d.Kind), term.P(s.ShortenPaths(" ("+d.Radius+")"+shown.ReasonUnlessShown(": ", base.OneLine(d.Reason)))))
		for _, p := range d.Paths {
			_, path, _ := strings.Cut(p, " ")
			item("", term.Code(term.Plain, "path "+s.ShortPath(path)))
		}
		for _, h := range d.Hosts {
			item("", term.P("host "+h))
		}
		if d.On != "" {
			item("", term.P("on "+s.ShortenPaths(d.On)))
		}
	}
}

// redactedBlock returns the newest redaction of the value with the marker's id, as a block that a
// grant can lift, or nil if id is not a marker's or no record has it. The block needs no seal, since
// the ledger's lines are sealed.
func redactedBlock(ctx context.Context, env *console.Env, id string) (*grant.Block, error) {
	if !placeholder.IsID(id) {
		return nil, nil
	}
	dir, err := records.LedgerFlag("").Dir(env)
	if err != nil {
		return nil, err
	}
	line, err := records.NewestOne(ctx, dir, &records.Selection{Marker: id})
	if err != nil || line == nil {
		return nil, err
	}
	r, err := record.Decode(line)
	if err != nil {
		return nil, err
	}
	s := records.RedactedIn(r, id)
	v := s.FindRedacted(id)
	b := &grant.Block{Handle: id, At: grant.Moment{Wall: r.Time}, Event: r.Event, Host: r.Host, Session: r.Session,
		Root: r.Root, Dir: r.Dir, Shown: "the value of " + placeholder.MarkerWithID(id) + ": " + explain.RedactionText(v),
		Binding: grant.Binding{Value: id}}
	if r.Tool != nil {
		b.Tool = r.Tool.Name
	}
	d := grant.Decider{Hook: s.Hook, Type: s.Type, Scope: s.Scope,
		File: explain.StepFile(s), Rule: v.Rule, Reason: "redacted as a secret"}
	if s.Scope == checkrein.ScopeManaged.String() {
		d.Final = explain.AskAdministrator
	}
	b.By = []grant.Decider{d}
	return b, nil
}

// liftText returns what g does, as a predicate.
func liftText(g *grant.Grant) string {
	if g.Opens != nil {
		return openingText(g.Opens)
	}
	if g.Value != "" {
		return "leaves this one value unredacted, and lets it be written to files that git tracks"
	}
	return "lifts " + strings.Join(grant.DeciderNames(g.Lifts), ", ")
}

// openingText returns what o opens, as the predicate of a sentence.
func openingText(o *grant.Opening) string {
	programs := strings.Join(o.Programs, ", ")
	switch o.What {
	case grant.OpenOutside:
		return "lets " + programs + " run without walls"
	case grant.OpenNetwork:
		return "lets " + programs + " use the network behind walls"
	case grant.OpenSockets:
		return "lets " + programs + " use unix sockets behind walls"
	}
	return "lets " + programs + " change " + o.What
}

// listGrants prints the grants in force, including those in files.
func listGrants(env *console.Env, asJSON bool) error {
	k, err := base.OpenKit(env, app.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	list, err := k.Grants().List()
	if err != nil {
		return base.AsFailure(err)
	}
	out, all := report.New(env), []any{}
	t := &term.Table{Columns: []term.Column{{Title: "GRANT"}, {Title: "CALL OR VALUE", Give: 1, Least: 24}, {Title: "GIVEN", Give: 0}, {Title: "USED"}}}
	first := ""
	for i := range list {
		g := &list[i]
		if all = append(all, g); g.IsSpent() {
			continue
		}
		first = cmp.Or(first, g.ID)
		t.AddRow([]term.Span{term.T(term.Name, g.ID)}, []term.Span{term.P(g.Shown)}, []term.Span{term.P(out.Ago(g.Made.Wall))}, []term.Span{usedText(g)})
		t.AddBelow(term.P(liftText(g) + ", for " + out.ShortenPaths(explain.GrantScope(g))))
		t.AddBelow(term.T(term.Faint, strings.TrimSuffix("by "+g.By+": "+g.Why, ": ")))
	}
	files := k.FileGrants()
	if t.RowCount()+len(files) == 0 {
		out.Text(0, 2, term.P("no grants. To give one, run "), term.Command("checkrein allow HANDLE"))
	}
	if t.RowCount() > 0 {
		out.Table(0, t)
		out.AddRemedies(0, message.Run("checkrein allow --revoke "+first, "or: --revoke all"))
	}
	for i := range files {
		m := files[i].Message()
		out.AddMessage(term.Plain, "", m)
		all = append(all, &fileGrantJSON{grant.File, &files[i], m.Remedies})
	}
	if spent := len(list) - t.RowCount(); spent > 0 {
		out.Text(0, 2, term.T(term.Faint, term.FormatCount(spent, "grant")+" from the last day already used up. To list them too, add --json"))
	}
	return out.Print(env, asJSON, all)
}

// usedText returns how many times g let a call pass.
func usedText(g *grant.Grant) term.Span {
	switch {
	case g.Value != "":
		return term.P("") // uses for values are not counted
	case g.Used == 0:
		return term.P("not used")
	case g.Used == 1:
		return term.P("once")
	}
	return term.P(term.FormatNumber(g.Used) + " times")
}

// A fileGrantJSON is a grant in a file as allow --list --json prints it.
type fileGrantJSON struct {
	Scope grant.Scope `json:"scope"`
	*app.FileGrant
	Remedies []message.Remedy `json:"remedies,omitempty"`
}

// revokeGrant revokes the grant with this id or handle, or all grants. It needs no terminal, since it
// only makes the guard stricter.
func revokeGrant(env *console.Env, name string) error {
	k, err := base.PersonKit(env, base.ByHand)
	if err != nil {
		return err
	}
	gone, err := k.RevokeGrants(name, base.PersonName())
	if err != nil {
		return base.AsRefusal(fmt.Errorf("%w. To list the grants, run checkrein allow --list", err))
	}
	s := base.Screen(env, env.Stdout)
	for i := range gone {
		s.Text(0, 2, term.Mark(term.Good), term.P(" revoked "+gone[i].ID+": "), term.Code(term.Plain, gone[i].Shown))
	}
	if len(gone) == 0 {
		s.Line(term.P("there are no grants"))
	}
	return nil
}
