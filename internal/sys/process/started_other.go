//go:build !linux && !darwin

package process

import "time"

// StartSlack is how much later than StartTime a process may have started.
const StartSlack = time.Millisecond

// StartTime reports false, because the start of a process is unknown on this system.
func StartTime(ID) (time.Time, bool) { return time.Time{}, false }
