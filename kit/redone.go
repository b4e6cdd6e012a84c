package kit

import "github.com/checkrein/checkrein"

// redone reports whether a hook has told the agent to go on in this turn. A
// person's prompt forgets that before any hook hears of the prompt; our own
// feedback, come back as one, does not.
func (m *memory) redone(ev *checkrein.Event) bool {
	if ev.Session.ID == "" {
		return false
	}
	var s session
	ok, _ := m.store.Get(sessionKey(ev), &s)
	return ok && len(s.Said) > 0
}
