package process

import (
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// The unit of start times, USER_HZ, which is the same on all architectures that Go supports.
const (
	ticksPerSecond = 100
	tick           = time.Second / ticksPerSecond
)

// killGroupHolders kills the members of the group that have one of the pipes open. If the processes
// cannot be listed, it kills the whole group.
func (f *family) killGroupHolders(files ...*os.File) {
	all, err := listProcesses()
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

// killHolders kills other processes that have one of the pipes open: descendants that left the group
// and whose parents have exited.
func (f *family) killHolders(files ...*os.File) {
	for _, e := range f.holders(files) {
		signalOne(e.ID, syscall.SIGKILL)
	}
}

// addHolders adds the processes that have one of the pipes open, and their descendants, to the family.
func (f *family) addHolders(files ...*os.File) {
	found := f.holders(files)
	if len(found) == 0 {
		return
	}
	for _, e := range found {
		if !slices.ContainsFunc(f.members, func(k entry) bool { return k.ID == e.ID }) {
			f.members = append(f.members, e)
		}
	}
	f.refresh()
}

// holders returns the processes that have one of the pipes open. It skips those that started before
// the leader, which cannot be descendants but may have been sent the descriptor. It also skips
// children of this process, which hold the pipes of all runs for a moment between fork and exec.
func (f *family) holders(files []*os.File) []entry {
	if f.since == 0 {
		return nil
	}
	all, err := listProcesses()
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

// startBound returns a lower bound for ID.Start of processes that started after t, or 0 if the uptime
// is unknown. The uptime is in seconds, rounded up; rounding only makes the bound earlier.
func startBound(t time.Time) uint64 {
	var info syscall.Sysinfo_t
	ago := int64(time.Since(t)/tick) + 1
	if err := syscall.Sysinfo(&info); err != nil {
		return 0
	}
	return uint64(max(1, (int64(info.Uptime)-1)*ticksPerSecond-ago-1))
}

// pipeNames returns the targets that the symlinks in /proc/<pid>/fd have for files, which are pipes.
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

// holdsAny reports whether the process pid has one of the pipes names open. It reports false if its
// descriptors cannot be read.
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
