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

// scripts are the programs that a folder may have, the first one counts, with
// what runs those that cannot run by themselves.
var scripts = [...]struct{ file, unix, windows string }{
	{file: "run"},
	{"run.sh", "/bin/sh", "sh"},
	{"run.py", "python3", "python"},
}

// Script returns what runs when the event of the hook in a folder fires:
// scripts/run, else scripts/run.sh, else scripts/run.py. A script that the
// system cannot start by itself, because it is not executable or does not name
// its interpreter, is given to the one that its first line names, else to the one
// that its name tells. The folder should
// be absolute, because hooks run in other directories.
func Script(folder string) (argv []string, err error) {
	for _, s := range scripts {
		path := filepath.Join(folder, "scripts", s.file)
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, fmt.Errorf("cannot look for the script: %w", err)
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s is not a file: put the hook's program there", path)
		}
		interpreter := s.unix
		if runtime.GOOS == "windows" {
			interpreter = s.windows
		}
		named := interpreterOf(path)
		switch executable := info.Mode()&0o111 != 0; {
		case interpreter != "" && !executable && len(named) > 0 && runtime.GOOS != "windows": // which has other paths
			return append(named, path), nil
		case interpreter != "" && (!executable || named == nil):
			return []string{interpreter, path}, nil
		case !executable && runtime.GOOS != "windows": // which tells programs by their names
			return nil, fmt.Errorf("%s is not executable: run chmod +x %s", path, path)
		}
		return []string{path}, nil
	}
	return nil, fmt.Errorf("%s has no script: add scripts/run, scripts/run.sh or scripts/run.py", folder)
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
