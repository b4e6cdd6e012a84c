package coverage

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
)

// fixture creates a project and a home directory with files of every kind.
func fixture(t testing.TB) (root, home string) {
	t.Helper()
	base := t.TempDir()
	root, home = filepath.Join(base, "p"), filepath.Join(base, "home")
	for name, mode := range map[string]os.FileMode{
		"p/x.sh": 0o755, "p/y.sh": 0o755, "p/guard.py": 0o644, "p/tool": 0o755, "p/plain": 0o644, "p/data.json": 0o644,
		"p/sub/x.sh": 0o755, "p/sub/only.sh": 0o755, "p/sub/deep/z.sh": 0o755, "p/a b/c d.sh": 0o755, "p/it's.sh": 0o755,
		"p/EOF": 0o755, "p/bin/lint": 0o755, "home/h.sh": 0o644, "home/bin": 0o755,
	} {
		writeFile(t, filepath.Join(base, name), "echo\n", mode)
	}
	writeFile(t, filepath.Join(root, "script"), "#!/bin/sh\n", 0o644)
	if err := os.Mkdir(filepath.Join(root, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	return root, home
}

func writeFile(t testing.TB, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

func hookWith(run string, with any) *checkrein.Hook {
	text, err := json.Marshal(with)
	if err != nil {
		panic(err)
	}
	return &checkrein.Hook{Run: run, With: text}
}

func commandHook(command string) *checkrein.Hook {
	return hookWith("command", map[string]string{"command": command})
}

func placeOf(root, home string) Place {
	return Place{Root: root, Top: root, Home: home, Environ: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + home}}
}

// coveredFiles returns the files that a plan covers, relative to the project and separated by spaces,
// with "+" for a space.
func coveredFiles(plan Plan, root, home string) string {
	var out []string
	for _, part := range plan.Parts {
		name := part.Path
		if rest, ok := strings.CutPrefix(name, root+"/"); ok {
			name = rest
		} else if rest, ok := strings.CutPrefix(name, home+"/"); ok {
			name = "~/" + rest
		}
		if part.Name != "" {
			name += "[" + part.Name + "]"
		}
		out = append(out, strings.ReplaceAll(name, " ", "+"))
	}
	return strings.Join(out, " ")
}

// checkPlan compares the files of a plan and, if unsure is not empty, checks that Plan.Unsure contains
// it. Otherwise Plan.Unsure must be empty.
func checkPlan(t *testing.T, name string, plan Plan, root, home, files, unsure string) {
	t.Helper()
	if got := coveredFiles(plan, root, home); got != files {
		t.Errorf("%s\n got  %s\n want %s", name, got, files)
	}
	all := strings.Join(plan.Unsure, "; ")
	if unsure == "" && all != "" || !strings.Contains(all, unsure) {
		t.Errorf("%s: unsure %q, want %q", name, plan.Unsure, unsure)
	}
}

func needsShell(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs paths that sh can read")
	}
}

func TestPlanFor(t *testing.T) {
	t.Parallel()
	needsShell(t)
	root, home := fixture(t)
	for _, test := range []struct{ command, files, unsure string }{
		// Programs.
		{"./x.sh", "x.sh", ""},
		{"./gone", "gone", ""},
		{"sub/gone.sh", "sub/gone.sh", ""},
		{"x.sh", "", ""},     // PATH leads elsewhere
		{"./sub", "sub", ""}, // a directory cannot run, so it is missing
		{"/bin/sh /usr/bin/env /usr/local/bin/gone", "", ""},
		{root + "/x.sh", "x.sh", ""},
		{"../p/./x.sh", "x.sh", ""},
		{"./x.sh \"$FOO\" $(date)", "x.sh", ""},
		{"./*.sh", "it's.sh x.sh y.sh", ""},
		{"$CMD plain", "plain", "$CMD is only known when it runs"},
		{"$OTHER/x.sh ./$NAME.sh ${A}x.sh", "", "$OTHER, $NAME, $A are only known"},
		{"$(jq -r .x data.json) plain", "data.json plain", "which program runs depends on the output of jq"},
		// What is only read.
		{"true plain data.json", "", ""},
		{"grep -q FREEZE plain && exit 2", "", ""},
		{"cat plain data.json", "", ""},
		{"jq .x data.json", "", ""},
		{"test -f x.sh && echo yes", "", ""},
		{"true < x.sh", "", ""},
		{"true >x.sh 2>y.sh >>tool &>guard.py >|script", "", ""},
		{"sort -o data.json plain", "", ""},
		{"curl -d @data.json https://example.com", "", ""},
		{"shellcheck x.sh; bash -n x.sh; type ./x.sh; command -v ./x.sh", "", ""},
		{"echo '; ./gone'", "", ""},
		{"cat <<<./x.sh", "", ""},
		{"echo $(case a in a) ./x.sh;; esac) ./y.sh", "x.sh", ""},
		// Scripts of shells and interpreters.
		{"bash plain", "plain", ""},
		{"bash gone.sh", "", ""},
		{"bash -eu plain data.json", "plain", ""},
		{"/usr/bin/python3.12 -u plain", "plain", ""},
		{"python3 guard.py data.json", "guard.py", ""},
		{"node -r ./plain guard.py data.json", "plain guard.py", ""},
		{"node --import ./tool guard.py", "tool guard.py", ""},
		{"ruby -r./tool -e 1", "tool", ""},
		{"perl -I. -e 1", "", "perl loads code of this repository from ."},
		{". plain; source data.json", "plain data.json", ""},
		{"awk -f plain data.json; sed -f script data.json; jq -f tool data.json", "plain script tool", ""},
		{"uv run guard.py; poetry run python tool; busybox sh plain", "guard.py tool plain", ""},
		{"php plain; Rscript tool; java -jar script; deno run guard.py; tsx x.sh", "plain tool script guard.py x.sh", ""},
		{"python3 -m guard", "guard.py", ""},
		{"python3 -m json.tool", "", ""},
		{"python3 -m sub", "", ""},
		{"node ./sub", "", "node runs the directory ./sub"},
		{"sh \"$F\"", "", "$F is only known"},
		{"sh", "", "sh runs its standard input"},
		{"bash --rcfile plain -i -c true", "plain", ""},
		// Words.
		{"x=x; sh ./$x.sh", "x.sh", ""},
		{"sh $'\\x2e/x.sh'", "x.sh", ""},
		{"./{x,y}.sh", "x.sh", ""}, // y.sh is its argument
		{"for i in x y; do ./$i.sh; done", "x.sh y.sh", ""},
		{"for f in sub/*.sh; do . ./$f; done", "sub/only.sh sub/x.sh", ""},
		{`'./x.sh'; "./a b/c d.sh"; ./it\'s.sh; $'./it\'s.sh'`, "x.sh a+b/c+d.sh it's.sh", ""},
		{"./x\\\n.sh", "x.sh", ""},
		{"a=(./x.sh --v); \"${a[@]}\"", "x.sh", ""},
		{"set -- ./x.sh; \"$@\"", "x.sh", ""},
		{"f=$(basename x.sh .sh); ./$f.sh", "x.sh", ""},
		{"[ \"$A\" = 1 ] && s=x || s=y; sh $s.sh", "y.sh x.sh", ""},
		{"case \"$A\" in 1) s=x;; *) s=y;; esac; ./$s.sh", "x.sh y.sh", ""},
		{"alias l=./x.sh; l", "x.sh", ""},
		{"'./x.sh", "x.sh", "cannot be parsed as a shell command"},
		// Between commands.
		{"true; ./x.sh && ./y.sh || ./tool", "x.sh y.sh tool", ""},
		{"true|./x.sh|&./y.sh&./tool", "x.sh y.sh tool", ""},
		{"if ./x.sh; then ./y.sh; else ! ./tool; fi", "x.sh y.sh tool", ""},
		{"f() { ./x.sh; }; f", "x.sh", ""},
		{"echo \"a $(./x.sh \"$(./y.sh)\") b\"", "y.sh x.sh", ""},
		{"diff <(./x.sh) >(./y.sh)", "x.sh y.sh", ""},
		{"trap './x.sh; true' EXIT", "x.sh", ""},
		// Wrappers, and those that only look like them.
		{"env VAR=1 ./x.sh; sudo -u bob timeout 5 nice -n 3 ./y.sh; exec nohup ./tool", "x.sh y.sh tool", ""},
		{"env -C sub ./only.sh; env -S './x.sh -v'", "sub/only.sh x.sh", ""},
		{"true | xargs -n1 bash plain; find . -name x -exec sh tool {} +", "plain tool", ""},
		{"./timeout 5 true; ./sh -c true; bin/env true; ./eval x", "timeout sh bin/env eval", ""},
		{"find . -name '*.sh' -exec sh {} \\;", "it's.sh x.sh y.sh", "which files find starts"},
		{"ls *.sh | xargs -n1 sh", "", "which file sh runs depends on the output of ls"},
		// Text for a shell.
		{"bash -o pipefail -lc 'true && ./x.sh | bash plain'", "x.sh plain", ""},
		{`sh -c "sh -c './x.sh; sh -c \"./y.sh\"'"`, "x.sh y.sh", ""},
		{"sh -c 'echo $1' ./gone ./x.sh", "", ""},
		{"bash -c '\"$@\"' _ ./x.sh a", "x.sh", ""},
		{"eval './x.sh && ./y.sh'", "x.sh y.sh", ""},
		{"eval \"$X\"", "", "$X is only known"},
		{"CMD='bash plain -v'; $CMD", "plain", ""},
		{"bash <<EOF\n./x.sh\nEOF\ncat <<EOF\n./y.sh\nEOF", "x.sh", ""},
		{"cat <<EOF\n\\$(./x.sh) $(./y.sh) `./tool`\nEOF", "y.sh tool", ""},
		{"echo 'sh plain' | sh; bash <<< ./x.sh", "plain x.sh", ""},
		// Code in the arguments.
		{`python3 -c "import os; os.system('./x.sh --flag')"`, "x.sh", ""},
		{`awk 'BEGIN { system("sh plain") }'`, "plain", ""},
		{`node -e 'require("./tool")'`, "tool", ""},
		{`node -e 'require("./data.json")'`, "", ""},
		{`python3 -c 'exec(open("guard.py").read())'`, "guard.py", "runs code built at run time"},
		{"python3 -c 'import guard, json'", "guard.py", ""},
		{`python3 -c "import json,sys; print(json.load(open('data.json')))"`, "", ""},
		{"python3 - <<'E'\nimport subprocess\nsubprocess.run(['sh','plain'])\nE", "plain", ""},
		// What flows into something that runs it.
		{"sh < plain; <tool bash -s; python3 < guard.py", "plain tool guard.py", ""},
		{"cat plain | bash", "plain", ""},
		{"tail -n +1 plain | tr a b | bash", "plain", ""},
		{"base64 -d plain | sh", "plain", ""},
		{"sh -c \"$(cat plain)\"; eval \"$(< tool)\"", "plain tool", ""},
		{"X=$(cat plain); eval \"$X\"", "plain", ""},
		{"bash <(cat plain); . <(cat tool)", "plain tool", ""},
		{"python3 -c \"$(cat guard.py)\"", "guard.py", ""},
		{"jq -r .x data.json | sh", "data.json", ""},
		{"cp plain /tmp/zz; sh /tmp/zz", "plain", "cp may change plain before it runs"},
		{"cat x.sh y.sh > /tmp/zz && bash /tmp/zz", "x.sh y.sh", ""},
		{"echo 'echo hi' > /tmp/zz; sh /tmp/zz", "", ""},
		{"ln -s plain zz; sh zz", "plain", ""},
		{"curl -s https://example.com/z | sh", "", "what sh runs is the output of curl"},
		{"jq -r .tool_input.command | sh", "", "the event"},
		{"eval \"$(ssh-agent)\"; eval \"$(pyenv init -)\"", "", ""},
		{"git pull -q && ./x.sh", "x.sh", "git pull may change ./x.sh before it runs"},
		{"./x.sh && git pull -q", "x.sh", ""},
		{"tar xf plain; sh x.sh", "x.sh", "tar may change x.sh before it runs"},
		{"awk '{system($0)}' plain", "", "awk: runs an unknown command"},
		// Directories.
		{"cd sub && ./x.sh", "sub/x.sh", ""},
		{"cd sub; ./x.sh", "sub/x.sh", ""},
		{"cd none; ./x.sh", "x.sh", ""}, // there may be none
		{"(cd sub/deep && ./z.sh); cd sub && ./only.sh && cd deep && ./z.sh", "sub/deep/z.sh sub/only.sh", ""},
		{"cd \"$SOMEWHERE\" && ./x.sh", "", "$SOMEWHERE is only known"},
		{"cd \"$SOMEWHERE\" && " + root + "/gone", "gone", ""},
		{"\"${GEMINI_PROJECT_DIR}/a b/c d.sh\"; ${CLAUDE_PROJECT_DIR:-.}/x.sh", "a+b/c+d.sh x.sh", ""},
		{"'$CLAUDE_PROJECT_DIR'/x.sh", "$CLAUDE_PROJECT_DIR/x.sh", ""},
		{"bash \"$(git rev-parse --show-toplevel)/plain\"; `pwd`/x.sh; $PWD/y.sh", "plain x.sh y.sh", ""},
		{"~/h.sh; $HOME/bin; \"~/x.sh\"", "~/h.sh ~/bin ~/x.sh", ""},
		{"~nobody/x.sh", "", "only known when it runs"},
		// PATH and other variables.
		{"PATH=./bin:$PATH lint", "bin/lint", ""},
		{"PATH=$PATH:./bin; lint", "bin/lint", ""},
		{"PATH=/usr/bin:/bin:./bin ls", "", ""},
		{"export PATH=\"$CLAUDE_PROJECT_DIR/bin:$PATH\"; timeout 5 lint --x", "bin/lint", ""},
		{"env PATH=./bin lint; hash -p ./x.sh ls; ls", "bin/lint x.sh", ""},
		{"BASH_ENV=./x.sh bash -c true", "x.sh", ""},
		{"NODE_OPTIONS='--require ./tool' node -e 1", "tool", ""},
		{"LD_PRELOAD=./tool ls", "tool", ""},
		{"PYTHONPATH=. python3 guard.py", "guard.py", "$PYTHONPATH loads code of this repository"},
		{"GIT_EXTERNAL_DIFF=./x.sh git diff; git -c core.pager=./y.sh log", "x.sh y.sh", ""},
		{"git -c alias.x='!./x.sh' x", "x.sh", ""},
		// Git without settings that run anything.
		{"git status --porcelain; git diff --name-only; git log -1; git rev-parse HEAD; git add -A; git commit -m x; git push", "", ""},
		{"git hook run pre-commit; git -C sub status", "", ""},
		{"git -C \"$D\" status", "", "$D is only known"},
		{"git \"$D\"", "", "$D is only known"},
		// Ways around a name.
		{"sh /proc/self/cwd/x.sh", "", "only known when it runs"},
		{"sh /proc/1/cwd/x.sh", "", "only known when it runs"},
		{"cat /proc/cpuinfo /proc/self/status; test -e /proc/1/cwd/x", "", ""},
		{"run-parts sub", "", "run-parts runs the files in sub"},
		{"run-parts /etc/cron.daily", "", ""},
		{"PATH=./bin:$PATH git status; PATH=./bin:$PATH cargo fmt", "", ""},
		{"find sub -name x -execdir ./gone \\;", "", "which files find starts"},
		{"make -s gone && ./gone", "", "make may create ./gone before it runs"},
		{"make -s gone; ./x.sh", "x.sh", ""},
		// The repository at large.
		{"go test ./...", "", "go test builds and runs this repository's code"},
		{"go vet ./... && gofmt -l . && ruff check . && git status --porcelain", "", ""},
		{"cargo clippy", "", "cargo clippy builds and runs"},
		{"python3 -m pytest -q", "", "pytest runs the tests of this repository"},
		{"pytest -q", "", "pytest runs the tests of this repository"},
		{"pre-commit run", "", "configuration"},
		{"docker run --rm img sh x.sh", "", "docker run"},
		{"ssh host ./x.sh", "", ""},
	} {
		var look DiskView
		plan := PlanFor(commandHook(test.command), placeOf(root, home), &look)
		checkPlan(t, test.command, plan, root, home, test.files, test.unsure)
		seen := look.Observations()
		for _, part := range plan.Parts {
			if !slices.ContainsFunc(seen, func(s Observation) bool { return s.Path == part.Path }) {
				t.Errorf("%s: %s was never looked at", test.command, part.Path)
			}
		}
		if !StillHold(seen) {
			t.Errorf("%s: what was seen does not hold", test.command)
		}
	}
}

// A hook may be started in other ways than by shell text.
func TestPlanForSettings(t *testing.T) {
	t.Parallel()
	needsShell(t)
	root, home := fixture(t)
	writeFile(t, filepath.Join(root, "h/scripts/run.sh"), ". ./x.sh\n", 0o755)
	writeFile(t, filepath.Join(root, "h/scripts/lib/a.py"), "", 0o644)
	for _, test := range []struct{ run, with, files, unsure string }{
		{"command", `{"argv":["./x.sh","y.sh","$(./tool)"]}`, "x.sh", ""},
		{"command", `{"argv":["./a b/c d.sh"]}`, "a+b/c+d.sh", ""},
		{"command", `{"argv":["echo","; ./gone","a|b/c","\"","$("]}`, "", ""},
		{"command", `{"argv":["bash","-c","./x.sh | ./y.sh"]}`, "x.sh y.sh", ""},
		{"command", `{"argv":["env","A=1","./x.sh"]}`, "x.sh", ""},
		{"command", `{"argv":["$CLAUDE_PROJECT_DIR/x.sh"]}`, "$CLAUDE_PROJECT_DIR/x.sh", ""}, // no shell reads it
		{"command", `{"argv":["~/x.sh"]}`, "~/x.sh", ""},
		{"command", `{"argv":[]}`, "", ""},
		{"command", `{"command":"./only.sh","working_dir":"sub"}`, "sub/only.sh", ""},
		{"command", `{"command":"$CLAUDE_PROJECT_DIR/x.sh; $PWD/x.sh","working_dir":"sub"}`, "x.sh sub/x.sh", ""},
		{"command", `{"command":"./h.sh","working_dir":"~"}`, "~/h.sh", ""},
		{"command", `{"command":"./x.sh","working_dir":" "}`, "x.sh", ""},
		{"command", `{"command":"lint","env":{"PATH":"./bin"}}`, "bin/lint", ""},
		{"command", `{"argv":["env","lint"],"env":{"PATH":"${env.HOME}/../p/bin:/usr/bin"}}`, "bin/lint", ""},
		{"command", `{"command":"true","env":{"BASH_ENV":"x.sh"}}`, "", ""}, // which sh does not read
		{"command", `{"command":"bash -c true","env":{"BASH_ENV":"x.sh"}}`, "x.sh", ""},
		{"command", `{"command":"node -e 1","env":{"NODE_OPTIONS":"--require ./y.sh -r./tool","A":"plain"}}`, "y.sh tool", ""},
		{"command", `{"command":"sh \"$S\"","env":{"S":"plain"}}`, "plain", ""},
		{"command", `{"command":"true","env":7}`, "", "settings cannot be read"},
		{"command", `{"hook_folder":"` + root + `/h"}`, "h/scripts/lib/a.py h/scripts/run.sh x.sh", ""},
		{"builtin", `{"name":"quality_gate","args":["sh x.sh && ./tool"]}`, "x.sh tool", ""},
		{"builtin", `{"name":"quality_gate","args":["sh","x.sh","&&"]}`, "x.sh", ""},
		{"builtin", `{"name":"add_prompt_files","args":["./x.sh"]}`, "", ""},
		{"rule", `{"command":"./x.sh"}`, "", ""},
		{"http", `{"url":"https://example.com/x.sh"}`, "", ""},
	} {
		var look DiskView
		h := &checkrein.Hook{Run: test.run, With: json.RawMessage(test.with)}
		checkPlan(t, test.with, PlanFor(h, placeOf(root, home), &look), root, home, test.files, test.unsure)
	}
	var look DiskView
	h := &checkrein.Hook{Run: "command", Dialect: "claude", With: json.RawMessage(`{"argv":["${CLAUDE_PROJECT_DIR}/x.sh"]}`)}
	checkPlan(t, "claude", PlanFor(h, placeOf(root, home), &look), root, home, "x.sh", "")
}

// Shell scripts are followed, as is the output of a script that another one runs.
func TestScriptsAreFollowed(t *testing.T) {
	t.Parallel()
	needsShell(t)
	root, home := fixture(t)
	for name, text := range map[string]string{
		"run":     "#!/bin/sh\n. \"$(dirname \"$0\")/lib.sh\"\n$UNKNOWN x\n./absent\npython3 guard.py\n",
		"lib.sh":  "sh ./sub/x.sh\n",
		"deep":    "#!/usr/bin/env bash\ncd \"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)/sub\" && ./only.sh\n",
		"by":      "#!./tool -x\n",
		"by2":     "#! " + root + "/by\n",
		"envs":    "#!/usr/bin/env -S ./tool -u\n",
		"py":      "#!/usr/bin/env python3\nimport guard\n",
		"itself":  "#!./itself\n",
		"again":   "./again\n. ./again\n",
		"arg":     "sh \"$1\"\n",
		"binary":  "\x7fELF\x00./x.sh",
		"glob":    "for f in sub/*.sh; do sh $f; done\n",
		"no-line": "./x.sh\n",
		"lines":   "./x.sh\n",
		"named":   "$(cat lines)\n",
		"reads":   "sh $(cat lines)\n",
		"funcs":   "f() { ./x.sh; }\n",
	} {
		writeFile(t, filepath.Join(root, name), text, 0o755)
	}
	for _, test := range []struct{ command, files string }{
		{"./run", "run lib.sh sub/x.sh guard.py"},
		{"sh run", "run lib.sh sub/x.sh guard.py"},
		{"./deep", "deep sub/only.sh"},
		{"./by", "by tool"},
		{"./by2", "by2 by tool"},
		{"./envs", "envs tool"},
		{"./py", "py"},
		{"sh by", "by"},
		{"./itself", "itself"},
		{"./again", "again"},
		{"./arg plain", "arg plain"},
		{"./binary", "binary"},
		{"./glob", "glob sub/only.sh sub/x.sh"},
		{"./no-line", "no-line x.sh"},
		{"cat no-line | sh", "no-line x.sh"},
		{"cat arg | sh -s plain", "arg plain"},
		{"sh named", "named lines x.sh"},
		{"sh reads", "reads lines"},
		{". ./funcs; f", "funcs x.sh"},
	} {
		var look DiskView
		plan := PlanFor(commandHook(test.command), placeOf(root, home), &look)
		checkPlan(t, test.command, plan, root, home, test.files, "")
	}
}

// Programs in PATH are covered if they belong to the repository or to the hook.
func TestProgramsOnPath(t *testing.T) {
	t.Parallel()
	needsShell(t)
	root, home := fixture(t)
	writeFile(t, filepath.Join(home, "tools/lint"), "", 0o755)
	for _, test := range []struct{ path, command, files string }{
		{"/usr/bin:/bin", "lint", ""},
		{root + "/bin:/usr/bin", "lint", "bin/lint"},
		{home + "/tools:" + root + "/bin", "lint", ""}, // the person's own comes first
		{root + "/none:" + root + "/bin", "lint", "bin/lint"},
		{home + "/tools", "lint", ""},
		{"/usr/bin", "PATH=" + home + "/tools:$PATH lint", "~/tools/lint"},
		{".:/usr/bin", "x.sh; echo; test 1", "x.sh"},
		{"", "x.sh", "x.sh"}, // shells look where they are then
	} {
		var look DiskView
		p := placeOf(root, home)
		p.Environ = []string{"PATH=" + test.path}
		checkPlan(t, test.path+" "+test.command, PlanFor(commandHook(test.command), p, &look), root, home, test.files, "")
	}
}

// The observations of a plan no longer hold when the plan might be another one.
func TestPlanChanges(t *testing.T) {
	t.Parallel()
	needsShell(t)
	for _, test := range []struct{ command, change, files string }{
		{"./x.sh", "x.sh", "x.sh"},
		{"./x.sh", "sub/only.sh", ""},
		{"for f in sub/*.sh; do sh $f; done", "sub/new.sh", "new"},
		{"[ -f late.sh ] && sh late.sh", "late.sh", "new"},
		{"python3 -m json.tool", "json.py", "new"},
		{"PATH=./first:./bin lint", "first/lint", "new"},
		{". ./x.sh", "x.sh", "new"},
		{"PATH=./bin:$PATH git lint", "bin/git-lint", "new"},
		{"node late", "late.js", "new"},
		{"cat plain", "plain", ""},
	} {
		root, home := fixture(t)
		var look DiskView
		PlanFor(commandHook(test.command), placeOf(root, home), &look)
		seen := look.Observations()
		writeFile(t, filepath.Join(root, test.change), "./tool\n", 0o755)
		if StillHold(seen) != (test.files == "") {
			t.Errorf("%s: holds %v after %s changed", test.command, StillHold(seen), test.change)
		}
	}
}

// A plan depends on the variables that settings expand: another value gives another digest of inputs.
func TestExpandedSettings(t *testing.T) {
	t.Parallel()
	needsShell(t)
	root, home := fixture(t)
	one, two := placeOf(root, home), placeOf(root, home)
	one.Environ, two.Environ = append(slices.Clone(one.Environ), "W=sub"), append(slices.Clone(one.Environ), "W=a b")
	for _, with := range []string{`{"command":"./x.sh","working_dir":"${env.W}"}`, `{"command":"$DIR/x.sh","env":{"DIR":"${env.W}"}}`} {
		var look DiskView
		plan := PlanFor(&checkrein.Hook{Run: "command", With: json.RawMessage(with)}, one, &look)
		checkPlan(t, with, plan, root, home, "sub/x.sh", "")
		if InputsDigest(one, plan.Vars) == InputsDigest(two, plan.Vars) {
			t.Errorf("%s: another value counts for nothing", with)
		}
	}
}

// The digest of inputs stays the same while the environment does.
func TestInputs(t *testing.T) {
	t.Parallel()
	needsShell(t)
	root, home := fixture(t)
	p := placeOf(root, home)
	if got := InputsDigest(p, nil); got != "" {
		t.Errorf("an ordinary environment counts: %s", got)
	}
	other := p
	other.Environ = append(slices.Clone(p.Environ), "SCRIPT=plain")
	var look DiskView
	plan := PlanFor(commandHook(`sh "$SCRIPT"`), other, &look)
	checkPlan(t, "set", plan, root, home, "plain", "")
	if !slices.Contains(plan.Vars, "SCRIPT") || InputsDigest(other, plan.Vars) == InputsDigest(p, plan.Vars) {
		t.Errorf("nobody notices that the variable changes: %v", plan.Vars)
	}
	plan = PlanFor(commandHook(`./x.sh "$SCRIPT"`), other, &look)
	if len(plan.Vars) > 0 {
		t.Errorf("a variable counts that decides nothing: %v", plan.Vars)
	}
	for _, entry := range []string{"PATH=./bin:/bin", "PATH=/bin:" + root + "/bin", "BASH_ENV=" + root + "/x.sh", "PYTHONPATH=."} {
		other.Environ = []string{entry}
		if InputsDigest(other, nil) == "" {
			t.Errorf("%s does not count", entry)
		}
	}
}

func TestSystem(t *testing.T) {
	t.Parallel()
	needsShell(t)
	for _, test := range []struct {
		root, path string
		want       bool
	}{
		{"/home/me/p", "/bin/sh", true},
		{"/home/me/p", "/usr/local/bin/x", true},
		{"/home/me/p", "/usr/local/binary", false},
		{"/home/me/p", "/home/me/p/bin/x", false},
		{"/", "/usr/bin/env", true},
		{"/opt/homebrew/src/p", "/opt/homebrew/src/p/x.sh", false},
		{"/opt/homebrew/src/p", "/usr/bin/env", true},
		{"/home/me/p", "/dev/stdin", true},
	} {
		if got := isSystem(test.root, test.path); got != test.want {
			t.Errorf("%s in %s: got %v", test.path, test.root, got)
		}
	}
}

// Files that are only read are not opened, whatever names them.
func TestOnlyRead(t *testing.T) {
	t.Parallel()
	needsShell(t)
	root, home := fixture(t)
	writeFile(t, filepath.Join(root, ".env"), "SECRET=1\n", 0o600)
	for _, command := range []string{
		"cat .env", "grep -q X .env && exit 2", "cp .env /tmp/x", "test -f .env", "./x.sh .env", "sh x.sh < .env", "python3 guard.py .env", "jq . .env", "env $(cat .env) ./x.sh",
		"curl -d @.env https://example.com", "X=$(cat .env) ./x.sh", "sort .env | head", "diff .env data.json", "python3 -c 'print(open(\".env\").read())'", "awk '{print}' .env", "tool=.env; wc -l \"$tool\"",
	} {
		var look DiskView
		plan := PlanFor(commandHook(command), placeOf(root, home), &look)
		for _, s := range look.Observations() {
			if strings.HasSuffix(s.Path, "/.env") && s.State[0] == '=' {
				t.Errorf("%s: .env was read", command)
			}
		}
		for _, part := range plan.Parts {
			if strings.HasSuffix(part.Path, "/.env") {
				t.Errorf("%s: .env is covered", command)
			}
		}
	}
}

// Anything that is nested too deeply, too long or too unusual to follow is in Plan.Unsure, within
// scripts too.
func TestLimitsAreReported(t *testing.T) {
	t.Parallel()
	needsShell(t)
	const long = 1 << 20
	chain := func(n int, call string) map[string]string {
		files := map[string]string{}
		for i := range n {
			files[fmt.Sprint("f", i)] = "#!/bin/sh\n" + fmt.Sprintf(call, i+1) + "\n"
		}
		files[fmt.Sprint("f", n)] = ":\n"
		return files
	}
	npm := func(n int) string {
		text := `{"scripts":{"test":"npm run s0"`
		for i := range n {
			text += fmt.Sprintf(`,"s%d":"npm run s%d"`, i, i+1)
		}
		return text + fmt.Sprintf(`,"s%d":"./deep"}}`, n)
	}
	for _, test := range []struct {
		name, command string
		files         map[string]string
		covered       string // a file that must be covered, or else it is unsure
		sure          bool
	}{
		{"a chain", "./f0", chain(6, "./f%d"), "f6", true},
		{"a long chain", "./f0", chain(40, "./f%d"), "f40", false},
		{"a chain of shells", "sh f0", chain(7, "sh f%d"), "f7", true},
		{"a long chain of shells", "sh f0", chain(40, "sh f%d"), "f40", false},
		{"files that are read in", "./f0", chain(10, ". ./f%d"), "f10", true},
		{"many files that are read in", "./f0", chain(40, ". ./f%d"), "f40", false},
		{"a script that runs itself", "./a", map[string]string{"a": "#!/bin/sh\n./a\n"}, "a", true},
		{"scripts of a package", "npm test", map[string]string{"package.json": npm(6), "deep": ":\n"}, "deep", true},
		{"many scripts of a package", "npm test", map[string]string{"package.json": npm(30), "deep": ":\n"}, "deep", false},
		{"a long script", "./a", map[string]string{"a": "#!/bin/sh\n" + strings.Repeat("#\n", long/2) + "./deep\n", "deep": ":\n"}, "deep", false},
		{"a long script that is read in", ". ./a", map[string]string{"a": strings.Repeat("#\n", long/2+1) + "./deep\n", "deep": ":\n"}, "deep", false},
		{"a long script within another", "./b", map[string]string{"b": "./a\n", "a": strings.Repeat("#\n", long/2+1) + "./deep\n", "deep": ":\n"}, "deep", false},
		{"a long program", "./a", map[string]string{"a": "\x7fELF\x00" + strings.Repeat("\x00", long)}, "a", true},
		{"a long script in Python", "./a", map[string]string{"a": "#!/usr/bin/env python3\n" + strings.Repeat("#\n", long/2)}, "a", true},
		{"a zero byte", "./a", map[string]string{"a": "#!/bin/sh\n./deep\n#\x00\n", "deep": ":\n"}, "deep", true},
		{"zero bytes first", "sh a", map[string]string{"a": "\x00\x00./de\x00ep\n", "deep": ":\n"}, "deep", true},
		{"another encoding in a comment", "./a", map[string]string{"a": "#!/bin/sh\n  # caf\xe9\n./deep\n", "deep": ":\n"}, "deep", true},
		{"another encoding in a name", "./a", map[string]string{"a": "#!/bin/sh\n./caf\xe9\n", "caf\xe9": ":\n"}, "caf\xe9", false},
		{"too much in a script", "./a", map[string]string{"a": "#!/bin/sh\n" + strings.Repeat(":\n", 45_000) + "./deep\n", "deep": ":\n"}, "deep", false},
	} {
		root := t.TempDir()
		for name, text := range test.files {
			writeFile(t, filepath.Join(root, name), text, 0o755)
		}
		var look DiskView
		plan := PlanFor(commandHook(test.command), placeOf(root, root), &look)
		if (len(plan.Unsure) == 0) != test.sure {
			t.Errorf("%s: unsure %q", test.name, plan.Unsure)
		}
		if test.sure && !slices.ContainsFunc(plan.Parts, func(p Part) bool { return p.Path == filepath.Join(root, test.covered) }) {
			t.Errorf("%s: covered %s", test.name, coveredFiles(plan, root, root))
		}
	}
}

// What git reports as the top of a repository depends on its settings and on the directories in
// between. These are observed, as are symlinks on the way.
func TestPlanDependsOnTopAndLinks(t *testing.T) {
	t.Parallel()
	needsShell(t)
	for _, test := range []struct {
		name, command string
		run           string // in a script that the command runs; "" = it is the command
		files, later  map[string]string
		want          string
		unsure        bool
	}{
		{name: "settings say elsewhere", command: "$(git rev-parse --show-toplevel)/x", later: map[string]string{".git/config": "[core]\n\tworktree = ../o\n"}, unsure: true},
		{name: "in a script", command: "./run", run: "$(git rev-parse --show-toplevel)/x", later: map[string]string{".git/config": "[core]\n\tworktree = ../o\n"}, unsure: true},
		{name: "on one line", command: "$(git rev-parse --show-toplevel)/x", later: map[string]string{".git/config": "[core] WorkTree=../o\n"}, unsure: true},
		{name: "further settings", command: "./run", run: "$(git rev-parse --show-toplevel)/x", later: map[string]string{".git/config": "[include]\n\tpath = ../o/config\n"}, unsure: true},
		{name: "a repository below", command: "cd o && $(git rev-parse --show-toplevel)/x", later: map[string]string{"o/.git/HEAD": "ref: refs/heads/main\n"}, want: "o/x"},
		{name: "a file that names one", command: "cd o && $(git rev-parse --show-toplevel)/x", later: map[string]string{"o/.git": "gitdir: ../.git\n"}, want: "o/x"},
		{name: "a link is turned", command: "sh $(readlink -f l)", files: map[string]string{"l@": "x"}, later: map[string]string{"l@": "o/x"}, want: "o/x"},
		{name: "a link that two dots lead up from", command: "sh l/../x", files: map[string]string{"l@": "sub", "sub/z": ""}, later: map[string]string{"l@": "o/in"}, want: "o/x"},
		{name: "what links lead to, in a script", command: "./run", run: `. "$(dirname "$(readlink -f "$0")")/x"`, later: map[string]string{"run@": "o/run"}, files: map[string]string{"o/run": "#!/bin/sh\n. \"$(dirname \"$(readlink -f \"$0\")\")/x\"\n"}, want: "o/x"},
	} {
		root, home := t.TempDir(), t.TempDir()
		put := func(files map[string]string) {
			for name, text := range files {
				path := filepath.Join(root, strings.TrimSuffix(name, "@"))
				if err := os.RemoveAll(path); err != nil {
					t.Fatal(err)
				}
				if !strings.HasSuffix(name, "@") {
					writeFile(t, path, text, 0o755)
				} else if err := os.Symlink(text, path); err != nil {
					t.Fatal(err)
				}
			}
		}
		put(map[string]string{"x": ":\n", "o/x": ":\n", "o/in/z": "", ".git/HEAD": "ref: refs/heads/main\n"})
		if test.run != "" {
			put(map[string]string{"run": "#!/bin/sh\n" + test.run + "\n"})
		}
		put(test.files)
		var before, after DiskView
		h := commandHook(test.command)
		plan := PlanFor(h, placeOf(root, home), &before)
		if len(plan.Unsure) > 0 || !slices.ContainsFunc(plan.Parts, func(p Part) bool { return p.Path == filepath.Join(root, "x") }) {
			t.Errorf("%s: first %s, unsure %q", test.name, coveredFiles(plan, root, home), plan.Unsure)
		}
		if !StillHold(before.Observations()) {
			t.Errorf("%s: it does not hold", test.name)
		}
		put(test.later)
		if StillHold(before.Observations()) {
			t.Errorf("%s: it holds still", test.name)
		}
		plan = PlanFor(h, placeOf(root, home), &after)
		if test.unsure != (len(plan.Unsure) > 0) || test.want != "" && !slices.ContainsFunc(plan.Parts, func(p Part) bool { return p.Path == filepath.Join(root, test.want) }) {
			t.Errorf("%s: then %s, unsure %q", test.name, coveredFiles(plan, root, home), plan.Unsure)
		}
	}
}

// A hijack variable with which a host was started counts if it makes a program load code of the
// repository. The plan is then another one, and lists what runs or is unsure.
func TestHijackVarsOfHost(t *testing.T) {
	t.Parallel()
	needsShell(t)
	root, home := fixture(t)
	for name, text := range map[string]string{"p.pm": "1;\n", "p.js": "1\n", "p.rb": "1\n", "m": "X:=1\n", "Makefile": "lint:\n\ttrue\n", "package.json": `{"scripts":{"test":"true"}}`, "o/x.sh": ":\n", "o/sub/x.sh": ":\n", "g/config": "", "g/HEAD": "", "deflt": "#!/bin/sh\n${HOOKCMD:-true}\n", "gits": "#!/bin/sh\ngit status\n"} {
		writeFile(t, filepath.Join(root, name), text, 0o755)
	}
	for _, test := range []struct{ command, env, covered string }{ // "?" = it cannot be told
		{"perl -e 1", "PERL5OPT=-I. -Mp", "p.pm?"},
		{"ruby -e 1", "RUBYOPT=-r./p", "p.rb"},
		{"node -e 1", "NODE_OPTIONS=-r ./p.js", "p.js"},
		{"node -e 1", "NODE_OPTIONS=--require=tool/register", "?"},
		{"make lint", "MAKEFILES=m", "m"},
		{"make lint", "MAKEFLAGS=--eval=X:=$(shell\\ ./x.sh)", "?"},
		{"git status", "GIT_CONFIG_COUNT=1\x00GIT_CONFIG_KEY_0=core.fsmonitor\x00GIT_CONFIG_VALUE_0=./x.sh", "?"},
		{"./gits", "GIT_CONFIG_COUNT=1\x00GIT_CONFIG_KEY_0=core.fsmonitor\x00GIT_CONFIG_VALUE_0=./x.sh", "?"},
		{"git status", "GIT_CONFIG_PARAMETERS='core.fsmonitor=./x.sh'", "?"},
		{"git status", "GIT_DIR=g", "?"},
		{"./gits", "GIT_DIR=g", "?"},
		{"git fetch", "GIT_SSH_COMMAND=./x.sh", "x.sh"},
		{"git fetch", "GIT_SSH_COMMAND=sh ./x.sh", "x.sh"},
		{"git commit --allow-empty", "EDITOR=./x.sh", "x.sh"},
		{"git commit --allow-empty", "VISUAL=./x.sh -w", "x.sh"},
		{"git -p log", "PAGER=./x.sh", "x.sh"},
		{"npm test", "npm_config_script_shell=./x.sh", "x.sh"},
		{"${HOOKCMD:-true}", "HOOKCMD=./x.sh", "x.sh"},
		{"${HOOKCMD-true}", "HOOKCMD=./x.sh", "x.sh"},
		{"./deflt", "HOOKCMD=./x.sh", "x.sh"},
		{"$SHELL -c true", "SHELL=./x.sh", "x.sh"},
		{"cd sub && ./x.sh", "CDPATH=o", "o/sub/x.sh"},
		{`"$CLAUDE_PROJECT_DIR"/x.sh`, "CLAUDE_PROJECT_DIR=" + root + "/o", "o/x.sh"},
		{"bash -c :", "BASH_ENV=x.sh", "x.sh"},
		{"python3 -c 1", "PYTHONPATH=o", "?"},
	} {
		before, after := placeOf(root, home), placeOf(root, home)
		after.Environ = append(slices.Clone(after.Environ), strings.Split(test.env, "\x00")...)
		var one, two DiskView
		h := commandHook(test.command)
		plan := PlanFor(h, before, &one)
		if InputsDigest(before, plan.Vars) == InputsDigest(after, plan.Vars) {
			t.Errorf("%s with %s: nobody notices; told by %v", test.command, test.env, plan.Vars)
		}
		plan = PlanFor(h, after, &two)
		name, unsure := strings.CutSuffix(test.covered, "?")
		has := slices.ContainsFunc(plan.Parts, func(p Part) bool { return p.Path == filepath.Join(root, name) })
		if !has && !(unsure && len(plan.Unsure) > 0) {
			t.Errorf("%s with %s: covered %s, unsure %q", test.command, test.env, coveredFiles(plan, root, home), plan.Unsure)
		}
	}
	// What people have in their environments every day changes nothing.
	p := placeOf(root, home)
	p.Environ = append(p.Environ, "EDITOR=code --wait", "PAGER=less -R", "LESSOPEN=| /usr/bin/lesspipe %s", "SHELL=/bin/zsh", "NODE_OPTIONS=--max-old-space-size=4096", "GOFLAGS=-mod=mod", "CLAUDE_PROJECT_DIR="+root, "GTK_MODULES=gail:atk-bridge",
		"MAKEFLAGS= -j8", "GIT_EDITOR=true", "BROWSER=/usr/bin/firefox", "SSH_ASKPASS=/usr/bin/ksshaskpass", "JAVA_HOME=/usr/lib/jvm/x", "XDG_CONFIG_HOME="+home+"/.config", "GIT_ASKPASS="+home+"/.vscode/askpass.sh", "MANPAGER=sh -c 'col -bx | bat -l man -p'", "RUST_LOG=a=b/c")
	if got := InputsDigest(p, []string{"CLAUDE_PROJECT_DIR"}); got != "" {
		for _, entry := range p.Environ {
			if q := (&planner{place: p}); q.varLoadsRepoCode(strings.SplitN(entry, "=", 2)[0], strings.SplitN(entry, "=", 2)[1]) {
				t.Errorf("an ordinary environment counts: %s", entry)
			}
		}
		t.Errorf("an ordinary environment counts: %s", got)
	}
	p.Environ = append(p.Environ, "GIT_DIR=.git")
	var look DiskView
	checkPlan(t, "settings that run nothing", PlanFor(commandHook("git status"), p, &look), root, home, "", "")
}

// Files that the hook declares are covered, whether or not anything names them.
func TestDeclaredFiles(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ files, want, unsure string }{
		{`["guard.py"]`, "guard.py x.sh", ""},
		{`["sub", "pla*n"]`, "sub/deep/z.sh sub/only.sh sub/x.sh plain x.sh", ""},
		{`["absent"]`, "absent x.sh", ""},
		{`["*.absent"]`, "x.sh", "its pattern"},
	} {
		root, home := fixture(t)
		h := commandHook("sh x.sh")
		h.With = append(append([]byte(`{"files":`), tc.files...), `,"command":"sh x.sh"}`...)
		checkPlan(t, tc.files, PlanFor(h, placeOf(root, home), &DiskView{}), root, home, tc.want, tc.unsure)
	}
}
