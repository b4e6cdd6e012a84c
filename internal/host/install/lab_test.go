package install_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A lab is a machine in a temporary directory.
type lab struct {
	*install.Machine
	t *testing.T
}

// everyHost returns every host in which checkrein can be installed, with an invented wire table if it
// has no real one.
func everyHost() []*wire.Host {
	out := slices.Clone(host.Table())
	for _, s := range setups.Installs() {
		if slices.ContainsFunc(out, func(h *wire.Host) bool { return h.Name == s.Name }) {
			continue
		}
		out = append(out, &wire.Host{Name: s.Name, Title: "The " + s.Name, Events: []wire.Event{
			{Native: "pre_tool_use", Rows: []wire.Row{{Kind: checkrein.PreToolUse}}, Wired: true},
			{Native: "stop", Rows: []wire.Row{{Kind: checkrein.Stop}}, Wired: true},
			{Native: "chunk", Rows: []wire.Row{{Kind: checkrein.OnResponseEnd}}},
		}})
	}
	return out
}

func newLab(t *testing.T) lab {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := lab{t: t, Machine: &install.Machine{
		Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "work", "pro ject"),
		Program: filepath.Join(dir, "home", "bin", install.Exe("checkrein")),
		Getenv:  func(string) string { return "" },
		Hosts:   everyHost(), Specs: setups.Installs(),
		Config: filepath.Join(dir, "home", ".config", "checkrein"),
		State:  state.NewDir(filepath.Join(dir, "state")),
		Now:    func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) },
	}}
	l.write(l.Project+"/README", "a project\n", 0o644)
	for _, p := range []string{l.Program, filepath.Join(l.Home, "bin", install.Exe(install.Companion))} {
		l.write(p, "#!/bin/sh\n", 0o755)
	}
	return l
}

func (l lab) write(path, text string, mode os.FileMode) {
	l.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		l.t.Fatal(err)
	}
}

func (l lab) read(path string) string {
	l.t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		l.t.Fatal(err)
	}
	return string(src)
}

// snapshot returns the contents of every file and directory of the machine except for the state
// directory.
func (l lab) snapshot() map[string]string {
	l.t.Helper()
	out := map[string]string{}
	top := filepath.Dir(l.Home)
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == l.State.Path() {
			return fs.SkipDir
		}
		text := "a directory"
		if !d.IsDir() {
			info, err := d.Info()
			if err != nil {
				return err
			}
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = info.Mode().String() + " " + string(src)
		}
		out[strings.TrimPrefix(path, top)] = text
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}

func (l lab) install(name string, o install.Options) *install.Plan {
	l.t.Helper()
	p, err := l.PlanInstall(name, o)
	if err != nil {
		l.t.Fatalf("install %s: %v", name, err)
	}
	if err := l.Apply(p); err != nil {
		l.t.Fatalf("install %s: %v", name, err)
	}
	return p
}

func (l lab) uninstall(name string, o install.Options) *install.Plan {
	l.t.Helper()
	p, err := l.PlanUninstall(name, o)
	if err != nil {
		l.t.Fatalf("uninstall %s: %v", name, err)
	}
	if err := l.Apply(p); err != nil {
		l.t.Fatalf("uninstall %s: %v", name, err)
	}
	return p
}

// hostFiles returns the files of a host in a scope.
func (l lab) hostFiles(name string, scope install.Scope) []install.File {
	l.t.Helper()
	s, h, err := l.SpecNamed(name)
	if err != nil {
		l.t.Fatal(err)
	}
	want, err := l.Wanted(s, h, scope, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	files, err := l.FilesOf(s, h, scope, want)
	if err != nil {
		l.t.Fatal(err)
	}
	return files
}

// findEntries returns checkrein's entries in the files of a host.
func (l lab) findEntries(name string, scope install.Scope) []install.Entry {
	l.t.Helper()
	var out []install.Entry
	for _, f := range l.hostFiles(name, scope) {
		src, err := install.ReadHostFile(f.Path)
		if err != nil {
			l.t.Fatal(err)
		}
		if src == nil {
			continue
		}
		have, err := f.Form.Find(src)
		if err != nil {
			l.t.Fatalf("%s: %v", f.Path, err)
		}
		out = append(out, have...)
	}
	return out
}

// checkEntries checks that a host has each wanted event once, with checkrein's program.
func (l lab) checkEntries(name string, scope install.Scope) {
	l.t.Helper()
	s, h, err := l.SpecNamed(name)
	if err != nil {
		l.t.Fatal(err)
	}
	want, err := l.Wanted(s, h, scope, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	files := 1
	if name == "kiro" {
		files = len(l.hostFiles(name, scope))
	}
	have := l.findEntries(name, scope)
	if len(have) != files*len(want) || len(want) == 0 {
		l.t.Errorf("%s: %d entries, want %d", name, len(have), files*len(want))
	}
	for _, e := range have {
		program, ok := hostfiles.OwnProgram(e.Command, name)
		if !ok || program != l.Program {
			l.t.Errorf("%s: the command line is %q", e.Event, e.Command)
		}
	}
	for _, w := range want {
		n := 0
		for _, e := range have {
			if e.Event == w.Event {
				n++
			}
		}
		if n != files {
			l.t.Errorf("%s: %s is wired %d times", name, w.Event, n)
		}
	}
}

// standardJSON returns a JSON file without comments and layout.
func standardJSON(t *testing.T, src string) string {
	t.Helper()
	doc, err := install.ParseJSON([]byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	doc.Root().Standardize()
	var v any
	if err := json.Unmarshal(doc.Root().Pack(), &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
