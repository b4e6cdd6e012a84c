package kit

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/guard/conduct"
	"github.com/checkrein/checkrein/internal/guard/study"
)

// maxDenied bounds what is remembered of one turn.
const maxDenied = 200

// A denied thing is what is remembered of a denial, and of others of the same.
type denied struct {
	At   int           `json:"at"` // its place among the others
	N    int           `json:"n"`
	Why  string        `json:"why,omitempty"` // what the first was denied for, masked
	Does []study.Touch `json:"does,omitempty"`
}

// denials returns how often what a call does was denied in this turn, in whatever
// words, and the first reason.
func (m *memory) denials(ev *checkrein.Event, key string, does []study.Touch) (n int, why string) {
	var s session
	if ok, _ := m.store.Get(sessionKey(ev), &s); !ok {
		return 0, ""
	}
	id := digest(key)
	first := 0
	for have, d := range s.Denied {
		if have != id && !sameDoing(does, d.Does) {
			continue
		}
		if n += d.N; why == "" || d.At < first {
			why, first = d.Why, d.At
		}
	}
	return n, why
}

// sameDoing reports whether one of two lists does what the other did.
func sameDoing(does, did []study.Touch) bool {
	return slices.ContainsFunc(does, func(t study.Touch) bool {
		return slices.ContainsFunc(did, func(d study.Touch) bool { return t.Again(&d) })
	})
}

// remember notes a denial, if a hook of the event asks for it.
func (k *Kit) remember(ev *checkrein.Event, out *engine.Outcome) {
	if out.Verdict.Decision != checkrein.Deny || ev.Kind != checkrein.PreToolUse || ev.Session.ID == "" || k.standing.foreign || !k.recalls(out) {
		return
	}
	at := k.ground(ev)
	key := study.EffectKey(ev, at)
	if key == "" {
		return
	}
	does, why := study.Touches(ev, at), firstReason(out)
	var s session
	_ = k.memory.store.Update(sessionKey(ev), &s, func() error { // else it counts as the first again
		if s.Denied == nil {
			s.Denied = map[string]denied{}
		}
		id := digest(key)
		d, known := s.Denied[id]
		if !known {
			if len(s.Denied) >= maxDenied {
				return nil
			}
			d = denied{At: len(s.Denied), Why: why, Does: does}
		}
		d.N++
		s.Denied[id] = d
		return nil
	})
}

// maxWhy bounds what is remembered of a reason.
const maxWhy = 300

// firstReason is what others than denial memory denied a call for, masked.
func firstReason(out *engine.Outcome) string {
	for i := range out.Steps {
		s := &out.Steps[i]
		if v := s.Verdict; v != nil && v.Decision == checkrein.Deny && v.Reason != "" && !strings.HasPrefix(v.Metadata["rule"], conduct.DenialMemory+"/") {
			return clipped(masker(&out.Event).Text(v.Reason), maxWhy)
		}
	}
	return ""
}

// recalls reports whether a hook goes by what was denied before.
func (k *Kit) recalls(out *engine.Outcome) bool {
	return slices.ContainsFunc(out.Steps, func(s engine.Step) bool { return k.Traits(s.Hook).Recalls })
}

// forgive forgets that a thing was denied in a session.
func (m *memory) forgive(host, of, id string) {
	if of == "" || id == "" {
		return
	}
	key := sessionKey(&checkrein.Event{Host: host, Session: checkrein.Session{ID: of}})
	var s session
	if ok, _ := m.store.Get(key, &s); !ok || s.Denied[id].N == 0 {
		return
	}
	_ = m.store.Update(key, &s, func() error { // else denial memory objects once more
		does := s.Denied[id].Does
		delete(s.Denied, id)
		for have, d := range s.Denied {
			if sameDoing(does, d.Does) || sameDoing(d.Does, does) {
				delete(s.Denied, have) // the same, in other words
			}
		}
		return nil
	})
}

func digest(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:8])
}
