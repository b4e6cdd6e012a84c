package process

import (
	"os"
	"strconv"
	"syscall"
)

// killGroupHolders kills the members of a group that have one of the pipes
// open, and nobody else. If the system does not let us see who that is, it
// kills the group.
func killGroupHolders(leader int, files ...*os.File) {
	all, err := table()
	if err != nil {
		_ = syscall.Kill(-leader, syscall.SIGKILL)
		return
	}
	names := pipeNames(files)
	for _, e := range all {
		if e.pgrp == leader && holdsAny(e.PID, names) {
			signalOne(e.ID, syscall.SIGKILL)
		}
	}
}

// killHolders kills who else has one of the pipes open: descendants that left
// both the group and their parents. Nobody who started before the leader can
// be one, though he may have been sent the descriptor; and our own children
// hold the pipes of all runs for a moment between fork and exec.
func (f *family) killHolders(files ...*os.File) {
	if f.since == 0 {
		return
	}
	all, err := table()
	if err != nil {
		return
	}
	names, self := pipeNames(files), os.Getpid()
	for _, e := range all {
		if e.Start < f.since || e.PID == self || e.parent == self {
			continue
		}
		if holdsAny(e.PID, names) {
			signalOne(e.ID, syscall.SIGKILL)
		}
	}
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
