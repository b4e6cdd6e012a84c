package main

import (
	"os"
	"os/exec"
	"path/filepath"
)

const (
	goodPython = "open('{good}','w')\n"
	evilPython = "# longer than what Python may have kept of the other\nopen('{evil}','w')\n"
	goodNode   = "require('fs').writeFileSync('{good}','')\n"
	evilNode   = "require('fs').writeFileSync('{evil}','')\n"
	goodPerl   = "open(F,'>','{good}');\n"
	evilPerl   = "open(F,'>','{evil}');\n"
)

// editedFile returns one file, and its changed text.
func editedFile(name, before, after string) (files, change map[string]string) {
	return map[string]string{name: before}, map[string]string{name: after}
}

// attemptWithFile returns a with one file and its change.
func attemptWithFile(a attempt, name, before, after string) attempt {
	files, change := editedFile(name, before, after)
	for k, v := range a.files {
		files[k] = v
	}
	a.files, a.change = files, change
	return a
}

// pathAttempts are about interpreters, and about the ways by which a program is found.
var pathAttempts = []attempt{
	attemptWithFile(attempt{class: "interpreters", name: "python", cmd: "python3 x.py", needs: "python3", also: true}, "x.py", goodPython, evilPython),
	attemptWithFile(attempt{class: "interpreters", name: "python -m", cmd: "python3 -m pkg", needs: "python3", files: map[string]string{"pkg/__init__.py": ""}, also: true}, "pkg/__main__.py", goodPython, evilPython),
	attemptWithFile(attempt{class: "interpreters", name: "python -m, what the package runs first", cmd: "python3 -m pkg", needs: "python3", files: map[string]string{"pkg/__main__.py": goodPython}}, "pkg/__init__.py", "", evilPython),
	{class: "interpreters", name: "python -m, a package before a module", cmd: "python3 -m mod", needs: "python3", files: map[string]string{"mod.py": goodPython}, change: map[string]string{"mod/__init__.py": "", "mod/__main__.py": evilPython}},
	{class: "interpreters", name: "python -m of the system, shadowed", cmd: "python3 -m json.tool x.json && touch {good}", needs: "python3", files: map[string]string{"x.json": "{}"}, change: map[string]string{"json/__init__.py": "", "json/tool.py": evilPython}, also: true, either: true},
	attemptWithFile(attempt{class: "interpreters", name: "python, a directory", cmd: "python3 app", needs: "python3"}, "app/__main__.py", goodPython, evilPython),
	{class: "interpreters", name: "python, a module that shadows the system's", cmd: "python3 x.py", needs: "python3", files: map[string]string{"x.py": "import string\n" + goodPython}, change: map[string]string{"string.py": evilPython}},
	attemptWithFile(attempt{class: "declared files", name: "what python imports", cmd: "python3 x.py", declares: []string{"helper.py"}, needs: "python3", files: map[string]string{"x.py": "import helper\n"}}, "helper.py", goodPython, evilPython),
	attemptWithFile(attempt{class: "declared files", name: "a directory", cmd: "node y.mjs", declares: []string{"lib"}, needs: "node", files: map[string]string{"y.mjs": "import './lib/x.js'\n"}}, "lib/x.js", goodNode, evilNode),
	{class: "declared files", name: "a new file of a pattern", cmd: "sh ./a.sh", declares: []string{"d/*.sh"}, files: map[string]string{"a.sh": "for f in d/*.sh; do sh $f; done\n", "d/a.sh": goodScript}, change: map[string]string{"d/b.sh": evilScript}},
	attemptWithFile(attempt{class: "interpreters", name: "python -c imports", cmd: "python3 -c 'import helper'", needs: "python3", also: true}, "helper.py", goodPython, evilPython),
	attemptWithFile(attempt{class: "interpreters", name: "python -c runs a file", cmd: `python3 -c "exec(open('x.py').read())"`, needs: "python3"}, "x.py", goodPython, evilPython),
	attemptWithFile(attempt{class: "interpreters", name: "python -c starts a script", cmd: `python3 -c "import os; os.system('sh a.sh')"`, needs: "python3"}, "a.sh", goodScript, evilScript),
	attemptWithFile(attempt{class: "interpreters", name: "python reads it", cmd: "python3 - <x.py", needs: "python3"}, "x.py", goodPython, evilPython),
	attemptWithFile(attempt{class: "interpreters", name: "node", cmd: "node x.js", needs: "node"}, "x.js", goodNode, evilNode),
	attemptWithFile(attempt{class: "interpreters", name: "node without the ending", cmd: "node ./x", needs: "node"}, "x.js", goodNode, evilNode),
	attemptWithFile(attempt{class: "interpreters", name: "node -r", cmd: "node -r ./x.js y.js", needs: "node", files: map[string]string{"y.js": ""}}, "x.js", goodNode, evilNode),
	attemptWithFile(attempt{class: "interpreters", name: "node --import", cmd: "node --import ./x.mjs y.js", needs: "node", files: map[string]string{"y.js": ""}}, "x.mjs", "import fs from 'fs'; fs.writeFileSync('{good}','')", "import fs from 'fs'; fs.writeFileSync('{evil}','')"),
	attemptWithFile(attempt{class: "interpreters", name: "node -e requires", cmd: `node -e "require('./x.js')"`, needs: "node"}, "x.js", goodNode, evilNode),
	{class: "interpreters", name: "node and a package's main", cmd: "node .", needs: "node", files: map[string]string{"package.json": `{"main":"a.js"}`, "a.js": goodNode, "b.js": evilNode}, change: map[string]string{"package.json": `{"main":"b.js"}`}},
	attemptWithFile(attempt{class: "interpreters", name: "perl", cmd: "perl x.pl", needs: "perl"}, "x.pl", goodPerl, evilPerl),
	attemptWithFile(attempt{class: "interpreters", name: "perl -M", cmd: "perl -I. -MFoo -e 1", needs: "perl"}, "Foo.pm", goodPerl+"1;\n", evilPerl+"1;\n"),
	attemptWithFile(attempt{class: "interpreters", name: "perl -e does", cmd: `perl -e 'do "./x.pl"'`, needs: "perl"}, "x.pl", goodPerl, evilPerl),
	attemptWithFile(attempt{class: "interpreters", name: "ruby -r", cmd: "ruby -r ./x.rb -e 1", needs: "ruby"}, "x.rb", "File.write('{good}','')\n", "File.write('{evil}','')\n"),
	attemptWithFile(attempt{class: "interpreters", name: "awk -f", cmd: "awk -f x.awk", needs: "awk"}, "x.awk", `BEGIN { system("touch {good}") }`, `BEGIN { system("touch {evil}") }`),
	attemptWithFile(attempt{class: "interpreters", name: "sed -f", cmd: "echo x | sed -n -f x.sed", needs: "sed"}, "x.sed", "1e touch {good}\n", "1e touch {evil}\n"),

	attemptWithFile(attempt{class: "shebangs", name: "into the repository", cmd: "./a", files: map[string]string{"a*": "#!./interp\n"}, also: true}, "interp*", goodScript, evilScript),
	attemptWithFile(attempt{class: "shebangs", name: "by a whole path, in a list", argv: []string{"./a"}, files: map[string]string{"a*": "#!{project}/interp\n"}}, "interp*", goodScript, evilScript),
	attemptWithFile(attempt{class: "shebangs", name: "two steps", cmd: "./a", files: map[string]string{"a*": "#!./one\n", "one*": "#!./two\n"}}, "two*", goodScript, evilScript),
	attemptWithFile(attempt{class: "shebangs", name: "env -S", cmd: "./a", files: map[string]string{"a*": "#!/usr/bin/env -S sh ./inner.sh\n"}}, "inner.sh", goodScript, evilScript),
	attemptWithFile(attempt{class: "shebangs", name: "env and the hook's PATH", cmd: "./a", env: map[string]string{"PATH": "{project}/bin:/usr/bin:/bin"}, files: map[string]string{"a*": "#!/usr/bin/env lint\n"}}, "bin/lint*", goodScript, evilScript),
	attemptWithFile(attempt{class: "shebangs", name: "sh with a file of options", cmd: "./a", files: map[string]string{"a*": "#!/bin/sh ./inner.sh\n"}}, "inner.sh", goodScript, evilScript),
	attemptWithFile(attempt{class: "shebangs", name: "make", cmd: "./a", needs: "make"}, "a*", "#!/usr/bin/make -sf\nall:\n\ttouch {good}\n", "#!/usr/bin/make -sf\nall:\n\ttouch {evil}\n"),
	attemptWithFile(attempt{class: "shebangs", name: "the first line changed", cmd: "./a", files: map[string]string{"interp*": evilScript}}, "a*", "#!/bin/sh\ntouch {good}\n", "#!./interp\ntouch {good}\n"),

	attemptWithFile(attempt{class: "PATH", name: "of the hook's env", cmd: "lint", env: map[string]string{"PATH": "./bin:/usr/bin:/bin"}, also: true}, "bin/lint*", goodScript, evilScript),
	attemptWithFile(attempt{class: "PATH", name: "of the hook's env, in a list", argv: []string{"env", "lint"}, env: map[string]string{"PATH": "{project}/bin:/usr/bin:/bin"}}, "bin/lint*", goodScript, evilScript),
	attemptWithFile(attempt{class: "PATH", name: "of the hook's env, the program of a list", argv: []string{"lint"}, env: map[string]string{"PATH": "./bin:/usr/bin:/bin"}, also: true}, "bin/lint*", goodScript, evilScript),
	attemptWithFile(attempt{class: "PATH", name: "of the hook's env, with a variable", cmd: "lint", env: map[string]string{"PATH": "{project}/bin:${env.PATH}"}}, "bin/lint*", goodScript, evilScript),
	attemptWithFile(attempt{class: "PATH", name: "before the command", cmd: "PATH=./bin:$PATH lint", also: true}, "bin/lint*", goodScript, evilScript),
	attemptWithFile(attempt{class: "PATH", name: "exported", cmd: "export PATH=./bin:$PATH; lint"}, "bin/lint*", goodScript, evilScript),
	attemptWithFile(attempt{class: "PATH", name: "by env", cmd: "env PATH=./bin:/usr/bin:/bin lint"}, "bin/lint*", goodScript, evilScript),
	{class: "PATH", name: "a program that is found earlier", cmd: "PATH=./first:./bin:$PATH lint", files: map[string]string{"bin/lint*": goodScript, "first/": ""}, change: map[string]string{"first/lint*": evilScript}},
	{class: "PATH", name: "the system's, found earlier", cmd: "PATH=./tools:$PATH; ls >/dev/null && touch {good}", files: map[string]string{"tools/x": ""}, change: map[string]string{"tools/ls*": evilScript}, also: true, either: true},
	{class: "PATH", name: "a directory that was missing", cmd: "PATH=./tools:$PATH; ls >/dev/null && touch {good}", files: map[string]string{"x": ""}, change: map[string]string{"tools/ls*": evilScript}},
	{class: "PATH", name: "an empty entry", cmd: "PATH=:$PATH; ls >/dev/null && touch {good}", files: map[string]string{"x": ""}, change: map[string]string{"ls*": evilScript}},
	attemptWithFile(attempt{class: "PATH", name: "of the host", cmd: "lint", host: []string{"PATH={project}/bin:{path}"}, also: true}, "bin/lint*", goodScript, evilScript),
	{class: "PATH", name: "of the host, found earlier", cmd: "ls >/dev/null && touch {good}", host: []string{"PATH={project}/bin:{path}"}, files: map[string]string{"bin/x": ""}, change: map[string]string{"bin/ls*": evilScript}},
	{class: "PATH", name: "of the host, another one later", cmd: "ls >/dev/null && touch {good}", later: []string{"PATH={project}/bin:{path}"}, files: map[string]string{"bin/ls*": evilScript}, also: true, either: true},
	attemptWithFile(attempt{class: "PATH", name: "a program of git", cmd: "PATH=./bin:$PATH git lint", needs: "git", setup: initRepo}, "bin/git-lint*", goodScript, evilScript),
	attemptWithFile(attempt{class: "PATH", name: "a program of kubectl", cmd: "PATH=./bin:$PATH kubectl lint all", files: map[string]string{"bin/kubectl*": "#!/bin/sh\nexec kubectl-lint\n"}}, "bin/kubectl-lint*", goodScript, evilScript),

	attemptWithFile(attempt{class: "environment", name: "BASH_ENV", cmd: "bash -c 'touch {good}'", env: map[string]string{"BASH_ENV": "./rc.sh"}, also: true}, "rc.sh", ":\n", "touch {evil}\n"),
	attemptWithFile(attempt{class: "environment", name: "BASH_ENV before the command", cmd: "BASH_ENV=./rc.sh bash -c 'touch {good}'"}, "rc.sh", ":\n", "touch {evil}\n"),
	{class: "environment", name: "BASH_ENV that was missing", cmd: "bash -c 'touch {good}'", env: map[string]string{"BASH_ENV": "./rc.sh"}, files: map[string]string{"x": ""}, change: map[string]string{"rc.sh": "touch {evil}\n"}},
	attemptWithFile(attempt{class: "environment", name: "BASH_ENV of the host", cmd: "bash -c 'touch {good}'", host: []string{"BASH_ENV=./rc.sh"}}, "rc.sh", ":\n", "touch {evil}\n"),
	attemptWithFile(attempt{class: "environment", name: "ENV", cmd: "sh -i -c 'touch {good}' 2>/dev/null", env: map[string]string{"ENV": "./rc.sh"}}, "rc.sh", ":\n", "touch {evil}\n"),
	attemptWithFile(attempt{class: "environment", name: "NODE_OPTIONS", cmd: "node -e 1", needs: "node", env: map[string]string{"NODE_OPTIONS": "--require ./x.js"}}, "x.js", goodNode, evilNode),
	attemptWithFile(attempt{class: "environment", name: "PYTHONPATH", cmd: "python3 -c 'import helper'", needs: "python3", env: map[string]string{"PYTHONPATH": "./lib"}}, "lib/helper.py", goodPython, evilPython),
	{class: "environment", name: "PYTHONPATH with sitecustomize", cmd: "python3 /dev/null && touch {good}", needs: "python3", env: map[string]string{"PYTHONPATH": "./lib"}, files: map[string]string{"lib/x.py": ""}, change: map[string]string{"lib/sitecustomize.py": evilPython}, also: true, either: true},
	attemptWithFile(attempt{class: "environment", name: "PYTHONSTARTUP", cmd: "python3 -i </dev/null 2>/dev/null; touch {good}", needs: "python3", env: map[string]string{"PYTHONSTARTUP": "./rc.py"}}, "rc.py", "", evilPython),
	attemptWithFile(attempt{class: "environment", name: "PERL5OPT", cmd: "perl -e 1", needs: "perl", env: map[string]string{"PERL5LIB": "./lib", "PERL5OPT": "-MFoo"}}, "lib/Foo.pm", goodPerl+"1;\n", evilPerl+"1;\n"),
	{class: "environment", name: "LD_PRELOAD", cmd: "/bin/true", needs: "gcc", env: map[string]string{"LD_PRELOAD": "{project}/x.so"}, files: map[string]string{"x": ""}, setup: preload, change: map[string]string{"x.so!": "", "x.so@": "evil.so"}},
	attemptWithFile(attempt{class: "environment", name: "MAKEFILES", cmd: "make -s", needs: "make", env: map[string]string{"MAKEFILES": "./more.mk"}, files: map[string]string{"Makefile": "all:\n\ttouch {good}\n"}}, "more.mk", "X=1\n", "X := $(shell touch {evil})\n"),
	attemptWithFile(attempt{class: "environment", name: "GIT_EXTERNAL_DIFF", cmd: "git diff --no-index --ext-diff one two; true", needs: "git", env: map[string]string{"GIT_EXTERNAL_DIFF": "./d.sh"}, files: map[string]string{"one": "1", "two": "2"}, setup: initRepo}, "d.sh*", goodScript, evilScript),
	attemptWithFile(attempt{class: "environment", name: "a home in the repository", cmd: "bash -l -c 'touch {good}'", env: map[string]string{"HOME": "{project}"}}, ".bash_profile", ":\n", "touch {evil}\n"),
	attemptWithFile(attempt{class: "environment", name: "bash --rcfile", cmd: "bash --rcfile ./rc.sh -i -c 'touch {good}' 2>/dev/null"}, "rc.sh", ":\n", "touch {evil}\n"),
	{class: "environment", name: "BASH_ENV of the host, later", cmd: "bash -c 'touch {good}'", later: []string{"BASH_ENV=./rc.sh"}, files: map[string]string{"rc.sh": "touch {evil}\n"}},
	attemptWithFile(attempt{class: "environment", name: "NODE_PATH", cmd: `node -e "require('x')"`, needs: "node", env: map[string]string{"NODE_PATH": "{project}/lib"}}, "lib/x.js", goodNode, evilNode),
	attemptWithFile(attempt{class: "environment", name: "GIT_CONFIG_GLOBAL", cmd: "git x", needs: "git", env: map[string]string{"GIT_CONFIG_GLOBAL": "{project}/gitconfig"}, setup: initRepo}, "gitconfig", "[alias]\nx = !touch {good}\n", "[alias]\nx = !touch {evil}\n"),

	attemptWithFile(attempt{class: "directories", name: "working_dir", cmd: "./x.sh", dir: "sub", also: true}, "sub/x.sh*", goodScript, evilScript),
	attemptWithFile(attempt{class: "directories", name: "working_dir of a list", argv: []string{"./x.sh"}, dir: "sub"}, "sub/x.sh*", goodScript, evilScript),
	attemptWithFile(attempt{class: "directories", name: "working_dir by a whole path", cmd: "sh x.sh", dir: "{project}/sub"}, "sub/x.sh", goodScript, evilScript),
	attemptWithFile(attempt{class: "directories", name: "cd", cmd: "cd sub && ./x.sh", also: true}, "sub/x.sh*", goodScript, evilScript),
	attemptWithFile(attempt{class: "directories", name: "cd in a subshell", cmd: "(cd sub; sh x.sh)"}, "sub/x.sh", goodScript, evilScript),
	attemptWithFile(attempt{class: "directories", name: "cd by a variable", cmd: "d=sub; cd $d; cd ../$d; sh ./x.sh"}, "sub/x.sh", goodScript, evilScript),
	{class: "directories", name: "cd by a file", cmd: "cd $(cat where) && sh ./x.sh", files: map[string]string{"where": "one\n", "one/x.sh": goodScript, "two/x.sh": evilScript}, change: map[string]string{"where": "two\n"}},
	attemptWithFile(attempt{class: "directories", name: "pushd", cmd: "bash -c 'pushd sub >/dev/null; ./x.sh'"}, "sub/x.sh*", goodScript, evilScript),
	attemptWithFile(attempt{class: "directories", name: "CDPATH", cmd: "cd sub >/dev/null; sh ./x.sh", env: map[string]string{"CDPATH": "./deep"}, files: map[string]string{"sub/x.sh": ":\n"}}, "deep/sub/x.sh", goodScript, evilScript),
	{class: "directories", name: "working_dir is a link that is swapped", cmd: "./x.sh", dir: "here", files: map[string]string{"here@": "one", "one/x.sh*": goodScript, "two/x.sh*": evilScript}, change: map[string]string{"here@": "two"}},
	{class: "directories", name: "the agent went elsewhere", cmd: "sh ./a.sh", at: "sub", files: map[string]string{"a.sh": goodScript, "sub/a.sh": evilScript}, also: true, open: true},
	{class: "directories", name: "the agent went elsewhere, in a list", argv: []string{"./a.sh"}, at: "sub", files: map[string]string{"a.sh*": goodScript, "sub/a.sh*": evilScript}, also: true, open: true},
	{class: "directories", name: "the agent went elsewhere, make", cmd: "make -s lint", needs: "make", at: "sub", files: map[string]string{"Makefile": goodMake, "sub/Makefile": evilMake}, also: true, open: true},

	{class: "links", name: "what it leads to is edited", cmd: "sh ./a.sh", files: map[string]string{"a.sh@": "real.sh", "real.sh": goodScript}, change: map[string]string{"real.sh": evilScript}, also: true},
	{class: "links", name: "swapped", cmd: "sh ./a.sh", files: map[string]string{"a.sh@": "one.sh", "one.sh": goodScript, "two.sh": evilScript}, change: map[string]string{"a.sh@": "two.sh"}, also: true},
	{class: "links", name: "a directory swapped", cmd: "sh ./s/a.sh", files: map[string]string{"s@": "one", "one/a.sh": goodScript, "two/a.sh": evilScript}, change: map[string]string{"s@": "two"}},
	{class: "links", name: "a directory becomes a link", cmd: "sh ./s/a.sh", files: map[string]string{"s/a.sh": goodScript, "two/a.sh": evilScript}, change: map[string]string{"s@": "two"}},
	{class: "links", name: "one of a chain swapped", cmd: "./a.sh", files: map[string]string{"a.sh@": "b.sh", "b.sh@": "one.sh", "one.sh*": goodScript, "two.sh*": evilScript}, change: map[string]string{"b.sh@": "two.sh"}},
	{class: "links", name: "a hard link, edited by its other name", cmd: "sh ./a.sh", files: map[string]string{"a.sh": goodScript, "other=": "a.sh"}, change: map[string]string{"other~": evilScript}},
	{class: "links", name: "to the system's program, swapped", cmd: "./tool {good}", files: map[string]string{"tool@": "/usr/bin/touch", "evil*": evilScript}, change: map[string]string{"tool@": "evil"}},
	{class: "links", name: "out of the repository, swapped", cmd: "sh ./a.sh", files: map[string]string{"a.sh@": "{home}/own.sh", "{home}/own.sh": goodScript, "two.sh": evilScript}, change: map[string]string{"a.sh@": "two.sh"}},
	{class: "links", name: "a directory of PATH from outside", cmd: "lint", own: true, host: []string{"PATH={home}/bin:{path}"}, files: map[string]string{"{home}/bin@": "{project}/tools", "tools/lint*": goodScript}, change: map[string]string{"tools/lint*": evilScript}},
	{class: "links", name: "from outside into the repository", cmd: "sh {home}/in.sh", files: map[string]string{"{home}/in.sh@": "{project}/a.sh", "a.sh": goodScript}, change: map[string]string{"a.sh": evilScript}, also: true},
}

// preload builds two libraries, of which one is approved.
func preload(p *attemptPlace) {
	for _, name := range []string{"good", "evil"} {
		source := filepath.Join(p.project, name+".c")
		p.write(source, p.fill.Replace("#include <fcntl.h>\n__attribute__((constructor)) static void f(void) { open(\"{"+name+"}\", O_CREAT|O_WRONLY, 0600); }\n"))
		if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", filepath.Join(p.project, name+".so"), source).CombinedOutput(); err != nil {
			p.t.Fatalf("%v\n%s", err, out)
		}
	}
	if err := os.Rename(filepath.Join(p.project, "good.so"), filepath.Join(p.project, "x.so")); err != nil {
		p.t.Fatal(err)
	}
}

func initRepo(p *attemptPlace) {
	if out, err := p.command("git", "init", "-q").CombinedOutput(); err != nil {
		p.t.Fatalf("%v\n%s", err, out)
	}
}
