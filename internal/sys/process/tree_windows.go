package process

import (
	"fmt"
	"syscall"
	"unsafe"
)

const (
	queryLimited = 0x1000 // PROCESS_QUERY_LIMITED_INFORMATION
	stillRunning = 258    // WAIT_TIMEOUT: the process object is not signalled
)

// ancestorLookup returns a lookup function for walks up the ancestors. The parents come from one
// snapshot. Windows still reports the number of a parent that has long exited.
func ancestorLookup() (func(int) (entry, error), error) {
	all, err := listProcesses()
	if err != nil {
		return nil, err
	}
	parents := make(map[int]int, len(all))
	for _, e := range all {
		parents[e.PID] = e.parent
	}
	return func(pid int) (entry, error) {
		parent, ok := parents[pid]
		if !ok {
			// The walk ends here, because an entry that started later than
			// every process counts as the parent of none.
			return entry{ID: ID{PID: pid, Start: ^uint64(0)}}, nil
		}
		e, err := lookupProcess(pid)
		e.parent = parent
		return e, err
	}, nil
}

// lookupProcess returns the entry of the process pid with its start and whether it has ended, but
// without its parent, which requires a snapshot.
func lookupProcess(pid int) (entry, error) {
	h, err := syscall.OpenProcess(queryLimited|syscall.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return entry{}, fmt.Errorf("look up process %d: %w", pid, err)
	}
	defer syscall.CloseHandle(h)
	var made, exit, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(h, &made, &exit, &kernel, &user); err != nil {
		return entry{}, fmt.Errorf("look up process %d: %w", pid, err)
	}
	state, err := syscall.WaitForSingleObject(h, 0)
	return entry{
		ID:   ID{PID: pid, Start: uint64(made.HighDateTime)<<32 | uint64(made.LowDateTime)},
		dead: err == nil && state != stillRunning,
	}, nil
}

// listProcesses returns the entries of all processes with their parents, but without their start
// times.
func listProcesses() ([]entry, error) {
	snap, err := syscall.CreateToolhelp32Snapshot(syscall.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer syscall.CloseHandle(snap)
	var all []entry
	var pe syscall.ProcessEntry32
	pe.Size = uint32(unsafe.Sizeof(pe))
	for err = syscall.Process32First(snap, &pe); err == nil; err = syscall.Process32Next(snap, &pe) {
		all = append(all, entry{
			ID:     ID{PID: int(pe.ProcessID)},
			parent: int(pe.ParentProcessID),
		})
	}
	if err != syscall.ERROR_NO_MORE_FILES {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	return all, nil
}
