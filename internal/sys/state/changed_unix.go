//go:build unix

package state

import (
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Changed is when a file was last written, renamed or put where it is, or its
// directory was: the latest change time of the file, of a link that leads to it,
// and of the directory. Unlike a modification time nobody can set it back.
func Changed(path string) (time.Time, error) {
	var last time.Time
	for _, p := range [...]string{path, filepath.Dir(path)} {
		for _, look := range [...]func(string) (os.FileInfo, error){os.Lstat, os.Stat} {
			info, err := look(p)
			if err != nil {
				return last, err
			}
			if st, ok := info.Sys().(*syscall.Stat_t); ok && changed(st).After(last) {
				last = changed(st)
			}
		}
	}
	return last, nil
}
