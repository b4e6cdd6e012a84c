// Package reentry detects whether a process is running inside a hook, so that an agent started by a
// hook does not trigger the same hook again.
//
// Each hook's program gets a mark in its environment, which names the hook, the event, and the process
// that runs the hook. Any program can set an environment variable, so a forged mark must not cause a
// gate to be skipped: a mark counts only if it is sealed with a key from the state directory, and only
// while the process that it names is alive and an ancestor of this one. The limit on nesting depth
// needs only the seal.
package reentry

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// Variable is the environment variable that holds the marks.
const Variable = "CHECKREIN_INSIDE"

const (
	maxMarks = 32 // limits the length of the variable
	maxDepth = 3  // limits how deeply hooks are nested, since a hook may start an agent that has such hooks, too
	keyFile  = "inside.key"
)

// A Seal creates marks and verifies its own ones. It is safe for concurrent use. Without a state
// directory it creates and accepts none.
type Seal struct {
	dir  state.Dir
	once sync.Once
	key  []byte
}

// NewSeal returns the seal of the state directory dir. The key is read when the first mark is created
// or verified.
func NewSeal(dir state.Dir) *Seal { return &Seal{dir: dir} }

// loadKey returns the key, or nil if there is none. If make is set, the first call creates a missing
// key.
func (s *Seal) loadKey(make bool) []byte {
	s.once.Do(func() {
		var key []byte
		var err error
		if make {
			key, err = s.dir.ReadOrCreateKey(keyFile)
		} else {
			key, err = s.dir.Read(keyFile, state.KeySize)
		}
		if err == nil && len(key) == state.KeySize {
			s.key = key
		}
	})
	return s.key
}

// AddMark returns the value of [Variable] for a child process of the hook h, which runs on ev: outer,
// the value in this process, with a mark added. On an error it returns outer unchanged.
func (s *Seal) AddMark(outer string, h *checkrein.Hook, ev *checkrein.Event) (string, error) {
	self, err := process.SelfID()
	if err != nil {
		return outer, err
	}
	key := s.loadKey(true)
	if key == nil {
		return outer, errors.New("cannot load or create the key that seals re-entry marks")
	}
	marks := strings.Fields(outer)
	if over := len(marks) + 1 - maxMarks; over > 0 {
		marks = marks[over:] // other programs may set the variable to any length
	}
	m := mark{owner: self.String(), hook: hookDigest(key, h), event: eventDigest(key, ev)}
	m.sealed = m.computeSeal(key)
	return strings.Join(append(marks, m.String()), " "), nil
}

// A mark records that a process runs a hook on an event.
type mark struct{ owner, hook, event, sealed string }

func (m *mark) String() string { return m.owner + "/" + m.hook + "/" + m.event + "/" + m.sealed }

// computeSeal returns the seal that the mark must have under key.
func (m *mark) computeSeal(key []byte) string {
	return keyedDigest(key, "mark", m.owner, m.hook, m.event)
}

// parseMark parses a mark. It returns false if the mark is malformed or not sealed with key.
func parseMark(key []byte, text string) (mark, bool) {
	parts := strings.Split(text, "/")
	if len(parts) != 4 || key == nil {
		return mark{}, false
	}
	m := mark{parts[0], parts[1], parts[2], parts[3]}
	return m, hmac.Equal([]byte(m.sealed), []byte(m.computeSeal(key)))
}

func hookDigest(key []byte, h *checkrein.Hook) string {
	return keyedDigest(key, "hook", h.On.String(), h.Event, h.From.File, h.ID, h.Match, string(h.If), string(h.With))
}

// eventDigest returns a digest of the session, kind and tool of ev, or "" if ev has no session.
func eventDigest(key []byte, ev *checkrein.Event) string {
	if ev.Session.ID == "" {
		return ""
	}
	tool := ""
	if ev.Tool != nil {
		tool = tools.CanonicalTool(ev.Tool.Name)
	}
	return keyedDigest(key, "event", ev.Session.ID, ev.Kind.String(), ev.Native, tool)
}

func keyedDigest(key []byte, parts ...string) string {
	mac := hmac.New(sha256.New, key)
	for _, s := range parts {
		mac.Write([]byte(s))
		mac.Write([]byte{0})
	}
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// Marks holds the verified marks of a process. A nil Marks is valid and has none.
type Marks struct {
	seal      *Seal
	own       []mark // sealed with the key
	ancestors func() map[string]bool
}

// Verify returns the marks in value, the value of [Variable], that are sealed with the key of s, or
// nil if there are none.
func (s *Seal) Verify(value string) *Marks {
	var own []mark
	for _, text := range strings.Fields(value) {
		if m, ok := parseMark(s.loadKey(false), text); ok {
			own = append(own, m)
		}
	}
	if own == nil {
		return nil
	}
	return &Marks{seal: s, own: own, ancestors: sync.OnceValue(func() map[string]bool {
		ids, _ := process.Ancestors() // if the ancestors are unknown, no mark counts
		names := make(map[string]bool, len(ids))
		for _, id := range ids {
			names[id.String()] = true
		}
		return names
	})}
}

// IsInside reports whether this process runs inside the hook h.
func (m *Marks) IsInside(h *checkrein.Hook) bool {
	return m != nil && slices.ContainsFunc(m.own, func(of mark) bool { return of.hook == hookDigest(m.seal.key, h) && m.ancestors()[of.owner] })
}

// IsSameEvent reports whether a hook that this process runs inside was run on the same event as ev.
// Such a hook has passed its own event on to checkrein.
func (m *Marks) IsSameEvent(ev *checkrein.Event) bool {
	return m != nil && slices.ContainsFunc(m.own, func(of mark) bool {
		return of.event != "" && of.event == eventDigest(m.seal.key, ev) && m.ancestors()[of.owner]
	})
}

// IsTooDeep reports whether hooks are nested maxDepth levels deep. Hooks that have ended but left a
// process running count, too.
func (m *Marks) IsTooDeep() bool { return m != nil && len(m.own) >= maxDepth }

// reportFolder is the directory, inside the state directory, with the reports of processes inside
// hooks.
const reportFolder = "inside"

// ReportNesting reports to the process that runs the innermost hook that this hook calls checkrein.
func (m *Marks) ReportNesting() {
	if m == nil {
		return
	}
	last := m.own[len(m.own)-1]
	_ = m.seal.dir.Write(reportFolder+"/"+last.sealed, nil) // if it fails, the answer still mentions the nesting
}

// TakeReport removes the report of a process that got value as its marks from this one. It returns
// false if there is none.
func (s *Seal) TakeReport(value string) bool {
	last := value[strings.LastIndexByte(value, '/')+1:]
	path := s.dir.Path(reportFolder, last)
	if path == "" || len(last) != 32 {
		return false
	}
	if _, err := os.Lstat(path); err != nil {
		return false
	}
	_ = s.dir.Remove(reportFolder + "/" + last) // on failure it stays, but its run has ended
	return true
}
