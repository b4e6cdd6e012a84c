package main

import (
	"fmt"
	"strings"
)

// chainOfScripts returns n scripts, each of which runs the next one, and finally last.
func chainOfScripts(n int, last string) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("f%d*", i)] = fmt.Sprintf("#!/bin/sh\n./f%d\n", i+1)
	}
	files[fmt.Sprintf("f%d*", n)] = last
	return files
}

const (
	whereItLies = "#!/bin/sh\n. \"$(dirname \"$(readlink -f \"$0\")\")/lib\"\n"
	hookMD      = "---\nname: gate\ndescription: a gate\ntrigger: before_tool\n---\n# Gate\n"
)

// bentAttempts use that a plan has limits, and that shells, links and variables lead
// elsewhere than the words say.
var bentAttempts = []attempt{
	{class: "own scripts", name: "a chain", cmd: "./f0", files: chainOfScripts(8, goodScript), change: map[string]string{"f8*": evilScript}},
	{class: "own scripts", name: "a chain that is too long", cmd: "./f0", files: chainOfScripts(30, goodScript), change: map[string]string{"f30*": evilScript}},
	attemptWithFile(attempt{class: "own scripts", name: "a script that is too long", cmd: "./long", files: map[string]string{"long*": "#!/bin/sh\n" + strings.Repeat("#\n", 1<<19) + "./x\n"}}, "x*", goodScript, evilScript),
	{class: "links", name: "a script asks where it really lies", cmd: "./c", files: map[string]string{"c@": "r/c", "r/c*": whereItLies, "r/lib": ": >{good}\n", "o/c*": whereItLies, "o/lib": ": >{evil}\n"}, change: map[string]string{"c@": "o/c"}},
	{class: "links", name: "what lies where a script really lies", cmd: "./c", files: map[string]string{"c@": "r/c", "r/c*": whereItLies, "r/lib": ": >{good}\n"}, change: map[string]string{"r/lib": ": >{evil}\n"}},
	{class: "links", name: "up from a link", cmd: "d/../run", files: map[string]string{"d@": "s/i", "s/i/": "", "s/run*": goodScript, "run*": "#!/bin/sh\n:\n"}, change: map[string]string{"s/run*": evilScript}},
	{class: "links", name: "cd by a link, and up", cmd: "cd d && ../run", files: map[string]string{"d@": "s/i", "s/i/": "", "s/run*": goodScript, "o/i/": "", "o/run*": evilScript, "run*": "#!/bin/sh\n:\n"}, change: map[string]string{"d@": "o/i"}},
	{class: "directories", name: "another repository below", cmd: `cd sub && "$(git rev-parse --show-toplevel)"/x`, needs: "git", setup: initRepo, files: map[string]string{"sub/": "", "x*": goodScript, "sub/x*": evilScript}, change: map[string]string{"sub/.git": "gitdir: ../.git\n"}},
	{class: "xargs and find", name: "a new directory", cmd: "find h -name '*.sh' | xargs -n1 sh", files: map[string]string{"h/a.sh": goodScript}, change: map[string]string{"h/q/b.sh": evilScript}},
	{class: "HOOK.md", name: "the folder is a link that is swapped", form: "HOOK.md", open: true, files: map[string]string{".agents/hooks/gate@": "../../one", "one/scripts/run.sh": goodScript, "two/HOOK.md": hookMD, "two/scripts/run.sh": evilScript}, change: map[string]string{".agents/hooks/gate@": "../../two"}},
	{class: "tricks", name: "braces that sh does not know", cmd: "sh {a,b}", files: map[string]string{"a": goodScript, "b": ":\n", "{a,b}": goodScript}, change: map[string]string{"{a,b}": evilScript}},
	{class: "tricks", name: "a keyword that sh does not know", cmd: "PATH=./b:$PATH; touch {good}; [[ -f y ]]; true", either: true, also: true, files: map[string]string{"b/z": ""}, change: map[string]string{"b/[[*": evilScript}},
	{class: "tricks", name: "a name in dollar quotes", cmd: "./$'x'", files: map[string]string{"x*": goodScript, "$x*": goodScript}, change: map[string]string{"$x*": evilScript}},
	{class: "PATH", name: "taken away", cmd: "unset PATH; x", also: true, files: map[string]string{"x*": goodScript}, change: map[string]string{"x*": evilScript}},
	{class: "environment", name: "another default later", cmd: "${HOOKCMD:-touch {good}}", later: []string{"HOOKCMD=./x"}, either: true, also: true, files: map[string]string{"z": ""}, change: map[string]string{"x*": evilScript}},
	{class: "environment", name: "options of perl later", cmd: "perl -e 1 && touch {good}", needs: "perl", later: []string{"PERL5OPT=-I. -Mp"}, either: true, also: true, files: map[string]string{"z": ""}, change: map[string]string{"p.pm": "open(my $f, '>', '{evil}');\n1;\n"}},
	{class: "environment", name: "settings of git later", cmd: "git status >/dev/null; touch {good}", needs: "git", setup: initRepo, later: []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=./x"}, either: true, also: true, files: map[string]string{"z": ""}, change: map[string]string{"x*": evilScript}},
	{class: "environment", name: "the project is said to lie elsewhere", cmd: `"$CLAUDE_PROJECT_DIR"/x`, host: []string{"CLAUDE_PROJECT_DIR={project}"}, later: []string{"CLAUDE_PROJECT_DIR={project}/o"}, files: map[string]string{"x*": goodScript, "o/x*": evilScript}},
	{class: "environment", name: "the shell of the host later", cmd: "touch {good}; $SHELL -c true", host: []string{"SHELL=/bin/sh"}, later: []string{"SHELL=./x"}, either: true, also: true, files: map[string]string{"z": ""}, change: map[string]string{"x*": evilScript}},
	attemptWithFile(attempt{class: "own scripts", name: "a script with a zero byte", cmd: "./odd", files: map[string]string{"odd*": "#!/bin/sh\n./x\n#\x00\n"}}, "x*", goodScript, evilScript),
}
