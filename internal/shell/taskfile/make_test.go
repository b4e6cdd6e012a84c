package taskfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sampleMakefile = `-- Makefile --
# A comment.
SHELL := /bin/bash
VERSION := 1.0
LINT = ./tools/lint.sh $(FLAGS)
FLAGS ?= -q
UNUSED = $(shell date)
.PHONY: all lint test deploy

all: test

lint: tools ## says what is wrong
	@$(LINT) $@
	# a note of the recipe
	@echo "$$HOME"

tools:
	@command -v git

test: lint
	go test ./...

deploy:
	./deploy.sh $(VERSION)
`

func TestMakePart(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, files, call, want string }{
		{"a target with what it needs", sampleMakefile, "make lint", `part Makefile (target lint)
  |SHELL := /bin/bash
  |LINT = ./tools/lint.sh $(FLAGS)
  |FLAGS ?= -q
  |.PHONY: lint
  |lint: tools 
  |	@$(LINT) $@
  |	# a note of the recipe
  |	@echo "$$HOME"
  |tools:
  |	@command -v git
text [.] ./tools/lint.sh -q lint
text [.] # a note of the recipe
text [.] echo "$HOME"
text [.] command -v git
`},
		{"no file", "", "make lint", ""},
		{"the first target", "-- Makefile --\n.PHONY: a\na:\n\techo a\nb:\n\techo b\n", "make", "part Makefile (default target)\n  |.PHONY: a\n  |a:\n  |\techo a\ntext [.] echo a\n"},
		{"the goal that the file names", "-- Makefile --\n.DEFAULT_GOAL := b\na:\n\techo a\nb:\n\techo b\n", "make", "part Makefile (default target)\n  |.DEFAULT_GOAL := b\n  |b:\n  |\techo b\ntext [.] echo b\n"},
		{"the first name of the file", "-- Makefile --\na: ; echo a\n-- makefile --\na: ; echo b\n-- GNUmakefile --\na: ; echo c\n", "make a", "part GNUmakefile (target a)\n  |a: ; echo c\ntext [.] echo c\n"},
		{"a directory and a file", "-- sub/x.mk --\na: ; ./run $(CURDIR)\n", "make -C sub -fx.mk a", "part sub/x.mk (target a)\n  |a: ; ./run $(CURDIR)\ntext [sub] ./run TOP/sub\n"},
		{"include", "-- Makefile --\nD = inc\ninclude $(D)/*.mk\n-include none.mk\nlint: x\n-- inc/a.mk --\nx: ; ./x.sh\ny: ; ./y.sh\n", "make lint", "part Makefile (target lint)\n  |D = inc\n  |include $(D)/*.mk\n  |-include none.mk\n  |lint: x\npart inc/a.mk (target lint)\n  |x: ; ./x.sh\ntext [.] ./x.sh\n"},
		{"an include that cannot be told", "-- Makefile --\ninclude $(shell ls)\nlint: ; true\nb: ; ./b\n", "make lint", "part Makefile\ntext [.] ls\ntext [.] true\ntext [.] ./b\nunsure make includes files whose names are unknown\n"},
		{"what is run while it is read", "-- Makefile --\nA := $(shell ./a.sh)\nB = $(shell ./b.sh)\nC != ./c.sh\nlint: ; true\n", "make lint", "part Makefile (target lint)\n  |A := $(shell ./a.sh)\n  |C != ./c.sh\n  |lint: ; true\ntext [.] ./a.sh\ntext [.] ./c.sh\ntext [.] true\n"},
		{"text becomes rules", "-- Makefile --\ndefine T\n$(1): ; ./$(1).sh\nendef\n$(eval $(call T,x))\nlint: x\n", "make lint", "part Makefile\nunsure make: which rules the text of eval makes\n"},
		{"patterns", "-- Makefile --\nall: lint-a src/b.o\nlint-%: check-%\n\t./lint $*\ncheck-a: ; ./check $@\ncheck-b: ; ./other\n%.o: %.c\n\tcc -o $@ $<\n%.pb: %.proto\n\tprotoc\n", "make all", `part Makefile (target all)
  |all: lint-a src/b.o
  |lint-%: check-%
  |	./lint $*
  |check-a: ; ./check $@
  |%.o: %.c
  |	cc -o $@ $<
text [.] cc -o □ □.c
text [.] ./lint a
text [.] cc -o src/b.o src/b.c
text [.] ./check check-a
text [.] ./lint a.c
`},
		{"both ways of a conditional", "-- Makefile --\nifeq ($(OS),Windows_NT)\nPY = python\nelse\nPY = ./py\nendif\nifdef NOT\nOTHER = 1\nendif\nlint: ; $(PY) x.py\n", "make lint", "part Makefile (target lint)\n  |ifeq ($(OS),Windows_NT)\n  |PY = python\n  |else\n  |PY = ./py\n  |endif\n  |lint: ; $(PY) x.py\ntext [.] ./py x.py\ntext [.] python x.py\ntext [.] x.py\n"},
		{"a recipe line behind a conditional", "-- Makefile --\na:\nifdef X\nb:\nendif\n\t./cmd\n", "make a", "part Makefile (target a)\n  |a:\n  |ifdef X\n  |b:\n  |endif\n  |\t./cmd\ntext [.] ./cmd\n"},
		{"another shell", "-- Makefile --\nSHELL = ./sh\nlint:\n\techo 'x'\n", "make lint", "part Makefile (target lint)\n  |SHELL = ./sh\n  |lint:\n  |\techo 'x'\ntext [.] ./sh -c :\ntext [.] echo 'x'\n"},
		{"python as shell", "-- Makefile --\nSHELL = python3\n.ONESHELL:\nlint:\n\timport x\n\tx.y()\n", "make lint", "part Makefile (target lint)\n  |SHELL = python3\n  |.ONESHELL:\n  |lint:\n  |\timport x\n  |\tx.y()\ntext [.] python3 -c 'import x\nx.y()'\n"},
		{"what is handed on", "-- Makefile --\nPATH := ./bin:$(PATH)\nexport BASH_ENV = ./env.sh\nlint: ; tool\n", "make lint", "part Makefile (target lint)\n  |PATH := ./bin:$(PATH)\n  |export BASH_ENV = ./env.sh\n  |lint: ; tool\ntext [.] BASH_ENV=./env.sh PATH=./bin:□ tool\n"},
		{"a rule for the makefile itself", "-- Makefile --\nlint: ; true\nMakefile: gen.sh ; ./gen.sh\n", "make lint", "part Makefile (target lint)\n  |lint: ; true\n  |Makefile: gen.sh ; ./gen.sh\ntext [.] true\ntext [.] ./gen.sh\n"},
		{"a list of targets", "-- Makefile --\nDIRS = a b\nlint: $(addprefix lint-,$(DIRS))\nlint-a: ; ./a\nlint-b: ; ./b\nlint-c: ; ./c\n", "make lint", "part Makefile (target lint)\n  |DIRS = a b\n  |lint: $(addprefix lint-,$(DIRS))\n  |lint-a: ; ./a\n  |lint-b: ; ./b\ntext [.] ./a\ntext [.] ./b\n"},
		{"recursion", "-- Makefile --\nlint:\n\t$(MAKE) -C sub lint\n", "make lint", "part Makefile (target lint)\n  |lint:\n  |\t$(MAKE) -C sub lint\ntext [.] make -C sub lint\n"},
		{"a text of the call", "", "make --eval=a:;./x a", "text [.] ./x\n"},
		{"a variable of the call", "-- Makefile --\nT = ./a\na: ; $(T)\n", "make a T=./b", "part Makefile (target a)\n  |T = ./a\n  |a: ; $(T)\ntext [.] T=./b ./b\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, tc.files)
			if got := show(dir, readIn(t, dir, tc.call)); got != tc.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tc.want)
			}
		})
	}
}

