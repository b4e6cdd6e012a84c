package process

import "time"

// Slack is how much later than Started says a process may have started.
const Slack = time.Millisecond

// Started is when a process started.
func Started(id ID) (time.Time, bool) { return time.UnixMicro(int64(id.Start)), true }
