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

// companion is the program that must be in the same directory as checkrein.
const companion = "checkreind"

// modelsProgram calls the models of providers. It is optional.
const modelsProgram = "checkrein-models"

func executableName(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// lookPath returns the path of a program in the user's PATH, "" if it is not there.
func (m *Machine) lookPath(name string) string {
	for _, dir := range filepath.SplitList(m.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path := filepath.Join(dir, executableName(name))
		if checkRunnable(path) == nil {
			return path
		}
	}
	return ""
}

// checkRunnable returns why a program cannot be run, nil if it can.
func checkRunnable(path string) error {
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

// FindProgram sets the path of checkrein that is written into hosts' files. The system reports a
// program's path with all symlinks resolved, which may contain a version; so the name under which PATH
// has the same file is preferred. running is the path of the running program or of its companion;
// chosen, if not empty, is the user's choice.
func (m *Machine) FindProgram(running, chosen string) (warning string, err error) {
	if chosen != "" {
		m.Program = chosen
		if err := checkRunnable(chosen); err != nil {
			return "", fmt.Errorf("--program: %s %w", chosen, err)
		}
		return "", nil
	}
	if running == "" {
		return "", errors.New("checkrein cannot find its own path: name it with --program PATH")
	}
	path := filepath.Join(filepath.Dir(running), executableName("checkrein"))
	if err := checkRunnable(path); err != nil {
		return "", fmt.Errorf("%s %w, but agents need a program to call: install checkrein and checkreind in the same directory, or use --program PATH", path, err)
	}
	m.Program = path
	if link := m.findSameInPath(path); link != "" {
		m.Program = link
	}
	if dir := m.temporaryDir(m.Program); dir != "" {
		return "", fmt.Errorf("%s is in the temporary directory %s. Once it is deleted, agents can run no tools, or run all tools unchecked where a hook cannot block. Copy checkrein and checkreind to a permanent place, such as %s, or confirm with --program PATH",
			m.Program, dir, filepath.Join(m.Home, ".local", "bin"))
	}
	if part := versionedPart(m.Program); part != "" {
		warning = fmt.Sprintf("the path %s may change with an update (%s): put a link to it in a directory in your PATH and install again", m.Program, part)
	}
	return warning, nil
}

// findSameInPath returns the path under which the user's PATH has the same file, "" if it has none.
func (m *Machine) findSameInPath(path string) string {
	this, err := os.Stat(path)
	if err != nil {
		return ""
	}
	for _, dir := range filepath.SplitList(m.Getenv("PATH")) {
		if !filepath.IsAbs(dir) || m.temporaryDir(dir) != "" {
			continue
		}
		named := filepath.Join(dir, filepath.Base(path))
		if info, err := os.Stat(named); err == nil && os.SameFile(info, this) {
			return named
		}
	}
	return ""
}

// temporaryDir returns the temporary directory that contains a path, "" if none does.
func (m *Machine) temporaryDir(path string) string {
	dirs := m.Temporary
	if dirs == nil {
		dirs = []string{m.Getenv("TMPDIR"), "/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders", "/private/var/folders", "/dev/shm"}
		if runtime.GOOS == "windows" {
			dirs = append(dirs, m.Getenv("TEMP"), m.Getenv("TMP"))
		}
	}
	for _, dir := range dirs {
		if dir != "" && IsWithin(dir, path) {
			return filepath.Clean(dir)
		}
	}
	return ""
}

// IsWithin reports whether a path is dir or inside it.
func IsWithin(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// versionedPart returns the part of a path that an update changes, "" if there is none.
func versionedPart(path string) string {
	version := regexp.MustCompile(`(^|[-_@v])\d+\.\d+`)
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Dir(path)), "/") {
		if version.MatchString(part) || part == "node_modules" || part == "_npx" {
			return part
		}
	}
	return ""
}
