package install

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// SystemDir returns the folder for checkrein's programs that only root may change, ""
// on a system without one. Nothing moves it: a line that names it must not lead
// elsewhere.
func SystemDir() string {
	switch runtime.GOOS {
	case "windows":
		return ""
	case "darwin": // Homebrew may own /usr/local
		return "/opt/checkrein/bin"
	}
	return "/usr/local/lib/checkrein"
}

// SystemProgram returns the program in [SystemDir] that hosts are given.
func SystemProgram() string { return filepath.Join(SystemDir(), "checkrein") }

// systemPrograms are the programs there. The last one is optional.
var systemPrograms = [...]string{"checkrein", companion, modelsProgram}

// SystemLink is the symlink by which people find the program in PATH.
const SystemLink = "/usr/local/bin/checkrein"

// A SystemMove copies the programs of a folder to [SystemDir], or removes them there.
type SystemMove struct {
	Programs []string // paths of those that differ there, or are there to remove
	Link     bool     // the link for PATH is missing, or is there to remove
}

// Empty reports whether there is nothing to do.
func (s *SystemMove) Empty() bool { return len(s.Programs) == 0 && !s.Link }

// Paths lists what Remove removes.
func (s *SystemMove) Paths() []string {
	if s.Link {
		return append(slices.Clone(s.Programs), SystemLink)
	}
	return s.Programs
}

// PlanSystem compares the programs in a folder with those in [SystemDir]. The owner is
// the user who may be asked to hand over programs: others' secrets are not copied.
func PlanSystem(from string, owner int) (*SystemMove, error) {
	var s SystemMove
	for _, name := range systemPrograms {
		path := filepath.Join(from, name)
		if name == modelsProgram && !isThere(path) {
			continue
		}
		text, err := readProgram(path, owner)
		if err != nil {
			return nil, err
		}
		to := filepath.Join(SystemDir(), name)
		if have, err := os.ReadFile(to); err != nil || !bytes.Equal(have, text) || checkRunnable(to) != nil {
			s.Programs = append(s.Programs, path)
		}
	}
	s.Link = !isThere(SystemLink)
	return &s, nil
}

// readProgram reads a program that belongs to the owner, or that everybody may run.
func readProgram(path string, owner int) ([]byte, error) {
	if err := checkRunnable(path); err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || ownerOf(info) != owner && info.Mode().Perm()&0o005 != 0o005 {
		return nil, fmt.Errorf("%s is not a program that you own or that everyone may run: install checkrein for your own account first", path)
	}
	return io.ReadAll(f)
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Apply copies the programs. It needs root, and refuses a place that others may change.
func (s *SystemMove) Apply(owner int) error {
	if err := os.MkdirAll(SystemDir(), 0o755); err != nil {
		return err
	}
	if err := rootsOwn(SystemDir()); err != nil {
		return err
	}
	for _, from := range s.Programs {
		text, err := readProgram(from, owner)
		if err != nil {
			return err
		}
		if err := replaceProgram(filepath.Join(SystemDir(), filepath.Base(from)), text); err != nil {
			return err
		}
	}
	if s.Link && rootsOwn(filepath.Dir(SystemLink)) == nil {
		return os.Symlink(SystemProgram(), SystemLink)
	}
	return nil
}

// replaceProgram puts a program in the place of another, which may be running.
func replaceProgram(to string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(to), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o755), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), to)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// rootsOwn returns an error if anyone but root may change a folder or one above it.
func rootsOwn(dir string) error {
	for ; ; dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		switch {
		case err != nil:
			return err
		case !info.IsDir() || ownerOf(info) != 0 || info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0:
			return fmt.Errorf("%s is not a folder that only root may change: run chown root and chmod go-w on it first", dir)
		case filepath.Dir(dir) == dir:
			return nil
		}
	}
}

// PlanSystemRemoval lists what of checkrein is in [SystemDir].
func PlanSystemRemoval() *SystemMove {
	var s SystemMove
	for _, name := range systemPrograms {
		if path := filepath.Join(SystemDir(), name); isThere(path) {
			s.Programs = append(s.Programs, path)
		}
	}
	to, err := os.Readlink(SystemLink)
	s.Link = err == nil && to == SystemProgram()
	return &s
}

// Remove removes the programs and the symlink.
func (s *SystemMove) Remove() error {
	var errs []error
	for _, path := range s.Paths() {
		errs = append(errs, os.Remove(path))
	}
	os.Remove(SystemDir()) // else something else is in it
	return errors.Join(errs...)
}

// Wired lists the hosts whose user files were written by an installation, and the
// program that each was given.
func (m *Machine) Wired() (hosts []string, programs map[string]string, err error) {
	programs = map[string]string{}
	for _, name := range m.Names() {
		r, err := m.loadRecord(name, User)
		if err != nil {
			return nil, nil, err
		}
		if len(r.Files) > 0 {
			hosts = append(hosts, name)
			programs[name] = r.Program
		}
	}
	return hosts, programs, nil
}
