package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// companion is the program that must be in the same directory as checkrein.
const companion = "checkreind"

// wrapperProgram is the optional program that starts the commands of agents, see [Machine.SetUpWalls].
const wrapperProgram = "checkrein-shell"

// modelsProgram is the optional program that calls the models of providers.
const modelsProgram = "checkrein-models"

// executableName returns name with the extension that programs have on this system.
func executableName(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// lookPath returns the path of a program in the user's PATH, or "" if it is not there. It ignores
// relative directories.
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

// checkRunnable returns an error if the program at path cannot be run. The error's text completes a
// sentence that begins with the path.
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

// FindProgram sets m.Program, the path of checkrein that install writes into hosts' files. running is
// the path of the running program or of its companion; chosen, if not empty, is the user's choice.
//
// The system reports the path of a program with all symlinks resolved, and that may contain a version.
// So FindProgram prefers a path in the PATH that leads to the same file. It returns an error if the
// program is in a temporary directory or a package of npm, and a warning if an update may change the path.
func (m *Machine) FindProgram(running, chosen string) (warning string, err error) {
	if chosen != "" {
		m.Program = chosen
		if err := checkRunnable(chosen); err != nil {
			return "", fmt.Errorf("--program: %s %w", chosen, err)
		}
		return "", nil
	}
	if running == "" {
		return "", errors.New("checkrein cannot find its own path: set it with --program PATH")
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
		return "", fmt.Errorf("%s is in the temporary directory %s. Once the program is deleted, agents can run no tools, or run all tools unchecked if their hooks cannot block. Copy checkrein and checkreind to a permanent place, such as %s, or confirm with --program PATH",
			m.Program, dir, filepath.Join(m.Home, ".local", "bin"))
	}
	if isInNodePackage(m.Program) {
		return "", fmt.Errorf("%s is in a package of npm, where agents may replace it: run npx checkrein, which copies the programs to a directory that only root may change, or confirm with --program PATH", m.Program)
	}
	if part := versionedPart(m.Program); part != "" {
		warning = fmt.Sprintf("the path %s may change with an update (%s): put a symlink to it in a directory in your PATH and install again", m.Program, part)
	}
	return warning, nil
}

// findSameInPath returns the path in the user's PATH of the same file under the same name, or "" if
// there is none.
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

// temporaryDir returns the temporary directory that contains path, or "" if none does.
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

// IsWithin reports whether path is dir or inside it.
func IsWithin(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// versionedPart returns the first element of the directory of path that an update is likely to change,
// or "" if there is none.
func versionedPart(path string) string {
	version := regexp.MustCompile(`(^|[-_@v])\d+\.\d+`)
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Dir(path)), "/") {
		if version.MatchString(part) {
			return part
		}
	}
	return ""
}

// isInNodePackage reports whether path is in a directory in which npm keeps packages.
func isInNodePackage(path string) bool {
	return slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "node_modules")
}
