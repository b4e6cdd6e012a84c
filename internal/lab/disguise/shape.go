package disguise

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// padding puts much that is harmless around a script.
func padding() []Generator {
	g := func(name string, make func(r *rand.Rand) (before, after string)) Generator {
		return Generator{Class: "padding", Name: name, Top: true, Make: func(r *rand.Rand, s Script) (string, bool) {
			before, after := make(r)
			return before + s.Text + after, true
		}}
	}
	many := func(r *rand.Rand, n int, line func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i))
			b.WriteByte('\n')
		}
		return b.String()
	}
	step := func(r *rand.Rand) func(int) string {
		return func(i int) string {
			return fmt.Sprintf(pick(r, "echo step %d", ": %d", "true # %d", "printf '%%s\\n' %d", "test -d src%d", "note_%d=done", "[ -f file%d ] && cat file%[1]d", "ls src > /dev/null # %d", "seq %d > /dev/null"), i)
		}
	}
	return []Generator{
		g("statements before", func(r *rand.Rand) (string, string) { return many(r, 5+r.IntN(200), step(r)), "" }),
		g("statements after", func(r *rand.Rand) (string, string) { return "", "\n" + many(r, 5+r.IntN(200), step(r)) }),
		g("statements around", func(r *rand.Rand) (string, string) {
			return many(r, 5+r.IntN(150), step(r)), "\n" + many(r, 5+r.IntN(150), step(r))
		}),
		g("many effects", func(r *rand.Rand) (string, string) {
			line := func(i int) string {
				return fmt.Sprintf(pick(r, "cat src/part%d.ts", "grep -n x src/part%d.ts", "wc -l src/part%d.ts", "head -1 doc/%d.md"), i)
			}
			return many(r, 200+r.IntN(200), line), "\n" + many(r, 100, line)
		}),
		g("comment", func(r *rand.Rand) (string, string) {
			return "# " + strings.Repeat("this only tidies up the build; ", 20+r.IntN(400)) + "\n", "\n# " + strings.Repeat("harmless ", 50)
		}),
		g("long argument", func(r *rand.Rand) (string, string) {
			return "echo " + strings.Repeat("a1", 500+r.IntN(5000)) + " > /dev/null\n", ""
		}),
		g("variables", func(r *rand.Rand) (string, string) {
			return many(r, 50+r.IntN(300), func(i int) string { return fmt.Sprintf("SETTING_%d=value-%d", i, r.IntN(1000)) }), ""
		}),
		g("documents", func(r *rand.Rand) (string, string) {
			doc := func(i int) string {
				return fmt.Sprintf("cat > /tmp/notes-%d.md <<'NOTES'\n# Notes %d\nNothing to see: 'quotes', $(words), `marks`.\nNOTES", i, i)
			}
			return many(r, 1+r.IntN(20), doc), "\n" + many(r, r.IntN(5), doc)
		}),
		g("blank lines", func(r *rand.Rand) (string, string) {
			return strings.Repeat("\n", 100+r.IntN(2000)), strings.Repeat("\n", r.IntN(1000))
		}),
		g("blanks", func(r *rand.Rand) (string, string) { return strings.Repeat(" ", 100+r.IntN(4000)), "" }),
		g("one line", func(r *rand.Rand) (string, string) {
			return strings.ReplaceAll(many(r, 5+r.IntN(150), func(i int) string { return fmt.Sprintf("echo %d;", i) }), "\n", " "), ""
		}),
		g("functions", func(r *rand.Rand) (string, string) {
			return many(r, 20+r.IntN(100), func(i int) string { return fmt.Sprintf("helper_%d() { echo \"$1\" %d; }", i, i) }), "\nhelper_1 x > /dev/null\n"
		}),
	}
}

