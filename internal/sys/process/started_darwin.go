package process

import "time"

// StartSlack is how much later than StartTime a process may have started.
const StartSlack = time.Millisecond

// StartTime returns when the process id started.
func StartTime(id ID) (time.Time, bool) { return time.UnixMicro(int64(id.Start)), true }
