package server

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestUpkeepIsDelayed checks that maintenance that is due all the time starts once per interval, and
// that the last request is not lost.
func TestUpkeepIsDelayed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var u upkeep
		var started atomic.Int32
		for range 100 {
			u.request(func() { started.Add(1) })
		}
		synctest.Wait()
		if n := started.Load(); n != 1 {
			t.Errorf("started %d times at first", n)
		}
		time.Sleep(upkeepInterval)
		synctest.Wait()
		if n := started.Load(); n != 2 {
			t.Errorf("started %d times after an interval", n)
		}
		time.Sleep(10 * upkeepInterval)
		u.request(func() { started.Add(1) })
		synctest.Wait()
		if n := started.Load(); n != 3 {
			t.Errorf("started %d times in the end", n)
		}
	})
}
