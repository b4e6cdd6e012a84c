// Package blocked holds the commands for when something was blocked: allow, undo, pause,
// report, suggest, confirm and person.
package blocked

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/explain"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/checkrein/checkrein/kit"
	"github.com/spf13/cobra"
)

// allowFlags are what the command line of allow asks for.
type allowFlags struct {
	once, session, project, always bool
	forTime                        time.Duration
	rules                          []string
	call                           bool
	why                            string
	list, asJSON                   bool
	revoke                         string
}

func AllowCommand(env *console.Env) *cobra.Command {
	var f allowFlags
	cmd := &cobra.Command{
		Use: "allow [HANDLE | ID]", Short: "Allow a call that was blocked, or a value that was redacted",
		Long: `Every block names a handle. allow shows the call, what it would do and what blocked it,
then asks before it grants. Without a handle it lists the newest blocks to choose from.

A grant is bound to what the call does: calls with the same effects on the same paths and
hosts pass, however they are spelt; calls that do more do not. Where checkrein does not know
all effects of a call, only the identical call passes. A grant only removes the block: it
never answers for the agent, which still shows its own prompts.

With the ID in a marker [REDACTED:ID], allow leaves that one value unredacted: in this project
until you revoke it, unless a flag says otherwise. Writing it to a file that git tracks is then
no question either. checkrein keeps a keyed digest of the value, never the value.

A grant lifts blocks by packs, builtins, your own rules and the project's rules. It lifts a
program's block only if --rule names the program. It never lifts self-protection, what the
administrator denies, or the block of a hook that could not answer. Only a person can give a
grant: in your own terminal, not in one that an agent runs.`,
		Example: `  checkrein allow                      # choose from the newest blocks
  checkrein allow 4f2a                 # one call, within a day
  checkrein allow 4f2a --session       # until the agent's session ends
  checkrein allow 4f2a --for 2h        # in this project, for two hours
  checkrein allow 4f2a --project       # in this project, until you revoke it
  checkrein allow 4f2a --rule guard.sh # what the program guard.sh blocks
  checkrein allow 8ba4bbcd             # the value behind [REDACTED:8ba4bbcd]
  checkrein allow --list
  checkrein allow --revoke g3`,
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
			return allow(cmd.Context(), env, handle, &f)
		},
	}
	f.register(cmd)
	return cmd
}

func (f *allowFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.once, "once", false, "allow one call in this project, within a day (the default for calls)")
	flags.BoolVar(&f.session, "session", false, "allow it in the blocked session, until that session ends")
	flags.DurationVar(&f.forTime, "for", 0, "allow it in this project for a `TIME` such as 30m or 2h")
	flags.BoolVar(&f.project, "project", false, "allow it in this project until you revoke the grant (the default for values)")
	flags.BoolVar(&f.always, "always", false, "allow it everywhere until you revoke the grant")
	flags.StringArrayVar(&f.rules, "rule", nil, "lift only what `NAME` blocked: a rule such as git/push-force, or a hook; repeatable")
	flags.BoolVar(&f.call, "call", false, "lift everything that blocked the call, except hooks that run a program (the default)")
	flags.StringVar(&f.why, "why", "", "record this `TEXT` as the reason")
	flags.BoolVar(&f.list, "list", false, "list the grants in force")
	flags.BoolVar(&f.asJSON, "json", false, "with --list: print JSON")
	flags.StringVar(&f.revoke, "revoke", "", "revoke the grant with this `ID` or handle; all revokes every grant")
	cmd.MarkFlagsMutuallyExclusive("once", "session", "for", "project", "always")
	cmd.MarkFlagsMutuallyExclusive("rule", "call")
	cmd.MarkFlagsMutuallyExclusive("list", "revoke")
}

