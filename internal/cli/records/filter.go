package records

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/moment"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/spf13/cobra"
)

// FilterFlags holds the flags that select records.
type FilterFlags struct {
	Since, Until string
	Limit        int
	kind         string

	Denied, Asked, Changed bool

	Hosts, Sessions, Events, tools, Decisions, hooks, Effects []string
}

// Register adds the flags to cmd. limit is the default value of --limit.
func (f *FilterFlags) Register(cmd *cobra.Command, limit int) {
	flags := cmd.Flags()
	flags.StringVar(&f.Since, "since", "", "only since `TIME`: an age (90m, 2h, 7d), a day (2026-11-15, today, yesterday) or RFC 3339")
	flags.StringVar(&f.Until, "until", "", "only until `TIME`; a day is included in full")
	flags.StringArrayVar(&f.Hosts, "host", nil, "only from this `AGENT`; repeatable")
	flags.StringArrayVar(&f.Sessions, "session", nil, "only from the session whose ID equals, begins with or ends with `ID`; repeatable")
	flags.StringArrayVar(&f.Events, "event", nil, "only this `EVENT` (any agent's name for it is accepted); repeatable")
	flags.StringArrayVar(&f.tools, "tool", nil, "only about this `TOOL` (the agent's or checkrein's name for it; * matches any text); repeatable")
	flags.StringArrayVar(&f.Decisions, "decision", nil, "only with this decision: `none|allow|ask|deny`; repeatable")
	flags.BoolVar(&f.Denied, "denied", false, "only denied events; with --asked or --changed, events that match any of these")
	flags.BoolVar(&f.Asked, "asked", false, "only events whose decision was to ask the user")
	flags.BoolVar(&f.Changed, "changed", false, "only where input, output or messages were rewritten or redacted")
	flags.StringArrayVar(&f.hooks, "hook", nil, "only where this `HOOK` took part (* matches any text); repeatable")
	flags.StringArrayVar(&f.Effects, "effect", nil, "only with this `EFFECT`, repeatable: "+strings.Join(checkrein.AllEffects.Words(), ", "))
	flags.IntVarP(&f.Limit, "limit", "n", limit, "at most `N` records; 0 = all")
}

// RegisterKind adds the flag --kind to cmd, for commands that show one kind of records at a time.
func (f *FilterFlags) RegisterKind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.kind, "kind", "", "records of this `KIND` instead of events: person (what the user did about decisions), or segment, torn, gap or pruned (the ledger about itself)")
}

// A Selection selects records. A record must match every condition; it matches a list if it matches
// one of its elements or the list is empty.
type Selection struct {
	Since, Until time.Time // zero = open

	Hosts, Sessions, Events, Tools, Decisions, Hooks, Effects []string

	Outcomes []string // the effects of --denied, --asked and --changed, of which a record must have one

	Decided bool   // only records in which something was decided, changed or lifted
	handle  string // the handle of a block that the user can allow
	Marker  string // the id in the marker of a redacted value

	// In reports whether the project with this root is selected; nil = all are.
	In func(root string) bool

	Limit int    // 0 = all
	Kinds bool   // also select records about the ledger itself, if only times are restricted
	Kind  string // select records of this kind instead of events
}

// Selection returns the selection that the flags describe, or an error about one of them. Times
// without a zone are in the zone of now.
func (f *FilterFlags) Selection(now time.Time) (*Selection, error) {
	s := &Selection{Hosts: f.Hosts, Sessions: f.Sessions, Tools: f.tools, Hooks: f.hooks, Limit: f.Limit, Kind: f.kind}
	if f.Limit < 0 {
		return nil, fmt.Errorf("--limit %d: must not be negative", f.Limit)
	}
	for _, each := range []struct {
		flag, text string
		end        bool
		into       *time.Time
	}{{"since", f.Since, false, &s.Since}, {"until", f.Until, true, &s.Until}} {
		if each.text == "" {
			continue
		}
		at, err := moment.Parse(each.text, now, each.end)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", each.flag, err)
		}
		*each.into = at
	}
	if !s.Since.IsZero() && !s.Until.IsZero() && !s.Since.Before(s.Until) {
		return nil, fmt.Errorf("--since %s must be earlier than --until %s", f.Since, f.Until)
	}
	for _, name := range f.Events {
		event, err := contractName(name)
		if err != nil {
			return nil, err
		}
		s.Events = append(s.Events, event)
	}
	s.Outcomes = f.Outcomes().Words()
	var err error
	if s.Decisions, err = checkWords("decision", f.Decisions, DecisionWords()); err != nil {
		return nil, err
	}
	if s.Effects, err = checkWords("effect", f.Effects, checkrein.AllEffects.Words()); err != nil {
		return nil, err
	}
	return s, s.checkKind()
}

// checkKind returns an error if the kind is unknown or is combined with filters for events.
func (s *Selection) checkKind() error {
	if s.Kind == "" || s.Kind == ledger.KindEvent {
		s.Kind = ""
		return nil
	}
	if _, err := checkWords("kind", []string{s.Kind}, ledger.Kinds()); err != nil {
		return err
	}
	if !s.MatchesAny() {
		return fmt.Errorf("--kind %s can be combined only with --since and --until: the other filters are for events", s.Kind)
	}
	return nil
}

