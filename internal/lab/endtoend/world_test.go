package endtoend

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

// programsDir is the directory of the built programs.
var programsDir string

func TestMain(m *testing.M) {
	var err error
	if programsDir, err = os.MkdirTemp("", "checkrein-*"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(programsDir)
	os.Exit(code)
}

var buildOnce = sync.OnceValue(func() error { return built.Put(programsDir, "checkrein", "checkreind") })

// buildPrograms builds both programs and returns their directory.
func buildPrograms(t *testing.T) string {
	t.Helper()
	if err := buildOnce(); err != nil {
		t.Fatal(err)
	}
	return programsDir
}

// A world is a host's space in which checkrein is installed.
type world struct {
	*hosttest.Space
	t    *testing.T
	name string
}

// newWorld puts both programs in the PATH of a new space and installs checkrein for the host.
func newWorld(t *testing.T, programs, host string) *world {
	t.Helper()
	w := &world{Space: hosttest.New(t).Host(host).OpenSpace(), t: t, name: host}
	w.putPrograms(programs)
	w.install()
	return w
}

func (w *world) putPrograms(from string) {
	w.t.Helper()
	if err := w.PutPrograms(from); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) copyProgram(from, to string) {
	w.t.Helper()
	if err := hostlab.CopyProgram(from, to); err != nil {
		w.t.Fatal(err)
	}
}

const configFile = ".config/checkrein/checkrein.yaml"

// configure writes the user's configuration file.
func (w *world) configure(config string) {
	w.t.Helper()
	w.writeFiles(w.Home, map[string]string{configFile: config})
}

// writeFiles writes files below dir. It may be called while the host runs.
func (w *world) writeFiles(dir string, files map[string]string) {
	w.t.Helper()
	if err := w.Write(dir, files); err != nil {
		w.t.Error(err)
	}
}

// checkrein runs checkrein in the host's environment and returns its output. If it fails, the test
// fails.
func (w *world) checkrein(args ...string) string {
	w.t.Helper()
	out, err := w.runProgram("checkrein", args...)
	if err != nil {
		w.t.Fatalf("checkrein %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// runProgram runs one of checkrein's programs and returns its output and error.
func (w *world) runProgram(program string, args ...string) (string, error) {
	cmd := exec.CommandContext(w.t.Context(), w.ProgramPath(program), args...)
	cmd.Dir, cmd.Env = w.Project, w.Environ(nil)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// readLedger verifies the ledger and returns the records of all runs so far, oldest first.
func (w *world) readLedger() []record.Record {
	w.t.Helper()
	w.checkrein("audit", "verify")
	var list []record.Record
	dec := json.NewDecoder(strings.NewReader(w.checkrein("audit", "query", "--json", "--oldest", "-n", "1000")))
	for {
		var r record.Record
		err := dec.Decode(&r)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			w.t.Fatalf("reading the ledger: %v", err)
		}
		list = append(list, r)
	}
}

// exists reports whether the project has a file of that name.
func (w *world) exists(name string) bool {
	w.t.Helper()
	return w.there(filepath.Join(w.Project, name))
}

func (w *world) there(path string) bool {
	w.t.Helper()
	_, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Fatal(err)
	}
	return err == nil
}
