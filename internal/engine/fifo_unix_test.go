//go:build unix

package engine_test

import "syscall"

// mkfifo creates a named pipe with which hooks signal that they run.
func mkfifo(path string) error { return syscall.Mkfifo(path, 0o600) }