// An edit of what runs changes the part; another edit does not.
func TestMakeEdits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, from, to string
		changes        bool
	}{
		{"a comment", "# A comment.", "# Another.", false},
		{"a comment behind a rule", "## says what is wrong", "## says it", false},
		{"another recipe", "./deploy.sh $(VERSION)", "./deploy2.sh", false},
		{"a variable that is not used", "VERSION := 1.0", "VERSION := 2.0", false},
		{"a command that is not run", "$(shell date)", "$(shell ./evil)", false},
		{"another phony target", ".PHONY: all", ".PHONY: more all", false},
		{"a new target", "deploy:", "more: ; ./more\ndeploy:", false},
		{"a pattern of files that no rule takes", "deploy:", "%.out: ; ./evil\ndeploy:", false},
		{"a pattern of files that a rule of suffixes takes", "deploy:", "%.out: ; ./evil\n.out: ; cp $< $@\ndeploy:", true},
		{"a pattern of files that make's own rules take", "deploy:", "%.o: ; ./evil\ndeploy:", true},
		{"a phony target of what is needed", ".PHONY: all lint", ".PHONY: all", true},
		{"a blank line", "tools:\n", "\ntools:\n", false},
		{"the recipe", "@$(LINT)", "$(LINT)", true},
		{"a variable", "lint.sh", "lint2.sh", true},
		{"a variable of a variable", "FLAGS ?= -q", "FLAGS ?= -q; ./evil", true},
		{"one that is set again", "VERSION := 1.0", "FLAGS = ; ./evil", true},
		{"one that is added to", "VERSION := 1.0", "LINT += ; ./evil", true},
		{"a need", "lint: tools", "lint: tools deploy", true},
		{"a recipe of a need", "command -v git", "./evil", true},
		{"a second rule", "deploy:\n", "lint: deploy\ndeploy:\n", true},
		{"a second rule by a variable", "deploy:\n", "X = lint\n$(X): deploy\ndeploy:\n", true},
		{"a pattern that fits", "deploy:\n", "li%: deploy\ndeploy:\n", true},
		{"a command that runs while it is read", "UNUSED =", "UNUSED :=", true},
		{"the shell", "/bin/bash", "./bash", true},
		{"its options", "VERSION :=", ".SHELLFLAGS :=", true},
		{"the path", "VERSION :=", "PATH :=", true},
		{"the environment of all", "VERSION :=", "export LD_PRELOAD :=", true},
		{"a comment that goes on", "# A comment.", "# A comment. \\", true},
		{"a variable of the target", "deploy:\n", "lint: FLAGS = x\ndeploy:\n", true},
		{"an include", "VERSION := 1.0", "include x.mk", true},
		{"a rule for the file", "deploy:\n", "Makefile: ; ./evil\ndeploy:\n", true},
		{"options of make", "VERSION := 1.0", "MAKEFLAGS += -e", true},
		{"a shell call in another rule", "deploy:\n", "deploy: $(shell ./evil)\n", true},
		{"it hides in a variable", "deploy:\n", "deploy: $(UNUSED)\n", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, sampleMakefile)
			before := digest(t, readIn(t, dir, "make lint"))
			path := filepath.Join(dir, "Makefile")
			old, _ := os.ReadFile(path)
			text := strings.Replace(string(old), tc.from, tc.to, 1)
			if text == string(old) {
				t.Fatal("the edit changes nothing")
			}
			put(t, dir, "-- Makefile --\n"+text)
			after := readIn(t, dir, "make lint")
			if (digest(t, after) != before) != tc.changes {
				t.Errorf("changed: %v\n%s", !tc.changes, show(dir, after))
			}
		})
	}
}
