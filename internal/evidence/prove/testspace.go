package prove

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A testSpace is a temporary home directory and project for a host, with checkrein installed.
type testSpace struct {
	*hostlab.Space
	known *wire.Host
	o     Options
	last  uint64 // the latest record that was read
}

// newTestSpace creates a space for h and installs checkrein in it.
func newTestSpace(ctx context.Context, h *hostlab.Host, known *wire.Host, o Options) (*testSpace, error) {
	o.Progress(0, runs, "preparing a throw-away home")
	space, err := h.NewSpace(ctx)
	if err != nil {
		return nil, err
	}
	w := &testSpace{Space: space, known: known, o: o}
	if err := w.setUp(ctx); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func (w *testSpace) setUp(ctx context.Context) error {
	if err := w.PutPrograms(w.o.Programs); err != nil {
		return err
	}
	if err := w.ServeTools(); err != nil {
		return err
	}
	if err := w.install(); err != nil {
		return fmt.Errorf("installing checkrein in the throw-away home: %w", err)
	}
	_, err := w.ApproveHooks(ctx)
	return err
}

// install does what checkrein install HOST does, for the temporary home directory.
func (w *testSpace) install() error {
	vars := map[string]string{}
	for _, kv := range w.Environ(nil) {
		k, v, _ := strings.Cut(kv, "=")
		vars[k] = v
	}
	m := &install.Machine{
		Home: w.Home, Project: w.Project, Getenv: func(k string) string { return vars[k] }, Hosts: host.Table(), Specs: setups.Installs(),
		Config: filepath.Dir(w.configFile()), State: state.NewDir(w.stateDir()), Now: w.o.Now,
	}
	if _, err := m.FindProgram("", w.ProgramPath("checkrein")); err != nil {
		return err
	}
	plan, err := m.PlanInstall(w.Host.Name, install.Options{Scope: install.User})
	if err != nil {
		return err
	}
	return m.Apply(plan)
}

func (w *testSpace) configFile() string {
	return filepath.Join(w.Home, ".config", "checkrein", "checkrein.yaml")
}
func (w *testSpace) stateDir() string { return filepath.Join(w.Home, ".local", "state", "checkrein") }

// writeConfig writes the user's configuration file.
func (w *testSpace) writeConfig(config string) error {
	return w.Write(w.Home, map[string]string{".config/checkrein/checkrein.yaml": config})
}

// runCheckrein runs checkrein with args in the host's environment, and returns what it printed to
// stdout.
func (w *testSpace) runCheckrein(ctx context.Context, args ...string) ([]byte, error) {
	res, err := process.Run(ctx, process.Spec{
		Argv: append([]string{w.ProgramPath("checkrein")}, args...), Dir: w.Project, Env: w.Environ(nil), MaxOut: 64 << 20,
	})
	if err == nil && res.Exit != 0 {
		err = fmt.Errorf("it exited with code %d%s: %s", res.Exit, res.Signal, bytes.TrimSpace(append(res.Stdout, res.Stderr...)))
	}
	if err != nil {
		return nil, fmt.Errorf("checkrein %s: %w", strings.Join(args, " "), err)
	}
	return res.Stdout, nil
}

// readNewRecords verifies the ledger and returns the records since the last call, oldest first, as
// text and decoded.
func (w *testSpace) readNewRecords(ctx context.Context) (text []byte, list []record.Record, err error) {
	if _, err := w.runCheckrein(ctx, "audit", "verify"); err != nil {
		return nil, nil, err
	}
	all, err := w.runCheckrein(ctx, "audit", "query", "--json", "--oldest", "-n", "5000")
	if err != nil {
		return nil, nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(all))
	for {
		var raw json.RawMessage
		switch err := dec.Decode(&raw); {
		case errors.Is(err, io.EOF):
			return text, list, nil
		case err != nil:
			return nil, nil, fmt.Errorf("reading the ledger: %w", err)
		}
		var r record.Record
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, nil, fmt.Errorf("reading the ledger: %w", err)
		}
		if r.Seq <= w.last {
			continue
		}
		w.last = r.Seq
		text, list = append(append(text, raw...), '\n'), append(list, r)
	}
}

// fileExists reports whether a file exists at path, without following symlinks.
func fileExists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// touchCommand returns a command that creates the file name in the project, wherever the host runs it.
// If a shell or YAML would misread the absolute path, it uses only the name.
func (w *testSpace) touchCommand(name string) string {
	path := filepath.ToSlash(filepath.Join(w.Project, name))
	if strings.ContainsFunc(path, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+", r))
	}) {
		path = name
	}
	return "touch " + path
}

// hasFile reports whether the project contains the file name.
func (w *testSpace) hasFile(name string) bool { return fileExists(filepath.Join(w.Project, name)) }
