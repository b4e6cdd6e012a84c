package main

import "maps"

const (
	goodMake = "lint:\n\ttouch {good}\n"
	evilMake = "lint:\n\ttouch {evil}\n"
	goodNPM  = `{"name":"x","version":"1.0.0","scripts":{"lint":"touch {good}"}}`
	evilNPM  = `{"name":"x","version":"1.0.0","scripts":{"lint":"touch {evil}"}}`
)

// withFile returns files with one more file.
func withFile(files map[string]string, name, text string) map[string]string {
	out := maps.Clone(files)
	out[name] = text
	return out
}

var (
	makefile = map[string]string{"Makefile": goodMake}
	package1 = map[string]string{"package.json": goodNPM}
)

// standIns run what the file of a runner says, all of it.
var standIns = map[string]string{
	"just":       "#!/bin/sh\nfor f in justfile .justfile Justfile; do test -f $f && break; done\nsed -n 's/^[ \\t][ \\t]*//p' $f | sh\n",
	"task":       "#!/bin/sh\nfor f in Taskfile.yml Taskfile.yaml; do test -f $f && break; done\nsed -n 's/^ *- //p' $f | sh\n",
	"tox":        "#!/bin/sh\nsed -n 's/^commands *= *//p' tox.ini | sh\n",
	"pytest":     "#!/bin/sh\ntest -f conftest.py && python3 conftest.py\npython3 test_x.py\n",
	"pre-commit": "#!/bin/sh\nsed -n 's/^ *entry: //p' .pre-commit-config.yaml | sh\n",
	"yarn":       "#!/bin/sh\nsed -n 's/.*\"lint\":\"\\([^\"]*\\)\".*/\\1/p' package.json | sh\n",
	"cargo":      "#!/bin/sh\nsed -n 's,^// run: ,,p' build.rs | sh\n",
}

