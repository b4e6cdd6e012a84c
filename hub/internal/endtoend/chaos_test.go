//go:build linux

package endtoend

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/checkrein/checkrein/hub/internal/disktest"
)

func requireFleet(t *testing.T) {
	if os.Getenv("CHECKREIN_FLEET") == "" {
		t.Skip("CHECKREIN_FLEET is not set: run make test-fleet")
	}
}

// size returns how many machines the fleet of the test has.
func size() int {
	if n, err := strconv.Atoi(os.Getenv("CHECKREIN_FLEET_MACHINES")); err == nil {
		return n
	}
	return 50
}

// TestNothingAcknowledgedIsLost lets the parts of a fleet fail one after the other while agents work, and
// checks that the hub has every record of every machine once.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	requireFleet(t)
	disk := disktest.Mount(t)
	c := newCluster(t, [3]string{2: disk.Dir})
	f := newFleet(t, "--nats", c.url(), "--replicas", "3")
	began := time.Now()
	f.join(size())
	t.Logf("%d machines joined at once in %v", size(), time.Since(began).Round(time.Millisecond))
	stop := f.work(f.machines)
	f.join(1)
	answered := f.answerCalls(f.machines[size()])
	step := func(what string, do func()) {
		t.Helper()
		t.Logf("%v: %s", time.Since(began).Round(time.Second), what)
		do()
		time.Sleep(4 * time.Second)
	}
	time.Sleep(4 * time.Second)
	for i := range 3 {
		step("a node is killed", c.nodes[i].kill)
		step("it starts again", c.nodes[i].start)
	}
	step("the hub is killed", f.hub.kill)
	step("it starts again", f.hub.start)
	if leader := c.leader("CHECKREIN_RECORDS"); leader >= 0 {
		step("the leader of the records is killed", c.nodes[leader].kill)
		step("it starts again", c.nodes[leader].start)
	} else {
		t.Error("the records have no leader")
	}
	step("a node is cut off", func() { c.cut(0, true) })
	step("it is connected again", func() { c.cut(0, false) })
	step("two nodes are cut off", func() { c.cut(0, true); c.cut(1, true) })
	step("they are connected again", func() { c.cut(0, false); c.cut(1, false) })
	step("a disk is slow", func() { disk.Slow.Store(int64(300 * time.Millisecond)) })
	step("it is fast again", func() { disk.Slow.Store(0) })
	step("a disk is full", func() { disk.Full.Store(true) })
	step("it has room again", func() { disk.Full.Store(false) })
	step("agents are killed", func() {
		for _, m := range f.machines {
			m.agent.kill()
		}
	})
	step("they start again", func() {
		for _, m := range f.machines {
			m.agent.start()
		}
	})
	rounds := answered()
	calls := stop()
	end := time.Now()
	records := f.verify()
	slices.SortFunc(rounds, func(a, b round) int { return cmp.Compare(a.took, b.took) })
	for _, r := range rounds[len(rounds)*9/10:] {
		t.Logf("%v: the answer to an approval took %v", r.at.Sub(began).Round(time.Second), r.took.Round(time.Millisecond))
	}
	if len(rounds) == 0 || rounds[len(rounds)/2].took > time.Second {
		t.Errorf("the answers to approvals took %v", rounds)
	} else {
		fast, _ := slices.BinarySearchFunc(rounds, time.Second, func(r round, d time.Duration) int { return cmp.Compare(r.took, d) })
		t.Logf("%d answers to approvals meanwhile, median %v, %d within a second", len(rounds), rounds[len(rounds)/2].took.Round(time.Millisecond), fast)
	}
	t.Logf("%d calls, %d records; the hub had all of them %v after the last one", calls, records, time.Since(end).Round(time.Second))
}
