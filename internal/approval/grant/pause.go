package grant

import (
	"errors"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
)

const pauseFile = state.PauseFile

// MaxPause limits a pause, so that one that is forgotten ends.
const MaxPause = 8 * time.Hour

// A Pause is a period in which verdicts are recorded but not enforced.
type Pause struct {
	Made  Moment    `json:"made"`
	Until time.Time `json:"until"`
	By    string    `json:"by,omitempty"`
	Why   string    `json:"why,omitempty"`
}

// SetPause begins the pause p, or ends the current one if p.Until is zero.
func (s *Store) SetPause(p Pause) error {
	unlock, err := s.Dir.Lock(pauseFile)
	if err != nil {
		return err
	}
	defer unlock()
	if p.Until.IsZero() {
		return s.Dir.RemoveSealed(pauseFile)
	}
	p.Made = s.Now()
	return s.writeSealed(pauseFile, &p, true)
}

// CurrentPause returns the current pause, or nil if there is none. It returns an error if the file was
// tampered with, or was written by an older build.
func (s *Store) CurrentPause() (*Pause, error) {
	if !s.Dir.Has(pauseFile) {
		return nil, nil // removing the file only ends the pause
	}
	var p Pause
	older, err := s.readSealed(pauseFile, maxBlock, &p)
	over := p.Until.IsZero() || p.Until.Sub(p.Made.Wall) > MaxPause || p.Made.ExpiryReason(p.Until, s.Now()) != ""
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
