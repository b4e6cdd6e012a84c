package grant

import "time"

// A Moment is a time by the clock that people set and by the one that only the kernel sets.
type Moment struct {
	Wall time.Time `json:"wall"`
	Boot string    `json:"boot,omitempty"` // which start of the machine Mono counts from; "" = there is no such clock
	Mono int64     `json:"mono,omitempty"` // nanoseconds
}

// drift is by how much the two clocks may differ before somebody has set one of
// them: more than what time servers correct.
const drift = 2 * time.Minute

// since is how long ago another moment was; false = the clock was set in between.
func (m Moment) since(then Moment) (time.Duration, bool) {
	wall := m.Wall.Sub(then.Wall)
	if m.Boot == "" || m.Boot != then.Boot {
		return wall, wall >= 0
	}
	mono := time.Duration(m.Mono - then.Mono)
	off := wall - mono
	return mono, mono >= 0 && off <= drift && off >= -drift
}

// passed returns why what was made at a moment and holds until a time holds no more,
// "" = it does.
func (m Moment) passed(until time.Time, now Moment) string {
	d, ok := now.since(m)
	switch {
	case !ok:
		return "the clock was changed"
	case d >= until.Sub(m.Wall) || !now.Wall.Before(until):
		return "it has expired"
	}
	return ""
}
