package main

// programAttempts are programs that run files of a repository by themselves.
var programAttempts = []attempt{
	{class: "programs", name: "python -m, a module that it loads", cmd: "python3 -m json.tool x.json && touch {good}", needs: "python3", files: map[string]string{"x.json": "{}"}, change: map[string]string{"argparse.py": evilPython}, also: true, either: true},
	{class: "programs", name: "python -c, a module that a module loads", cmd: `python3 -c "import json" && touch {good}`, needs: "python3", files: map[string]string{}, change: map[string]string{"re.py": evilPython}, also: true, either: true},
	{class: "programs", name: "python, a new sibling of a script", cmd: "python3 tools/x.py", needs: "python3", files: map[string]string{"tools/x.py": "import json\n" + goodPython}, change: map[string]string{"tools/re.py": evilPython}},
	with(attempt{class: "programs", name: "python -m timeit", cmd: `python3 -m timeit -n1 -s "import mod" 1`, needs: "python3", also: true}, "mod.py", goodPython, evilPython),
	with(attempt{class: "programs", name: "python -m cProfile", cmd: "python3 -m cProfile -o {project}/out x.py", needs: "python3"}, "x.py", goodPython, evilPython),
	{class: "programs", name: "python, an empty element of PYTHONPATH", cmd: "PYTHONPATH=: python3 -c 1 && touch {good}", needs: "python3", files: map[string]string{}, change: map[string]string{"sitecustomize.py": evilPython}, also: true, either: true},
	{class: "programs", name: "a python of the repository", cmd: ".venv/bin/python -c 1 && touch {good}", needs: "python3", files: map[string]string{".venv/pyvenv.cfg": "home = /usr/bin\n", ".venv/bin/python*": "#!/bin/sh\nexec python3 \"$@\"\n"}, change: map[string]string{".venv/pyvenv.cfg": "home = {project}\n", ".venv/bin/python*": evilScript}},
}
