package hookmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// usualNames are what the program of a folder may be called, the first one counts.
var usualNames = [...]string{"run", "run.sh", "run.py"}

// interpreters run scripts that cannot run by themselves, by the ending of their name.
var interpreters = [...]struct{ ext, unix, windows string }{
	{".sh", "/bin/sh", "sh"},
	{".bash", "bash", "bash"},
	{".py", "python3", "python"},
}

// Script returns what runs when the event of the hook in a folder fires:
// scripts/run, else scripts/run.sh, else scripts/run.py, else the only script in
// scripts, whatever its name is. A script that the
// system cannot start by itself, because it is not executable or does not name
// its interpreter, is given to the one that its first line names, else to the one
// that its name tells. The folder should
// be absolute, because hooks run in other directories.
func Script(folder string) (argv []string, err error) {
	dir := filepath.Join(folder, "scripts")
	for _, name := range usualNames {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, fmt.Errorf("cannot look for the script: %w", err)
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s is not a file: put the hook's program there", path)
		}
		return startCommand(path, info)
	}
	found, err := scriptsIn(dir)
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot look for the script: %w", err)
	case len(found) == 0:
		return nil, fmt.Errorf("%s has no script: add scripts/run, scripts/run.sh or scripts/run.py", folder)
	case len(found) > 1:
		return nil, fmt.Errorf("%s has several scripts (%s), and none is called run, run.sh or run.py: rename the one that the hook runs", folder, strings.Join(found, ", "))
	}
	path := filepath.Join(dir, found[0])
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("cannot look for the script: %w", err)
	}
	return startCommand(path, info)
}

// startCommand returns how a script is started.
func startCommand(path string, info fs.FileInfo) ([]string, error) {
	interpreter := interpreterByExt(path)
	named := interpreterOf(path)
	switch executable := info.Mode()&0o111 != 0; {
	case interpreter != "" && !executable && len(named) > 0 && runtime.GOOS != "windows": // which has other paths
		return append(named, path), nil
	case interpreter != "" && (!executable || named == nil):
		return []string{interpreter, path}, nil
	case !executable && runtime.GOOS != "windows": // which goes by the ending of a name
		return nil, fmt.Errorf("%s is not executable: run chmod +x %s", path, path)
	}
	return []string{path}, nil
}

// interpreterByExt returns the interpreter of a script by the ending of its name, "" = none.
func interpreterByExt(path string) string {
	for _, i := range interpreters {
		if filepath.Ext(path) != i.ext {
			continue
		}
		if runtime.GOOS == "windows" {
			return i.windows
		}
		return i.unix
	}
	return ""
}

// scriptsIn lists the files of a directory that can run: those that are executable, name
// their interpreter or end like a script. A directory that is not there has none.
func scriptsIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || e.Name()[0] == '.' {
			continue
		}
		if info.Mode()&0o111 != 0 && runtime.GOOS != "windows" || interpreterByExt(path) != "" || interpreterOf(path) != nil {
			out = append(out, e.Name())
		}
	}
	return out, err
}

// interpreterOf returns what the first line of a file names behind #!, as the
// system reads it: a program and at most one argument. It is nil when there is no
// such line, and empty when the file cannot be read: starting it will say why.
func interpreterOf(path string) []string {
	f, err := os.Open(path)
	if err != nil {
		return []string{}
	}
	defer f.Close()
	var head [256]byte
	n, _ := f.Read(head[:])
	line, ok := strings.CutPrefix(string(head[:n]), "#!")
	if !ok {
		return nil
	}
	line, _, _ = strings.Cut(line, "\n")
	program, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
	if arg = strings.TrimSpace(arg); arg != "" {
		return []string{program, arg}
	}
	if program == "" {
		return []string{}
	}
	return []string{program}
}
