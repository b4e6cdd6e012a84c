package undo

import (
	"syscall"
	"testing"
)

// mountSmallDisk mounts a file system of 1 MiB, which only root can.
func mountSmallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("NO FULL DISK HERE: only root can mount one:", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}
