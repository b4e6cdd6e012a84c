package coverage

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const pyCanary = "import os\nopen(os.environ['RAN'], 'a').write('ran\\n')\n"

// A planted is a file of a repository that a program runs because of its name.
type planted struct {
	command string
	file    string            // that runs
	text    string            // of it; "" = a canary in Python
	more    map[string]string // files beside
	setup   string            // a command that is run first
}

// runPlanted creates a repository with the file, runs the command in it, and returns the plan and
// whether the file ran.
func runPlanted(t *testing.T, row *planted) (plan Plan, root string, ran bool) {
	t.Helper()
	base := t.TempDir()
	root = filepath.Join(base, "p")
	home, log := filepath.Join(base, "home"), filepath.Join(base, "ran")
	for _, dir := range []string{filepath.Join(root, ".git"), home} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	text := row.text
	if text == "" {
		text = pyCanary
	}
	for name, text := range row.more {
		writeFile(t, filepath.Join(root, name), text, 0o755)
	}
	if row.file != "" {
		writeFile(t, filepath.Join(root, row.file), text, 0o755)
	}
	env := []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "RAN=" + log, "TMPDIR=" + home, "PYTHONDONTWRITEBYTECODE=1"}
	run := func(command string) {
		cmd := exec.Command("/bin/sh", "-c", command)
		cmd.Dir, cmd.Env = root, env
		_ = cmd.Run()
	}
	if row.setup != "" {
		run(row.setup)
		_ = os.Remove(log)
	}
	var look DiskView
	plan = PlanFor(commandHook(row.command), Place{Root: root, Top: root, Home: home, Environ: env}, &look)
	run(row.command)
	_, err := os.Stat(log)
	return plan, root, err == nil
}

// checkPlanted runs rows and checks that the file of each is covered or that the plan is unsure. A row
// that runs nothing on this machine is only checked for coverage.
func checkPlanted(t *testing.T, rows []planted) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	needsShell(t)
	ran := 0
	for i := range rows {
		row := &rows[i]
		plan, root, did := runPlanted(t, row)
		if did {
			ran++
		} else {
			t.Logf("%s + %s: did not run here", row.command, row.file)
		}
		covered := slices.ContainsFunc(plan.Parts, func(p Part) bool { return p.Path == filepath.Join(root, row.file) })
		if !covered && len(plan.Unsure) == 0 {
			t.Errorf("%s + %s: ran %v, covered: %s", row.command, row.file, did, coveredFiles(plan, root, root))
		}
	}
	if ran == 0 {
		t.Error("nothing ran")
	}
}

