package process

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// offline gives a program a network namespace, and to be allowed to, one of
// users, in which everybody keeps the number that he has.
func offline(attr *syscall.SysProcAttr) error {
	attr.Cloneflags |= syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET
	if os.Geteuid() != 0 {
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		return nil
	}
	// Root works on files of others, so it must know them all.
	var err error
	if attr.UidMappings, err = everybody("/proc/self/uid_map"); err == nil {
		attr.GidMappings, err = everybody("/proc/self/gid_map")
	}
	return err
}

// everybody maps all numbers that a map of ours knows to themselves.
func everybody(file string) ([]syscall.SysProcIDMap, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []syscall.SysProcIDMap
	for line := range strings.Lines(string(text)) {
		var first, outside, size int
		if _, err := fmt.Sscan(line, &first, &outside, &size); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, syscall.SysProcIDMap{ContainerID: first, HostID: first, Size: size})
	}
	return out, nil
}
