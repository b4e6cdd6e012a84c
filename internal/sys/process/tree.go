package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// maxDepth ends a walk up the ancestors if the entries form a ring, as they can while numbers are
// being reused.
const maxDepth = 256

// An ID identifies a process for its lifetime: numbers are reused, but not a number with a start time.
// It is valid on the machine and in the boot where it was taken.
type ID struct {
	PID int
	// Start is when the process started, in a unit of the platform's own.
	Start uint64
}

// String returns the ID in the form pid:start that ParseID parses.
func (id ID) String() string {
	return strconv.Itoa(id.PID) + ":" + strconv.FormatUint(id.Start, 10)
}

// ParseID parses the result of String, and nothing else.
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

// An entry describes a process, as the system lists it.
type entry struct {
	ID
	parent int
	pgrp   int  // 0 if the platform has no groups
	dead   bool // it has exited, but was not reaped yet

	session int    // 0 if unknown
	tty     uint64 // the device of its session's terminal; 0 if none
}

// Self returns the ID of this process. It fails if the platform does not report start times.
func Self() (ID, error) {
	e, err := lookup(os.Getpid())
	return e.ID, err
}

// Ancestors returns the ancestors of this process, parent first, up to the first visible process. If
// one of them cannot be looked up, it returns those before it and an error.
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
		// A parent that is younger has only inherited the number.
		if up.Start > e.Start {
			break
		}
		ids = append(ids, up.ID)
		e = up
	}
	return ids, nil
}

// IsAlive reports whether the process that id names still runs. One that has exited and was not reaped
// yet does not.
func IsAlive(id ID) bool {
	e, err := lookup(id.PID)
	return err == nil && e.Start == id.Start && !e.dead
}

// familyMembers returns the entries that belong to a leader: the leader, its group, the known members,
// and the descendants of any of these.
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