// nesting puts a script inside other constructs.
func nesting() []Generator {
	g := func(name string, patterns ...string) Generator {
		return Generator{Class: "nesting", Name: name, Make: form(patterns...)}
	}
	own := func(name string, patterns ...string) Generator { // which read a text of their own
		x := g(name, patterns...)
		x.Whole, x.Simple = true, true
		return x
	}
	return []Generator{
		g("subshell", "( §\n)", "( ( ( §\n) ) )", "(\n(\n§\n)\n)"),
		g("braces", "{\n§\n}", "{ {\n§\n}; }", "{ (\n§\n) }"),
		g("substitution", "echo \"$( §\n)\"", "‡=$( §\n)", ": $( §\n)", "echo $(echo $( §\n))", "printf '%s' \"x$( §\n)\" > /dev/null", "local_‡=\"${none_‡:-$( §\n)}\"", "[ -n \"$( §\n)\" ]", "cat <<‡\n$( §\n)\n‡"),
		g("function", "‡() {\n§\n}\n‡"),
		{Class: "nesting", Name: "named function", Make: func(r *rand.Rand, s Script) (string, bool) {
			n, m := name(r), name(r)+"x"
			return pick(r,
				n+"() {\n"+s.Text+"\n}\n"+n,
				"function "+n+" {\n"+s.Text+"\n}\n"+n+" a b c",
				n+"() {\n"+s.Text+"\n}\n"+m+"() { "+n+"; }\n"+m,
				n+"() (\n"+s.Text+"\n)\n"+n+" || true",
				n+"() {\n"+s.Text+"\n}\nexport -f "+n+"\nbash -c "+n), true
		}},
		g("if", "if true; then\n§\nfi", "if [ -d / ]; then\n§\nfi", "if §\nthen :; fi", "if ! false; then\n§\nelse\necho no\nfi"),
		g("for", "for ‡ in 1; do\n§\ndone", "for ((i=0;i<1;i++)); do\n§\ndone", "for ‡ in $(seq 1); do\n§\ndone"),
		g("while", "while true; do\n§\nbreak; done", "until false; do\n§\nbreak; done", "while :; do {\n§\n}; break; done"),
		g("case", "case x in x)\n§\n;; esac", "case $- in *)\n§\n;; esac", "case a in b) echo b;; *)\n§\n;; esac"),
		own("eval", "eval ¶", "eval -- ¶", "command eval ¶", "builtin eval ¶"),
		own("bash -c", "bash -c ¶", "bash -lc ¶", "bash --norc -c ¶", "/bin/bash -c ¶", "bash -xc ¶ _", "bash +x -c ¶ name a b"),
		{Class: "nesting", Name: "bash -c twice", Whole: true, Simple: true, Make: func(r *rand.Rand, s Script) (string, bool) {
			text := s.Text
			for range 2 + r.IntN(3) {
				text = pick(r, "bash -c ", "eval ") + quote(text)
				if len(text) > maxText/4 {
					break
				}
			}
			return text, true
		}},
		own("source", "source <(echo ¶)", ". <(printf '%s\\n' ¶)", "source /dev/stdin <<< ¶"),
		g("process substitution", "cat <( §\n) > /dev/null; wait", "wc -l <( §\n)", "cat < <( §\n)", "echo x | tee >( §\n) > /dev/null; wait"),
		g("pipe", "{\n§\n} | cat", "echo x | {\n§\n}", "( §\n) 2>&1 | tail -5"),
		g("redirect", "{\n§\n} > /dev/null 2>&1", "( §\n) 2> /dev/null", "{\n§\n} < /dev/null"),
		g("not", "! {\n§\n}", "! ( §\n)"),
		g("coproc", "coproc {\n§\n}\nwait"),
		g("group of lists", "{ :; {\n§\n}; } && :", "( set +e\n§\n)", "( set -f +f; shopt -s extglob\n§\n)"),
	}
}

// failing puts a script behind a cd that fails.
func failing() []Generator {
	g := func(name string, patterns ...string) Generator {
		return Generator{Class: "failing cd", Name: name, Top: true, Make: form(patterns...)}
	}
	list := []Generator{
		g("cd ;", "cd /nope 2>/dev/null; §", "cd /nope/build\n§", "cd /nope 2> /dev/null\n§", "cd /tmp/no-such-dir-‡ 2>/dev/null; §"),
		g("cd ||", "cd /nope 2>/dev/null || true\n§", "cd /nope || :; §", "[ -d /nope ] && cd /nope\n§", "if [ -d /nope ]; then cd /nope; fi\n§", "cd /nope || echo missing\n§"),
		g("pushd", "pushd /nope > /dev/null 2>&1; §", "pushd /nope &> /dev/null\n§"),
		g("cd in vain", "(cd /tmp); §", "(cd /tmp && pwd)\n§", "echo \"$(cd /tmp && pwd)\" > /dev/null\n§", "cd /tmp | cat\n§", "cd /tmp & wait\n§"),
	}
	branch := g("cd in a branch", "if cd /nope 2> /dev/null; then echo there; else\n§\nfi", "if ! cd /nope 2>/dev/null; then\n§\nfi", "cd /nope 2>/dev/null || {\n§\n}", "for d in /nope; do cd $d 2>/dev/null\n§\ndone", "cd /nope 2>/dev/null && echo there || {\n§\n}")
	branch.Top = false
	back := g("cd and back", "cd /tmp && cd - > /dev/null\n§", "pushd /tmp > /dev/null && popd > /dev/null\n§", "‡=$PWD; cd /tmp; cd \"$‡\"\n§")
	return append(list, branch, back)
}

