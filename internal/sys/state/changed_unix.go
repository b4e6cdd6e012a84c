//go:build unix

package state

import (
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// LastChange returns when the file path or its directory was last written, renamed or moved: the
// latest change time of the file, of a symlink at path, and of the directory. Unlike a modification
// time, a change time cannot be set back.
func LastChange(path string) (time.Time, error) {
	var last time.Time
	for _, p := range [...]string{path, filepath.Dir(path)} {
		for _, stat := range [...]func(string) (os.FileInfo, error){os.Lstat, os.Stat} {
			info, err := stat(p)
			if err != nil {
				return last, err
			}
			if at := ChangeTime(info); at.After(last) {
				last = at
			}
		}
	}
	return last, nil
}

// ChangeTime returns when the content or the inode of a file last changed.
func ChangeTime(info os.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return changeTime(st)
	}
	return info.ModTime()
}
