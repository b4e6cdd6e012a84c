package grant

import "time"

// A Moment is a time by two clocks: the wall clock, which can be set, and one that only the kernel
// controls.
type Moment struct {
	Wall time.Time `json:"wall"`
	Boot string    `json:"boot,omitempty"` // the boot from which Mono counts; "" means that there is no such clock
	Mono int64     `json:"mono,omitempty"` // nanoseconds
}

// maxClockDrift is the difference between the clocks above which one of them must have been set.
// Corrections by time servers are smaller.
const maxClockDrift = 2 * time.Minute

// since returns the time from then to m. It reports false if a clock was set in between.
func (m Moment) since(then Moment) (time.Duration, bool) {
	wall := m.Wall.Sub(then.Wall)
	if m.Boot == "" || m.Boot != then.Boot {
		return wall, wall >= 0
	}
	mono := time.Duration(m.Mono - then.Mono)
	off := wall - mono
	return mono, mono >= 0 && off <= maxClockDrift && off >= -maxClockDrift
}

// ExpiryReason returns why something that was made at m and is valid until until is not valid at now,
// or "" if it is.
func (m Moment) ExpiryReason(until time.Time, now Moment) string {
	d, ok := now.since(m)
	switch {
	case !ok:
		return "the clock was changed"
	case d >= until.Sub(m.Wall) || !now.Wall.Before(until):
		return "it has expired"
	}
	return ""
}