// Outcomes returns the effects of which a record must have one, or 0 if every record matches.
func (f *FilterFlags) Outcomes() checkrein.Effect {
	var e checkrein.Effect
	if f.Denied {
		e |= checkrein.CanDeny
	}
	if f.Asked {
		e |= checkrein.CanAsk
	}
	if f.Changed {
		e |= ChangingEffects
	}
	return e
}

// contractName returns checkrein's name of the event that any system calls name. It returns an error
// if there is none.
func contractName(name string) (string, error) {
	if kind, ok := hookfile.KindOf(name); ok {
		return kind.String(), nil
	}
	if name == checkrein.Other.String() {
		return name, nil
	}
	var names []string
	for _, row := range checkrein.Contracts()[1:] {
		names = append(names, row.Name)
		for _, a := range row.Aliases {
			names = append(names, a.Name)
		}
	}
	return "", fmt.Errorf("unknown event %q%s", name, suggest.Hint(name, names))
}

// DecisionWords returns the names of the decisions, mildest first.
func DecisionWords() []string {
	var out []string
	for d := checkrein.NoOpinion; d <= checkrein.Deny; d++ {
		out = append(out, d.String())
	}
	return out
}

// checkWords returns words, or an error if one of them is not in list. what names them in the error.
func checkWords(what string, words, list []string) ([]string, error) {
	for _, w := range words {
		if !slices.Contains(list, w) {
			return nil, fmt.Errorf("unknown %s %q%s", what, w, suggest.HintOr(w, list, "must be one of "+strings.Join(list, ", ")))
		}
	}
	return words, nil
}

// MatchesAny reports whether the selection restricts nothing but times and the kind.
func (s *Selection) MatchesAny() bool {
	for _, list := range [][]string{s.Hosts, s.Sessions, s.Events, s.Tools, s.Decisions, s.Hooks, s.Effects, s.Outcomes} {
		if len(list) > 0 {
			return false
		}
	}
	return !s.Decided && s.handle == "" && s.Marker == "" && s.In == nil
}

// Fits reports whether r is selected. It selects the same records as a query of the index, for
// commands that read the ledger itself.
func (s *Selection) Fits(r *record.Record) bool {
	if !s.includesTime(r.Time) {
		return false
	}
	if r.Kind != ledger.KindEvent || s.Kind != "" {
		return (s.Kinds || s.Kind == r.Kind) && s.MatchesAny()
	}
	filter := s.Filter(false)
	return filter.Accepts(r) && (!s.Decided || IsNotable(r)) &&
		(s.handle == "" || s.handle == r.Handle) &&
		(s.Marker == "" || RedactedIn(r, s.Marker) != nil) &&
		(s.In == nil || s.In(r.Root))
}

// NotableEffects is the set of effects that make an event without a decision notable.
const NotableEffects = ChangingEffects | checkrein.CanHalt | checkrein.CanRedo

// ChangingEffects is the set of effects that change a call or its result.
const ChangingEffects = checkrein.CanRewriteInput | checkrein.CanRewriteOutput | checkrein.CanRewriteMessages

// IsNotable reports whether r has a decision, a fault, a notable effect or a lifted decision.
func IsNotable(r *record.Record) bool {
	return record.Decides(r.Decision) || r.Fault != "" || HasEffect(r, NotableEffects) || len(LiftedSteps(r)) > 0
}

// IsIdle reports whether the record in raw is certainly not notable. It is cheap, and may return false
// for a record that is not notable.
func IsIdle(raw []byte) bool {
	if rawjson.GetText(raw, "decision") != checkrein.NoOpinion.String() {
		return false
	}
	for _, word := range append(NotableEffects.Words(), "lifted", "fault") {
		if bytes.Contains(raw, []byte(`"`+word+`"`)) {
			return false
		}
	}
	return true
}

// HasEffect reports whether the verdict in r has one of effects.
func HasEffect(r *record.Record, effects checkrein.Effect) bool {
	return slices.ContainsFunc(effects.Words(), func(w string) bool { return slices.Contains(r.Effects, w) })
}

// FitsLine is Fits for a line of the ledger, which it decodes only if needed. It returns an error if
// the line cannot be decoded.
func (s *Selection) FitsLine(line *ledger.Line) (bool, error) {
	if !s.includesTime(line.Time) {
		return false, nil
	}
	if s.MatchesAny() {
		if s.Kind != "" {
			return line.Kind == s.Kind, nil
		}
		return s.Kinds || line.Kind == ledger.KindEvent, nil
	}
	if s.handle != "" && !bytes.Contains(line.Raw, []byte(`"handle":"`+s.handle+`"`)) {
		return false, nil
	}
	if s.Marker != "" && !bytes.Contains(line.Raw, []byte(`{"id":"`+s.Marker+`"`)) {
		return false, nil
	}
	if s.Decided && IsIdle(line.Raw) {
		return false, nil
	}
	r, err := record.Decode(line.Raw)
	return err == nil && s.Fits(r), err
}

// includesTime reports whether t is in the selected period.
func (s *Selection) includesTime(t time.Time) bool {
	return (s.Since.IsZero() || !t.Before(s.Since)) && (s.Until.IsZero() || t.Before(s.Until))
}
