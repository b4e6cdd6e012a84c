package state

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// Flags, error codes and calls that package syscall lacks. golang.org/x/sys/windows has
// them, but would link package net into a program that must start fast.
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

// retryTransient repeats do while it fails because another process has the file open or is replacing
// it.
func retryTransient(do func() error) error {
	err := do()
	for i := 0; i < retries && isTransient(err); i++ {
		time.Sleep(retryPause)
		err = do()
	}
	return err
}

// isTransient reports whether err disappears once another process has finished with the file. Opening
// a file that is being removed fails with "access denied".
func isTransient(err error) bool {
	return errors.Is(err, errSharingViolation) || errors.Is(err, syscall.ERROR_ACCESS_DENIED)
}

// openNoWait opens path. On Windows pipes and devices have no names inside directories, so there is
// nothing to block on.
func openNoWait(path string, flag int) (f *os.File, err error) {
	err = retryTransient(func() error {
		f, err = os.OpenFile(path, flag, fileMode)
		return err
	})
	return f, err
}

func openDir(path string) (*os.File, error) { return os.Open(path) }

// openDirNoFollow opens the directory path. It fails for a symlink.
func openDirNoFollow(path string) (*os.File, error) {
	if err := checkNoSymlink(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// checkNoSymlink returns an error if path is neither a directory nor a regular file.
func checkNoSymlink(path string) error {
	if info, err := os.Lstat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return fmt.Errorf("open %s: a link, %w: remove it", path, errNotRegular)
	}
	return nil
}

func renameFile(from, to string) error {
	return retryTransient(func() error { return os.Rename(from, to) })
}

func removeFile(path string) error {
	return retryTransient(func() error { return os.Remove(path) })
}

// lockOffset is the high word of the offset of locks. Other processes cannot read a locked byte, so it
// must lie beyond the end of every file.
const lockOffset = 1<<31 - 1

// lockFile locks a byte of f for its handle, not for the process, so that goroutines exclude each
// other too. It returns errHeld instead of waiting.
func lockFile(f *os.File) error {
	at := syscall.Overlapped{OffsetHigh: lockOffset}
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
	at := syscall.Overlapped{OffsetHigh: lockOffset}
	_, _, _ = procUnlockFileEx.Call(f.Fd(), 0, 1, 0, uintptr(unsafe.Pointer(&at)))
}

// releaseAndRemove unlocks and removes the lock file. Windows does not remove an open file, so it is
// closed first. If another process has opened it in between, the removal fails, as it must.
func (h heldLock) releaseAndRemove() {
	h.release()
	os.Remove(h.file.path)
}

// checkPrivate accepts every file, because mode bits are synthetic on Windows and the access rules of
// the user's profile apply.
func checkPrivate(string, os.FileInfo) error { return nil }

// IsAbsent reports whether nothing is at path, not even a symlink. False may also mean that path could
// not be examined; opening it returns the error then.
func IsAbsent(path string) bool {
	_, err := os.Lstat(path)
	return IsMissing(err)
}

// checkDir returns an error if path is not a directory. If follow is set, it may be a symlink to one.
func checkDir(path string, follow bool) error {
	stat := os.Lstat
	if follow {
		stat = os.Stat
	}
	info, err := stat(path)
	if err != nil {
		return fmt.Errorf("state directory: %w", err)
	}
	if !info.IsDir() {
		return notDirError(path, info.Mode())
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

// openFile opens a private regular file without blocking.
func openFile(path string, flag int) (*os.File, os.FileInfo, error) {
	if err := checkNoSymlink(path); err != nil {
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
