package base

import (
	"os/exec"
	"sync/atomic"
	"testing"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// Agents of other state directories do not count, not even while they start or end, when their
// environments cannot be read.
func TestUnnotedAgentsIgnoresOthers(t *testing.T) {
	t.Parallel()
	var stop atomic.Bool
	done := make(chan error, 1)
	go func() {
		for !stop.Load() {
			agent := &exec.Cmd{Path: "/bin/true", Args: []string{"claude"}, Env: []string{"HOME=" + t.TempDir()}}
			if err := agent.Run(); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	dirs := []state.Dir{state.NewDir(t.TempDir())}
	for range 2000 {
		if hosts := unnotedAgents(dirs, nil); len(hosts) > 0 {
			t.Errorf("process %d counts as an agent of another state directory", hosts[0].PID)
			break
		}
	}
	stop.Store(true)
	if err := <-done; err != nil {
		t.Error(err)
	}
}
