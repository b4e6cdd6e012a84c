package state

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// LockWait is how long [Dir.Lock] waits for another holder.
const LockWait = 2 * time.Second

// ErrBusy says that a lock stayed with its holder for all of [LockWait].
var ErrBusy = errors.New("state is busy")

// errHeld is what one attempt at a lock that another has comes to.
var errHeld = errors.New("lock is held")

// fence makes an unlock happen before the next lock in the sense of the Go
// memory model, which knows nothing of locks in the kernel.
var fence atomic.Uint32

const (
	minPause = 100 * time.Microsecond
	maxPause = time.Millisecond
)

// Lock takes the exclusive advisory lock of name, the file name+".lock", and
// creates the directories on the way. It excludes other processes and, like a
// mutex, other goroutines. It does not nest: a second Lock of the same name by its
// holder waits for itself. After [LockWait] it gives up with an [ErrBusy] that
// names the path.
//
// Unlock may be called more than once, from any goroutine. The kernel unlocks
// when the process dies. The lock file stays.
func (d Dir) Lock(name string) (unlock func(), err error) {
	full, err := d.prepare(name)
	if err != nil {
		return nil, err
	}
	held, err := acquire(full+lockSuffix, d.lockWait())
	if err != nil {
		return nil, err
	}
	return sync.OnceFunc(held.release), nil
}

func (d Dir) lockWait() time.Duration {
	if d.wait > 0 {
		return d.wait
	}
	return LockWait
}

// A heldLock is a lock file that is open and locked. Exactly one of release and
// drop ends it.
type heldLock struct {
	file *os.File
	path string
}

// release unlocks and keeps the lock file for the next one.
func (h heldLock) release() {
	fence.Add(1)
	// Closing alone would not do: a child between fork and exec still shares
	// the open file, and with it the lock.
	unlockFile(h.file)
	h.file.Close()
}

// acquire waits for the lock file at path for as long as wait, and asks once in
// any case.
func acquire(path string, wait time.Duration) (heldLock, error) {
	deadline := time.Now().Add(wait)
	for {
		f, _, err := openFile(path, os.O_RDWR|os.O_CREATE)
		if err != nil {
			return heldLock{}, err
		}
		err = waitFor(func() error { return lockFile(f) }, deadline)
		if err == nil && isAt(f, path) {
			fence.Load()
			return heldLock{file: f, path: path}, nil
		}
		f.Close()
		if errors.Is(err, errHeld) || err == nil && time.Until(deadline) <= 0 {
			return heldLock{}, fmt.Errorf("lock %s: held by another for %v: %w", path, wait, ErrBusy)
		}
		if err != nil {
			return heldLock{}, fmt.Errorf("lock %s: %w", path, err)
		}
		// The former holder removed the file after we had opened it. A lock on
		// such a file excludes nobody, so there must be a new one.
	}
}

// waitFor asks for a lock until the deadline; errHeld means in vain. The kernel
// could wait by itself, but not with a time limit.
func waitFor(lock func() error, deadline time.Time) error {
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		err := lock()
		left := time.Until(deadline)
		if left <= 0 || !errors.Is(err, errHeld) {
			return err
		}
		// Chance keeps a crowd of waiters from asking in step.
		time.Sleep(min(left, pause/2+rand.N(pause)))
	}
}

// isAt tells whether the open file is still the one at path.
func isAt(f *os.File, path string) bool {
	here, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(here, there)
}
