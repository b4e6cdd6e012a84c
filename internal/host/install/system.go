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

// SystemDir returns the directory for checkrein's programs that only root may change, or "" on a
// system without one. No setting changes it, so that a command line that names it cannot be made to
// lead elsewhere.
func SystemDir() string {
	switch runtime.GOOS {
	case "windows":
		return ""
	case "darwin": // Homebrew may own /usr/local
		return "/opt/checkrein/bin"
	}
	return "/usr/local/lib/checkrein"
}

// SystemProgram returns the path of the program in [SystemDir] that hosts call.
func SystemProgram() string { return filepath.Join(SystemDir(), "checkrein") }

// systemPrograms lists the names of the programs in [SystemDir]. The last two are optional.
var systemPrograms = [...]string{"checkrein", companion, wrapperProgram, modelsProgram}

// SystemLink is the path of the symlink through which the program is in the PATH.
const SystemLink = "/usr/local/bin/checkrein"

// A SystemMove is a plan to copy checkrein's programs to [SystemDir], or to remove them from there.
type SystemMove struct {
	Programs []string // paths of the programs to copy or to remove
	Link     bool     // the symlink is to be created or removed
}

// Empty reports whether there is nothing to do.
func (s *SystemMove) Empty() bool { return len(s.Programs) == 0 && !s.Link }

// Paths returns the files that [SystemMove.Remove] removes.
func (s *SystemMove) Paths() []string {
	if s.Link {
		return append(slices.Clone(s.Programs), SystemLink)
	}
	return s.Programs
}

// PlanSystem returns a plan to copy the programs in the directory from to [SystemDir], without those
// that are the same there. The programs must belong to the user owner or be readable and executable by
// everyone, so that root does not copy another user's secrets.
func PlanSystem(from string, owner int) (*SystemMove, error) {
	var s SystemMove
	for _, name := range systemPrograms {
		path := filepath.Join(from, name)
		if (name == modelsProgram || name == wrapperProgram) && !exists(path) {
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

// readProgram returns the contents of the program at path, which must belong to the user owner or be
// readable and executable by everyone.
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

// exists reports whether path names something, possibly a broken symlink.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Apply copies the programs and creates the symlink. It must run as root, and returns an error if
// others may change the target directory.
func (s *SystemMove) Apply(owner int) error {
	if err := os.MkdirAll(SystemDir(), 0o755); err != nil {
		return err
	}
	if err := CheckRootOnly(SystemDir()); err != nil {
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
	if s.Link && CheckRootOnly(filepath.Dir(SystemLink)) == nil {
		return os.Symlink(SystemProgram(), SystemLink)
	}
	return nil
}

// replaceProgram atomically replaces the program at to, which may be running.
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

// CheckRootOnly returns an error if anyone but root may change dir or one of its parents.
func CheckRootOnly(dir string) error {
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

// PlanSystemRemoval returns a plan to remove checkrein's programs and symlink.
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

// Remove removes the files in s.Paths, and [SystemDir] if that leaves it empty.
func (s *SystemMove) Remove() error {
	var errs []error
	for _, path := range s.Paths() {
		errs = append(errs, os.Remove(path))
	}
	os.Remove(SystemDir()) // fails if it has other files
	return errors.Join(errs...)
}

// InstalledHosts returns the hosts in which checkrein is installed for the user, and for each of them
// the program that it calls.
func (m *Machine) InstalledHosts() (hosts []string, programs map[string]string, err error) {
	programs = map[string]string{}
	for _, name := range m.HostNames() {
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
