package state

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestLockExcludesGoroutines(t *testing.T) {
	t.Parallel()
	d := newTestDir(t)
	d.wait = patience
	var group sync.WaitGroup
	inside, total := 0, 0 // the race detector reports unsynchronised access
	for range 8 {
		group.Go(func() {
			for range 50 {
				unlock, err := d.Lock("x")
				if err != nil {
					t.Error(err)
					return
				}
				inside++
				total += inside
				inside--
				unlock()
			}
		})
	}
	group.Wait()
	if total != 8*50 {
		t.Errorf("counted %d", total)
	}
}

func TestLockBusy(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		wait time.Duration // zero for the default
		hold func(t *testing.T, d Dir)
	}{
		{"goroutine", 50 * time.Millisecond, func(t *testing.T, d Dir) {
			unlock, err := d.Lock("x")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(unlock)
		}},
		{"process", 0, func(t *testing.T, d Dir) {
			startUntil(t, helperCommand(t, "hold", d.Path()), "held")
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newTestDir(t)
			d.wait = test.wait
			test.hold(t, d)
			start := time.Now()
			_, err := d.Lock("x")
			if took := time.Since(start); took < d.lockWait() {
				t.Errorf("gave up after %v of %v", took, d.lockWait())
			}
			if !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), d.Path("x.lock")) {
				t.Errorf("got %v", err)
			}
			unlock, err := d.Lock("y")
			if err != nil {
				t.Fatalf("another name: %v", err)
			}
			unlock()
		})
	}
}

func TestLockOfKilledProcess(t *testing.T) {
	t.Parallel()
	d := newTestDir(t)
	kill := startUntil(t, helperCommand(t, "hold", d.Path()), "held")
	if _, err := acquireLock(d.Path("x.lock"), 0); !errors.Is(err, ErrBusy) {
		t.Fatalf("helper holds nothing: %v", err)
	}
	kill()
	unlock, err := d.Lock("x")
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestUnlockTwice(t *testing.T) {
	t.Parallel()
	d := newTestDir(t)
	d.wait = 50 * time.Millisecond
	first, err := d.Lock("x")
	if err != nil {
		t.Fatal(err)
	}
	first()
	second, err := d.Lock("x")
	if err != nil {
		t.Fatal(err)
	}
	defer second()
	first()
	if _, err := d.Lock("x"); !errors.Is(err, ErrBusy) {
		t.Errorf("the second unlock freed another's lock: %v", err)
	}
}

// TestRemovedLockFileDoesNotLock checks that a waiter that opened a lock file before it was removed
// does not get its lock.
func TestRemovedLockFileDoesNotLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.lock")
	first, err := acquireLock(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	next := make(chan heldLock)
	go func() {
		held, err := acquireLock(path, patience)
		if err != nil {
			t.Error(err)
		}
		next <- held
	}()
	time.Sleep(50 * time.Millisecond) // let the other goroutine open the file
	first.releaseAndRemove()
	held := <-next
	if _, err := acquireLock(path, 0); !errors.Is(err, ErrBusy) {
		t.Errorf("two have the lock: %v", err)
	}
	held.release()
}

// TestRemovingLockFilesKeepsExclusion checks that locks exclude each other although Sweep and Delete
// remove lock files.
func TestRemovingLockFilesKeepsExclusion(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.lock")
	var group sync.WaitGroup
	inside, total := 0, 0
	for i := range 8 {
		group.Go(func() {
			for j := range 100 {
				held, err := acquireLock(path, patience)
				if err != nil {
					t.Error(err)
					return
				}
				inside++
				total += inside
				inside--
				if (i+j)%2 == 0 {
					held.releaseAndRemove()
				} else {
					held.release()
				}
			}
		})
	}
	group.Wait()
	if total != 8*100 {
		t.Errorf("counted %d", total)
	}
}

func TestLockFileMustBeRegular(t *testing.T) {
	t.Parallel()
	d := newTestDir(t)
	if err := os.MkdirAll(d.Path("x.lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Lock("x"); err == nil || errors.Is(err, ErrBusy) {
		t.Errorf("got %v", err)
	}
}
