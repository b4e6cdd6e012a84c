package main

// declaredAttempts are about where a hook is declared, and about its definition.
var declaredAttempts = []attempt{
	{class: "definition", name: "the command", cmd: "touch {good}", files: map[string]string{"x": ""}, then: &attempt{cmd: "touch {evil}"}},
	{class: "definition", name: "an argument of a list", argv: []string{"touch", "{good}"}, files: map[string]string{"x": ""}, then: &attempt{argv: []string{"touch", "{evil}"}}},
	{class: "definition", name: "env", cmd: `touch "$WHAT"`, env: map[string]string{"WHAT": "{good}"}, files: map[string]string{"x": ""}, then: &attempt{cmd: `touch "$WHAT"`, env: map[string]string{"WHAT": "{evil}"}}},
	{class: "definition", name: "working_dir", cmd: "sh ./a.sh", dir: "one", files: map[string]string{"one/a.sh": goodScript, "two/a.sh": evilScript}, then: &attempt{cmd: "sh ./a.sh", dir: "two"}},
	{class: "definition", name: "arguments of a builtin", gate: []string{"touch {good}"}, files: map[string]string{"x": ""}, then: &attempt{gate: []string{"touch {evil}"}}},
	{class: "definition", name: "an included file", form: "included", cmd: "touch {good}", files: map[string]string{"x": ""}, then: &attempt{cmd: "touch {evil}"}},
	{class: "definition", name: "a script of an included file", form: "included"},
	{class: "definition", name: "starchild's file", form: "starchild", cmd: "{project}/a.sh", open: true},
	{class: "definition", name: "the approval is revoked", revoke: true, files: map[string]string{"a.sh": goodScript}},
	{class: "definition", name: "the approval is revoked, in the person's own file", revoke: true, own: true, files: map[string]string{"a.sh": goodScript}},

	attemptWithFile(attempt{class: "HOOK.md", name: "the script is edited", form: "HOOK.md", open: true}, ".agents/hooks/gate/scripts/run.sh", goodScript, evilScript),
	{class: "HOOK.md", name: "a new script comes first", form: "HOOK.md", open: true, files: map[string]string{".agents/hooks/gate/scripts/run.sh": goodScript}, change: map[string]string{".agents/hooks/gate/scripts/run*": evilScript}},
	{class: "HOOK.md", name: "the script is a link that is swapped", form: "HOOK.md", open: true, files: map[string]string{".agents/hooks/gate/scripts/run.sh@": "../../../../one.sh", "one.sh": goodScript, "two.sh": evilScript}, change: map[string]string{".agents/hooks/gate/scripts/run.sh@": "../../../../two.sh"}},
	{class: "HOOK.md", name: "the folder becomes a link", form: "HOOK.md", open: true, files: map[string]string{".agents/hooks/gate/scripts/run.sh": goodScript, "two/run.sh": evilScript}, change: map[string]string{".agents/hooks/gate/scripts@": "{project}/two"}},
	attemptWithFile(attempt{class: "HOOK.md", name: "what the script sources", form: "HOOK.md", open: true, files: map[string]string{".agents/hooks/gate/scripts/run.sh": ". ./lib.sh\n"}}, "lib.sh", goodScript, evilScript),
	attemptWithFile(attempt{class: "HOOK.md", name: "another interpreter of the repository", form: "HOOK.md", open: true, files: map[string]string{".agents/hooks/gate/scripts/run*": "#!{project}/interp\n"}}, "interp*", goodScript, evilScript),

	{class: "agent files", name: "in a repository", form: "agent in the repository"},
	{class: "agent files", name: "in a repository, a variable", form: "agent in the repository", cmd: "x=a; sh ./$x.sh"},
	attemptWithFile(attempt{class: "agent files", name: "in a repository, make", form: "agent in the repository", cmd: "make -s lint", needs: "make"}, "Makefile", goodMake, evilMake),
	{class: "agent files", name: "beside the repository", form: "agent beside it", open: true},
	attemptWithFile(attempt{class: "agent files", name: "beside the repository, make", form: "agent beside it", cmd: "make -s lint", needs: "make", open: true}, "Makefile", goodMake, evilMake),
	{class: "agent files", name: "where there is no repository", form: "agent alone", free: true, reads: true, files: map[string]string{"a.sh": goodScript, "notes": onlyRead}, change: map[string]string{"notes": "2"}},

	attemptWithFile(attempt{class: "own scripts", name: "a script of the person's runs the repository's", own: true, cmd: "sh {home}/own.sh", files: map[string]string{"{home}/own.sh": "sh ./a.sh\n"}}, "a.sh", goodScript, evilScript),
	attemptWithFile(attempt{class: "own scripts", name: "a script of the person's runs make", own: true, cmd: "sh {home}/own.sh", needs: "make", files: map[string]string{"{home}/own.sh": "make -s lint\n"}}, "Makefile", goodMake, evilMake),
}

