package index

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// A Filter says which records are asked for: those that every field accepts. A
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

// terms returns the ids of a wanted list as SQL has them; "" = no record has
// any of them.
func (w *wanted) terms(ctx context.Context, db queryer) (string, error) {
	var ids []byte
	for _, text := range w.texts {
		how := "text = ?"
		if w.globs && strings.Contains(text, "*") {
			how, text = "text GLOB ?", glob(text)
		}
		rows, err := db.QueryContext(ctx, "SELECT id FROM term WHERE field = ? AND "+how, byte(w.field), text)
		if err != nil {
			return "", err
		}
		for rows.Next() {
			var id int64
			if err := rows.Scan(&id); err != nil {
				rows.Close()
				return "", damage(err)
			}
			if len(ids) > 0 {
				ids = append(ids, ',')
			}
			ids = strconv.AppendInt(ids, id, 10)
		}
		if err := rows.Err(); err != nil {
			return "", err
		}
	}
	return string(ids), nil
}

// glob writes a text with stars as SQLite wants it, where more than the star
// has a meaning.
func glob(text string) string {
	return strings.NewReplacer("[", "[[]", "?", "[?]").Replace(text)
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

// covers reports whether another span lies within this one.
func (s *span) covers(o *span) bool {
	return s.timeMin <= o.timeMin && o.timeMax <= s.timeMax
}
