package ledger_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// A slowDisk holds up the first writer until it is told to go on, and counts locks.
type slowDisk struct {
	ledger.Disk
	locks atomic.Int32
	free  chan struct{}
}

func (d *slowDisk) OpenLocked(name string) (ledger.File, error) {
	if d.locks.Add(1) == 1 {
		<-d.free
	}
	return d.Disk.OpenLocked(name)
}

// TestAppendTogether checks that records of several goroutines that wait are written with one lock,
// whichever ledger of the directory they use, and that one that is too long, or must be synced, changes
// nothing for the others.
func TestAppendTogether(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	now, clock := b.now, func() (string, int64) { return "b1", 1 }
	d := &slowDisk{Disk: ledger.DiskOf(b.opts), free: make(chan struct{})}
	opts := ledger.WithDisk(b.opts, d)
	opts.Now, opts.Clock = func() time.Time { return now }, clock
	const others = 20
	var wg sync.WaitGroup
	seen := sync.Map{} // by number
	appendOne := func(i int) {
		pad := 1
		if i == 7 {
			pad = ledger.MaxLine
		}
		r, err := ledger.Open(opts).Append(ledger.KindEvent, fmt.Appendf(nil, `"n":%d,"pad":"%s"`, i, strings.Repeat("x", pad)), i%5 == 0)
		if (err != nil) != (i == 7) || err != nil && !strings.Contains(err.Error(), "too long") {
			t.Errorf("record %d: %v", i, err)
		}
		if err == nil {
			if other, ok := seen.Swap(r.Seq, i); ok {
				t.Errorf("%d and %d are both record %d", other, i, r.Seq)
			}
		}
	}
	wg.Go(func() { appendOne(0) })
	for d.locks.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	for i := range others {
		wg.Go(func() { appendOne(i + 1) })
	}
	for ledger.Waiting(opts) <= others {
		time.Sleep(time.Millisecond)
	}
	close(d.free)
	wg.Wait()
	if n := d.locks.Load(); n != 2 {
		t.Errorf("%d records took the lock %d times, want 2", others+1, n)
	}
	got := map[string]bool{}
	for _, line := range b.lines(t, ledger.CurrentFile) {
		if line.Kind == ledger.KindEvent {
			if i, ok := seen.Load(line.Seq); !ok || fmt.Sprint(i) != line.Text("n") {
				t.Errorf("record %d has n = %s, but %v was acknowledged", line.Seq, line.Text("n"), i)
			}
			got[line.Text("n")] = true
		}
	}
	if len(got) != others {
		t.Errorf("%d records, want %d", len(got), others)
	}
}
