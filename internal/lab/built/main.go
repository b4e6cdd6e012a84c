package built

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// asHost is a script that runs a command as the child of a host: its parent process is awk under
// the name claude, not a shell. Commands that a test runs without it count as the user's. awkHost
// runs an awk program as the host itself.
const (
	asHost = `#!/bin/sh
exec "${0%/*}/agents/claude" 'BEGIN { for (i = 1; i < ARGC; i++) line = line " " ARGV[i]; exit system(line) }' "$@"
`
	awkHost = `#!/bin/sh
exec "${0%/*}/agents/claude" "$@"
`
)

// Main implements TestMain for a package: it builds programs in a temporary directory, sets *dir to
// it, runs the tests, removes the directory and exits. The directory also contains the scripts ashost
// and awkhost.
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
	if err := writeHostScripts(*dir); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// writeHostScripts writes ashost and awkhost to dir. Without awk on this machine they do not work.
func writeHostScripts(dir string) error {
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

// Python returns the directory of the Python interpreter, or "" if there is none. The python3 in PATH
// may be a script that takes longer to select an interpreter than a hook runs.
var Python = sync.OnceValue(func() string {
	out, err := exec.Command("python3", "-c", "import os, sys; print(os.path.dirname(sys.executable))").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
})
