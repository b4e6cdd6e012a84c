package grant

import (
	"errors"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
)

const pauseFile = state.PauseFile

// MaxPause bounds a pause: what is forgotten must end.
const MaxPause = 8 * time.Hour

// A Pause is a time in which verdicts are recorded and not enforced.
type Pause struct {
	Made  Moment    `json:"made"`
	Until time.Time `json:"until"`
	By    string    `json:"by,omitempty"`
	Why   string    `json:"why,omitempty"`
}

// Pause begins a pause; the zero time ends it.
func (s *Store) Pause(p Pause) error {
	unlock, err := s.Dir.Lock(pauseFile)
	if err != nil {
		return err
	}
	defer unlock()
	if p.Until.IsZero() {
		return s.Dir.RemoveSealed(pauseFile)
	}
	p.Made = s.Now()
	return s.write(pauseFile, &p, true)
}

// Paused returns the pause that is on, nil when there is none. It returns an error if the
// file does not count: it was tampered with, or an older build wrote it.
func (s *Store) Paused() (*Pause, error) {
	if !s.Dir.Has(pauseFile) {
		return nil, nil // removing the file ends the pause, which loosens nothing
	}
	var p Pause
	older, err := s.read(pauseFile, maxBlock, &p)
	over := p.Until.IsZero() || p.Until.Sub(p.Made.Wall) > MaxPause || p.Made.passed(p.Until, s.Now()) != ""
	switch {
	case state.IsMissing(err), err == nil && over:
		return nil, nil
	case older:
		return nil, message.Wrap(errors.New("the pause that an older version of checkrein began does not count"), message.Run("checkrein pause", "to pause again"))
	case err != nil:
		return nil, err
	}
	return &p, nil
}
