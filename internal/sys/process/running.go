package process

import "sync"

// running are the runs that have begun and not ended, so that a program which must
// end at once leaves none of them behind.
var running struct {
	sync.Mutex
	all  map[*run]struct{}
	over bool // KillAll was called: nothing may begin any more
}

// enter notes that a run has begun, and reports whether it may go on.
func enter(r *run) bool {
	running.Lock()
	defer running.Unlock()
	if running.all == nil {
		running.all = make(map[*run]struct{})
	}
	running.all[r] = struct{}{}
	return !running.over
}

func leave(r *run) {
	running.Lock()
	defer running.Unlock()
	delete(running.all, r)
}

// KillAll kills what Run has started and not ended yet, without a grace time, and
// whatever Run starts from now on. It is for a program that is about to exit while
// its goroutines may be stuck.
func KillAll() {
	running.Lock()
	defer running.Unlock()
	running.over = true
	for r := range running.all {
		r.kill()
	}
}

// kill kills the family of a run. Unlike the other methods it may be called from any
// goroutine.
func (r *run) kill() {
	if r.hasExited() {
		orphansOf(r.pid, r.began).kill()
		return
	}
	familyOf(r.pid).kill()
}
