package dist

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// enableVar is the environment variable that enables these tests. With "1", tests that lack root, a
// program or a registry are skipped with a message; with "required" they fail.
const enableVar = "CHECKREIN_DIST"

// limitVar is the environment variable that limits `make dist` to one system.
const limitVar = "DIST_FOR"

// A release is the result of `make dist`.
type release struct {
	dir             string
	version, commit string
}

// open returns the release in the repository's directory dist. It skips the test if enableVar is not set.
func open(t *testing.T) release {
	t.Helper()
	if os.Getenv(enableVar) == "" {
		t.Skipf("run make test-dist, which sets %s", enableVar)
	}
	dir, err := filepath.Abs("../../../dist")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "metadata.json"))
	if err != nil {
		t.Fatalf("run make dist first: %v", err)
	}
	var meta struct{ Version, Commit string }
	if err := json.Unmarshal(text, &meta); err != nil {
		t.Fatal(err)
	}
	return release{dir: dir, version: meta.Version, commit: meta.Commit}
}

// file returns the path of an artifact, whose name may contain VERSION.
func (r release) file(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(r.dir, strings.ReplaceAll(name, "VERSION", r.version))
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// skipOrFail ends a test that cannot run on this machine.
func skipOrFail(t *testing.T, format string, args ...any) {
	t.Helper()
	why := fmt.Sprintf(format, args...)
	if os.Getenv(enableVar) == "required" {
		t.Fatal(why)
	}
	fmt.Fprintf(os.Stderr, "\n*** SKIPPED %s: %s\n\n", t.Name(), why) // without -v, skips are not shown
	t.Skip(why)
}

// need returns the path of a program, and skips the test if the machine lacks it.
func need(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		skipOrFail(t, "%v", err)
	}
	return path
}

// run runs a command in dir and returns its output. The test fails if the command does.
func run(t *testing.T, dir string, argv ...string) string {
	t.Helper()
	out, err := try(t, dir, nil, argv...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, out)
	}
	return out
}

// try runs a command in dir with more variables and returns its output.
func try(t *testing.T, dir string, env []string, argv ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