func allow(ctx context.Context, env *console.Env, handle string, f *allowFlags) error {
	if err := base.RequirePerson(env, base.AtTerminal); err != nil {
		return err
	}
	k, err := base.OpenKit(env, kit.Options{Peek: true})
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
	g, err := f.grant(b, env.Now())
	if err != nil {
		return err
	}
	s := base.Screen(env, env.Stdout)
	showBlock(s, b)
	s.Blank()
	s.Text(0, 2, term.P("This grant "+liftText(&g)+", for "+s.Home(explain.GrantScope(&g))+"."))
	if rest := left(b, &g); len(rest) > 0 {
		s.Text(0, 2, term.Mark(term.Warn), term.P(" The call stays blocked by "+strings.Join(rest, ", ")+"."))
	}
	if !base.Confirm(env, "Allow it?") {
		return base.Refused(errors.New("nothing was changed"))
	}
	give := k.Allow
	if b.Value != "" { // it comes from the ledger
		give = k.Grant
	}
	g, err = give(g, b)
	if err != nil {
		return base.Failed(err)
	}
	s.Text(0, 2, term.Mark(term.Good), term.P(" allowed (grant "+g.ID+"): the agent can try again now. To revoke the grant:"))
	s.Line(term.P("    "), term.Command("checkrein allow --revoke "+g.ID))
	return nil
}

// maxPick is how many blocks are offered.
const maxPick = 12

// pickBlock finds the block that a person means.
func pickBlock(env *console.Env, s *grant.Store, handle string) (*grant.Block, error) {
	if handle != "" {
		b, err := s.Block(handle)
		if errors.Is(err, grant.ErrUnknown) {
			err = base.Refused(fmt.Errorf("no call blocked in the last day has the handle %s. To list the newest blocks, run checkrein allow", visible.Line(handle)))
		}
		return b, err
	}
	list, err := s.Blocks()
	if err != nil {
		return nil, base.Failed(err)
	}
	if len(list) == 0 {
		return nil, &base.Exit{Code: console.Finding, Err: errors.New("nothing was blocked in the last day")}
	}
	list = list[:min(len(list), maxPick)]
	grants, err := s.List()
	if err != nil {
		return nil, base.Failed(err)
	}
	out := base.Screen(env, env.Stdout)
	t := &term.Table{Columns: []term.Column{{Right: true}, {Title: "HANDLE"}, {Title: "BLOCKED", Give: 1, Least: 24}, {Title: "WHEN"}, {}}}
	for i, b := range list {
		word, style := b.Decision, term.Bad
		if b.Decision == "ask" {
			style = term.Warn
		}
		if i := slices.IndexFunc(grants, func(g grant.Grant) bool { return !g.Spent() && g.Lets(b) }); i >= 0 {
			word, style = "allowed already ("+grants[i].ID+")", term.Good
		}
		t.Row([]term.Span{term.T(term.Strong, strconv.Itoa(i+1))}, []term.Span{term.T(term.Name, b.Handle)}, []term.Span{term.P(b.Shown)}, []term.Span{term.P(out.Ago(b.At.Wall))}, []term.Span{term.T(style, word)})
		t.Under(5, term.T(term.Faint, base.OneLine(b.By[0].Reason)+" ["+b.By[0].Name()+"]"))
	}
	out.Table(0, t)
	fmt.Fprint(env.Stdout, "Which one? [number, or Enter for none] ")
	n, err := strconv.Atoi(strings.TrimSpace(base.ReadLine(env.Stdin)))
	if err != nil || n < 1 || n > len(list) {
		return nil, base.Refused(errors.New("nothing was changed"))
	}
	return list[n-1], nil
}

