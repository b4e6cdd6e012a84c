package desk

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/spf13/cobra"
)

// filterFlags are the words of a command line that choose records.
type filterFlags struct {
	since, until string
	limit        int
	kind         string

	denied, asked, changed bool

	hosts, sessions, events, tools, decisions, hooks, effects []string
}

func (f *filterFlags) register(cmd *cobra.Command, limit int) {
	flags := cmd.Flags()
	flags.StringVar(&f.since, "since", "", "only since `TIME`: an age (90m, 2h, 7d), a day (2026-11-15, today, yesterday) or RFC 3339")
	flags.StringVar(&f.until, "until", "", "only until `TIME`; a day is included in full")
	flags.StringArrayVar(&f.hosts, "host", nil, "only from this `AGENT`; repeatable")
	flags.StringArrayVar(&f.sessions, "session", nil, "only from the session whose ID equals, begins with or ends with `ID`; repeatable")
	flags.StringArrayVar(&f.events, "event", nil, "only this `EVENT` (any agent's name for it is accepted); repeatable")
	flags.StringArrayVar(&f.tools, "tool", nil, "only about this `TOOL` (the agent's or checkrein's name for it; * matches any text); repeatable")
	flags.StringArrayVar(&f.decisions, "decision", nil, "only with this decision: `none|allow|ask|deny`; repeatable")
	flags.BoolVar(&f.denied, "denied", false, "only denied events; with --asked or --changed, events that match any of these")
	flags.BoolVar(&f.asked, "asked", false, "only events whose decision was to ask the user")
	flags.BoolVar(&f.changed, "changed", false, "only where input, output or messages were rewritten or redacted")
	flags.StringArrayVar(&f.hooks, "hook", nil, "only where this `HOOK` took part (* matches any text); repeatable")
	flags.StringArrayVar(&f.effects, "effect", nil, "only with this `EFFECT`, repeatable: "+strings.Join(checkrein.AllEffects.Words(), ", "))
	flags.IntVarP(&f.limit, "limit", "n", limit, "at most `N` records; 0 = all")
}

// registerKind is for commands that show one kind of records at a time.
func (f *filterFlags) registerKind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.kind, "kind", "", "records of this `KIND` instead of events: person (what the user did about decisions), or segment, torn, gap or pruned (the ledger about itself)")
}

// A selection is which records are wanted: those that fit all of it, and of
// each list any.
type selection struct {
	since, until time.Time // zero = open

	hosts, sessions, events, tools, decisions, hooks, effects []string

	outcomes []string // effects, as --denied, --asked and --changed want any of

	decided bool   // something was decided, changed or lifted
	handle  string // that a person can allow it by
	marker  string // digits in the marker of a value that was redacted

	// in reports whether the project with this root is wanted; nil = all are.
	in func(root string) bool

	limit int    // 0 = all
	kinds bool   // records about the ledger itself too, where nothing but a time is asked for
	kind  string // records of this kind instead of events
}

// selection checks the words. Times without a zone are those of now's.
func (f *filterFlags) selection(now time.Time) (*selection, error) {
	s := &selection{hosts: f.hosts, sessions: f.sessions, tools: f.tools, hooks: f.hooks, limit: f.limit, kind: f.kind}
	if f.limit < 0 {
		return nil, fmt.Errorf("--limit %d: must not be negative", f.limit)
	}
	for _, each := range []struct {
		flag, text string
		end        bool
		into       *time.Time
	}{{"since", f.since, false, &s.since}, {"until", f.until, true, &s.until}} {
		if each.text == "" {
			continue
		}
		at, err := moment(each.text, now, each.end)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", each.flag, err)
		}
		*each.into = at
	}
	if !s.since.IsZero() && !s.until.IsZero() && !s.since.Before(s.until) {
		return nil, fmt.Errorf("--since %s must be earlier than --until %s", f.since, f.until)
	}
	for _, name := range f.events {
		event, err := eventNamed(name)
		if err != nil {
			return nil, err
		}
		s.events = append(s.events, event)
	}
	s.outcomes = f.outcomes().Words()
	var err error
	if s.decisions, err = among("decision", f.decisions, decisionWords()); err != nil {
		return nil, err
	}
	if s.effects, err = among("effect", f.effects, checkrein.AllEffects.Words()); err != nil {
		return nil, err
	}
	return s, s.ofKind()
}

// ofKind checks the kind of records.
func (s *selection) ofKind() error {
	if s.kind == "" || s.kind == ledger.KindEvent {
		s.kind = ""
		return nil
	}
	if _, err := among("kind", []string{s.kind}, ledger.Kinds()); err != nil {
		return err
	}
	if !s.anything() {
		return fmt.Errorf("--kind %s can be combined only with --since and --until: the other filters are for events", s.kind)
	}
	return nil
}

// outcomes are the effects of which a record must have one; none = any will do.
func (f *filterFlags) outcomes() checkrein.Effect {
	var e checkrein.Effect
	if f.denied {
		e |= checkrein.CanDeny
	}
	if f.asked {
		e |= checkrein.CanAsk
	}
	if f.changed {
		e |= changing
	}
	return e
}

