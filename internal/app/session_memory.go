package app

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/guard/study"
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

// sessionKey names a session in what is kept of it.
func sessionKey(host, id string) string { return host + "\x00" + id }

// toldKey names a session in what the person was told; "" = it has no name.
func toldKey(host, id string) string {
	if id == "" {
		return ""
	}
	return sessionKey(host, id)
}

// A lastSession remembers the key of the session that was asked about last: a process
// mostly serves one.
type lastSession struct {
	known atomic.Pointer[namedSession]
}

type namedSession struct{ host, id, key string }

// key is [sessionKey].
func (l *lastSession) key(host, id string) string {
	if n := l.known.Load(); n != nil && n.host == host && n.id == id {
		return n.key
	}
	n := &namedSession{host, id, sessionKey(host, id)}
	l.known.Store(n)
	return n.key
}

// Turn forgets the redos of the last turn, unless what starts the new one is
// our own feedback come back as a prompt.
func (m *memory) Turn(ev *checkrein.Event) {
	if ev.Session.ID == "" || m.frozen {
		return
	}
	var s session
	key := sessionKey(ev.Host, ev.Session.ID)
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
		prompt = redactorFor(ev).Text(prompt)
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
			s.Said = append(s.Said, redactorFor(ev).Text(text)) // a hook may quote anything
		}
		return nil
	}
	key := sessionKey(ev.Host, ev.Session.ID)
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

// hasRedone reports whether a hook has told the agent to go on in this turn. A
// person's prompt forgets that before any hook hears of the prompt; our own
// feedback, come back as one, does not.
func (m *memory) hasRedone(ev *checkrein.Event) bool {
	if ev.Session.ID == "" {
		return false
	}
	var s session
	ok, _ := m.store.Get(sessionKey(ev.Host, ev.Session.ID), &s)
	return ok && len(s.Said) > 0
}

// notToldBefore returns those of the given lines that the person has not been told in
// this session, and notes that they are now. Without a session id everything is
// news.
func (m *memory) notToldBefore(id string, lines []string) []string {
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
	_ = m.store.Update(key, &s, func() error { // else it is said again
		s.Told = append(s.Told, lines...)
		s.Told = s.Told[max(0, len(s.Told)-maxTold):]
		return nil
	})
	return lines
}

// maxTold bounds what is remembered of one session.
const maxTold = 200

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
	if ok, _ := m.store.Get(sessionKey(ev.Host, ev.Session.ID), &s); !ok {
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

// addDenial notes a denial of what a call does.
func (m *memory) addDenial(key, effect, why string, does []study.Touch) {
	var s session
	_ = m.store.Update(key, &s, func() error { // else it counts as the first again
		if s.Denied == nil {
			s.Denied = map[string]denied{}
		}
		id := digest(effect)
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

// forgive forgets that a thing was denied in a session.
func (m *memory) forgive(host, of, id string) {
	if of == "" || id == "" {
		return
	}
	key := sessionKey(host, of)
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