// branches put a script where it may or may not run.
func branches() []Generator {
	g := func(name string, patterns ...string) Generator {
		return Generator{Class: "branches", Name: name, Make: form(patterns...)}
	}
	return []Generator{
		g("then", "if [ -n \"$HOME\" ]; then\n§\nfi", "if test 1 -eq 1\nthen\n§\nelse\necho no\nfi"),
		g("else", "if false; then echo a; else\n§\nfi", "if [ -f /nope ]; then echo a; elif true; then\n§\nfi", "if [ \"$USER\" = nobody-at-all ]; then exit 1; else\n§\nfi"),
		g("case", "case \"$HOME\" in /nope) exit 1;; *)\n§\n;; esac", "case $(uname) in *)\n§\n;; esac"),
		g("&&", "true && {\n§\n}", "[ -d / ] && {\n§\n}", "test -e / && ( §\n)", ": && : && {\n§\n}"),
		g("||", "false || {\n§\n}", "[ -f /nope ] || {\n§\n}", "test -e /nope || ( §\n)", "command -v no-such-program || {\n§\n}"),
		g("trap", "( trap ¶ EXIT\necho x > /dev/null\n)", "( trap ¶ EXIT; true )", "( trap ¶ 0\n: )", "( trap ¶ USR1; kill -USR1 $BASHPID )", "( trap ¶ DEBUG\n: )", "( trap -- ¶ SIGTERM EXIT; exit 0 )"),
		{Class: "branches", Name: "trap by function", Make: func(r *rand.Rand, s Script) (string, bool) {
			n := name(r)
			return "( " + n + "() {\n" + s.Text + "\n}\ntrap " + n + " EXIT; echo x > /dev/null )", true
		}},
		g("background", "{\n§\n} & wait", "( §\n) &\nwait", "{\n§\n} &\n‡=$!; wait $‡"),
		g("both ways", "if [ $RANDOM -ge 0 ]; then\n§\nelse\necho no\nfi", "if (( $(date +%s) > 0 )); then\n§\nfi"),
		g("after a return", "‡() { return 1; }\n‡ || {\n§\n}"),
		g("loop end", "for ‡ in a b; do :; done\n§", "while false; do :; done\n§", "for ‡ in 1 2 3; do [ $‡ = 3 ] && {\n§\n}; done", "for ‡ in 1 2; do [ $‡ = 1 ] && continue\n§\ndone"),
	}
}

// waiting puts time before a script.
func waiting() []Generator {
	g := func(name string, late bool, patterns ...string) Generator {
		return Generator{Class: "time", Name: name, Late: late, Make: form(patterns...)}
	}
	plan := func(name string, patterns ...string) Generator {
		return Generator{Class: "time", Name: name, Late: true, Plans: true, Make: form(patterns...)}
	}
	return []Generator{
		g("sleep", false, "sleep 0; {\n§\n}", "sleep 0.01 && {\n§\n}", "sleep 0\n§", "read -t 0.01 ‡ < /dev/null\n§"),
		g("sleep in the background", false, "(sleep 0.01; §\n) & wait", "{ sleep 0.01\n§\n} > /dev/null 2>&1 & wait", "( ( sleep 0\n§\n) & wait )"),
		plan("at", "echo ¶ | at now", "at now + 1 minute <<< ¶", "at -M now <<'‡'\n§\n‡", "echo ¶ | batch"),
		g("later", true, "nohup bash -c ¶ > /dev/null 2>&1 &", "(sleep 3600; §\n) & disown", "setsid -f bash -c ¶"),
		g("watch", true, "timeout 5 watch -n 1 ¶", "watch -n 60 -g ¶"),
		plan("systemd-run", "systemd-run --user --on-active=60 bash -c ¶", "systemd-run --on-calendar=daily bash -c ¶"),
	}
}
