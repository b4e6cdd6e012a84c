// Package reentry recognises the children of a hook, so that a
// hook which runs an agent is not run again by that agent's events.
//
// Each hook's program gets a mark in its environment: which hook runs on which
// event, and which process runs it. Anyone can write an environment variable,
// and skipping a gate because of one would open it. So a mark counts only when
// it is sealed with a key from the state directory, and only while the process
// that it names is alive and is our ancestor. To run nothing any more, as too deep
// nesting does, it need only be sealed.
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
	maxMarks = 32 // bounds the variable
	maxDepth = 3  // of hooks inside hooks: an agent that a hook starts may have hooks that start one
	keyFile  = "inside.key"
)

// A Seal makes marks and knows its own. It is safe for concurrent use. Without
// a state directory it makes none and believes none.
type Seal struct {
	dir  state.Dir
	once sync.Once
	key  []byte
}

// NewSeal returns the seal of a state directory. Nothing is read until a mark
// is made or looked at.
func NewSeal(dir state.Dir) *Seal { return &Seal{dir: dir} }

// load reads the key, and makes one when there is none and make says so.
func (s *Seal) load(make bool) []byte {
	s.once.Do(func() {
		var key []byte
		var err error
		if make {
			key, err = s.dir.Key(keyFile)
		} else {
			key, err = s.dir.Read(keyFile, state.KeySize)
		}
		if err == nil && len(key) == state.KeySize {
			s.key = key
		}
	})
	return s.key
}

// Mark returns the variable's value for a child of a hook that runs on an event:
// outer is the value that we have ourselves.
func (s *Seal) Mark(outer string, h *checkrein.Hook, ev *checkrein.Event) (string, error) {
	self, err := process.Self()
	if err != nil {
		return outer, err
	}
	key := s.load(true)
	if key == nil {
		return outer, errors.New("no key to seal a mark with")
	}
	marks := strings.Fields(outer)
	if over := len(marks) + 1 - maxMarks; over > 0 {
		marks = marks[over:] // the variable may be anyone's, and of any length
	}
	m := mark{owner: self.String(), hook: hookSum(key, h), event: eventSum(key, ev)}
	m.sealed = m.seal(key)
	return strings.Join(append(marks, m.String()), " "), nil
}

// A mark records that a process runs a hook on an event.
type mark struct{ owner, hook, event, sealed string }

func (m *mark) String() string { return m.owner + "/" + m.hook + "/" + m.event + "/" + m.sealed }

func (m *mark) seal(key []byte) string { return sum(key, "mark", m.owner, m.hook, m.event) }

// readMark reads a mark of ours; false for any other.
func readMark(key []byte, text string) (mark, bool) {
	parts := strings.Split(text, "/")
	if len(parts) != 4 || key == nil {
		return mark{}, false
	}
	m := mark{parts[0], parts[1], parts[2], parts[3]}
	return m, hmac.Equal([]byte(m.sealed), []byte(m.seal(key)))
}

func hookSum(key []byte, h *checkrein.Hook) string {
	return sum(key, "hook", h.On.String(), h.Event, h.From.File, h.ID, h.Match, string(h.If), string(h.With))
}

// eventSum distinguishes an event from those of other sessions and kinds, "" when it has
// no session.
func eventSum(key []byte, ev *checkrein.Event) string {
	if ev.Session.ID == "" {
		return ""
	}
	tool := ""
	if ev.Tool != nil {
		tool = tools.CanonicalTool(ev.Tool.Name)
	}
	return sum(key, "event", ev.Session.ID, ev.Kind.String(), ev.Native, tool)
}

func sum(key []byte, parts ...string) string {
	mac := hmac.New(sha256.New, key)
	for _, s := range parts {
		mac.Write([]byte(s))
		mac.Write([]byte{0})
	}
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// Marks are what the variable of a process tells. A nil Marks tells nothing.
type Marks struct {
	seal      *Seal
	own       []mark // sealed by us
	ancestors func() map[string]bool
}

// Of reads the variable's value; nil when no mark in it is ours.
func (s *Seal) Of(value string) *Marks {
	var own []mark
	for _, text := range strings.Fields(value) {
		if m, ok := readMark(s.load(false), text); ok {
			own = append(own, m)
		}
	}
	if own == nil {
		return nil
	}
	return &Marks{seal: s, own: own, ancestors: sync.OnceValue(func() map[string]bool {
		ids, _ := process.Ancestors() // unknown ancestors: no mark counts
		names := make(map[string]bool, len(ids))
		for _, id := range ids {
			names[id.String()] = true
		}
		return names
	})}
}

// Runs reports whether we run inside the given hook.
func (m *Marks) Runs(h *checkrein.Hook) bool {
	return m != nil && slices.ContainsFunc(m.own, func(of mark) bool { return of.hook == hookSum(m.seal.key, h) && m.ancestors()[of.owner] })
}

// Again reports whether a hook that we run inside was run on this very event, so
// that it handed us its own.
func (m *Marks) Again(ev *checkrein.Event) bool {
	return m != nil && slices.ContainsFunc(m.own, func(of mark) bool {
		return of.event != "" && of.event == eventSum(m.seal.key, ev) && m.ancestors()[of.owner]
	})
}

// Deep reports whether hooks run in hooks as deep as they may, those included
// that have ended since and left something running.
func (m *Marks) Deep() bool { return m != nil && len(m.own) >= maxDepth }

// reports is the folder of what the processes inside hooks tell those that run them.
const reports = "inside"

// Tell informs the process that runs the innermost hook that it runs checkrein
// inside checkrein.
func (m *Marks) Tell() {
	if m == nil {
		return
	}
	last := m.own[len(m.own)-1]
	_ = m.seal.dir.Write(reports+"/"+last.sealed, nil) // who cannot be told hears our answer
}

// Told reports whether a process that got these marks from us told us that it ran
// inside a hook of ours.
func (s *Seal) Told(value string) bool {
	last := value[strings.LastIndexByte(value, '/')+1:]
	path := s.dir.Path(reports, last)
	if path == "" || len(last) != 32 {
		return false
	}
	if _, err := os.Lstat(path); err != nil {
		return false
	}
	_ = s.dir.Remove(reports + "/" + last) // what is left is of a run that is over
	return true
}
