// Package inside tells a hook's own children from everything else, so that a
// hook which runs an agent is not run again by that agent's events.
//
// Each hook's program gets a mark in its environment: which hook runs on which
// event, and which process runs it. Anyone can write an environment variable,
// and skipping a gate because of one would open it. So a mark counts only while
// the process that it names is alive and is our ancestor.
package inside

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/process"
)

// Variable is the environment variable that holds the marks.
const Variable = "CHECKREIN_INSIDE"

// maxMarks bounds the variable; deeper nesting is refused by never matching.
const maxMarks = 32

// Mark returns the variable's value for a child of a hook: outer is the value
// that we have ourselves.
func Mark(outer string, h *checkrein.Hook) (string, error) {
	self, err := process.Self()
	if err != nil {
		return outer, err
	}
	marks := strings.Fields(outer)
	if over := len(marks) + 1 - maxMarks; over > 0 {
		marks = marks[over:] // the variable may be anyone's, and of any length
	}
	return strings.Join(append(marks, self.String()+"/"+key(h)), " "), nil
}

// key names a hook on its event.
func key(h *checkrein.Hook) string {
	sum := sha256.Sum256([]byte(h.On.String() + "\x00" + h.Event + "\x00" + h.From.File + "\x00" + h.ID))
	return hex.EncodeToString(sum[:8])
}

// Of returns a function that reports whether we run inside the given hook.
// Value is the variable's; without marks nothing is looked up.
func Of(value string) func(*checkrein.Hook) bool {
	marks := strings.Fields(value)
	if len(marks) == 0 {
		return nil
	}
	ancestors := sync.OnceValue(func() []process.ID {
		ids, _ := process.Ancestors() // unknown ancestors: no mark counts
		return ids
	})
	return func(h *checkrein.Hook) bool {
		k := key(h)
		for _, m := range marks {
			owner, hook, ok := strings.Cut(m, "/")
			if !ok || hook != k {
				continue
			}
			id, err := process.ParseID(owner)
			if err != nil {
				continue
			}
			for _, a := range ancestors() {
				if a == id {
					return true
				}
			}
		}
		return false
	}
}
