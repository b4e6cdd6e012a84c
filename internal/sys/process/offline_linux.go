package process

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// isolateNetwork makes attr start a program in an empty network namespace, and in the user namespace
// that this requires, in which all users keep their ids.
func isolateNetwork(attr *syscall.SysProcAttr) error {
	attr.Cloneflags |= syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET
	if os.Geteuid() != 0 {
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		return nil
	}
	// Root accesses files of other users, so all their ids are mapped.
	var err error
	if attr.UidMappings, err = identityMap("/proc/self/uid_map"); err == nil {
		attr.GidMappings, err = identityMap("/proc/self/gid_map")
	}
	return err
}

// identityMap returns a map of all ids in file, an id map of this process, to themselves.
func identityMap(file string) ([]syscall.SysProcIDMap, error) {
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
