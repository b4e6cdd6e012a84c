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

// A world is a host's space with checkrein in it.
type world struct {
	*hostlab.Space
	known *wire.Host
	o     Options
	last  uint64 // the newest record that was read
}

// newWorld makes a space for a host and puts checkrein into it.
func newWorld(ctx context.Context, h *hostlab.Host, known *wire.Host, o Options) (*world, error) {
	o.Progress(0, runs, "preparing a throw-away home")
	space, err := h.NewSpace(ctx)
	if err != nil {
		return nil, err
	}
	w := &world{Space: space, known: known, o: o}
	if err := w.furnish(ctx); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func (w *world) furnish(ctx context.Context) error {
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

// install does what `checkrein install HOST` does, for the throw-away home.
func (w *world) install() error {
	vars := map[string]string{}
	for _, kv := range w.Environ(nil) {
		k, v, _ := strings.Cut(kv, "=")
		vars[k] = v
	}
	m := &install.Machine{
		Home: w.Home, Project: w.Project, Getenv: func(k string) string { return vars[k] }, Hosts: host.Table(), Specs: setups.Installs(),
		Config: filepath.Dir(w.configFile()), State: state.At(w.stateDir()), Now: w.o.Now,
	}
	if _, err := m.FindProgram("", w.Program("checkrein")); err != nil {
		return err
	}
	plan, err := m.Install(w.Host.Name, install.Options{Scope: install.User})
	if err != nil {
		return err
	}
	return m.Apply(plan)
}

func (w *world) configFile() string {
	return filepath.Join(w.Home, ".config", "checkrein", "checkrein.yaml")
}
func (w *world) stateDir() string { return filepath.Join(w.Home, ".local", "state", "checkrein") }

// configure writes the file of the person who does not exist.
func (w *world) configure(config string) error {
	return w.Write(w.Home, map[string]string{".config/checkrein/checkrein.yaml": config})
}

// checkrein runs the program in the host's environment, and returns what it printed.
func (w *world) checkrein(ctx context.Context, args ...string) ([]byte, error) {
	res, err := process.Run(ctx, process.Spec{
		Argv: append([]string{w.Program("checkrein")}, args...), Dir: w.Project, Env: w.Environ(nil), MaxOut: 64 << 20,
	})
	if err == nil && res.Exit != 0 {
		err = fmt.Errorf("it ended with %d%s: %s", res.Exit, res.Signal, bytes.TrimSpace(append(res.Stdout, res.Stderr...)))
	}
	if err != nil {
		return nil, fmt.Errorf("checkrein %s: %w", strings.Join(args, " "), err)
	}
	return res.Stdout, nil
}

// ledger returns the records since it was read last, oldest first, as they are and
// decoded.
func (w *world) ledger(ctx context.Context) (text []byte, list []record.Record, err error) {
	if _, err := w.checkrein(ctx, "audit", "verify"); err != nil {
		return nil, nil, err
	}
	all, err := w.checkrein(ctx, "audit", "query", "--json", "--oldest", "-n", "5000")
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

// there reports whether a file exists.
func there(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// touch is a command that leaves a file in the project, wherever the host runs it. A path
// that a shell or YAML would read otherwise is named by its last part alone.
func (w *world) touch(name string) string {
	path := filepath.ToSlash(filepath.Join(w.Project, name))
	if strings.ContainsFunc(path, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+", r))
	}) {
		path = name
	}
	return "touch " + path
}

// exists reports whether there is a file below the project.
func (w *world) exists(name string) bool { return there(filepath.Join(w.Project, name)) }
