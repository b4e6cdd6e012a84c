package cache

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/coverage"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A place is a project with a script that runs another.
type place struct {
	*testing.T
	root string
	told []error
	Store
	secret state.Secret
	hook   checkrein.Hook
	at     coverage.Place
}

func newPlace(t *testing.T) *place {
	t.Helper()
	dir := t.TempDir()
	root := filepath.Join(dir, "project")
	p := &place{T: t, root: root, hook: checkrein.Hook{Run: "command", With: []byte(`{"command":"sh one.sh"}`)},
		at: coverage.Place{Root: root, Top: root, Home: "/nowhere", Environ: []string{"PATH=/usr/bin:/bin"}}}
	p.Store = Store{Dir: state.At(filepath.Join(dir, "state")), Build: "a build", Secret: func() *state.Secret { return &p.secret }, Told: func(err error) { p.told = append(p.told, err) }}
	p.write("one.sh", "./two.sh\n")
	p.write("two.sh", "exit 0\n")
	return p
}

func (p *place) write(name, text string) {
	p.Helper()
	file := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
		p.Fatal(err)
	}
}

// files are those of the store, with their contents.
func (p *place) files() map[string][]byte {
	p.Helper()
	names, _ := p.Dir.Names(Folder)
	out := map[string][]byte{}
	for _, name := range names {
		data, err := p.Dir.Read(Folder+"/"+name, maxSize)
		if err != nil {
			p.Fatal(err)
		}
		out[name] = data
	}
	return out
}

// What is remembered is what would be made now, or it is made anew.
func TestOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(p *place)
		anew   bool // a plan is written
		runs   bool // other contents would run
		told   bool
	}{
		{"nothing", func(*place) {}, false, false, false},
		{"the file", func(p *place) { p.write("one.sh", "./two.sh\n./three.sh\n") }, true, true, false},
		{"the file that it runs", func(p *place) { p.write("two.sh", "exit 1\n") }, true, true, false},
		{"a file of the same length", func(p *place) { p.write("two.sh", "exit 7\n") }, true, true, false},
		{"a file that it does not run", func(p *place) { p.write("four.sh", "exit 1\n") }, false, false, false},
		{"the file is gone", func(p *place) { os.Remove(filepath.Join(p.root, "two.sh")) }, true, true, false},
		{"PATH", func(p *place) {
			p.write("bin/sh", "#!/bin/sh\n")
			p.at.Environ = []string{"PATH=" + filepath.Join(p.root, "bin") + ":/usr/bin:/bin"}
		}, true, true, false},
		{"a variable that does not matter", func(p *place) { p.at.Environ = append(p.at.Environ, "COLOR=red") }, false, false, false},
		{"the hook", func(p *place) { p.hook.With = []byte(`{"command":"sh two.sh"}`) }, true, true, false},
		{"the build", func(p *place) { p.Build = "another build" }, true, false, false},
		{"the secret", func(p *place) { p.secret[0]++ }, true, false, true},
		{"a bit of it", func(p *place) {
			for name, data := range p.files() {
				data[len(data)-1] ^= 1
				if err := p.Dir.Write(Folder+"/"+name, data); err != nil {
					p.Fatal(err)
				}
			}
		}, true, false, true},
		{"its end is gone", func(p *place) {
			for name, data := range p.files() {
				if err := p.Dir.Write(Folder+"/"+name, data[:len(data)-1]); err != nil {
					p.Fatal(err)
				}
			}
		}, true, false, true},
		{"another version", func(p *place) {
			for name := range p.files() {
				if err := p.Dir.Write(Folder+"/"+name, []byte("checkrein plan 0\nwhatever")); err != nil {
					p.Fatal(err)
				}
			}
		}, true, false, false},
		{"that of another hook", func(p *place) {
			other := p.hook
			other.With = []byte(`{"command":"sh four.sh"}`)
			had := p.files()
			p.Of(&other, p.at)
			var foreign []byte
			for name, data := range p.files() {
				if had[name] == nil {
					foreign = data
				}
			}
			for name := range had {
				if err := p.Dir.Write(Folder+"/"+name, foreign); err != nil {
					p.Fatal(err)
				}
			}
		}, true, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			_, first := p.Of(&p.hook, p.at)
			if n := len(p.files()); n != 1 || first == [32]byte{} {
				t.Fatalf("%d plans are remembered, with contents %x", n, first)
			}
			tt.change(p)
			before := p.files()
			plan, runs := p.Of(&p.hook, p.at)
			want := coverage.Of(&p.hook, p.at, new(coverage.Look))
			for i := range want.Parts {
				want.Parts[i].Text = nil
			}
			if !reflect.DeepEqual(plan, want) {
				t.Errorf("got  %+v\nwant %+v", plan, want)
			}
			if (runs != first) != tt.runs {
				t.Errorf("contents: %x, before %x", runs, first)
			}
			if anew := !reflect.DeepEqual(before, p.files()); anew != tt.anew {
				t.Errorf("made anew: %v", anew)
			}
			if (len(p.told) > 0) != tt.told {
				t.Errorf("told: %v", p.told)
			}
			p.told = nil
			if again, twice := p.Of(&p.hook, p.at); !reflect.DeepEqual(again, want) || twice != runs || len(p.told) > 0 {
				t.Errorf("once more: %+v, %x, told %v", again, twice, p.told)
			}
		})
	}
}

// Without a secret, or a build, nothing is remembered.
func TestNothingIsKept(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Store){
		"no secret": func(s *Store) { s.Secret = func() *state.Secret { return nil } },
		"no store":  func(s *Store) { s.Secret = nil },
		"no build":  func(s *Store) { s.Build = "" },
	} {
		p := newPlace(t)
		_, want := p.Of(&p.hook, p.at)
		if err := os.RemoveAll(p.Dir.Path()); err != nil {
			t.Fatal(err)
		}
		spoil(&p.Store)
		if plan, runs := p.Of(&p.hook, p.at); len(plan.Parts) != 2 || runs != want {
			t.Errorf("%s: %+v, %x", name, plan, runs)
		}
		if n := len(p.files()); n != 0 {
			t.Errorf("%s: %d plans are remembered", name, n)
		}
	}
}

// What was made with the secret and says something else is found all the same.
func TestCheckMakesAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.Of(&p.hook, p.at)
	if found, err := p.Check([]string{p.Build}, false); len(found) > 0 || err != nil {
		t.Fatalf("%v, %v", found, err)
	}
	for base, data := range p.files() {
		name := Folder + "/" + base
		body := bytes.Replace(data[len(magic)+state.SumSize:], []byte("two.sh"), []byte("ten.sh"), 1)
		sum := p.secret.Sum(name, body)
		if err := p.Dir.Write(name, slices.Concat([]byte(magic), sum[:], body)); err != nil {
			t.Fatal(err)
		}
	}
	found, err := p.Check([]string{p.Build}, true)
	if len(found) != 1 || err != nil || !strings.Contains(found[0], "runs something else than it does") {
		t.Errorf("%v, %v", found, err)
	}
	if n := len(p.files()); n != 0 {
		t.Errorf("%d plans are left", n)
	}
}
