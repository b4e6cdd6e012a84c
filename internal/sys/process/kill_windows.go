package process

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// detachedProcess is DETACHED_PROCESS: no console, not even ours.
const detachedProcess = 0x8

// groupAttr keeps the program out of reach of our console's Ctrl-C.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// sessionAttr starts a program that has nothing to do with our console.
func sessionAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess,
		HideWindow:    true,
	}
}

// Shell returns the argv that runs command in the shell of the platform:
// PowerShell if there is one, else cmd.
func Shell(command string) []string {
	if _, err := exec.LookPath("powershell"); err == nil {
		return []string{"powershell", "-NoProfile", "-NonInteractive", "-Command", command}
	}
	return []string{"cmd", "/C", command}
}

// Bash is Shell: a bash of Windows has other paths than programs do.
func Bash(command string) []string { return Shell(command) }

// A family is a leader with all that descended from it.
type family struct {
	leader int
	kin    []entry // the members, the leader among them
}

// familyOf lists the family of a leader.
func familyOf(leader int) *family {
	f := &family{leader: leader}
	f.refresh()
	return f
}

// orphansOf returns an empty family: with the leader gone, who belonged to it
// cannot be told here, and its number may soon be another's.
func orphansOf(leader int, _ time.Time) *family { return &family{leader: leader} }

// renew leaves the family of a leader that is gone empty.
func (f *family) renew() {}

// adopt does nothing: who holds a pipe cannot be told here.
func (f *family) adopt(...*os.File) {}

// refresh adds those who joined the family since it was listed. The list of
// the system has no starts, so they are looked up; a child that seems older
// than the leader only has a number for a parent that was reused.
func (f *family) refresh() {
	all, err := table()
	if err != nil {
		all = []entry{{ID: ID{PID: f.leader}}}
	}
	first, err := lookup(f.leader)
	if err != nil {
		return
	}
	var members []entry
	for _, e := range kin(all, f.leader, f.kin) {
		if seen, err := lookup(e.PID); err == nil && seen.Start >= first.Start {
			e.Start = seen.Start
			members = append(members, e)
		}
	}
	f.kin = members
}

// terminate reports whether there is no way to ask a family to end.
func (f *family) terminate() bool { return false }

// kill ends the family, parents first.
func (f *family) kill() {
	for _, e := range f.kin {
		killOne(e.ID)
	}
}

// left reports whether anyone of the family lives on.
func (f *family) left() bool {
	for _, e := range f.kin {
		if Alive(e.ID) {
			return true
		}
	}
	return false
}

// killHolders does nothing: who holds a pipe cannot be told here.
func (f *family) killHolders(...*os.File) {}

// killGroupHolders does nothing, for the same reason.
func (f *family) killGroupHolders(...*os.File) {}

// killOne ends the very process id names: the open handle keeps its number
// from being reused between the check and the end.
func killOne(id ID) {
	p, err := os.FindProcess(id.PID)
	if err != nil {
		return
	}
	if Alive(id) {
		_ = p.Kill()
	}
	_ = p.Release()
}

// signalName returns "": nothing ends by a signal here.
func signalName(*os.ProcessState) string { return "" }
