package liveagents

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Finding names the agent that started, or may have started, a command that only a person may give.
type Finding struct {
	Host
	// Orphan is set if the host is not an ancestor: the parent process has ended, and this running
	// host may have started it.
	Orphan bool
}

// StartedByAgent reports whether an agent started this process, because a host with a note in the
// state directory is an ancestor. While any host is running, a process whose only ancestor is the
// first process of the system, as nohup and setsid leave it, counts as started by that host. Hosts in
// except do not count.
//
// An error means that it cannot be determined.
func StartedByAgent(dir state.Dir, except ...process.ID) (Finding, bool, error) {
	ids, err := hostProcesses(dir)
	ids = slices.DeleteFunc(ids, func(id process.ID) bool { return slices.Contains(except, id) })
	if err != nil || len(ids) == 0 {
		return Finding{}, false, err
	}
	is := make(map[process.ID]bool, len(ids))
	for _, id := range ids {
		is[id] = true
	}
	// Ancestors that cannot be inspected belong to another user, as do their ancestors.
	ancestors, _ := process.Ancestors()
	for _, id := range ancestors {
		if is[id] {
			return Finding{Host: readHost(dir, id)}, true, nil
		}
	}
	if !IsOrphaned() {
		return Finding{}, false, nil
	}
	for _, id := range ids {
		if process.IsAlive(id) {
			return Finding{Host: readHost(dir, id), Orphan: true}, true, nil
		}
	}
	return Finding{}, false, nil
}

// ParentAgent finds the agent that may have started the calling host, and so may answer its questions.
// above is the name of another host with a note that is an ancestor of the calling one, or "". left is
// set if the process that started the host has ended and another host was running when the oldest
// remaining ancestor began, since that host may have started it. An error means that it cannot be
// determined.
func ParentAgent(dir state.Dir) (above string, left bool, err error) {
	host, ok := findCaller()
	if !ok {
		return "", false, errors.New("no agent called")
	}
	ids, err := hostProcesses(dir)
	if err != nil {
		return "", false, err
	}
	ids = slices.DeleteFunc(ids, func(id process.ID) bool { return id == host.ID })
	first, past, orphan := host.ID, false, false
	err = process.WalkAncestors(func(a process.Ancestor) bool {
		if !past {
			past = a.ID == host.ID
			return true
		}
		if slices.Contains(ids, a.ID) {
			above = cmp.Or(readHost(dir, a.ID).Name, unnamed)
			return false
		}
		if orphan = KindOf(&a) == Adopter; !orphan {
			first = a.ID
		}
		return !orphan
	})
	if err != nil || above != "" || !orphan {
		return above, false, err
	}
	began, ok := process.StartTime(first)
	if !ok {
		return "", len(ids) > 0, nil
	}
	return "", slices.ContainsFunc(ids, func(id process.ID) bool { return wasRunning(dir, id, began) }), nil
}

// wasRunning reports whether the host id was running at the time at, as far as this can be determined.
func wasRunning(dir state.Dir, id process.ID, at time.Time) bool {
	if start, ok := process.StartTime(id); ok && start.After(at.Add(process.StartSlack)) {
		return false
	}
	if process.IsAlive(id) {
		return true
	}
	last, ok := lastCallIfRecent(dir, id)
	return ok && last.Add(renewal).After(at)
}
