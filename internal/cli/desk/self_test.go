package desk

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/build"
)

func TestSelfCheck(t *testing.T) {
	old := build.Version
	defer func() { build.Version = old }()
	dir := t.TempDir()
	for _, tt := range []struct {
		own, index string
		code       int
		want       string
	}{
		{"0.6.0", `[]`, console.Done, "0.6.0 is the newest"},
		{"0.6.0", `[{"version":"0.6.0"},{"version":"0.5.9"}]`, console.Done, "0.6.0 is the newest"},
		{"v0.6.0", `[{"version":"v0.10.0","notes":"a\u001b[31m"}]`, console.Finding, "v0.10.0 is newer than v0.6.0: a\\x1b[31m"},
		{"0.6.0", `[{"version":"0.6.1","security":true}]`, console.Finding, "way around a guard"},
		{"dev", `[{"version":"0.6.1"}]`, console.Refused, "built from source"},
		{"0.6.0", `[{"version":"later"}]`, console.Refused, "not a version"},
		{"0.6.0", `{`, console.Refused, "not a list"},
	} {
		build.Version = tt.own
		file := filepath.Join(dir, "releases.json")
		if err := os.WriteFile(file, []byte(tt.index), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		env := console.Env{Args: []string{"self", "check", "--index", file}, Stdin: &bytes.Buffer{}, Stdout: &out, Stderr: &out, Dir: dir}
		if code := Run(context.Background(), env); code != tt.code || !strings.Contains(out.String(), tt.want) {
			t.Errorf("%s and %s: exit code %d: %s", tt.own, tt.index, code, out.String())
		}
	}
}
