package process

import (
	"fmt"

	"golang.org/x/sys/unix"
)

const (
	zombie   = 5  // SZOMB of <sys/proc.h>
	noDevice = -1 // NODEV of <sys/param.h>
)

// ancestorLookup returns a lookup function for walks up the ancestors.
func ancestorLookup() (func(int) (entry, error), error) { return lookupProcess, nil }

// lookupProcess returns the kernel's entry of the process pid.
func lookupProcess(pid int) (entry, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return entry{}, fmt.Errorf("look up process %d: %w", pid, err)
	}
	if int(k.Proc.P_pid) != pid {
		return entry{}, fmt.Errorf("look up process %d: %w", pid, unix.ESRCH)
	}
	return entryOf(k), nil
}

// listProcesses returns all processes.
func listProcesses() ([]entry, error) {
	ks, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	all := make([]entry, 0, len(ks))
	for i := range ks {
		all = append(all, entryOf(&ks[i]))
	}
	return all, nil
}

// entryOf returns k as an entry. Its start is in microseconds, the precision of the kernel.
func entryOf(k *unix.KinfoProc) entry {
	start := k.Proc.P_starttime
	session, _ := unix.Getsid(int(k.Proc.P_pid)) // 0 if unknown
	var tty uint64
	if k.Eproc.Tdev != noDevice {
		tty = uint64(uint32(k.Eproc.Tdev))
	}
	return entry{
		ID: ID{
			PID:   int(k.Proc.P_pid),
			Start: uint64(start.Sec)*1e6 + uint64(start.Usec),
		},
		parent: int(k.Eproc.Ppid),
		pgrp:   int(k.Eproc.Pgid),
		dead:   k.Proc.P_stat == zombie,

		session: session,
		tty:     tty,
	}
}
