package livehost

import (
	"slices"

	"github.com/checkrein/checkrein/internal/process"
	"github.com/checkrein/checkrein/internal/state"
)

// A Finding says that a command was not, or not surely, given by a person.
type Finding struct {
	Host
	// Orphan says that the host is not above us: whoever started us is gone,
	// and this host, which may have, is alive.
	Orphan bool
}

// Above reports whether this process was started by an agent: a host with a
// note in the state directory is its ancestor. Nor does a process count as
// started by a person that has no ancestor but the first one of the system, as
// nohup and setsid leave them, while any host is alive.
//
// An error says that nobody can tell.
func Above(dir state.Dir) (Finding, bool, error) {
	ids, err := noted(dir)
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
	if !orphaned() {
		return Finding{}, false, nil
	}
	for _, id := range ids {
		if process.Alive(id) {
			return Finding{Host: read(dir, id), Orphan: true}, true, nil
		}
	}
	return Finding{}, false, nil
}

// Nested reports whether another agent may have started the host that called us, and so
// may drive it: another host with a note is above it, or whoever started it is gone while
// another host is alive. So does it if nobody can tell.
func Nested(dir state.Dir) bool {
	host, ok := caller()
	ids, err := noted(dir)
	if err != nil || !ok {
		return true
	}
	ids = slices.DeleteFunc(ids, func(id process.ID) bool { return id == host.ID })
	above, nested, orphan := false, false, false
	err = process.Climb(func(a process.Ancestor) bool {
		if !above {
			above = a.ID == host.ID
			return true
		}
		kind := KindOf(&a)
		nested = slices.Contains(ids, a.ID)
		orphan = kind == Adopter
		return !nested && !orphan
	})
	return nested || !above || err != nil || orphan && slices.ContainsFunc(ids, process.Alive)
}
