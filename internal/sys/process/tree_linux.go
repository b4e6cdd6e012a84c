package process

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"syscall"
)

// statSize is the number of bytes of /proc/<pid>/stat that are read. They include all fields that
// parseStat uses.
const statSize = 1024

// ancestorLookup returns a lookup function for walks up the ancestors.
func ancestorLookup() (func(int) (entry, error), error) { return lookupProcess, nil }

// lookupProcess returns the entry of the process pid from /proc.
func lookupProcess(pid int) (entry, error) {
	var buf [statSize]byte
	name := "/proc/" + strconv.Itoa(pid) + "/stat"
	n, err := readFileStart(name, buf[:])
	if err != nil {
		return entry{}, fmt.Errorf("look up process %d: %w", pid, err)
	}
	e, err := parseStat(buf[:n])
	if err != nil {
		return entry{}, fmt.Errorf("read %s: %w", name, err)
	}
	return e, nil
}

// readFileStart reads the start of the file name in /proc into b, and returns the number of bytes. It
// avoids os.File, which would double the cost of listing a thousand processes.
func readFileStart(name string, b []byte) (int, error) {
	for {
		fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return 0, err
		}
		n, err := syscall.Read(fd, b) // called directly, so that b may stay on the stack
		for err == syscall.EINTR {
			n, err = syscall.Read(fd, b)
		}
		_ = syscall.Close(fd)
		return max(n, 0), err
	}
}

// parseStat parses line, the content of /proc/<pid>/stat. The second field is the name of the program
// in parentheses. It may contain spaces, newlines and parentheses, so the last parenthesis closes it.
func parseStat(line []byte) (entry, error) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return entry{}, errors.New("no program name")
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(line[:open])))
	if err != nil {
		return entry{}, fmt.Errorf("pid: %w", err)
	}
	// Fields 3 to 22: state, parent, group, session, terminal, others that are not used,
	// and the start.
	var f [20][]byte // stays on the stack, like the line
	rest := line[end+1:]
	for i := range f {
		if f[i], rest = cutField(rest); len(f[i]) == 0 {
			return entry{}, errors.New("too few fields")
		}
	}
	e := entry{ID: ID{PID: pid}}
	if e.parent, err = strconv.Atoi(string(f[1])); err != nil {
		return entry{}, fmt.Errorf("parent: %w", err)
	}
	if e.pgrp, err = strconv.Atoi(string(f[2])); err != nil {
		return entry{}, fmt.Errorf("group: %w", err)
	}
	if e.session, err = strconv.Atoi(string(f[3])); err != nil {
		return entry{}, fmt.Errorf("session: %w", err)
	}
	tty, err := strconv.ParseInt(string(f[4]), 10, 32)
	if err != nil {
		return entry{}, fmt.Errorf("terminal: %w", err)
	}
	e.tty = uint64(uint32(tty)) // the form of device numbers in stat
	if e.Start, err = strconv.ParseUint(string(f[19]), 10, 64); err != nil {
		return entry{}, fmt.Errorf("start: %w", err)
	}
	switch f[0][0] {
	case 'Z', 'X', 'x':
		e.dead = true
	}
	return e, nil
}

// cutField returns the first word of line, and the rest after it.
func cutField(line []byte) (word, rest []byte) {
	start := 0
	for start < len(line) && line[start] <= ' ' {
		start++
	}
	end := start
	for end < len(line) && line[end] > ' ' {
		end++
	}
	return line[start:end], line[end:]
}

// listProcesses returns the entries of all processes, except those that end meanwhile.
func listProcesses() ([]entry, error) {
	names, err := listDir("/proc")
	if err != nil {
		return nil, err
	}
	all := make([]entry, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if e, err := lookupProcess(pid); err == nil {
			all = append(all, e)
		}
	}
	return all, nil
}
