//go:build unix

package process

import (
	"os"
	"strconv"
	"syscall"
	"time"
)

// noProcess is a number that no process and no process group has.
const noProcess = -1

// groupAttr returns attributes that make a program the leader of its own process group.
func groupAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// sessionAttr returns attributes that make a program the leader of its own session, without the
// terminal of this process.
func sessionAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// ShellArgv returns the argv that runs command in the shell of the platform.
func ShellArgv(command string) []string { return []string{"/bin/sh", "-c", command} }

// bashPaths lists the files that may be bash. PATH and SHELL are ignored, because the environment must
// not choose the program.
var bashPaths = [...]string{"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash", "/run/current-system/sw/bin/bash"}

// BashArgv returns the argv that runs command in bash or, if there is none, in the shell of the
// platform. The option -p keeps bash from reading functions, options and startup files from the
// environment.
func BashArgv(command string) []string {
	for _, path := range bashPaths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return []string{path, "-p", "-c", command}
		}
	}
	return ShellArgv(command)
}

// A family is a leader, its process group, and all descendants of either. The number of a leader that
// was reaped still denotes its group as long as the group has members, and after that until the system
// has cycled through all process numbers. It is used for milliseconds, and later only if revalidate
// finds one of the members.
type family struct {
	leader  int     // number of the leader and its group; noProcess if another process may have that number
	listed  bool    // members is set; false if the platform cannot list processes
	since   uint64  // lower bound for the leader's start; 0 if unknown
	members []entry // including the leader
}

// listFamily returns the family of leader. It must be called before any member gets a signal, because
// an orphan no longer shows its former parent.
func listFamily(leader int) *family {
	f := &family{leader: leader}
	f.refresh()
	return f
}

// listOrphans returns the family of leader, which started at began and was just reaped.
func listOrphans(leader int, began time.Time) *family {
	f := listFamily(leader)
	if f.since == 0 {
		f.since = startBound(began)
	}
	return f
}

// revalidate updates a list that may be old: it removes members that have died, because other
// processes may have their numbers by now, and adds new ones.
func (f *family) revalidate() {
	former, leader := f.members, f.leader
	f.members = nil
	if f.listed {
		f.leader = noProcess
	}
	for _, e := range former {
		now, err := lookupProcess(e.PID)
		if err != nil || now.Start != e.Start || now.dead {
			continue
		}
		f.members = append(f.members, now)
		if now.pgrp == leader {
			f.leader = leader
		}
	}
	f.refresh()
}

// refresh adds processes that joined the family since it was listed.
func (f *family) refresh() {
	all, err := listProcesses()
	if err != nil {
		return
	}
	f.listed = true
	f.members = familyMembers(all, f.leader, f.members)
	for _, e := range f.members {
		if e.PID == f.leader {
			f.since = e.Start
		}
	}
}

// terminate sends TERM to the family, followed by CONT so that stopped processes receive it. It
// returns true, because the platform supports that.
func (f *family) terminate() bool {
	f.signal(syscall.SIGTERM)
	f.signal(syscall.SIGCONT)
	return true
}

// kill sends KILL to the family.
func (f *family) kill() { f.signal(syscall.SIGKILL) }

// signal sends sig to the group in one step, which no fork escapes, and to each member that left the
// group.
func (f *family) signal(sig syscall.Signal) {
	f.signalGroup(sig)
	for _, e := range f.members {
		if e.pgrp != f.leader {
			signalOne(e.ID, sig)
		}
	}
}

// signalGroup sends sig to the leader's process group.
func (f *family) signalGroup(sig syscall.Signal) {
	if f.leader > 0 {
		_ = syscall.Kill(-f.leader, sig)
	}
}

// hasLiveMember reports whether a member of the family is still running.
func (f *family) hasLiveMember() bool {
	if !f.listed {
		return syscall.Kill(-f.leader, 0) == nil
	}
	for _, e := range f.members {
		if IsAlive(e.ID) {
			return true
		}
	}
	return false
}

// signalOne sends sig to the process that id identifies, not to one that has got its number since. On
// systems with process handles, the handle is opened before the check.
func signalOne(id ID, sig syscall.Signal) {
	if id.PID <= 1 || id.PID == os.Getpid() {
		return
	}
	p, err := os.FindProcess(id.PID)
	if err != nil {
		return
	}
	if IsAlive(id) {
		_ = p.Signal(sig)
	}
	_ = p.Release()
}

// signalName returns the name of the signal that ended the process of st, or "" if none did.
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
