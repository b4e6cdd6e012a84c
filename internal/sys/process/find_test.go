//go:build unix

package process

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFindProgram checks that a bare name is looked up as the process itself would: in its PATH,
// relative to its directory.
func TestFindProgram(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for name, mode := range map[string]os.FileMode{"p/bin/lint": 0o755, "p/plain/lint": 0o644, "p/lint": 0o755, "other/lint": 0o755} {
		path := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho "+name+"\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ path, want string }{
		{"bin:" + base + "/other", "p/bin/lint"},
		{"plain:" + base + "/other", "other/lint"},
		{":/bin", "p/lint"},
		{"none", ""},
		{"", ""},
	} {
		env := []string{"PATH=/bin", "PATH=" + test.path}
		got, err := FindProgram("lint", filepath.Join(base, "p"), env)
		want := test.want
		if want != "" {
			want = filepath.Join(base, want)
		}
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s, %v", test.path, got, err)
		}
		if want == "" {
			continue
		}
		res, err := Run(t.Context(), Spec{Argv: []string{"lint"}, Dir: filepath.Join(base, "p"), Env: env})
		if string(res.Stdout) != test.want+"\n" {
			t.Errorf("%s: %q, %v", test.path, res.Stdout, err)
		}
	}
}
