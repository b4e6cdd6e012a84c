//go:build !linux

package hostlab

// killProcesses does nothing here, because the HOME of a process is unknown; the process group has
// been killed.
func killProcesses(string) {}
