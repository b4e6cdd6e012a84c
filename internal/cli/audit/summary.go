package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/loosening"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/hook/dialect/native"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/moment"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/spf13/cobra"
)

// summaryFlags holds the flags of audit summary.
type summaryFlags struct {
	session, since       string
	last, json, exitCode bool
}

// summaryCommand returns the audit summary command.
func summaryCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	var f summaryFlags
	cmd := &cobra.Command{
		Use: "summary", Short: "Sum up a session: what was blocked, and how to allow it",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := at.BegunDir(env)
			if err != nil {
				return records.IgnoreEmpty(err)
			}
			return base.AsFailure(runSummary(cmd.Context(), env, dir, &f))
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

// runSummary prints the summary of the selected records.
func runSummary(ctx context.Context, env *console.Env, dir string, f *summaryFlags) error {
	filter := index.Filter{Kind: ledger.KindEvent, Oldest: true}
	var err error
	if f.since != "" {
		if filter.Since, err = moment.Parse(f.since, env.Now(), false); err != nil {
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
	damaged, err := records.EachHit(ctx, ix, dir, filter, func(raw []byte) {
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
	return base.OrFinding(s.report(env).Print(env, f.json, &s), f.exitCode && len(s.Blocked) > 0, "something was blocked")
}

// newestSession returns the id of the session with the newest event.
func newestSession(ctx context.Context, ix *index.Index, dir string) (string, error) {
	id := ""
	_, err := records.EachHit(ctx, ix, dir, index.Filter{Kind: ledger.KindEvent, Session: []string{"*"}, Limit: 1}, func(raw []byte) {
		if r, err := record.Decode(raw); err == nil {
			id = r.Session
		}
	})
	if err == nil && id == "" {
		err = errors.New("no record names a session. To sum up the last hour instead, use --since 1h")
	}
	return id, err
}

// A summary counts what guards did in the selected records.
type summary struct {
	Sessions []string         `json:"sessions"` // each as HOST ID
	From     time.Time        `json:"from,omitzero"`
	To       time.Time        `json:"to,omitzero"`
	Events   int              `json:"events"`
	Denied   int              `json:"denied"`
	Asked    int              `json:"asked"`
	Unasked  int              `json:"unasked"` // denied because the user could not be asked
	Saved    int              `json:"saved"`   // passed after what they could lose was saved
	Inside   int              `json:"contained"`
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

	calls map[string]bool // the calls that were counted, since some hosts send a call twice
}

// A usedGrant is a grant that let calls pass.
type usedGrant struct {
	ID    string `json:"id"`
	Times int    `json:"times"`
}

// A stoppedCall is a call that was denied, perhaps several times.
type stoppedCall struct {
	Call    string   `json:"call"`
	Tool    string   `json:"tool,omitempty"`
	Times   int      `json:"times"`
	Rules   []string `json:"rules"`
	Reason  string   `json:"reason"`
	Unasked string   `json:"unasked,omitempty"`
	Handle  string   `json:"handle,omitempty"`
	Seq     uint64   `json:"seq"`                // the number of the newest record
	Grant   string   `json:"grant,omitempty"`    // the configuration entry that would let the call pass
	NoGrant string   `json:"no_grant,omitempty"` // why there is no such entry

	key string
}

// markCounted notes that the call of r is counted under what, and reports whether it was before. A
// permission request without a call ID belongs to the last call with the same content.
func (s *summary) markCounted(r *record.Record, what string) (before bool) {
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

// add adds r to the counts.
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
	if len(r.Saved) > 0 {
		s.Saved++
	}
	if r.Answer == "contained" && !s.markCounted(r, r.Answer) {
		s.Inside++
	}
	s.addLifted(r)
	if r.Fault != "" || slices.ContainsFunc(r.Plan, func(p record.Step) bool { return p.Outcome == "fault" }) {
		s.Faults++
	}
	switch {
	case r.Decision != "deny" && r.Decision != "ask":
	case r.Shadow:
		s.Shadow++
	case s.markCounted(r, r.Decision):
	case r.Decision == "ask":
		s.Asked++
	default:
		if s.Denied++; r.Unasked != "" {
			s.Unasked++
		}
		s.addDenied(r)
	}
}

// addLifted counts the call in r if grants let it pass, and one use of each of those grants.
func (s *summary) addLifted(r *record.Record) {
	var ids []string
	for i := range r.Plan {
		if l := r.Plan[i].Lifted; l != nil {
			ids = append(ids, strings.Split(l.Grant, ",")...)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 || s.markCounted(r, "lifted") {
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

// addDenied adds the denied call in r, or counts it if it was denied before.
func (s *summary) addDenied(r *record.Record) {
	b := newStoppedCall(r)
	i := slices.IndexFunc(s.Blocked, func(o *stoppedCall) bool { return o.key == b.key })
	if i < 0 {
		s.Blocked = append(s.Blocked, b)
		return
	}
	b.Times += s.Blocked[i].Times
	s.Blocked[i] = b
}

// report returns the screen for the summary.
func (s *summary) report(env *console.Env) *report.Report {
	out := report.New(env)
	s.Messages = out.Messages
	if s.Events == 0 {
		out.Line(term.P("no events"))
		return out
	}
	who := term.FormatCount(len(s.Sessions), "session")
	if len(s.Sessions) == 1 {
		who = s.Sessions[0]
	}
	out.Text(0, 2, term.T(term.Strong, who), term.P(fmt.Sprintf(", %s to %s", out.FormatClock(s.From), s.To.In(base.Zone(env)).Format(time.TimeOnly))))
	out.Text(0, 2, s.counts()...)
	note := func(what string, remedies ...message.Remedy) {
		out.AddMessage(term.Warn, "", message.New(what, remedies...))
	}
	if len(s.Packs) > 0 {
		note("packs that were off: " + strings.Join(s.Packs, ", "))
	}
	if s.Foreign > 0 {
		note("foreign: "+term.FormatCount(s.Foreign, "event")+" did not come from the session's agent", message.Run("checkrein explain ID", "to see where one came from"))
	}
	if s.Shadow > 0 {
		note(fmt.Sprintf("in shadow mode or paused: %d more would have been denied or asked about, but were not", s.Shadow))
	}
	for _, item := range s.Held {
		note("not in effect until you confirm it: "+loosening.Describe(item), message.RunYourself("checkrein confirm", ""))
	}
	for _, g := range s.Grants {
		out.Text(0, 2, term.Mark(term.Good), term.P(fmt.Sprintf(" %s let through by grant %s", term.FormatCount(g.Times, "call"), out.ShortenPaths(g.ID))))
	}
	s.addBlocked(out)
	s.Messages = out.Messages
	return out
}

// counts returns a line with the number of events, and of those that were denied, asked about,
// changed, lifted or faulted.
func (s *summary) counts() []term.Span {
	denied := "denied"
	if s.Unasked > 0 { // they count as denied in audit query, too
		denied += fmt.Sprintf(" (%d because the user could not be asked)", s.Unasked)
	}
	spans := []term.Span{term.P(term.FormatCount(s.Events, "event") + ": ")}
	for i, each := range []struct {
		n     int
		what  string
		style term.Style
	}{{s.Denied, denied, term.Bad}, {s.Asked, "asked", term.Warn}, {s.Inside, "contained", term.Plain}, {s.Changed, "changed", term.Warn}, {s.Lifted, "lifted by grants", term.Good}, {s.Faults, "fault", term.Bad}} {
		if each.n == 0 && each.what == "contained" {
			continue
		}
		text := fmt.Sprintf("%d %s", each.n, each.what)
		if each.what == "fault" {
			text = term.FormatCount(each.n, "fault")
		}
		if each.n == 0 {
			each.style = term.Faint
		}
		if i > 0 {
			spans = append(spans, term.P(", "))
		}
		spans = append(spans, term.T(each.style, text))
	}
	return spans
}

// addBlocked adds each blocked call with the reason, and the configuration entries that would let
// these calls pass.
func (s *summary) addBlocked(out *report.Report) {
	entries := ""
	for _, b := range s.Blocked {
		out.Blank()
		out.Text(0, 2, term.T(term.Bad, fmt.Sprintf("blocked %d×", b.Times)), term.P(": "), term.Code(term.Strong, out.ShortenPaths(b.Call)))
		out.Text(2, 4, term.P("why: "+out.ShortenPaths(b.Reason)+" ["), term.T(term.Name, strings.Join(b.Rules, ", ")), term.P("]"))
		if b.Unasked != "" {
			out.Text(2, 4, term.P("the user was not asked: "+b.Unasked))
		}
		if b.NoGrant != "" {
			out.Text(2, 4, term.P("no grant can lift it: "+b.NoGrant))
		}
		entries += strings.TrimPrefix(b.Grant, "grants:\n")
	}
	if entries == "" {
		return
	}
	out.Blank()
	out.Text(0, 0, term.P("To allow these calls in runs like this one, review these entries and add them to your own checkrein.yaml:"))
	out.Blank()
	out.Line(term.T(term.Name, "grants:"))
	for line := range strings.Lines(entries) {
		out.Line(term.T(term.Name, strings.TrimSuffix(line, "\n")))
	}
}

// maxShownCall is how many characters of a call a summary shows.
const maxShownCall = 200

// newStoppedCall returns the denied call in r, with the configuration entry that would let it pass.
func newStoppedCall(r *record.Record) *stoppedCall {
	b := &stoppedCall{Call: r.Event, Times: 1, Reason: base.OneLine(r.Reason), Unasked: r.Unasked, Handle: r.Handle, Seq: r.Seq, Rules: []string{}}
	var input []byte
	if r.Subject != nil && r.Subject.Input != nil {
		input = r.Subject.Input.JSON
	}
	var tool checkrein.Tool
	if r.Tool != nil {
		tool = checkrein.Tool{Name: r.Tool.Name, Canonical: r.Tool.Canonical, Input: input}
		b.Tool, b.Call = tool.Name, tool.Name
		if list := tool.Commands(); len(list) > 0 {
			b.Call = list[0]
		} else if paths := tool.Paths(); len(paths) > 0 {
			b.Call += " " + paths[0]
		}
	}
	b.Call = base.Truncate(base.OneLine(b.Call), maxShownCall)
	var why []string
	for i := range r.Plan {
		step := &r.Plan[i]
		if step.Decision != "deny" && step.Decision != "ask" {
			continue
		}
		for _, name := range grantNames(step) {
			if !slices.Contains(b.Rules, name) {
				b.Rules = append(b.Rules, name)
			}
		}
		if step.Why != "" && step.Decision == "deny" || step.Why != "" && r.Unasked != "" {
			why = append(why, base.OneLine(step.Why))
		}
		if final := whyNoGrant(step); final != "" && b.NoGrant == "" {
			b.NoGrant = final
		}
	}
	if len(why) > 0 {
		b.Reason = strings.Join(why, "; ")
	}
	b.key = strings.Join([]string{r.Root, b.Tool, b.Call, strings.Join(b.Rules, " "), string(input)}, "\x00")
	b.setGrant(r, &tool)
	return b
}

// grantNames returns the names by which a grant refers to what decided in s: its rules, or else its
// hook.
func grantNames(s *record.Step) []string {
	switch {
	case len(s.Rules) > 0:
		return s.Rules
	case s.Rule != "":
		return []string{s.Rule}
	}
	return []string{s.Hook}
}

// whyNoGrant returns why no grant can lift the decision of s, or "" if one can.
func whyNoGrant(s *record.Step) string {
	switch {
	case s.Outcome == "fault":
		return "a hook could not answer (to see why, run checkrein doctor)"
	case s.Scope == checkrein.ScopeManaged.String():
		return "the machine's administrator decided it"
	case s.Final != "":
		return "it is checkrein's " + s.Final
	}
	return ""
}

// setGrant sets b.Grant to the configuration entry that lets the call pass, or b.NoGrant to why there
// is none.
func (b *stoppedCall) setGrant(r *record.Record, tool *checkrein.Tool) {
	switch {
	case b.NoGrant != "":
		return
	case tool.Name == "":
		b.NoGrant = "only tool calls can be granted"
	case len(b.Rules) == 0:
		b.NoGrant = "the record does not show who decided"
	case len(tool.Input) == 0:
		b.NoGrant = "the record does not contain the whole call"
	case bytes.Contains(tool.Input, []byte(secret.Marker)):
		b.NoGrant = "the call contains a secret, and secrets are not recorded"
	}
	if b.NoGrant != "" {
		return
	}
	g := setting.Grant{Rules: b.Rules, In: r.Root, Reason: "was blocked on " + r.Time.UTC().Format(time.DateOnly) + ": " + base.Truncate(b.Reason, maxShownCall)}
	if list := tool.Commands(); len(list) == 1 && tool.Canonical == "shell" {
		g.Call = list[0]
	} else {
		g.Tool, g.Input = tool.Name, tool.Input
	}
	b.Grant = native.WriteGrants([]setting.Grant{g})
}
