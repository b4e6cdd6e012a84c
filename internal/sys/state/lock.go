package state

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// LockWait is how long [Dir.Lock] waits for another holder.
const LockWait = 2 * time.Second

// ErrBusy is the error if another process or goroutine held a lock for all of [LockWait].
var ErrBusy = errors.New("state is busy")

// errHeld is the error of one attempt to take a lock that is held.
var errHeld = errors.New("lock is held")

// fence makes an unlock happen before the next lock in the sense of the Go memory model, which does
// not cover kernel locks.
var fence atomic.Uint32

const (
	minPause = 100 * time.Microsecond
	maxPause = time.Millisecond
)

// Lock takes the exclusive advisory lock of name, which is the file name+".lock", and creates the
// directories leading to it. The lock excludes other processes and, like a mutex, other goroutines. It
// does not nest: a holder that locks the same name again waits for itself. After [LockWait], Lock
// fails with an [ErrBusy] that names the path.
//
// The function unlock may be called more than once, and from any goroutine. The kernel releases the
// lock when the process dies. The lock file stays.
func (d Dir) Lock(name string) (unlock func(), err error) {
	full, err := d.makeParents(name)
	if err != nil {
		return nil, err
	}
	held, err := acquireLock(full+lockSuffix, d.lockWait())
	if err != nil {
		return nil, err
	}
	return sync.OnceFunc(held.release), nil
}

// lockWait returns how long to wait for a lock.
func (d Dir) lockWait() time.Duration {
	if d.wait > 0 {
		return d.wait
	}
	return LockWait
}

// A heldLock is an open lock file that is locked. Exactly one of release and releaseAndRemove must be
// called.
type heldLock struct{ file *File }

// release unlocks the lock file and keeps it for the next holder.
func (h heldLock) release() { h.file.Close() }

// acquireLock locks the lock file at path. It waits at most wait, and tries at least once.
func acquireLock(path string, wait time.Duration) (heldLock, error) {
	f, err := openLocked(path, wait)
	return heldLock{f}, err
}

// openLocked opens the file at path and locks it. It waits at most wait for the lock.
func openLocked(path string, wait time.Duration) (*File, error) {
	deadline := time.Now().Add(wait)
	for {
		f, err := openHandle(path, false)
		if err != nil {
			return nil, err
		}
		err = waitForLock(f.lock, deadline)
		if err == nil && f.isAt(path) {
			fence.Load()
			f.locked = true
			return f, nil
		}
		f.close()
		if errors.Is(err, errHeld) || err == nil && time.Until(deadline) <= 0 {
			return nil, fmt.Errorf("lock %s: another process has held it for %v: %w", path, wait, ErrBusy)
		}
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		// The previous holder removed the file after it was opened here. A lock on
		// a removed file excludes no other process, so open a new one.
	}
}

// waitForLock calls lock until it succeeds or fails with an error other than errHeld. It returns
// errHeld if the deadline has passed. The kernel could wait itself, but not with a time limit.
func waitForLock(lock func() error, deadline time.Time) error {
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		err := lock()
		left := time.Until(deadline)
		if left <= 0 || !errors.Is(err, errHeld) {
			return err
		}
		// A random pause keeps many waiters from trying at the same time.
		time.Sleep(min(left, pause/2+rand.N(pause)))
	}
}
