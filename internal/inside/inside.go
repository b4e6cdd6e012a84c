// Package inside tells a hook's own children from everything else, so that a
// hook which runs an agent is not run again by that agent's events.
//
// Each hook's program gets a mark in its environment: which hook runs on which
// event, and which process runs it. Anyone can write an environment variable,
// and skipping a gate because of one would open it. So a mark counts only when
// it is sealed with a key from the state directory, and only while the process
// that it names is alive and is our ancestor.
package inside

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/process"
	"github.com/checkrein/checkrein/internal/state"
)

// Variable is the environment variable that holds the marks.
const Variable = "CHECKREIN_INSIDE"

const (
	maxMarks = 32 // bounds the variable; deeper nesting is refused by never matching
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

// Mark returns the variable's value for a child of a hook: outer is the value
// that we have ourselves.
func (s *Seal) Mark(outer string, h *checkrein.Hook) (string, error) {
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
	owner := self.String()
	return strings.Join(append(marks, owner+"/"+seal(key, owner, h)), " "), nil
}

// seal signs that a process runs a hook on its event.
func seal(key []byte, owner string, h *checkrein.Hook) string {
	mac := hmac.New(sha256.New, key)
	for _, s := range [...]string{owner, h.On.String(), h.Event, h.From.File, h.ID, h.Match, string(h.If), string(h.With)} {
		mac.Write([]byte(s))
		mac.Write([]byte{0})
	}
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// Of returns a function that reports whether we run inside the given hook; nil
// when value, which is the variable's, holds no marks.
func (s *Seal) Of(value string) func(*checkrein.Hook) bool {
	marks := strings.Fields(value)
	if len(marks) == 0 {
		return nil
	}
	ancestors := sync.OnceValue(func() map[string]bool {
		ids, _ := process.Ancestors() // unknown ancestors: no mark counts
		names := make(map[string]bool, len(ids))
		for _, id := range ids {
			names[id.String()] = true
		}
		return names
	})
	return func(h *checkrein.Hook) bool {
		key := s.load(false)
		for _, m := range marks {
			owner, sealed, ok := strings.Cut(m, "/")
			if ok && key != nil && hmac.Equal([]byte(sealed), []byte(seal(key, owner, h))) && ancestors()[owner] {
				return true
			}
		}
		return false
	}
}
