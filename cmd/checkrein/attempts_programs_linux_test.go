package main

// programAttempts are programs that run files of a repository by themselves.
var programAttempts = []attempt{
	{class: "programs", name: "python -m, a module that it loads", cmd: "python3 -m json.tool x.json && touch {good}", needs: "python3", files: map[string]string{"x.json": "{}"}, change: map[string]string{"argparse.py": evilPython}, also: true, either: true},
	{class: "programs", name: "python -c, a module that a module loads", cmd: `python3 -c "import json" && touch {good}`, needs: "python3", files: map[string]string{}, change: map[string]string{"re.py": evilPython}, also: true, either: true},
	{class: "programs", name: "python, a new sibling of a script", cmd: "python3 tools/x.py", needs: "python3", files: map[string]string{"tools/x.py": "import json\n" + goodPython}, change: map[string]string{"tools/re.py": evilPython}},
	attemptWithFile(attempt{class: "programs", name: "python -m timeit", cmd: `python3 -m timeit -n1 -s "import mod" 1`, needs: "python3", also: true}, "mod.py", goodPython, evilPython),
	attemptWithFile(attempt{class: "programs", name: "python -m cProfile", cmd: "python3 -m cProfile -o {project}/out x.py", needs: "python3"}, "x.py", goodPython, evilPython),
	{class: "programs", name: "python, an empty element of PYTHONPATH", cmd: "PYTHONPATH=: python3 -c 1 && touch {good}", needs: "python3", files: map[string]string{}, change: map[string]string{"sitecustomize.py": evilPython}, also: true, either: true},
	{class: "programs", name: "a python of the repository", cmd: ".venv/bin/python -c 1 && touch {good}", needs: "python3", files: map[string]string{".venv/pyvenv.cfg": "home = /usr/bin\n", ".venv/bin/python*": "#!/bin/sh\nexec python3 \"$@\"\n"}, change: map[string]string{".venv/pyvenv.cfg": "home = {project}\n", ".venv/bin/python*": evilScript}},
	attemptWithFile(attempt{class: "programs", name: "bundled options of sed", cmd: "echo x | sed -nf x.sed", needs: "sed", also: true}, "x.sed", "1e touch {good}\n", "1e touch {evil}\n"),
	attemptWithFile(attempt{class: "programs", name: "a script of ed", cmd: "ed -s a <x.ed", needs: "ed", files: map[string]string{"a": "x\n"}, also: true}, "x.ed", "!touch {good}\nq\n", "!touch {evil}\nq\n"),
	attemptWithFile(attempt{class: "programs", name: "a file that sqlite3 reads", cmd: `sqlite3 :memory: ".read x.sql"`, needs: "sqlite3", also: true}, "x.sql", ".shell touch {good}\n", ".shell touch {evil}\n"),
	{class: "programs", name: "names of files that are options", cmd: "tar cf /dev/null * && touch {good}", needs: "tar", files: map[string]string{"a": ""}, change: map[string]string{"--checkpoint=1": "", "--checkpoint-action=exec=sh e.sh": "", "e.sh": evilScript}, also: true, either: true},
	attemptWithFile(attempt{class: "programs", name: "a package that node -e loads", cmd: `node -e "require('zed')"`, needs: "node", also: true}, "node_modules/zed/index.js", goodNode, evilNode),
	{class: "programs", name: "a shell among the programs of a package", cmd: "npm test", needs: "npm", files: map[string]string{"package.json": `{"scripts":{"test":"touch {good}"}}`}, change: map[string]string{"node_modules/.bin/sh*": evilScript}},
	{class: "programs", name: "a rule of make's own for an included file", cmd: "make -s lint", needs: "make", files: map[string]string{"Makefile": "-include inc\nlint:\n\ttouch {good}\n"}, change: map[string]string{"inc.sh": "X:=$(shell touch {evil})\n"}},
}
