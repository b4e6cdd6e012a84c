package coverage

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// loadings are scripts that load other files of the repository; each file that runs says
// so, as in TestReallyRuns.
var loadings = []struct{ command, files string }{
	{"python3 a.py", "import helper"},
	{"python3 ./sub/a.py", "import beside\nfrom helpers import one"},
	{"python3 a.py", "import helper as h, other"},
	{"python3 a.py", "from pkg import mod, more as m"},
	{"python3 a.py", "from pkg import (\n    mod,  # why\n    more,\n)"},
	{"python3 a.py", "from pkg \\\n  import mod"},
	{"python3 a.py", "import pkg.deep.leaf"},
	{"python3 a.py", "from pkg.deep import leaf; import helper"},
	{"python3 a.py", "try:\n    import helper\nexcept ImportError:\n    pass"},
	{"python3 a.py", "def f():\n\timport helper\nf()"},
	{"python3 a.py", "import rel"},
	{"python3 a.py", "from ns import part"},
	{"./a.py", "import helper"},
	{"python3 -c 'import chain'", ""},
	{"python3 -m chain", ""},
	{"cat a.py | python3", "import helper"},
	{"cd sub; python3 ../a.py", "import helper"},
	{"python3 link.py", "import beside"},
	{"node a.js", "require('./one')"},
	{"node a.js", "const x = require(\"./one.js\"), y = require('./dir')"},
	{"node a.js", "require('./two')"},
	{"node a.mjs", "import './one.js'"},
	{"node a.mjs", "import {\n x\n} from './mod.mjs'"},
	{"node a.mjs", "await import('./one.js')"},
	{"node ./sub/a.js", "require('../one')"},
	{"perl a.pl", "require './one.pl';"},
	{"perl a.pl", "use lib 'lib';\nuse Foo::Bar;"},
	{"perl a.pl", "use FindBin;\nuse lib \"$FindBin::Bin/lib\";\nuse Foo::Bar;"},
	{"perl a.pl", "do './one.pl';"},
	{"ruby a.rb", "require_relative 'one'"},
	{"ruby a.rb", "require './one'"},
	{"ruby a.rb", "load 'one.rb'"},
	{"php a.php", "<?php include 'one.php';"},
	{"php a.php", "<?php require __DIR__ . '/one.php';"},
	{"lua a.lua", "require 'one'"},
}

