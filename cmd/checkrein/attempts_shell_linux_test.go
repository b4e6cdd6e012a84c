package main

// two is a.sh and b.sh, of which the second changes.
var (
	two     = map[string]string{"a.sh*": goodScript, "b.sh*": "#!/bin/sh\n:\n"}
	twoLate = map[string]string{"b.sh*": evilScript}
	folder  = map[string]string{"hooks.d/m.sh*": goodScript}
	another = map[string]string{"hooks.d/a.sh*": evilScript}
)

// shellAttempts are ways to name a file to the shell. Most are about a.sh.
var shellAttempts = []attempt{
	{class: "plain", name: "sh and a path", cmd: "sh ./a.sh", also: true},
	{class: "plain", name: "a path", cmd: "./a.sh", also: true},
	{class: "plain", name: "a whole path", cmd: "sh {project}/a.sh", also: true},
	{class: "plain", name: "a path with ..", cmd: "sh ./sub/../a.sh", files: map[string]string{"a.sh": goodScript, "sub/": ""}, change: map[string]string{"a.sh": evilScript}},
	{class: "plain", name: "a list", argv: []string{"./a.sh"}, also: true},
	{class: "plain", name: "a list with sh", argv: []string{"sh", "a.sh"}},
	{class: "plain", name: "a list with sh -c", argv: []string{"sh", "-c", "./a.sh"}},
	{class: "plain", name: "edited in place, size and time kept", cmd: "sh ./a.sh", files: map[string]string{"a.sh": goodScript}, change: map[string]string{"a.sh~": evilScript}},
	{class: "plain", name: "options before the file", cmd: "bash -eu -o pipefail a.sh"},
	{class: "plain", name: "after two dashes", cmd: "sh -- a.sh"},
	{class: "plain", name: "in a list of commands", cmd: "true && { sh a.sh || exit 2; }"},
	{class: "plain", name: "in the background", cmd: "sh a.sh & wait"},
	{class: "plain", name: "a compiled program", cmd: "./tool {good}", files: map[string]string{"tool@": "/usr/bin/touch"}, change: map[string]string{"tool!": "", "tool*": evilScript}},
	{class: "plain", name: "the second of two", cmd: "sh a.sh; sh b.sh", files: two, change: twoLate},
	{class: "plain", name: "a file that was missing", cmd: "touch {good}; test -f ./x.sh && sh ./x.sh; true", files: map[string]string{"y": ""}, change: map[string]string{"x.sh": evilScript}, also: true, either: true},
	{class: "plain", name: "negated, in a group", cmd: "! (sh ./a.sh; false)"},

	{class: "variables", name: "part of a name", cmd: "x=a; sh ./$x.sh", also: true},
	{class: "variables", name: "the whole command", cmd: "x=./a.sh; $x"},
	{class: "variables", name: "command and file", cmd: `x="sh ./a.sh"; $x`},
	{class: "variables", name: "of the hook's env", cmd: `sh "$SCRIPT"`, env: map[string]string{"SCRIPT": "./a.sh"}},
	{class: "variables", name: "of the hook's env, in a list", argv: []string{"sh", "-c", `sh "$SCRIPT"`}, env: map[string]string{"SCRIPT": "./a.sh"}},
	{class: "variables", name: "of the host", cmd: `sh "$SCRIPT"`, host: []string{"SCRIPT=./a.sh"}, also: true},
	{class: "variables", name: "the project's directory by the host", cmd: `sh "$CLAUDE_PROJECT_DIR"/a.sh`, also: true},
	{class: "variables", name: "PWD", cmd: `sh "$PWD/a.sh"`},
	{class: "variables", name: "a default", cmd: "sh ${x:-./a.sh}"},
	{class: "variables", name: "an ending cut off", cmd: "x=./a.txt; sh ${x%.txt}.sh"},
	{class: "variables", name: "positional", cmd: "set -- ./a.sh; sh $1"},
	{class: "variables", name: "of a bash array", cmd: `bash -c 'x=(sh ./a.sh); "${x[@]}"'`},
	{class: "variables", name: "replaced in bash", cmd: `bash -c 'x=./b.sh; sh ${x/b/a}'`},
	{class: "variables", name: "indirect in bash", cmd: `bash -c 'y=./a.sh; x=y; sh ${!x}'`},
	{class: "variables", name: "read from a file", cmd: "read x <name; sh ./$x", files: map[string]string{"name": "a.sh\n", "a.sh": goodScript, "b.sh": evilScript}, change: map[string]string{"name": "b.sh\n"}},
	{class: "variables", name: "sums", cmd: "i=1; sh ./s$((i+1)).sh", files: map[string]string{"s2.sh": goodScript}, change: map[string]string{"s2.sh": evilScript}},
	{class: "variables", name: "of the host, another one later", cmd: `sh "$SCRIPT"`, host: []string{"SCRIPT=./a.sh"}, later: []string{"SCRIPT=./b.sh"}, files: map[string]string{"a.sh": goodScript, "b.sh": evilScript}, also: true},
	{class: "variables", name: "a home that the command sets", cmd: "HOME=$PWD; sh ~/a.sh"},
	{class: "variables", name: "a home in the repository", cmd: "sh ~/a.sh", env: map[string]string{"HOME": "{project}"}},
	{class: "variables", name: "the directory as a tilde", cmd: "bash -c 'sh ~+/a.sh'"},

	{class: "quoting", name: "escapes of bash", cmd: `bash -c "sh \$'\\x2e/a.sh'"`, also: true},
	{class: "quoting", name: "two kinds of quotes", cmd: `sh "./a"'.sh'`},
	{class: "quoting", name: "backslashes", cmd: `s\h ./\a\.sh`},
	{class: "quoting", name: "a name with a space", cmd: `sh ./"a b".sh`, files: map[string]string{"a b.sh": goodScript}, change: map[string]string{"a b.sh": evilScript}},
	{class: "quoting", name: "a line that goes on", cmd: "sh ./a\\\n.sh"},
	{class: "quoting", name: "empty quotes", cmd: `s""h ./a''.sh`},
	{class: "quoting", name: "through /proc", hard: true, cmd: "sh /proc/self/cwd/a.sh", also: true},
	{class: "quoting", name: "through /proc, a program", hard: true, cmd: "cd sub && /proc/thread-self/cwd/a.sh", files: map[string]string{"sub/a.sh*": goodScript}, change: map[string]string{"sub/a.sh*": evilScript}},
	{class: "quoting", name: "through the root of /proc", hard: true, cmd: "sh /proc/self/root{project}/a.sh"},

	{class: "patterns", name: "braces", cmd: "bash -c 'for f in ./{a,b}.sh; do $f; done'", files: two, change: twoLate},
	{class: "patterns", name: "braces as the command", cmd: "bash -c 'sh ./{a,}.sh'"},
	{class: "patterns", name: "a star", cmd: "sh ./a*.sh"},
	{class: "patterns", name: "a star, with a new file that comes first", cmd: "sh hooks.d/*.sh", files: folder, change: another},
	{class: "patterns", name: "a class", cmd: "sh ./[a].sh"},
	{class: "patterns", name: "every file of a folder, one edited", cmd: `for f in hooks.d/*.sh; do sh "$f"; done`, files: folder, change: map[string]string{"hooks.d/m.sh*": evilScript}},
	{class: "patterns", name: "every file of a folder, one new", cmd: `for f in hooks.d/*.sh; do sh "$f"; done`, files: folder, change: another, also: true},
	{class: "patterns", name: "run-parts, one new", cmd: "run-parts hooks.d", files: map[string]string{"hooks.d/m*": goodScript}, change: map[string]string{"hooks.d/a*": evilScript}, needs: "run-parts"},

	{class: "loops", name: "for", cmd: "for i in a b; do sh ./$i.sh; done", files: two, change: twoLate, also: true},
	{class: "loops", name: "while with sums", cmd: "i=0; while [ $i -lt 2 ]; do i=$((i+1)); sh ./s$i.sh; done", files: map[string]string{"s1.sh": goodScript, "s2.sh": ":\n"}, change: map[string]string{"s2.sh": evilScript}},
	{class: "loops", name: "while read, the list changed", cmd: "while read f; do sh ./$f; done <list", files: map[string]string{"list": "a.sh\n", "a.sh": goodScript, "b.sh": evilScript}, change: map[string]string{"list": "a.sh\nb.sh\n"}},
	{class: "loops", name: "case", cmd: "case $0 in *) sh ./a.sh;; esac"},
	{class: "loops", name: "if", cmd: "if test -f a.sh; then sh a.sh; fi"},
	{class: "loops", name: "trap", cmd: "trap 'sh ./a.sh' EXIT; true"},

	{class: "functions", name: "a body", cmd: "f() { sh ./a.sh; }; f"},
	{class: "functions", name: "an argument", cmd: `f() { sh "$1"; }; f ./a.sh`, also: true},
	{class: "functions", name: "one that is called like a program", cmd: `ls() { sh ./a.sh; }; ls`},

	{class: "eval", name: "a text", cmd: "eval 'sh ./a.sh'"},
	{class: "eval", name: "a variable", cmd: `x='sh ./a.sh'; eval "$x"`, also: true},
	{class: "eval", name: "pieces", cmd: `a=s; b=h; eval "$a$b ./a.sh"`},
	{class: "eval", name: "a file", cmd: `eval "$(cat a.sh)"`},
	{class: "eval", name: "sh -c", cmd: "sh -c 'sh ./a.sh'"},
	{class: "eval", name: "sh -c with a positional", cmd: `sh -c 'sh "$0"' ./a.sh`},
	{class: "eval", name: "sh -c within sh -c", cmd: `sh -c "bash -c './a.sh'"`},
	{class: "eval", name: "exec", cmd: "exec ./a.sh"},
	{class: "eval", name: "command", cmd: "command sh ./a.sh"},
	{class: "eval", name: "an alias of bash", cmd: "bash -O expand_aliases -c 'alias x=\"sh ./a.sh\"\nx'"},
	{class: "eval", name: "printf into sh", cmd: "printf 'sh ./%s.sh' a | sh"},
	{class: "eval", name: "exec under another name", cmd: "bash -c 'exec -a ls ./a.sh'"},

	{class: "sourced", name: "dot", cmd: ". ./a.sh", also: true},
	{class: "sourced", name: "source", cmd: "bash -c 'source a.sh'"},
	{class: "sourced", name: "an environment file", cmd: ". ./.env; touch {good}", files: map[string]string{".env": "X=1\n"}, change: map[string]string{".env": "touch {evil}\n"}, also: true},
	{class: "sourced", name: "if it is there, and it is not", cmd: "[ -f ./x.sh ] && . ./x.sh; touch {good}", files: map[string]string{"y": ""}, change: map[string]string{"x.sh": "touch {evil}\n"}, also: true, either: true},
	{class: "sourced", name: "by PATH", cmd: "PATH=./lib:$PATH; . a.sh", files: map[string]string{"lib/a.sh": goodScript}, change: map[string]string{"lib/a.sh": evilScript}},

	{class: "here-documents", name: "into sh", cmd: "sh <<EOF\nsh ./a.sh\nEOF\n"},
	{class: "here-documents", name: "quoted, into sh", cmd: "sh <<'EOF'\n. ./a.sh\nEOF\n"},
	{class: "here-documents", name: "through cat", cmd: "cat <<EOF | sh\nsh ./a.sh\nEOF\n"},
	{class: "here-documents", name: "a here-string", cmd: "bash -c \"bash <<< 'sh ./a.sh'\""},
	{class: "here-documents", name: "with a file in it", cmd: "sh <<EOF\n$(cat a.sh)\nEOF\n"},

	{class: "pipes", name: "cat into sh", cmd: "cat a.sh | sh", also: true},
	{class: "pipes", name: "sh reads it", cmd: "sh < a.sh", also: true},
	{class: "pipes", name: "the redirection first", cmd: "<a.sh sh -s x"},
	{class: "pipes", name: "/dev/stdin", cmd: "sh /dev/stdin <a.sh"},
	{class: "pipes", name: "through sed", cmd: "sed s/x/x/ a.sh | sh"},
	{class: "pipes", name: "through tee into bash", cmd: "cat a.sh | tee /dev/null | bash"},
	{class: "pipes", name: "echo into sh", cmd: "echo 'sh ./a.sh' | sh"},
	{class: "pipes", name: "process substitution", cmd: "bash -c 'bash <(cat a.sh)'"},
	{class: "pipes", name: "a descriptor", cmd: "exec 3<a.sh; sh <&3"},
	{class: "pipes", name: "into a block", cmd: "cat a.sh | { sh; }"},
	{class: "pipes", name: "a copy elsewhere", hard: true, cmd: `cp a.sh "$HOME/copy.sh" && sh "$HOME/copy.sh"`},
	{class: "pipes", name: "dd into sh", cmd: "dd if=a.sh status=none | sh"},
	attemptWithFile(attempt{class: "pipes", name: "base64 into sh", cmd: "base64 -d x.b64 | sed s,@,{project}, | sh", files: map[string]string{"ok": goodScript, "no": evilScript}}, "x.b64", "c2ggQC9vawo=\n", "c2ggQC9ubwo=\n"),
	{class: "pipes", name: "a descriptor's file", cmd: "bash /dev/fd/3 3<a.sh"},
	{class: "pipes", name: "made of two files", cmd: "cat a.sh b.sh >made.sh; sh made.sh", files: two, change: twoLate},
	{class: "pipes", name: "a link made first", cmd: "ln -sf a.sh b.sh; sh b.sh"},
	{class: "pipes", name: "installed, then run", hard: true, cmd: "install -m755 a.sh x; ./x", needs: "install"},

	{class: "substitution", name: "a command from a file", cmd: "$(cat cmd)", files: map[string]string{"cmd": "touch {good}\n"}, change: map[string]string{"cmd": "touch {evil}\n"}, also: true},
	{class: "substitution", name: "backquotes", cmd: "`cat cmd`", files: map[string]string{"cmd": "touch {good}\n"}, change: map[string]string{"cmd": "touch {evil}\n"}},
	{class: "substitution", name: "as sh -c", cmd: `sh -c "$(cat a.sh)"`},
	{class: "substitution", name: "bash reads it", cmd: `bash -c 'bash -c "$(<a.sh)"'`},
	{class: "substitution", name: "the first script there is", cmd: "sh $(ls *.sh | head -n1)", files: map[string]string{"m.sh": goodScript}, change: map[string]string{"a.sh": evilScript}},
	{class: "substitution", name: "the name from a file", cmd: "sh $(cat name)", files: map[string]string{"name": "a.sh\n", "a.sh": goodScript, "b.sh": evilScript}, change: map[string]string{"name": "b.sh\n"}},
	{class: "substitution", name: "within an argument", cmd: `echo "$(sh ./a.sh)" >/dev/null`},

	{class: "xargs and find", name: "xargs", cmd: "echo ./a.sh | xargs sh", also: true},
	{class: "xargs and find", name: "xargs -I", cmd: "ls hooks.d | xargs -I{} sh hooks.d/{}", files: folder, change: another},
	{class: "xargs and find", name: "xargs with a list", cmd: "xargs -a list -n1 sh", files: map[string]string{"list": "./a.sh\n", "a.sh": goodScript, "b.sh": evilScript}, change: map[string]string{"list": "./a.sh ./b.sh\n"}},
	{class: "xargs and find", name: "find -exec", cmd: `find . -name a.sh -exec sh {} \;`},
	{class: "xargs and find", name: "find -exec, a new file", cmd: `find hooks.d -name '*.sh' -exec sh {} \;`, files: folder, change: another, also: true},
	{class: "xargs and find", name: "find -exec a script", cmd: `find a.sh -exec ./a.sh {} +`},
	{class: "xargs and find", name: "find -execdir", cmd: `find sub -name x -execdir ./a.sh \;`, files: map[string]string{"sub/x": "", "sub/a.sh*": goodScript}, change: map[string]string{"sub/a.sh*": evilScript}},

	{class: "wrappers", name: "env -S", cmd: "env -S 'sh ./a.sh'", also: true},
	{class: "wrappers", name: "env with a variable", cmd: "env X=1 ./a.sh"},
	{class: "wrappers", name: "env -i", cmd: "env -i sh ./a.sh"},
	{class: "wrappers", name: "env -C", cmd: "env -C sub sh ./a.sh", files: map[string]string{"sub/a.sh": goodScript}, change: map[string]string{"sub/a.sh": evilScript}},
	{class: "wrappers", name: "timeout", cmd: "timeout 50 sh ./a.sh", also: true},
	{class: "wrappers", name: "timeout with options", cmd: "timeout -k 5 --foreground 50 ./a.sh"},
	{class: "wrappers", name: "nice", cmd: "nice -n 5 ./a.sh"},
	{class: "wrappers", name: "nohup, setsid, stdbuf", cmd: "nohup setsid -w stdbuf -o0 sh ./a.sh"},
	{class: "wrappers", name: "flock", cmd: "flock lock sh ./a.sh", needs: "flock"},
	{class: "wrappers", name: "flock -c", cmd: "flock lock -c ./a.sh", needs: "flock"},
	{class: "wrappers", name: "a variable before it", cmd: "X=1 ./a.sh"},
	{class: "wrappers", name: "tar's checkpoint", hard: true, cmd: "tar -cf /dev/null --checkpoint=1 --checkpoint-action=exec='sh ./a.sh' big", files: map[string]string{"a.sh": goodScript, "big": spaces(40000)}, change: map[string]string{"a.sh": evilScript}},
	{class: "wrappers", name: "script -c", cmd: "script -qec ./a.sh /dev/null", needs: "script"},
	{class: "wrappers", name: "prlimit, setpriv, taskset", cmd: "prlimit --nofile=64 setpriv --no-new-privs taskset 1 ./a.sh", needs: "setpriv"},
	{class: "wrappers", name: "another shell by its path", cmd: "/usr/bin/env bash a.sh"},

	{class: "files' own words", name: "a script sources a file", cmd: "sh ./a.sh", files: map[string]string{"a.sh": ". ./lib.sh\n", "lib.sh": goodScript}, change: map[string]string{"lib.sh": evilScript}, also: true},
	{class: "files' own words", name: "a script runs a script", cmd: "./a.sh", files: map[string]string{"a.sh*": "#!/bin/sh\n./b.sh\n", "b.sh*": goodScript}, change: map[string]string{"b.sh*": evilScript}},
	{class: "files' own words", name: "a script runs make", cmd: "sh ./a.sh", files: map[string]string{"a.sh": "make -s lint\n", "Makefile": "lint:\n\ttouch {good}\n"}, change: map[string]string{"Makefile": "lint:\n\ttouch {evil}\n"}, needs: "make"},
	{class: "files' own words", name: "beside itself, by dirname", cmd: "sh ./s/a.sh", files: map[string]string{"s/a.sh": ". \"$(dirname \"$0\")/lib.sh\"\n", "s/lib.sh": goodScript}, change: map[string]string{"s/lib.sh": evilScript}},
	{class: "files' own words", name: "a directory of its own, then a script", cmd: "./s/a.sh", files: map[string]string{"s/a.sh*": "#!/bin/sh\ncd \"$(dirname \"$0\")\" && ./b.sh\n", "s/b.sh*": goodScript}, change: map[string]string{"s/b.sh*": evilScript}},
	{class: "files' own words", name: "three deep", cmd: "sh ./a.sh", files: map[string]string{"a.sh": "sh ./b.sh\n", "b.sh": ". ./c.sh\n", "c.sh": goodScript}, change: map[string]string{"c.sh": evilScript}},
}

func spaces(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = ' '
	}
	return string(b)
}
