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

// SystemDir returns the directory for checkrein's programs that only root may change, "" on a system
// without one. No setting changes it, so that a command line that names it cannot lead to another
// directory.
func SystemDir() string {
	switch runtime.GOOS {
	case "windows":
		return ""
	case "darwin": // Homebrew may own /usr/local
		return "/opt/checkrein/bin"
	}
	return "/usr/local/lib/checkrein"
}

// SystemProgram returns the program in [SystemDir] that hosts call.
func SystemProgram() string { return filepath.Join(SystemDir(), "checkrein") }

// systemPrograms are the programs in [SystemDir]. The last one is optional.
var systemPrograms = [...]string{"checkrein", companion, modelsProgram}

// SystemLink is the symlink that makes the program available in PATH.
const SystemLink = "/usr/local/bin/checkrein"

// A SystemMove copies the programs of a directory to [SystemDir], or removes them from there.
type SystemMove struct {
	Programs []string // paths of those that differ there, or that are to be removed
	Link     bool     // the symlink is to be created or removed
}

// Empty reports whether there is nothing to do.
func (s *SystemMove) Empty() bool { return len(s.Programs) == 0 && !s.Link }

// Paths returns the files that Remove removes.
func (s *SystemMove) Paths() []string {
	if s.Link {
		return append(slices.Clone(s.Programs), SystemLink)
	}
	return s.Programs
}

// PlanSystem compares the programs in a directory with those in [SystemDir]. Programs must belong to
// owner or be executable by everyone, so that root does not copy another user's secrets.
func PlanSystem(from string, owner int) (*SystemMove, error) {
	var s SystemMove
	for _, name := range systemPrograms {
		path := filepath.Join(from, name)
		if name == modelsProgram && !exists(path) {
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
	s.Link = !exists(SystemLink)
	return &s, nil
}

// readProgram reads a program that belongs to the owner or that everyone may run.
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

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Apply copies the programs. It needs root, and refuses a directory that others may change.
func (s *SystemMove) Apply(owner int) error {
	if err := os.MkdirAll(SystemDir(), 0o755); err != nil {
		return err
	}
	if err := checkRootOnly(SystemDir()); err != nil {
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
	if s.Link && checkRootOnly(filepath.Dir(SystemLink)) == nil {
		return os.Symlink(SystemProgram(), SystemLink)
	}
	return nil
}

// replaceProgram atomically replaces a program, which may be running.
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

// checkRootOnly returns an error if anyone but root may change a directory or one of its parents.
func checkRootOnly(dir string) error {
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

// PlanSystemRemoval returns the removal of checkrein's programs in [SystemDir].
func PlanSystemRemoval() *SystemMove {
	var s SystemMove
	for _, name := range systemPrograms {
		if path := filepath.Join(SystemDir(), name); exists(path) {
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
	os.Remove(SystemDir()) // fails if it has other files
	return errors.Join(errs...)
}

// InstalledHosts returns the hosts with an installation for the user, and the program that each of
// them calls.
func (m *Machine) InstalledHosts() (hosts []string, programs map[string]string, err error) {
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
