//go:build unix

package state

import (
	"fmt"
	"os"
	"syscall"
)

// openNoWait opens path; a pipe without a peer and a terminal do not hold it up.
func openNoWait(path string, flag int) (*os.File, error) {
	return os.OpenFile(path, flag|syscall.O_NONBLOCK|syscall.O_NOCTTY, fileMode)
}

func openDir(path string) (*os.File, error) {
	return openNoWait(path, os.O_RDONLY|syscall.O_DIRECTORY)
}

// openOwnDir opens a directory that is no link.
func openOwnDir(path string) (*os.File, error) {
	return openNoWait(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW)
}

// linked says of an open that did not follow a link what is wrong.
func linked(path string, err error) error {
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

// drop removes the lock file and unlocks. It removes while it still holds the
// lock, so that nobody else can hold the file it removes. From then on another
// may make and lock a new one, hence the early fence.
func (h heldLock) drop() {
	fence.Add(1)
	os.Remove(h.file.path)
	h.release()
}

// checkPrivate refuses what another user owns or may change.
func checkPrivate(path string, info os.FileInfo) error {
	return checkOwner(path, info.Mode().Perm(), info.IsDir(), ownerOf(info))
}

func ownerOf(info os.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return os.Geteuid()
}

func checkOwner(path string, perm os.FileMode, dir bool, uid int) error {
	if perm&0o022 != 0 {
		fix := fileMode
		if dir {
			fix = dirMode
		}
		return fmt.Errorf("state in %s is not safe: other users may write to it (mode %04o): run chmod %o %s",
			path, perm, fix, path)
	}
	if me := os.Geteuid(); uid != me {
		return fmt.Errorf("state in %s is not safe: it belongs to user %d, not to user %d: "+
			"move it away or set XDG_STATE_HOME to a directory of your own", path, uid, me)
	}
	return nil
}
