package index

import (
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/record"
)

// A Filter selects the records that all its fields accept. A list accepts records that have any of its
// texts; an empty list accepts all records.
type Filter struct {
	Since, Until time.Time // from Since on, and before Until; zero means unlimited

	Host     []string
	Session  []string // the host's id, or the session key
	Agent    []string
	Event    []string
	Tool     []string // the host's name or the canonical one; * stands for any text
	Decision []string
	Hook     []string // planned hooks, whatever their outcome; * stands for any text
	Effect   []string
	Outcome  []string // effects of which a record must have one in addition to those of Effect
	Kind     string   // kind of record; "" means any

	Limit  int  // maximum number of records; 0 means all. Count ignores it
	Oldest bool // oldest records first, instead of newest first
}

// A termList is a list of terms of one field, one of which a record must have.
type termList struct {
	field field
	texts []string
	globs bool
}

// termLists returns the lists of terms that are not empty.
func (f *Filter) termLists() []termList {
	all := []termList{
		{fieldHost, f.Host, false}, {fieldSession, f.Session, true}, {fieldAgent, f.Agent, false}, {fieldEvent, f.Event, false},
		{fieldTool, f.Tool, true}, {fieldDecision, f.Decision, false}, {fieldHook, f.Hook, true}, {fieldEffect, f.Effect, false},
		{fieldEffect, f.Outcome, false},
	}
	if f.Kind != "" {
		all = append(all, termList{fieldKind, []string{f.Kind}, false})
	}
	some := all[:0]
	for _, w := range all {
		if len(w.texts) > 0 {
			some = append(some, w)
		}
	}
	return some
}

// Accepts reports whether f accepts r, as a query of an index would.
func (f *Filter) Accepts(r *record.Record) bool { return f.Accepter()(r) }

// Accepter returns Accepts for f as it is now, for use with many records.
func (f *Filter) Accepter() func(r *record.Record) bool {
	since, until, lists := f.Since, f.Until, f.termLists()
	return func(r *record.Record) bool {
		if at := r.Time; !since.IsZero() && at.Before(since) || !until.IsZero() && !at.Before(until) {
			return false
		}
		return !slices.ContainsFunc(lists, func(list termList) bool {
			return !slices.ContainsFunc(termsOf(r, list.field), list.matches)
		})
	}
}

// matches reports whether w has text, or a pattern that matches it.
func (w *termList) matches(text string) bool {
	return text != "" && slices.ContainsFunc(w.texts, func(want string) bool {
		return want == text || w.globs && strings.Contains(want, "*") && matchStar(want, []byte(text))
	})
}

// termsOf returns the terms of r in the field, as an index has them.
func termsOf(r *record.Record, in field) (out []string) {
	switch in {
	case fieldHost:
		out = []string{r.Host}
	case fieldSession:
		out = []string{r.Session, r.Key}
	case fieldAgent:
		out = []string{r.Agent}
	case fieldEvent:
		out = []string{r.Event}
	case fieldTool:
		if r.Tool != nil {
			out = []string{r.Tool.Name, r.Tool.Canonical}
		}
	case fieldDecision:
		out = []string{r.Decision}
	case fieldHook:
		for i := range r.Plan {
			out = append(out, r.Plan[i].Hook)
		}
	case fieldEffect:
		out = r.Effects
	case fieldKind:
		out = []string{r.Kind}
	}
	return out
}

// timeSpan returns the time range of the filter.
func (f *Filter) timeSpan() span {
	s := span{timeMin: minInt, timeMax: maxInt}
	if !f.Since.IsZero() {
		s.timeMin = f.Since.UnixNano()
	}
	if !f.Until.IsZero() {
		s.timeMax = f.Until.UnixNano() - 1
	}
	return s
}

const (
	maxInt = 1<<63 - 1
	minInt = -1 << 63
)

// contains reports whether the time of p lies in s.
func (s *span) contains(p *place) bool {
	return s.timeMin <= p.time && p.time <= s.timeMax
}

// overlaps reports whether s and o overlap.
func (s *span) overlaps(o *span) bool {
	return s.timeMin <= o.timeMax && o.timeMin <= s.timeMax
}

// includes reports whether o lies within s.
func (s *span) includes(o *span) bool {
	return s.timeMin <= o.timeMin && o.timeMax <= s.timeMax
}
