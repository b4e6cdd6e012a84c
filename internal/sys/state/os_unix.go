//go:build unix

package state

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
)

// openNoWait opens path with flag. It does not block on a terminal, or on a pipe without a peer.
func openNoWait(path string, flag int) (*os.File, error) {
	return os.OpenFile(path, flag|syscall.O_NONBLOCK|syscall.O_NOCTTY, fileMode)
}

// openDir opens a directory for reading.
func openDir(path string) (*os.File, error) {
	return openNoWait(path, os.O_RDONLY|syscall.O_DIRECTORY)
}

// openDirNoFollow is openDir that fails for a symlink.
func openDirNoFollow(path string) (*os.File, error) {
	return openNoWait(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW)
}

// openError returns err, the error of opening path without following a symlink. If path is a symlink,
// the error says so.
func openError(path string, err error) error {
	if err == syscall.ENOENT {
		return &os.PathError{Op: "open", Path: path, Err: err} // the usual case
	}
	if info, lerr := os.Lstat(path); lerr == nil && info.Mode()&os.ModeSymlink != 0 {
		return fmt.Errorf("open %s: a link, %w: remove it", path, errNotRegular)
	}
	return &os.PathError{Op: "open", Path: path, Err: err}
}

func renameFile(from, to string) error { return os.Rename(from, to) }

func removeFile(path string) error { return os.Remove(path) }

// releaseAndRemove removes the lock file and unlocks it. It removes the file while it still holds the
// lock, so that no other process can hold the file that is removed. From then on another process may
// create and lock a new one, so the fence comes first.
func (h heldLock) releaseAndRemove() {
	fence.Add(1)
	os.Remove(h.file.path)
	h.release()
}

// checkDir returns an error if path is not a directory, or if another user owns it or may write to it.
// If follow is set, path may be a symlink to a directory. It calls the system directly, because
// package os allocates memory and every use of the state checks two directories.
func checkDir(path string, follow bool) error {
	var st syscall.Stat_t
	if err := statPath(path, &st, follow); err != nil {
		op := "lstat"
		if follow {
			op = "stat"
		}
		return fmt.Errorf("state directory: %w", &os.PathError{Op: op, Path: path, Err: err})
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		return notDirError(path, fileType(uint32(st.Mode)))
	}
	return checkOwner(path, os.FileMode(st.Mode&0o777), true, int(st.Uid))
}

// statPath fills st with the status of path or, if follow is set, of the target of a symlink there.
func statPath(path string, st *syscall.Stat_t, follow bool) (err error) {
	for {
		if follow {
			err = syscall.Stat(path, st)
		} else {
			err = syscall.Lstat(path, st)
		}
		if err != syscall.EINTR {
			return err
		}
	}
}

// IsAbsent reports whether nothing is at path, not even a symlink. False may also mean that path could
// not be examined; opening it returns the error then.
func IsAbsent(path string) bool {
	var st syscall.Stat_t
	return statPath(path, &st, false) == syscall.ENOENT
}

// fileType returns the type bits of fs.FileMode for mode, a mode of the system.
func fileType(mode uint32) os.FileMode {
	switch mode & syscall.S_IFMT {
	case syscall.S_IFREG:
		return 0
	case syscall.S_IFLNK:
		return os.ModeSymlink
	case syscall.S_IFIFO:
		return os.ModeNamedPipe
	case syscall.S_IFSOCK:
		return os.ModeSocket
	}
	return os.ModeDevice
}

// ownerOf returns the id of the user who owns the file that info describes.
func ownerOf(info os.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return effectiveUID()
}

// cachedUID holds the effective user id plus one; 0 means that it was not read yet.
var cachedUID atomic.Int64

// effectiveUID returns the effective user id of this process. It never changes, because checkrein does
// not switch users.
func effectiveUID() int {
	n := cachedUID.Load()
	if n == 0 {
		n = int64(os.Geteuid()) + 1
		cachedUID.Store(n)
	}
	return int(n - 1)
}

// checkOwner returns an error, with the remedy, if group or others may write to path or its owner uid
// is not this user.
func checkOwner(path string, perm os.FileMode, dir bool, uid int) error {
	if perm&0o022 != 0 {
		fix := fileMode
		if dir {
			fix = dirMode
		}
		return fmt.Errorf("the state in %s is not safe: other users may write to it (mode %04o): run chmod %o %s",
			path, perm, fix, path)
	}
	if me := effectiveUID(); uid != me {
		return fmt.Errorf("the state in %s is not safe: it belongs to user %d, not to user %d: "+
			"move it away or set XDG_STATE_HOME to a directory of your own", path, uid, me)
	}
	return nil
}
