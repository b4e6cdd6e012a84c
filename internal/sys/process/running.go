package process

import "sync"

// activeRuns holds the runs that have not ended, so that a program that must exit at once can kill
// their processes.
var activeRuns struct {
	sync.Mutex
	all  map[*run]struct{}
	over bool // KillAll was called, so new runs are killed
}

// registerRun adds r to activeRuns, and reports whether it may continue.
func registerRun(r *run) bool {
	activeRuns.Lock()
	defer activeRuns.Unlock()
	if activeRuns.all == nil {
		activeRuns.all = make(map[*run]struct{})
	}
	activeRuns.all[r] = struct{}{}
	return !activeRuns.over
}

// unregisterRun removes r from activeRuns.
func unregisterRun(r *run) {
	activeRuns.Lock()
	defer activeRuns.Unlock()
	delete(activeRuns.all, r)
}

// KillAll kills all programs of Run that have not ended, without a grace time, and every program that
// Run starts later. It is for a program that is about to exit while its goroutines may be stuck.
func KillAll() {
	activeRuns.Lock()
	defer activeRuns.Unlock()
	activeRuns.over = true
	for r := range activeRuns.all {
		r.kill()
	}
}

// kill kills the family of the run. Unlike the other methods it may be called from any goroutine.
func (r *run) kill() {
	if r.hasExited() {
		listOrphans(r.pid, r.began).kill()
		return
	}
	listFamily(r.pid).kill()
}
