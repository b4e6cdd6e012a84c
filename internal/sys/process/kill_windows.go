package process

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// detachedProcess is DETACHED_PROCESS: the program has no console.
const detachedProcess = 0x8

// groupAttr returns attributes that keep the Ctrl-C of this console from the program.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// sessionAttr returns attributes that start a program without this console.
func sessionAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess,
		HideWindow:    true,
	}
}

// ShellArgv returns the argv that runs command in the shell of the platform: PowerShell if there is
// one, otherwise cmd.
func ShellArgv(command string) []string {
	if _, err := exec.LookPath("powershell"); err == nil {
		return []string{"powershell", "-NoProfile", "-NonInteractive", "-Command", command}
	}
	return []string{"cmd", "/C", command}
}

// BashArgv returns ShellArgv(command), because a bash on Windows uses other paths than native programs
// do.
func BashArgv(command string) []string { return ShellArgv(command) }

// A family is a leader and all its descendants.
type family struct {
	leader  int
	members []entry // including the leader
}

// listFamily returns the family of leader.
func listFamily(leader int) *family {
	f := &family{leader: leader}
	f.refresh()
	return f
}

// listOrphans returns an empty family, because Windows does not report which processes belonged to a
// leader that has exited, and another process may soon have its number.
func listOrphans(leader int, _ time.Time) *family { return &family{leader: leader} }

// revalidate does nothing, because the family of a leader that has exited is empty.
func (f *family) revalidate() {}

// addHolders does nothing, because Windows does not report which processes hold a pipe.
func (f *family) addHolders(...*os.File) {}

// refresh adds processes that joined the family since it was listed. The system's list has no start
// times, so they are looked up. A child that started before the leader is none: the number of its
// parent was reused.
func (f *family) refresh() {
	all, err := listProcesses()
	if err != nil {
		all = []entry{{ID: ID{PID: f.leader}}}
	}
	first, err := lookupProcess(f.leader)
	if err != nil {
		return
	}
	var members []entry
	for _, e := range familyMembers(all, f.leader, f.members) {
		if seen, err := lookupProcess(e.PID); err == nil && seen.Start >= first.Start {
			e.Start = seen.Start
			members = append(members, e)
		}
	}
	f.members = members
}

// terminate returns false, because Windows cannot ask a family to end.
func (f *family) terminate() bool { return false }

// kill kills the family, parents first.
func (f *family) kill() {
	for _, e := range f.members {
		killOne(e.ID)
	}
}

// hasLiveMember reports whether a member of the family is still running.
func (f *family) hasLiveMember() bool {
	for _, e := range f.members {
		if IsAlive(e.ID) {
			return true
		}
	}
	return false
}

// killHolders does nothing, because Windows does not report which processes hold a pipe.
func (f *family) killHolders(...*os.File) {}

// killGroupHolders does nothing, because Windows does not report which processes hold a pipe.
func (f *family) killGroupHolders(...*os.File) {}

// killOne kills the process that id identifies. The open handle keeps its number from being reused
// between the check and the kill.
func killOne(id ID) {
	p, err := os.FindProcess(id.PID)
	if err != nil {
		return
	}
	if IsAlive(id) {
		_ = p.Kill()
	}
	_ = p.Release()
}

// signalName returns "", because Windows has no signals.
func signalName(*os.ProcessState) string { return "" }
