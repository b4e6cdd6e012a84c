package hookmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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
// its interpreter, is given to the one that its name tells. The folder should
// be absolute, because hooks run in other directories.
func Script(folder string) (argv []string, err error) {
	for _, s := range scripts {
		path := filepath.Join(folder, "scripts", s.file)
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, fmt.Errorf("looking for the script: %w", err)
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s is not a file: put the hook's program there", path)
		}
		interpreter := s.unix
		if runtime.GOOS == "windows" {
			interpreter = s.windows
		}
		switch executable := info.Mode()&0o111 != 0; {
		case interpreter != "" && (!executable || !namesInterpreter(path)):
			return []string{interpreter, path}, nil
		case !executable && runtime.GOOS != "windows": // which tells programs by their names
			return nil, fmt.Errorf("%s is not executable: chmod +x %s", path, path)
		}
		return []string{path}, nil
	}
	return nil, fmt.Errorf("%s has no script: add scripts/run, scripts/run.sh or scripts/run.py", folder)
}

// namesInterpreter reports whether a file begins with #!.
func namesInterpreter(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return true // starting it will say why
	}
	defer f.Close()
	var first [2]byte
	n, _ := f.Read(first[:])
	return string(first[:n]) == "#!"
}
