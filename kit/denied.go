package kit

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/builtin"
)

// maxDenied bounds what is remembered of one turn.
const maxDenied = 200

// denials returns how often a thing was denied in this turn.
func (m *memory) denials(ev *checkrein.Event, key string) int {
	var s session
	if ok, _ := m.store.Get(sessionKey(ev), &s); !ok {
		return 0
	}
	return s.Denied[digest(key)]
}

// remember notes a denial, if a hook of the event asks for it.
func (k *Kit) remember(ev *checkrein.Event, out *engine.Outcome) {
	if out.Verdict.Decision != checkrein.Deny || ev.Kind != checkrein.PreToolUse || ev.Session.ID == "" || !k.recalls(out) {
		return
	}
	key := builtin.EffectKey(ev, k.ground(ev))
	if key == "" {
		return
	}
	var s session
	_ = k.memory.store.Update(sessionKey(ev), &s, func() error { // else it counts as the first again
		if s.Denied == nil {
			s.Denied = map[string]int{}
		}
		if len(s.Denied) < maxDenied {
			s.Denied[digest(key)]++
		}
		return nil
	})
}

// recalls reports whether a hook goes by what was denied before.
func (k *Kit) recalls(out *engine.Outcome) bool {
	return slices.ContainsFunc(out.Steps, func(s engine.Step) bool { return k.Traits(s.Hook).Recalls })
}

// forgive forgets that a thing was denied in a session.
func (m *memory) forgive(host, id, denied string) {
	if id == "" || denied == "" {
		return
	}
	key := sessionKey(&checkrein.Event{Host: host, Session: checkrein.Session{ID: id}})
	var s session
	if ok, _ := m.store.Get(key, &s); !ok || s.Denied[denied] == 0 {
		return
	}
	_ = m.store.Update(key, &s, func() error { // else denial memory objects once more
		delete(s.Denied, denied)
		return nil
	})
}

func digest(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:8])
}
