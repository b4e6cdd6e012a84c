package liveagents

import (
	"time"

	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// timestampLag is how far the timestamps of a file system may lag behind the clock.
const timestampLag = 10 * time.Millisecond

// AliveSince returns a running host that was already running at the time at: one that has a note or,
// if called is set, the calling host, which may have none yet. A host whose start time is unknown
// counts, and so does one that called recently and cannot be inspected from here. It reports false if
// there is none.
func AliveSince(dir state.Dir, called bool, at time.Time) (Host, bool) {
	ids, err := hostProcesses(dir)
	if err != nil {
		return Host{Name: unnamed}, true
	}
	own := ownSpaces()
	if called {
		if a, ok := findCaller(); ok {
			ids = append(ids, a.ID)
		}
	}
	for _, id := range ids {
		h := readHost(dir, id)
		if far, lately := isUninspectable(dir, &h, own); far && lately {
			return h, true
		}
		if !process.IsAlive(id) {
			continue
		}
		if start, ok := process.StartTime(id); !ok || start.Add(process.StartSlack+timestampLag).Before(at) {
			return h, true
		}
	}
	return Host{}, false
}
