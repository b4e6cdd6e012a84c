package install

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
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A lab is a machine in a directory of its own.
type lab struct {
	*Machine
	t *testing.T
}

// everyHost is every host that can be installed, with an invented wire where the
// real one is not written yet.
func everyHost() []*wire.Host {
	out := slices.Clone(host.Table())
	for _, s := range table {
		if slices.ContainsFunc(out, func(h *wire.Host) bool { return h.Name == s.name }) {
			continue
		}
		out = append(out, &wire.Host{Name: s.name, Title: "The " + s.name, Events: []wire.Event{
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
	l := lab{t: t, Machine: &Machine{
		Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "work", "pro ject"),
		Program: filepath.Join(dir, "home", "bin", exe("checkrein")),
		Getenv:  func(string) string { return "" },
		Hosts:   everyHost(),
		Config:  filepath.Join(dir, "home", ".config", "checkrein"),
		Plugins: func(host string, line hostfiles.Line) []PluginFile {
			text := moduleMark + host + "`, which also takes it away.\n\nconst program = " + string(encode(line.Program)) + "\nconst pins = " + string(encode(line.Pins())) + "\n"
			return []PluginFile{{"index.js", []byte(text)}, {"package.json", []byte("{\"name\": \"checkrein\"}\n")}}
		},
		State: state.At(filepath.Join(dir, "state")),
		Now:   func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) },
	}}
	l.write(l.Project+"/README", "a project\n", 0o644)
	for _, p := range []string{l.Program, filepath.Join(l.Home, "bin", exe(companion))} {
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

// tree is every file and directory of the machine with its content, but not the
// state.
func (l lab) tree() map[string]string {
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

func (l lab) install(name string, o Options) *Plan {
	l.t.Helper()
	p, err := l.Install(name, o)
	if err != nil {
		l.t.Fatalf("install %s: %v", name, err)
	}
	if err := l.Apply(p); err != nil {
		l.t.Fatalf("install %s: %v", name, err)
	}
	return p
}

func (l lab) uninstall(name string, o Options) *Plan {
	l.t.Helper()
	p, err := l.Uninstall(name, o)
	if err != nil {
		l.t.Fatalf("uninstall %s: %v", name, err)
	}
	if err := l.Apply(p); err != nil {
		l.t.Fatalf("uninstall %s: %v", name, err)
	}
	return p
}

// files are the files of a host in a scope.
func (l lab) files(name string, scope Scope) []file {
	l.t.Helper()
	s, h, err := l.spec(name)
	if err != nil {
		l.t.Fatal(err)
	}
	want, err := l.wanted(s, h, scope, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	files, err := l.filesOf(s, h, scope, want)
	if err != nil {
		l.t.Fatal(err)
	}
	return files
}

// wired lists the entries that a host has.
func (l lab) wired(name string, scope Scope) []entry {
	l.t.Helper()
	var out []entry
	for _, f := range l.files(name, scope) {
		src, err := read(f.path)
		if err != nil {
			l.t.Fatal(err)
		}
		if src == nil {
			continue
		}
		have, err := f.form.find(src)
		if err != nil {
			l.t.Fatalf("%s: %v", f.path, err)
		}
		out = append(out, have...)
	}
	return out
}

// wantWired checks that a host has each event that it should, once, with our
// program.
func (l lab) wantWired(name string, scope Scope) {
	l.t.Helper()
	s, h, err := l.spec(name)
	if err != nil {
		l.t.Fatal(err)
	}
	want, err := l.wanted(s, h, scope, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	files := 1
	if name == "kiro" {
		files = len(l.files(name, scope))
	}
	have := l.wired(name, scope)
	if len(have) != files*len(want) || len(want) == 0 {
		l.t.Errorf("%s: %d entries, want %d", name, len(have), files*len(want))
	}
	for _, e := range have {
		program, ok := hostfiles.Ours(e.command, name)
		if !ok || program != l.Program {
			l.t.Errorf("%s: the command line is %q", e.event, e.command)
		}
	}
	for _, w := range want {
		n := 0
		for _, e := range have {
			if e.event == w.event {
				n++
			}
		}
		if n != files {
			l.t.Errorf("%s: %s is wired %d times", name, w.event, n)
		}
	}
}

// meaning is a JSON file without its comments and its layout.
func meaning(t *testing.T, src string) string {
	t.Helper()
	doc, err := parseJSON([]byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	doc.root.Standardize()
	var v any
	if err := json.Unmarshal(doc.root.Pack(), &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
