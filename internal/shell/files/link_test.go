package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestLinksOnDisk: a link that is there decides where a path lies.
func TestLinksOnDisk(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	disk, home := filepath.Join(top, "disk"), "/home/u"
	for _, dir := range []string{"home/u/Documents", "home/u/.ssh", "home/u/proj/src", "home/u/proj/build"} {
		if err := os.MkdirAll(filepath.Join(disk, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(disk, "home/u/Documents/a.txt"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"docs": "../Documents", "tmp": "../Documents", "build/out": "../..", "note.txt": "../Documents/a.txt", "src/inner": "../build", "dist": "../Documents"} {
		if err := os.Symlink(to, filepath.Join(disk, "home/u/proj", name)); err != nil {
			t.Fatal(err)
		}
	}
	// The disk is one below a directory of the test, under which / is.
	real := func(path string) string {
		dir, rest := path, ""
		if !strings.HasSuffix(path, "/.") {
			dir, rest = filepath.Split(path)
		}
		for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
			if got, err := filepath.EvalSymlinks(filepath.Join(disk, dir)); err == nil {
				return filepath.Join("/", strings.TrimPrefix(got, disk), rest)
			}
			rest = filepath.Join(filepath.Base(dir), rest)
		}
	}
	kind := func(path string) shell.PathKind {
		info, err := os.Lstat(filepath.Join(disk, path))
		switch {
		case err != nil:
			return shell.NoPath
		case info.IsDir():
			return shell.PathDir
		}
		return shell.PathFile
	}
	p := &shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: home, Real: real, Kind: kind}
	for _, tt := range []struct {
		text  string
		label shell.Label
	}{
		{"rm -rf docs/*", shell.Destructive},
		{"rm -rf docs/", shell.Destructive},
		{"rm -rf docs/.", shell.Destructive},
		{"rm -rf dist/*", shell.Destructive},
		{"rm -rf tmp/sub", shell.Destructive},
		{"rm -rf build/out/src", shell.Destructive},
		{"rm -rf src/inner/x", shell.Safe}, // build is made again
		{"rm dist", shell.Safe},            // only the link
		{"rm -rf build", shell.Safe},
		{"rm -rf build/x", shell.Safe},
		{"cp src/a note.txt", shell.Destructive},
		{"cp src/a ~/Documents/a.txt", shell.Destructive},
		{"cp src/a ~/Documents/new.txt", shell.Unknown},
		{"tee note.txt", shell.Destructive},
		{"tee src/a.txt", shell.Safe},
	} {
		if e, _ := verdictOf(t, tt.text, p); e.Label != tt.label {
			t.Errorf("%s: %s (%s %v), want %s", tt.text, e.Label, e.Reason, e.Paths, tt.label)
		}
	}
}
