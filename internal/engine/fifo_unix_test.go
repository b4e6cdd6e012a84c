//go:build unix

package engine_test

import "syscall"

// mkfifo makes a pipe by which hooks tell that they run.
func mkfifo(path string) error { return syscall.Mkfifo(path, 0o600) }
