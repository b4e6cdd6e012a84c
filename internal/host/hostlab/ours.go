package hostlab

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

// Program is where a program of ours lies in the space.
func (s *Space) Program(name string) string { return filepath.Join(s.Bin, exe(name)) }

func exe(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// PutPrograms copies both programs of ours from a folder into the space.
func (s *Space) PutPrograms(from string) error {
	for _, name := range []string{"checkrein", "checkreind"} {
		if err := CopyProgram(filepath.Join(from, exe(name)), s.Program(name)); err != nil {
			return fmt.Errorf("copying %s to the throw-away home: %w", name, err)
		}
	}
	return nil
}

// CopyProgram copies a program to where nothing is.
func CopyProgram(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}

// Hidden is where Hide puts something.
func Hidden(path string) string { return path + ".hidden" }

// Hide takes a file or a folder away until mend is called, which also removes what lies
// in its place by then.
func (s *Space) Hide(path string) (mend func() error, err error) {
	if err := os.Rename(path, Hidden(path)); err != nil {
		return func() error { return nil }, err
	}
	s.endResident()
	return func() error {
		err := errors.Join(os.RemoveAll(path), os.Rename(Hidden(path), path))
		s.endResident()
		return err
	}, nil
}

// endResident ends a program of ours that a host keeps running, so that the next event
// finds it as it is now. It goes by the path of the program, which is in the space: no
// other process has that.
func (s *Space) endResident() {
	running, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		return
	}
	for _, exe := range running {
		path, err := os.Readlink(exe)
		if err != nil || filepath.Dir(path) != s.Bin {
			continue // of somebody else, or gone
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(exe)))
		if err != nil {
			continue
		}
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended by itself
		}
	}
}
