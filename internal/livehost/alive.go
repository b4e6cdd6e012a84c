package livehost

import (
	"time"

	"github.com/checkrein/checkrein/internal/process"
	"github.com/checkrein/checkrein/internal/state"
)

// coarse is how much behind the clock a file system's times may be.
const coarse = 10 * time.Millisecond

// AliveSince finds a host that is alive and was so at a time: one that has a note,
// or, where called is set, the one that called us, which may have none yet. Of one
// whose start nobody can tell it is assumed.
func AliveSince(dir state.Dir, called bool, at time.Time) (Host, bool) {
	ids, _ := noted(dir)
	if called {
		if a, ok := caller(); ok {
			ids = append(ids, a.ID)
		}
	}
	for _, id := range ids {
		if !process.Alive(id) {
			continue
		}
		if start, ok := process.Started(id); !ok || start.Add(process.Slack+coarse).Before(at) {
			return read(dir, id), true
		}
	}
	return Host{}, false
}
