package coverage

import (
	"path/filepath"
	"testing"

	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// What a task runner runs is followed like a script.
func TestRunners(t *testing.T) {
	t.Parallel()
	needsShell(t)
	for _, tc := range []struct{ file, text, hook, want, unsure string }{
		{"Makefile", "T = ./x.sh\nlint: ; $(T)\nother: ; ./y.sh\n", "make lint", "Makefile x.sh", ""},
		{"Makefile", "T = ./x.sh\nlint: ; $(T)\nother: ; ./y.sh\n", "make -C . lint other", "Makefile x.sh y.sh", ""},
		{"sub/Makefile", "lint: ; ./only.sh\n", "cd sub && make lint", "sub/Makefile sub/only.sh", ""},
		{"Makefile", "lint: ; $(MAKE) -C sub -f ../Makefile other\nother: ; ./only.sh\n", "make lint", "Makefile sub/only.sh", ""},
		{"Makefile", "PATH := $(CURDIR)/bin:$(PATH)\nlint: ; lint\n", "make lint", "Makefile bin/lint", ""},
		{"Makefile", "lint: ; make lint\n", "make lint", "Makefile", ""},
		{"Makefile", "$(eval $(shell ./x.sh))\n", "make lint", "Makefile x.sh", "eval"},
		{"Makefile", "lint: ; ./x.sh\n", "make --version", "", ""},
		{"package.json", `{"scripts":{"lint":"tool && ./x.sh","other":"./y.sh"}}`, "npm run lint", "package.json[scripts+and+settings] x.sh", ""},
		{"package.json", `{"scripts":{"lint":"node lint.js"}}`, "bun run lint", "package.json[scripts+and+settings]", ""},
		{"package.json", `{"scripts":{"x":"./x.sh"}}`, "node --run x", "package.json[scripts+and+settings]", "node"},
		{"package.json", `{"scripts":{"x":"./x.sh"}}`, "node plain", "plain", ""},
		{"node_modules/.bin/eslint", "#!/usr/bin/env node\n", "npx eslint .", "node_modules/.bin/eslint", "eslint runs its configuration"},
		{"Makefile", "test: ; pytest\n", "make test", "Makefile", "pytest runs the tests of this repository"},
		{"Makefile", "test: ; python3 -m pytest\n", "make test", "Makefile", "pytest runs the tests of this repository"},
		{"package.json", `{"scripts":{"test":"jest"}}`, "npm test", "package.json[scripts+and+settings]", "jest runs"},
		{"t.sh", "set -e\ngo test ./...\n", "sh t.sh", "t.sh", "go test"},
		{"node_modules/.bin/tool", "#!/bin/sh\n./x.sh\n", "npx tool", "node_modules/.bin/tool x.sh", ""},
		{"package.json", "{}", "npx cowsay", "", "npx would fetch cowsay"},
		{"justfile", "lint: more\n  ./x.sh\nmore:\n  ./y.sh\nother:\n  ./tool\n", "just lint", "justfile", "just runs recipes of this repository"},
		{"Taskfile.yml", "version: '3'\ntasks:\n  lint: ./x.sh\n  other: ./y.sh\n", "task lint", "Taskfile.yml", "task runs tasks of this repository"},
		{"plain", "", "make -f - <<< 'a: ; ./x.sh'", "x.sh", ""},
		{"plain", "", "printf 'a: ; ./x.sh' > Makefile && make a", "x.sh", ""},
		{"conftest.py", "", "pytest", "conftest.py", "pytest runs the tests of this repository"},
		{"Gemfile", "", "bundle exec ./x.sh", "Gemfile x.sh", ""},
	} {
		t.Run(tc.hook, func(t *testing.T) {
			t.Parallel()
			root, home := fixture(t)
			writeFile(t, filepath.Join(root, tc.file), tc.text, 0o644)
			checkPlan(t, tc.hook, PlanFor(commandHook(tc.hook), placeOf(root, home), &DiskView{}), root, home, tc.want, tc.unsure)
		})
	}
}
