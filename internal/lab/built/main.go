package built

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// asHost runs a command as a host does: it is called like one, is no shell, and ends with
// the command. What a test itself runs is then a person's. awkHost is a host that awk plays.
const (
	asHost = `#!/bin/sh
exec "${0%/*}/agents/claude" 'BEGIN { for (i = 1; i < ARGC; i++) line = line " " ARGV[i]; exit system(line) }' "$@"
`
	awkHost = `#!/bin/sh
exec "${0%/*}/agents/claude" "$@"
`
)

// Main is a package's TestMain: it builds programs in a directory, says which in dir, runs
// the tests, and exits as they say. Beside the programs are `ashost` and `awkhost`. Nothing stays.
func Main(m interface{ Run() int }, dir *string, names ...string) {
	code, err := run(m, dir, names)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m interface{ Run() int }, dir *string, names []string) (code int, err error) {
	if *dir, err = os.MkdirTemp("", "checkrein-programs"); err != nil {
		return 1, err
	}
	defer os.RemoveAll(*dir)
	if err := Put(*dir, names...); err != nil {
		return 1, err
	}
	if err := putHosts(*dir); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// putHosts makes ashost and awkhost in a directory. Where there is no awk, they do not run.
func putHosts(dir string) error {
	if err := os.Mkdir(filepath.Join(dir, "agents"), 0o700); err != nil {
		return err
	}
	if awk, err := exec.LookPath("awk"); err == nil {
		if err := os.Symlink(awk, filepath.Join(dir, "agents", "claude")); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "awkhost"), []byte(awkHost), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "ashost"), []byte(asHost), 0o700)
}

// Python is the directory of the interpreter itself, or empty: what PATH has first may be a
// script that takes longer to choose one than a hook runs.
var Python = sync.OnceValue(func() string {
	out, err := exec.Command("python3", "-c", "import os, sys; print(os.path.dirname(sys.executable))").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
})
