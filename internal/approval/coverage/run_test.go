package coverage

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/lab/full"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// canaries creates a repository in which every file that runs logs that it did.
func canaries(t testing.TB) (root, home, log string) {
	t.Helper()
	base := t.TempDir()
	root, home, log = filepath.Join(base, "p"), filepath.Join(base, "home"), filepath.Join(base, "ran")
	for _, name := range []string{"x.sh", "y.sh", "sub/only.sh", "sub/x.sh", "bin/lint", "bin/ls", "bin/env", "it's.sh", "a b.sh", "EOF", "true", "timeout", "sh", "hooks/pre-commit", "-x.sh"} {
		writeFile(t, filepath.Join(root, name), "echo \""+name+"\" >>\"$RAN\"\n", 0o755)
	}
	python := func(name string) string {
		return "import os\nopen(os.environ['RAN'], 'a').write('" + name + "\\n')\n"
	}
	for _, name := range []string{"guard.py", "lib/mod.py", "pkg/__main__.py", "pkg/__init__.py", "json.py", "sitecustomize.py"} {
		writeFile(t, filepath.Join(root, name), python(name), 0o644)
	}
	for _, name := range []string{"x.pl", "lib/Mod.pm"} {
		writeFile(t, filepath.Join(root, name), "open(F, '>>', $ENV{RAN}); print F \""+name+"\\n\"; close(F);\n1;\n", 0o644)
	}
	writeFile(t, filepath.Join(root, "prog.awk"), "BEGIN { print \"prog.awk\" >> ENVIRON[\"RAN\"] }\n", 0o644)
	writeFile(t, filepath.Join(root, "names"), "x.sh\n", 0o644)
	writeFile(t, filepath.Join(root, "lines"), "./x.sh\n", 0o644)
	writeFile(t, filepath.Join(root, "plain"), "plain\n", 0o644)
	writeFile(t, filepath.Join(root, "chain"), "#!./x.sh\n", 0o755)
	writeFile(t, filepath.Join(root, "envs"), "#!/usr/bin/env -S sh ./y.sh\n", 0o755)
	writeFile(t, filepath.Join(root, "lead"), "#!/bin/sh\n. \"$(dirname \"$0\")/x.sh\"\nd=$(cd \"$(dirname \"$0\")\" && pwd)\n\"$d/sub/only.sh\"\nsh \"$1\"\n", 0o755)
	for name, text := range map[string]string{
		"libber": ". \"$LIB\"\n", "feeder": "sh\n", "piper": "cat | sh\n", "goer": "cd sub; sh\n", "arg": "sh \"$1\"\n", "funcs": "f() { ./x.sh; }\n", "named": "$(cat lines)\n",
	} {
		writeFile(t, filepath.Join(root, name), text, 0o755)
	}
	writeFile(t, filepath.Join(root, "bin/git-lint"), "echo bin/git-lint >>\"$RAN\"\n", 0o755)
	writeFile(t, filepath.Join(root, "tools/kubectl"), "exec kubectl-a-b\n", 0o755)
	writeFile(t, filepath.Join(root, "tools/kubectl-a-b"), "#!/bin/sh\necho tools/kubectl-a-b >>\"$RAN\"\n", 0o755)
	writeFile(t, filepath.Join(root, "new.sh"), "echo new.sh >>\"$RAN\"\n", 0o755)
	writeFile(t, filepath.Join(home, "plain"), "", 0o644)
	for _, name := range []string{"run.sh", "far/run.sh", "far/in/run.sh", "far/in/lib.sh", "nest/x.sh", "file/x.sh"} {
		writeFile(t, filepath.Join(root, name), "echo "+name+" >>\"$RAN\"\n", 0o755)
	}
	for _, name := range []string{"{x,y}.sh", "f{1..2}", "f1", "$x.sh", "~+/x.sh", "~-/x.sh", "$dq.sh", "kw/[[", "kw/let", "kw/time", "kw/coproc", "kw/function", "kw/select", "kw/declare", "kw/typeset", "kw/source", "kw/shopt", "kw/pushd"} {
		writeFile(t, filepath.Join(root, name), "echo '"+name+"' >>\"$RAN\"\n", 0o755)
	}
	writeFile(t, filepath.Join(root, "far/in/idiom"), "#!/bin/sh\n. \"$(dirname \"$(readlink -f \"$0\")\")/lib.sh\"\n", 0o755)
	writeFile(t, filepath.Join(root, "nest/.git/HEAD"), "ref: refs/heads/main\n", 0o644)
	writeFile(t, filepath.Join(root, "file/.git"), "gitdir: ../.git\n", 0o644)
	for name, to := range map[string]string{"lnk": "far/in", "idiom": "far/in/idiom", "link.sh": "lnk/../run.sh", "nest/.git/objects": "../../.git/objects", "nest/.git/refs": "../../.git/refs"} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"in.sh": "x.sh", "bin": "bin"} {
		if err := os.Symlink(filepath.Join(root, to), filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(root, ".git/HEAD"), "ref: refs/heads/main\n", 0o644)
	config := "[alias]\n\tzz = !" + root + "/x.sh\n\tyy = zz\n\tww = -c core.fsmonitor=" + root + "/x.sh status\n[core]\n\tfsmonitor = " + root + "/y.sh\n\thooksPath = " + root + "/hooks\n[diff]\n\texternal = " + root + "/x.sh\n[include]\n\tpath = more\n"
	for _, dir := range []string{"repo/.git", "bare"} {
		writeFile(t, filepath.Join(root, dir, "HEAD"), "ref: refs/heads/main\n", 0o644)
		writeFile(t, filepath.Join(root, dir, "config"), config, 0o644)
		writeFile(t, filepath.Join(root, dir, "more"), "[alias]\n\tvv = \"!f() { "+root+"/sub/only.sh; }; f\"\n[core]\n\tsshCommand = "+root+"/x.sh\n", 0o644)
		for _, name := range []string{"objects", "refs"} {
			if err := os.MkdirAll(filepath.Join(root, dir, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	writeFile(t, filepath.Join(root, "gitmore"), "[alias]\n\tuu = !./x.sh\n", 0o644)
	for _, name := range []string{"objects", "refs", "hooks"} {
		if err := os.MkdirAll(filepath.Join(root, ".git", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root, home, log
}

// tricks are ways to run a file of the repository.
var tricks = []string{
	// Variables and words.
	`x=./x.sh; $x`, `x=x; sh ./$x.sh`, `x=./x.sh; "$x" a`, `y=x; x=./x.sh; ${!y}`, `eval ./x.sh`, `x='./x.sh a'; $x`, `x='./x.sh a'; eval "$x"`,
	`$(echo ./x.sh)`, "`echo ./x.sh`", `printf -v v ./x.sh; $v`, `read v <<< ./x.sh; $v`, `IFS=,; v=./x.sh,a; $v`, `set -- ./x.sh,a; IFS=,; $1`,
	`./{x,y}.sh`, `sh ./{x,}.sh`, `sh $'\x2e/x.sh'`, `sh $'x\056sh'`, `./x.s?`, `./x.s[h]`, `./?.sh`, `sh x.*`, `sh *.sh`, `sh ./[!a-w].sh`, `./it\'s.sh; "./a b.sh"`, `sh "it's.sh"`,
	`for i in x y; do ./$i.sh; done`, `for i in *.sh; do sh ./"$i"; done`, `for f in sub/*; do $f; done`, `i=0; while [ $i -lt 1 ]; do ./x.sh; i=1; done`,
	`a=(./x.sh ./y.sh); ${a[1]}`, `a=(sh x.sh); "${a[@]}"`, `declare -A m; m[k]=./x.sh; ${m[k]}`, `x=y; ./${x/y/x}.sh`, `x=zx; ./${x#z}.sh`, `x=X; ./${x,,}.sh`, `./${u:-x}.sh`,
	`a='b[$(./x.sh)]'; echo $((a))`, `declare -n r=v; v=./x.sh; $r`, `v=x.sh; ./"$(echo $v | tr a a)"`, `s=./x.shzz; ${s%zz}`, `s=zz./x.sh; ${s:2}`, `case a in a) ./x.sh;; esac`,
	// Shells and their options.
	`sh x.sh`, `sh -e x.sh`, `sh -- x.sh`, `sh - x.sh`, `sh +x x.sh`, `sh -o errexit x.sh`, `bash -O extglob x.sh`, `bash --norc x.sh`, `bash --init-file x.sh -i </dev/null`, `dash x.sh`,
	`sh -c ./x.sh`, `sh -c '. ./x.sh'`, `sh -ec 'sh x.sh'`, `bash -c '"$@"' _ ./x.sh`, `bash -c '. $0' ./x.sh`, `sh -c 'sh "$1"' _ x.sh`, `sh -c "sh -c 'sh -c ./x.sh'"`, `. ./x.sh`, `. ./x.sh a`, `command . ./x.sh`,
	`sh < x.sh`, `sh -s < x.sh`, `sh -s a < x.sh`, `<x.sh sh`, `sh 0< x.sh`, `sh /dev/stdin < x.sh`, `cat x.sh | sh`, `cat x.sh | sh /dev/stdin`, `cat < x.sh | sh -s`, `. /dev/stdin < x.sh`,
	`exec 3<x.sh; sh <&3`, `exec 3<x.sh; . /dev/fd/3`, `bash /dev/fd/5 5<x.sh`, `sh /proc/self/fd/0 < x.sh`, `exec < x.sh; sh`, `exec < x.sh; read l; eval "$l"`, `{ sh; } < x.sh`, `(sh) < x.sh`, `if sh; then :; fi < x.sh`,
	`bash <(cat x.sh)`, `. <(cat x.sh)`, `bash < <(cat x.sh)`, `sh <<< "$(cat x.sh)"`, "sh <<E\n$(cat x.sh)\nE", "sh <<'E'\n. ./x.sh\nE", `bash -c 'source /dev/stdin' < x.sh`,
	// What flows into them.
	`eval "$(cat x.sh)"`, `bash -c "$(<x.sh)"`, `v=$(cat x.sh); sh -c "$v"`, `export V="$(cat x.sh)"; sh -c 'eval "$V"'`, `V="$(cat x.sh)" sh -c 'eval "$V"'`, `printf '%s\n' "$(cat x.sh)" | sh`, `echo "$(cat x.sh)" | sh`,
	`{ echo :; cat x.sh; } | sh`, `(cat x.sh) | sh`, `cat x.s? | sh`, `cat ./* 2>/dev/null | head -n1 | sh`, `while IFS= read -r l; do eval "$l"; done < x.sh`, `cat x.sh | while read -r l; do sh -c "$l"; done`,
	`mapfile -t a < x.sh; eval "${a[0]}"`, `read -r l < x.sh; eval "$l"`, `read -r l < lines; $l`, `read -r f < names; sh "$f"`, `sh $(cat names)`, `$(cat lines)`, `. "./$(cat names)"`, `xargs sh < names`, `xargs -I{} ./{} < names`, `xargs -a names sh`,
	`head -n9 x.sh | sh`, `tail -n +1 x.sh | sh`, `sed s/a/a/ x.sh | sh`, `sed -n p < x.sh | sh`, `tr a a < x.sh | sh`, `cut -c1- x.sh | sh`, `tac x.sh | tac | sh`, `grep . x.sh | sh`, `awk 1 x.sh | sh`, `base64 x.sh | base64 -d | sh`, `gzip -c x.sh | gunzip | sh`, `paste x.sh | sh`, `sort x.sh | sh`, `perl -ne print x.sh | sh`, `python3 -c 'print(open("x.sh").read())' | sh`, `dd if=x.sh 2>/dev/null | sh`, `nl -b n x.sh | cut -c8- | sh`, `xxd -p x.sh | xxd -r -p | sh`, `tee < x.sh | sh`, `pr -t x.sh | sh`, `expand x.sh | sh`, `git show :x.sh | sh`, `cat - < x.sh | sh`, `cat x.sh - </dev/null | sh`, `cat 2>/dev/null x.sh | sh`, `cat -- x.sh | sh`, `cat -u x.sh | sh`, `env cat x.sh | sh`, `command cat x.sh | sh`,
	`cp x.sh new; sh new`, `cp x.sh new.sh && ./new.sh`, `mv x.sh z.sh; ./z.sh`, `ln x.sh z.sh; ./z.sh`, `ln -s x.sh z.sh; sh z.sh`, `ln -s sub d; d/only.sh`, `install x.sh z.sh; ./z.sh`, `cat x.sh > z; sh z`, `cat x.sh >> z; sh z`, `tee z < x.sh >/dev/null; . ./z`, `dd if=x.sh of=z 2>/dev/null; sh z`, `sed w/dev/null x.sh > z; sh z`, `cp x.sh y.sh sub; sub/y.sh`, `cp -r sub d; d/only.sh`, `mkdir d; cp x.sh d; cd d; ./x.sh`, `{ cat x.sh; } > z; sh z`, `sh -c 'cat x.sh' > z; sh z`, `echo ./x.sh > z; sh z`, `printf './x.sh\n' > z; sh z`, `python3 -c 'open("z","w").write(open("x.sh").read())'; sh z`, `tar cf - x.sh | tar xf - -C sub; sub/x.sh`,
	// Between commands.
	`true && ./x.sh`, `false || ./x.sh`, `! ./x.sh`, `./x.sh & wait`, `(./x.sh)`, `{ ./x.sh; }`, `if ./x.sh; then :; fi`, `until ./x.sh; do break; done`, `: $(./x.sh)`, `: ${v:=$(./x.sh)}`, "cat <<E\n$(./x.sh)\nE", `cat <(./x.sh)`, `echo > >(./x.sh); sleep 0.1`, `[ "$(./x.sh)" ]`, `time ./x.sh`, `coproc ./x.sh; wait`, `trap ./x.sh EXIT`, `trap './x.sh' 0; exit`, `f() { "$@"; }; f ./x.sh`, `f() { sh "$1"; }; f x.sh`, `f() { ./x.sh; }; trap f EXIT`, `select i in a; do break; done </dev/null; ./x.sh`, `shopt -s expand_aliases
alias l=./x.sh
l`, `PS4='$(./x.sh)'; set -x; :`, `PROMPT_COMMAND=./x.sh bash -i </dev/null 2>/dev/null`, `exec ./x.sh`, `exec -a z ./x.sh`, `command ./x.sh`, `builtin . ./x.sh`, `test -f x.sh && ./x.sh`, `[ -x x.sh ] && ./x.sh`, `>new; ./x.sh`, `./x.sh >/dev/null 2>&1`, "true\n\n./x.sh", "./x.sh # y.sh", `a=1 ./x.sh`, `./x\
.sh`,
	// Wrappers, and files that are called like them.
	`env ./x.sh`, `env -i RAN="$RAN" ./x.sh`, `env -S './x.sh a'`, `env -C sub ./only.sh`, `env A=1 sh x.sh`, `nice ./x.sh`, `nice -n 1 sh x.sh`, `nohup ./x.sh 2>/dev/null`, `timeout 5 ./x.sh`, `timeout -s KILL 5 sh x.sh`, `setsid -w ./x.sh`, `stdbuf -o0 ./x.sh`, `flock z ./x.sh`, `flock z -c ./x.sh`, `script -qc ./x.sh /dev/null </dev/null`, `xargs ./x.sh </dev/null`, `echo x.sh | xargs sh`, `echo ./x.sh | xargs -I{} {}`, `find . -maxdepth 1 -name x.sh -exec sh {} \;`, `find sub -name only.sh -exec {} \;`, `find . -name plain -exec ./x.sh \;`, `find sub -name only.sh -execdir ./x.sh \;`, `./timeout 5 true`, `./sh -c :`, `bin/env true`, `./true`, `bin/ls`, `taskset 1 ./x.sh`, `ionice ./x.sh`, `chroot --userspec= / true; ./x.sh`, `/lib64/ld-linux-x86-64.so.2 /bin/sh x.sh`, `watch -g -n 1 ./x.sh </dev/null 2>/dev/null & sleep 0.3; kill $!`, `parallel ./x.sh ::: a 2>/dev/null`, `ls x.sh | xargs -n1 sh`, `printf 'x.sh\0' | xargs -0 sh`,
	// Directories.
	`cd sub; ./only.sh`, `cd sub && ./x.sh`, `cd none; ./x.sh`, `cd sub/..; ./x.sh`, `cd "$PWD"; ./x.sh`, `cd ./sub; cd -; ./x.sh`, `pushd sub >/dev/null; ./only.sh`, `(cd sub; ./only.sh)`, `cd "$(git rev-parse --show-toplevel)"; ./x.sh`, `cd -P sub; ./x.sh`, `CDPATH=.; cd sub >/dev/null; ./only.sh`, `"$PWD"/x.sh`, "`pwd`/x.sh", `$(pwd)/sub/only.sh`, `./sub/../x.sh`, `.//x.sh`, `"$(git rev-parse --show-toplevel)/x.sh"`, `sh "$(dirname ./sub/only.sh)/only.sh"`, `$(realpath x.sh)`, `$(readlink -f x.sh)`,
	// Links.
	`lnk/../run.sh`, `sh lnk/../run.sh`, `. lnk/../run.sh`, `cat lnk/../run.sh | sh`, `cd lnk && ../run.sh`, `cd lnk; sh ./../run.sh`, `cd lnk/..; ./run.sh`, `cd lnk; cd ..; ./run.sh`, `cd -P lnk/..; ./run.sh`, `cd -P lnk; cd ..; ./run.sh`, `env -C lnk ../run.sh`, `env -C lnk/.. ./run.sh`, `cd sub; env -C .. ./run.sh`, `(cd lnk; ../run.sh)`, `"$PWD"/lnk/../run.sh`, `./lnk/../r*.sh`, `for f in lnk/../*.sh; do sh $f; done`, `sh link.sh`, `./link.sh`, `cd lnk; "$PWD"/../run.sh`, `cd lnk; "$(pwd -P)"/../run.sh`, `cd lnk; cd "$(pwd -P)/.."; ./run.sh`, `"$(cd lnk; pwd)"/../run.sh`, `"$(cd lnk/.. && pwd)"/run.sh`, `"$(cd -P lnk/.. && pwd)"/run.sh`, `"$(readlink -f lnk)"/run.sh`, `"$(realpath lnk)"/../run.sh`, `"$(dirname "$(realpath lnk)")"/run.sh`, `cd "$(realpath lnk)/.."; ./run.sh`, `$(readlink -f link.sh)`, `. "$(realpath link.sh)"`, `"$(readlink lnk)"/run.sh`, `"$(realpath -s lnk)"/../run.sh`, `./idiom`, `sh ./idiom`, `lnk/idiom`, `PATH=lnk/..:$PATH; run.sh`, `cd lnk; PATH=..:$PATH run.sh`, `sh sub/../lnk/../in/../run.sh`,
	`cd nest; $(git rev-parse --show-toplevel)/x.sh`, `cd file; $(git rev-parse --show-toplevel)/x.sh`, `cd sub; $(git rev-parse --show-toplevel)/x.sh`, `cd lnk; $(git rev-parse --show-toplevel)/run.sh`, `R=$(git rev-parse --show-toplevel 2>/dev/null) && cd "$R" && ./x.sh`,
	`find far -name '*.sh' | xargs -n1 sh`, `find far -name '*.sh' -print0 | xargs -0 -n1 sh`, `find far -name '*.sh' | while read -r f; do sh "$f"; done`, `for f in $(find far -name 'run.sh'); do $f; done`, `find far -type f -name lib.sh -exec sh {} +`,
	// What shells read in different ways.
	`sh {x,y}.sh`, `./{x,y}.sh`, `. ./{x,y}.sh`, `sh f{1..2}`, `./f{1..2}`, `./$'x'.sh`, `sh $'x.sh'`, `sh $"dq.sh"`, `./$"dq".sh`, `~+/x.sh`, `sh ~+/x.sh`, `cd sub; ~-/x.sh`, `cat {x,y}.sh | sh`, `for f in {x,y}.sh; do sh ./$f; done`, `echo ${n,,}; sh {x,y}.sh`, `if false; then echo ${n,,}; fi; sh {x,y}.sh`, `a='sh {x,y}.sh'; eval "$a"`, `sh -c 'sh {x,y}.sh'`, `bash -c 'sh {x,y}.sh'`, `sh -c "./$'x'.sh"`,
	`PATH=kw:$PATH; [[ -f plain ]]`, `PATH=kw:$PATH; if [[ -f plain && -n a ]]; then :; fi`, `PATH=kw:$PATH; let 1`, `PATH=kw:$PATH; time true`, `PATH=kw:$PATH; coproc true; :`, `PATH=kw:$PATH; function f`, "PATH=kw:$PATH\nfunction f { true; }", `PATH=kw:$PATH; select i`, `PATH=kw:$PATH; declare a=1`, `PATH=kw:$PATH; typeset a=1`, `PATH=kw:$PATH; source plain`, `PATH=kw:$PATH; shopt -s a; pushd .`, `PATH=kw:$PATH; a() { [[ -n $1 ]]; }; a b`, `PATH=kw:$PATH sh -c '[[ a ]]'`, `export PATH=kw:$PATH; sh -c 'time true'`, `PATH=kw:$PATH; echo ${n,,} && [[ a ]]`, `PATH=kw:$PATH; [[ a ]] && a=(b)`,
	// PATH.
	`unset PATH; x.sh`, `PATH=; x.sh`, `PATH=; export PATH; x.sh`, `env -u PATH bash -c x.sh`, `env -i RAN="$RAN" bash -c x.sh`, `env -i RAN="$RAN" sh -c x.sh`,
	`PATH=. x.sh`, `PATH=:$PATH x.sh`, `PATH=$PATH: x.sh`, `PATH=bin:$PATH lint`, `PATH=bin:$PATH; ls`, `export PATH=bin:$PATH; sh -c ls`, `PATH+=:bin; lint`, `env PATH=bin:/usr/bin:/bin lint`, `PATH=$PWD/bin:$PATH timeout 5 lint`, `PATH=bin; export PATH; lint`, `hash -p ./x.sh ls; ls`, `cd sub; PATH=..:$PATH x.sh`, `PATH=.:$PATH; . x.sh`, `PATH=bin:$PATH command lint`, `PATH=bin:$PATH exec lint`, `PATH=.:$PATH timeout 5 true`, `PATH=.:$PATH env true`, `p=$PWD/bin; PATH=$p:$PATH; lint`,
	`PATH=bin:$PATH git lint`, `PATH=bin:$PATH; git -C . --no-pager lint a`, `PATH=bin:$PATH; c=lint; git $c`, `PATH=bin:$PATH; git "$NAME"`, `PATH=tools:$PATH kubectl a b`,
	// What a script is given.
	`export LIB=./x.sh; sh libber`, `LIB=./x.sh sh libber`, `LIB=./x.sh; . ./libber`, `env LIB=./x.sh ./libber`, `set -a; LIB=./x.sh; sh libber`, `LIB=./y.sh sh libber; LIB=./x.sh sh libber`, `LIB=./x.sh; export LIB; sh -c 'sh libber'`, `[ "$NAME" ] && LIB=./y.sh || LIB=./x.sh; export LIB; sh libber`, `export LIB=./x.sh; sh arg libber`, `LIB=x.sh; . ./libber 2>/dev/null; LIB=./x.sh ./libber`,
	`sh feeder < x.sh`, `cat x.sh | sh feeder`, `sh piper < x.sh`, `./piper < x.sh`, `cat x.sh | cat | ./piper`, `cd sub; sh ../feeder < only.sh`, `sh goer < x.sh`, `cat x.sh | ./goer`, `exec < x.sh; sh feeder`, `{ ./feeder; } < x.sh`, `sh feeder <<< ./x.sh`, "sh feeder <<E\n$(cat x.sh)\nE", `sh arg feeder < x.sh`, `bash -c 'sh feeder' < x.sh`, `. ./feeder < x.sh`,
	`sh arg y.sh; sh arg x.sh`, `(cd sub; sh ../arg x.sh); sh arg x.sh`, `. ./funcs; f`, `. ./funcs && f a`, `set -- ./x.sh; . ./arg`, `for i in y x; do sh arg $i.sh; done`, `sh named`,
	// Ways around a name.
	`sh /proc/self/cwd/x.sh`, `/proc/self/cwd/x.sh`, `cd sub; sh /proc/self/cwd/only.sh`, `sh /proc/thread-self/cwd/./x.sh`, `sh /proc/self/cwd/sub/../x.sh`, `sh /proc/self/root"$PWD"/x.sh`, `sh /proc/$$/cwd/x.sh`, `sh /proc/self/task/self/cwd/x.sh`, `cd /proc/self/cwd/sub; ./only.sh`, `cd sub; cd /proc/self/cwd; ./only.sh`, `. /proc/self/cwd/x.sh`, `cat /proc/self/cwd/x.sh | sh`, `sh /dev/fd/../cwd/x.sh`, `exec 3<sub; sh /dev/fd/3/only.sh`, `exec 3<sub; sh /proc/self/fd/3/only.sh`, `sh ../../../../../../../../../../proc/self/cwd/x.sh`, `python3 /proc/self/cwd/guard.py`, `sh /proc/self/cwd/x.s?`, `run-parts sub`, `run-parts --regex=. ./sub`, `run-parts --arg=a --regex . sub`, `run-parts tools`, `d=sub; run-parts --regex . "$d"`, `sh "$HOME"/in.sh`, `sh ~/in.sh`, `PATH=$HOME/bin:$PATH lint`, `HOME=sub; sh ~/only.sh`, `HOME=$PWD; ~/x.sh`, `export HOME=sub; sh -c '~/only.sh'`, `HOME=$PWD sh -c 'sh ~/x.sh'`,
	`printf 'all:\n\tcp x.sh built\n' > Makefile; make -s; ./built`, `make -s new; ./new`,
	// Other variables.
	`BASH_ENV=x.sh bash -c :`, `BASH_ENV=./x.sh; export BASH_ENV; bash -c :`, `export BASH_ENV='$PWD/x.sh'; bash -c :`, `ENV=./x.sh sh -i -c : </dev/null 2>/dev/null`, `PYTHONSTARTUP=guard.py python3 -i </dev/null 2>/dev/null`, `PYTHONPATH=lib python3 -c 'import mod'`, `PYTHONPATH=lib python3 -m mod`, `PYTHONPATH=. python3 /dev/null`, `PERL5OPT=-Mlib=lib perl -e 'use Mod'`, `PERL5LIB=lib perl -MMod -e 1`, `PERL5OPT='-Ilib -MMod' perl -e 1`, `GIT_PAGER=./x.sh git -p log`, `GIT_EXTERNAL_DIFF=./x.sh git diff --no-index plain lines`, `PAGER=./x.sh git -p --version`, `EDITOR=./x.sh git commit --allow-empty`, `GIT_SSH_COMMAND=./x.sh git ls-remote ssh://h/x`, `LESSOPEN='|./x.sh %s' less -E plain`, `TAR_OPTIONS='--checkpoint=1 --checkpoint-action=exec=./x.sh' tar cf /dev/null plain`, `GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.z GIT_CONFIG_VALUE_0='!./x.sh' git z`, `HOME=$PWD bash -lc :`,
	// Interpreters.
	`python3 guard.py`, `python3 ./sub/../guard.py`, `python3 -u guard.py a`, `python3 -B -W ignore guard.py`, `python3 -- guard.py`, `python3 < guard.py`, `cat guard.py | python3`, `cat guard.py | python3 -`, `python3 - < guard.py`, `python3 -c "$(cat guard.py)"`, `python3 <<< "$(cat guard.py)"`, `python3 -m guard`, `python3 -mguard`, `python3 -m lib.mod`, `python3 -m pkg`, `python3 pkg`, `python3 -m json.tool < plain`, `python3 -c 'import guard'`, `python3 -c 'import sys, guard as g'`, `python3 -c 'from guard import *'`, `python3 -c 'from lib import mod'`, `python3 -c 'import pkg'`, `python3 -c 'import json'`, `python3 -c "__import__('guard')"`, `python3 -c 'exec(open("guard.py").read())'`, `python3 -c 'import runpy; runpy.run_path("guard.py")'`, `python3 -c 'import importlib; importlib.import_module("guard")'`, `python3 -c "import sys; sys.path.insert(0,'lib'); import mod"`, `python3 -c 'import os; os.system("./x.sh")'`, `python3 -c 'import os; os.execv("./x.sh", ["x"])'`, `python3 -c 'import subprocess; subprocess.run(["sh","x.sh"])'`, `python3 -c 'import subprocess; subprocess.Popen("./x.sh", shell=True).wait()'`, `python3 -c 'import os; os.popen("./x.sh").read()'`, `python3 -c 'import os; p="./"+"x.sh"; os.system(p)'`, "python3 - <<'E'\nimport subprocess\nsubprocess.run(['./x.sh'])\nE", `python3 -ic 'import guard' </dev/null 2>/dev/null`,
	`perl x.pl`, `perl -w x.pl`, `perl < x.pl`, `cat x.pl | perl`, `perl -e 'do "./x.pl"'`, `perl -e 'require "./x.pl"'`, `perl -e 'system("./x.sh")'`, "perl -e '`./x.sh`'", `perl -e 'exec "./x.sh"'`, `perl -Ilib -MMod -e 1`, `perl -I lib -e 'use Mod'`, `perl -e 'open(F, "./x.sh|"); print <F>'`, `perl -e "$(cat x.pl)"`,
	`awk 'BEGIN{system("./x.sh")}'`, `awk 'BEGIN{while(("./x.sh" | getline l) > 0);}'`, `awk -f prog.awk </dev/null`, `awk -fprog.awk </dev/null`, `awk '{print | "sh"}' x.sh`, `awk '{system($0)}' lines`, `awk -v c=./x.sh 'BEGIN{system(c)}'`, `sed -n '1e ./x.sh' plain`, `sed 's/.*/.\/x.sh/e' plain`, `sed -n '1e' lines`, `echo '1e ./x.sh' > z; sed -f z plain`,
	// Programs that start others.
	`git -c core.fsmonitor=./x.sh status`, `git -c alias.z='!./x.sh' z`, `git config alias.z '!./x.sh' && git z`, `git -c diff.external=./x.sh diff --no-index plain lines`, `git -c core.pager=./x.sh -p --version`, `git -c core.editor=./x.sh -c user.name=a -c user.email=a@b commit --allow-empty`, `git -c core.hooksPath=hooks -c user.name=a -c user.email=a@b commit -q --allow-empty -m x`, `cp hooks/pre-commit .git/hooks/ && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x`, `git bisect start >/dev/null; ./x.sh`, `git submodule foreach ./x.sh; ./x.sh`, `git -c user.name=a -c user.email=a@b rebase -x ./x.sh HEAD 2>/dev/null; ./x.sh`,
	`cd repo; git zz`, `git -C repo zz a`, `git -C repo yy`, `git -C repo ww`, `git -C repo vv`, `git --git-dir=repo/.git zz`, `GIT_DIR=repo/.git git zz`, `export GIT_DIR=repo/.git; git zz`, `cd bare; git zz`, `git -C bare zz`, `cd repo; git status`, `git -C repo add HEAD`, `git -C repo diff --no-index ../plain ../lines`, `git -C repo ls-remote ssh://h/x`, `git -C repo -c user.name=a -c user.email=a@b commit -q --allow-empty -m x`, `git -C repo hook run pre-commit`, `git -c core.hooksPath=hooks hook run pre-commit`, `n=pre-commit; git -c core.hooksPath=hooks hook run $n`, `git -c include.path="$PWD/gitmore" uu`, `GIT_CONFIG_GLOBAL=gitmore git uu`, `c=zz; git -C repo $c`, `d=repo; cd $d && git zz`, `git -C repo "$(echo zz)"`, `sh -c 'cd repo; git zz'`,
	`tar cf /dev/null --checkpoint=1 --checkpoint-action=exec=./x.sh plain`, `tar -I ./x.sh -cf z plain 2>/dev/null`, `tar cf - plain | tar xf - --to-command=./x.sh`, `split --filter=./x.sh plain`, `sort -S1 --compress-program=./x.sh plain; ./x.sh`, `ssh -o ProxyCommand=./x.sh h 2>/dev/null`, `rsync -e ./x.sh plain h: 2>/dev/null`, `make -f - <<< 'a:;./x.sh'`, `printf 'a:\n\t./x.sh\n' > Makefile; make`, `run-parts --regex . sub`, `ls | xargs -I{} sh -c './x.sh'`,
	// Scripts on the way.
	`./chain`, `./envs`, `./lead y.sh`, `sh lead y.sh`, `sub/../lead ./y.sh`, `cd sub; ../lead x.sh`, `. ./lead y.sh`, `cat lead | sh -s y.sh`,
	`./-x.sh`, `sh ./-x.sh`, `sh -- -x.sh`,
}

// starters are hooks that run a file of the repository by their settings.
var starters = []string{
	`{"argv":["./x.sh"]}`, `{"argv":["sh","x.sh","y.sh"]}`, `{"argv":["sh","-c","./x.sh"]}`, `{"argv":["env","PATH=bin:/bin:/usr/bin","lint"]}`, `{"argv":["lint"],"env":{"PATH":"bin"}}`, `{"argv":["git","lint"],"env":{"PATH":"bin:/usr/bin"}}`, `{"command":"sh ~/x.sh","env":{"HOME":"."}}`, `{"command":"sh $HOME/only.sh","env":{"HOME":"sub"}}`, `{"argv":["/proc/self/cwd/x.sh"]}`, `{"argv":["env","lint"],"env":{"PATH":"bin:/bin"}}`,
	`{"argv":["timeout","5","./x.sh"]}`, `{"argv":["./a b.sh"]}`, `{"argv":["./chain"]}`, `{"argv":["python3","guard.py"]}`, `{"argv":["find",".","-name","x.sh","-exec","sh","{}",";"]}`, `{"argv":["xargs","-a","names","sh"]}`, `{"argv":["awk","-f","prog.awk","/dev/null"]}`,
	`{"command":"lint","env":{"PATH":"bin:/usr/bin:/bin"}}`, `{"command":"ls","env":{"PATH":"${env.HOME}/../p/bin:/bin"}}`, `{"command":"bash -c :","env":{"BASH_ENV":"x.sh"}}`, `{"command":"sh -ic : </dev/null","env":{"ENV":"./x.sh"}}`, `{"command":"$RUN x.sh","env":{"RUN":"sh"}}`, `{"command":"$RUN","env":{"RUN":"./x.sh"}}`, `{"command":"eval \"$RUN\"","env":{"RUN":"./x.sh; :"}}`,
	`{"command":"git z","env":{"GIT_CONFIG_COUNT":"1","GIT_CONFIG_KEY_0":"alias.z","GIT_CONFIG_VALUE_0":"!./x.sh"}}`, `{"command":"git diff --no-index plain lines","env":{"GIT_EXTERNAL_DIFF":"./x.sh"}}`, `{"command":"git -p --version","env":{"GIT_PAGER":"./x.sh"}}`, `{"command":"git -p --version","env":{"PAGER":"sh x.sh"}}`, `{"command":"git status","env":{"GIT_CONFIG_PARAMETERS":"'core.fsmonitor=./x.sh'"}}`,
	`{"command":"python3 -c 1","env":{"PYTHONPATH":"."}}`, `{"command":"python3 guard.py","env":{"PYTHONPATH":"lib"}}`, `{"command":"perl -e 1","env":{"PERL5OPT":"-Ilib -MMod"}}`, `{"command":"perl -MMod -e 1","env":{"PERL5LIB":"lib"}}`, `{"command":"./only.sh","working_dir":"sub"}`, `{"command":"./only.sh","working_dir":"$SUB"}`, `{"command":"./only.sh","working_dir":"${env.SUB}"}`, `{"command":"sh \"$NAME\""}`, `{"command":"$CLAUDE_PROJECT_DIR/x.sh"}`,
	`{"command":"tar cf /dev/null plain","env":{"TAR_OPTIONS":"--checkpoint=1 --checkpoint-action=exec=./x.sh"}}`, `{"command":"less -E plain","env":{"LESSOPEN":"|./x.sh %s"}}`, `{"command":"bash -lc :","env":{"HOME":"."}}`,
}

// scripts are scripts that run others, as people write them.
var scripts = []string{
	`. "$(dirname "$0")/x.sh"`, `sh {x,y}.sh`, `. ./$'x'.sh`, `PATH=kw:$PATH; [[ -n $1 ]]; time true`, `"$(dirname "$0")/lnk/../run.sh"`, `cd "$(dirname "$0")/lnk" && ../run.sh`, `h=$(cd "$(dirname "$0")/lnk" && pwd -P); . "$h/../run.sh"`, `cd nest; "$(git rev-parse --show-toplevel)"/x.sh`, `unset PATH; x.sh`, `. "${0%/*}/x.sh"`, `. $(dirname $0)/x.sh`, `cd "$(dirname "$0")" && ./x.sh`, `exec "$(dirname "$0")"/x.sh "$@"`, `d=$(cd "$(dirname "$0")" && pwd); "$d/x.sh"`, `d=$(cd -- "$(dirname -- "$0")" && pwd -P); . "$d/sub/only.sh"`,
	`ROOT=$(git rev-parse --show-toplevel); "$ROOT/x.sh"`, `for f in "$(dirname "$0")"/sub/*.sh; do . "$f"; done`, `for f in x y; do ./$f.sh; done`, `case "$1" in a) ./x.sh;; *) ./y.sh;; esac`, `set -eu; : "${V:=x}"; sh ./$V.sh`, `f() { ./x.sh "$@"; }; f a`, `sh "$2"`, `shift; sh "$1"`, `run() { sh "$1"; }; run x.sh`,
	`exec sh -c ". ./x.sh"`, `if [ -f x.sh ]; then . ./x.sh; fi`, `PATH=$(dirname "$0")/bin:$PATH; lint`, `export PATH="$PWD/bin:$PATH"; lint`, `python3 "$(dirname "$0")/guard.py"`, `here=$(dirname "$(readlink -f "$0")"); sh "$here/x.sh"`, `here=$(dirname "$(realpath "$0")"); sh "$here/x.sh"`, `cat x.sh | sh`, `sh lead x.sh`, `./chain`, `( cd sub && ./only.sh )`, "cat <<E | sh\n./x.sh\nE",
}

var bashScripts = []string{
	`source "$(dirname "${BASH_SOURCE[0]}")/x.sh"`, `source "${BASH_SOURCE%/*}/x.sh"`, `D="$( cd "$( dirname "${BASH_SOURCE[0]}" )" >/dev/null 2>&1 && pwd )"; "$D/x.sh"`, `source ./x.sh; [[ -n $1 ]] && ./y.sh`, `a=(./x.sh); "${a[@]}"`, `declare -r S=x.sh; bash $S`, `(( 1 )) && ./x.sh`,
}

// Files that really run are covered, or the plan is unsure.
func TestPlanCoversWhatRuns(t *testing.T) {
	full.Skip(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("starts some hundred processes")
	}
	needsShell(t)
	var ran, told int
	for _, command := range tricks {
		for _, shell := range []string{"/bin/sh", "/bin/bash"} {
			h := commandHook(command)
			compareWithRun(t, h, []string{shell, "-c", command}, &ran, &told)
		}
	}
	for _, with := range starters {
		h := &checkrein.Hook{Run: "command", With: json.RawMessage(with)}
		argv := plainArgv(h)
		if text := shellText(h); text != "" {
			argv = []string{"/bin/sh", "-c", text}
		}
		compareWithRun(t, h, argv, &ran, &told)
	}
	t.Logf("%d files ran; of %d it was said that it cannot be told", ran, told)
	if ran == 0 {
		t.Error("nothing ran")
	}
}

// Everything that scripts run, as people write them, is covered.
func TestPlanCoversWhatScriptsRun(t *testing.T) {
	t.Parallel()
	needsShell(t)
	var ran, told int
	for i, text := range append(slices.Clone(scripts), bashScripts...) {
		line := "#!/bin/sh\n"
		if i >= len(scripts) {
			line = "#!/usr/bin/env bash\n"
		}
		for _, command := range []string{"./run a y.sh", "sh -c '\"$PWD\"/run a y.sh'"} {
			compareWithRun(t, commandHook(command), []string{"/bin/sh", "-c", command}, &ran, &told, line+text+"\n")
		}
	}
	t.Logf("%d files ran", ran)
	if told > 0 {
		t.Errorf("%d could not be told", told)
	}
}

func real(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// compareWithRun runs a hook and compares the files that ran with its plan.
func compareWithRun(t *testing.T, h *checkrein.Hook, argv []string, ran, told *int, run ...string) {
	t.Helper()
	if _, err := exec.LookPath(argv[0]); err != nil && strings.HasPrefix(argv[0], "/") {
		return
	}
	root, home, log := canaries(t)
	for _, text := range run {
		writeFile(t, filepath.Join(root, "run"), text, 0o755)
	}
	env := []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "RAN=" + log, "TMPDIR=" + home, "SUB=sub", "NAME=x.sh", "CLAUDE_PROJECT_DIR=" + root}
	var look DiskView
	plan := PlanFor(h, Place{Root: root, Top: root, Home: home, Environ: env}, &look)
	own, err := environ.ReadPlace(h.With)
	if err != nil {
		t.Fatal(err)
	}
	dir, vars, _ := own.Resolve(root, env)
	if !strings.Contains(argv[0], "/") { // as hooks are started
		list, _ := environ.Lookup(vars, "PATH")
		for _, elem := range filepath.SplitList(list) {
			if !filepath.IsAbs(elem) {
				elem = filepath.Join(dir, elem)
			}
			if path, err := exec.LookPath(filepath.Join(elem, argv[0])); err == nil {
				argv = append([]string{path}, argv[1:]...)
				break
			}
		}
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, vars
	_ = cmd.Run()
	text, _ := os.ReadFile(log)
	for name := range strings.Lines(string(text)) {
		path := filepath.Join(root, strings.TrimSuffix(name, "\n"))
		*ran++
		if len(plan.Unsure) > 0 {
			*told++
		} else if !slices.ContainsFunc(plan.Parts, func(p Part) bool { return real(p.Path) == real(path) }) {
			t.Errorf("%s by %s %q\n runs %s, covered: %s", h.With, argv[0], run, strings.TrimSpace(name), coveredFiles(plan, root, home))
		}
	}
}
