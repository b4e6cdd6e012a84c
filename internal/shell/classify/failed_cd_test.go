package classify

import (
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestFailedCD checks that commands after a cd are also judged in the directory of the shell if the cd
// failed, unless the text rules that out.
func TestFailedCD(t *testing.T) {
	for _, tt := range []struct {
		text string
		want shell.Label
	}{
		{"cd /tmp/nope; rm -rf * .git", shell.Destructive},
		{"cd /tmp/nope\nrm -rf * .git", shell.Destructive},
		{"cd /tmp/nope & rm -rf *", shell.Destructive},
		{"false && cd build; rm -rf * .git", shell.Destructive},
		{"cd build || true; rm -rf * .git", shell.Destructive},
		{"cd build || echo no; rm -rf *", shell.Destructive},
		{"cd /tmp/$(echo nope); rm -rf * .git", shell.Destructive},
		{"if [ -d x ]; then cd build; fi; rm -rf *", shell.Destructive},
		{"if true; then cd build; else cd dist; fi; rm -rf *", shell.Destructive},
		{"case $x in a) cd build;; esac; rm -rf *", shell.Destructive},
		{"while read -r d; do cd build; done < l; rm -rf *", shell.Destructive},
		{"for d in a b; do cd $d || continue; done; rm -rf *", shell.Destructive},
		{"while true; do cd ..; done; rm -rf *", shell.Destructive},
		{"(cd build; rm -rf *)", shell.Destructive},
		{"! cd build && rm -rf *", shell.Destructive},
		{"cd build || rm -rf *", shell.Destructive},
		{"f() { cd build || return; }; f; rm -rf *", shell.Destructive},
		{"pushd build; rm -rf *", shell.Destructive},
		{"cd build; find . -delete", shell.Destructive},
		{"cd build; git clean -fdx; rm -rf .git", shell.Destructive},
		{"cd /tmp/nope; python3 -c 'import shutil; shutil.rmtree(\".\")'", shell.Destructive},
		{"cd ~ && python3 -c 'import os; os.system(\"rm -rf *\")'", shell.Destructive},
		{"cd build; bash -c 'rm -rf *'", shell.Destructive},
		{"echo 'rm -rf ~' > x; cd nope; sh x", shell.Destructive},
		{"a=build; [ $y ] && a=dist; cd $a; rm -rf *", shell.Destructive},
		{"set -e; cd build || true; rm -rf *", shell.Destructive},
		{"set -e; set +e; cd build; rm -rf *", shell.Destructive},
		{"set -e; bash -c 'cd build; rm -rf *'", shell.Destructive},
		{"cd nope || return; rm -rf *", shell.Destructive},
		{"cd nope || continue; rm -rf *", shell.Destructive},
		{"exit() { :; }; cd nope || exit; rm -rf *", shell.Destructive},
		{"cd nope || (exit 1); rm -rf *", shell.Destructive},
		{"f() { cd nope; rm -rf *; }; set -e; f || true", shell.Destructive},
		{"(set -e; cd nope; rm -rf *) || true", shell.Destructive},
		{"set -e; echo $(cd nope; rm -rf *)", shell.Destructive},
		{"set -e; if ! { cd nope; rm -rf *; }; then ls; fi", shell.Destructive},
		{"[ $x ] && set -e; cd nope; rm -rf *", shell.Destructive},
		{"mkdir b; rmdir b; cd b; rm -rf *", shell.Destructive},
		{"CDPATH=/home/u; cd Documents && rm -rf *", shell.Destructive},
		{"CDPATH=~ cd Documents && rm -rf *", shell.Destructive},
		{"HOME=/; cd; rm -rf *", shell.Destructive},
		{"OLDPWD=/home/u; cd - && rm -rf *", shell.Destructive},
		{"pushd build && pushd && rm -rf *", shell.Destructive},
		{"d=build; false && d=dist; cd $d; rm -rf *", shell.Destructive},

		{"cd build && rm -rf *", shell.Safe},
		{"cd build && ls && rm -rf *", shell.Safe},
		{"cd build || exit 1; rm -rf *", shell.Safe},
		{"cd build || { echo no; exit 1; }; rm -rf *", shell.Safe},
		{"set -e; cd build; rm -rf *", shell.Safe},
		{"set -euo pipefail\ncd build\nrm -rf *", shell.Safe},
		{"set -o errexit; cd build; rm -rf *", shell.Safe},
		{"bash -ec 'cd build; rm -rf *'", shell.Safe},
		{"mkdir -p build; cd build; rm -rf *", shell.Safe},
		{"if cd build; then rm -rf *; fi", shell.Safe},
		{"if ! cd build; then exit 1; fi; rm -rf *", shell.Safe},
		{"if cd build; then :; else exit 1; fi; rm -rf *", shell.Safe},
		{"f() { cd build || return; rm -rf *; }; f; ls", shell.Safe},
		{"for d in build dist; do cd $d || continue; rm -rf *; cd /home/u/proj; done", shell.Safe},
		{"cd build; ls", shell.Safe},
		{"cd frontend; rm -rf node_modules; npm ci", shell.Safe},
		{"(cd build && make); rm -rf dist", shell.Safe},
	} {
		if r := Command(tt.text, shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: "/home/u"}); r.Label != tt.want {
			t.Errorf("%s: %s (%s), want %s", tt.text, r.Label, r.Reason, tt.want)
		}
	}
}

// TestCDToExistingDir checks that a cd to an existing directory is assumed to succeed.
func TestCDToExistingDir(t *testing.T) {
	p := shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: "/home/u", Kind: func(path string) shell.PathKind {
		if filepath.Clean(path) == "/home/u/proj/build" {
			return shell.PathDir
		}
		return shell.NoPath
	}}
	for text, want := range map[string]shell.Label{
		"cd build; rm -rf *":          shell.Safe,
		"cd ./build/; rm -rf *":       shell.Safe,
		"cd build; ls; rm -rf *":      shell.Safe,
		"cd dist; rm -rf *":           shell.Destructive,
		"cd build; cd dist; rm -rf *": shell.Safe, // build or build/dist
		"cd src; cd build; rm -rf *":  shell.Destructive,
		"cd dist; cd build; rm -rf *": shell.Safe,
	} {
		if r := Command(text, p); r.Label != want {
			t.Errorf("%s: %s (%s), want %s", text, r.Label, r.Reason, want)
		}
	}
}
