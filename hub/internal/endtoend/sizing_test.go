//go:build linux

package endtoend

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// What the table of sizes assumes of a machine that is used.
const (
	recordsADay = 2000 // eight hours with about four calls of tools a minute
	hoursADay   = 8
	peak        = 3  // times the mean of these hours
	keptDays    = 90 // how long records are kept
)

// A usage is what a hub has used.
type usage struct {
	cpu    time.Duration // since it began
	memory int64         // bytes
	disk   int64         // bytes
}

// usage returns what the hub uses now.
func (f *fleet) usage() (u usage) {
	pid := f.hub.cmd.Process.Pid
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	must(f.t, err)
	var user, system int64
	part := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')'):]))
	_, err = fmt.Sscan(part[12]+" "+part[13], &user, &system) // utime and stime
	must(f.t, err)
	u.cpu = time.Duration(user+system) * 10 * time.Millisecond
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(f.t, err)
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	_, err = fmt.Sscan(rest, &u.memory)
	must(f.t, err)
	u.memory <<= 10
	must(f.t, filepath.WalkDir(filepath.Join(f.dir, "hub"), func(path string, e fs.DirEntry, err error) error {
		if info, err2 := e.Info(); err == nil && err2 == nil && info.Mode().IsRegular() {
			u.disk += info.Size()
		}
		return nil // files come and go
	}))
	return u
}

// minus returns what was used since before.
func (u usage) minus(before usage) usage {
	return usage{u.cpu - before.cpu, u.memory - before.memory, u.disk - before.disk}
}

// TestSizing measures what a hub needs for a record and for a machine, with agents that work on real machines
// and with machines that return after days offline, and prints what that means for larger fleets.
func TestSizing(t *testing.T) {
	requireFleet(t)
	f := newFleet(t)
	n := size()
	before := f.usage()
	f.join(n)
	f.eventually("all machines have reported", func() bool {
		return strings.Count(f.run(f.admin, "checkrein", "fleet", "machines"), " ok ")+strings.Count(f.run(f.admin, "checkrein", "fleet", "machines"), " advisory ") >= n
	})
	joined := f.usage()
	stop := f.work(f.machines)
	time.Sleep(40 * time.Second)
	calls := stop()
	records := int64(f.verify())
	worked := f.usage()
	time.Sleep(time.Minute)
	quiet := f.usage().minus(worked)

	one := f.measureRecords("one", 10, 200, 1)
	full := f.measureRecords("full", 10, 4000, protocol.MaxBatch)

	work := worked.minus(joined)
	connected := joined.minus(before)
	t.Logf("%d machines with real agents: %d calls, %d records (%.2f a call)", n, calls, records, float64(records)/float64(calls))
	t.Logf("%d machines at once, a few records a batch: %d bytes of disk and %v of CPU a record", n, work.disk/records, (work.cpu / time.Duration(records)).Round(time.Microsecond))
	t.Logf("one record a batch: %v", one)
	t.Logf("full batches, after days offline: %v", full)
	t.Logf("connected and quiet: %d KB of memory and %v of CPU a minute, each machine; the hub began with %d MB", connected.memory>>10/int64(n), quiet.cpu/time.Duration(n), before.memory>>20)
	t.Logf("assumed: %d records a day and machine, in %d hours, %d times as many at peak, kept %d days", recordsADay, hoursADay, peak, keptDays)
	t.Logf("%10s %14s %10s %12s %10s %12s", "machines", "records/day", "GB/day", "GB on disk", "GB memory", "cores, peak")
	for _, fleet := range []int64{1000, 10_000, 100_000} {
		day := fleet * recordsADay
		rate := float64(day) / (hoursADay * 3600) * peak
		cores := rate*one.cpu.Seconds() + float64(fleet)*quiet.cpu.Seconds()/float64(n)/60
		t.Logf("%10d %14d %10.1f %12.0f %10.1f %12.1f", fleet, day, float64(day*one.disk)/1e9, float64(day*one.disk*keptDays)/1e9,
			float64(before.memory+fleet*connected.memory/int64(n))/1e9, cores)
	}
	// What real agents cost lies between the two, or the table is of no use.
	if each := work.disk / records; each < full.disk || each > 2*one.disk || connected.memory <= 0 {
		t.Errorf("with real agents, a record has %d bytes on the disk", each)
	}
}

// A cost is what a record costs.
type cost struct {
	sent int64
	usage
}

func (c cost) String() string {
	return fmt.Sprintf("%d bytes sent, %d bytes of disk and %v of CPU a record", c.sent, c.disk, c.cpu.Round(100*time.Nanosecond))
}

// measureRecords returns what a record costs if each of count machines sends so many in batches of about limit
// bytes.
func (f *fleet) measureRecords(name string, count, each, limit int) (c cost) {
	token, send := f.poster(count)
	senders := makeSenders(f.t, f, count, each, limit)
	for i := range senders {
		must(f.t, senders[i].join(token, send, fmt.Sprint(name, i)))
	}
	before := f.usage()
	for i := range senders {
		for _, b := range senders[i].batches {
			c.sent += int64(len(b))
			must(f.t, send(&senders[i], protocol.PathRecords, b))
		}
	}
	c.usage = f.usage().minus(before)
	n := int64(count * each)
	c.sent, c.disk, c.cpu = c.sent/n, c.disk/n, c.cpu/time.Duration(n)
	return c
}
