package liveagents

import (
	"time"

	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// coarse is how much behind the clock a file system's times may be.
const coarse = 10 * time.Millisecond

// AliveSince finds a host that is alive and was so at a time: one that has a note,
// or, where called is set, the one that called us, which may have none yet. Of one
// whose start nobody can tell it is assumed, and of one that was heard of lately and
// cannot be looked up from here.
func AliveSince(dir state.Dir, called bool, at time.Time) (Host, bool) {
	ids, err := hosts(dir)
	if err != nil {
		return Host{Name: unnamed}, true
	}
	own := ownSpaces()
	if called {
		if a, ok := caller(); ok {
			ids = append(ids, a.ID)
		}
	}
	for _, id := range ids {
		h := read(dir, id)
		if far, lately := isFar(dir, &h, own); far && lately {
			return h, true
		}
		if !process.IsAlive(id) {
			continue
		}
		if start, ok := process.StartTime(id); !ok || start.Add(process.StartSlack+coarse).Before(at) {
			return h, true
		}
	}
	return Host{}, false
}
