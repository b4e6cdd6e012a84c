package index

import "time"

// A Filter describes which records are asked for: those that every field accepts. A
// list accepts a record that has any of its texts; an empty one accepts all.
type Filter struct {
	Since, Until time.Time // from Since on, and before Until; zero = unbounded

	Host     []string
	Session  []string // the host's id, or the session key
	Agent    []string
	Event    []string
	Tool     []string // the host's name or the canonical one; * stands for any text
	Decision []string
	Hook     []string // planned, whatever came of it; * stands for any text
	Effect   []string
	Outcome  []string // effects too, of which a record must have one beside those of Effect
	Kind     string   // of record; "" = any

	Limit  int  // how many at most; 0 = all. Count pays no heed to it
	Oldest bool // first, instead of the newest
}

// A wanted list is the terms of which a record must have one.
type wanted struct {
	field field
	texts []string
	globs bool
}

func (f *Filter) wanted() []wanted {
	all := []wanted{
		{fieldHost, f.Host, false}, {fieldSession, f.Session, true}, {fieldAgent, f.Agent, false}, {fieldEvent, f.Event, false},
		{fieldTool, f.Tool, true}, {fieldDecision, f.Decision, false}, {fieldHook, f.Hook, true}, {fieldEffect, f.Effect, false},
		{fieldEffect, f.Outcome, false},
	}
	if f.Kind != "" {
		all = append(all, wanted{fieldKind, []string{f.Kind}, false})
	}
	some := all[:0]
	for _, w := range all {
		if len(w.texts) > 0 {
			some = append(some, w)
		}
	}
	return some
}

// bounds are the filter's, as the index has them.
func (f *Filter) bounds() span {
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

// holds reports whether a place lies within the bounds.
func (s *span) holds(p *place) bool {
	return s.timeMin <= p.time && p.time <= s.timeMax
}

// meets reports whether a part of another span lies within this one.
func (s *span) meets(o *span) bool {
	return s.timeMin <= o.timeMax && o.timeMin <= s.timeMax
}

// covers reports whether another span lies within this one.
func (s *span) covers(o *span) bool {
	return s.timeMin <= o.timeMin && o.timeMax <= s.timeMax
}
