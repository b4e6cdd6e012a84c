//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const capSysAdmin = 21

// namespaces returns the attributes of a process that may change what is mounted for itself.
func namespaces() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
		attr.AmbientCaps = []uintptr{capSysAdmin}
	}
	return attr
}

// becomeServer executes argv with home as the home directory of the account as well. A server whose
// HOME is another one guards both, which doubles the work of self-protection; hardly any person has
// that.
func becomeServer(home string, argv []string) error {
	data, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return err
	}
	lines := strings.Split(string(data), "\n")
	for i, line := range lines {
		if f := strings.Split(line, ":"); len(f) == 7 && f[2] == strconv.Itoa(os.Getuid()) {
			f[5] = home
			lines[i] = strings.Join(f, ":")
		}
	}
	accounts := filepath.Join(home, "passwd")
	err = errors.Join(
		os.WriteFile(accounts, []byte(strings.Join(lines, "\n")), 0o644),
		syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""),
		syscall.Mount(accounts, "/etc/passwd", "", syscall.MS_BIND, ""),
	)
	if err != nil {
		return fmt.Errorf("the account cannot get another home directory: %w", err)
	}
	return syscall.Exec(argv[0], argv, os.Environ())
}
