package taskfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sampleJust = `-- Justfile --
# A comment.
set shell := ["bash", "-uc"]
import 'more.just'
mod tools
version := '1.0'
lint_sh := "./lint.sh"
sha := ` + "`git rev-parse HEAD`" + `
unused := 'x'
alias l := lint

# Says what is wrong.
[group('dev')]
lint target='all' *flags: setup (check target) && done # behind
    @{{lint_sh}} {{target}}
    echo "$HOME"

setup:
    #!/usr/bin/env bash
    ./setup.sh {{version}}

check x:
    ./check.sh {{x}}

deploy:
    ./deploy.sh {{unused}}
-- more.just --
done:
    -./done.sh
other:
    ./other.sh
-- tools.just --
fmt:
    ./fmt.sh
-- sub/x --
`

const lintOfJust = `part Justfile (recipe lint)
  |set shell := ["bash", "-uc"]
  |import 'more.just'
  |mod tools
  |version := '1.0'
  |lint_sh := "./lint.sh"
  |sha := ` + "`git rev-parse HEAD`" + `
  |[group('dev')]
  |lint target='all' *flags: setup (check target) && done
  |    @{{lint_sh}} {{target}}
  |    echo "$HOME"
  |setup:
  |    #!/usr/bin/env bash
  |    ./setup.sh {{version}}
  |check x:
  |    ./check.sh {{x}}
part more.just (recipe lint)
  |done:
  |    -./done.sh
text [.] ./done.sh
text [.] git rev-parse HEAD
text [.] ./lint.sh □
text [.] echo "$HOME"
text [.] #!/usr/bin/env bash
./setup.sh 1.0
text [.] /usr/bin/env bash
text [.] ./check.sh □
`

func TestJustPart(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, files, dir, call, want string }{
		{"a recipe with what it needs", sampleJust, "", "just lint", lintOfJust},
		{"from below", sampleJust, "sub", "just lint", lintOfJust},
		{"a module", sampleJust, "", "just tools::fmt", "part tools.just (recipe fmt)\n  |fmt:\n  |    ./fmt.sh\npart Justfile (recipe tools::fmt)\n  |set shell := [\"bash\", \"-uc\"]\n  |import 'more.just'\n  |mod tools\n  |sha := `git rev-parse HEAD`\ntext [.] ./fmt.sh\ntext [.] git rev-parse HEAD\n"},
		{"the first recipe", "-- .justfile --\na:\n  ./a\nb:\n  ./b\n", "", "just", "part .justfile (default recipe)\n  |a:\n  |  ./a\ntext [.] ./a\n"},
		{"another shell", "-- justfile --\nset shell := ['./sh', '-c']\na:\n  x\n", "", "just a", "part justfile (recipe a)\n  |set shell := ['./sh', '-c']\n  |a:\n  |  x\ntext [.] ./sh -c 'x'\n"},
		{"variables of a file", "-- justfile --\nset dotenv-load\na:\n  x\n", "", "just a", "part justfile (recipe a)\n  |set dotenv-load\n  |a:\n  |  x\ntext [.] x\nunsure just loads .env, which may change what runs\n"},
		{"a text over lines", "-- justfile --\nx := '''\na:\n  ./no\n'''\na:\n  ./yes {{x}}\n", "", "just a", "part justfile (recipe a)\n  |x := '''\n  |a:\n  |  ./no\n  |'''\n  |a:\n  |  ./yes {{x}}\ntext [.] ./yes \na:\n  ./no\n\n"},
		{"only a list", sampleJust, "", "just --list", ""},
		{"no file", "", "", "just x", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, tc.files)
			if got := show(dir, readIn(t, filepath.Join(dir, tc.dir), tc.call)); got != tc.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tc.want)
			}
		})
	}
}

const sampleTask = `-- Taskfile.yml --
version: '3'
# A comment.
vars:
  SHA: {sh: ./sha.sh}
includes:
  docs: {taskfile: ./docs, dir: ./docs}
tasks:
  default: [{task: lint}]
  lint:
    desc: Says what is wrong.
    aliases: [l]
    deps: [setup, "docs:check"]
    cmds:
      - ./lint.sh {{.SHA}}
      - task: after
      - defer: ./clean.sh
    status: [./fresh.sh]
  setup: ./setup.sh
  after: {cmd: ./after.sh, dir: sub}
  deploy: ./deploy.sh
-- docs/Taskfile.yml --
version: '3'
tasks:
  check: ./check.sh
  build: ./build.sh
`

