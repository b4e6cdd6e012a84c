package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// maxDepth ends the walk up the ancestors should the system's answers form a
// ring, as they can while numbers are being reused.
const maxDepth = 256

// An ID names a process for its lifetime: numbers are reused, a number with a
// start time is not. It means something on the machine and in the boot where
// it was taken.
type ID struct {
	PID int
	// Start is when the process started, in a unit of the platform's own.
	Start uint64
}

// String writes the ID as ParseID reads it: pid, colon, start.
func (id ID) String() string {
	return strconv.Itoa(id.PID) + ":" + strconv.FormatUint(id.Start, 10)
}

// ParseID reads what String wrote, and nothing else.
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

// An entry is what the system's list says of a process.
type entry struct {
	ID
	parent int
	pgrp   int  // 0 where the platform has no groups
	dead   bool // it has exited and only waits to be reaped

	session int    // 0 where nobody tells
	tty     uint64 // the device of its session's terminal; 0 = none
}

// Self returns the ID of this process. It fails where the platform does not
// tell start times.
func Self() (ID, error) {
	e, err := lookup(os.Getpid())
	return e.ID, err
}

// Ancestors returns the ancestors of this process, parent first, up to the
// first process of the system or of our view of it. Beside an error it returns
// those it could see before one that it could not.
func Ancestors() ([]ID, error) {
	find, err := finder()
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

// Alive reports whether the process id names still runs. One that has exited
// and was not reaped yet does not.
func Alive(id ID) bool {
	e, err := lookup(id.PID)
	return err == nil && e.Start == id.Start && !e.dead
}

// kin returns those of all who belong to a leader: the leader, its group, who
// was known before, and the descendants of any of these.
func kin(all []entry, leader int, known []entry) []entry {
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
