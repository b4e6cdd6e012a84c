package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// maxDepth is the maximum number of ancestors in a walk. It ends the walk if the entries form a ring,
// as they can while numbers are being reused.
const maxDepth = 256

// An ID identifies a process during its lifetime. Process numbers are reused, but not with the same
// start time. An ID is valid on the machine and in the boot where it was taken.
type ID struct {
	PID int
	// Start is when the process started, in a unit that depends on the platform.
	Start uint64
}

// String returns id in the form pid:start, which ParseID parses.
func (id ID) String() string {
	return strconv.Itoa(id.PID) + ":" + strconv.FormatUint(id.Start, 10)
}

// ParseID returns the ID whose String is s.
func ParseID(s string) (ID, error) {
	pid, start, _ := strings.Cut(s, ":")
	var id ID
	var err error
	if id.PID, err = strconv.Atoi(pid); err != nil {
		return ID{}, fmt.Errorf("process id %q: %w", s, err)
	}
	if id.Start, err = strconv.ParseUint(start, 10, 64); err != nil {
		return ID{}, fmt.Errorf("process id %q: %w", s, err)
	}
	if id.PID <= 0 || id.String() != s {
		return ID{}, fmt.Errorf("process id %q: not in the form pid:start", s)
	}
	return id, nil
}

// An entry describes a process as the system lists it.
type entry struct {
	ID
	parent int
	pgrp   int  // 0 if the platform has no groups
	dead   bool // it has exited, but was not reaped yet

	session int    // 0 if unknown
	tty     uint64 // the device number of its session's terminal; 0 if none
}

// SelfID returns the ID of this process. It fails if the platform does not report start times.
func SelfID() (ID, error) {
	e, err := lookupProcess(os.Getpid())
	return e.ID, err
}

// Ancestors returns the ancestors of this process, parent first, up to the first visible process. If
// one of them cannot be looked up, it returns the ones before it and an error.
func Ancestors() ([]ID, error) {
	find, err := ancestorLookup()
	if err != nil {
		return nil, err
	}
	e, err := find(os.Getpid())
	if err != nil {
		return nil, err
	}
	var ids []ID
	for len(ids) < maxDepth && e.parent > 0 {
		up, err := find(e.parent)
		if err != nil {
			return ids, err
		}
		// A process that started later is not the parent, but has reused its number.
		if up.Start > e.Start {
			break
		}
		ids = append(ids, up.ID)
		e = up
	}
	return ids, nil
}

// IsAlive reports whether the process id is still running. A process that has exited but was not
// reaped yet is not.
func IsAlive(id ID) bool {
	e, err := lookupProcess(id.PID)
	return err == nil && e.Start == id.Start && !e.dead
}

// familyMembers returns the entries of all that belong to leader: the leader, its group, the known
// members, and the descendants of any of these.
func familyMembers(all []entry, leader int, known []entry) []entry {
	in := make(map[int]bool, len(known)+1)
	for _, e := range known {
		in[e.PID] = true
	}
	members := known
	for more := true; more; {
		more = false
		for _, e := range all {
			if in[e.PID] || e.dead && e.PID != leader {
				continue
			}
			if e.PID == leader || e.pgrp == leader || in[e.parent] {
				in[e.PID] = true
				members = append(members, e)
				more = true
			}
		}
	}
	return members
}