// Python runs files that are named like its own modules, for programs that do not name them.
func TestPythonShadows(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("/usr/bin/python3"); err != nil {
		t.Skip("needs python3")
	}
	rows := []planted{
		{command: `python3 -c "import json"`, file: "json.py"},
		{command: `python3 -c "import json"`, file: "re.py"},
		{command: `python3 -c "import json"`, file: "json/__init__.py"},
		{command: `python3 -c "import sys,json; json.load(sys.stdin)"`, file: "re.py"},
		{command: `python3 -c "import subprocess"`, file: "selectors.py"},
		{command: `python3 -m json.tool /dev/null`, file: "argparse.py"},
		{command: `python3 -m json.tool /dev/null`, file: "pathlib.py"},
		{command: `python3 -m http.server --help`, file: "socketserver.py"},
		{command: `python3 -m venv --help`, file: "logging.py"},
		{command: `python3 -m zipfile -h`, file: "shutil.py"},
		{command: `python3 -m calendar`, file: "datetime.py"},
		{command: `python3 -i -c 1 </dev/null`, file: "readline.py"},
		{command: `echo "import json" | python3`, file: "re.py"},
		{command: `echo "import json" | python3 -`, file: "re.py"},
		{command: "python3 <<E\nimport json\nE\n", file: "re.py"},
		{command: `python3 tools/x.py`, file: "tools/re.py", more: map[string]string{"tools/x.py": "import json\n"}},
		{command: `./tools/x`, file: "tools/re.py", more: map[string]string{"tools/x": "#!/usr/bin/env python3\nimport json\n"}},
		{command: `sh x.sh`, file: "re.py", more: map[string]string{"x.sh": "python3 -c 'import json'\n"}},
		{command: `python3 d/x.py`, file: "real/re.py", more: map[string]string{"real/x.py": "import json\n"}, setup: "mkdir d; ln -s ../real/x.py d/x.py"},
		{command: `python3 -c "import json"`, file: "json.pyc", text: "x", more: map[string]string{"e.py": pyCanary}, setup: `python3 -c "import py_compile;py_compile.compile('e.py','json.pyc')"; rm e.py`},
		{command: `python3 -c "import mod"`, file: "mod.pyc", text: "x", more: map[string]string{"e.py": pyCanary}, setup: `python3 -c "import py_compile;py_compile.compile('e.py','mod.pyc')"; rm e.py`},
		{command: `python3 -m mod`, file: "mod.pyc", text: "x", more: map[string]string{"e.py": pyCanary}, setup: `python3 -c "import py_compile;py_compile.compile('e.py','mod.pyc')"; rm e.py`},
		{command: `python3 -m mod`, file: "mod/__main__.pyc", text: "x", more: map[string]string{"e.py": pyCanary}, setup: `python3 -c "import py_compile;py_compile.compile('e.py','mod/__main__.pyc')"; rm e.py`},
		// Modules that run what they are given.
		{command: `python3 -m timeit -n1 -s "import mod" 1`, file: "mod.py"},
		{command: `python3 -m timeit -n1 -s"import mod" 1`, file: "mod.py"},
		{command: `python3 -m timeit -n1 "import mod"`, file: "mod.py"},
		{command: `python3 -m timeit -n1 --setup="import mod" 1`, file: "mod.py"},
		{command: `python3 -m timeit -n1 "import os; os.system('sh x.sh')"`, file: "x.sh", text: "echo >$RAN\n"},
		{command: `python3 -m trace --trace x.py`, file: "x.py"},
		{command: `python3 -m trace -C out --count x.py`, file: "x.py"},
		{command: `python3 -m cProfile x.py`, file: "x.py"},
		{command: `python3 -m cProfile -o out x.py`, file: "x.py"},
		{command: `python3 -m cProfile -m x`, file: "x.py"},
		{command: `python3 -m profile x.py`, file: "x.py"},
		{command: `python3 -m pdb x.py </dev/null`, file: "x.py"},
		{command: `python3 -m doctest x.py`, file: "x.py"},
		{command: `python3 -m doctest -v x.txt`, file: "x.txt", text: ">>> import os; _ = open(os.environ['RAN'], 'w')\n"},
		{command: `python3 -m runpy x`, file: "x.py"},
		{command: `python3 -m pydoc x`, file: "x.py"},
		{command: `python3 -m pydoc ./x.py`, file: "x.py"},
		{command: `python3 -m inspect x`, file: "x.py"},
		{command: `python3 -m code < x.py`, file: "x.py"},
		{command: `pydoc3 x`, file: "x.py"},
		{command: `python3 -m unittest`, file: "test_x.py"},
		// Search paths.
		{command: `PYTHONPATH=: python3 -c 1`, file: "sitecustomize.py"},
		{command: `PYTHONPATH=:/x python3 -c 1`, file: "sitecustomize.py"},
		{command: `PYTHONPATH=/x: python3 tools/x.py`, file: "mod.py", more: map[string]string{"tools/x.py": "import mod\n"}},
		{command: `export PYTHONPATH=/x:; python3 -m json.tool /dev/null`, file: "usercustomize.py"},
		// A Python of the repository.
		{command: `.venv/bin/python -c 1`, file: ".venv/lib/python3.11/site-packages/e.pth", text: "import os; open(os.environ['RAN'], 'w')\n", setup: venv},
		{command: `.venv/bin/python -c 1`, file: ".venv/lib/python3.11/site-packages/sitecustomize.py", setup: venv},
		{command: `. .venv/bin/activate; python -c 1`, file: ".venv/lib/python3.11/site-packages/e.pth", text: "import os; open(os.environ['RAN'], 'w')\n", more: map[string]string{".venv/bin/activate": "PATH=$PWD/.venv/bin:$PATH\n"}, setup: venv},
		{command: `PATH=.venv/bin:$PATH python -c 1`, file: ".venv/lib/python3.11/site-packages/e.pth", text: "import os; open(os.environ['RAN'], 'w')\n", setup: venv},
		{command: `.venv/bin/python -m mod`, file: ".venv/lib/python3.11/site-packages/mod.py", setup: venv},
		{command: `.venv/bin/python -c "import mod"`, file: ".venv/lib/python3.11/site-packages/mod/__init__.py", setup: venv},
		{command: `.venv/bin/lint`, file: ".venv/lib/python3.11/site-packages/e.pth", text: "import os; open(os.environ['RAN'], 'w')\n", more: map[string]string{".venv/bin/lint": "#!.venv/bin/python\n"}, setup: venv},
	}
	checkPlanted(t, rows)
}

const venv = `mkdir -p .venv/bin; ln -s /usr/bin/python3 .venv/bin/python; echo home=/usr/bin >.venv/pyvenv.cfg; v=$(ls -d .venv/lib/python3.* 2>/dev/null); w=.venv/lib/$(python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])'); [ "$v" = "$w" ] || ln -s "${v##*/}" "$w"`

// Files that Python does not load need no approval.
func TestPythonFilesNotLoaded(t *testing.T) {
	t.Parallel()
	needsShell(t)
	root, home := fixture(t)
	for _, name := range []string{"site/index.html", "test/__init__.py", "platform/x.go", "logging.md", "queue", "tools/re.py", "types.ts", "mod/__init__.py", "re.py"} {
		writeFile(t, filepath.Join(root, name), "", 0o644)
	}
	for _, test := range []struct{ command, files, unsure string }{
		{`python3 -I -c "import json"`, "", ""},
		{`python3 -Ic "import json"`, "", ""},
		{`python3 -B -P -m json.tool data.json`, "", ""},
		{`python3 -W ignore -sI guard.py`, "guard.py", ""},
		{`python3 -c "import json"`, "re.py", ""},
		{`python3 -Werror -XI -c 1`, "re.py", ""},
		{`cd sub && python3 -c "import json"`, "", ""},
		{`cd tools && python3 -I -c "import json"`, "", ""},
		{`python3 --version`, "", ""},
		{`python3 ../home/h.sh`, "~/h.sh", ""},
		{`python3 -I -m pytest`, "", "pytest runs the tests of this repository"},
	} {
		checkPlan(t, test.command, planOf(test.command, root, home), root, home, test.files, test.unsure)
	}
}

func planOf(command, root, home string) Plan {
	var look DiskView
	return PlanFor(commandHook(command), placeOf(root, home), &look)
}

// The names are sorted and unique, and belong only to modules.
func TestPyNames(t *testing.T) {
	t.Parallel()
	names := strings.Fields(pyNames)
	if len(names) < 300 || !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("%d names", len(names))
	}
	for _, name := range []string{"json", "re", "zoneinfo", "tomllib", "distutils", "zipimport", "abc", "annotationlib"} {
		if !strings.Contains(pyNames, " "+name+" ") {
			t.Errorf("%s is missing", name)
		}
	}
}
