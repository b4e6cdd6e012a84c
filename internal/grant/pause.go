package grant

import (
	"time"
)

const pauseFile = "pause.json"

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
	if p.Until.IsZero() {
		return s.Dir.Remove(pauseFile)
	}
	p.Made = s.Now()
	return s.write(pauseFile, &p)
}

// Paused returns the pause that is on, nil when there is none.
func (s *Store) Paused() *Pause {
	if !s.Dir.Has(pauseFile) {
		return nil
	}
	var p Pause
	if s.read(pauseFile, maxBlock, &p) != nil || p.Until.IsZero() || p.Until.Sub(p.Made.Wall) > MaxPause || p.Made.passed(p.Until, s.Now()) != "" {
		return nil
	}
	return &p
}
