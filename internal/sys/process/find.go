package process

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// FindProgram returns the path of the program that the bare name denotes in a process with the
// directory dir and the environment env: the first executable file in its PATH, as for execvp. On
// Windows, or if env is nil, it searches the PATH of this process.
func FindProgram(name, dir string, env []string) (string, error) {
	if env == nil || runtime.GOOS == "windows" || name == "" || strings.Contains(name, "/") {
		return exec.LookPath(name)
	}
	list := "/bin:/usr/bin" // the default without a PATH
	for _, entry := range env {
		if val, ok := strings.CutPrefix(entry, "PATH="); ok {
			list = val // the last PATH counts
		}
	}
	for _, elem := range filepath.SplitList(list) {
		if !filepath.IsAbs(elem) {
			elem = filepath.Join(dir, elem)
		}
		path, err := filepath.Abs(filepath.Join(elem, name))
		if err != nil {
			continue
		}
		if found, err := exec.LookPath(path); err == nil {
			return found, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}
