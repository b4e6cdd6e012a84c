package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestSweep(t *testing.T) {
	t.Parallel()
	clock := newClock()
	d := newTestDir(t)
	s := d.OpenStore("s", time.Hour, clock.now)
	if n, err := s.Sweep(); n != 0 || err != nil {
		t.Fatalf("sweep of nothing: %d, %v", n, err)
	}
	if _, err := os.Lstat(d.Path()); err == nil {
		t.Fatal("sweep created the directory")
	}
	const old = sweepLimit + 20
	for i := range old {
		if err := increment(s, fmt.Sprint("old", i)); err != nil {
			t.Fatal(err)
		}
	}
	clock.at = clock.at.Add(time.Hour)
	if err := increment(s, "young"); err != nil {
		t.Fatal(err)
	}
	if err := s.Update("aborted", new(int), func() error { return errors.ErrUnsupported }); err == nil {
		t.Fatal("no error")
	}
	for name, text := range map[string]string{"s/foreign.json": "1", "s/README": "2"} {
		if err := d.Write(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		ageFile(t, d.Path(name), 1000*time.Hour)
	}
	leftover, err := writeTemp(d.Path("s", "x"), nil, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	ageFile(t, leftover, 2*tempAge)

	total := 0
	for range 3 {
		n, err := s.Sweep()
		if n > sweepLimit || err != nil {
			t.Errorf("one sweep: %d, %v", n, err)
		}
		total += n
	}
	if total != old {
		t.Errorf("swept %d of %d", total, old)
	}
	name, _ := s.fileName("young")
	want := map[string]bool{"foreign.json": true, "README": true, filepath.Base(name): true, filepath.Base(name) + lockSuffix: true}
	for _, name := range dirEntryNames(t, d.Path("s")) {
		if !want[name] {
			t.Errorf("left behind: %s", name)
		}
		delete(want, name)
	}
	if len(want) != 0 {
		t.Errorf("missing: %v", want)
	}
}

func TestSweepSkipsLockedKeys(t *testing.T) {
	t.Parallel()
	clock := newClock()
	s := newTestDir(t).OpenStore("s", time.Hour, clock.now)
	if err := increment(s, "k"); err != nil {
		t.Fatal(err)
	}
	clock.at = clock.at.Add(2 * time.Hour)
	n := 0
	err := s.Update("k", &n, func() error {
		n = 7
		if removed, err := s.Sweep(); removed != 0 || err != nil {
			t.Errorf("swept %d, %v", removed, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if removed, err := s.Sweep(); removed != 0 || err != nil {
		t.Errorf("swept the renewed one: %d, %v", removed, err)
	}
	if found, err := s.Get("k", &n); !found || err != nil || n != 7 {
		t.Errorf("got %d, %v, %v", n, found, err)
	}
}

// TestSweepChecksAgainUnderLock checks that a value is kept if an Update renews it before Sweep has
// its lock.
func TestSweepChecksAgainUnderLock(t *testing.T) {
	t.Parallel()
	s := newTestDir(t).OpenStore("s", time.Hour, nil)
	if err := increment(s, "k"); err != nil {
		t.Fatal(err)
	}
	name, _ := s.fileName("k")
	looks := 0
	gone, err := sweepKey(s.dir.Path(name), func(string) bool {
		looks++
		return looks == 1
	})
	if gone || err != nil || looks != 2 {
		t.Errorf("swept %v, %v after %d looks", gone, err, looks)
	}
	s.dir.wait = time.Millisecond
	if err := increment(s, "k"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	n := 0
	if found, err := s.Get("k", &n); !found || err != nil || n != 2 {
		t.Errorf("got %d, %v, %v", n, found, err)
	}
}

// TestSweepDuringUpdates checks that every update is visible to the next one although sweeps remove
// lock files all the time.
func TestSweepDuringUpdates(t *testing.T) {
	t.Parallel()
	d := newTestDir(t)
	stop := make(chan struct{})
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := d.OpenStore("counters", time.Hour, nil).Sweep(); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	runConcurrently(t, helperCommand(t, "increment", d.Path(), "200"), helperCommand(t, "increment", d.Path(), "200"))
	close(stop)
	<-swept
	n := 0
	if _, err := d.OpenStore("counters", time.Hour, nil).Get("key", &n); err != nil || n != 400 {
		t.Errorf("got %d, %v", n, err)
	}
}