// grant is what the flags say about a block.
func (f *allowFlags) grant(b *grant.Block, now time.Time) (grant.Grant, error) {
	g := grant.Grant{Handle: b.Handle, Scope: grant.Once, Shown: b.Shown, Binding: b.Binding, Root: b.Root, By: base.PersonName(), Why: f.why, Until: now.Add(grant.Life)}
	switch {
	case b.Value != "" && f.once:
		return g, base.Refused(errors.New("--once is for calls: a value is allowed with --session, --for, --project or --always"))
	case f.session:
		if b.Session == "" {
			return g, base.Refused(fmt.Errorf("%s did not report a session ID, so --session cannot be used here. Use --for 2h instead", b.Host))
		}
		g.Scope, g.Host, g.Session, g.Root, g.Until = grant.Session, b.Host, b.Session, "", now.Add(7*24*time.Hour)
	case f.forTime != 0:
		if f.forTime < time.Minute || f.forTime > 30*24*time.Hour {
			return g, errors.New("--for takes a duration from 1m to 720h. For a grant that does not expire, use --project")
		}
		g.Scope, g.Until = grant.For, now.Add(f.forTime)
	case f.project, b.Value != "" && !f.always:
		if b.Root == "" {
			return g, base.Refused(errors.New("the call was not made in a project. Instead of --project, use --always"))
		}
		g.Scope, g.Until = grant.Project, time.Time{}
	case f.always:
		g.Scope, g.Root, g.Until = grant.Always, "", time.Time{}
	}
	return g, f.lift(&g, b)
}

// lift fills in whose decisions a grant lifts.
func (f *allowFlags) lift(g *grant.Grant, b *grant.Block) error {
	for _, name := range f.rules {
		i := slices.IndexFunc(b.By, func(d grant.Decider) bool { return d.Has(name) })
		if i < 0 {
			return base.Refused(fmt.Errorf("%s did not block this call: %s did", visible.Line(name), strings.Join(names(b.By), ", ")))
		}
		g.Lifts = append(g.Lifts, b.By[i])
		g.Narrow(&b.By[i], f.rules...)
	}
	if len(f.rules) == 0 {
		g.Lifts = slices.DeleteFunc(slices.Clone(b.By), func(d grant.Decider) bool { return d.Program })
	}
	for i := range g.Lifts {
		if why := g.Lifts[i].Final; why != "" {
			return base.Refused(fmt.Errorf("no grant can lift %s: %s", g.Lifts[i].Name(), why))
		}
	}
	if len(g.Lifts) == 0 {
		return base.Refused(fmt.Errorf("a program blocked this call, and it may know something that checkrein does not. To lift its block, name the program: %s", b.Command("")))
	}
	return nil
}

func names(list []grant.Decider) []string {
	var out []string
	for i := range list {
		for _, name := range list[i].Names() {
			if name = visible.Line(name); !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// left are those that go on blocking a call.
func left(b *grant.Block, g *grant.Grant) []string {
	var out []string
	for i := range b.By {
		d := &b.By[i]
		for _, name := range d.Names() {
			if !slices.ContainsFunc(g.Lifts, func(l grant.Decider) bool { return l.Is(d) && slices.Contains(l.Names(), name) }) {
				out = append(out, visible.Line(name))
			}
		}
	}
	return out
}

// showBlock prints a call and what it would do.
func showBlock(s *term.Screen, b *grant.Block) {
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
		item("in", term.Code(term.Plain, s.Path(b.Dir)))
	}
	shown := &report.Report{Screen: s}
	for i := range b.By {
		reason := base.OneLine(b.By[i].Reason)
		item("blocked", term.T(term.Bad, b.By[i].Name()), term.P(s.Home(shown.Unless(": ", reason))))
		shown.NoteReason(reason)
	}
	if b.Value != "" {
		return
	}
	if len(b.Deeds) == 0 {
		item("effects", term.P("not all are known, so a grant covers only this exact call, word for word"))
		return
	}
	for i := range b.Deeds {
		d := &b.Deeds[i]
		item("does", term.T(term.Warn, d.Kind), term.P(s.Home(" ("+d.Radius+")"+shown.Unless(": ", base.OneLine(d.Reason)))))
		for _, p := range d.Paths {
			_, path, _ := strings.Cut(p, " ")
			item("", term.Code(term.Plain, "path "+s.Path(path)))
		}
		for _, h := range d.Hosts {
			item("", term.P("host "+h))
		}
		if d.On != "" {
			item("", term.P("on "+s.Home(d.On)))
		}
	}
}
