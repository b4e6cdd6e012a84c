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

// ProgramPath returns the path of the program name of checkrein in the space.
func (s *Space) ProgramPath(name string) string { return filepath.Join(s.Bin, executableName(name)) }

func executableName(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// PutPrograms copies checkrein and checkreind from the directory from into the space.
func (s *Space) PutPrograms(from string) error {
	for _, name := range []string{"checkrein", "checkreind"} {
		if err := CopyProgram(filepath.Join(from, executableName(name)), s.ProgramPath(name)); err != nil {
			return fmt.Errorf("copying %s to the throw-away home: %w", name, err)
		}
	}
	return nil
}

// CopyProgram copies a program to the path to, which must not exist.
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

// HiddenPath returns the path to which Hide moves a file.
func HiddenPath(path string) string { return path + ".hidden" }

// Hide moves a file or directory away until restore is called. restore removes whatever is at the path
// by then.
func (s *Space) Hide(path string) (restore func() error, err error) {
	if err := os.Rename(path, HiddenPath(path)); err != nil {
		return func() error { return nil }, err
	}
	s.killOwnPrograms()
	return func() error {
		err := errors.Join(os.RemoveAll(path), os.Rename(HiddenPath(path), path))
		s.killOwnPrograms()
		return err
	}, nil
}

// killOwnPrograms kills programs of checkrein that a host keeps running, so that the next event starts
// the current one. It finds the processes by the path of their program, which is in the space.
func (s *Space) killOwnPrograms() {
	running, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		return
	}
	for _, exe := range running {
		path, err := os.Readlink(exe)
		if err != nil || filepath.Dir(path) != s.Bin {
			continue // it is another program or another user's, or it ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(exe)))
		if err != nil {
			continue
		}
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended already
		}
	}
}
