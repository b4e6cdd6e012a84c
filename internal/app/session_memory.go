package app

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// sessionTTL is how long an idle session is remembered.
const sessionTTL = 7 * 24 * time.Hour

const sessionsFolder = "sessions"

// maxFeedback is how many feedback texts are remembered per turn.
const maxFeedback = 16

// A memory holds what is remembered about sessions. Without a session id or a state directory it
// remembers nothing, so that every redo counts as the first.
type memory struct {
	store  state.Store
	dir    state.Dir // seals the beginnings of sessions
	frozen bool      // the caller does not own the session, so nothing is saved
}

// A session is what is remembered about one session.
type session struct {
	Redo   map[string]int    `json:"redo,omitempty"`
	Denied map[string]denial `json:"denials,omitempty"` // denials of this turn, by the digest of their effect
	Said   []string          `json:"said,omitempty"`    // feedback that made the agent continue in this turn, without secrets
	Told   []string          `json:"told,omitempty"`    // notices that the user has seen
}

// newMemory returns the memory of sessions in dir.
func newMemory(dir state.Dir, now func() time.Time) *memory {
	return &memory{store: dir.OpenStore(sessionsFolder, sessionTTL, now), dir: dir}
}

// redoMemory returns the memory that counts redos: the memory of sessions or, if an embedder keeps
// nothing, one that lives as long as the kit.
func (k *Kit) redoMemory() engine.Memory {
	if k.unrecorded {
		return &redoCounts{}
	}
	return k.memory
}

// redoCounts is an [engine.Memory] that counts the redos of sessions without saving them.
type redoCounts struct {
	mu       sync.Mutex
	sessions map[string]*session
}

// Turn implements [engine.Memory] like [memory.Turn].
func (c *redoCounts) Turn(ev *checkrein.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := sessionKey(ev.Host, ev.Session.ID)
	if s := c.sessions[key]; s != nil && !slices.ContainsFunc(s.Said, func(said string) bool { return quotesText(ev.Text, said) }) {
		delete(c.sessions, key)
	}
}

// Redo implements [engine.Memory] like [memory.Redo].
func (c *redoCounts) Redo(ev *checkrein.Event, hook, text string) int {
	if ev.Session.ID == "" {
		return 1
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions == nil {
		c.sessions = map[string]*session{}
	}
	key := sessionKey(ev.Host, ev.Session.ID)
	s := c.sessions[key]
	if s == nil {
		s = &session{Redo: map[string]int{}}
		c.sessions[key] = s
	}
	s.Redo[ev.Session.Agent+"\x00"+hook]++
	if len(s.Said) < maxFeedback {
		s.Said = append(s.Said, text)
	}
	return s.Redo[ev.Session.Agent+"\x00"+hook]
}

// sessionKey returns the key of a session in the stores.
func sessionKey(host, id string) string { return host + "\x00" + id }

// toldKey returns the key of a session for notices, or "" if the session has no id.
func toldKey(host, id string) string {
	if id == "" {
		return ""
	}
	return sessionKey(host, id)
}

// A lastSession caches the key of the last session, since a process mostly serves one.
type lastSession struct {
	known atomic.Pointer[sessionWithKey]
}

// A sessionWithKey is the host and id of a session with its key.
type sessionWithKey struct{ host, id, key string }

// key returns the [sessionKey] of host and id.
func (l *lastSession) key(host, id string) string {
	if n := l.known.Load(); n != nil && n.host == host && n.id == id {
		return n.key
	}
	n := &sessionWithKey{host, id, sessionKey(host, id)}
	l.known.Store(n)
	return n.key
}

// Turn begins a new turn. It forgets the session's redos, unless the prompt is checkrein's own
// feedback that the host sent back.
func (m *memory) Turn(ev *checkrein.Event) {
	if ev.Session.ID == "" || m.frozen {
		return
	}
	var s session
	key := sessionKey(ev.Host, ev.Session.ID)
	if ok, _ := m.store.Get(key, &s); !ok {
		return
	}
	if !slices.ContainsFunc(s.Said, func(said string) bool { return quotesFeedback(ev, said) }) {
		_ = m.store.Delete(key)
	}
}

// quotesFeedback reports whether the prompt in ev quotes said, feedback from which secrets were
// removed.
func quotesFeedback(ev *checkrein.Event, said string) bool {
	prompt := ev.Text
	if strings.Contains(said, secret.Marker) {
		prompt = redactorFor(ev).MaskText(prompt)
	}
	return quotesText(prompt, said)
}

// quotesText reports whether prompt contains the feedback said as hosts send it back, whatever they
// add. Short feedback must stand on its own lines or after a colon, since users may write the same
// words.
func quotesText(prompt, said string) bool {
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

// Redo counts a redo by hook for the current agent in this turn, and returns the count. If it cannot
// be counted, it returns [engine.Uncounted], because an agent that can never stop is worse than one
// that stops too early.
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
		if len(s.Said) < maxFeedback {
			s.Said = append(s.Said, redactorFor(ev).MaskText(text)) // a hook may quote secrets
		}
		return nil
	}
	key := sessionKey(ev.Host, ev.Session.ID)
	err := m.store.Update(key, &s, count)
	if errors.Is(err, state.ErrDamaged) {
		_ = m.store.Delete(key) // otherwise every redo would count as the first
		err = m.store.Update(key, &s, count)
	}
	if err != nil {
		return engine.Uncounted
	}
	return n
}