// runnerAttempts are about programs that run what a file of the repository says.
var runnerAttempts = []attempt{
	attemptWithFile(attempt{class: "make", name: "a recipe", cmd: "make -s lint", needs: "make", also: true}, "Makefile", goodMake, evilMake),
	attemptWithFile(attempt{class: "make", name: "a recipe, in a list", argv: []string{"make", "-s", "lint"}, needs: "make"}, "Makefile", goodMake, evilMake),
	attemptWithFile(attempt{class: "make", name: "a prerequisite's recipe", cmd: "make -s lint", needs: "make", also: true}, "Makefile", "lint: first\n\ttouch {good}\nfirst:\n\ttrue\n", "lint: first\n\ttouch {good}\nfirst:\n\ttouch {evil}\n"),
	attemptWithFile(attempt{class: "make", name: "a new prerequisite", cmd: "make -s lint", needs: "make"}, "Makefile", goodMake+"other:\n\ttouch {evil}\n", "lint: other\n\ttouch {good}\nother:\n\ttouch {evil}\n"),
	attemptWithFile(attempt{class: "make", name: "a prerequisite given elsewhere", cmd: "make -s lint", needs: "make"}, "Makefile", goodMake+"other:\n\ttouch {evil}\n", goodMake+"other:\n\ttouch {evil}\nlint: other\n"),
	attemptWithFile(attempt{class: "make", name: "a variable of the file", cmd: "make -s lint", needs: "make", also: true}, "Makefile", "CMD = touch {good}\nlint:\n\t$(CMD)\n", "CMD = touch {evil}\nlint:\n\t$(CMD)\n"),
	attemptWithFile(attempt{class: "make", name: "a variable in a variable", cmd: "make -s lint", needs: "make"}, "Makefile", "WHAT = {good}\nCMD = touch $(WHAT)\nlint:\n\t$(CMD)\n", "WHAT = {evil}\nCMD = touch $(WHAT)\nlint:\n\t$(CMD)\n"),
	attemptWithFile(attempt{class: "make", name: "a variable of the target", cmd: "make -s lint", needs: "make"}, "Makefile", "WHAT = {good}\nlint:\n\ttouch $(WHAT)\n", "WHAT = {good}\nlint: WHAT = {evil}\nlint:\n\ttouch $(WHAT)\n"),
	attemptWithFile(attempt{class: "make", name: "a variable of a computed name", cmd: "make -s lint", needs: "make"}, "Makefile", "X = CMD\nCMD = touch {good}\nlint:\n\t$($(X))\n", "X = CMD\nCMD = touch {evil}\nlint:\n\t$($(X))\n"),
	attemptWithFile(attempt{class: "make", name: "an included file", cmd: "make -s lint", needs: "make", files: map[string]string{"Makefile": "include rules.mk\n"}, also: true}, "rules.mk", goodMake, evilMake),
	attemptWithFile(attempt{class: "make", name: "an included file that another file names", cmd: "make -s lint", needs: "make", files: map[string]string{"Makefile": "include $(shell cat which)\n", "which": "rules.mk\n"}}, "rules.mk", goodMake, evilMake),
	attemptWithFile(attempt{class: "make", name: "a script that the environment names", cmd: "make -s lint", needs: "make", host: []string{"SCRIPT=./a.sh"}, files: map[string]string{"Makefile": "lint:\n\t@sh $(SCRIPT)\n"}}, "a.sh", goodScript, evilScript),
	{class: "make", name: "another target", cmd: "make -s lint", needs: "make", files: makefile, change: map[string]string{"Makefile": goodMake + "other:\n\ttouch {evil}\n"}},
	{class: "make", name: "a source of the file itself", cmd: "make -s lint", needs: "make", files: makefile, change: map[string]string{"Makefile.sh": evilMake}},
	{class: "make", name: "an included file that was missing", cmd: "make -s lint", needs: "make", files: map[string]string{"Makefile": "-include local.mk\n" + goodMake}, change: map[string]string{"local.mk": "X := $(shell touch {evil})\n"}},
	{class: "make", name: "a new file of an included pattern", cmd: "make -s lint", needs: "make", files: map[string]string{"Makefile": "include $(wildcard mk/*.mk)\n" + goodMake, "mk/a.mk": ""}, change: map[string]string{"mk/b.mk": "X := $(shell touch {evil})\n"}},
	attemptWithFile(attempt{class: "make", name: "-C", cmd: "make -s -C sub lint", needs: "make"}, "sub/Makefile", goodMake, evilMake),
	attemptWithFile(attempt{class: "make", name: "-f", cmd: "make -s -f rules.mk lint", needs: "make"}, "rules.mk", goodMake, evilMake),
	attemptWithFile(attempt{class: "make", name: "after cd", cmd: "cd sub && make -s lint", needs: "make"}, "sub/Makefile", goodMake, evilMake),
	attemptWithFile(attempt{class: "make", name: "the default target", cmd: "make -s", needs: "make"}, "Makefile", goodMake, evilMake),
	attemptWithFile(attempt{class: "make", name: "another default target", cmd: "make -s", needs: "make"}, "Makefile", goodMake, "first:\n\ttouch {evil}\n"+goodMake),
	{class: "make", name: "GNUmakefile comes first", cmd: "make -s lint", needs: "make", files: makefile, change: map[string]string{"GNUmakefile": evilMake}, also: true},
	{class: "make", name: "makefile comes first", cmd: "make -s lint", needs: "make", files: makefile, change: map[string]string{"makefile": evilMake}},
	attemptWithFile(attempt{class: "make", name: "a script of the recipe", cmd: "make -s lint", needs: "make", files: map[string]string{"Makefile": "lint:\n\t@./a.sh\n"}}, "a.sh*", goodScript, evilScript),
	attemptWithFile(attempt{class: "make", name: "a pattern rule", cmd: "make -s x.lint", needs: "make"}, "Makefile", "%.lint:\n\ttouch {good}\n", "%.lint:\n\ttouch {evil}\n"),
	attemptWithFile(attempt{class: "make", name: "while the file is read", cmd: "make -s lint", needs: "make"}, "Makefile", goodMake, "X := $(shell touch {evil})\n"+goodMake),
	attemptWithFile(attempt{class: "make", name: "another shell", cmd: "make -s lint", needs: "make", files: map[string]string{"mysh*": "#!/bin/sh\ntouch {evil}\n"}}, "Makefile", goodMake, "SHELL = ./mysh\n"+goodMake),
	attemptWithFile(attempt{class: "make", name: "the recipe's own make", cmd: "make -s lint", needs: "make", files: map[string]string{"Makefile": "lint:\n\t@$(MAKE) -s -C sub lint\n"}}, "sub/Makefile", goodMake, evilMake),
	attemptWithFile(attempt{class: "make", name: "define", cmd: "make -s lint", needs: "make"}, "Makefile", "define CMD\ntouch {good}\nendef\nlint:\n\t$(CMD)\n", "define CMD\ntouch {evil}\nendef\nlint:\n\t$(CMD)\n"),
	attemptWithFile(attempt{class: "make", name: "a rule with two colons", cmd: "make -s lint", needs: "make"}, "Makefile", "lint::\n\ttouch {good}\n", "lint::\n\ttouch {good}\nlint::\n\ttouch {evil}\n"),
	attemptWithFile(attempt{class: "make", name: "the file is made anew first", cmd: "make -s lint", needs: "make"}, "Makefile", goodMake, goodMake+"Makefile: force\n\ttouch {evil}\nforce:\n"),
	attemptWithFile(attempt{class: "make", name: "a rule made by eval", cmd: "make -s lint", needs: "make"}, "Makefile", goodMake, goodMake+"$(eval lint: ; touch {evil})\n"),
	attemptWithFile(attempt{class: "make", name: "PATH exported by the file", cmd: "make -s lint", needs: "make", files: map[string]string{"bin/tool*": evilScript}}, "Makefile", "lint:\n\ttouch {good}\n\ttool || true\n", "export PATH := ./bin:$(PATH)\nlint:\n\ttouch {good}\n\ttool || true\n"),
	attemptWithFile(attempt{class: "make", name: "a variable from the command line of the hook", cmd: "make -s lint CMD='sh ./a.sh'", needs: "make", files: map[string]string{"Makefile": "lint:\n\t@$(CMD)\n"}}, "a.sh", goodScript, evilScript),
	attemptWithFile(attempt{class: "make", name: "--file=", cmd: "make -s --file=rules.mk lint", needs: "make"}, "rules.mk", goodMake, evilMake),
	attemptWithFile(attempt{class: "make", name: "-f and standard input", cmd: "make -s -f - lint <rules.mk", needs: "make"}, "rules.mk", goodMake, evilMake),
	attemptWithFile(attempt{class: "make", name: "-I", cmd: "make -s -I mk lint", needs: "make", files: map[string]string{"Makefile": "include rules.mk\n"}}, "mk/rules.mk", goodMake, evilMake),
	attemptWithFile(attempt{class: "make", name: "--eval", cmd: "make -s --eval='include rules.mk' lint", needs: "make", files: map[string]string{"Makefile": "X=1\n"}}, "rules.mk", goodMake, evilMake),
	attemptWithFile(attempt{class: "make", name: "a conditional", cmd: "make -s lint", needs: "make"}, "Makefile", "X = 1\nlint:\nifeq ($(X),1)\n\ttouch {good}\nelse\n\ttouch {evil}\nendif\n", "X = 2\nlint:\nifeq ($(X),1)\n\ttouch {good}\nelse\n\ttouch {evil}\nendif\n"),
	attemptWithFile(attempt{class: "make", name: "prerequisites by a variable", cmd: "make -s lint", needs: "make"}, "Makefile", "ALL = one\nlint: $(ALL)\none:\n\ttouch {good}\ntwo:\n\ttouch {evil}\n", "ALL = two\nlint: $(ALL)\none:\n\ttouch {good}\ntwo:\n\ttouch {evil}\n"),
	attemptWithFile(attempt{class: "make", name: "a variable taken from a file at once", cmd: "make -s lint", needs: "make", files: map[string]string{"Makefile": "CMD := $(shell cat cmd)\nlint:\n\t@true && $(CMD) \"x\"\n"}}, "cmd", "touch {good}\n", "touch {evil}\n"),
	attemptWithFile(attempt{class: "make", name: "a program named in a file", cmd: "make -s lint", needs: "make", files: map[string]string{"Makefile": "CMD != cat cmd\nlint:\n\tsh -c '$(CMD)'\n", "a.sh": goodScript, "b.sh": evilScript}}, "cmd", "sh ./a.sh\n", "sh ./b.sh\n"),
	attemptWithFile(attempt{class: "make", name: "a variable taken from a file", cmd: "make -s lint", needs: "make", files: map[string]string{"Makefile": "CMD = $(shell cat cmd)\nlint:\n\t$(CMD)\n"}}, "cmd", "touch {good}\n", "touch {evil}\n"),
	attemptWithFile(attempt{class: "make", name: "appended to a variable", cmd: "make -s lint", needs: "make"}, "Makefile", "CMD = touch {good}\nlint:\n\t$(CMD)\n", "CMD = touch {good}\nCMD += {evil}\nlint:\n\t$(CMD)\n"),

	attemptWithFile(attempt{class: "npm", name: "a script", cmd: "npm run -s lint", needs: "npm", also: true}, "package.json", goodNPM, evilNPM),
	{class: "npm", name: "one that comes before", cmd: "npm run -s lint", needs: "npm", files: package1, change: map[string]string{"package.json": `{"scripts":{"lint":"touch {good}","prelint":"touch {evil}"}}`}},
	{class: "npm", name: "one that comes after", cmd: "npm run -s lint", needs: "npm", files: package1, change: map[string]string{"package.json": `{"scripts":{"lint":"touch {good}","postlint":"touch {evil}"}}`}},
	{class: "npm", name: "another shell", cmd: "npm run -s lint", needs: "npm", files: withFile(package1, "mysh*", evilScript), change: map[string]string{".npmrc": "script-shell=./mysh\n"}},
	attemptWithFile(attempt{class: "npm", name: "npm test", cmd: "npm test -s", needs: "npm"}, "package.json", `{"scripts":{"test":"touch {good}"}}`, `{"scripts":{"test":"touch {evil}"}}`),
	attemptWithFile(attempt{class: "npm", name: "a program of a package", cmd: "npm run -s lint", needs: "npm", files: map[string]string{"package.json": `{"scripts":{"lint":"linter"}}`}}, "node_modules/.bin/linter*", goodScript, evilScript),
	{class: "npm", name: "a package's program before the system's", cmd: "npm run -s lint", needs: "npm", files: package1, change: map[string]string{"node_modules/.bin/touch*": evilScript}},
	attemptWithFile(attempt{class: "npm", name: "a script's script", cmd: "npm run -s lint", needs: "npm", files: map[string]string{"package.json": `{"scripts":{"lint":"sh ./a.sh"}}`}}, "a.sh", goodScript, evilScript),
	attemptWithFile(attempt{class: "npm", name: "a script runs another", cmd: "npm run -s lint", needs: "npm"}, "package.json", `{"scripts":{"lint":"npm run -s inner","inner":"touch {good}"}}`, `{"scripts":{"lint":"npm run -s inner","inner":"touch {evil}"}}`),
	attemptWithFile(attempt{class: "npm", name: "--prefix", cmd: "npm --prefix sub run -s lint", needs: "npm"}, "sub/package.json", goodNPM, evilNPM),
	attemptWithFile(attempt{class: "npm", name: "npx", cmd: "npx --no-install linter", needs: "npx", files: map[string]string{"package.json": "{}"}, also: true}, "node_modules/.bin/linter*", goodScript, evilScript),
	attemptWithFile(attempt{class: "npm", name: "yarn's words, npm's file", cmd: "yarn lint", needs: "yarn"}, "package.json", goodNPM, evilNPM),

	attemptWithFile(attempt{class: "other runners", name: "just", cmd: "just lint", needs: "just", also: true}, "justfile", "lint:\n  touch {good}\n", "lint:\n  touch {evil}\n"),
	attemptWithFile(attempt{class: "other runners", name: "just, a dependency", cmd: "just lint", needs: "just"}, "justfile", "lint: first\n  touch {good}\nfirst:\n  true\n", "lint: first\n  touch {good}\nfirst:\n  touch {evil}\n"),
	attemptWithFile(attempt{class: "other runners", name: "task", cmd: "task lint", needs: "task"}, "Taskfile.yml", "version: '3'\ntasks:\n  lint:\n    cmds:\n      - touch {good}\n", "version: '3'\ntasks:\n  lint:\n    cmds:\n      - touch {evil}\n"),
	attemptWithFile(attempt{class: "other runners", name: "go run", cmd: "go run ./x", needs: "go", files: map[string]string{"go.mod": "module m\ngo 1.20\n"}}, "x/main.go", goMain("good"), goMain("evil")),
	attemptWithFile(attempt{class: "other runners", name: "go test", cmd: "go test ./x", needs: "go", files: map[string]string{"go.mod": "module m\ngo 1.20\n", "x/x.go": "package x\n"}}, "x/x_test.go", goTest("good"), goTest("evil")),
	attemptWithFile(attempt{class: "other runners", name: "go generate", cmd: "go generate ./x", needs: "go", files: map[string]string{"go.mod": "module m\ngo 1.20\n"}}, "x/x.go", "package x\n//go:generate touch {good}\n", "package x\n//go:generate touch {evil}\n"),
	attemptWithFile(attempt{class: "other runners", name: "cargo", cmd: "cargo build", needs: "cargo", also: true}, "build.rs", "// run: touch {good}\n", "// run: touch {evil}\n"),
	attemptWithFile(attempt{class: "other runners", name: "tox", cmd: "tox", needs: "tox"}, "tox.ini", "[testenv]\ncommands = touch {good}\n", "[testenv]\ncommands = touch {evil}\n"),
	attemptWithFile(attempt{class: "other runners", name: "pytest", cmd: "pytest -q", needs: "pytest", files: map[string]string{"test_x.py": goodPython}}, "conftest.py", "", evilPython),
	attemptWithFile(attempt{class: "other runners", name: "pre-commit", cmd: "pre-commit run -a", needs: "pre-commit"}, ".pre-commit-config.yaml", "repos:\n- repo: local\n  hooks:\n  - id: x\n    language: system\n    entry: touch {good}\n", "repos:\n- repo: local\n  hooks:\n  - id: x\n    language: system\n    entry: touch {evil}\n"),
	attemptWithFile(attempt{class: "other runners", name: "just, a variable", cmd: "just lint", needs: "just"}, "justfile", "lint:\n  touch {good}\n", "x := `touch {evil}`\nlint:\n  touch {good}\n  touch {evil}\n"),

	attemptWithFile(attempt{class: "builtins", name: "quality_gate with one text", gate: []string{"sh run-tests.sh"}, also: true}, "run-tests.sh", goodScript, evilScript),
	attemptWithFile(attempt{class: "builtins", name: "quality_gate with words", gate: []string{"sh", "./run-tests.sh"}}, "run-tests.sh", goodScript, evilScript),
	attemptWithFile(attempt{class: "builtins", name: "quality_gate with a path", gate: []string{"./run-tests.sh"}}, "run-tests.sh*", goodScript, evilScript),
	attemptWithFile(attempt{class: "builtins", name: "quality_gate make test", gate: []string{"make -s lint"}, needs: "make", also: true}, "Makefile", goodMake, evilMake),
	attemptWithFile(attempt{class: "builtins", name: "quality_gate npm test", gate: []string{"npm run -s lint"}, needs: "npm"}, "package.json", goodNPM, evilNPM),
	attemptWithFile(attempt{class: "builtins", name: "quality_gate in a directory", gate: []string{"sh x.sh"}, dir: "sub"}, "sub/x.sh", goodScript, evilScript),
	attemptWithFile(attempt{class: "builtins", name: "quality_gate with env", gate: []string{"lint"}, env: map[string]string{"PATH": "{project}/bin:/usr/bin:/bin"}}, "bin/lint*", goodScript, evilScript),
	attemptWithFile(attempt{class: "builtins", name: "quality_gate with a pipe", gate: []string{"cat run-tests.sh | sh"}}, "run-tests.sh", goodScript, evilScript),

	attemptWithFile(attempt{class: "git", name: "an alias", cmd: "git -c alias.x='!sh ./a.sh' x", needs: "git", setup: initRepo}, "a.sh", goodScript, evilScript),
	attemptWithFile(attempt{class: "git", name: "an alias of the repository's settings", cmd: "git x", needs: "git", setup: initRepoWith("alias.x", "!sh ./a.sh")}, "a.sh", goodScript, evilScript),
	attemptWithFile(attempt{class: "git", name: "a folder of hooks", cmd: "git -c core.hooksPath=.githooks hook run pre-commit", needs: "git", setup: initRepo}, ".githooks/pre-commit*", goodScript, evilScript),
	attemptWithFile(attempt{class: "git", name: "a hook of the repository's settings", cmd: "git hook run pre-commit", needs: "git", setup: initRepoWith("core.hooksPath", ".githooks"), also: true}, ".githooks/pre-commit*", goodScript, evilScript),
	{class: "git", name: "an alias of the repository's settings changes", cmd: "git x", needs: "git", setup: resetWith("alias.x", "!touch {good}", "!touch {evil}"), files: map[string]string{"x": ""}, also: true},
	{class: "git", name: "an alias that is new", cmd: "git x || touch {good}", needs: "git", setup: resetWith("alias.x", "", "!touch {evil}"), files: map[string]string{"x": ""}},
	{class: "git", name: "the watcher of the repository's settings is new", cmd: "git status >/dev/null && touch {good}", needs: "git", setup: resetWith("core.fsmonitor", "", "touch {evil}; :"), files: map[string]string{"x": ""}, also: true, either: true},
	{class: "git", name: "a filter of the repository's settings is new", cmd: "git status >/dev/null && touch {good}", needs: "git", setup: resetWith("filter.f.clean", "", "touch {evil}; cat"), files: map[string]string{".gitattributes": "* filter=f\n", "a": "1"}, change: map[string]string{"a": "22"}},
	attemptWithFile(attempt{class: "git", name: "a hook that every change of the index runs", cmd: "git status >/dev/null; git add x; touch {good}", needs: "git", setup: initRepo, files: map[string]string{"x": ""}}, ".git/hooks/post-index-change*", "#!/bin/sh\n", evilScript),
	{class: "git", name: "a directory that becomes a repository", cmd: "cd sub && git status >/dev/null 2>&1; touch {good}", needs: "git", setup: initRepo, files: map[string]string{"sub/x": ""}, change: map[string]string{"sub/HEAD": "ref: refs/heads/main\n", "sub/objects/": "", "sub/refs/": "", "sub/config": "[core]\nbare = false\nworktree = .\nfsmonitor = touch {evil}; :\n"}},
	{class: "git", name: "settings of the repository that run nothing", cmd: "git status >/dev/null && git diff --name-only && touch {good}", needs: "git", setup: resetWith("user.name", "a", "b"), files: map[string]string{"x": ""}, reads: true, free: true, own: true},
	attemptWithFile(attempt{class: "git", name: "the watcher of files", cmd: "git -c core.fsmonitor=./a.sh status", needs: "git", setup: initRepo}, "a.sh*", goodScript, evilScript),
	attemptWithFile(attempt{class: "git", name: "what is in the index", cmd: "git show :a.sh | sh", needs: "git", setup: addToIndex, files: map[string]string{"x": ""}}, "a.sh", goodScript, evilScript),
}

