//go:build unix

package process

import (
	"os"
	"strconv"
	"syscall"
	"time"
)

// nobody is the number of no process and no group.
const nobody = -1

// groupAttr starts a program as the leader of a group of its own.
func groupAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// sessionAttr starts a program as the leader of a session of its own, out of
// reach of our terminal.
func sessionAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// Shell returns the argv that runs command in the shell of the platform.
func Shell(command string) []string { return []string{"/bin/sh", "-c", command} }

// bashes is where bash is looked for. PATH and SHELL do not count: what runs is not
// for an environment to choose.
var bashes = [...]string{"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash", "/run/current-system/sw/bin/bash"}

// Bash returns the argv that runs command in bash, else in the shell of the platform.
// -p keeps the environment from giving bash functions, options and files to read first.
func Bash(command string) []string {
	for _, path := range bashes {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return []string{path, "-p", "-c", command}
		}
	}
	return Shell(command)
}

// A family is a leader with its group and all that descended from either. A
// reaped leader's number stays safe to use as a group for as long as the group
// has members, and after that for as long as the system takes to go once
// through all process numbers: it is used for milliseconds, and after that
// only if renew finds one of the members.
type family struct {
	leader int     // its number and its group's; nobody if it may be another's
	listed bool    // false where the platform has no list of processes
	since  uint64  // the leader did not start before; 0 if that is unknown
	kin    []entry // the members, the leader among them
}

// familyOf lists the family of a leader. It must be asked before anyone gets a
// signal, since orphans no longer show whose they were.
func familyOf(leader int) *family {
	f := &family{leader: leader}
	f.refresh()
	return f
}

// orphansOf lists the family of a leader that began then and was just reaped.
func orphansOf(leader int, began time.Time) *family {
	f := familyOf(leader)
	if f.since == 0 {
		f.since = startBound(began)
	}
	return f
}

// renew brings up to date a list from before, perhaps long before. Numbers of
// those who died meanwhile, the leader's first of all, may be in other hands.
func (f *family) renew() {
	former, leader := f.kin, f.leader
	f.kin = nil
	if f.listed {
		f.leader = nobody
	}
	for _, e := range former {
		now, err := lookup(e.PID)
		if err != nil || now.Start != e.Start || now.dead {
			continue
		}
		f.kin = append(f.kin, now)
		if now.pgrp == leader {
			f.leader = leader
		}
	}
	f.refresh()
}

// refresh adds those who joined the family since it was listed.
func (f *family) refresh() {
	all, err := table()
	if err != nil {
		return
	}
	f.listed = true
	f.kin = kin(all, f.leader, f.kin)
	for _, e := range f.kin {
		if e.PID == f.leader {
			f.since = e.Start
		}
	}
}

// terminate asks the family to end and tells whether that can be asked here.
// CONT lets the stopped ones hear it.
func (f *family) terminate() bool {
	f.signal(syscall.SIGTERM)
	f.signal(syscall.SIGCONT)
	return true
}

// kill ends the family.
func (f *family) kill() { f.signal(syscall.SIGKILL) }

// signal reaches the group in one step that no fork escapes, and one by one
// those who left it.
func (f *family) signal(sig syscall.Signal) {
	f.signalGroup(sig)
	for _, e := range f.kin {
		if e.pgrp != f.leader {
			signalOne(e.ID, sig)
		}
	}
}

func (f *family) signalGroup(sig syscall.Signal) {
	if f.leader > 0 {
		_ = syscall.Kill(-f.leader, sig)
	}
}

// left reports whether anyone of the family lives on.
func (f *family) left() bool {
	if !f.listed {
		return syscall.Kill(-f.leader, 0) == nil
	}
	for _, e := range f.kin {
		if Alive(e.ID) {
			return true
		}
	}
	return false
}

// signalOne signals the very process id names, not one that got its number:
// where the system has process handles, the handle comes before the check.
func signalOne(id ID, sig syscall.Signal) {
	if id.PID <= 1 || id.PID == os.Getpid() {
		return
	}
	p, err := os.FindProcess(id.PID)
	if err != nil {
		return
	}
	if Alive(id) {
		_ = p.Signal(sig)
	}
	_ = p.Release()
}

// signalName names the signal that ended a process, "" if none did.
func signalName(st *os.ProcessState) string {
	ws, ok := st.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return ""
	}
	switch sig := ws.Signal(); sig {
	case syscall.SIGABRT:
		return "SIGABRT"
	case syscall.SIGALRM:
		return "SIGALRM"
	case syscall.SIGBUS:
		return "SIGBUS"
	case syscall.SIGFPE:
		return "SIGFPE"
	case syscall.SIGHUP:
		return "SIGHUP"
	case syscall.SIGILL:
		return "SIGILL"
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGKILL:
		return "SIGKILL"
	case syscall.SIGPIPE:
		return "SIGPIPE"
	case syscall.SIGQUIT:
		return "SIGQUIT"
	case syscall.SIGSEGV:
		return "SIGSEGV"
	case syscall.SIGSYS:
		return "SIGSYS"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGTRAP:
		return "SIGTRAP"
	case syscall.SIGUSR1:
		return "SIGUSR1"
	case syscall.SIGUSR2:
		return "SIGUSR2"
	case syscall.SIGXCPU:
		return "SIGXCPU"
	case syscall.SIGXFSZ:
		return "SIGXFSZ"
	default:
		return "signal " + strconv.Itoa(int(sig))
	}
}
