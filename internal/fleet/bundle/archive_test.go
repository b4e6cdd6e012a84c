package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const note = `{"name":"base","version":%d,"created":"2026-11-19T12:00:00Z"}`

// noteFile returns the file bundle.json of that version.
func noteFile(version int64) File {
	return File{Name: "bundle.json", Data: fmt.Appendf(nil, note, version)}
}

// policyFile returns a checkrein.yaml with one rule.
func policyFile(rule string) File {
	return File{Name: "checkrein.yaml", Data: []byte("version: 1\nhooks:\n  pre_tool_use: {name: " + rule + ", type: rule, decision: deny, reason: " + rule + "}\n")}
}

// writeDir writes files to a new directory.
func writeDir(t testing.TB, files ...File) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		mode := os.FileMode(0o600)
		if f.Exec {
			mode = 0o700
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// archiveOf returns the archive of files.
func archiveOf(t testing.TB, files ...File) []byte {
	t.Helper()
	archive, _, err := Build(writeDir(t, files...))
	if err != nil {
		t.Fatal(err)
	}
	return archive
}

// TestArchiveKeepsFiles checks for any files that building, parsing and unpacking give them back, and that
// building is deterministic.
func TestArchiveKeepsFiles(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		part := rapid.StringMatching(`[a-z][a-zA-Z0-9_+@-]{0,8}`)
		set := pathSet{}
		if err := set.add("bundle.json"); err != nil {
			t.Fatal(err)
		}
		files := []File{noteFile(rapid.Int64Range(1, 1<<40).Draw(rt, "version"))}
		for range rapid.IntRange(0, 12).Draw(rt, "files") {
			f := File{Name: strings.Join(rapid.SliceOfN(part, 1, 4).Draw(rt, "path"), "/"), Data: rapid.SliceOfN(rapid.Byte(), 1, 600).Draw(rt, "data"), Exec: rapid.Bool().Draw(rt, "exec")}
			if set.add(f.Name) == nil {
				files = append(files, f)
			}
		}
		dir := writeDir(t, files...)
		archive, b, err := Build(dir)
		if err != nil {
			rt.Fatal(err)
		}
		again, _, err := Build(writeDir(t, files...))
		if err != nil || !bytes.Equal(archive, again) {
			rt.Fatalf("the same files yield another archive: %v", err)
		}
		if len(b.Files) != len(files) {
			rt.Fatalf("got %d files, want %d", len(b.Files), len(files))
		}
		out := filepath.Join(t.TempDir(), "x")
		if err := b.unpack(out); err != nil {
			rt.Fatal(err)
		}
		third, unpacked, err := Build(out)
		if err != nil || !bytes.Equal(archive, third) || !reflect.DeepEqual(b, unpacked) {
			rt.Fatalf("what was unpacked differs: %v", err)
		}
	})
}

// TestParseNeverPanics checks that changed archives yield an error or the files of some archive.
func TestParseNeverPanics(t *testing.T) {
	t.Parallel()
	archive := archiveOf(t, noteFile(1), policyFile("x"), File{Name: "hooks/a/run.sh", Data: []byte("exit 0\n"), Exec: true})
	rapid.Check(t, func(rt *rapid.T) {
		data := bytes.Clone(archive)
		for range rapid.IntRange(1, 4).Draw(rt, "changes") {
			data[rapid.IntRange(0, len(data)-1).Draw(rt, "at")] ^= rapid.ByteRange(1, 255).Draw(rt, "bits")
		}
		data = data[:rapid.IntRange(0, len(data)).Draw(rt, "length")]
		b, err := Parse(data)
		if err == nil && (b == nil || b.Version < 1) {
			rt.Fatalf("got %+v", b)
		}
	})
}

func TestBuildRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(dir string) error
		want   string
	}{
		"no note":         {func(dir string) error { return os.Remove(filepath.Join(dir, "bundle.json")) }, "bundle.json"},
		"a symlink":       {func(dir string) error { return os.Symlink("bundle.json", filepath.Join(dir, "x")) }, "regular files only"},
		"a linked folder": {func(dir string) error { return os.Symlink("/etc", filepath.Join(dir, "x")) }, "regular files only"},
		"a hidden file":   {func(dir string) error { return os.WriteFile(filepath.Join(dir, ".git"), nil, 0o600) }, "hidden"},
		"an odd name":     {func(dir string) error { return os.WriteFile(filepath.Join(dir, "a b"), nil, 0o600) }, "character"},
		"a long name": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, strings.Repeat("x", 101)), nil, 0o600)
		}, "100"},
		"names in two cases": {func(dir string) error {
			_ = os.WriteFile(filepath.Join(dir, "x"), nil, 0o600)
			return os.WriteFile(filepath.Join(dir, "X"), nil, 0o600)
		}, "same path"},
		"too large": {func(dir string) error {
			return os.Truncate(filepath.Join(dir, "bundle.json"), maxContent+1)
		}, ""},
	} {
		dir := writeDir(t, noteFile(1))
		if err := tt.change(dir); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Build(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

func TestInfo(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		`{"name":"base","version":1}`:             true,
		`{"name":"base-2","version":9}`:           true,
		`{"name":"Base","version":1}`:             false,
		`{"name":"../x","version":1}`:             false,
		`{"name":"-","version":1}`:                false,
		`{"name":"","version":1}`:                 false,
		`{"name":"base","version":0}`:             false,
		`{"name":"base","version":"1"}`:           false,
		`{"name":"base","version":1,"x":1}`:       false,
		`{"name":"base","version":1,"created":1}`: false,
		`[]`: false,
	} {
		if _, err := parseInfo([]byte(text)); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// pack returns an archive with these headers, which tar writes as they are.
func pack(t *testing.T, headers ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	w := tar.NewWriter(zip)
	first := noteFile(1)
	headers = append(headers, tar.Header{Name: first.Name, Mode: 0o644})
	for _, h := range headers {
		data := []byte("x")
		if h.Name == first.Name {
			data = first.Data
		}
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(data))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := w.Write(data); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	if _, err := Parse(pack(t, tar.Header{Name: "a/b", Mode: 0o755})); err != nil {
		t.Fatal(err)
	}
	good := archiveOf(t, noteFile(1))
	for name, archive := range map[string][]byte{
		"empty":             nil,
		"not compressed":    []byte("bundle"),
		"no files":          pack(t)[:20],
		"data after it":     append(bytes.Clone(good), 0),
		"another archive":   append(bytes.Clone(good), good...),
		"up":                pack(t, tar.Header{Name: "../x", Mode: 0o644}),
		"up from within":    pack(t, tar.Header{Name: "a/../../x", Mode: 0o644}),
		"absolute":          pack(t, tar.Header{Name: "/etc/x", Mode: 0o644}),
		"a drive":           pack(t, tar.Header{Name: "C:x", Mode: 0o644}),
		"a backslash":       pack(t, tar.Header{Name: `..\x`, Mode: 0o644}),
		"a hidden file":     pack(t, tar.Header{Name: "a/.b", Mode: 0o644}),
		"a directory":       pack(t, tar.Header{Name: "a/", Mode: 0o755, Typeflag: tar.TypeDir}),
		"a symlink":         pack(t, tar.Header{Name: "a", Linkname: "/etc", Mode: 0o644, Typeflag: tar.TypeSymlink}),
		"a hard link":       pack(t, tar.Header{Name: "a", Linkname: "bundle.json", Mode: 0o644, Typeflag: tar.TypeLink}),
		"a device":          pack(t, tar.Header{Name: "a", Mode: 0o644, Typeflag: tar.TypeChar}),
		"a pipe":            pack(t, tar.Header{Name: "a", Mode: 0o644, Typeflag: tar.TypeFifo}),
		"set-user-ID":       pack(t, tar.Header{Name: "a", Mode: 0o4755}),
		"another format":    pack(t, tar.Header{Name: "a", Mode: 0o644, Format: tar.FormatPAX, ModTime: time.Unix(1, 5), PAXRecords: map[string]string{"x.y": "z"}}),
		"the same name":     pack(t, tar.Header{Name: "a", Mode: 0o644}, tar.Header{Name: "a", Mode: 0o644}),
		"two cases":         pack(t, tar.Header{Name: "a", Mode: 0o644}, tar.Header{Name: "A", Mode: 0o644}),
		"a file as folder":  pack(t, tar.Header{Name: "a", Mode: 0o644}, tar.Header{Name: "a/b", Mode: 0o644}),
		"folders two cases": pack(t, tar.Header{Name: "a/b", Mode: 0o644}, tar.Header{Name: "A/c", Mode: 0o644}),
		"too many files":    pack(t, manyHeaders()...),
		"a bomb":            bomb(t),
	} {
		if b, err := Parse(archive); err == nil {
			t.Errorf("%s: got %+v", name, b.Info)
		}
	}
}

func manyHeaders() (out []tar.Header) {
	for i := range maxFiles {
		out = append(out, tar.Header{Name: fmt.Sprint("f", i), Mode: 0o644})
	}
	return out
}

// bomb returns a small archive of a large file.
func bomb(t *testing.T) []byte {
	t.Helper()
	archive, err := encode([]File{noteFile(1), {Name: "zeros", Data: make([]byte, maxContent+maxFiles*2048)}})
	if err != nil {
		t.Fatal(err)
	}
	if len(archive) > MaxArchive {
		t.Fatalf("the bomb has %d bytes", len(archive))
	}
	return archive
}

// TestCheck checks that mistakes in policies are found as on a machine, with file and line.
func TestCheck(t *testing.T) {
	t.Parallel()
	hook := []File{
		{Name: "hooks/h/HOOK.md", Data: []byte("---\nname: h\ndescription: d\ntrigger: before_tool\n---\n")},
		{Name: "hooks/h/scripts/run.sh", Data: []byte("#!/bin/sh\nexit 0\n"), Exec: true},
	}
	for name, tt := range map[string]struct {
		files []File
		want  string // "" = no mistake
	}{
		"nothing":            {nil, ""},
		"good":               {append(hook, policyFile("x")), ""},
		"an include":         {[]File{{Name: "checkrein.yaml", Data: []byte("version: 1\ninclude: [more/a.yaml]\n")}, {Name: "more/a.yaml", Data: policyFile("a").Data}}, ""},
		"a missing include":  {[]File{{Name: "checkrein.yaml", Data: []byte("version: 1\ninclude: [more/a.yaml]\n")}}, "more/a.yaml"},
		"not YAML":           {[]File{{Name: "hooks.d/x.yaml", Data: []byte("version: 1\nhooks: {\n")}}, "hooks.d/x.yaml:"},
		"an unknown key":     {[]File{{Name: "checkrein.yaml", Data: []byte("version: 1\nhoks: {}\n")}}, "checkrein.yaml:2"},
		"an unknown builtin": {[]File{{Name: "checkrein.yaml", Data: []byte("version: 1\nhooks:\n  pre_tool_use: {name: x, type: builtin, command: nonsense}\n")}}, "checkrein.yaml:3"},
		"an unknown pack":    {[]File{{Name: "checkrein.yaml", Data: []byte("version: 1\npacks: [nonsense]\n")}}, "checkrein.yaml:2"},
		"a HOOK.md":          {[]File{{Name: "hooks/h/HOOK.md", Data: []byte("---\nname: h\n---\n")}}, "hooks/h/HOOK.md"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := Parse(archiveOf(t, append(tt.files, noteFile(1))...))
			if err != nil {
				t.Fatal(err)
			}
			err = b.Check()
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), os.TempDir()) {
				t.Errorf("the text has a temporary path: %v", err)
			}
		})
	}
}

// TestCheckWritesNothing checks that loading the policies of an unpacked bundle leaves nothing that a process
// which is killed would leave behind.
func TestCheckWritesNothing(t *testing.T) {
	b, err := Parse(archiveOf(t, policyFile("x"), noteFile(1)))
	if err != nil {
		t.Fatal(err)
	}
	bundles := t.TempDir()
	dir := filepath.Join(bundles, "new")
	if err := b.unpack(dir); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", filepath.Join(bundles, "missing"))
	if err := checkDir(dir); err != nil {
		t.Error(err)
	}
	if list, err := os.ReadDir(bundles); err != nil || len(list) != 1 {
		t.Errorf("%v: %v", list, err)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "root.pem")
	key, err := NewKey(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := LoadKey(path)
	if err != nil || !got.Equal(key) {
		t.Fatalf("another key: %v", err)
	}
	if _, err := NewKey(path); err == nil {
		t.Error("an existing key was replaced")
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadKey(path); err == nil || !strings.Contains(err.Error(), "others can read") {
		t.Errorf("a key that others can read: %v", err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadKey(path); err == nil {
		t.Error("a file without a key was read")
	}
}
