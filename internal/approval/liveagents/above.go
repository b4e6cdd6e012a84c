package liveagents

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Finding records that a command was not, or not surely, given by a person.
type Finding struct {
	Host
	// Orphan is set if the host is not above us: whoever started us is gone,
	// and this host, which may have, is alive.
	Orphan bool
}

// Above reports whether this process was started by an agent: a host with a
// note in the state directory is its ancestor. Nor does a process count as
// started by a person that has no ancestor but the first one of the system, as
// nohup and setsid leave them, while any host is alive. The hosts in except do not
// count.
//
// An error says that nobody can tell.
func Above(dir state.Dir, except ...process.ID) (Finding, bool, error) {
	ids, err := hosts(dir)
	ids = slices.DeleteFunc(ids, func(id process.ID) bool { return slices.Contains(except, id) })
	if err != nil || len(ids) == 0 {
		return Finding{}, false, err
	}
	is := make(map[process.ID]bool, len(ids))
	for _, id := range ids {
		is[id] = true
	}
	// Those that cannot be seen are another user's, and so is what is above them.
	ancestors, _ := process.Ancestors()
	for _, id := range ancestors {
		if is[id] {
			return Finding{Host: read(dir, id)}, true, nil
		}
	}
	if !Orphaned() {
		return Finding{}, false, nil
	}
	for _, id := range ids {
		if process.IsAlive(id) {
			return Finding{Host: read(dir, id), Orphan: true}, true, nil
		}
	}
	return Finding{}, false, nil
}

// Nested finds the agent that may have started the host that called us, and so may
// answer its questions: above is the name of another host with a note that is above it.
// Left is set if whoever started it is gone, and a host was at work when the first of
// those that are left began: it may have been that one. An error says that nobody can tell.
func Nested(dir state.Dir) (above string, left bool, err error) {
	host, ok := caller()
	if !ok {
		return "", false, errors.New("no agent called")
	}
	ids, err := hosts(dir)
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
			above = cmp.Or(read(dir, a.ID).Name, unnamed)
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
	return "", slices.ContainsFunc(ids, func(id process.ID) bool { return atWork(dir, id, began) }), nil
}

// atWork reports whether a host was alive at a time, as far as one can tell.
func atWork(dir state.Dir, id process.ID, at time.Time) bool {
	if start, ok := process.StartTime(id); ok && start.After(at.Add(process.StartSlack)) {
		return false
	}
	if process.IsAlive(id) {
		return true
	}
	last, ok := ended(dir, id)
	return ok && last.Add(renewal).After(at)
}
