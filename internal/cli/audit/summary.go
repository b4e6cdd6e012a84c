package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/spf13/cobra"
)

// summaryFlags are what the command line asks for.
type summaryFlags struct {
	session, since       string
	last, json, exitCode bool
}

func summaryCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	var f summaryFlags
	cmd := &cobra.Command{
		Use: "summary", Short: "Sum up a session: what was blocked, and how to allow it",
		Long: `summary is for the end of an unattended run. It counts what the guards did in the
newest session, or in those you select, and lists each blocked call once, with the rule, the
reason, and the entry for grants: that would allow it in such runs. Review the entries
before you add them to your own checkrein.yaml or to the machine's: grants in a project's
file have no effect.`,
		Example: `  checkrein audit summary                # the newest session
  checkrein audit summary --since 1h     # everything in the last hour
  checkrein audit summary --exit-code    # exits with 1 when something was blocked
  checkrein audit summary --json | jq -r '.blocked[].grant'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := at.Dir(env)
			if err != nil {
				return err
			}
			if err := records.CheckBegun(env, dir); err != nil {
				return records.IgnoreEmpty(err)
			}
			return base.Failed(summarize(cmd.Context(), env, dir, &f))
		},
	}
	at.Register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.session, "session", "", "sum up the session whose ID equals, begins with or ends with `ID`")
	flags.StringVar(&f.since, "since", "", "sum up all sessions since `TIME`: an age (90m, 2h, 7d), a day or RFC 3339")
	flags.BoolVar(&f.last, "last", false, "sum up the newest session (the default)")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.BoolVar(&f.exitCode, "exit-code", false, "exit with 1 when something was blocked")
	cmd.MarkFlagsMutuallyExclusive("session", "since", "last")
	return cmd
}

func summarize(ctx context.Context, env *console.Env, dir string, f *summaryFlags) error {
	filter := index.Filter{Kind: ledger.KindEvent, Oldest: true}
	var err error
	if f.since != "" {
		if filter.Since, err = records.ParseMoment(f.since, env.Now(), false); err != nil {
			return &base.Exit{Code: console.Usage, Err: fmt.Errorf("--since: %w", err)}
		}
	}
	ix, err := records.OpenIndex(ctx, env, dir)
	if err != nil {
		return err
	}
	defer ix.Close()
	switch {
	case f.session != "":
		filter.Session = records.SessionGlobs(f.session)
	case f.since == "":
		id, err := newestSession(ctx, ix, dir)
		if err != nil {
			return err
		}
		filter.Session = []string{id}
	}
	s := summary{Packs: []string{}, Blocked: []*stoppedCall{}}
	damaged, err := records.Hits(ctx, ix, dir, filter, func(raw []byte) {
		if r, err := record.Decode(raw); err == nil {
			s.add(r)
		}
	})
	if err == nil {
		err = records.WarnMissed(ctx, env, ix, damaged)
	}
	if err != nil {
		return err
	}
	if s.Events == 0 && f.session != "" {
		return fmt.Errorf("no session has an id that begins or ends with %s. To list the sessions, run checkrein audit query -a", f.session)
	}
	slices.SortStableFunc(s.Blocked, func(a, b *stoppedCall) int { return b.Times - a.Times })
	return base.Found(s.report(env).Print(env, f.json, &s), f.exitCode && len(s.Blocked) > 0, "something was blocked")
}

// newestSession is the id of the session that was heard of last.
func newestSession(ctx context.Context, ix *index.Index, dir string) (string, error) {
	id := ""
	_, err := records.Hits(ctx, ix, dir, index.Filter{Kind: ledger.KindEvent, Session: []string{"*"}, Limit: 1}, func(raw []byte) {
		if r, err := record.Decode(raw); err == nil {
			id = r.Session
		}
	})
	if err == nil && id == "" {
		err = errors.New("no record names a session. To sum up the last hour instead, use --since 1h")
	}
	return id, err
}

// A summary is what the guards did in some records.
type summary struct {
	Sessions []string         `json:"sessions"` // HOST ID
	From     time.Time        `json:"from,omitzero"`
	To       time.Time        `json:"to,omitzero"`
	Events   int              `json:"events"`
	Denied   int              `json:"denied"`
	Asked    int              `json:"asked"`
	Unasked  int              `json:"unasked"` // of those denied, that a person was to be asked about and could not be
	Changed  int              `json:"changed"`
	Lifted   int              `json:"lifted"`
	Faults   int              `json:"faults"`
	Shadow   int              `json:"shadow"`  // denials and asks that were not enforced
	Foreign  int              `json:"foreign"` // events that did not come from the host of their session
	Packs    []string         `json:"packs_off"`
	Held     []string         `json:"held,omitempty"`
	Grants   []usedGrant      `json:"grants,omitempty"`
	Blocked  []*stoppedCall   `json:"blocked"`
	Messages []report.Message `json:"messages"`

	calls map[string]bool // those that were counted: hosts ask twice about one
}

// A usedGrant is one that let calls pass.
type usedGrant struct {
	ID    string `json:"id"`
	Times int    `json:"times"`
}

// A stoppedCall is one that was denied, perhaps several times.
type stoppedCall struct {
	Call    string   `json:"call"`
	Tool    string   `json:"tool,omitempty"`
	Times   int      `json:"times"`
	Rules   []string `json:"rules"`
	Reason  string   `json:"reason"`
	Unasked string   `json:"unasked,omitempty"`
	Handle  string   `json:"handle,omitempty"`
	Seq     uint64   `json:"seq"`                // of the newest record
	Grant   string   `json:"grant,omitempty"`    // the entry that would let it pass
	NoGrant string   `json:"no_grant,omitempty"` // why there is none

	key string
}

// again reports whether a record is about a call that was counted in this way. A
// permission request without the id of its call belongs to the last such call.
func (s *summary) again(r *record.Record, what string) bool {
	if r.Tool == nil {
		return false
	}
	if s.calls == nil {
		s.calls = map[string]bool{}
	}
	key := func(of ...string) string {
		return strings.Join(append([]string{r.Host, r.Session, what}, of...), "\x00")
	}
	content := key("content", r.Tool.Name)
	if r.Subject != nil && r.Subject.Input != nil {
		content += "\x00" + string(r.Subject.Input.JSON)
	}
	if r.Event == checkrein.PermissionRequest.String() && r.Tool.CallID == "" {
		was := s.calls[content]
		delete(s.calls, content)
		return was
	}
	was := r.Tool.CallID != "" && s.calls[key(r.Tool.CallID)]
	s.calls[key(r.Tool.CallID)], s.calls[content] = true, true
	return was
}

func (s *summary) add(r *record.Record) {
	s.Events++
	if who := strings.TrimSpace(r.Host + " " + r.Session); !slices.Contains(s.Sessions, who) {
		s.Sessions = append(s.Sessions, who)
	}
	if s.From.IsZero() {
		s.From = r.Time
	}
	s.To = r.Time
	if r.Foreign {
		s.Foreign++
	}
	for _, name := range r.Off {
		if !slices.Contains(s.Packs, name) {
			s.Packs = append(s.Packs, name)
		}
	}
	s.Held = r.Held
	changes := []string{"rewrite_input", "rewrite_output", "rewrite_messages"}
	if slices.ContainsFunc(r.Effects, func(e string) bool { return slices.Contains(changes, e) }) {
		s.Changed++
	}
	s.lifted(r)
	if r.Fault != "" || slices.ContainsFunc(r.Plan, func(p record.Step) bool { return p.Outcome == "fault" }) {
		s.Faults++
	}
	switch {
	case r.Decision != "deny" && r.Decision != "ask":
	case r.Shadow:
		s.Shadow++
	case s.again(r, r.Decision):
	case r.Decision == "ask":
		s.Asked++
	default:
		if s.Denied++; r.Unasked != "" {
			s.Unasked++
		}
		s.blocked(r)
	}
}

// lifted counts a call that grants let pass, and the grants.
func (s *summary) lifted(r *record.Record) {
	var ids []string
	for i := range r.Plan {
		if l := r.Plan[i].Lifted; l != nil {
			ids = append(ids, strings.Split(l.Grant, ",")...)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 || s.again(r, "lifted") {
		return
	}
	s.Lifted++
	for _, id := range ids {
		i := slices.IndexFunc(s.Grants, func(g usedGrant) bool { return g.ID == id })
		if i < 0 {
			s.Grants = append(s.Grants, usedGrant{ID: id})
			i = len(s.Grants) - 1
		}
		s.Grants[i].Times++
	}
}

// blocked notes a call that was denied.
func (s *summary) blocked(r *record.Record) {
	b := stoppedOf(r)
	i := slices.IndexFunc(s.Blocked, func(o *stoppedCall) bool { return o.key == b.key })
	if i < 0 {
		s.Blocked = append(s.Blocked, b)
		return
	}
	b.Times += s.Blocked[i].Times
	s.Blocked[i] = b
}
