package process

import (
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// The unit of start times, USER_HZ, which is the same on all platforms of Go.
const (
	ticksPerSecond = 100
	tick           = time.Second / ticksPerSecond
)

// killGroupHolders kills the members of a group that have one of the pipes
// open, and nobody else. If the system does not let us see who that is, it
// kills the group.
func (f *family) killGroupHolders(files ...*os.File) {
	all, err := table()
	if err != nil {
		f.signalGroup(syscall.SIGKILL)
		return
	}
	names := pipeNames(files)
	for _, e := range all {
		if e.pgrp == f.leader && holdsAny(e.PID, names) {
			signalOne(e.ID, syscall.SIGKILL)
		}
	}
}

// killHolders kills who else has one of the pipes open: descendants that left
// both the group and their parents.
func (f *family) killHolders(files ...*os.File) {
	for _, e := range f.holders(files) {
		signalOne(e.ID, syscall.SIGKILL)
	}
}

// adopt adds them and their descendants to the family.
func (f *family) adopt(files ...*os.File) {
	found := f.holders(files)
	if len(found) == 0 {
		return
	}
	for _, e := range found {
		if !slices.ContainsFunc(f.kin, func(k entry) bool { return k.ID == e.ID }) {
			f.kin = append(f.kin, e)
		}
	}
	f.refresh()
}

// holders returns who has one of the pipes open. Nobody who started before the
// leader can be a descendant, though he may have been sent the descriptor; and
// our own children hold the pipes of all runs for a moment between fork and
// exec.
func (f *family) holders(files []*os.File) []entry {
	if f.since == 0 {
		return nil
	}
	all, err := table()
	if err != nil {
		return nil
	}
	var found []entry
	names, self := pipeNames(files), os.Getpid()
	for _, e := range all {
		if e.Start < f.since || e.PID == self || e.parent == self {
			continue
		}
		if holdsAny(e.PID, names) {
			found = append(found, e)
		}
	}
	return found
}

// startBound returns a start before which nobody started who did so after t.
// The uptime is in seconds, rounded up; what is lost by that and by ticks only
// makes the bound earlier.
func startBound(t time.Time) uint64 {
	var info syscall.Sysinfo_t
	ago := int64(time.Since(t)/tick) + 1
	if err := syscall.Sysinfo(&info); err != nil {
		return 0
	}
	return uint64(max(1, (int64(info.Uptime)-1)*ticksPerSecond-ago-1))
}

// pipeNames returns what the links in /proc/<pid>/fd say of the pipes.
func pipeNames(files []*os.File) []string {
	var names []string
	for _, f := range files {
		info, err := f.Stat()
		if err != nil {
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			names = append(names, "pipe:["+strconv.FormatUint(st.Ino, 10)+"]")
		}
	}
	return names
}

// holdsAny reports whether a process has one of the named pipes open. It says
// no for those that we may not look into.
func holdsAny(pid int, names []string) bool {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	fds, err := listDir(dir)
	if err != nil {
		return false
	}
	for _, fd := range fds {
		target, err := os.Readlink(dir + "/" + fd)
		if err != nil {
			continue
		}
		for _, name := range names {
			if target == name {
				return true
			}
		}
	}
	return false
}