// eventNamed is the contract's name of an event that may be written in any
// system's words.
func eventNamed(name string) (string, error) {
	if kind, ok := checkrein.KindOf(name); ok {
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

func decisionWords() []string {
	var out []string
	for d := checkrein.NoOpinion; d <= checkrein.Deny; d++ {
		out = append(out, d.String())
	}
	return out
}

// among checks that all words are of a list.
func among(what string, words, list []string) ([]string, error) {
	for _, w := range words {
		if !slices.Contains(list, w) {
			return nil, fmt.Errorf("unknown %s %q%s", what, w, suggest.HintOr(w, list, "must be one of "+strings.Join(list, ", ")))
		}
	}
	return words, nil
}

// anything reports that nothing but a time is asked for.
func (s *selection) anything() bool {
	for _, list := range [][]string{s.hosts, s.sessions, s.events, s.tools, s.decisions, s.hooks, s.effects, s.outcomes} {
		if len(list) > 0 {
			return false
		}
	}
	return !s.decided && s.handle == "" && s.marker == "" && s.in == nil
}

// fits reports whether a record is wanted. It is what the index does, for who
// reads the ledger itself.
func (s *selection) fits(r *record.Record) bool {
	if !s.within(r.Time) {
		return false
	}
	if r.Kind != ledger.KindEvent || s.kind != "" {
		return (s.kinds || s.kind == r.Kind) && s.anything()
	}
	name, canonical := "", ""
	if r.Tool != nil {
		name, canonical = r.Tool.Name, r.Tool.Canonical
	}
	return some(s.hosts, func(w string) bool { return w == r.Host }) &&
		s.inSession(r.Session, r.Key) &&
		some(s.events, func(w string) bool { return w == r.Event }) &&
		some(s.tools, func(w string) bool { return like(w, name) || like(w, canonical) }) &&
		some(s.decisions, func(w string) bool { return w == r.Decision }) &&
		some(s.hooks, func(w string) bool {
			return slices.ContainsFunc(r.Plan, func(step record.Step) bool { return like(w, step.Hook) })
		}) &&
		some(s.effects, func(w string) bool { return slices.Contains(r.Effects, w) }) &&
		some(s.outcomes, func(w string) bool { return slices.Contains(r.Effects, w) }) &&
		(!s.decided || notable(r)) &&
		(s.handle == "" || s.handle == r.Handle) &&
		(s.marker == "" || redactedIn(r, s.marker) != nil) &&
		(s.in == nil || s.in(r.Root))
}

// notableEffects are those that make an event more than one about which there was no
// opinion.
const notableEffects = changing | checkrein.CanHalt | checkrein.CanRedo

// changing are the effects by which a call or its result becomes another.
const changing = checkrein.CanRewriteInput | checkrein.CanRewriteOutput | checkrein.CanRewriteMessages

// notable reports whether something was decided, changed or lifted.
func notable(r *record.Record) bool {
	return decides(r.Decision) || r.Fault != "" || has(r, notableEffects) || len(lifted(r)) > 0
}

// idle tells most events that are not notable, at the price of a look.
func idle(raw []byte) bool {
	if rawjson.GetText(raw, "decision") != checkrein.NoOpinion.String() {
		return false
	}
	for _, word := range append(notableEffects.Words(), "lifted", "fault") {
		if bytes.Contains(raw, []byte(`"`+word+`"`)) {
			return false
		}
	}
	return true
}

// has reports whether a verdict has one of the effects.
func has(r *record.Record, effects checkrein.Effect) bool {
	return slices.ContainsFunc(effects.Words(), func(w string) bool { return slices.Contains(r.Effects, w) })
}

// inSession reports whether the session with this id and key is wanted: the
// beginning or the end of either will do.
func (s *selection) inSession(id, key string) bool {
	return some(s.sessions, func(w string) bool {
		return slices.ContainsFunc(sessionGlobs(w), func(glob string) bool { return like(glob, id) || like(glob, key) })
	})
}

// fitsLine is fits without decoding where that is not needed.
func (s *selection) fitsLine(line *ledger.Line) (bool, error) {
	if !s.within(line.Time) {
		return false, nil
	}
	if s.anything() {
		if s.kind != "" {
			return line.Kind == s.kind, nil
		}
		return s.kinds || line.Kind == ledger.KindEvent, nil
	}
	if s.handle != "" && !bytes.Contains(line.Raw, []byte(`"handle":"`+s.handle+`"`)) {
		return false, nil
	}
	if s.marker != "" && !bytes.Contains(line.Raw, []byte(`{"id":"`+s.marker+`"`)) {
		return false, nil
	}
	if s.decided && idle(line.Raw) {
		return false, nil
	}
	r, err := record.Decode(line.Raw)
	return err == nil && s.fits(r), err
}

// within reports whether a time is wanted.
func (s *selection) within(t time.Time) bool {
	return (s.since.IsZero() || !t.Before(s.since)) && (s.until.IsZero() || t.Before(s.until))
}

// like reports whether a name fits a pattern, in which * stands for any text.
// What has no name fits none.
func like(pattern, text string) bool {
	if text == "" {
		return false
	}
	first, rest, stars := strings.Cut(pattern, "*")
	if !stars {
		return text == pattern
	}
	text, ok := strings.CutPrefix(text, first)
	if !ok {
		return false
	}
	parts := strings.Split(rest, "*")
	last := len(parts) - 1
	for _, part := range parts[:last] {
		_, after, ok := strings.Cut(text, part)
		if !ok {
			return false
		}
		text = after
	}
	return strings.HasSuffix(text, parts[last])
}

// some reports whether a word of the list is right; an empty list asks nothing.
func some(words []string, right func(string) bool) bool {
	return len(words) == 0 || slices.ContainsFunc(words, right)
}
