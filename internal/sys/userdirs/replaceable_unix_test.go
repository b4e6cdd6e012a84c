//go:build unix

package userdirs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhoCanReplace(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, program := filepath.Join(top, "bin"), filepath.Join(top, "bin", "agent")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(top, "agent")
	if err := os.Symlink(program, link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		dir, file os.FileMode
		want      string
	}{
		{0o755, 0o755, ""},
		{0o755, 0o757, "everyone may write to " + program},
		{0o757, 0o755, "everyone may write to " + dir},
		{0o757 | os.ModeSticky, 0o755, ""},
	} {
		if err := os.Chmod(dir, tt.dir); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(program, tt.file); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{program, link} {
			if got := WhoCanReplace(path); got != tt.want {
				t.Errorf("%o, %o: %q, want %q", tt.dir, tt.file, got, tt.want)
			}
		}
	}
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Chown(program, 12345, 0); err != nil {
		t.Skip(err)
	}
	if got := WhoCanReplace(link); !strings.Contains(got, "user 12345") {
		t.Errorf("somebody else's: %q", got)
	}
	if err := os.Chown(program, 0, 12345); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(program, 0o775); err != nil {
		t.Fatal(err)
	}
	if got := WhoCanReplace(link); !strings.Contains(got, "group 12345") {
		t.Errorf("a group's: %q", got)
	}
}
