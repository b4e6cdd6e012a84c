package state

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// The calls and codes that package syscall lacks. golang.org/x/sys/windows has
// them, and would link package net into a program that must start fast.
const (
	lockExclusive       = 2
	lockFailImmediately = 1

	errSharingViolation = syscall.Errno(32)
	errLockViolation    = syscall.Errno(33)
)

var (
	kernel32         = syscall.NewLazyDLL("kernel32.dll")
	procLockFileEx   = kernel32.NewProc("LockFileEx")
	procUnlockFileEx = kernel32.NewProc("UnlockFileEx")
)

const (
	retries    = 50
	retryPause = 5 * time.Millisecond
)

// retry repeats what Windows refuses only while another process has the file
// open or is replacing it.
func retry(do func() error) error {
	err := do()
	for i := 0; i < retries && isTransient(err); i++ {
		time.Sleep(retryPause)
		err = do()
	}
	return err
}

// isTransient reports whether an error passes by itself once another process is done
// with the file. A file about to vanish answers "access denied".
func isTransient(err error) bool {
	return errors.Is(err, errSharingViolation) || errors.Is(err, syscall.ERROR_ACCESS_DENIED)
}

// openNoWait opens path. Pipes and devices have no names inside directories
// here, so there is nothing to wait for.
func openNoWait(path string, flag int) (f *os.File, err error) {
	err = retry(func() error {
		f, err = os.OpenFile(path, flag, fileMode)
		return err
	})
	return f, err
}

func openDir(path string) (*os.File, error) { return os.Open(path) }

// openOwnDir opens a directory that is no link.
func openOwnDir(path string) (*os.File, error) {
	if err := notLinked(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

func notLinked(path string) error {
	if info, err := os.Lstat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return fmt.Errorf("open %s: a link, %w: remove it", path, errNotRegular)
	}
	return nil
}

func renameFile(from, to string) error {
	return retry(func() error { return os.Rename(from, to) })
}

func removeFile(path string) error {
	return retry(func() error { return os.Remove(path) })
}

// farAway is where locks lie: a locked byte cannot be read by others, so it must
// be one that no file has.
const farAway = 1<<31 - 1

// lockFile locks a byte of f for its handle, not for the process, so that
// goroutines exclude each other too. It returns errHeld rather than wait.
func lockFile(f *os.File) error {
	at := syscall.Overlapped{OffsetHigh: farAway}
	ok, _, err := procLockFileEx.Call(f.Fd(), lockExclusive|lockFailImmediately, 0, 1, 0, uintptr(unsafe.Pointer(&at)))
	switch {
	case ok != 0:
		return nil
	case errors.Is(err, errLockViolation) || errors.Is(err, syscall.ERROR_IO_PENDING):
		return errHeld
	}
	return err
}

func unlockFile(f *os.File) {
	at := syscall.Overlapped{OffsetHigh: farAway}
	_, _, _ = procUnlockFileEx.Call(f.Fd(), 0, 1, 0, uintptr(unsafe.Pointer(&at)))
}

// drop unlocks and removes the lock file. An open file cannot be removed here,
// so it is closed first, and for the same reason the removal fails, as it must,
// when another has opened the file in between.
func (h heldLock) drop() {
	h.release()
	os.Remove(h.file.path)
}

// checkPrivate has nothing to check: mode bits are invented on Windows, and the
// access rules come with the user's profile.
func checkPrivate(string, os.FileInfo) error { return nil }

// Absent reports that nothing is at a path, not even a link. False says nothing: whoever
// asks finds out what there is.
func Absent(path string) bool {
	_, err := os.Lstat(path)
	return Missing(err)
}

// checkDir refuses what is no directory.
func checkDir(path string, follow bool) error {
	look := os.Lstat
	if follow {
		look = os.Stat
	}
	info, err := look(path)
	if err != nil {
		return fmt.Errorf("state directory: %w", err)
	}
	if !info.IsDir() {
		return notDir(path, info.Mode())
	}
	return checkPrivate(path, info)
}

// isAt reports whether the open file is still the one at path.
func isAt(f *os.File, path string) bool {
	here, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(here, there)
}

// openFile opens a regular private file without ever waiting for it.
func openFile(path string, flag int) (*os.File, os.FileInfo, error) {
	if err := notLinked(path); err != nil {
		return nil, nil, err
	}
	f, err := openNoWait(path, flag)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("open %s: %w", path, errNotRegular)
	}
	if err == nil {
		err = checkPrivate(path, info)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
