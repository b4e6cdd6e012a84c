package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect"
)

// A tree is a temporary directory with a subdirectory for each scope.
type tree struct {
	t    *testing.T
	root string
}

func newTree(t *testing.T) tree {
	t.Helper()
	return tree{t, t.TempDir()}
}

// write writes a file below the tree and returns its path.
func (tr tree) write(name, text string) string {
	tr.t.Helper()
	path := tr.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tr.t.Fatal(err)
	}
	return path
}

func (tr tree) path(name string) string { return filepath.Join(tr.root, filepath.FromSlash(name)) }

func (tr tree) options() Options {
	return Options{Managed: tr.path("managed"), User: tr.path("user"), Root: tr.path("project"), Dialect: dialect.Detect}
}

func (tr tree) load(change ...func(*Options)) *Config {
	opts := tr.options()
	for _, c := range change {
		c(&opts)
	}
	return Load(opts)
}

// ruleFile returns a native file with one rule on pre_tool_use whose reason is its name.
func ruleFile(name string) string {
	return fmt.Sprintf("version: 1\nhooks:\n  pre_tool_use:\n    - {name: %s, decision: deny}\n", name)
}

// formatHooks lists hooks as "scope name"; the broken hooks of a lost file count as one.
func formatHooks(hooks []checkrein.Hook) string {
	var out []string
	for _, h := range hooks {
		what := h.From.Scope.String() + " " + h.Label()
		if h.Broken != "" {
			what += "!"
		}
		if n := len(out); h.ID == LostID && n > 0 && out[n-1] == what {
			continue
		}
		out = append(out, what)
	}
	return strings.Join(out, ", ")
}

// wantNames checks that the hooks of c are want, in the format of formatHooks.
func wantNames(t *testing.T, c *Config, want string) {
	t.Helper()
	if got := formatHooks(c.Hooks); got != want {
		t.Errorf("got  %s\nwant %s\n%v", got, want, c.Err())
	}
}

// wantErr checks that err contains want, or is nil if want is "".
func wantErr(t *testing.T, err error, want string) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}
