//go:build unix

package state

import (
	"fmt"
	"os"
	"sync/atomic"
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

// linked explains an open that did not follow a link.
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

// checkDir refuses what is no directory, and one that another user owns or may change.
// It asks the system itself: what package os says takes memory, and every use of the
// state asks twice.
func checkDir(path string, follow bool) error {
	var st syscall.Stat_t
	if err := lookAt(path, &st, follow); err != nil {
		op := "lstat"
		if follow {
			op = "stat"
		}
		return fmt.Errorf("state directory: %w", &os.PathError{Op: op, Path: path, Err: err})
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		return notDir(path, typeOf(uint32(st.Mode)))
	}
	return checkOwner(path, os.FileMode(st.Mode&0o777), true, int(st.Uid))
}

// lookAt asks the system what lies at a path, behind a link if it is to follow it.
func lookAt(path string, st *syscall.Stat_t, follow bool) (err error) {
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

// Absent reports that nothing is at a path, not even a link. False says nothing: whoever
// asks finds out what there is.
func Absent(path string) bool {
	var st syscall.Stat_t
	return lookAt(path, &st, false) == syscall.ENOENT
}

// typeOf is the type of a file, as package os has it.
func typeOf(mode uint32) os.FileMode {
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

func ownerOf(info os.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return self()
}

// asked is the number of our user and one; 0 = the system was not asked.
var asked atomic.Int64

// self is the user of this process. It never changes: no program of ours takes another.
func self() int {
	n := asked.Load()
	if n == 0 {
		n = int64(os.Geteuid()) + 1
		asked.Store(n)
	}
	return int(n - 1)
}

func checkOwner(path string, perm os.FileMode, dir bool, uid int) error {
	if perm&0o022 != 0 {
		fix := fileMode
		if dir {
			fix = dirMode
		}
		return fmt.Errorf("the state in %s is not safe: other users may write to it (mode %04o): run chmod %o %s",
			path, perm, fix, path)
	}
	if me := self(); uid != me {
		return fmt.Errorf("state in %s is not safe: it belongs to user %d, not to user %d: "+
			"move it away or set XDG_STATE_HOME to a directory of your own", path, uid, me)
	}
	return nil
}
