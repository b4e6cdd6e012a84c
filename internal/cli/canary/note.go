package canary

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
)

const (
	noteFile   = "canary.json"       // the file of the state directory with the last verdicts, sealed
	maxNote    = 1 << 20             // its size
	maxNoteAge = 90 * 24 * time.Hour // of a verdict that is kept
)

// A result is the last verdict about a hook.
type result struct {
	Verdict string    `json:"verdict"`
	Time    time.Time `json:"time"`
}

// A note has the last verdicts by the digests of hooks.
type note map[string]result

// readNote returns the note in dir, which is empty without a run. The error is a [state.ErrTampered] if
// it is not as checkrein wrote it.
func readNote(dir state.Dir) (note, error) {
	data, err := dir.Read(noteFile, maxNote)
	if state.IsMissing(err) {
		return note{}, nil
	}
	body, ok := dir.UnsealNote(noteFile, data)
	n := note{}
	if err != nil || !ok || json.Unmarshal(body, &n) != nil {
		return note{}, message.WrapSentences(fmt.Errorf("%s does not count: %w", dir.Path(noteFile), state.ErrTampered), message.Run("checkrein canary", "to try the hooks again"))
	}
	return n, nil
}

// CheckNote returns a [state.ErrTampered] if what is stored about the last runs is not as checkrein wrote it.
func CheckNote(dir state.Dir) error {
	_, err := readNote(dir)
	return err
}

// save adds the verdicts of r to the note.
func (r *Report) save(env *console.Env) error {
	dir, err := base.StateDir(env)
	if err != nil {
		return err
	}
	n, _ := readNote(dir) // one that does not count is replaced
	maps.DeleteFunc(n, func(_ string, last result) bool { return r.Time.Sub(last.Time) > maxNoteAge })
	for i := range r.Hooks {
		n[r.Hooks[i].digest] = result{r.Hooks[i].Verdict, r.Time}
	}
	if r.Guards != nil {
		n[r.Guards.digest] = result{r.Guards.Verdict, r.Time}
	}
	body, err := json.Marshal(n)
	if err == nil {
		body, err = dir.SealNote(noteFile, body)
	}
	if err != nil {
		return err
	}
	return dir.Write(noteFile, body)
}

// A Standing is what runs showed about a hook of this machine.
type Standing struct {
	Host    string     `json:"host"` // whose hook it is: an agent's name, or checkrein
	Hook    string     `json:"hook"`
	Verdict string     `json:"verdict,omitempty"` // as in HookReport; "" = it was never tried as it is now
	Time    *time.Time `json:"time,omitempty"`    // of the verdict
}

// Works reports whether the last run showed that the hook works.
func (s *Standing) Works() bool { return s.Verdict == verdicts[0].word }

// Standings returns what is known about checkrein's guards, and about each hook that a run would try.
func Standings(env *console.Env, k *app.Kit) (own Standing, list []Standing) {
	n := note{}
	if dir, err := base.StateDir(env); err == nil {
		n, _ = readNote(dir) // CheckNote returns the error
	}
	targets := findTargets(env, k)
	for i := range targets {
		list = append(list, n.standingOf(&targets[i]))
	}
	return n.standingOf(&guards), list
}

// standingOf returns what is known about t.
func (n note) standingOf(t *target) Standing {
	s := Standing{Host: t.host, Hook: t.name}
	if last, ok := n[t.digest()]; ok {
		s.Verdict, s.Time = last.Verdict, &last.Time
	}
	return s
}
