package kit

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// sessionTTL is how long a session that is not heard of is remembered.
const sessionTTL = 7 * 24 * time.Hour

const sessionsFolder = "sessions"

// maxSaid bounds what is remembered of one turn.
const maxSaid = 16

// memory is what is remembered of sessions. Without a session id, or without a
// state directory, it remembers nothing: redos then count as the first.
type memory struct {
	store  state.Store
	dir    state.Dir // seals how sessions began
	frozen bool      // whoever asks is foreign to the session: nothing is noted
}

// session is what is remembered of one.
type session struct {
	Redo   map[string]int    `json:"redo,omitempty"`
	Denied map[string]denied `json:"denials,omitempty"` // what was denied in this turn, by the digest of its key
	Said   []string          `json:"said,omitempty"`    // what we told the agent to go on with, in this turn, masked
	Told   []string          `json:"told,omitempty"`    // what the person knows already
}

func newMemory(dir state.Dir, now func() time.Time) *memory {
	return &memory{store: dir.Store(sessionsFolder, sessionTTL, now), dir: dir}
}

func sessionKey(ev *checkrein.Event) string {
	return ev.Host + "\x00" + ev.Session.ID
}

// Turn forgets the redos of the last turn, unless what starts the new one is
// our own feedback come back as a prompt.
func (m *memory) Turn(ev *checkrein.Event) {
	if ev.Session.ID == "" || m.frozen {
		return
	}
	var s session
	key := sessionKey(ev)
	if ok, _ := m.store.Get(key, &s); !ok {
		return
	}
	if !slices.ContainsFunc(s.Said, func(said string) bool { return repeats(ev, said) }) {
		_ = m.store.Delete(key)
	}
}

// repeats reports whether a prompt quotes what we told the agent, of which only
// the masked text is known.
func repeats(ev *checkrein.Event, said string) bool {
	prompt := ev.Text
	if strings.Contains(said, secret.Marker) {
		prompt = masker(ev).Text(prompt)
	}
	return quotes(prompt, said)
}

// quotes reports whether a prompt is what we told the agent, as hosts send it
// back: in words of theirs, whatever these are. A short reason must stand on
// lines of its own or behind a colon, or it may just occur in what a person
// writes.
func quotes(prompt, said string) bool {
	if len(said) >= 20 {
		return strings.Contains(prompt, said)
	}
	for at := 0; ; at++ {
		i := strings.Index(prompt[at:], said)
		if i < 0 {
			return false
		}
		at += i
		before, after := prompt[:at], prompt[at+len(said):]
		if (before == "" || strings.HasSuffix(before, "\n") || strings.HasSuffix(before, ": ")) && (after == "" || after[0] == '\n' || after[0] == '\r') {
			return true
		}
	}
}

// Redo counts a redo of a hook, for the agent at work, in this turn. What cannot
// be counted counts as too often: an agent that can never stop is worse than
// one that stops too early.
func (m *memory) Redo(ev *checkrein.Event, hook, text string) int {
	if ev.Session.ID == "" {
		return 1
	}
	if m.frozen {
		return engine.Uncounted
	}
	n := engine.Uncounted
	var s session
	count := func() error {
		if s.Redo == nil {
			s.Redo = map[string]int{}
		}
		who := ev.Session.Agent + "\x00" + hook
		s.Redo[who]++
		n = s.Redo[who]
		if len(s.Said) < maxSaid {
			s.Said = append(s.Said, masker(ev).Text(text)) // a hook may quote anything
		}
		return nil
	}
	key := sessionKey(ev)
	err := m.store.Update(key, &s, count)
	if errors.Is(err, state.ErrDamaged) {
		_ = m.store.Delete(key) // or every redo would be the first
		err = m.store.Update(key, &s, count)
	}
	if err != nil {
		return engine.Uncounted
	}
	return n
}