func TestTaskPart(t *testing.T) {
	t.Parallel()
	dir := tree(t, sampleTask)
	for _, call := range []string{"task lint", "task", "go-task l"} {
		got := show(dir, readIn(t, dir, call))
		for _, want := range []string{"[.] ./lint.sh □\n", "[.] ./setup.sh\n", "[docs] ./check.sh\n", "[sub] ./after.sh\n", "[.] ./clean.sh\n", "[.] ./fresh.sh\n", "[.] ./sha.sh\n", "part docs/Taskfile.yml ("} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", call, want, got)
			}
		}
		if strings.Contains(got, "deploy") || strings.Contains(got, "build") || strings.Contains(got, "wrong") {
			t.Errorf("%s: too much in\n%s", call, got)
		}
	}
}

func TestOtherEdits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		files, name, call, from, to string
		changes                     bool
	}{
		{sampleJust, "Justfile", "just lint", "# A comment.", "# Another.", false},
		{sampleJust, "Justfile", "just lint", "# Says", "# Tells", false},
		{sampleJust, "Justfile", "just lint", "# behind", "# more", false},
		{sampleJust, "Justfile", "just lint", "./deploy.sh", "./evil", false},
		{sampleJust, "Justfile", "just lint", "unused := 'x'", "unused := 'y'", false},
		{sampleJust, "Justfile", "just lint", "unused := 'x'", "unused := `./evil`", true},
		{sampleJust, "Justfile", "just lint", "unused := 'x'", "export PATH := './evil'", true},
		{sampleJust, "Justfile", "just lint", "'1.0'", "'1.0; ./evil'", true},
		{sampleJust, "Justfile", "just lint", "./check.sh", "./evil", true},
		{sampleJust, "Justfile", "just lint", "(check target)", "(check target) deploy", true},
		{sampleJust, "Justfile", "just lint", "'all'", "'; ./evil'", true},
		{sampleJust, "Justfile", "just lint", "\"bash\"", "\"./bash\"", true},
		{sampleJust, "Justfile", "just l", "alias l := lint", "alias l := deploy", true},
		{sampleJust, "more.just", "just lint", "./done.sh", "./evil", true},
		{sampleJust, "more.just", "just lint", "./other.sh", "./evil", false},
		{sampleJust, "tools.just", "just tools::fmt", "./fmt.sh", "./evil", true},
		{sampleTask, "Taskfile.yml", "task lint", "# A comment.", "# Another.", false},
		{sampleTask, "Taskfile.yml", "task lint", "Says what", "Tells what", false},
		{sampleTask, "Taskfile.yml", "task lint", "./deploy.sh", "./evil", false},
		{sampleTask, "Taskfile.yml", "task lint", "./lint.sh", "./evil", true},
		{sampleTask, "Taskfile.yml", "task lint", "./setup.sh", "./evil", true},
		{sampleTask, "Taskfile.yml", "task lint", "./sha.sh", "./evil", true},
		{sampleTask, "Taskfile.yml", "task lint", "./docs, dir", "./evil, dir", true},
		{sampleTask, "Taskfile.yml", "task lint", "dir: sub", "dir: evil", true},
		{sampleTask, "docs/Taskfile.yml", "task lint", "./check.sh", "./evil", true},
		{sampleTask, "docs/Taskfile.yml", "task lint", "./build.sh", "./evil", false},
	} {
		t.Run(tc.call+" "+tc.to, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, tc.files)
			before := digest(t, readIn(t, dir, tc.call))
			old, _ := os.ReadFile(filepath.Join(dir, tc.name))
			text := strings.Replace(string(old), tc.from, tc.to, 1)
			if text == string(old) {
				t.Fatal("the edit changes nothing")
			}
			put(t, dir, "-- "+tc.name+" --\n"+text)
			after := readIn(t, dir, tc.call)
			if (digest(t, after) != before) != tc.changes {
				t.Errorf("changed: %v\n%s", !tc.changes, show(dir, after))
			}
		})
	}
}
