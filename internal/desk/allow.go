package desk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/grant"
	"github.com/checkrein/checkrein/internal/person"
	"github.com/checkrein/checkrein/internal/trust"
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

func allowCommand(env *console.Env) *cobra.Command {
	var f allowFlags
	cmd := &cobra.Command{
		Use: "allow [HANDLE]", Short: "Let a call pass that was blocked",
		Long: `Every block names a handle. allow shows the call, what it would do and who blocked it,
and asks before it grants. Without a handle it lists the newest blocks to choose from.

A grant is bound to what the call does: the same effects on the same paths and hosts pass
however they are spelt, wider ones do not. Where not all of a call is known, only the very
same call passes. A grant never says yes in the host's place: it takes the block away, and
what the host asks by itself it still asks.

It lifts packs, builtins and rules of your own and of the project; the block of a program
only if --rule names it; never self-protection, nor what the administrator denies, nor a
hook that could not answer. It must be given by a person: in a terminal of your own, not
below an agent.`,
		Example: `  checkrein allow                      # choose from the newest blocks
  checkrein allow 4f2a                 # one call, within a day
  checkrein allow 4f2a --session       # until the agent's session ends
  checkrein allow 4f2a --for 2h        # in this project, for two hours
  checkrein allow 4f2a --project       # in this project, until you revoke it
  checkrein allow 4f2a --rule guard.sh # what the program guard.sh blocks
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
			return allow(env, handle, &f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.once, "once", false, "one call, in this project, within a day (the default)")
	flags.BoolVar(&f.session, "session", false, "the session that was blocked, until it ends")
	flags.DurationVar(&f.forTime, "for", 0, "this project, for a `TIME` such as 30m or 2h")
	flags.BoolVar(&f.project, "project", false, "this project, until it is revoked")
	flags.BoolVar(&f.always, "always", false, "everywhere, until it is revoked")
	flags.StringArrayVar(&f.rules, "rule", nil, "lift only what this `NAME` decided: a rule such as git/push-force, or a hook; repeatable")
	flags.BoolVar(&f.call, "call", false, "lift all that blocked the call, programs excepted (the default)")
	flags.StringVar(&f.why, "why", "", "a `TEXT` for the record")
	flags.BoolVar(&f.list, "list", false, "show the grants that count")
	flags.BoolVar(&f.asJSON, "json", false, "with --list: print JSON")
	flags.StringVar(&f.revoke, "revoke", "", "end the grant with this `ID` or handle, or all")
	cmd.MarkFlagsMutuallyExclusive("once", "session", "for", "project", "always")
	cmd.MarkFlagsMutuallyExclusive("rule", "call")
	cmd.MarkFlagsMutuallyExclusive("list", "revoke")
	return cmd
}

func allow(env *console.Env, handle string, f *allowFlags) error {
	if err := byPerson(env, atTerminal); err != nil {
		return err
	}
	k, err := open(env, kit.Options{Peek: true})
	if err != nil {
		return err
	}
	b, err := pickBlock(env, k.Grants(), handle)
	if err != nil {
		return err
	}
	g, err := f.grant(b, env.Now())
	if err != nil {
		return err
	}
	showBlock(env.Stdout, b, env.Now())
	fmt.Fprintf(env.Stdout, "\nA grant for this lifts %s, for %s.\n", strings.Join(names(g.Lifts), ", "), reach(&g))
	if rest := left(b, &g); len(rest) > 0 {
		fmt.Fprintf(env.Stdout, "The call stays blocked by %s.\n", strings.Join(rest, ", "))
	}
	if !confirmed(env, "Allow it?") {
		return refused(errors.New("nothing was changed"))
	}
	g, err = k.Allow(g, b)
	if err != nil {
		return failed(err)
	}
	fmt.Fprintf(env.Stdout, "allowed (grant %s): the agent can try again now. To end it: checkrein allow --revoke %s\n", g.ID, g.ID)
	return nil
}

// confirmed asks the person at the terminal.
func confirmed(env *console.Env, question string) bool {
	person.Flush(env.Stdin)
	fmt.Fprint(env.Stdout, question+" [y/N] ")
	answer := strings.ToLower(strings.TrimSpace(readLine(env.Stdin)))
	return answer == "y" || answer == "yes"
}

// readLine reads one line and nothing behind it, which the next question may need.
func readLine(r io.Reader) string {
	var line []byte
	var c [1]byte
	for len(line) < 4096 {
		if n, err := r.Read(c[:]); n == 0 || err != nil || c[0] == '\n' {
			break
		}
		line = append(line, c[0])
	}
	return string(line)
}

// maxPick is how many blocks are offered.
const maxPick = 12

// pickBlock finds the block that a person means.
func pickBlock(env *console.Env, s *grant.Store, handle string) (*grant.Block, error) {
	if handle != "" {
		b, err := s.Block(handle)
		if errors.Is(err, grant.ErrUnknown) {
			err = refused(fmt.Errorf("no block of the last day has the handle %s: checkrein allow lists those that there are", trust.VisibleLine(handle)))
		}
		return b, err
	}
	list, err := s.Blocks()
	if err != nil {
		return nil, failed(err)
	}
	if len(list) == 0 {
		return nil, &exit{code: console.Finding, err: errors.New("nothing was blocked in the last day")}
	}
	list = list[:min(len(list), maxPick)]
	for i, b := range list {
		fmt.Fprintf(env.Stdout, "%3d  %s  %-5s %s  %s\n", i+1, b.Handle, b.Decision, sinceThen(env.Now().Sub(b.At.Wall)), cut(trust.VisibleLine(b.Shown), 46))
		fmt.Fprintf(env.Stdout, "     %s\n", cut(oneLine(trust.Visible(b.By[0].Reason))+" ["+b.By[0].Name()+"]", 74))
	}
	fmt.Fprint(env.Stdout, "Which one? [number, or enter for none] ")
	n, err := strconv.Atoi(strings.TrimSpace(readLine(env.Stdin)))
	if err != nil || n < 1 || n > len(list) {
		return nil, refused(errors.New("nothing was changed"))
	}
	return list[n-1], nil
}

// grant is what the flags say about a block.
func (f *allowFlags) grant(b *grant.Block, now time.Time) (grant.Grant, error) {
	g := grant.Grant{Handle: b.Handle, Scope: grant.Once, Shown: b.Shown, Binding: b.Binding, Root: b.Root, By: whoGrants(), Why: f.why, Until: now.Add(grant.Life)}
	switch {
	case f.session:
		if b.Session == "" {
			return g, refused(fmt.Errorf("%s names no session: use --for 2h", b.Host))
		}
		g.Scope, g.Host, g.Session, g.Root, g.Until = grant.Session, b.Host, b.Session, "", now.Add(7*24*time.Hour)
	case f.forTime != 0:
		if f.forTime < time.Minute || f.forTime > 30*24*time.Hour {
			return g, errors.New("--for takes one minute to 720h; --project has no end")
		}
		g.Scope, g.Until = grant.For, now.Add(f.forTime)
	case f.project:
		if b.Root == "" {
			return g, refused(errors.New("the call belongs to no project: use --always"))
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
			return refused(fmt.Errorf("%s did not block this call: %s did", trust.VisibleLine(name), strings.Join(names(b.By), ", ")))
		}
		g.Lifts = append(g.Lifts, b.By[i])
		g.Narrow(&b.By[i], f.rules...)
	}
	if len(f.rules) == 0 {
		g.Lifts = slices.DeleteFunc(slices.Clone(b.By), func(d grant.Decider) bool { return d.Program })
	}
	for i := range g.Lifts {
		if why := g.Lifts[i].Final; why != "" {
			return refused(fmt.Errorf("no grant lifts %s: %s", g.Lifts[i].Name(), why))
		}
	}
	if len(g.Lifts) == 0 {
		return refused(fmt.Errorf("a program blocked this call, and may know more than checkrein does. To lift its block, name it: %s", b.Command("")))
	}
	return nil
}

func names(list []grant.Decider) []string {
	var out []string
	for i := range list {
		for _, name := range list[i].Names() {
			if name = trust.VisibleLine(name); !slices.Contains(out, name) {
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
				out = append(out, trust.VisibleLine(name))
			}
		}
	}
	return out
}

// reach says for whom and how long.
func reach(g *grant.Grant) string {
	switch g.Scope {
	case grant.Once:
		return "one call in " + g.Root + ", within a day"
	case grant.Session:
		return "this session of " + g.Host
	case grant.For:
		return "calls in " + g.Root + " until " + g.Until.Local().Format("Jan 2 15:04")
	case grant.Project:
		return "calls in " + g.Root + ", until you revoke it"
	}
	return "all projects, until you revoke it"
}

// showBlock prints a call and what it would do.
func showBlock(w io.Writer, b *grant.Block, now time.Time) {
	item := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "%-9s %s\n", name, trust.VisibleLine(text))
		}
	}
	item("call", b.Shown)
	if b.Whole != "" {
		fmt.Fprintf(w, "%-9s %s\n", "all of it", strings.ReplaceAll(trust.Visible(b.Whole), "\n", "\n          "))
	}
	item("tool", b.Tool)
	if !b.At.Wall.IsZero() {
		item("agent", strings.TrimSpace(b.Host+" "+b.Session)+", "+sinceThen(now.Sub(b.At.Wall)))
	}
	item("in", b.Dir)
	for i := range b.By {
		item("blocked", b.By[i].Name()+": "+oneLine(b.By[i].Reason))
	}
	if len(b.Deeds) == 0 {
		item("effects", "not all of them are known: a grant is for exactly this call, word for word")
		return
	}
	for i := range b.Deeds {
		d := &b.Deeds[i]
		item("does", d.Kind+" ("+d.Radius+"): "+oneLine(d.Reason))
		for _, p := range d.Paths {
			_, path, _ := strings.Cut(p, " ")
			item("", "path "+path)
		}
		for _, h := range d.Hosts {
			item("", "host "+h)
		}
		if d.On != "" {
			item("", "on "+d.On)
		}
	}
}

// whoGrants names the person and the terminal, for the record.
func whoGrants() string {
	name := strconv.Itoa(os.Getuid())
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if tty, err := os.Readlink("/proc/self/fd/0"); err == nil && (strings.HasPrefix(tty, "/dev/pts/") || strings.HasPrefix(tty, "/dev/tty")) {
		name += " on " + tty
	}
	return name
}

func sinceThen(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + " min ago"
	}
	return strconv.Itoa(int(d.Hours())) + " h ago"
}
