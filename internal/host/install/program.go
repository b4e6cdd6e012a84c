package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// companion is the program that must lie beside checkrein.
const companion = "checkreind"

// models is the program that calls the models of providers. Few need it.
const models = "checkrein-models"

func exe(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// lookPath finds a program in the person's PATH, "" if it is not there.
func (m *Machine) lookPath(name string) string {
	for _, dir := range filepath.SplitList(m.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path := filepath.Join(dir, exe(name))
		if runnable(path) == nil {
			return path
		}
	}
	return ""
}

// runnable returns why a program cannot be run.
func runnable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return errors.New("does not exist")
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("is a directory")
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return errors.New("is not executable")
	}
	return nil
}

// FindProgram sets the path that hosts are given. The system tells a program
// its path with all links resolved, which may have a version in it; so the name
// under which PATH has the same file is preferred. running is the path of the
// running program, or of its companion; given, if any, is the person's choice.
func (m *Machine) FindProgram(running, given string) (warning string, err error) {
	if given != "" {
		m.Program = given
		if err := runnable(given); err != nil {
			return "", fmt.Errorf("--program: %s %w", given, err)
		}
		return "", nil
	}
	if running == "" {
		return "", errors.New("checkrein cannot find its own path: name it with --program PATH")
	}
	path := filepath.Join(filepath.Dir(running), exe("checkrein"))
	if err := runnable(path); err != nil {
		return "", fmt.Errorf("%s %w, but agents need a program to call: install checkrein and checkreind in the same directory, or use --program PATH", path, err)
	}
	m.Program = path
	if link := m.sameInPath(path); link != "" {
		m.Program = link
	}
	if dir := m.temporary(m.Program); dir != "" {
		return "", fmt.Errorf("%s is in the temporary directory %s. Once it is deleted, agents can run no tools, or run all tools unchecked where a hook cannot block. Copy checkrein and checkreind to a permanent place, such as %s, or confirm with --program PATH",
			m.Program, dir, filepath.Join(m.Home, ".local", "bin"))
	}
	if part := unstable(m.Program); part != "" {
		warning = fmt.Sprintf("the path %s may change with an update (%s): put a link to it in a directory in your PATH and install again", m.Program, part)
	}
	return warning, nil
}

// sameInPath finds the same file in the person's PATH.
func (m *Machine) sameInPath(path string) string {
	this, err := os.Stat(path)
	if err != nil {
		return ""
	}
	for _, dir := range filepath.SplitList(m.Getenv("PATH")) {
		if !filepath.IsAbs(dir) || m.temporary(dir) != "" {
			continue
		}
		named := filepath.Join(dir, filepath.Base(path))
		if info, err := os.Stat(named); err == nil && os.SameFile(info, this) {
			return named
		}
	}
	return ""
}

// temporary names the temporary directory that a path lies in.
func (m *Machine) temporary(path string) string {
	dirs := m.Temporary
	if dirs == nil {
		dirs = []string{m.Getenv("TMPDIR"), "/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders", "/private/var/folders", "/dev/shm"}
		if runtime.GOOS == "windows" {
			dirs = append(dirs, m.Getenv("TEMP"), m.Getenv("TMP"))
		}
	}
	for _, dir := range dirs {
		if dir != "" && Within(dir, path) {
			return filepath.Clean(dir)
		}
	}
	return ""
}

// Within reports whether a path is a directory or lies in it.
func Within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// unstable finds the part of a path that changes with an update.
func unstable(path string) string {
	version := regexp.MustCompile(`(^|[-_@v])\d+\.\d+`)
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Dir(path)), "/") {
		if version.MatchString(part) || part == "node_modules" || part == "_npx" {
			return part
		}
	}
	return ""
}
