package install_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"pgregory.net/rapid"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/host/install"
)

// TestQuote checks that a shell and hostfiles.SplitWords return a quoted word unchanged.
func TestQuote(t *testing.T) {
	t.Parallel()
	words := []string{"plain", "", "a b", "it's", `a"b`, "$HOME", "`id`", "a\\b", "a\nb", "é", "*", "~", "a;b", "/opt/my tools/checkrein"}
	if got := hostfiles.SplitWords(install.Join(words)); !slices.Equal(got, words) {
		t.Errorf("split: got %q", got)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	out, err := exec.Command(sh, "-c", `printf '%s\0' `+install.Join(words)).Output()
	if err != nil || !slices.Equal(strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), words) {
		t.Errorf("sh: got %q, %v", out, err)
	}
}

func TestQuoteProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.String(), 1, 5).Draw(t, "words")
		if got := hostfiles.SplitWords(install.Join(words)); !slices.Equal(got, words) {
			t.Errorf("%q became %q", words, got)
		}
	})
}

func TestOwnProgram(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line, program string
		ours          bool
	}{
		{"/usr/bin/checkrein hook claude --within 590", "/usr/bin/checkrein", true},
		{"'/my tools/checkrein' hook claude", "/my tools/checkrein", true},
		{`"/my tools/checkrein" hook claude`, "/my tools/checkrein", true},
		{"checkrein hook claude", "checkrein", true},
		{"exec checkrein hook claude", "checkrein", true},
		{"/tmp/cr hook claude --within 5", "/tmp/cr", true},
		{`C:\tools\checkrein.exe hook claude`, `C:\tools\checkrein.exe`, runtime.GOOS == "windows"}, // elsewhere, a backslash is the shell's
		{`'C:\tools\checkrein.exe' hook claude`, `C:\tools\checkrein.exe`, true},
		{"checkrein hook codex", "", false},
		{"checkrein eval", "", false},
		{"my-checkrein hook claude", "my-checkrein", false},
		{"other hook claude", "other", false},
		{"echo checkrein hook claude", "", false},
		{"", "", false},
	} {
		program, ok := hostfiles.OwnProgram(tt.line, "claude")
		if ok != tt.ours || ok && program != filepath.FromSlash(tt.program) {
			t.Errorf("%s: got %q, %v", tt.line, program, ok)
		}
	}
}

func TestFindProgram(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                 string
		files                []string
		link                 [2]string
		path, running, given string
		want, warning, err   string
	}{
		{name: "beside", files: []string{"opt/checkrein"}, running: "opt/checkreind", want: "opt/checkrein"},
		{name: "by its link in PATH", files: []string{"cellar/checkrein/1.2.3/bin/checkrein"}, link: [2]string{"cellar/checkrein/1.2.3/bin/checkrein", "bin/checkrein"},
			path: "other:bin", running: "cellar/checkrein/1.2.3/bin/checkreind", want: "bin/checkrein"},
		{name: "with a version", files: []string{"cellar/checkrein/1.2.3/bin/checkrein"}, running: "cellar/checkrein/1.2.3/bin/checkreind",
			want: "cellar/checkrein/1.2.3/bin/checkrein", warning: "may change with an update (1.2.3)"},
		{name: "another one in PATH", files: []string{"opt/checkrein", "bin/checkrein"}, path: "bin", running: "opt/checkreind", want: "opt/checkrein"},
		{name: "in a package of npm", files: []string{"node_modules/@checkrein/linux-x64/bin/checkrein"}, running: "node_modules/@checkrein/linux-x64/bin/checkreind", err: "npx checkrein"},
		{name: "none beside", running: "opt/checkreind", err: "does not exist"},
		{name: "unknown", err: "--program"},
		{name: "given", files: []string{"x/cr"}, given: "x/cr", running: "opt/checkreind", want: "x/cr"},
		{name: "given and not there", given: "x/cr", err: "does not exist"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			in := func(name string) string {
				if name == "" {
					return ""
				}
				return filepath.Join(dir, filepath.FromSlash(name))
			}
			l := lab{t: t, Machine: &install.Machine{Home: dir, Temporary: []string{}}}
			for _, f := range tt.files {
				l.write(in(f), f, 0o755)
			}
			if tt.link[0] != "" {
				if err := os.MkdirAll(filepath.Dir(in(tt.link[1])), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(in(tt.link[0]), in(tt.link[1])); err != nil {
					t.Skip(err)
				}
			}
			var path []string
			for p := range strings.SplitSeq(tt.path, ":") {
				path = append(path, in(p))
			}
			l.Getenv = func(name string) string {
				return map[string]string{"PATH": strings.Join(path, string(os.PathListSeparator))}[name]
			}
			warning, err := l.FindProgram(in(tt.running), in(tt.given))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || l.Program != in(tt.want) || tt.warning == "" && warning != "" || !strings.Contains(warning, tt.warning) {
				t.Errorf("got %q, %q, %v", l.Program, warning, err)
			}
		})
	}
}

func TestTemporaryProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := lab{t: t, Machine: &install.Machine{Home: dir, Getenv: func(name string) string { return map[string]string{"TMPDIR": dir}[name] }}}
	l.write(filepath.Join(dir, "checkrein"), "", 0o755)
	_, err := l.FindProgram(filepath.Join(dir, "checkreind"), "")
	if err == nil || !strings.Contains(err.Error(), "temporary directory") || !strings.Contains(err.Error(), "--program") {
		t.Errorf("got %v", err)
	}
	if _, err := l.FindProgram("", filepath.Join(dir, "checkrein")); err != nil {
		t.Errorf("insisted on: %v", err)
	}
}