// readAttempts are edits of what a hook does not run: it goes on, and what it reads is
// neither shown nor kept.
var readAttempts = []attempt{
	{class: "only read", name: "grep in a Makefile", cmd: "grep -q X Makefile && touch {good}", reads: true, also: true, files: map[string]string{"Makefile": "X = " + onlyRead + "\n"}, change: map[string]string{"Makefile": "X = 2\n"}},
	{class: "only read", name: "cat of an environment file", cmd: "cat .env >/dev/null; touch {good}", reads: true, also: true, files: map[string]string{".env": "KEY=" + onlyRead + "\n"}, change: map[string]string{".env": "KEY=2\n"}},
	{class: "only read", name: "jq of package.json", cmd: "jq . package.json >/dev/null && touch {good}", needs: "jq", reads: true, also: true, files: map[string]string{"package.json": `{"x":"` + onlyRead + `"}`}, change: map[string]string{"package.json": "{}"}},
	{class: "only read", name: "standard input of grep", cmd: "grep -q X <notes && touch {good}", reads: true, also: true, files: map[string]string{"notes": "X " + onlyRead + "\n"}, change: map[string]string{"notes": "X\n"}},
	{class: "only read", name: "a test of a script", cmd: "test -x a.sh && touch {good}", reads: true, also: true, files: map[string]string{"a.sh*": "# " + onlyRead + "\n"}, change: map[string]string{"a.sh*": "#\n"}},
	{class: "only read", name: "a sum of a script", cmd: "sha256sum a.sh b.sh >/dev/null && touch {good}", reads: true, also: true, files: map[string]string{"a.sh": "# " + onlyRead + "\n", "b.sh": ""}, change: map[string]string{"a.sh": "#\n"}},
	{class: "only read", name: "a list, grep", argv: []string{"sh", "-c", "grep -q X Makefile; touch {good}"}, reads: true, also: true, files: map[string]string{"Makefile": "X = " + onlyRead + "\n"}, change: map[string]string{"Makefile": "Y\n"}},
	{class: "only read", name: "what a variable takes", cmd: `v=$(cat VERSION); test -n "$v" && touch {good}`, reads: true, also: true, files: map[string]string{"VERSION": onlyRead + "\n"}, change: map[string]string{"VERSION": "2\n"}},
	{class: "only read", name: "an argument of a script", cmd: "sh ./a.sh data.txt", reads: true, files: map[string]string{"a.sh": "cat \"$1\" >/dev/null\n" + goodScript, "data.txt": onlyRead + "\n"}, change: map[string]string{"data.txt": "2\n"}},
	{class: "only read", name: "a script's standard input", cmd: "sh ./a.sh <data.txt", reads: true, files: map[string]string{"a.sh": "cat >/dev/null\n" + goodScript, "data.txt": onlyRead + "\n"}, change: map[string]string{"data.txt": "2\n"}},
	{class: "only read", name: "an argument of python", cmd: "python3 x.py data.json", needs: "python3", reads: true, files: map[string]string{"x.py": "import sys; open(sys.argv[1]).read()\n" + goodPython, "data.json": onlyRead + "\n"}, change: map[string]string{"data.json": "2\n"}},
	{class: "only read", name: "head, sort, diff", cmd: "head -n1 README | sort | diff - README >/dev/null; touch {good}", reads: true, also: true, files: map[string]string{"README": onlyRead + "\n"}, change: map[string]string{"README": "2\n"}},
	{class: "only read", name: "what it writes", cmd: "echo x >>log; touch {good}", reads: true, files: map[string]string{"log": onlyRead + "\n"}, change: map[string]string{"log": "2\n"}},
	{class: "only read", name: "a file beside", cmd: "sh ./a.sh", reads: true, files: map[string]string{"a.sh": goodScript, "b.sh": onlyRead}, change: map[string]string{"b.sh": "2"}},
	{class: "same bytes", name: "a script", cmd: "sh ./a.sh", reads: true, also: true, files: map[string]string{"a.sh": goodScript}, change: map[string]string{"a.sh": goodScript}},
	{class: "same bytes", name: "a Makefile", cmd: "make -s lint", needs: "make", reads: true, also: true, files: map[string]string{"Makefile": goodMake}, change: map[string]string{"Makefile": goodMake}},

	{class: "other part", name: "what package.json depends on", cmd: "npm run -s lint", needs: "npm", reads: true, also: true, files: map[string]string{"package.json": `{"scripts":{"lint":"touch {good}"},"description":"` + onlyRead + `"}`}, change: map[string]string{"package.json": `{"scripts":{"lint":"touch {good}"},"dependencies":{"a":"1"}}`}},
}