// hasRedone reports whether a hook made the agent continue in this turn. A prompt of the user clears
// that before hooks run for it; checkrein's own feedback, sent back as a prompt, does not.
func (m *memory) hasRedone(ev *checkrein.Event) bool {
	if ev.Session.ID == "" {
		return false
	}
	var s session
	ok, _ := m.store.Get(sessionKey(ev.Host, ev.Session.ID), &s)
	return ok && len(s.Said) > 0
}

// takeUnseen returns those of lines that the user has not seen in the session id, and saves that they
// are seen. If id is "", it returns all of them.
func (m *memory) takeUnseen(id string, lines []string) []string {
	if id == "" || len(lines) == 0 {
		return lines
	}
	key := "told\x00" + id
	var s session
	if ok, _ := m.store.Get(key, &s); ok {
		lines = slices.DeleteFunc(lines, func(l string) bool { return slices.Contains(s.Told, l) })
	}
	if len(lines) == 0 {
		return nil
	}
	if m.frozen {
		return lines
	}
	_ = m.store.Update(key, &s, func() error { // if this fails, the lines are shown again
		s.Told = append(s.Told, lines...)
		s.Told = s.Told[max(0, len(s.Told)-maxTold):]
		return nil
	})
	return lines
}

// maxTold is how many notices are remembered per session.
const maxTold = 200

// maxDenied is how many denials are remembered per turn.
const maxDenied = 200

// A denial is a remembered denial, with its repetitions.
type denial struct {
	At   int           `json:"at"` // its position among the denials of the turn
	N    int           `json:"n"`
	Why  string        `json:"why,omitempty"` // the reason of the first, without secrets
	Does []study.Touch `json:"does,omitempty"`
}

// countDenials returns how many times what a call does was denied in this turn, in any wording, and the
// reason of the first denial.
func (m *memory) countDenials(ev *checkrein.Event, key string, does []study.Touch) (n int, why string) {
	var s session
	if ok, _ := m.store.Get(sessionKey(ev.Host, ev.Session.ID), &s); !ok {
		return 0, ""
	}
	id := shortDigest(key)
	first := 0
	for have, d := range s.Denied {
		if have != id && !repeatsAny(does, d.Does) {
			continue
		}
		if n += d.N; why == "" || d.At < first {
			why, first = d.Why, d.At
		}
	}
	return n, why
}

// repeatsAny reports whether one of does repeats one of did.
func repeatsAny(does, did []study.Touch) bool {
	return slices.ContainsFunc(does, func(t study.Touch) bool {
		return slices.ContainsFunc(did, func(d study.Touch) bool { return t.Repeats(&d) })
	})
}

// addDenial counts a denial of effect in the session key. why is its reason, and does what the call
// would have touched.
func (m *memory) addDenial(key, effect, why string, does []study.Touch) {
	var s session
	_ = m.store.Update(key, &s, func() error { // if this fails, the next denial counts as the first
		if s.Denied == nil {
			s.Denied = map[string]denial{}
		}
		id := shortDigest(effect)
		d, known := s.Denied[id]
		if !known {
			if len(s.Denied) >= maxDenied {
				return nil
			}
			d = denial{At: len(s.Denied), Why: why, Does: does}
		}
		d.N++
		s.Denied[id] = d
		return nil
	})
}

// removeDenial removes the denial id from the session of, and those of the same effect in other words.
func (m *memory) removeDenial(host, of, id string) {
	if of == "" || id == "" {
		return
	}
	key := sessionKey(host, of)
	var s session
	if ok, _ := m.store.Get(key, &s); !ok || s.Denied[id].N == 0 {
		return
	}
	_ = m.store.Update(key, &s, func() error { // if this fails, denial memory denies once more
		does := s.Denied[id].Does
		delete(s.Denied, id)
		for have, d := range s.Denied {
			if repeatsAny(does, d.Does) || repeatsAny(d.Does, does) {
				delete(s.Denied, have) // the same effect in other words
			}
		}
		return nil
	})
}

// shortDigest returns the first 16 hexadecimal digits of the SHA-256 of key.
func shortDigest(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:8])
}