// addToIndex adds a script to the git index, so that only the indexed version runs.
func addToIndex(p *attemptPlace) {
	initRepo(p)
	p.commit = func() {
		if out, err := p.command("git", "add", "a.sh").CombinedOutput(); err != nil {
			p.t.Fatalf("%v\n%s", err, out)
		}
	}
	p.commit()
}

func initRepoWith(key, value string) func(*attemptPlace) {
	return func(p *attemptPlace) {
		initRepo(p)
		if out, err := p.command("git", "config", key, value).CombinedOutput(); err != nil {
			p.t.Fatalf("%v\n%s", err, out)
		}
	}
}

// resetWith has another value later; "" = none at first.
func resetWith(key, before, after string) func(*attemptPlace) {
	return func(p *attemptPlace) {
		initRepo(p)
		set := func(value string) {
			if value == "" {
				return
			}
			if out, err := p.command("git", "config", key, p.fill.Replace(value)).CombinedOutput(); err != nil {
				p.t.Fatalf("%v\n%s", err, out)
			}
		}
		if out, err := p.command("git", "add", "-A").CombinedOutput(); err != nil {
			p.t.Fatalf("%v\n%s", err, out)
		}
		set(before)
		p.commit = func() { set(after) }
	}
}

func goMain(mark string) string {
	return "package main\nimport \"os\"\nfunc main() { os.Create(\"{" + mark + "}\") }\n"
}

func goTest(mark string) string {
	return "package x\nimport (\"os\"; \"testing\")\nfunc Test(t *testing.T) { os.Create(\"{" + mark + "}\") }\n"
}
