package server

import (
	"sync"
	"time"
)

// upkeepInterval is how often maintenance of the ledger starts at most, because at many events a second
// it is always due.
const upkeepInterval = 30 * time.Second

// An upkeep delays maintenance of the ledger that is due too soon after the last one.
type upkeep struct {
	mu    sync.Mutex
	last  time.Time
	timer *time.Timer // for the one that is delayed; nil = none is
}

// request calls start, now or once upkeepInterval has passed since the last call.
func (u *upkeep) request(start func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.timer != nil {
		return
	}
	wait := time.Until(u.last.Add(upkeepInterval))
	if wait <= 0 {
		u.last = time.Now()
		go start()
		return
	}
	u.timer = time.AfterFunc(wait, func() {
		u.mu.Lock()
		u.last, u.timer = time.Now(), nil
		u.mu.Unlock()
		start()
	})
}