// What a script loads by plain words is covered with it, however far it goes.
func TestLoadsReally(t *testing.T) {
	t.Parallel()
	needsShell(t)
	ran := 0
	for _, test := range loadings {
		_, rest, _ := strings.Cut(test.command, "; ")
		program := strings.Fields(test.command)[0]
		if rest != "" {
			program = strings.Fields(rest)[0]
		}
		if program == "./a.py" || program == "cat" {
			program = "python3"
		}
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("SKIPPED: there is no %s, so %q was not tried", program, test.command)
			continue
		}
		base := t.TempDir()
		root, home, log := filepath.Join(base, "p"), filepath.Join(base, "home"), filepath.Join(base, "ran")
		for _, name := range []string{"helper", "other", "sub/beside", "sub/helpers/__init__", "sub/helpers/one", "pkg/__init__", "pkg/mod", "pkg/more", "pkg/deep/__init__", "pkg/deep/leaf", "ns/part"} {
			writeFile(t, filepath.Join(root, name+".py"), "import os\nopen(os.environ['RAN'], 'a').write('"+name+".py\\n')\n", 0o644)
		}
		writeFile(t, filepath.Join(root, "rel/__init__.py"), "from . import near\nfrom .near import x\nfrom ..helper import y\n", 0o644)
		writeFile(t, filepath.Join(root, "rel/near.py"), "import os\nopen(os.environ['RAN'], 'a').write('rel/near.py\\n')\nx = 1\n", 0o644)
		writeFile(t, filepath.Join(root, "chain.py"), "import helper\n", 0o644)
		for _, name := range []string{"one.js", "dir/index.js", "last.js"} {
			writeFile(t, filepath.Join(root, name), "require('fs').appendFileSync(process.env.RAN, '"+name+"\\n')\n", 0o644)
		}
		writeFile(t, filepath.Join(root, "two.js"), "require('./last')\n", 0o644)
		writeFile(t, filepath.Join(root, "mod.mjs"), "import fs from 'fs'\nfs.appendFileSync(process.env.RAN, 'mod.mjs\\n')\nexport const x = 1\n", 0o644)
		for _, name := range []string{"one.pl", "lib/Foo/Bar.pm"} {
			writeFile(t, filepath.Join(root, name), "open(F, '>>', $ENV{RAN}); print F \""+name+"\\n\"; close(F);\n1;\n", 0o644)
		}
		writeFile(t, filepath.Join(root, "one.rb"), "File.write(ENV['RAN'], \"one.rb\\n\", mode: 'a')\n", 0o644)
		writeFile(t, filepath.Join(root, "one.php"), "<?php file_put_contents(getenv('RAN'), \"one.php\\n\", FILE_APPEND);\n", 0o644)
		writeFile(t, filepath.Join(root, "one.lua"), "local f = io.open(os.getenv('RAN'), 'a'); f:write('one.lua\\n'); f:close()\n", 0o644)
		if err := os.Symlink("sub/a.py", filepath.Join(root, "link.py")); err != nil {
			t.Fatal(err)
		}
		for _, end := range []string{"py", "js", "mjs", "pl", "rb", "php", "lua"} {
			text := test.files + "\n"
			if end == "py" {
				text = "#!/usr/bin/env python3\n" + text
			}
			writeFile(t, filepath.Join(root, "a."+end), text, 0o755)
			writeFile(t, filepath.Join(root, "sub/a."+end), text, 0o755)
		}
		env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "RAN=" + log, "PYTHONDONTWRITEBYTECODE=1"}
		var look Look
		plan := Of(commandHook(test.command), Place{Root: root, Top: root, Home: home, Environ: env}, &look)
		if len(plan.Unsure) > 0 {
			t.Errorf("%s %q: unsure: %q", test.command, test.files, plan.Unsure)
		}
		cmd := exec.Command("/bin/sh", "-c", test.command)
		cmd.Dir, cmd.Env = root, env
		_ = cmd.Run()
		text, _ := os.ReadFile(log)
		if len(text) == 0 {
			t.Errorf("%s %q: nothing ran", test.command, test.files)
		}
		for name := range strings.Lines(string(text)) {
			path := filepath.Join(root, strings.TrimSpace(name))
			ran++
			if !slices.ContainsFunc(plan.Parts, func(p Part) bool { return p.Path == path }) {
				t.Errorf("%s %q\n runs %s, covered: %s", test.command, test.files, strings.TrimSpace(name), shown(plan, root, home))
			}
		}
	}
	t.Logf("%d files ran", ran)
}

// A script's plan is another one when a file appears that it would load.
func TestLoadsAppear(t *testing.T) {
	t.Parallel()
	needsShell(t)
	for _, test := range []struct{ script, text, change string }{
		{"a.py", "import requests\n", "requests.py"},
		{"a.py", "import requests\n", "requests/__init__.py"},
		{"a.py", "import sub\nfrom sub import late\n", "sub/late.py"},
		{"a.js", "try { require('./late') } catch {}\n", "late.js"},
		{"a.rb", "require_relative 'late' rescue 1\n", "late.rb"},
	} {
		root, home := fixture(t)
		program := map[string]string{".py": "python3", ".js": "node", ".rb": "ruby"}[filepath.Ext(test.script)]
		writeFile(t, filepath.Join(root, test.script), test.text, 0o644)
		command := program + " " + test.script
		var look Look
		before := Of(commandHook(command), placeOf(root, home), &look)
		writeFile(t, filepath.Join(root, test.change), "\n", 0o644)
		var again Look
		after := Of(commandHook(command), placeOf(root, home), &again)
		path := filepath.Join(root, test.change)
		if has := func(p Part) bool { return p.Path == path }; Holds(look.Seen()) || slices.ContainsFunc(before.Parts, has) || !slices.ContainsFunc(after.Parts, has) {
			t.Errorf("%s: %s: holds %v, covers %s", command, test.change, Holds(look.Seen()), shown(after, root, home))
		}
	}
}
